/**
 * Hooks in the folders of xcsh, oh-my-pi and pi.
 *
 * @module
 */

import { joinPath } from "../deno/files.ts";
import { findHookFiles, preAndPost } from "./hook_files.ts";
import type { HookItem } from "./hook_item.ts";
import type { Provider } from "./capability.ts";

const CONFIG_FOLDERS = [".xcsh", ".omp", ".pi"];

/** Looks in `<cwd>/.xcsh/hooks` and `~/.xcsh/agent/hooks`, and the same under `.omp` and `.pi`. */
export const nativeProvider: Provider<HookItem> = {
  id: "native",
  displayName: "Native",
  description: ".xcsh/hooks and ~/.xcsh/agent/hooks, also under .omp and .pi",
  priority: 100,
  load: ({ cwd, home }) =>
    findHookFiles([
      ...CONFIG_FOLDERS.flatMap((name) => preAndPost(joinPath(cwd, name, "hooks"), "project")),
      ...CONFIG_FOLDERS.flatMap((name) =>
        home === undefined ? [] : preAndPost(joinPath(home, name, "agent", "hooks"), "user")
      ),
    ]),
};

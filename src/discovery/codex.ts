/**
 * Hooks in the folders of Codex.
 *
 * @module
 */

import { joinPath } from "../deno/files.ts";
import { findHookFiles, type HookFolder } from "./hook_files.ts";
import type { HookItem } from "./hook_item.ts";
import type { Provider } from "./capability.ts";

/** Looks in `~/.codex/hooks`, then in `<cwd>/.codex/hooks`, for `pre-<tool>.ts` and `post-<tool>.ts`. */
export const codexProvider: Provider<HookItem> = {
  id: "codex",
  displayName: "Codex",
  description: "~/.codex/hooks and .codex/hooks, named pre-<tool>.ts or post-<tool>.ts",
  priority: 70,
  load: ({ cwd, home }) =>
    findHookFiles([
      ...home === undefined ? [] : [hookFolder(home, "user")],
      hookFolder(cwd, "project"),
    ]),
};

function hookFolder(parent: string, level: HookFolder["level"]): HookFolder {
  return { path: joinPath(parent, ".codex", "hooks"), level, type: "in-name" };
}

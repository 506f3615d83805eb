/**
 * Hooks in the folders of Claude Code.
 *
 * @module
 */

import { joinPath } from "../deno/files.ts";
import { findHookFiles, preAndPost } from "./hook_files.ts";
import type { HookItem } from "./hook_item.ts";
import type { Provider } from "./capability.ts";

/** Looks in `~/.claude/hooks`, then in `<cwd>/.claude/hooks`. */
export const claudeProvider: Provider<HookItem> = {
  id: "claude",
  displayName: "Claude Code",
  description: "~/.claude/hooks and .claude/hooks",
  priority: 80,
  load: ({ cwd, home }) =>
    findHookFiles([
      ...home === undefined ? [] : preAndPost(joinPath(home, ".claude", "hooks"), "user"),
      ...preAndPost(joinPath(cwd, ".claude", "hooks"), "project"),
    ]),
};

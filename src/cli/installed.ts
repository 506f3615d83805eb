/**
 * What install, doctor and the scripts agree on: names of files, and how this program is started.
 *
 * @module
 */

import type { Level } from "../agents/settings.ts";
import { ownFolder } from "./serve_token.ts";

/** The command that starts this program, word by word. */
export function programWords(): string[] {
  const cli = new URL("../../cli.ts", import.meta.url);
  const script = cli.protocol === "file:" ? decodeURIComponent(cli.pathname) : cli.href;
  return [Deno.execPath(), "run", "-A", "--no-prompt", script];
}

/**
 * The script that an agent starts. Paths of sockets are short on all systems, so names are too.
 *
 * @param agent The agent.
 * @param level For whom.
 * @param cwd The project.
 */
export function stubPath(agent: string, level: Level, cwd: string): string {
  return `${ownFolder()}/stubs/${agent}${level === "project" ? `-${shortHash(cwd)}` : ""}.sh`;
}

/** Enough to tell folders apart: FNV-1a over the characters. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

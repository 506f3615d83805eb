/**
 * Checks what an agent says about where an event takes place.
 *
 * @module
 */

import type { AgentEvent } from "../agents/dialect.ts";
import type { Place } from "../agents/session.ts";
import { isFolder } from "./serve_hooks.ts";

/**
 * Where an event takes place. What the agent says is checked: a folder that is gone gives way to the
 * base, a transcript that is no file is left out.
 *
 * @param event The event.
 * @param base The folder to fall back to.
 * @param warnings Gets a sentence for each thing that is not as the agent says.
 */
export function placeOf(event: AgentEvent, base: string, warnings: string[]): Place {
  const { cwd, sessionId, transcriptPath } = event;
  const place: Place = { cwd: base, sessionId };
  if (cwd !== undefined && isFolder(cwd)) place.cwd = cwd;
  else if (cwd !== undefined) warnings.push(`the folder ${cwd} is not there; using ${base}`);
  const file = transcriptPath === undefined ? undefined : expanded(transcriptPath);
  if (file !== undefined && isFile(file)) {
    place.sessionFile = file;
    const names = [file.split(/[\\/]/).at(-1) ?? "", sessionId ?? ""];
    if (names.every((name) => UUID.test(name)) && !names[0].includes(names[1])) {
      warnings.push(`the transcript ${file} is not that of session ${sessionId}`);
    }
  }
  return place;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

function expanded(path: string): string {
  if (path !== "~" && !path.startsWith("~/")) return path;
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  return home === undefined ? path : `${home}${path.slice(1)}`;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/**
 * Where the sessions of a working directory are.
 *
 * @module
 */

import type { SessionFiles } from "../session_storage.ts";

/** The longest readable part of a folder's name, in letters. */
const MAX_READABLE = 40;

/**
 * The folder of the sessions of a working directory: a readable name, for people, and eight hex
 * digits of the SHA-256 of the real path, so that two directories never share a folder.
 *
 * @param files Where sessions are kept.
 * @param cwd The working directory.
 * @param sessionsDir The folder that holds all these folders. Default: `sessions` in the folder
 * that `PI_HOOKS_HOME` names, or in `~/.pi-hooks`.
 */
export async function sessionFolder(
  files: SessionFiles,
  cwd: string,
  sessionsDir: string = files.defaultFolder(),
): Promise<string> {
  return files.join(files.realPath(sessionsDir), await folderName(files.realPath(cwd)));
}

/**
 * The name of the folder: `project-1f2e3d4c`. It never begins with `-` or `.`.
 *
 * @param realPath The real path of the working directory.
 */
export async function folderName(realPath: string): Promise<string> {
  const bytes = new TextEncoder().encode(realPath);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const last = realPath.split(/[\\/]/).findLast((part) => part !== "") ?? "";
  const plain = last.replace(/[^\p{L}\p{N}._]+/gu, "-").replace(/^[-.]+|-+$/g, "");
  const readable = [...plain].slice(0, MAX_READABLE).join("") || "root";
  return `${readable}-${hash.toHex().slice(0, 8)}`;
}

/**
 * The name of a session's file: it sorts by time.
 *
 * @param timestamp When the session began, ISO 8601.
 * @param id The session.
 */
export function sessionFileName(timestamp: string, id: string): string {
  return `${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`;
}

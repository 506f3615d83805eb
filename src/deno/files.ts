/**
 * Looks at folders and files without ever asking for a permission: what may not be read is an
 * outcome like any other.
 *
 * @module
 */

import { join as joinPosix } from "@std/path/posix/join";
import { join as joinWindows } from "@std/path/windows/join";
import { missingPermission } from "./permissions.ts";

/** The kinds of things that stand in a folder. */
export type FileKind = "file" | "folder" | "link" | "other";

/** Something that stands in a folder. */
export interface FolderEntry {
  /** Its name, without the folder. */
  name: string;
  /** What it is; `other` is a pipe, a socket or a device. */
  kind: FileKind;
}

/**
 * What came of looking at something: what was there, that there is nothing, or why nobody can
 * tell, with what to do about it.
 *
 * @typeParam T What was there.
 */
export type Look<T> =
  | { outcome: "found"; value: T }
  | { outcome: "missing" }
  | { outcome: "refused"; reason: string };

/**
 * Puts parts of a path together, the way this system writes paths.
 *
 * @param folder Where to start.
 * @param parts What to append.
 */
export function joinPath(folder: string, ...parts: string[]): string {
  const join = Deno.build.os === "windows" ? joinWindows : joinPosix;
  return join(folder, ...parts);
}

/**
 * The entries of a folder, in the order in which the file system gives them.
 *
 * @param path A folder.
 */
export function readFolder(path: string): Look<FolderEntry[]> {
  return look(
    path,
    () =>
      Array.from(Deno.readDirSync(path), (entry) => ({ name: entry.name, kind: kindOf(entry) })),
  );
}

/**
 * What a path leads to, links followed.
 *
 * @param path Any path.
 */
export function fileKind(path: string): Look<FileKind> {
  return look(path, () => kindOf(Deno.statSync(path)));
}

/**
 * The text of a file.
 *
 * @param path A file.
 */
export function readText(path: string): Look<string> {
  return look(path, () => Deno.readTextFileSync(path));
}

function look<T>(path: string, read: () => T): Look<T> {
  const flag = missingPermission({ name: "read", path });
  if (flag !== undefined) {
    return { outcome: "refused", reason: `Deno may not read it: run with ${flag}` };
  }
  try {
    return { outcome: "found", value: read() };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { outcome: "missing" };
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof Deno.errors.PermissionDenied) {
      return { outcome: "refused", reason: `the operating system refuses: ${reason}` };
    }
    return { outcome: "refused", reason };
  }
}

function kindOf(info: { isFile: boolean; isDirectory: boolean; isSymlink: boolean }): FileKind {
  if (info.isSymlink) return "link";
  if (info.isDirectory) return "folder";
  return info.isFile ? "file" : "other";
}

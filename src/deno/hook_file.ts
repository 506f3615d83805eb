/**
 * Looks at a hook's file before it is imported.
 *
 * @module
 */

import type { HookLoadErrorKind } from "../errors.ts";
import { missingPermission } from "./permissions.ts";

/** What a path leads to. */
export type HookFile =
  /** A file, its real path, the path to import it by, and a text that changes when it does. */
  | { isFile: true; realPath: string; importPath: string; stamp: string }
  /** Nothing that can be imported, and why. */
  | { isFile: false; kind: HookLoadErrorKind; fault: string };

/** Larger than any hook that a person wrote; importing it would only freeze the program. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/**
 * Looks at a file without opening it, so that pipes and devices do no harm.
 *
 * The file is imported by its real path, so that relative imports of a linked hook start where the
 * hook really lives; if only the link may be read, by the link.
 *
 * @param path An absolute path.
 * @param isReadGranted Whether all files may be read: then nothing is asked.
 */
export function inspectHookFile(path: string, isReadGranted = false): HookFile {
  const flag = isReadGranted ? undefined : missingPermission({ name: "read", path });
  if (flag !== undefined) return fault("permission", `Deno may not read ${path}: run with ${flag}`);
  let info: Deno.FileInfo;
  try {
    info = Deno.statSync(path);
  } catch (error) {
    return statFault(path, error);
  }
  if (info.isDirectory) {
    return fault("not-a-module", "it is a folder: name the file in it, such as index.ts");
  }
  if (!info.isFile) return fault("not-a-module", "it is a pipe, a socket or a device, not a file");
  if (info.size > MAX_FILE_BYTES) {
    const size = Math.round(info.size / 1024 / 1024);
    return fault("not-a-module", `it has ${size} MiB, and a hook file has 8 MiB at most`);
  }
  const realPath = realPathOf(path);
  const mayReadReal = isReadGranted || realPath === path ||
    missingPermission({ name: "read", path: realPath }) === undefined;
  const stamp = `${info.mtime?.getTime()} ${info.size} ${info.ino}`;
  return { isFile: true, realPath, importPath: mayReadReal ? realPath : path, stamp };
}

function realPathOf(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    // Some real paths may not be asked for; then a link counts as a file of its own.
    return path;
  }
}

function statFault(path: string, error: unknown): HookFile {
  const { message } = error as Error;
  if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
    return fault("not-found", `there is no file ${path}`);
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return fault("permission", `the operating system refuses: ${message}`);
  }
  if (error instanceof Deno.errors.FilesystemLoop) {
    return fault("path", "its links lead round in a circle");
  }
  return fault("path", message);
}

function fault(kind: HookLoadErrorKind, text: string): HookFile {
  return { isFile: false, kind, fault: text };
}

/** Whether this system has paths like those of Windows. */
export const IS_WINDOWS: boolean = Deno.build.os === "windows";

/** The working directory of the process, empty if somebody has removed it. */
export function processCwd(): string {
  try {
    return Deno.cwd();
  } catch {
    return "";
  }
}

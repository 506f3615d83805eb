/**
 * Paths of tools: what they stand for, how they are shown, what is wrong with them.
 *
 * @module
 */

import { basename } from "@std/path/posix/basename";
import { dirname } from "@std/path/posix/dirname";
import { resolve as resolvePosix } from "@std/path/posix/resolve";
import { resolve as resolveWindows } from "@std/path/windows/resolve";
import { nearest } from "../../nearest.ts";
import { locateHook } from "../../path.ts";
import { homeFolder } from "../environment.ts";
import { missingPermission } from "../permissions.ts";
import type { ToolSettings } from "./define_tool.ts";

/** Where tools work. */
export interface ToolPlace {
  /** The folder that relative paths start from; absolute. */
  cwd: string;
  /** What `~` stands for, if it is known. */
  home: string | undefined;
}

/**
 * The place that the settings of a tool mean.
 *
 * @param settings Working directory and home folder.
 */
export function placeOf(settings: ToolSettings): ToolPlace {
  return { cwd: resolve(settings.cwd), home: settings.home ?? homeFolder() };
}

const resolve = Deno.build.os === "windows" ? resolveWindows : resolvePosix;
const isWindows = Deno.build.os === "windows";
const URL_REGEXP = /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:file|https?|jsr|npm):)/i;

/**
 * The absolute path that an argument stands for, by the rules for paths of hooks: absolute ones as
 * they are, `~` and `~/…` from the home folder, all others from the working directory. The exact
 * characters count. A URL is no path: it could spell a file in a way that no guard recognises.
 *
 * @param path The argument.
 * @param place Where the tool works.
 * @throws {Error} If it stands for nothing.
 */
export function resolvePath(path: string, place: ToolPlace): string {
  if (URL_REGEXP.test(path)) {
    throw new Error(`${JSON.stringify(path)} is a URL: write the path of the file instead`);
  }
  const found = locateHook(path, { ...place, isWindows });
  if (found.kind === "file") return found.path;
  const fault = found.kind === "fault" ? found.fault : "it is not a path";
  throw new Error(`Cannot use the path ${JSON.stringify(path)}: ${fault}`);
}

/**
 * A path as the model may pass it on: from the working directory if it is inside, else absolute.
 *
 * @param path An absolute path.
 * @param cwd The working directory.
 */
export function showPath(path: string, cwd: string): string {
  const inside = cwd.endsWith("/") ? cwd : `${cwd}/`;
  if (path === cwd) return ".";
  return path.startsWith(inside) ? path.slice(inside.length) : path;
}

/** What a tool wants to do with a file. */
export type FileAccess = "read" | "write";

/**
 * Makes sure that Deno would not stop to ask the person for a permission.
 *
 * @param access What is going to be done.
 * @param path An absolute path.
 * @throws {Deno.errors.NotCapable} If it may not be done; the text names the flag to add.
 */
export function requirePermission(access: FileAccess, path: string): void {
  const flag = missingPermission({ name: access, path });
  if (flag === undefined) return;
  const problem = `Deno may not ${access} ${JSON.stringify(path)}: add ${flag} to the deno command`;
  throw new Deno.errors.NotCapable(problem);
}

/**
 * What stands at a path that a tool wants to use as a file.
 *
 * @param path An absolute path.
 * @throws {Error} If there is nothing, or a folder, a pipe, a device.
 */
export async function requireFile(path: string): Promise<Deno.FileInfo> {
  requirePermission("read", path);
  const info = await requireAnything(path);
  if (info.isDirectory) {
    throw new Error(`${JSON.stringify(path)} is a folder, not a file: list it with find or bash`);
  }
  if (!info.isFile) {
    throw new Error(`${JSON.stringify(path)} is a pipe, a socket or a device, not a file`);
  }
  return info;
}

/**
 * What stands at a path, links followed.
 *
 * @param path An absolute path.
 * @throws {Error} If there is nothing.
 */
export async function requireAnything(path: string): Promise<Deno.FileInfo> {
  requirePermission("read", path);
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw explainFileError(error, "read", path);
    const neighbour = await findNeighbour(path);
    const hint = neighbour === undefined ? "" : `; did you mean ${JSON.stringify(neighbour)}?`;
    throw new Error(`There is no file ${JSON.stringify(path)}${hint}`, { cause: error });
  }
}

/**
 * Whether there is a folder.
 *
 * @param path An absolute path.
 */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch {
    return false;
  }
}

/** A file of the same folder with nearly the same name. */
async function findNeighbour(path: string): Promise<string | undefined> {
  const folder = dirname(path);
  try {
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    const name = nearest(basename(path), names);
    return name === undefined ? undefined : `${folder === "/" ? "" : folder}/${name}`;
  } catch {
    // A folder that is missing or closed has no hint to give.
    return undefined;
  }
}

/**
 * Says what went wrong with a file, and leaves errors of other kinds as they are.
 *
 * @param error What was thrown.
 * @param access What was to be done.
 * @param path The file.
 */
export function explainFileError(error: unknown, access: FileAccess, path: string): unknown {
  const cause = error instanceof Deno.errors.NotFound
    ? "there is no such file"
    : error instanceof Deno.errors.PermissionDenied
    ? "the operating system refuses"
    : error instanceof Deno.errors.IsADirectory
    ? "it is a folder"
    : error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.AlreadyExists
    ? "a part of the path is a file, not a folder"
    : error instanceof Deno.errors.FilesystemLoop
    ? "its links lead in a circle"
    : undefined;
  if (cause !== undefined) {
    return new Error(`Cannot ${access} ${JSON.stringify(path)}: ${cause}`, { cause: error });
  }
  if (!(error instanceof Error) || error.name === "AbortError") return error;
  return new Error(`Cannot ${access} ${JSON.stringify(path)}: ${error.message}`, { cause: error });
}

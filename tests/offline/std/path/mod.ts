/**
 * Stand-in for `@std/path`: paths as this operating system spells them. Laid into `vendor/` by
 * `tests/offline/setup.ts` where JSR cannot be reached.
 *
 * @module
 */

import * as posix from "./posix.ts";
import * as windows from "./windows.ts";

const own = Deno.build.os === "windows" ? windows : posix;

/** The character between the parts of a path. */
export const SEPARATOR: "/" | "\\" = own.SEPARATOR;

/** Whether the path begins at the root. */
export function isAbsolute(path: string): boolean {
  return own.isAbsolute(path);
}

/** Takes `.`, `..` and doubled separators out of a path. */
export function normalize(path: string): string {
  return own.normalize(path);
}

/** Puts paths one after another and normalises the whole. */
export function join(path?: string | URL, ...paths: string[]): string {
  return own.join(path, ...paths);
}

/** The absolute path that the last absolute one and all after it name, from the current folder. */
export function resolve(...pathSegments: string[]): string {
  return own.resolve(...pathSegments);
}

/** The path to `to` as seen from the folder `from`. */
export function relative(from: string, to: string): string {
  return own.relative(from, to);
}

/** The folder part of a path, `.` if there is none. */
export function dirname(path: string | URL): string {
  return own.dirname(path);
}

/** The last part of a path, without `suffix` if it ends so. */
export function basename(path: string | URL, suffix = ""): string {
  return own.basename(path, suffix);
}

/** The part of a file's name from its last dot on, or an empty string. */
export function extname(path: string | URL): string {
  return own.extname(path);
}

/** The `file:` URL of an absolute path. */
export function toFileUrl(path: string): URL {
  return own.toFileUrl(path);
}

/** The path of a `file:` URL. */
export function fromFileUrl(url: string | URL): string {
  return own.fromFileUrl(url);
}

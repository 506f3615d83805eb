/**
 * What the resolution of imports asks the file system, by `file:` URLs.
 *
 * @module
 */

import { fromFileUrl as fromFileUrlPosix } from "@std/path/posix/from-file-url";
import { fromFileUrl as fromFileUrlWindows } from "@std/path/windows/from-file-url";
import { jsrHost } from "./environment.ts";
import { IS_WINDOWS } from "./hook_file.ts";
import { missingPermission } from "./permissions.ts";

/** Whether a URL leads to a file; `forbidden` if Deno may not look. */
export type FileAnswer = "file" | "none" | "forbidden";

/**
 * Looks whether there is a file.
 *
 * @param url A `file:` URL.
 */
export function lookForFile(url: string): FileAnswer {
  const path = pathOf(url);
  if (missingPermission({ name: "read", path }) !== undefined) return "forbidden";
  try {
    return Deno.statSync(path).isFile ? "file" : "none";
  } catch {
    return "none";
  }
}

/**
 * Reads a file.
 *
 * @param url A `file:` URL.
 * @returns `undefined` if there is none that can be read.
 */
export function readIfThere(url: string): string | undefined {
  if (lookForFile(url) !== "file") return undefined;
  try {
    return Deno.readTextFileSync(pathOf(url));
  } catch {
    return undefined;
  }
}

/**
 * Says what must be granted before a module can be imported, `undefined` if nothing is missing.
 *
 * Only the module itself is looked at. What it imports is checked by Deno, which asks a person if
 * it runs on a terminal without `--no-prompt`.
 *
 * @param url Where the module is: a URL, or a `jsr:` or `npm:` specifier.
 */
export function importRefusal(url: string): string | undefined {
  const { protocol, host } = new URL(url);
  if (protocol === "file:") {
    const path = pathOf(url);
    const flag = missingPermission({ name: "read", path });
    return flag && `Deno may not read ${path}: run with ${flag}`;
  }
  const source = protocol === "jsr:" ? jsrHost() : host;
  // What comes from npm needs no permission.
  if (source === "") return undefined;
  const flag = missingPermission({ name: "import", host: source });
  return flag && `Deno may not import from ${source}: run with ${flag}`;
}

function pathOf(url: string): string {
  const plain = new URL(url);
  return IS_WINDOWS ? fromFileUrlWindows(plain) : fromFileUrlPosix(plain);
}

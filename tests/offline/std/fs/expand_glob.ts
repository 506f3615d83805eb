/**
 * Stand-in for `@std/fs/expand-glob`.
 *
 * @module
 */

import { walk, type WalkEntry } from "./walk.ts";

/** Where to look, and what to leave out. */
export interface ExpandGlobOptions {
  /** The folder that a relative pattern begins at; the current one by default. */
  root?: string;
  /** Patterns of what is left out. */
  exclude?: string[];
  /** Give out folders; `true` by default. */
  includeDirs?: boolean;
  /** Follow links; `false` by default. */
  followSymlinks?: boolean;
  /** Do not tell upper from lower case; `false` by default. */
  caseInsensitive?: boolean;
}

/** All files and folders whose path matches the pattern (`*`, `**`, `?`, `{a,b}`, `[a-z]`). */
export async function* expandGlob(
  glob: string | URL,
  options: ExpandGlobOptions = {},
): AsyncIterableIterator<WalkEntry> {
  const root = await Deno.realPath(options.root ?? ".");
  const flags = options.caseInsensitive ? "i" : "";
  const pattern = absolute(
    root,
    typeof glob === "string" ? glob : decodeURIComponent(glob.pathname),
  );
  const excluded = (options.exclude ?? [])
    .map((text) => new RegExp(`^${toPattern(absolute(root, text))}(?:/.*)?$`, flags));
  const wanted = new RegExp(`^${toPattern(pattern)}/?$`, flags);
  // The folder before the first part with a wildcard: nothing outside of it can match.
  const fixed = pattern.split("/");
  const first = fixed.findIndex((part) => /[*?{[]/.test(part));
  const start = (first < 0 ? fixed : fixed.slice(0, first)).join("/") || "/";
  const { includeDirs = true, followSymlinks = false } = options;
  try {
    const info = await Deno.stat(start);
    if (!info.isDirectory) {
      if (wanted.test(start) && !excluded.some((one) => one.test(start))) {
        yield { ...await entryOf(start), path: start };
      }
      return;
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  for await (const entry of walk(start, { includeDirs, followSymlinks, skip: excluded })) {
    if (wanted.test(entry.path)) yield entry;
  }
}

async function entryOf(path: string): Promise<Deno.DirEntry> {
  const { isFile, isDirectory, isSymlink } = await Deno.lstat(path);
  return { name: path.split("/").at(-1) ?? path, isFile, isDirectory, isSymlink };
}

function absolute(root: string, pattern: string): string {
  return pattern.startsWith("/")
    ? pattern
    : `${root.replace(/\/$/, "")}/${pattern.replace(/^\.\//, "")}`;
}

/** The pattern as the text of a regular expression. */
function toPattern(glob: string): string {
  let text = "";
  let braces = 0;
  for (let index = 0; index < glob.length; index++) {
    const letter = glob[index];
    if (glob.startsWith("**/", index)) {
      text += "(?:[^/]+/)*";
      index += 2;
    } else if (glob.startsWith("**", index)) {
      text += ".*";
      index += 1;
    } else if (letter === "*") text += "[^/]*";
    else if (letter === "?") text += "[^/]";
    else if (letter === "{") {
      text += "(?:";
      braces++;
    } else if (letter === "}" && braces > 0) {
      text += ")";
      braces--;
    } else if (letter === "," && braces > 0) text += "|";
    else if (letter === "[" && glob.indexOf("]", index + 2) > 0) {
      const end = glob.indexOf("]", index + 2);
      text += `[${glob.slice(index + 1, end).replace(/^!/, "^").replaceAll("\\", "\\\\")}]`;
      index = end;
    } else text += letter.replace(/[\\^$.|+()[\]{}]/, "\\$&");
  }
  return text;
}

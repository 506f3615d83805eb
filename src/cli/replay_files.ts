/**
 * Finds the files of recorded sessions.
 *
 * @module
 */

import { fileFault } from "./input.ts";

/** A file to be read. */
export interface SessionFilePath {
  /** Where it is, as it is shown. */
  path: string;
  /** Its size in bytes, 0 if it is not known. */
  size: number;
  /** Whether somebody has named it, and not a folder or a glob that holds it. */
  isNamed: boolean;
}

/** What was found. */
export interface FoundFiles {
  /** The files, each one once. */
  files: SessionFilePath[];
  /** What cannot be read. */
  faults: { path: string; text: string }[];
}

const WILDCARDS = /[*?[{]/;
const SESSION_FILE = /\.jsonl$/;

/**
 * Finds files.
 *
 * @param given Files, folders (their `.jsonl` files, at any depth) and globs.
 */
export async function findSessionFiles(given: readonly string[]): Promise<FoundFiles> {
  const found: FoundFiles = { files: [], faults: [] };
  const seen = new Set<string>();
  const add = (path: string, size: number, isNamed: boolean) => {
    if (seen.has(path)) return;
    seen.add(path);
    found.files.push({ path, size, isNamed });
  };
  for (const path of given) {
    try {
      const { isDirectory, size } = await Deno.stat(path);
      if (!isDirectory) add(path, size, true);
      else await walk(path, (file) => SESSION_FILE.test(file), add, found);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound && WILDCARDS.test(path)) {
        const count = found.files.length;
        await expand(path, add, found);
        if (found.files.length === count) {
          found.faults.push({ path, text: "no file has such a name" });
        }
      } else {
        found.faults.push({ path, text: fileFault(error) });
      }
    }
  }
  return found;
}

async function expand(glob: string, add: Add, found: FoundFiles): Promise<void> {
  const { globToRegExp } = await import("@std/path/posix/glob-to-regexp");
  const pattern = glob.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  const fixed = pattern.slice(0, pattern.search(WILDCARDS));
  const folder = fixed.slice(0, fixed.lastIndexOf("/") + 1);
  const expression = globToRegExp(pattern, { extended: false });
  const root = folder === "" ? "." : folder === "/" ? "/" : folder.slice(0, -1);
  await walk(root, (file) => expression.test(file.replace(/^\.\//, "")), add, found);
}

type Add = (path: string, size: number, isNamed: boolean) => void;

/** Links are not followed: a folder of sessions may hold one that leads around in a circle. */
async function walk(
  folder: string,
  isWanted: (path: string) => boolean,
  add: Add,
  found: FoundFiles,
): Promise<void> {
  const entries: Deno.DirEntry[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) entries.push(entry);
  } catch (error) {
    found.faults.push({ path: folder, text: fileFault(error) });
    return;
  }
  entries.sort((a, b) => a.name < b.name ? -1 : 1);
  for (const { name, isDirectory, isFile } of entries) {
    const path = folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`;
    if (isDirectory) await walk(path, isWanted, add, found);
    else if (isFile && isWanted(path)) {
      const size = await Deno.stat(path).then((info) => info.size, () => 0);
      add(path, size, false);
    }
  }
}

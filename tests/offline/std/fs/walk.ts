/**
 * Stand-in for `@std/fs/walk`.
 *
 * @module
 */

/** One file, folder or link that was met. */
export interface WalkEntry extends Deno.DirEntry {
  /** Where it is, beginning with the root given to `walk`. */
  path: string;
}

/** Which entries are given out. */
export interface WalkOptions {
  /** How many folders deep; `Infinity` by default. */
  maxDepth?: number;
  /** Give out files; `true` by default. */
  includeFiles?: boolean;
  /** Give out folders; `true` by default. */
  includeDirs?: boolean;
  /** Give out links; `true` by default. */
  includeSymlinks?: boolean;
  /** Follow links; `false` by default. */
  followSymlinks?: boolean;
  /** Only files with one of these ends of the name. */
  exts?: string[];
  /** Only paths that match one of these. */
  match?: RegExp[];
  /** No path that matches one of these. */
  skip?: RegExp[];
}

/** All entries below a folder, the folder itself first. */
export async function* walk(
  root: string | URL,
  options: WalkOptions = {},
): AsyncIterableIterator<WalkEntry> {
  const { maxDepth = Infinity, includeFiles = true, includeDirs = true } = options;
  const { includeSymlinks = true, followSymlinks = false } = options;
  if (maxDepth < 0) return;
  const top = toPath(root);
  if (includeDirs && isWanted(top, options)) {
    const { isFile, isDirectory, isSymlink } = await Deno.stat(top);
    yield { path: top, name: nameOf(top), isFile, isDirectory, isSymlink };
  }
  if (maxDepth < 1 || options.skip?.some((pattern) => matches(pattern, top))) return;
  for await (const entry of Deno.readDir(top)) {
    let path = /[\\/]$/.test(top) ? `${top}${entry.name}` : `${top}/${entry.name}`;
    let { isFile, isDirectory, isSymlink } = entry;
    if (isSymlink && followSymlinks) {
      path = await Deno.realPath(path);
      ({ isFile, isDirectory, isSymlink } = await Deno.lstat(path));
    }
    if (isSymlink && !includeSymlinks) continue;
    if (isDirectory) {
      yield* walk(path, { ...options, maxDepth: maxDepth - 1 });
    } else if (includeFiles && isWanted(path, options)) {
      yield { path, name: entry.name, isFile, isDirectory, isSymlink };
    }
  }
}

function isWanted(path: string, options: WalkOptions): boolean {
  const { exts, match, skip } = options;
  if (exts && !exts.some((end) => path.endsWith(end.startsWith(".") ? end : `.${end}`))) {
    return false;
  }
  if (match && !match.some((pattern) => matches(pattern, path))) return false;
  return !skip?.some((pattern) => matches(pattern, path));
}

/** A pattern with the `g` flag remembers where it stopped; each path begins anew. */
function matches(pattern: RegExp, path: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(path);
}

function toPath(root: string | URL): string {
  if (typeof root === "string") return root === "" ? "." : root;
  const path = decodeURIComponent(root.pathname);
  return Deno.build.os === "windows" ? path.slice(1) : path;
}

function nameOf(path: string): string {
  return path.replace(/[\\/]+$/, "").split(/[\\/]/).at(-1) ?? path;
}

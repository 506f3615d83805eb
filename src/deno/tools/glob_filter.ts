/**
 * Globs: which files of a tree they mean.
 *
 * @module
 */

import { createTimeLimit, noTimeLimit, type TimeLimit, TimeLimitError } from "./computing_limit.ts";

/** More wildcards than this in one glob can take very long on a name that is made for it. */
const MAX_QUICK_WILDCARDS = 4;

/** How long one name may take, in milliseconds. */
const LIMIT_MS = 1000;

/** A glob that was understood. */
export interface GlobFilter {
  /** The folders at the beginning of the glob that have no wildcards, `""` if there are none. */
  folder: string;
  /** How many folders below that one matches can lie. */
  maxDepth: number;
  /**
   * Whether a file is meant.
   *
   * @param path Its path from `folder`.
   * @throws {Error} If the glob takes too long.
   */
  matches(path: string): boolean;
}

/**
 * Understands a glob: `*` and `?` within a name, `**` for any folders, `[a-z]`, `{one,two}`, `\` for
 * the character itself. A glob without `/` means names in all folders.
 *
 * @param glob The glob.
 * @throws {Error} If it leads out of the tree, or cannot match anything.
 */
export async function createGlobFilter(glob: string): Promise<GlobFilter> {
  const { globToRegExp } = await import("@std/path/posix/glob-to-regexp");
  const pattern = glob.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, "");
  checkGlob(glob, pattern);
  if (!pattern.includes("/")) {
    const test = await createTest(globToRegExp(pattern, { extended: false }), glob);
    const matches = (path: string): boolean => test(path.slice(path.lastIndexOf("/") + 1));
    return { folder: "", maxDepth: Infinity, matches };
  }
  const segments = pattern.split("/");
  const firstWild = segments.findIndex((segment) => /[*?[{\\]/.test(segment));
  const folderCount = firstWild < 0 ? segments.length - 1 : firstWild;
  const rest = segments.slice(folderCount);
  // Within braces there may be slashes, so that the number of segments says nothing.
  const isDeep = rest.includes("**") || rest.some((segment) => segment.includes("{"));
  return {
    folder: segments.slice(0, folderCount).join("/"),
    maxDepth: isDeep ? Infinity : rest.length - 1,
    matches: await createTest(globToRegExp(rest.join("/"), { extended: false }), glob),
  };
}

function checkGlob(glob: string, pattern: string): void {
  const subject = `Cannot use the glob ${JSON.stringify(glob)}`;
  if (pattern === "" || pattern === ".") {
    throw new Error(`${subject}: it is empty; * means every file`);
  }
  if (/^(?:\/|~|[A-Za-z]:)/.test(pattern)) {
    throw new Error(`${subject}: give the folder in path, and here what lies below it`);
  }
  if (pattern.split("/").includes("..")) {
    throw new Error(`${subject}: .. leads out of the folder; give the folder in path`);
  }
}

async function createTest(pattern: RegExp, glob: string): Promise<(text: string) => boolean> {
  const wildcards = glob.match(/\*+/g)?.length ?? 0;
  const limit: TimeLimit = wildcards > MAX_QUICK_WILDCARDS
    ? await createTimeLimit(LIMIT_MS)
    : noTimeLimit;
  return (text) => {
    try {
      return limit(() => pattern.test(text));
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error;
      const problem = `The glob ${JSON.stringify(glob)} has too many wildcards: ${error.message}`;
      throw new Error(`${problem} on ${JSON.stringify(text)}`, { cause: error });
    }
  };
}

/**
 * Searches the lines of a text for a regular expression, within a limit of time.
 *
 * @module
 */

import { createTimeLimit, noTimeLimit } from "./computing_limit.ts";

/** How long the lines of one file may take, in milliseconds. */
const LIMIT_MS = 2000;

/** The longest part of a line that is shown. */
const MAX_LINE_LENGTH = 500;

/** How much of a long line is shown before the match. */
const LEAD_LENGTH = 100;

/** A line in which the pattern was found. */
export interface LineMatch {
  /** Its position among the lines, from 0. */
  index: number;
  /** Where in the line. */
  column: number;
}

/** A pattern, ready to be looked for. */
export interface LineSearch {
  /**
   * Whether it is worth while to take a text apart into lines.
   *
   * @param text The text of a file.
   * @returns `false` only if the pattern is in none of its lines.
   */
  mayBeIn(text: string): boolean;
  /**
   * Finds the first lines in which the pattern is.
   *
   * @param lines The lines, without line ends.
   * @param limit How many to find at most.
   * @throws {TimeLimitError} If it takes too long.
   */
  find(lines: readonly string[], limit: number): LineMatch[];
}

/** How a pattern is read. */
export interface PatternOptions {
  /** Take it as plain text. */
  literal?: boolean;
  /** Do not tell upper from lower case. */
  ignoreCase?: boolean;
}

/**
 * Makes a search of a pattern.
 *
 * @param pattern A regular expression of JavaScript, or plain text.
 * @param options How to read it.
 * @throws {Error} If it is no regular expression.
 */
export async function createLineSearch(
  pattern: string,
  options: PatternOptions,
): Promise<LineSearch> {
  const regexp = parsePattern(pattern, options);
  // Without repetition a pattern looks at each place once, and the limit costs its time to load.
  const isQuick = options.literal === true || !/[*+{]/.test(pattern);
  const limit = isQuick ? noTimeLimit : await createTimeLimit(LIMIT_MS);
  // What a line must not contain may well be in the next one.
  const isMonotone = options.literal === true || !/\(\?<?!/.test(pattern);
  const anywhere = isQuick && isMonotone
    ? new RegExp(regexp.source, `${regexp.flags}m`)
    : undefined;
  return {
    mayBeIn: (text) => anywhere?.test(text) ?? true,
    find: (lines, maxMatches) => limit(() => searchLines(lines, regexp, maxMatches)),
  };
}

function parsePattern(pattern: string, { literal, ignoreCase }: PatternOptions): RegExp {
  const source = literal ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : pattern;
  // These escapes mean something only with the flag, which refuses many others.
  const isUnicode = !literal && /\\[pP]\{|\\u\{/.test(pattern);
  try {
    return new RegExp(source, (ignoreCase ? "i" : "") + (isUnicode ? "u" : ""));
  } catch (error) {
    throw new Error(
      `${(error as Error).message}. The pattern is a regular expression of JavaScript: set ` +
        "literal to search for plain text, and ignoreCase in place of (?i)",
      { cause: error },
    );
  }
}

function searchLines(lines: readonly string[], pattern: RegExp, limit: number): LineMatch[] {
  const matches: LineMatch[] = [];
  for (let index = 0; index < lines.length && matches.length < limit; index++) {
    const column = lines[index].search(pattern);
    if (column >= 0) matches.push({ index, column });
  }
  return matches;
}

/** A line as it is shown. */
export interface ShownLine {
  text: string;
  isCut: boolean;
}

/**
 * A line, and of a very long one the part around the match.
 *
 * @param line The line.
 * @param column Where the match is.
 */
export function cutLine(line: string, column: number): ShownLine {
  if (line.length <= MAX_LINE_LENGTH) return { text: line, isCut: false };
  const latest = line.length - MAX_LINE_LENGTH;
  const start = column < MAX_LINE_LENGTH - LEAD_LENGTH ? 0 : Math.min(column - LEAD_LENGTH, latest);
  const part = line.slice(start, start + MAX_LINE_LENGTH).toWellFormed();
  const end = start + MAX_LINE_LENGTH < line.length ? "…" : "";
  return { text: `${start > 0 ? "…" : ""}${part}${end}`, isCut: true };
}

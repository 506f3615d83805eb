/**
 * The difference of two texts, as a unified diff.
 *
 * @module
 */

import { byteLength, MAX_BYTES } from "./output_limit.ts";

/** Unchanged lines that are shown before and after a change. */
const CONTEXT_LINES = 3;

/**
 * How many lines may differ before the search for the smallest difference is given up. The search
 * takes the square of that in memory, and the number of lines times that in time.
 */
const MAX_DISTANCE = 1000;

/** The difference of two texts. */
export interface TextDifference {
  /** A unified diff; empty if the texts are the same. */
  diff: string;
  /** The first line of the new text that differs, from 1. */
  firstChangedLine: number | undefined;
}

/** One line of a diff, with its line feed if it has one. */
type DiffLine = { mark: " " | "-" | "+"; line: string };

/**
 * Compares two texts line by line. Texts that differ in a few places get the smallest difference;
 * where very much differs, the whole part between the first and the last change counts as replaced.
 *
 * @param before The old text.
 * @param after The new text.
 * @param path The name of the file, for the head of the diff.
 */
export function diffTexts(before: string, after: string, path: string): TextDifference {
  const oldLines = splitLines(before);
  const newLines = splitLines(after);
  const shorter = Math.min(oldLines.length, newLines.length);
  let start = 0;
  while (start < shorter && oldLines[start] === newLines[start]) start++;
  if (start === oldLines.length && start === newLines.length) {
    return { diff: "", firstChangedLine: undefined };
  }
  let end = 0;
  while (
    end < shorter - start &&
    oldLines[oldLines.length - 1 - end] === newLines[newLines.length - 1 - end]
  ) end++;

  const from = Math.max(0, start - CONTEXT_LINES);
  const until = Math.max(0, end - CONTEXT_LINES);
  const same = (line: string): DiffLine => ({ mark: " ", line });
  const lines: DiffLine[] = [
    ...oldLines.slice(from, start).map(same),
    ...diffLines(
      oldLines.slice(start, oldLines.length - end),
      newLines.slice(start, newLines.length - end),
    ),
    ...oldLines.slice(oldLines.length - end, oldLines.length - until).map(same),
  ];
  return { diff: writeHunks(lines, from, path), firstChangedLine: start + 1 };
}

/** The lines with their line feeds, so that a missing one at the end is a difference. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The smallest difference, found by following the furthest paths for each number of changes. */
function diffLines(before: string[], after: string[]): DiffLine[] {
  const max = Math.min(before.length + after.length, MAX_DISTANCE);
  // furthest[diagonal + max] is how many old lines the best path on a diagonal has used up; a
  // diagonal is how many more old lines than new ones are used up.
  const furthest = new Int32Array(2 * max + 2).fill(-1);
  const history: Int32Array[] = [];
  for (let distance = 0; distance <= max; distance++) {
    history.push(furthest.slice(max - distance, max + distance + 1));
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let used = distance === 0
        ? 0
        : isInsertion(furthest, diagonal, distance, max)
        ? furthest[diagonal + 1 + max]
        : furthest[diagonal - 1 + max] + 1;
      while (
        used < before.length && used - diagonal < after.length &&
        before[used] === after[used - diagonal]
      ) used++;
      furthest[diagonal + max] = used;
      if (used >= before.length && used - diagonal >= after.length) {
        return traceBack(before, after, history, distance);
      }
    }
  }
  return [
    ...before.map((line): DiffLine => ({ mark: "-", line })),
    ...after.map((line): DiffLine => ({ mark: "+", line })),
  ];
}

/** Whether the best way to a diagonal is to take a new line, rather than to drop an old one. */
function isInsertion(
  furthest: Int32Array,
  diagonal: number,
  distance: number,
  middle: number,
): boolean {
  if (diagonal === -distance) return true;
  if (diagonal === distance) return false;
  return furthest[diagonal - 1 + middle] < furthest[diagonal + 1 + middle];
}

/** Walks from the end of both texts to their beginning, by what was known at each distance. */
function traceBack(
  before: string[],
  after: string[],
  history: Int32Array[],
  distance: number,
): DiffLine[] {
  const lines: DiffLine[] = [];
  let used = before.length;
  let made = after.length;
  for (; distance > 0; distance--) {
    const furthest = history[distance];
    const diagonal = used - made;
    const inserts = isInsertion(furthest, diagonal, distance, distance);
    const from = inserts ? diagonal + 1 : diagonal - 1;
    const usedThere = furthest[from + distance];
    const usedAfterChange = inserts ? usedThere : usedThere + 1;
    while (used > usedAfterChange) {
      lines.push({ mark: " ", line: before[--used] });
      made--;
    }
    if (inserts) lines.push({ mark: "+", line: after[--made] });
    else lines.push({ mark: "-", line: before[--used] });
  }
  while (used > 0) lines.push({ mark: " ", line: before[--used] });
  return lines.reverse();
}

/** Leaves out what is far from any change, and numbers the rest. */
function writeHunks(lines: DiffLine[], skipped: number, path: string): string {
  const out: string[] = [`--- ${path}`, `+++ ${path}`];
  let bytes = 0;
  let oldLine = skipped;
  let newLine = skipped;
  let at = 0;
  while (at < lines.length) {
    const first = lines.findIndex(({ mark }, index) => index >= at && mark !== " ");
    if (first < 0) break;
    const start = Math.max(at, first - CONTEXT_LINES);
    oldLine += start - at;
    newLine += start - at;
    const end = endOfHunk(lines, first);
    const hunk = lines.slice(start, end);
    const oldCount = hunk.filter(({ mark }) => mark !== "+").length;
    const newCount = hunk.filter(({ mark }) => mark !== "-").length;
    const body = [
      `@@ -${rangeOf(oldLine, oldCount)} +${rangeOf(newLine, newCount)} @@`,
      ...hunk.flatMap(({ mark, line }) =>
        line.endsWith("\n")
          ? [mark + line.slice(0, -1)]
          : [mark + line, "\\ No newline at end of file"]
      ),
    ];
    bytes += body.reduce((sum, line) => sum + byteLength(line) + 1, 0);
    if (bytes > MAX_BYTES) {
      out.push(
        `[… the rest of the difference is left out: it is longer than ${MAX_BYTES} bytes …]`,
      );
      break;
    }
    out.push(...body);
    oldLine += oldCount;
    newLine += newCount;
    at = end;
  }
  return out.join("\n") + "\n";
}

/** The end of the changes that are so near to each other that their surroundings touch. */
function endOfHunk(lines: DiffLine[], first: number): number {
  let last = first;
  for (let index = first; index < lines.length; index++) {
    if (index - last > 2 * CONTEXT_LINES + 1) break;
    if (lines[index].mark !== " ") last = index;
  }
  return Math.min(lines.length, last + 1 + CONTEXT_LINES);
}

/** `first,count`; an empty range names the line before it. */
function rangeOf(linesBefore: number, count: number): string {
  return `${count === 0 ? linesBefore : linesBefore + 1},${count}`;
}

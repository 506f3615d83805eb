/**
 * Cuts the bytes of a session into lines, without holding more than one piece of the file.
 *
 * Lines end at LF only: U+2028, U+2029 and U+0085 are letters of a text like any other.
 *
 * @module
 */

import type { SessionStorage } from "../session_storage.ts";

const LINE_FEED = 10;
const CHUNK = 1 << 18;

/**
 * The longest line that is read: such a line takes a multiple of this in memory, and four times as much
 * is more than a text can hold.
 */
export const MAX_LINE = 1 << 27;

/** Four line feeds, and the bits that tell a zero byte among four. */
const LINE_FEEDS = 0x0a0a0a0a;
const ONES = 0x01010101;
const HIGH_BITS = 0x80808080;

/**
 * Gets one line: the bytes of `chunk` from `start` to `end`, without the line feed. They are valid
 * during the call only.
 *
 * @param chunk Some bytes of the file.
 * @param start Where the line begins in the chunk.
 * @param end Where it ends in the chunk.
 * @param position Where the line begins in the file.
 * @param isTerminated Whether a line feed follows; `false` only for the last line.
 */
export type LineVisitor = (
  chunk: Uint8Array,
  start: number,
  end: number,
  position: number,
  isTerminated: boolean,
) => void;

/**
 * Visits all lines. Text after the last line feed is a line too, if there is any. Of a line that is
 * longer than {@linkcode MAX_LINE}, the first so many bytes are shown at most.
 *
 * @param storage The bytes.
 * @param visit Gets each line.
 * @returns How many bytes were read.
 */
export function visitLines(storage: SessionStorage, visit: LineVisitor): number {
  let buffer = new Uint8Array(CHUNK);
  let words = new Int32Array(buffer.buffer);
  let filled = 0;
  // Where the bytes of the buffer are in the file, and where reading goes on.
  let position = 0;
  let next = 0;
  while (true) {
    if (filled === buffer.length && filled < MAX_LINE + CHUNK) {
      const larger = new Uint8Array(Math.min(2 * filled, MAX_LINE + CHUNK));
      larger.set(buffer);
      buffer = larger;
      words = new Int32Array(buffer.buffer);
    }
    // The rest of a line that is too long is read over its own end.
    if (filled === buffer.length) filled = MAX_LINE + 1;
    const count = storage.read(buffer.subarray(filled), next);
    next += count;
    if (count === 0) {
      if (filled > 0) visit(buffer, 0, filled, position, false);
      return next;
    }
    const limit = filled + count;
    let start = 0;
    let end = nextLineFeed(buffer, words, filled, limit);
    while (end >= 0) {
      visit(buffer, start, end, position, true);
      start = end + 1;
      position = next - (limit - start);
      end = nextLineFeed(buffer, words, start, limit);
    }
    if (start > 0) buffer.copyWithin(0, start, limit);
    filled = limit - start;
  }
}

/** Looks at four bytes at a time, which takes half the time of `indexOf`. */
function nextLineFeed(bytes: Uint8Array, words: Int32Array, from: number, limit: number): number {
  let at = from;
  for (; at < limit && (at & 3) !== 0; at++) {
    if (bytes[at] === LINE_FEED) return at;
  }
  const lastWord = limit >> 2;
  let word = at >> 2;
  for (; word < lastWord; word++) {
    const difference = words[word] ^ LINE_FEEDS;
    if (((difference - ONES) & ~difference & HIGH_BITS) !== 0) break;
  }
  for (at = Math.max(at, word << 2); at < limit; at++) {
    if (bytes[at] === LINE_FEED) return at;
  }
  return -1;
}

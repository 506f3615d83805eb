/**
 * Cuts the bytes of a session into lines, without holding more than one piece of the file.
 *
 * Lines end at LF only: U+2028, U+2029 and U+0085 are letters of a text like any other.
 *
 * @module
 */

import type { SessionStorage } from "../session_storage.ts";

const LINE_FEED = 10;
const CHUNK = 1 << 20;

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
 * Visits all lines. Text after the last line feed is a line too, if there is any.
 *
 * @param storage The bytes.
 * @param visit Gets each line.
 * @returns How many bytes were read.
 */
export function visitLines(storage: SessionStorage, visit: LineVisitor): number {
  let buffer = new Uint8Array(Math.min(CHUNK, Math.max(storage.size(), 1)));
  let filled = 0;
  let position = 0;
  while (true) {
    if (filled === buffer.length) buffer = doubled(buffer);
    const count = storage.read(buffer.subarray(filled), position + filled);
    const searched = filled;
    filled += count;
    let start = 0;
    if (count > 0) {
      const chunk = buffer.subarray(0, filled);
      let end = chunk.indexOf(LINE_FEED, searched);
      while (end >= 0) {
        visit(chunk, start, end, position + start, true);
        start = end + 1;
        end = chunk.indexOf(LINE_FEED, start);
      }
    } else {
      if (filled > 0) visit(buffer, 0, filled, position, false);
      return position + filled;
    }
    buffer.copyWithin(0, start, filled);
    filled -= start;
    position += start;
  }
}

function doubled(buffer: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(buffer.length * 2);
  larger.set(buffer);
  return larger;
}

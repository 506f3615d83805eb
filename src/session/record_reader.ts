/**
 * Reads records of a session by their place, a window of the file at a time.
 *
 * @module
 */

import type { SessionStorage } from "../session_storage.ts";

/** Entries are mostly asked for one after the other: a window of this size saves calls. */
const WINDOW = 1 << 18;

/** Reads bytes by place. */
export class RecordReader {
  readonly #storage: SessionStorage;
  #buffer = new Uint8Array(0);
  #start = 0;
  #end = 0;
  #expected = Number.POSITIVE_INFINITY;

  /**
   * @param storage The bytes. What is in it does not change: it only grows.
   */
  constructor(storage: SessionStorage) {
    this.#storage = storage;
  }

  /**
   * Some bytes of the file, valid until the next call. Fewer than asked for if the file ends.
   *
   * @param start Position of the first byte.
   * @param length How many.
   */
  bytesAt(start: number, length: number): Uint8Array {
    const end = start + length;
    if (start < this.#start || end > this.#end) {
      // Reading goes on where it stopped: more of the same is likely to follow.
      const isNext = start >= this.#expected && start - this.#expected < WINDOW;
      this.#fill(start, isNext ? Math.max(length, WINDOW) : length);
    }
    this.#expected = end;
    const from = start - this.#start;
    return this.#buffer.subarray(from, Math.min(from + length, this.#end - this.#start));
  }

  #fill(start: number, length: number): void {
    if (length > this.#buffer.length || this.#buffer.length > 4 * WINDOW) {
      this.#buffer = new Uint8Array(Math.max(length, Math.min(WINDOW, 2 * length)));
    }
    const count = this.#storage.read(this.#buffer.subarray(0, length), start);
    this.#start = start;
    this.#end = start + count;
  }
}

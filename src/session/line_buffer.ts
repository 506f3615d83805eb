/**
 * Collects text and bytes that are to be written at once.
 *
 * @module
 */

/** Room at the beginning, and the most that is kept for the next time. */
const ROOM = 1 << 16;

/** Bytes to be written, in one piece of memory that is used again and again. */
export class LineBuffer {
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(ROOM);
  #length = 0;

  /** How many bytes there are. */
  get length(): number {
    return this.#length;
  }

  /** The bytes, valid until something is added. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Adds a text, as UTF-8. */
  add(text: string): void {
    // A letter of a text takes three bytes at most.
    this.#makeRoom(3 * text.length);
    this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** Adds bytes. */
  addBytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Begins anew. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > 16 * ROOM) this.#bytes = new Uint8Array(ROOM);
  }

  #makeRoom(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

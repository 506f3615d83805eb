/**
 * Keeps the bytes of a session in memory.
 *
 * @module
 */

import type { SessionStorage } from "../session_storage.ts";

/** The bytes of a session that is gone with its process. */
export class MemoryStorage implements SessionStorage {
  /** There is no file. */
  readonly path: undefined = undefined;

  #bytes = new Uint8Array(4096);
  #size = 0;

  /**
   * @param bytes What is there from the beginning.
   */
  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    if (bytes.length > 0) this.append(bytes);
  }

  /** How many bytes there are. */
  size(): number {
    return this.#size;
  }

  /** Copies bytes from `position` on into a buffer, and tells how many. */
  read(buffer: Uint8Array, position: number): number {
    const end = Math.min(this.#size, position + buffer.length);
    if (end <= position) return 0;
    buffer.set(this.#bytes.subarray(position, end));
    return end - position;
  }

  /** Nobody else can reach these bytes. */
  claim(): void {}

  /** Puts bytes at the end. */
  append(bytes: Uint8Array): void {
    const size = this.#size + bytes.length;
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(size, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#size);
    this.#size = size;
  }

  /** Memory has no disk to wait for. */
  sync(): Promise<void> {
    return Promise.resolve();
  }

  /** Forgets nothing: the session goes when nobody holds it any more. */
  close(): void {}
}

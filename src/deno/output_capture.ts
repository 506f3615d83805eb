/**
 * Keeps the beginning and the end of a stream of bytes, in bounded memory.
 *
 * @module
 */

/** Room that is made at first, in bytes; it doubles until the limit is reached. */
const FIRST_CAPACITY = 4096;

/**
 * Takes bytes and keeps at most `limit` of them: all, or the first half and the last half.
 *
 * One buffer serves both. Bytes up to the limit are written in order; later ones go round and round
 * in the second half, so that it always holds the newest.
 */
export class OutputCapture {
  readonly #limit: number;
  readonly #headSize: number;
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #byteCount = 0;

  /**
   * Starts empty.
   *
   * @param limit How many bytes to keep.
   */
  constructor(limit: number) {
    this.#limit = limit;
    this.#headSize = Math.floor(limit / 2);
  }

  /** How many bytes came in, kept or not. */
  get byteCount(): number {
    return this.#byteCount;
  }

  /** Whether something was left out. */
  get isTruncated(): boolean {
    return this.#byteCount > this.#limit;
  }

  /** Takes the next bytes of the stream. */
  push(chunk: Uint8Array): void {
    this.#reserve(Math.min(this.#byteCount + chunk.length, this.#limit));
    let offset = 0;
    while (offset < chunk.length) {
      const position = this.#positionOf(this.#byteCount);
      const part = chunk.subarray(offset, offset + this.#limit - position);
      this.#buffer.set(part, position);
      offset += part.length;
      this.#byteCount += part.length;
    }
  }

  /**
   * What was kept, decoded as UTF-8: invalid bytes become U+FFFD, NUL bytes stay, a byte order
   * mark at the very beginning goes. Where bytes were left out, a line says how many; the text
   * is cut between characters.
   */
  text(): string {
    if (!this.isTruncated) {
      return new TextDecoder().decode(this.#buffer.subarray(0, this.#byteCount));
    }
    const seam = this.#positionOf(this.#byteCount);
    const tail = new Uint8Array(this.#limit - this.#headSize);
    tail.set(this.#buffer.subarray(seam, this.#limit));
    tail.set(this.#buffer.subarray(this.#headSize, seam), this.#limit - seam);

    const head = withoutPartialEnd(this.#buffer.subarray(0, this.#headSize));
    const end = withoutPartialStart(tail);
    const missing = this.#byteCount - head.length - end.length;
    return new TextDecoder().decode(head) + `\n[… ${missing} bytes left out …]\n` +
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(end);
  }

  #positionOf(byteIndex: number): number {
    if (byteIndex < this.#limit) return byteIndex;
    return this.#headSize + (byteIndex - this.#headSize) % (this.#limit - this.#headSize);
  }

  #reserve(size: number): void {
    if (size <= this.#buffer.length) return;
    const capacity = Math.max(size, this.#buffer.length * 2, FIRST_CAPACITY);
    const larger = new Uint8Array(Math.min(capacity, this.#limit));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** How many bytes the UTF-8 character has that begins with this byte; 1 if none begins so. */
function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xc2 && lead < 0xe0 ? 2 : 1;
}

/** Takes away the beginning of a character whose rest is not there. */
function withoutPartialEnd(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Takes away the rest of a character whose beginning is not there. */
function withoutPartialStart(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

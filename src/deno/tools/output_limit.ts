/**
 * How much a tool hands to the model, and how longer outputs are cut.
 *
 * @module
 */

import type { OutputMeta } from "../../events/tool_details.ts";

/** The most lines of an output. */
export const MAX_LINES = 2000;

/** The most bytes of an output, as UTF-8. */
export const MAX_BYTES = 50 * 1024;

/** A text after cutting. */
export interface CutText {
  /** What is left. */
  text: string;
  /** What was there and what is left; absent if nothing was cut. */
  truncation?: OutputMeta["truncation"];
}

const encoder = new TextEncoder();

/**
 * How many bytes a text has as UTF-8.
 *
 * @param text The text.
 */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/**
 * How many lines a text has; a line feed at the end begins no new one.
 *
 * @param text The text.
 */
export function countLines(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/**
 * Keeps the beginning and the end of a text that is longer than a tool may answer, half of each
 * limit for either, whole lines where possible, with a line between them that says what is missing.
 *
 * @param text The text.
 * @param totalBytes Its true length, if it was cut in its middle before.
 */
export function keepHeadAndTail(text: string, totalBytes: number = byteLength(text)): CutText {
  const totalLines = countLines(text);
  if (totalLines <= MAX_LINES && totalBytes <= MAX_BYTES) return { text };
  const head = headOf(text, MAX_LINES / 2, MAX_BYTES / 2);
  const tail = tailOf(text, MAX_LINES / 2, MAX_BYTES / 2);
  const outputBytes = byteLength(head) + byteLength(tail);
  const outputLines = countLines(head) + countLines(tail);
  const missing = totalLines > outputLines
    ? `${totalLines - outputLines} lines, ${totalBytes - outputBytes} bytes`
    : `${totalBytes - outputBytes} bytes`;
  const end = head.endsWith("\n") ? "" : "\n";
  return {
    text: `${head}${end}[… ${missing} left out …]\n${tail}`,
    truncation: {
      // There are two words for three ways to cut; the end is what always stays.
      direction: "tail",
      truncatedBy: totalBytes > MAX_BYTES ? "bytes" : "lines",
      totalLines,
      totalBytes,
      outputLines,
      outputBytes,
      maxBytes: MAX_BYTES,
    },
  };
}

/** The first whole lines; a part of the first line if even that is too long. */
function headOf(text: string, maxLines: number, maxBytes: number): string {
  // No character has less than one byte, so that longer texts need not be encoded.
  const cut = sliceToBytes(text.slice(0, maxBytes), maxBytes);
  let end = 0;
  for (let line = 0; line < maxLines; line++) {
    const next = cut.indexOf("\n", end) + 1;
    if (next === 0) break;
    end = next;
  }
  return cut.slice(0, end || undefined);
}

/** The last whole lines; a part of the last line if even that is too long. */
function tailOf(text: string, maxLines: number, maxBytes: number): string {
  const bytes = encoder.encode(text.slice(-maxBytes));
  let from = Math.max(0, bytes.length - maxBytes);
  while (from < bytes.length && (bytes[from] & 0xc0) === 0x80) from++;
  const cut = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(from));
  let start = cut.length;
  for (let line = 0; line < maxLines && start > 0; line++) {
    // The line feed right before `start` closes the line that is looked for.
    const before = start < 2 ? -1 : cut.lastIndexOf("\n", start - 2);
    const isPartial = before < 0 && cut.length < text.length;
    if (isPartial && line > 0) break;
    start = before + 1;
  }
  return cut.slice(start);
}

/**
 * The beginning of a text that has at most so many bytes, cut between characters.
 *
 * @param text The text.
 * @param maxBytes The limit.
 */
export function sliceToBytes(text: string, maxBytes: number): string {
  const target = new Uint8Array(maxBytes);
  return text.slice(0, encoder.encodeInto(text, target).read);
}

/** Lines of an answer, up to the limit of bytes. */
export class BoundedLines {
  readonly #lines: string[] = [];
  #bytes = 0;
  #isFull = false;

  /** Whether a line did not fit any more. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /**
   * Adds lines that belong together, all or none.
   *
   * @param lines The lines, without line feeds.
   * @returns Whether there was room.
   */
  push(...lines: string[]): boolean {
    const bytes = lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
    if (this.#isFull || this.#bytes + bytes > MAX_BYTES) {
      this.#isFull = true;
      return false;
    }
    this.#lines.push(...lines);
    this.#bytes += bytes;
    return true;
  }

  /**
   * The answer.
   *
   * @param notes What there is to say about it, one line each.
   * @param empty What to say if there are no lines.
   */
  text(notes: string[], empty: string): string {
    const body = this.#lines.length === 0 ? [empty] : this.#lines;
    if (notes.length === 0) return body.join("\n");
    return [...body, "", ...notes.map((note) => `[${note}]`)].join("\n");
  }
}

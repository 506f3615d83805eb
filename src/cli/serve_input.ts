/**
 * Reads one JSON document from a stream that may be slow, torn, or never end.
 *
 * @module
 */

/** The document, or what is wrong with what came in. */
export type ReadDocument = { value: unknown; fault?: undefined } | { fault: string };

/** Limits of reading. */
export interface ReadLimits {
  /** How long to wait for the first byte, in milliseconds. */
  firstMs: number;
  /** How long to wait for the whole document, in milliseconds. */
  wholeMs: number;
  /** How much to read, in bytes. */
  maxBytes: number;
}

/** What agents need. The whole must leave time for the hooks within the agent's own limit. */
export const PAYLOAD_LIMITS: ReadLimits = {
  firstMs: 10_000,
  wholeMs: 15_000,
  maxBytes: 64 * 1024 * 1024,
};

/**
 * Reads a document. It is there as soon as its last brace is: the end of the stream is not waited
 * for, since some callers never close it.
 *
 * @param stream Bytes: UTF-8 or UTF-16, with or without a byte order mark.
 * @param limits How long and how much.
 */
export async function readDocument(
  stream: ReadableStream<Uint8Array>,
  limits: ReadLimits = PAYLOAD_LIMITS,
): Promise<ReadDocument> {
  const reader = stream.getReader();
  const late = Promise.withResolvers<"late">();
  const whole = setTimeout(() => late.resolve("late"), limits.wholeMs);
  const first = setTimeout(() => late.resolve("late"), limits.firstMs);
  const document = new DocumentReader();
  let size = 0;
  try {
    while (true) {
      const step = await Promise.race([reader.read(), late.promise]);
      if (step === "late") return { fault: document.faultAtEnd("and no more came in time") };
      clearTimeout(first);
      if (step.done) return document.end();
      size += step.value.length;
      if (size > limits.maxBytes) return { fault: `it is larger than ${limits.maxBytes} bytes` };
      const read = document.push(step.value);
      if (read !== undefined) return read;
    }
  } catch (error) {
    return { fault: `standard input cannot be read: ${(error as Error).message}` };
  } finally {
    clearTimeout(first);
    clearTimeout(whole);
    // A read may still be pending; whoever closes the stream ends it.
    reader.cancel().catch(() => {});
  }
}

/** Puts pieces together until they are a document. */
class DocumentReader {
  #decoder: TextDecoder | undefined;
  #head: Uint8Array = new Uint8Array();
  #parts: string[] = [];
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  /** Takes a piece. The result is there once the document is complete, or cannot become one. */
  push(bytes: Uint8Array): ReadDocument | undefined {
    if (this.#decoder === undefined) {
      bytes = joined(this.#head, bytes);
      if (bytes.length < 4) {
        this.#head = bytes;
        return undefined;
      }
      this.#decoder = new TextDecoder(encodingOf(bytes), { fatal: true });
    }
    return this.#take(() => this.#decoder!.decode(bytes, { stream: true }));
  }

  /** The stream has ended. */
  end(): ReadDocument {
    this.#decoder ??= new TextDecoder(encodingOf(this.#head), { fatal: true });
    const head = this.#parts.length === 0 ? this.#head : new Uint8Array();
    return this.#take(() => this.#decoder!.decode(head)) ??
      { fault: this.faultAtEnd("and then it ends") };
  }

  /** What is wrong if no more comes. */
  faultAtEnd(what: string): string {
    return this.#parts.length === 0
      ? "nothing came in on standard input"
      : `the JSON on standard input is cut off: it opens an object, ${what}`;
  }

  #take(decode: () => string): ReadDocument | undefined {
    let text: string;
    try {
      text = decode();
    } catch {
      return { fault: "standard input is neither UTF-8 nor UTF-16" };
    }
    if (this.#parts.length === 0) {
      text = text.trimStart();
      if (text === "") return undefined;
      if (!text.startsWith("{")) return { fault: "standard input is not a JSON object" };
    }
    const end = this.#scan(text);
    this.#parts.push(text);
    if (end < 0) return undefined;
    const whole = this.#parts.join("");
    const rest = text.length - end;
    if (text.slice(end).trim() !== "") {
      return { fault: "there is more than one JSON document on standard input" };
    }
    try {
      return { value: JSON.parse(whole.slice(0, whole.length - rest)) };
    } catch (error) {
      return { fault: `standard input is not JSON: ${(error as Error).message}` };
    }
  }

  /** The place behind the brace that closes the document, or -1. */
  #scan(text: string): number {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === 92) this.#isEscaped = true;
        else if (code === 34) this.#isInString = false;
      } else if (code === 34) this.#isInString = true;
      else if (code === 123 || code === 91) this.#depth++;
      else if ((code === 125 || code === 93) && --this.#depth === 0) return i + 1;
    }
    return -1;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** JSON begins with two characters of ASCII, so the zero bytes tell UTF-16. */
function encodingOf([first, second]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return "utf-16be";
  return "utf-8";
}

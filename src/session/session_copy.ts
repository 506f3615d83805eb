/**
 * Copies entries of a session into the storage of a new one.
 *
 * @module
 */

import type { SessionHeader } from "../entries.ts";
import type { SessionStorage } from "../session_storage.ts";
import type { OpenSession } from "./open_session.ts";
import type { Span } from "./record_index.ts";
import type { SessionRecords } from "./records.ts";

/** So many bytes are collected before they are written. */
const PIECE = 1 << 20;

/** What is copied. */
export interface CopySelection {
  /** The records, in the order in which they are written; parents come before children. */
  records: readonly number[];
  /** Whether lines that are no entries come along from behind the last record too. */
  isWhole: boolean;
}

/**
 * Writes a header and entries. Lines go over byte for byte, also those of types that nobody here
 * knows; only what had to be mended or is of an older version is written anew.
 *
 * @param source The session.
 * @param selection Which of its entries.
 * @param header The header of the copy.
 * @param target Empty storage, claimed.
 */
export function copyRecords(
  source: OpenSession,
  selection: CopySelection,
  header: SessionHeader,
  target: SessionStorage,
): void {
  source.use((records) => {
    // All lines are looked at before the first one is written: doing this twice would write twice.
    const isVerbatim = selection.records.map((record) => records.isVerbatim(record));
    const out = new Output(target);
    out.text(JSON.stringify(header));
    const others = records.index.others.toSorted((a, b) => a.start - b.start);
    let nextOther = 0;
    selection.records.forEach((record, step) => {
      const start = records.index.starts[record];
      while (nextOther < others.length && others[nextOther].start < start) {
        out.bytes(lineOf(records, others[nextOther++]));
      }
      if (isVerbatim[step]) out.bytes(records.bytesAt(record));
      else out.text(JSON.stringify(records.readEntry(record)));
    });
    if (selection.isWhole) {
      for (const other of others.slice(nextOther)) out.bytes(lineOf(records, other));
    }
    out.flush();
  });
}

function lineOf(records: SessionRecords, span: Span): Uint8Array {
  return records.spanBytes(span);
}

/** Collects lines. */
class Output {
  readonly #target: SessionStorage;
  readonly #encoder = new TextEncoder();
  #buffer = new Uint8Array(PIECE);
  #filled = 0;

  constructor(target: SessionStorage) {
    this.#target = target;
  }

  text(line: string): void {
    this.bytes(this.#encoder.encode(line));
  }

  bytes(line: Uint8Array): void {
    if (this.#filled + line.length + 1 > this.#buffer.length) this.flush();
    if (line.length + 1 > this.#buffer.length) this.#buffer = new Uint8Array(2 * line.length);
    this.#buffer.set(line, this.#filled);
    this.#filled += line.length;
    this.#buffer[this.#filled++] = 10;
  }

  flush(): void {
    if (this.#filled > 0) this.#target.append(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }
}

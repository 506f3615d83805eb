/**
 * The records of one session: an index in memory, and entries that are read when they are asked
 * for.
 *
 * @module
 */

import type { SessionEntry, SessionHeader } from "../entries.ts";
import type { SessionStorage } from "../session_storage.ts";
import { EntryCache } from "./entry_cache.ts";
import { entryFrom, headerFrom, isJsonObject, type JsonObject } from "./entry_shape.ts";
import { SESSION_VERSION } from "./entry_shape.ts";
import { LineBuffer } from "./line_buffer.ts";
import { readIndex, readThoroughly } from "./index_reading.ts";
import { NO_RECORD, type RecordIndex, type Span } from "./record_index.ts";
import { RecordReader } from "./record_reader.ts";
import { decodeText } from "./text.ts";
import type { WarningList } from "./warnings.ts";

/** What a new entry says, beside its id and parent. */
export type EntryFields = JsonObject & { type: string };

/** A line that turned out not to be what the index said. */
class StaleIndexError extends Error {}

/** The records of one session. */
export class SessionRecords {
  readonly #storage: SessionStorage;
  readonly #warnings: WarningList;
  readonly #lines = new LineBuffer();
  #reader: RecordReader;
  #index: RecordIndex;
  #isClaimed = false;
  /** The header that the first record brings along, while the file has none. */
  #newHeader: JsonObject | undefined;
  #header: SessionHeader | null | undefined;
  #cache = new EntryCache();

  /**
   * @param storage The bytes.
   * @param index What is known of them.
   * @param warnings Gets what is wrong with them.
   * @param newHeader The header to write, for a session that has none yet.
   */
  constructor(
    storage: SessionStorage,
    index: RecordIndex,
    warnings: WarningList,
    newHeader?: JsonObject,
  ) {
    this.#storage = storage;
    this.#index = index;
    this.#warnings = warnings;
    this.#newHeader = newHeader;
    this.#reader = new RecordReader(storage);
  }

  /** Where the entries are and how they hang together. */
  get index(): RecordIndex {
    return this.#index;
  }

  /** The header, frozen; `null` for a file that has none. */
  get header(): SessionHeader | null {
    if (this.#header === undefined) {
      const raw = this.#newHeader ?? this.#index.header;
      this.#header = raw === undefined ? null : headerFrom(raw, this.#index.title);
    }
    return this.#header;
  }

  /**
   * Does something with the records. If a line turns out to be damaged, all lines are read
   * thoroughly, and it is done again.
   */
  use<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const isNew = !this.#index.isThorough || this.#storage.size() !== this.#index.end;
      if (!(error instanceof StaleIndexError) || !isNew) throw error;
      this.#renew(readThoroughly(this.#storage, this.#warnings));
      return work();
    }
  }

  /** An entry, frozen. Call this inside of {@linkcode SessionRecords.use}. */
  entryAt(record: number): SessionEntry {
    const known = this.#cache.get(record);
    if (known !== undefined) return known;
    const entry = this.readEntry(record);
    this.#cache.add(record, entry, this.#index.lengths[record]);
    return entry;
  }

  /** Like {@linkcode SessionRecords.entryAt}, for one look at many entries: nothing is kept. */
  readEntry(record: number): SessionEntry {
    const index = this.#index;
    return entryFrom(this.#parse(record), {
      id: index.ids[record],
      parentId: index.parentIdOf(record),
      idOfLine: (line) => index.ids[line - 1],
    });
  }

  /** The line of a record, without its line feed, valid until the next call. */
  bytesAt(record: number): Uint8Array {
    return this.spanBytes({
      start: this.#index.starts[record],
      length: this.#index.lengths[record],
    });
  }

  /** Bytes of the file, valid until the next call. */
  spanBytes({ start, length }: Span): Uint8Array {
    return this.#reader.bytesAt(start, length);
  }

  /** Whether the line of a record says itself what the index says of it, in the words of today. */
  isVerbatim(record: number): boolean {
    const index = this.#index;
    if (index.version !== SESSION_VERSION || index.header === undefined) return false;
    const raw = this.#parse(record);
    return raw.parentId === index.parentIdOf(record);
  }

  #parse(record: number): JsonObject {
    const index = this.#index;
    const { text, isValid } = decodeText(this.bytesAt(record));
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    const id = index.ids[record];
    const isUnnamed = index.version === 1 && isJsonObject(value) && value.id === undefined;
    if (!isJsonObject(value) || (value.id !== id && !isUnnamed)) {
      throw new StaleIndexError(
        `Entry ${id} of session ${this.#storage.path ?? "in memory"} is not where it was: ` +
          "the file was changed from outside. Open it again.",
      );
    }
    const line = index.lines[record];
    if (!isValid) {
      const message = `Line ${line} holds bytes that are no UTF-8; they read as U+FFFD.`;
      this.#warnings.add("invalid-utf8", line, message);
    }
    return value;
  }

  /** Becomes the only writer, and catches up with what others have written until now. */
  claim(): void {
    if (this.#isClaimed) return;
    this.#storage.claim();
    this.#isClaimed = true;
    if (this.#storage.size() === this.#index.end) return;
    this.#renew(readIndex(this.#storage, this.#warnings));
  }

  /**
   * Appends a record. If it throws, nothing has changed.
   *
   * @param id Its name.
   * @param parent The record before it.
   * @param fields What it says.
   */
  append(id: string, parent: number, fields: EntryFields): number {
    const index = this.#index;
    const parentId = parent === NO_RECORD ? null : index.ids[parent];
    const timestamp = new Date().toISOString();
    const header = this.#newHeader === undefined ? "" : `${JSON.stringify(this.#newHeader)}\n`;
    const lines = this.#lines;
    lines.clear();
    if (!index.endsWithLineFeed) lines.add("\n");
    if (header !== "") lines.add(header);
    const before = lines.length;
    const place = { type: fields.type, id, parentId, timestamp };
    lines.add(JSON.stringify(Object.assign(place, fields)));
    const length = lines.length - before;
    lines.add("\n");
    const start = index.end + before;
    this.#storage.append(lines.bytes);
    if (this.#newHeader !== undefined) {
      index.header = this.#newHeader;
      this.#newHeader = undefined;
      index.lineCount++;
    }
    index.end += lines.length;
    index.endsWithLineFeed = true;
    return index.add(id, fields.type, parent, start, length, ++index.lineCount);
  }

  /** Waits until everything is on the disk. */
  sync(): Promise<void> {
    return this.#storage.sync();
  }

  /** Lets others write. */
  close(): void {
    this.#storage.close();
  }

  /** Parses every line, so that all damage is found. */
  check(): void {
    if (this.#index.isThorough || this.#index.end === 0) return;
    this.#renew(readThoroughly(this.#storage, this.#warnings));
  }

  #renew(index: RecordIndex): void {
    this.#index = index;
    if (this.#index.header !== undefined) this.#newHeader = undefined;
    this.#header = undefined;
    this.#reader = new RecordReader(this.#storage);
    this.#cache = new EntryCache();
  }
}

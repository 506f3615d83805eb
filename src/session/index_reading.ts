/**
 * Reads the bytes of a session into an index. Every kind of damage has its rule here.
 *
 * @module
 */

import type { SessionStorage } from "../session_storage.ts";
import { isJsonObject, isKnownType, type JsonObject, versionOf } from "./entry_shape.ts";
import { SESSION_VERSION } from "./entry_shape.ts";
import { Glance } from "./glance.ts";
import { MAX_LINE, visitLines } from "./lines.ts";
import { closeParentLinks, type OpenLink, warnOrphan } from "./parent_links.ts";
import { NO_RECORD, RecordIndex, type Span } from "./record_index.ts";
import { decodeText } from "./text.ts";
import { WarningList } from "./warnings.ts";
import { findRecords } from "./welded.ts";

const CARRIAGE_RETURN = 13;

/** A file that is something else than a session. */
export class NoSessionError extends Error {
  /** The name of the error. */
  override name = "NoSessionError";
}

/**
 * Reads an index. Lines that look like entries are believed, unless something makes that doubtful.
 *
 * @param storage The bytes.
 * @param warnings Gets what is wrong.
 * @throws {NoSessionError} If this is no session at all.
 */
export function readIndex(storage: SessionStorage, warnings: WarningList): RecordIndex {
  const found = new WarningList();
  const index = new IndexReading(storage, found, false).run();
  if (index === undefined) return readThoroughly(storage, warnings);
  for (const { kind, line, message } of found.all) warnings.add(kind, line, message);
  return index;
}

/** Reads an index, and parses every line for it. */
export function readThoroughly(storage: SessionStorage, warnings: WarningList): RecordIndex {
  const index = new IndexReading(storage, warnings, true).run() ?? new RecordIndex();
  index.isThorough = true;
  return index;
}

class IndexReading {
  readonly #index = new RecordIndex();
  readonly #glance = new Glance();
  readonly #storage: SessionStorage;
  readonly #isThorough: boolean;
  readonly #warnings: WarningList;
  /** Entries whose parent has not been met yet. */
  readonly #open: OpenLink[] = [];
  /** The last line that was not parsed. */
  #believed: Span = { start: 0, length: 0 };
  #line = 0;
  #isVersion1 = false;
  #hasKnownType = false;
  #firstText = "";

  constructor(storage: SessionStorage, warnings: WarningList, isThorough: boolean) {
    this.#storage = storage;
    this.#warnings = warnings;
    this.#isThorough = isThorough;
  }

  /** The index, `undefined` if believing what lines look like was wrong, or may have been. */
  run(): RecordIndex | undefined {
    const index = this.#index;
    index.end = visitLines(this.#storage, (chunk, start, end, position, isTerminated) => {
      this.#line++;
      index.endsWithLineFeed = isTerminated;
      this.#readLine(chunk, start, end, position - start, isTerminated);
    });
    index.lineCount = this.#line;
    // The last line is where writing stops, and a lost parent may be hidden in another line.
    if (!this.#isThorough && (this.#hasOrphans() || !this.#isBelievedLineWhole())) return undefined;
    if (index.header === undefined) this.#judgeHeaderless();
    closeParentLinks(index, this.#open, this.#warnings);
    return index;
  }

  #readLine(
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    isTerminated: boolean,
  ): void {
    if (end - start > MAX_LINE) {
      this.#warn("too-long", "is longer than 128 MiB; it stays and is passed over");
      return;
    }
    if (this.#line === 1 && bytes[start] === 0xef && bytes[start + 1] === 0xbb) {
      start += 3;
      this.#warn("bom", "begins with a byte order mark, which is passed over");
    }
    if (bytes[end - 1] === CARRIAGE_RETURN && end > start) {
      this.#warnings.add("crlf", 0, `Lines end with CR LF, as line ${this.#line} does.`);
    }
    while (end > start && isBlank(bytes[end - 1])) end--;
    while (start < end && isBlank(bytes[start])) start++;
    if (start === end) return;
    if (!this.#isThorough && this.#glance.look(bytes, start, end)) {
      const { id, type, parentId } = this.#glance;
      this.#addEntry(id, type, parentId, offset + start, end - start);
      this.#believed = { start: offset + start, length: end - start };
      return;
    }
    this.#parseLine(bytes, start, end, offset, isTerminated);
  }

  #parseLine(
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    isTerminated: boolean,
  ): void {
    const { text, isValid } = decodeText(bytes.subarray(start, end));
    if (this.#firstText === "") this.#firstText = text.slice(0, 40);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#readDamaged(bytes, start, end, offset, isTerminated);
      return;
    }
    if (!isValid) this.#warn("invalid-utf8", "holds bytes that are no UTF-8; they read as U+FFFD");
    if (isJsonObject(value)) this.#addValue(value, offset + start, end - start);
    else this.#warn("not-an-entry", "is JSON but no entry; it stays and is passed over");
  }

  #readDamaged(
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    isTerminated: boolean,
  ): void {
    const records = findRecords(bytes, start, end);
    const known = records.reduce((sum, record) => sum + record.end - record.start, 0);
    if (records.length > 0) {
      const rest = known < end - start ? "; the rest of the line is no record" : "";
      const count = records.length === 1 ? "one record" : `${records.length} records`;
      this.#warn("welded", `holds ${count} without a line end between; each is read${rest}`);
    } else if (isTerminated) {
      this.#warn("garbage", "is no JSON; it stays and is passed over");
    } else {
      this.#warn("torn", "is incomplete; the next entry begins on a line of its own");
    }
    for (const record of records) {
      this.#addValue(record.value, offset + record.start, record.end - record.start);
    }
  }

  #addValue(value: JsonObject, start: number, length: number): void {
    const { type, id, parentId } = value;
    if (type === "session") {
      this.#addHeader(value);
    } else if (type === "title" && this.#index.count === 0) {
      // The file of another agent begins with a line of fixed length that holds the title.
      if (typeof value.title === "string") this.#index.title = value.title;
    } else if (typeof type !== "string") {
      this.#warn("not-an-entry", "has no type; it stays and is passed over");
      this.#index.others.push({ start, length });
    } else if (typeof id === "string" && id !== "") {
      this.#addEntry(id, type, parentId, start, length);
    } else if (this.#isVersion1) {
      this.#addUnnamedEntry(type, start, length);
    } else {
      this.#warn("not-an-entry", `(type ${type}) has no id; it stays and is passed over`);
      this.#index.others.push({ start, length });
    }
  }

  #addHeader(value: JsonObject): void {
    const index = this.#index;
    if (index.header !== undefined) {
      this.#warn("second-header", "is a second header; only the first one counts");
      return;
    }
    if (index.count > 0 || index.others.length > 0) {
      this.#warn("late-header", "is the header, although it is not the first line");
    }
    index.header = value;
    index.version = versionOf(value);
    this.#isVersion1 = index.version === 1;
    if (index.version > SESSION_VERSION) {
      const text = `says version ${index.version}; the file is read as version ${SESSION_VERSION}`;
      this.#warn("unknown-version", `${text} and never written to`);
    }
  }

  /** Version 1 has no names: each entry comes after the one above, and is named by its place. */
  #addUnnamedEntry(type: string, start: number, length: number): void {
    const index = this.#index;
    const id = (index.count + 1).toString(16).padStart(8, "0");
    this.#hasKnownType ||= isKnownType(type);
    index.add(id, type, index.count - 1, start, length, this.#line);
  }

  #addEntry(id: string, type: string, parentId: unknown, start: number, length: number): void {
    const index = this.#index;
    const first = index.find(id);
    if (first !== NO_RECORD) {
      const line = index.lines[first];
      this.#warn("duplicate-id", `holds entry ${id} again; only the one on line ${line} counts`);
      index.others.push({ start, length });
      index.lastId = id;
      return;
    }
    this.#hasKnownType ||= isKnownType(type);
    const last = index.count - 1;
    if (parentId === null) {
      index.add(id, type, NO_RECORD, start, length, this.#line);
      return;
    }
    if (typeof parentId === "string") {
      const parent = index.ids[last] === parentId ? last : index.find(parentId);
      const record = index.add(id, type, parent, start, length, this.#line);
      if (parent === NO_RECORD) this.#open.push({ record, parentId });
      return;
    }
    const record = index.add(id, type, last, start, length, this.#line);
    warnOrphan(index, record, "does not say which entry it comes after", this.#warnings);
  }

  #hasOrphans(): boolean {
    return this.#open.some(({ parentId }) => this.#index.find(parentId) === NO_RECORD);
  }

  #isBelievedLineWhole(): boolean {
    const bytes = new Uint8Array(this.#believed.length);
    this.#storage.read(bytes, this.#believed.start);
    try {
      return bytes.length === 0 || isJsonObject(JSON.parse(decodeText(bytes).text));
    } catch {
      return false;
    }
  }

  #judgeHeaderless(): void {
    const index = this.#index;
    const isBlankFile = this.#firstText === "" && index.count === 0 && index.others.length === 0;
    const isTornHeader = index.count === 0 && this.#firstText.startsWith('{"type":"sess');
    if (index.count > 0 && this.#hasKnownType) {
      this.#warnings.add(
        "no-header",
        1,
        "Line 1 is no header, and none follows; entries are read.",
      );
    } else if (isBlankFile || isTornHeader) {
      this.#warnings.add("empty", 0, "There are no entries; the session begins here.");
    } else {
      throw new NoSessionError("it has neither a session header nor entries of a session");
    }
  }

  #warn(kind: Parameters<WarningList["add"]>[0], text: string): void {
    this.#warnings.add(kind, this.#line, `Line ${this.#line} ${text}.`);
  }
}

function isBlank(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === CARRIAGE_RETURN;
}

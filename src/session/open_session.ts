/**
 * One session while it is in use: its bytes, its records, and the entry it goes on at.
 *
 * @module
 */

import type { SessionEntry, SessionHeader, UsageStatistics } from "../entries.ts";
import type { SessionStorage } from "../session_storage.ts";
import { entryFrom, headerFrom, type JsonObject, LEAF_MARK } from "./entry_shape.ts";
import { SESSION_VERSION } from "./entry_shape.ts";
import { NoSessionError, readIndex } from "./index_reading.ts";
import { NO_RECORD, RecordIndex } from "./record_index.ts";
import { type EntryFields, SessionRecords } from "./records.ts";
import { findResumePoint, type ResumePoint } from "./resume.ts";
import { unknownEntry } from "./session_context.ts";
import { addUsage, noUsage } from "./usage.ts";
import type { WarningList } from "./warnings.ts";

/** One session while it is in use. */
export class OpenSession {
  /** The entry that the next one is put after. */
  leafId: string | null = null;
  /** Where the session goes on when it is opened again. */
  #storedLeafId: string | null = null;
  /** The bytes. */
  readonly storage: SessionStorage;
  /** What is wrong with them. */
  readonly warnings: WarningList;
  #records: SessionRecords | undefined;
  #resume: ResumePoint | undefined;
  #header: SessionHeader | null | undefined;
  readonly #spareHeader: JsonObject;
  #labels = { index: new RecordIndex(), done: 0, names: new Map<string, string>() };
  #usage = { index: new RecordIndex(), done: 0, total: noUsage() };

  private constructor(storage: SessionStorage, warnings: WarningList, spareHeader: JsonObject) {
    this.storage = storage;
    this.warnings = warnings;
    this.#spareHeader = spareHeader;
  }

  /**
   * A session that begins. Nothing is written before its first entry.
   *
   * @param storage Empty storage.
   * @param warnings Gets what will be wrong.
   * @param header Its header.
   */
  static begin(storage: SessionStorage, warnings: WarningList, header: JsonObject): OpenSession {
    const session = new OpenSession(storage, warnings, header);
    session.#records = new SessionRecords(storage, new RecordIndex(), warnings, header);
    return session;
  }

  /**
   * A session that goes on. Both ends of the file are read, all of it only if they look unusual.
   *
   * @param storage Its bytes.
   * @param warnings Gets what is wrong with them.
   * @param spareHeader The header to write if there is neither one nor any entry.
   * @throws {Error} If this is no session.
   */
  static resume(
    storage: SessionStorage,
    warnings: WarningList,
    spareHeader: JsonObject,
  ): OpenSession {
    const session = new OpenSession(storage, warnings, spareHeader);
    session.#resume = findResumePoint(storage);
    session.leafId = session.#resume === undefined ? session.#lastLeaf() : session.#resume.leafId;
    session.#storedLeafId = session.leafId;
    return session;
  }

  /** The header, frozen; `null` for a file without one. */
  get header(): SessionHeader | null {
    if (this.#records !== undefined) return this.#records.header;
    if (this.#resume === undefined) return this.records.header;
    this.#header ??= headerFrom(this.#resume.header, this.#resume.title);
    return this.#header;
  }

  /** The records; asking for them the first time reads the whole file. */
  get records(): SessionRecords {
    if (this.#records === undefined) {
      this.#records = this.#readRecords();
      // What the end of the file promised may turn out to be damaged.
      const isLost = this.leafId !== null && this.#records.index.find(this.leafId) === NO_RECORD;
      if (isLost) this.leafId = this.#storedLeafId = this.#lastLeaf();
    }
    return this.#records;
  }

  #readRecords(): SessionRecords {
    const { storage, warnings } = this;
    let index: RecordIndex;
    try {
      index = readIndex(storage, warnings);
    } catch (error) {
      if (!(error instanceof NoSessionError)) throw error;
      throw new Error(`${storage.path} is not a session: ${error.message}`, { cause: error });
    }
    const isEmpty = index.header === undefined && index.count === 0;
    return new SessionRecords(storage, index, warnings, isEmpty ? this.#spareHeader : undefined);
  }

  /** Does something with the records, again if a line turns out to be damaged. */
  use<T>(work: (records: SessionRecords) => T): T {
    const records = this.records;
    return records.use(() => work(records));
  }

  /** The entry that the next one is put after. */
  leafEntry(): SessionEntry | undefined {
    const { leafId } = this;
    if (leafId === null) return undefined;
    const last = this.#records === undefined ? this.#resume?.lastEntry : undefined;
    if (last?.id === leafId) {
      const parentId = typeof last.parentId === "string" ? last.parentId : null;
      return entryFrom({ ...last }, { id: leafId, parentId, idOfLine: () => undefined });
    }
    return this.entry(leafId);
  }

  /** An entry by its name. */
  entry(id: string): SessionEntry | undefined {
    return this.use((records) => {
      const record = records.index.find(id);
      return record === NO_RECORD ? undefined : records.entryAt(record);
    });
  }

  /**
   * The records from the root to an entry.
   *
   * @param id The entry: default the leaf, `null` for none.
   * @returns Nothing for an unknown entry.
   */
  path(id: string | null = this.leafId): number[] {
    const { index } = this.records;
    return id === null ? [] : index.pathTo(index.find(id));
  }

  /**
   * Appends an entry and makes it the leaf. If it throws, nothing has changed.
   *
   * @param fields What it says.
   * @param parentId The entry that it comes after. Default: the leaf.
   */
  append(fields: EntryFields, parentId: string | null = this.leafId): string {
    this.assertWritable();
    const { records } = this;
    records.claim();
    const id = this.#newId();
    records.append(id, this.#recordOf(parentId), fields);
    this.leafId = id;
    this.#storedLeafId = id;
    return id;
  }

  #newId(): string {
    const { index } = this.records;
    while (true) {
      const id = crypto.randomUUID().slice(0, 8);
      if (index.find(id) === NO_RECORD) return id;
    }
  }

  #recordOf(id: string | null): number {
    if (id === null) return NO_RECORD;
    const record = this.records.index.find(id);
    if (record === NO_RECORD) throw unknownEntry(id);
    return record;
  }

  /** An entry as a file of version 1 names it, for other programs: by its line. */
  olderNameOf(id: string): { firstKeptEntryIndex?: number } {
    const { index } = this.records;
    const record = index.find(id);
    const isOld = index.version === 1 && record !== NO_RECORD;
    return isOld ? { firstKeptEntryIndex: record + 1 } : {};
  }

  /**
   * Moves the leaf.
   *
   * @throws {Error} If there is no such entry.
   */
  moveLeaf(id: string | null): void {
    this.#recordOf(id);
    this.leafId = id;
  }

  /**
   * @throws {Error} If the file is of a version that nobody here may write.
   */
  assertWritable(): void {
    const version = this.header?.version ?? SESSION_VERSION;
    if (version <= SESSION_VERSION) return;
    throw new Error(
      `Session ${this.storage.path} is of version ${version}, and this program writes version ` +
        `${SESSION_VERSION}: go on with the program that made it, or start a new session`,
    );
  }

  /** The names that a person gave to entries: the last word on each counts. */
  labels(): ReadonlyMap<string, string> {
    return this.use((records) => {
      const { index } = records;
      if (this.#labels.index !== index) this.#labels = { index, done: 0, names: new Map() };
      const known = this.#labels;
      for (; known.done < index.count; known.done++) {
        if (index.types[known.done] !== "label") continue;
        const entry = records.entryAt(known.done);
        if (entry.type !== "label") continue;
        if (typeof entry.label === "string" && entry.label !== "") {
          known.names.set(entry.targetId, entry.label);
        } else {
          known.names.delete(entry.targetId);
        }
      }
      return known.names;
    });
  }

  /** Tokens and cost of all branches. */
  usage(): UsageStatistics {
    return this.use((records) => {
      const { index } = records;
      if (this.#usage.index !== index) this.#usage = { index, done: 0, total: noUsage() };
      const known = this.#usage;
      for (; known.done < index.count; known.done++) {
        if (index.types[known.done] !== "message") continue;
        addUsage(known.total, records.readEntry(known.done));
      }
      return { ...known.total };
    });
  }

  /** The name that a person or an agent gave to the session. */
  name(): string | undefined {
    const last = this.use((records) => {
      const { types } = records.index;
      for (let record = types.length - 1; record >= 0; record--) {
        const type = types[record];
        if (type === "session_info" || type === "title_change") return records.entryAt(record);
      }
      return undefined;
    });
    if (last === undefined) return this.header?.title || undefined;
    const name: unknown = last.type === "session_info" ? last.name : Reflect.get(last, "title");
    return typeof name === "string" && name !== "" ? name : undefined;
  }

  /** Where the session goes on after reading its file. */
  #lastLeaf(): string | null {
    return this.use((records) => {
      const { lastId, types } = records.index;
      if (lastId === null) return null;
      const last = records.index.find(lastId);
      const entry = types[last] === "custom" ? records.entryAt(last) : undefined;
      const isMark = entry?.type === "custom" && entry.customType === LEAF_MARK;
      return isMark ? entry.parentId : lastId;
    });
  }

  /** Writes down where the leaf was moved to, if no entry has been put there since. */
  keepLeaf(): void {
    const { leafId, storage, warnings } = this;
    if (leafId === this.#storedLeafId || storage.path === undefined) return;
    try {
      this.append({ type: "custom", customType: LEAF_MARK });
      this.#storedLeafId = leafId;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      warnings.add("leaf-not-kept", 0, `The place in the tree could not be kept: ${reason}`);
    } finally {
      this.leafId = leafId;
    }
  }
}

/**
 * Where the entries of a session are, and how they hang together, without what they say.
 *
 * @module
 */

import type { JsonObject } from "./entry_shape.ts";

/** The entry before a root. */
export const NO_RECORD = -1;

/** A place in the file. */
export interface Span {
  /** Position of the first byte. */
  start: number;
  /** How many bytes. */
  length: number;
}

/**
 * The index of a session: one number or text a record in each list, in the order of the file.
 * A record is known by its position in these lists.
 */
export class RecordIndex {
  /** The first line, as parsed. */
  header: JsonObject | undefined;
  /** A title that stood on a line of its own. */
  title = "";
  /** The version of the file. */
  version = 3;
  /** Whether every line was parsed. */
  isThorough = false;
  /** How many bytes are indexed. */
  end = 0;
  /** Whether the next record may begin right behind them. */
  endsWithLineFeed = true;
  /** The entry of the last line that holds one. */
  lastId: string | null = null;
  /** How many lines there are. */
  lineCount = 0;

  /** Names of the entries. */
  readonly ids: string[] = [];
  /** Their kinds. */
  readonly types: string[] = [];
  /** The records before them, {@linkcode NO_RECORD} for roots. */
  readonly parents: number[] = [];
  /** Where they begin in the file. */
  readonly starts: number[] = [];
  /** How many bytes they have, without the line feed. */
  readonly lengths: number[] = [];
  /** Their lines, counted from 1. */
  readonly lines: number[] = [];
  /** Lines that are JSON objects but neither header nor entries; they go along into copies. */
  readonly others: Span[] = [];

  readonly #positions = new Map<string, number>();

  /** How many entries there are. */
  get count(): number {
    return this.ids.length;
  }

  /** The record of a name, {@linkcode NO_RECORD} if there is none. */
  find(id: string): number {
    return this.#positions.get(id) ?? NO_RECORD;
  }

  /** Adds a record at the end. */
  add(
    id: string,
    type: string,
    parent: number,
    start: number,
    length: number,
    line: number,
  ): number {
    const record = this.ids.length;
    this.lastId = id;
    this.#positions.set(id, record);
    this.ids.push(id);
    this.types.push(type);
    this.parents.push(parent);
    this.starts.push(start);
    this.lengths.push(length);
    this.lines.push(line);
    return record;
  }

  /** The name of the entry before a record, `null` for a root. */
  parentIdOf(record: number): string | null {
    const parent = this.parents[record];
    return parent === NO_RECORD ? null : this.ids[parent];
  }

  /** The records from the root to a record. Parents never form a ring: reading has seen to that. */
  pathTo(record: number): number[] {
    const path: number[] = [];
    for (let step = record; step !== NO_RECORD; step = this.parents[step]) path.push(step);
    return path.reverse();
  }
}

/**
 * Finds the records of a line that is not one JSON value: two programs wrote at the same time, or
 * one was stopped in the middle of a record and another went on behind it.
 *
 * @module
 */

import { decodeText } from "./text.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const RECORD_START = new TextEncoder().encode('{"type":"');

/** How often a line may be looked through: a line made to keep a reader busy is given up. */
const MAX_ROUNDS = 20;

/** A record in a line. */
export interface LineRecord {
  /** Where it begins in the bytes. */
  start: number;
  /** Where it ends in the bytes. */
  end: number;
  /** What it says. */
  value: Record<string, unknown>;
}

/**
 * Finds whole records in damaged bytes. A record has a `type` and either a `parentId`, as entries
 * do, or the type of a header; parts of a record that was cut have neither.
 *
 * @param bytes Holds the line.
 * @param start Where the line begins.
 * @param end Where it ends.
 */
export function findRecords(bytes: Uint8Array, start: number, end: number): LineRecord[] {
  const records: LineRecord[] = [];
  let position = start;
  let budget = MAX_ROUNDS * (end - start);
  while (budget > 0) {
    const begin = nextStart(bytes, position, end);
    if (begin < 0) break;
    const close = objectEnd(bytes, begin, end);
    budget -= (close < 0 ? end : close) - begin;
    const value = close < 0 ? undefined : parseRecord(bytes, begin, close);
    if (value === undefined) {
      position = begin + 1;
    } else {
      records.push({ start: begin, end: close, value });
      position = close;
    }
  }
  return records;
}

function nextStart(bytes: Uint8Array, from: number, end: number): number {
  let at = bytes.indexOf(OPENING_BRACE, from);
  while (at >= 0 && at + RECORD_START.length <= end) {
    if (RECORD_START.every((byte, i) => bytes[at + i] === byte)) return at;
    at = bytes.indexOf(OPENING_BRACE, at + 1);
  }
  return -1;
}

/** Behind the brace that closes the one at `start`, -1 if there is none. */
function objectEnd(bytes: Uint8Array, start: number, end: number): number {
  let depth = 0;
  let isText = false;
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    if (isText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) {
      isText = true;
    } else if (byte === OPENING_BRACE) {
      depth++;
    } else if (byte === CLOSING_BRACE && --depth === 0) {
      return i + 1;
    }
  }
  return -1;
}

function parseRecord(
  bytes: Uint8Array,
  start: number,
  end: number,
): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(decodeText(bytes.subarray(start, end)).text);
    return "parentId" in value || value.type === "session" ? value : undefined;
  } catch {
    return undefined;
  }
}

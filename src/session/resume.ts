/**
 * Finds where a session goes on by looking at both ends of its file only.
 *
 * @module
 */

import type { SessionStorage } from "../session_storage.ts";
import { isJsonObject, type JsonObject, LEAF_MARK, SESSION_VERSION } from "./entry_shape.ts";
import { decodeText } from "./text.ts";

const LINE_FEED = 10;
const HEAD = 1 << 13;
const TAIL = 1 << 14;

/** Both ends of a session. */
export interface ResumePoint {
  /** The header. */
  header: JsonObject;
  /** A title that stood on a line before it. */
  title: string;
  /** The last entry, as parsed. */
  lastEntry: JsonObject;
  /** The entry that the session goes on at. */
  leafId: string | null;
}

/**
 * Looks at both ends of a session.
 *
 * @param storage The bytes.
 * @returns `undefined` if anything is unusual, and all of the file has to be read.
 */
export function findResumePoint(storage: SessionStorage): ResumePoint | undefined {
  const head = readHead(storage);
  if (head?.header?.version !== SESSION_VERSION) return undefined;
  const lastEntry = readLastLine(storage);
  if (lastEntry === undefined || lastEntry.type === "session") return undefined;
  const { id, parentId, type } = lastEntry;
  if (typeof id !== "string" || id === "" || typeof type !== "string") return undefined;
  if (typeof parentId !== "string" && parentId !== null) return undefined;
  const leafId = lastEntry.customType === LEAF_MARK ? parentId : id;
  return { header: head.header, title: head.title, lastEntry, leafId };
}

/** What the first lines of a file say. */
export interface SessionHead {
  /** The header, if it is among the first two lines. */
  header: JsonObject | undefined;
  /** A title that stood on a line before it. */
  title: string;
  /** The first bytes of the file, as lines. */
  lines: string[];
}

/** Reads the first lines of a file. */
export function readHead(storage: SessionStorage): SessionHead {
  const bytes = new Uint8Array(HEAD);
  const count = storage.read(bytes, 0);
  const lines = decodeText(bytes.subarray(0, count)).text.split("\n");
  const first = parseObject(lines[0]);
  if (first?.type !== "title") {
    return { header: first?.type === "session" ? first : undefined, title: "", lines };
  }
  const second = parseObject(lines[1] ?? "");
  const title = typeof first.title === "string" ? first.title : "";
  return { header: second?.type === "session" ? second : undefined, title, lines };
}

function readLastLine(storage: SessionStorage): JsonObject | undefined {
  const size = storage.size();
  for (let length = TAIL;; length *= 4) {
    const bytes = new Uint8Array(Math.min(length, size));
    const start = size - bytes.length;
    if (storage.read(bytes, start) < bytes.length) return undefined;
    if (bytes[bytes.length - 1] !== LINE_FEED) return undefined;
    const before = bytes.lastIndexOf(LINE_FEED, bytes.length - 2);
    if (before < 0 && start > 0 && bytes.length < MAX_LAST_LINE) continue;
    const { text, isValid } = decodeText(bytes.subarray(before + 1, bytes.length - 1));
    return isValid ? parseObject(text) : undefined;
  }
}

/** A longer line is left to the reading of the whole file. */
const MAX_LAST_LINE = 1 << 26;

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

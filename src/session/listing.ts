/**
 * Which sessions there are, without reading more than the beginning of each.
 *
 * @module
 */

import type { SessionFile, SessionFiles } from "../session_storage.ts";
import { headerFrom, isJsonObject, type JsonObject } from "./entry_shape.ts";
import { readHead, type SessionHead } from "./resume.ts";

/** A session in a list. */
export interface SessionInfo {
  /** Its file. */
  path: string;
  /** Its name in the file. */
  id: string;
  /** Its working directory. */
  cwd: string;
  /** When it began. */
  created: Date;
  /** When it was written to for the last time. */
  modified: Date;
  /** How many bytes it has. */
  size: number;
  /** Its title, if the head of the file tells one. */
  title?: string;
  /** Path of the session that it came from. */
  parentSession?: string;
  /** What the person said first, if it stands near the beginning. */
  firstMessage?: string;
}

/**
 * The sessions of a folder, those written to last first. What is no session or cannot be read is
 * left out.
 *
 * @param files Where sessions are kept.
 * @param folder The folder.
 */
export function listSessions(files: SessionFiles, folder: string): SessionInfo[] {
  return files.list(folder)
    .sort((a, b) => b.modified - a.modified || (a.path < b.path ? 1 : -1))
    .map((file) => describe(files, file))
    .filter((info) => info !== undefined);
}

function describe(files: SessionFiles, file: SessionFile): SessionInfo | undefined {
  const head = readHeadOf(files, file.path);
  if (head?.header === undefined) return undefined;
  const { id, cwd, timestamp, title, parentSession } = headerFrom(head.header, head.title);
  const info: SessionInfo = {
    path: file.path,
    id,
    cwd,
    created: new Date(timestamp),
    modified: new Date(file.modified),
    size: file.size,
  };
  if (title) info.title = title;
  if (parentSession) info.parentSession = parentSession;
  const firstMessage = findFirstMessage(head.lines);
  if (firstMessage !== undefined) info.firstMessage = firstMessage;
  return info;
}

function readHeadOf(files: SessionFiles, path: string): SessionHead | undefined {
  try {
    const storage = files.open(path);
    try {
      return readHead(storage);
    } finally {
      storage.close();
    }
  } catch {
    return undefined;
  }
}

function findFirstMessage(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    if (!line.includes('"user"')) continue;
    let entry: unknown;
    try {
      entry = JSON.parse(line);
    } catch {
      continue;
    }
    if (!isJsonObject(entry) || !isJsonObject(entry.message)) continue;
    if (entry.message.role === "user") return textOf(entry.message.content);
  }
  return undefined;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter((block): block is JsonObject => isJsonObject(block) && block.type === "text")
    .map(({ text }) => String(text))
    .join("\n");
}

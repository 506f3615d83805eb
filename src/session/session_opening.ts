/**
 * Begins sessions, goes on with stored ones, and copies them.
 *
 * @module
 */

import type { SessionHeader } from "../entries.ts";
import type { SessionFiles, SessionStorage } from "../session_storage.ts";
import { SESSION_VERSION } from "./entry_shape.ts";
import { sessionFileName } from "./location.ts";
import { MemoryStorage } from "./memory_storage.ts";
import { OpenSession } from "./open_session.ts";
import type { EntryFields } from "./records.ts";
import { copyRecords } from "./session_copy.ts";
import { type SessionWarning, WarningList } from "./warnings.ts";

/** How sessions are opened. */
export interface SessionOptions {
  /**
   * The folder that holds a folder of sessions for each working directory. Default: `sessions` in
   * the folder that `PI_HOOKS_HOME` names, or in `~/.pi-hooks`.
   */
  sessionsDir?: string;
  /** Path of the session that a new one comes from. */
  parentSession?: string;
  /** The working directory of a session whose file does not tell. Default `""`. */
  cwd?: string;
  /** Gets what is found wrong in a file, at the moment it is found. */
  onWarning?: (warning: SessionWarning) => void;
  /** Where sessions are kept. Default: files, through Deno. */
  files?: SessionFiles;
}

/** Where a session is, and where those are made that come from it. */
export interface SessionPlace {
  /** The folder for new files, `""` for sessions that are not stored. */
  folder: string;
  /** The working directory. */
  cwd: string;
  /** Where sessions are kept. */
  files: SessionFiles;
  /** Gets what is found wrong in a file. */
  onWarning: SessionOptions["onWarning"];
}

/** A session in use, and where it is. */
export interface PlacedSession extends SessionPlace {
  /** The session. */
  open: OpenSession;
  /** Whether it began here, and did not go on from a file. */
  isFresh: boolean;
}

/** Begins a session without entries. */
export function beginSession(place: SessionPlace, parentSession?: string): PlacedSession {
  const header = newHeader(place, parentSession);
  const storage = newStorage(place, header);
  const open = OpenSession.begin(storage, new WarningList(place.onWarning), { ...header });
  return { ...place, open, isFresh: true };
}

/**
 * Goes on with the session of a file.
 *
 * @throws {Error} If there is no such file, or it is no session.
 */
export function resumeSession(place: SessionPlace, path: string): PlacedSession {
  const { files, onWarning } = place;
  const file = files.realPath(path);
  if (!files.exists(file)) throw new Error(`There is no session file ${file}`);
  const folder = files.folderOf(file);
  const storage = files.open(file);
  try {
    const spare = newHeader(place, undefined, idInFileName(file));
    const open = OpenSession.resume(storage, new WarningList(onWarning), { ...spare });
    const cwd = open.header?.cwd || place.cwd;
    return { ...place, folder, cwd, open, isFresh: false };
  } catch (error) {
    storage.close();
    throw error;
  }
}

/**
 * Copies entries of a session into a new one. The source is not touched.
 *
 * @param source The session.
 * @param leafId Copies the entries from the root to this one; without it, all of them.
 * @param finish Completes the copy before it is used.
 * @throws {Error} If anything goes wrong; no file is left behind then.
 */
export function copySession(
  source: PlacedSession,
  leafId: string | undefined,
  finish: (copy: OpenSession) => void,
): PlacedSession {
  source.open.assertWritable();
  const header = newHeader(source, source.open.storage.path);
  const title = source.open.header?.title;
  if (title !== undefined) header.title = title;
  const storage = newStorage(source, header);
  try {
    storage.claim();
    copyRecords(source.open, leafId, header, storage);
    const open = OpenSession.resume(storage, new WarningList(source.onWarning), { ...header });
    finish(open);
    return { ...source, open, isFresh: true };
  } catch (error) {
    storage.close();
    if (storage.path !== undefined) source.files.remove(storage.path);
    throw error;
  }
}

/**
 * The label entries that a copy needs so that its entries have the names they had.
 *
 * @param labels The names in the source.
 * @param copy The copy.
 */
export function labelsLeftBehind(
  labels: ReadonlyMap<string, string>,
  copy: OpenSession,
): EntryFields[] {
  const known = copy.labels();
  return copy.records.index.ids
    .filter((id) => labels.get(id) !== known.get(id))
    .map((targetId) => ({ type: "label", targetId, label: labels.get(targetId) }));
}

function newHeader(place: SessionPlace, parentSession?: string, id?: string): SessionHeader {
  const header: SessionHeader = {
    type: "session",
    version: SESSION_VERSION,
    id: id ?? crypto.randomUUID(),
    timestamp: new Date().toISOString(),
    cwd: place.cwd,
  };
  return parentSession === undefined ? header : { ...header, parentSession };
}

function newStorage({ folder, files }: SessionPlace, header: SessionHeader): SessionStorage {
  if (folder === "") return new MemoryStorage();
  return files.open(files.join(folder, sessionFileName(header.timestamp, header.id)));
}

/** The name of a session whose file does not say it inside. */
export function idInFileName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const plain = name.replace(/\.jsonl$/, "");
  return /_([^_]+)$/.exec(plain)?.[1] ?? plain;
}

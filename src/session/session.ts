/**
 * Sessions: conversations as trees of entries, kept in files that other agents can open.
 *
 * @module
 */

import { denoSessionFiles } from "../deno/session_files.ts";
import type { WritableSession } from "../ports.ts";
import { listSessions, type SessionInfo } from "./listing.ts";
import { sessionFolder } from "./location.ts";
import { unknownEntry } from "./session_context.ts";
import {
  beginSession,
  copySession,
  labelsLeftBehind,
  type PlacedSession,
  resumeSession,
  type SessionOptions,
} from "./session_opening.ts";
import { SessionWriter } from "./session_writer.ts";

/**
 * A session: what was said and done, as a tree of entries, one of which is the leaf that the next
 * entry is put after.
 *
 * Entries are written at once, one line each, at the end of the file; nothing in a file is ever
 * changed. Everything that is handed out is frozen or a copy. While a session writes, nobody else
 * can write to the same file: the first entry that is appended takes the file, and
 * {@linkcode SessionManager.close} gives it back.
 *
 * Moving the leaf writes nothing. If no entry follows, `flush` and `close` write a `custom` entry
 * as a mark, so that the session goes on there when it is opened again, here and in other programs.
 *
 * Files of version 1 and 2 are read as version 3 and stay as they are; entries appended to them are
 * of version 3. Other programs may read a file of version 1 as one line of entries, without branches.
 *
 * @example
 * ```ts
 * import { SessionManager } from "@pi-hooks/core";
 *
 * const session = SessionManager.inMemory("/project");
 * const first = session.appendMessage({ role: "user", content: "Hello", timestamp: Date.now() });
 * session.appendCustomEntry("note", { seen: true });
 * session.branch(first);
 * session.appendLabelChange(first, "start");
 * console.log(session.getBranch().length, session.getEntries().length); // 2 3
 * ```
 */
export class SessionManager extends SessionWriter implements WritableSession {
  /** What is current. Two objects share it after {@linkcode SessionManager.become}. */
  #seat: { placed: PlacedSession; isClosed: boolean };

  private constructor(placed: PlacedSession) {
    super(() => this.#live());
    this.#seat = { placed, isClosed: false };
  }

  /** Begins a session in a working directory. Its file is made with the first entry. */
  static async create(cwd: string, options: SessionOptions = {}): Promise<SessionManager> {
    const { files = denoSessionFiles, onWarning } = options;
    const folder = await sessionFolder(files, cwd, options.sessionsDir);
    const place = { folder, cwd: files.realPath(cwd), files, onWarning };
    return new SessionManager(beginSession(place, options.parentSession));
  }

  /**
   * Opens the session of a file, at the entry where it was left. Only both ends of the file are
   * read; the rest is read when it is asked for.
   *
   * @throws {Error} If there is no such file, it cannot be read, or it is no session.
   */
  static open(path: string, options: SessionOptions = {}): Promise<SessionManager> {
    const { files = denoSessionFiles, cwd = "", onWarning } = options;
    return new Promise((resolve) => {
      resolve(new SessionManager(resumeSession({ folder: "", cwd, files, onWarning }, path)));
    });
  }

  /** Opens the session of a working directory that was written to last, or begins one. */
  static async continueRecent(cwd: string, options: SessionOptions = {}): Promise<SessionManager> {
    const [newest] = await SessionManager.list(cwd, options);
    if (newest === undefined) return await SessionManager.create(cwd, options);
    return await SessionManager.open(newest.path, options);
  }

  /** Begins a session that is not stored. */
  static inMemory(cwd = ".", options: SessionOptions = {}): SessionManager {
    const { files = denoSessionFiles, onWarning } = options;
    return new SessionManager(
      beginSession({ folder: "", cwd, files, onWarning }, options.parentSession),
    );
  }

  /** The stored sessions of a working directory, those written to last first. */
  static async list(cwd: string, options: SessionOptions = {}): Promise<SessionInfo[]> {
    const { files = denoSessionFiles } = options;
    return listSessions(files, await sessionFolder(files, cwd, options.sessionsDir));
  }

  /**
   * Copies the entries from the root to `leafId` into a session of their own and goes on there.
   * Names that were given to these entries from elsewhere come along at the end.
   *
   * @returns The new file, `undefined` if the session is not stored.
   * @throws {Error} If there is no such entry, or copying fails; nothing has changed then.
   */
  createBranchedSession(leafId: string): string | undefined {
    const placed = this.#live();
    const { open } = placed;
    if (open.entry(leafId) === undefined) throw unknownEntry(leafId);
    const labels = open.labels();
    this.#sit(copySession(placed, leafId, (copy) => {
      for (const fields of labelsLeftBehind(labels, copy)) copy.append(fields);
    }));
    return this.getSessionFile();
  }

  /** Goes on with an empty session; `parentSession` is the file that it came from. */
  newSession(options: { parentSession?: string } = {}): void {
    this.become(this.beginSibling(options));
  }

  /**
   * Begins another session in the same place, while this one stays as it is. It ends with
   * {@linkcode SessionManager.become} of this one, or with its own `close` or `discard`.
   */
  beginSibling(options: { parentSession?: string } = {}): SessionManager {
    return new SessionManager(beginSession(this.#live(), options.parentSession));
  }

  /**
   * Goes on with what another session holds, and closes what was open here. From then on both
   * objects are the same session.
   */
  become(other: SessionManager): void {
    const placed = other.#live();
    if (other.#seat === this.#seat) return;
    this.#live().open.keepLeaf();
    this.#sit(placed);
    other.#seat = this.#seat;
  }

  /**
   * Copies the whole session into a new file and goes on there, at the same leaf.
   *
   * @returns Both files, `undefined` if the session is not stored.
   * @throws {Error} If copying fails; nothing has changed then.
   */
  fork(): { oldSessionFile: string; newSessionFile: string } | undefined {
    const placed = this.#live();
    const { leafId } = placed.open;
    const oldSessionFile = this.getSessionFile();
    this.#sit(copySession(placed, undefined, (copy) => copy.moveLeaf(leafId)));
    const newSessionFile = this.getSessionFile();
    if (oldSessionFile === undefined || newSessionFile === undefined) return undefined;
    return { oldSessionFile, newSessionFile };
  }

  /**
   * Goes on with the session of another file, at the entry where it was left.
   *
   * @throws {Error} If the file cannot be read or is no session; nothing has changed then.
   */
  setSessionFile(path: string): void {
    const placed = resumeSession(this.#live(), path);
    this.#live().open.keepLeaf();
    this.#sit(placed);
  }

  /** Waits until everything that was appended is safe on the disk. */
  async flush(): Promise<void> {
    const { open } = this.#live();
    open.keepLeaf();
    await open.storage.sync();
  }

  /** Flushes, and lets others write to the file. Using the session afterwards throws. */
  async close(): Promise<void> {
    if (this.#seat.isClosed) return;
    const { open } = this.#seat.placed;
    open.keepLeaf();
    this.#seat.isClosed = true;
    try {
      await open.storage.sync();
    } finally {
      open.storage.close();
    }
  }

  /**
   * Gives up a session that began here: closes it and removes its file.
   *
   * @throws {Error} If the session went on from a file; it is not touched.
   */
  discard(): void {
    const { open: { storage }, files, isFresh } = this.#live();
    if (!isFresh) throw new Error(`Session ${storage.path} did not begin here and is kept`);
    this.#seat.isClosed = true;
    storage.close();
    if (storage.path !== undefined) files.remove(storage.path);
  }

  /** Closes the session at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #live(): PlacedSession {
    const { placed, isClosed } = this.#seat;
    if (!isClosed) return placed;
    const name = placed.open.storage.path ?? placed.open.header?.id;
    throw new Error(`Session ${name} is closed: open it again to go on with it`);
  }

  #sit(placed: PlacedSession): void {
    this.#live().open.storage.close();
    this.#seat.placed = placed;
  }
}

/**
 * Where sessions are kept: bytes that grow at their end, and folders of them.
 *
 * Two fillings come with this package: memory, and files of the system that Deno runs on. Another
 * one (a database, a remote disk) implements these two interfaces and is passed as `files`.
 *
 * @module
 */

/**
 * The bytes of one session. They are read from anywhere and written at the end only. Nothing is
 * created before the first {@linkcode SessionStorage.claim}.
 */
export interface SessionStorage {
  /** The file, `undefined` if the bytes are kept in memory. */
  readonly path: string | undefined;
  /** How many bytes there are now, by whomever they were written. */
  size(): number;
  /**
   * Fills a buffer with the bytes from `position` on.
   *
   * @returns How many bytes were read; fewer than the buffer holds only at the end.
   */
  read(buffer: Uint8Array, position: number): number;
  /**
   * Becomes the only writer, and makes the file if there is none. Doing it twice is fine.
   *
   * @throws {Error} If somebody else is writing, or writing is not allowed.
   */
  claim(): void;
  /**
   * Puts bytes at the end with one write, all of them or none.
   *
   * @throws {Error} If they could not be written; what was there before is as it was.
   */
  append(bytes: Uint8Array): void;
  /** Waits until what was written is safe on the disk. */
  sync(): Promise<void>;
  /** Lets others write. Nothing may be called afterwards; closing twice is fine. */
  close(): void;
}

/** A file in a folder of sessions. */
export interface SessionFile {
  /** Its path. */
  path: string;
  /** When it was written to for the last time, in milliseconds since 1970. */
  modified: number;
  /** How many bytes it has. */
  size: number;
}

/** Folders and files of sessions. */
export interface SessionFiles {
  /**
   * The bytes of a session. Missing files count as empty ones; nothing is created.
   *
   * @throws {Error} If the file exists and cannot be read.
   */
  open(path: string): SessionStorage;
  /** Whether there is such a file. */
  exists(path: string): boolean;
  /** The files of a folder whose names end with `.jsonl`, in any order; empty for no folder. */
  list(folder: string): SessionFile[];
  /** Removes a file, if there is one. */
  remove(path: string): void;
  /** Puts parts of a path together. */
  join(folder: string, ...parts: string[]): string;
  /** The folder that holds a file. */
  folderOf(path: string): string;
  /** A path from the root of the file system, links followed as far as it exists. */
  realPath(path: string): string;
  /**
   * The folder that holds the folders of all sessions, unless a caller names another.
   *
   * @throws {Error} If nobody can tell where the person's home is.
   */
  defaultFolder(): string;
}

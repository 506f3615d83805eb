/**
 * Sessions in files: the storage of sessions, filled with Deno.
 *
 * @module
 */

import { basename as basenamePosix } from "@std/path/posix/basename";
import { dirname as dirnamePosix } from "@std/path/posix/dirname";
import { basename as basenameWindows } from "@std/path/windows/basename";
import { dirname as dirnameWindows } from "@std/path/windows/dirname";
import type { SessionFile, SessionFiles, SessionStorage } from "../session_storage.ts";
import { joinPath } from "./files.ts";
import { homeFolder } from "./environment.ts";
import { missingPermission } from "./permissions.ts";

/** The session files of this machine. */
export const denoSessionFiles: SessionFiles = {
  open: (path) => new FileStorage(path),
  exists: (path) => look(path) !== undefined,
  list,
  remove(path) {
    if (look(path) !== undefined) attempt("write", path, () => Deno.removeSync(path));
  },
  join: joinPath,
  folderOf,
  realPath,
  defaultFolder() {
    const home = environmentVariable("PI_HOOKS_HOME");
    if (home !== undefined) return joinPath(home, "sessions");
    const folder = homeFolder();
    if (folder !== undefined) return joinPath(folder, ".pi-hooks", "sessions");
    throw new Error(
      "Nobody can tell where sessions are kept: name a sessionsDir, set PI_HOOKS_HOME, " +
        "or let Deno know the home folder (--allow-env=HOME,PI_HOOKS_HOME)",
    );
  },
};

/** One session file. It is opened for reading first, and for writing when it is claimed. */
class FileStorage implements SessionStorage {
  readonly path: string;
  #file: Deno.FsFile | undefined;
  #isClaimed = false;
  /** Whether a failed write could not be taken back. */
  #isBroken = false;

  constructor(path: string) {
    this.path = path;
    const info = look(path);
    if (info?.isFile === false) throw new Error(`Session ${path} is not a file`);
    if (info !== undefined) this.#file = openForReading(path);
  }

  size(): number {
    return this.#file?.statSync().size ?? 0;
  }

  read(buffer: Uint8Array, position: number): number {
    const file = this.#file;
    if (file === undefined) return 0;
    file.seekSync(position, Deno.SeekMode.Start);
    let filled = 0;
    while (filled < buffer.length) {
      const count = file.readSync(buffer.subarray(filled));
      if (count === null) break;
      filled += count;
    }
    return filled;
  }

  claim(): void {
    if (this.#isClaimed) return;
    const file = openForWriting(this.path);
    if (!file.tryLockSync(true)) {
      file.close();
      throw new Error(
        `Session ${this.path} is being written by another process or session: ` +
          "close it there, or fork it",
      );
    }
    this.#file?.close();
    this.#file = file;
    this.#isClaimed = true;
  }

  append(bytes: Uint8Array): void {
    const file = this.#file;
    if (file === undefined || !this.#isClaimed) throw new Error("Claim the file first");
    if (this.#isBroken) {
      throw new Error(`Session ${this.path} ends in the middle of a record: open it again`);
    }
    let written = 0;
    let cause: unknown;
    try {
      written = file.writeSync(bytes);
      if (written === bytes.length) return;
    } catch (error) {
      cause = error;
    }
    if (written > 0) this.#takeBack(file, written);
    const reason = cause === undefined ? "the disk took only a part of it" : errorText(cause);
    throw new Error(`Session ${this.path} could not be written: ${reason}`, { cause });
  }

  /** Cuts off the part of a record that was written, unless a program without lock has gone on. */
  #takeBack(file: Deno.FsFile, written: number): void {
    this.#isBroken = true;
    const end = file.seekSync(0, Deno.SeekMode.Current);
    if (file.statSync().size !== end) return;
    file.truncateSync(end - written);
    this.#isBroken = false;
  }

  async sync(): Promise<void> {
    if (this.#isClaimed) await this.#file?.sync();
  }

  close(): void {
    // Closing the file gives the lock back, as the end of the process does.
    this.#file?.close();
    this.#file = undefined;
    this.#isClaimed = false;
  }
}

function openForReading(path: string): Deno.FsFile {
  return attempt("read", path, () => Deno.openSync(path, { read: true }));
}

function openForWriting(path: string): Deno.FsFile {
  const options = { read: true, append: true, create: true, mode: 0o600 };
  return attempt("write", path, () => {
    if (look(path) === undefined) {
      const folder = folderOf(path);
      if (look(folder) === undefined) {
        attempt("write", folder, () => Deno.mkdirSync(folder, { recursive: true, mode: 0o700 }));
      }
    }
    return Deno.openSync(path, options);
  });
}

function look(path: string): Deno.FileInfo | undefined {
  return attempt("read", path, () => {
    try {
      return Deno.statSync(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  });
}

/** Does something with a path. A missing permission is an error, never a question to a person. */
function attempt<T>(name: "read" | "write", path: string, work: () => T): T {
  const done = name === "read" ? "read" : "written";
  const flag = missingPermission({ name, path });
  if (flag !== undefined) throw new Error(`${path} cannot be ${done}: run with ${flag}`);
  try {
    return work();
  } catch (error) {
    throw new Error(`${path} cannot be ${done}: ${errorText(error)}`, { cause: error });
  }
}

function list(folder: string): SessionFile[] {
  if (look(folder) === undefined) return [];
  const files: SessionFile[] = [];
  for (const { name } of attempt("read", folder, () => [...Deno.readDirSync(folder)])) {
    if (!name.endsWith(".jsonl")) continue;
    const path = joinPath(folder, name);
    const info = look(path);
    if (info?.isFile !== true) continue;
    files.push({ path, modified: info.mtime?.getTime() ?? 0, size: info.size });
  }
  return files;
}

function folderOf(path: string): string {
  return Deno.build.os === "windows" ? dirnameWindows(path) : dirnamePosix(path);
}

/** Follows links as far as the path exists; the rest is taken as it is written. */
function realPath(path: string): string {
  const real = attempt("read", path, () => {
    try {
      return Deno.realPathSync(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound && folderOf(path) !== path) return undefined;
      throw error;
    }
  });
  const name = Deno.build.os === "windows" ? basenameWindows(path) : basenamePosix(path);
  return real ?? joinPath(realPath(folderOf(path)), name);
}

function environmentVariable(variable: string): string | undefined {
  if (missingPermission({ name: "env", variable }) !== undefined) return undefined;
  return Deno.env.get(variable) || undefined;
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

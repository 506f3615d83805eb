/**
 * Replaces files as a whole, so that nobody ever finds half of one.
 *
 * @module
 */

import { dirname } from "@std/path/posix/dirname";
import type { KnownToolName } from "../../events/tool.ts";
import { checkSignal } from "./define_tool.ts";
import { explainFileError, requireFile, requirePermission } from "./tool_path.ts";

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/** The jobs that wait for a file, by its path; the last of each queue. */
const queues = new Map<string, Promise<unknown>>();

/**
 * Runs a job that reads a file and writes it back, one job at a time for each file: tool calls of
 * one message run side by side, and none may undo what another one has done.
 *
 * @param path An absolute path. A link stands for the file it leads to.
 * @param job Gets the path of the file itself.
 */
export async function changeFile<T>(path: string, job: (target: string) => Promise<T>): Promise<T> {
  const target = await followLinks(path);
  const before = queues.get(target);
  const turn = (before ?? Promise.resolve()).then(() => job(target));
  const settled = turn.then(() => {}, () => {});
  queues.set(target, settled);
  try {
    return await turn;
  } finally {
    if (queues.get(target) === settled) queues.delete(target);
  }
}

/** The real path; for a link that leads to nothing yet, the path of the file that it asks for. */
async function followLinks(path: string): Promise<string> {
  requirePermission("read", path);
  let target = path;
  try {
    for (let count = 0; count <= MAX_LINKS; count++) {
      try {
        return await Deno.realPath(target);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
      const link = await readLink(target);
      if (link === undefined) return target;
      // The system takes `..` out itself, and correctly where a folder of the path is a link.
      target = link.startsWith("/") ? link : `${dirname(target)}/${link}`;
    }
  } catch (error) {
    throw explainFileError(error, "write", path);
  }
  throw new Error(`Cannot write ${JSON.stringify(path)}: its links lead in a circle`);
}

async function readLink(path: string): Promise<string | undefined> {
  try {
    const { isSymlink } = await Deno.lstat(path);
    return isSymlink ? await Deno.readLink(path) : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Who writes, and until when. */
export interface WriteOptions {
  /** The tool, for its messages. */
  tool: KnownToolName;
  /** Stops the writing; the file is as it was then. */
  signal: AbortSignal | undefined;
}

/**
 * Writes a text into a file: into a new file beside it, which then takes its place. Folders that
 * are missing are made. The file keeps its mode, and its owner where the system allows that; other
 * hard links to it keep the old text.
 *
 * @param path An absolute path that is no link.
 * @param text The text.
 * @param options Who writes, and until when.
 * @returns How many bytes were written.
 * @throws {Error} If it cannot be written; then everything is as it was, but for new folders.
 */
export async function replaceFile(
  path: string,
  text: string,
  options: WriteOptions,
): Promise<number> {
  const folder = dirname(path);
  // The new file is made in the folder, so that a permission for the old one alone is too little.
  requirePermission("read", folder);
  requirePermission("write", folder);
  if (!text.isWellFormed()) {
    throw new Error(
      `Cannot write ${JSON.stringify(path)}: the text holds half of a surrogate pair, which is ` +
        "no character; write the whole character",
    );
  }
  const before = await findExisting(path);
  const temporary = `${folder}/.pi-hooks-${crypto.randomUUID()}.tmp`;
  const bytes = new TextEncoder().encode(text);
  try {
    if (before === undefined) await Deno.mkdir(folder, { recursive: true });
    try {
      await writeNew(temporary, bytes, before, options);
      checkSignal(options.signal, options.tool);
      await Deno.rename(temporary, path);
    } catch (error) {
      await Deno.remove(temporary).catch(() => {});
      throw error;
    }
  } catch (error) {
    throw explainFileError(error, "write", path);
  }
  return bytes.length;
}

/** The file that is going to be replaced, if there is one. */
async function findExisting(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw explainFileError(error, "write", path);
  }
  const info = await requireFile(path);
  try {
    // Its folder decides whether it can be replaced, its own mode whether it should be.
    (await Deno.open(path, { write: true })).close();
  } catch (error) {
    throw explainFileError(error, "write", path);
  }
  return info;
}

async function writeNew(
  path: string,
  bytes: Uint8Array,
  before: Deno.FileInfo | undefined,
  { tool, signal }: WriteOptions,
): Promise<void> {
  const mode = before?.mode ?? undefined;
  // Secrets must not be readable for others even for a moment, so the mode is there from the start.
  using file = await Deno.open(path, {
    write: true,
    createNew: true,
    mode: mode === undefined ? 0o666 : mode & 0o777,
  });
  for (let offset = 0; offset < bytes.length;) {
    checkSignal(signal, tool);
    offset += await file.write(bytes.subarray(offset));
  }
  if (before !== undefined && mode !== undefined && Deno.build.os !== "windows") {
    const { uid, gid } = await file.stat();
    if (uid !== before.uid || gid !== before.gid) {
      // Only some may give files away; for all others the new file is theirs.
      await Deno.chown(path, before.uid, before.gid).catch(() => {});
    }
    await Deno.chmod(path, mode & 0o7777);
  }
  await file.sync();
}

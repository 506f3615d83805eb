/**
 * Stand-in for `@std/fs/copy`.
 *
 * @module
 */

/** How to copy. */
export interface CopyOptions {
  /** Replace what is there; `false` by default, and then an existing target is an error. */
  overwrite?: boolean;
  /** Keep the times of last change and access; `false` by default. */
  preserveTimestamps?: boolean;
}

/** Copies a file, a link, or a folder with all it holds. */
export async function copy(
  src: string | URL,
  dest: string | URL,
  options: CopyOptions = {},
): Promise<void> {
  const info = await Deno.lstat(src);
  const target = await statOrNothing(dest);
  const mayMerge = options.overwrite && !(target?.isDirectory !== info.isDirectory);
  if (target !== undefined && !mayMerge) {
    throw new Deno.errors.AlreadyExists(`"${dest}" already exists`);
  }
  if (info.isDirectory) {
    const from = await Deno.realPath(src);
    await Deno.mkdir(dest, { recursive: true });
    const to = await Deno.realPath(dest);
    if (`${to}/`.startsWith(`${from}/`)) {
      throw new Error(`Cannot copy "${from}" to a folder inside of it, "${to}"`);
    }
    for await (const entry of Deno.readDir(from)) {
      await copy(`${from}/${entry.name}`, `${to}/${entry.name}`, options);
    }
  } else if (info.isSymlink) {
    if (target !== undefined) await Deno.remove(dest);
    await Deno.symlink(await Deno.readLink(src), dest);
    return;
  } else {
    await Deno.copyFile(src, dest);
  }
  if (options.preserveTimestamps && info.atime && info.mtime) {
    await Deno.utime(dest, info.atime, info.mtime);
  }
}

async function statOrNothing(path: string | URL): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

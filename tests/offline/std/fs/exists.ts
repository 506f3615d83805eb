/**
 * Stand-in for `@std/fs/exists`.
 *
 * @module
 */

/** What else must be true of the path. */
export interface ExistsOptions {
  /** The path must be readable by this user. */
  isReadable?: boolean;
  /** The path must be a folder. */
  isDirectory?: boolean;
  /** The path must be a file. */
  isFile?: boolean;
}

/** Whether there is something at the path, a link followed. */
export async function exists(path: string | URL, options?: ExistsOptions): Promise<boolean> {
  if (options?.isDirectory && options.isFile) {
    throw new TypeError("ExistsOptions.isDirectory and ExistsOptions.isFile exclude each other");
  }
  try {
    const info = await Deno.stat(path);
    if (options?.isDirectory && !info.isDirectory) return false;
    if (options?.isFile && !info.isFile) return false;
    if (options?.isReadable) return await isReadable(path, info);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.PermissionDenied) return !options?.isReadable;
    throw error;
  }
}

async function isReadable(path: string | URL, info: Deno.FileInfo): Promise<boolean> {
  try {
    if (info.isDirectory) {
      await Deno.readDir(path)[Symbol.asyncIterator]().next();
    } else {
      (await Deno.open(path)).close();
    }
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) return false;
    throw error;
  }
}

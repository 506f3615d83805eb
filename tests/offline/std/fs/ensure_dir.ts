/**
 * Stand-in for `@std/fs/ensure-dir`.
 *
 * @module
 */

/** Makes the folder and those above it, unless it is there. */
export async function ensureDir(dir: string | URL): Promise<void> {
  try {
    await Deno.mkdir(dir, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    const info = await Deno.stat(dir);
    if (info.isDirectory) return;
    throw new Error(`Failed to ensure directory exists: "${dir}" is not a directory`, {
      cause: error,
    });
  }
}

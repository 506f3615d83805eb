/**
 * Stand-in for `@std/fs/empty-dir`.
 *
 * @module
 */

import { ensureDir } from "./ensure_dir.ts";

/** Takes everything out of a folder, which is made if it is not there. */
export async function emptyDir(dir: string | URL): Promise<void> {
  await ensureDir(dir);
  const path = await Deno.realPath(dir);
  for await (const entry of Deno.readDir(path)) {
    await Deno.remove(`${path}/${entry.name}`, { recursive: true });
  }
}

/**
 * Whether the hooks that a project folder ships may be loaded. All commands ask here.
 *
 * @module
 */

import { trustedFiles } from "./trust_files.ts";
import { readTrust, type TrustRecord } from "./trust_store.ts";

/** What is known about a folder. */
export type TrustState =
  /** Nobody has said yes. */
  | { kind: "unknown" }
  /** All files are as they were when somebody said yes. */
  | { kind: "trusted"; record: TrustRecord }
  /** Files have changed, come or gone since. */
  | { kind: "changed"; record: TrustRecord; changes: string[] };

/**
 * Whether the hooks of a project folder may be loaded: `--trust` says so, or the person has said
 * so and nothing has changed since.
 *
 * @param isGranted Whether `--trust` was given.
 * @param folder The project folder.
 * @param tell Hears why a folder that was trusted is not trusted any more.
 */
export async function mayLoadProjectHooks(
  isGranted: boolean,
  folder: string,
  tell: (text: string) => void,
): Promise<boolean> {
  if (isGranted) return true;
  let state: TrustState;
  try {
    state = await trustOf(folder);
  } catch (error) {
    // Who cannot be asked has not said yes.
    tell(`No project is trusted: ${(error as Error).message}`);
    return false;
  }
  if (state.kind === "changed") {
    tell(
      `${folder} has changed since it was trusted: ${
        state.changes.join(", ")
      }. Read it, then run ` +
        "pi-hooks trust",
    );
  }
  return state.kind === "trusted";
}

/**
 * What is known about a folder.
 *
 * @param folder The folder.
 * @throws {InputError} If the choices cannot be read.
 */
export async function trustOf(folder: string): Promise<TrustState> {
  const records = await readTrust();
  const real = realFolder(folder);
  const record = Object.hasOwn(records, real) ? records[real] : undefined;
  if (record === undefined) return { kind: "unknown" };
  const { hashes } = await trustedFiles(real);
  const changes: string[] = [];
  for (const path of new Set([...Object.keys(record.files), ...Object.keys(hashes)])) {
    if (record.files[path] === hashes[path] && hashes[path] !== "unreadable") continue;
    const what = !(path in record.files) ? "new" : !(path in hashes) ? "gone" : "changed";
    changes.push(`${path} (${what})`);
  }
  return changes.length === 0 ? { kind: "trusted", record } : { kind: "changed", record, changes };
}

/** The real path of a folder; links to it are the same folder. */
export function realFolder(folder: string): string {
  try {
    return Deno.realPathSync(folder);
  } catch {
    return folder;
  }
}

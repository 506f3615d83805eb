/**
 * Keeps which project folders a person trusts: `trust.json` in the folder that `PI_HOOKS_HOME`
 * names, or in `~/.pi-hooks`. Only its owner may read it.
 *
 * @module
 */

import { fileFault, InputError } from "./input.ts";

/** What is kept about a folder. */
export interface TrustRecord {
  /** When the person said yes, as ISO 8601. */
  trustedAt: string;
  /** The SHA-256 of each file, by its path. */
  files: Record<string, string>;
}

/** The folders, by their real path. */
export type TrustRecords = Record<string, TrustRecord>;

const VERSION = 1;

/** Where the choices are kept, `undefined` if there is no home folder. */
export function trustFile(): string | undefined {
  const own = Deno.env.get("PI_HOOKS_HOME");
  if (own !== undefined && own !== "") return `${own}/trust.json`;
  const home = Deno.env.get(Deno.build.os === "windows" ? "USERPROFILE" : "HOME");
  return home === undefined || home === "" ? undefined : `${home}/.pi-hooks/trust.json`;
}

/**
 * Reads the choices.
 *
 * @throws {InputError} If the file is damaged: nobody is trusted then.
 */
export async function readTrust(): Promise<TrustRecords> {
  const path = trustFile();
  if (path === undefined) return {};
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw new InputError(`Cannot read ${path}: ${fileFault(error)}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const { version, folders } = Object(value) as { version?: unknown; folders?: unknown };
  if (version !== VERSION || !isRecords(folders)) {
    throw new InputError(`${path} is damaged: mend it, or remove it and trust anew`);
  }
  return folders;
}

/**
 * Writes the choices. Whoever reads at the same time finds the old or the new file, never half of
 * one.
 *
 * @param folders The folders.
 * @throws {InputError} If it cannot be written.
 */
export async function writeTrust(folders: TrustRecords): Promise<void> {
  const path = trustFile();
  if (path === undefined) {
    throw new InputError("There is no home folder to keep the choice in: set PI_HOOKS_HOME");
  }
  const folder = path.slice(0, path.lastIndexOf("/"));
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    const text = `${JSON.stringify({ version: VERSION, folders }, null, 2)}\n`;
    await Deno.writeTextFile(draft, text, { mode: 0o600, createNew: true });
    await Deno.rename(draft, path);
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw new InputError(`Cannot write ${path}: ${fileFault(error)}`);
  }
}

function isRecords(value: unknown): value is TrustRecords {
  return isObject(value) &&
    Object.values(value).every((record) => isObject(record) && isObject(record.files));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

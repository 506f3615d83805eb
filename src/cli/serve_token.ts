/**
 * The token that callers of a resident process need, in a file that only its owner can read.
 *
 * @module
 */

/** The folder where this program keeps its own files. */
export function ownFolder(): string {
  const given = Deno.env.get("PI_HOOKS_HOME");
  if (given) return given;
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  if (!home) throw new Error("There is no HOME; name a folder in PI_HOOKS_HOME");
  return `${home}/.pi-hooks`;
}

/** The file of the token: one header line, as `curl -H @FILE` reads it. */
export function tokenFile(): string {
  return `${ownFolder()}/token`;
}

const LINE = /^Authorization: Bearer ([0-9a-f]{64})\n?$/;

/**
 * The token; it is made when it is needed first.
 *
 * @throws {Error} If the file is readable by others, or holds something else.
 */
export async function serviceToken(): Promise<string> {
  const path = tokenFile();
  await Deno.mkdir(ownFolder(), { recursive: true, mode: 0o700 });
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const made = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  try {
    const text = `Authorization: Bearer ${made}\n`;
    await Deno.writeTextFile(path, text, { createNew: true, mode: 0o600 });
    return made;
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const { mode } = await Deno.stat(path);
  if (mode !== null && Deno.build.os !== "windows" && (mode & 0o077) !== 0) {
    throw new Error(`Others can read ${path}: remove it, a new one is made`);
  }
  const [, token] = LINE.exec(await Deno.readTextFile(path)) ?? [];
  if (token === undefined) throw new Error(`${path} holds no token: remove it, a new one is made`);
  return token;
}

/**
 * Whether a caller has the token. Takes the same time for every wrong one.
 *
 * @param header The header `Authorization` as it came in.
 * @param token The token.
 */
export function isSameToken(header: string | null, token: string): boolean {
  const given = new TextEncoder().encode(header ?? "");
  const expected = new TextEncoder().encode(`Bearer ${token}`);
  let difference = given.length ^ expected.length;
  for (let i = 0; i < expected.length; i++) difference |= expected[i] ^ (given[i] ?? 0);
  return difference === 0;
}

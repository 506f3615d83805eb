/** Programs that were compiled before start quickly; the home folder of a test holds none. */
const DENO_DIR = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;

/**
 * Runs the command line in a child process.
 *
 * @module
 */

import { runDeno, type RunDenoResult, type TempDir } from "./helpers.ts";

/** The program. */
export const CLI: string = decodeURIComponent(new URL("../cli.ts", import.meta.url).pathname);

/**
 * Runs the command line in a folder whose home is empty, so that only its own hooks are there.
 *
 * @param dir The folder; its home is `home` in it.
 * @param args The arguments.
 * @param stdin The input.
 * @param env Variables to set.
 */
export function cli(
  dir: TempDir,
  args: readonly string[],
  stdin: string | Uint8Array = "",
  env: Record<string, string> = {},
): Promise<RunDenoResult> {
  return runDeno(["run", CLI, ...args], {
    cwd: dir.path,
    stdin,
    env: { HOME: dir.file("home"), DENO_DIR, ...env },
  });
}

/**
 * The lines of the output, parsed.
 *
 * @param result What the command line did.
 */
// deno-lint-ignore no-explicit-any -- answers of any shape are taken apart by the tests
export function answersOf({ stdout }: RunDenoResult): any[] {
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/**
 * Says why a program could not be started, in words that help.
 *
 * @module
 */

import type { ExecResult } from "../types.ts";
import { missingPermission } from "./permissions.ts";

/** The exit code for a program that is there and cannot be executed, as shells use it. */
export const NOT_STARTABLE = 126;

/** The exit code for a program that is not there, as shells use it. */
export const NOT_FOUND = 127;

/**
 * Turns what `Deno.Command` threw into a result.
 *
 * @param command The program as it was given.
 * @param file The path that a command with a slash means; the name itself otherwise.
 * @param cwd The working directory.
 * @param error What was thrown.
 */
export function startFailure(
  command: string,
  file: string,
  cwd: string,
  error: unknown,
): ExecResult {
  const text = error instanceof Error ? error.message : String(error);
  // Deno throws the same class for a missing program and a missing folder: only the text differs.
  const badFolder = text.match(/': (No such cwd|cwd is not a directory) '/);
  if (badFolder !== null) {
    const problem = badFolder[1] === "No such cwd" ? "does not exist" : "is not a folder";
    return notStarted(NOT_STARTABLE, command, cwd, `the working directory ${problem}`);
  }
  if (!(error instanceof Deno.errors.NotFound)) {
    const cause = text.replace(/^Failed to spawn '.*?': /s, "");
    return notStarted(NOT_STARTABLE, command, cwd, cause);
  }
  // "entity not found" comes from the search in PATH, everything else from the file that was tried.
  if (text.endsWith("entity not found") || missingFile(file)) {
    const cause = command.includes("/") ? "there is no such file" : "command not found";
    return notStarted(NOT_FOUND, command, cwd, cause);
  }
  return notStarted(
    NOT_STARTABLE,
    command,
    cwd,
    "the interpreter in its first line (#!) was not found; a carriage return at the end of that " +
      "line counts as part of its name",
  );
}

/** Whether a path names nothing, as far as Deno may look; a bare name is none of its business. */
function missingFile(file: string): boolean {
  if (!file.includes("/")) return false;
  if (missingPermission({ name: "read", path: file }) !== undefined) return true;
  try {
    Deno.statSync(file);
    return false;
  } catch {
    return true;
  }
}

/**
 * The result of a program that did not run.
 *
 * @param code 126 or 127.
 * @param command The program.
 * @param cwd The working directory.
 * @param cause Why it did not run.
 */
export function notStarted(
  code: number,
  command: string,
  cwd: string,
  cause: string,
): ExecResult {
  const stderr = `Command ${JSON.stringify(command)} could not be started in ` +
    `${JSON.stringify(cwd)}: ${cause}`;
  return { stdout: "", stderr, code, killed: false };
}

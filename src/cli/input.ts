/**
 * Reads what a person hands to a command: files, standard input, JSON.
 *
 * @module
 */

import type { Terminal } from "./terminal.ts";

/** Input cannot be read or understood; exit code 3. */
export class InputError extends Error {
  /** Always `"InputError"`. */
  override readonly name = "InputError";
}

/**
 * Reads text that stands on the command line, in a file, or on standard input.
 *
 * @param given The text itself, `@file`, or `-`.
 * @param terminal Standard input.
 * @throws {InputError} If the file cannot be read.
 */
export async function readGiven(given: string, terminal: Terminal): Promise<string> {
  if (given === "-") return await new Response(terminal.input).text();
  if (!given.startsWith("@")) return given;
  const path = given.slice(1);
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    throw new InputError(`Cannot read "${path}": ${fileFault(error)}`);
  }
}

/**
 * Parses a JSON object.
 *
 * @param text The text.
 * @param what What it is, for the error.
 * @throws {InputError} If it is none.
 */
export function parseObject(text: string, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InputError(`${what} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InputError(`${what} is not a JSON object such as {"toolName":"bash"}`);
  }
  return { ...value };
}

/**
 * What is wrong with a file, in a few words.
 *
 * @param error What the file system said.
 */
export function fileFault(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.NotCapable) return error.message;
  if (error instanceof Deno.errors.PermissionDenied) return "the system does not allow it";
  return error instanceof Error ? error.message : String(error);
}

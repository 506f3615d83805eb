/**
 * Programs that answer by script. Nothing is run.
 *
 * @module
 */

import type { ExecOptions, ExecResult } from "../../mod.ts";
import type { Unexpected } from "./script.ts";

/** A call of `pi.exec`. */
export interface TestExecCall {
  /** The program. */
  command: string;
  /** Its arguments. */
  args: string[];
  /** The folder that it would start in, before `options.cwd`. */
  cwd: string;
  /** What else the hook has said. */
  options: ExecOptions;
}

/**
 * What a program does: its standard output as text, or its result, of which missing fields mean
 * success. `undefined` says that this call was not expected.
 */
export type TestPrograms = (
  call: TestExecCall,
) =>
  | Partial<ExecResult>
  | string
  | undefined
  | Promise<Partial<ExecResult> | string | undefined>;

/** Runs a program of a hook. */
export type RunProgram = (
  command: string,
  args: readonly string[] | undefined,
  cwd: string,
  options?: ExecOptions,
) => Promise<ExecResult>;

/**
 * Makes the function behind `pi.exec`.
 *
 * @param programs The script; without one every call is unexpected.
 * @param calls Gets all calls.
 * @param unexpected Gets those that the script does not have.
 */
export function scriptedPrograms(
  programs: TestPrograms | undefined,
  calls: TestExecCall[],
  unexpected: Unexpected,
): RunProgram {
  return async (command, args = [], cwd, options = {}) => {
    const call: TestExecCall = { command, args: [...args], cwd, options };
    calls.push(call);
    const outcome = await programs?.(call);
    if (outcome === undefined) {
      throw unexpected.add(`Nobody has expected the program ${[command, ...args].join(" ")}`);
    }
    const result = typeof outcome === "string" ? { stdout: outcome } : outcome;
    return { stdout: "", stderr: "", code: 0, killed: false, ...result };
  };
}

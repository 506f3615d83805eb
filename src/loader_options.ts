/**
 * Options of loading, and what is taken where they say nothing.
 *
 * @module
 */

import type { execCommand } from "./deno/exec.ts";
import type { IsolateOptions } from "./isolation/isolate.ts";
import type { HookLogger } from "./types.ts";

/** Options of loading. */
export interface LoadHooksOptions extends IsolateOptions {
  /** What `~` stands for. Default: `HOME` or `USERPROFILE`, if Deno may read it. */
  home?: string;
  /**
   * Limit for importing a hook and running its factory, in milliseconds. Default: 10 000; none if
   * zero, negative or not a number.
   *
   * A module that hangs while it is imported cannot be taken back: Deno waits for it at the end of
   * the program, so a program that got an error of kind `timeout` ends with `Deno.exit(code)`. A
   * loop without an end inside a hook cannot be interrupted at all.
   */
  timeoutMs?: number;
  /** The log for `pi.logger`. Default: warnings and errors go to the console's error output. */
  logger?: HookLogger;
  /** The module `@sinclair/typebox`, for hooks that read `pi.typebox`. */
  typebox?: unknown;
  /** Runs the programs of `pi.exec`. Default: `execCommand`. */
  exec?: typeof execCommand;
}

/** Everything to the error output: standard output belongs to answers. */
export const consoleLogger: HookLogger = {
  debug: () => {},
  info: () => {},
  warn: (message, data) => console.error(message, ...data === undefined ? [] : [data]),
  error: (message, data) => console.error(message, ...data === undefined ? [] : [data]),
};

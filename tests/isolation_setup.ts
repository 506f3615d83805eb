/**
 * What the tests of isolation share: hooks that are written to a folder of the test, loaded in a
 * process of their own, and ended at the end of the test.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { HookLoadError, HookLoadWarning } from "../src/errors.ts";
import type { LoadedHook } from "../src/hook.ts";
import { loadHooks, type LoadHooksOptions } from "../src/loader.ts";
import type { HookLogger } from "../src/types.ts";
import {
  makeRunner,
  type TempDir,
  tempDir,
  type TestRunner,
  type TestRunnerSetup,
} from "./helpers.ts";

/** Hooks of a test, with a runner around them. */
export interface IsolatedSet extends AsyncDisposable, TestRunner {
  /** The hooks. */
  readonly hooks: LoadedHook[];
  /** The folder that they are in. */
  readonly dir: TempDir;
  /** What the loader could not load. */
  readonly loadErrors: HookLoadError[];
  /** What the loader found odd. */
  readonly loadWarnings: HookLoadWarning[];
  /** The log of the host, one `level text` a line. */
  readonly log: string[];
}

/** How hooks are loaded and run. */
export interface IsolatedSetup extends TestRunnerSetup {
  /** Options of loading beside isolation. */
  load?: LoadHooksOptions;
  /** Other files of the folder, by name. */
  files?: Record<string, string>;
  /** Whether hooks that do not load are expected. */
  mayFail?: boolean;
}

/**
 * Writes hooks, loads each in a process of its own, and makes a runner.
 *
 * @param sources What stands in each file: a whole module, or the body of a factory of `pi`.
 * @param setup How they are loaded and run.
 */
export async function isolated(
  sources: string | readonly string[],
  setup: IsolatedSetup = {},
): Promise<IsolatedSet> {
  const { load = {}, files = {}, mayFail = false, ...rest } = setup;
  const dir = await tempDir();
  for (const [name, text] of Object.entries(files)) await dir.write(name, text);
  const paths: string[] = [];
  for (const [index, source] of [sources].flat().entries()) {
    paths.push(await dir.write(`hook${index + 1}.ts`, moduleText(source)));
  }
  const log: string[] = [];
  const write = (level: string) => (message: string) => void log.push(`${level} ${message}`);
  const logger: HookLogger = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
  const { hooks, errors, warnings } = await loadHooks(paths, dir.path, {
    isolate: true,
    timeoutMs: 30_000,
    logger,
    ...load,
  });
  if (!mayFail) assertEquals(errors, []);
  return {
    ...makeRunner(hooks, { cwd: dir.path, ...rest }),
    hooks,
    dir,
    loadErrors: errors,
    loadWarnings: warnings,
    log,
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(hooks.map((hook) => hook.dispose?.()));
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** The body of a factory as a module; comments at its beginning stay at the head. */
export function moduleText(source: string): string {
  if (/\bexport default\b/.test(source)) return source;
  const head = /^(?:\s*\/\/[^\n]*\n)*/.exec(source)?.[0] ?? "";
  return `${head}export default async function (pi) {\n${source.slice(head.length)}\n}\n`;
}

/** Whether a process is there. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    const status = await Deno.readTextFile(`/proc/${pid}/stat`);
    // A process that nobody has asked about is no process any more.
    return !/^\d+ \(.*\) Z/.test(status);
  } catch {
    return false;
  }
}

/** Waits until something is so; looks again and again, and gives up after a while. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 20_000;
  while (!await isSo()) {
    if (performance.now() > end) throw new Error(`it never came about that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * Loads the hooks that a command line names or finds, and says what became of them.
 *
 * @module
 */

import {
  discoverAndLoadHooks,
  type execCommand,
  type HandlerRecord,
  type HookLogger,
  HookRunner,
  loadHooks,
  type LoadHooksResult,
} from "../../mod.ts";
import { isolationOf } from "./hook_permissions.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import type { Terminal } from "./terminal.ts";
import { mayLoadProjectHooks } from "./trust.ts";

/** Hooks, and the runner that runs them. */
export interface HookSet {
  /** Hooks, errors and warnings of the loader. */
  loaded: LoadHooksResult;
  /** The runner. */
  runner: HookRunner;
  /** Working directory. */
  cwd: string;
  /** What became of every handler; whoever reads it empties it first. */
  records: HandlerRecord[];
}

/** What a command wants otherwise than the options say. */
export interface LoadWishes {
  /** Whether only named hooks are loaded, and none that are found. */
  isAlone?: boolean;
  /** The hooks to load in place of those that `--hook` names. */
  paths?: readonly string[];
  /** Hears why a project that was trusted is not trusted any more. */
  tell?: (text: string) => void;
  /** Runs the programs of `pi.exec`. Default: for real. */
  exec?: typeof execCommand;
}

/**
 * Loads hooks as the options say, without running them yet.
 *
 * @param options The options.
 * @param wishes What the command wants otherwise.
 */
export async function loadAsAsked(
  options: ParsedOptions,
  wishes: LoadWishes = {},
): Promise<LoadHooksResult & { cwd: string }> {
  const cwd = workingFolder(options.value("cwd"));
  const { paths = options.values("hook"), exec } = wishes;
  const logger = options.has("log") ? fileLogger(options.value("log")!) : undefined;
  const shared = { logger, exec, ...isolationOf(options) };
  const loaded = options.has("no-discovery") || wishes.isAlone
    ? await loadHooks(paths, cwd, shared)
    : await discoverAndLoadHooks(paths, cwd, {
      ...shared,
      trustProject: await mayLoadProjectHooks(options.has("trust"), cwd, wishes.tell ?? (() => {})),
    });
  return { ...loaded, cwd };
}

/**
 * Loads hooks as the options say, and makes a runner for them.
 *
 * @param options The options.
 * @param terminal Hears of warnings and failures.
 */
export async function loadHookSet(options: ParsedOptions, terminal: Terminal): Promise<HookSet> {
  const { cwd, ...loaded } = await loadAsAsked(options, { tell: warningTo(terminal) });
  const records: HandlerRecord[] = [];
  const runner = new HookRunner(loaded.hooks, cwd, undefined, undefined, {
    observer: (record) => records.push(record),
    handlerTimeoutMs: options.wholeNumber("timeout"),
  });
  runner.onWarning(({ hookPath, event, warning }) => {
    terminal.tell(`${terminal.style.err.yellow("warning:")} ${hookPath} (${event}): ${warning}`);
  });
  runner.initialize();
  return { loaded, runner, cwd, records };
}

/**
 * Makes a function that tells warnings.
 *
 * @param terminal Where people read them.
 */
export function warningTo(terminal: Terminal): (text: string) => void {
  return (text) => terminal.tell(`${terminal.style.err.yellow("warning:")} ${text}`);
}

/** Absolute, because a hook may change the working directory of the process. */
function workingFolder(given: string | undefined): string {
  if (given === undefined) return Deno.cwd();
  try {
    const folder = Deno.realPathSync(given);
    if (Deno.statSync(folder).isDirectory) return folder;
  } catch {
    // Whatever is wrong with it, the sentence below is what helps.
  }
  throw new UsageError(`--cwd: there is no folder "${given}"`);
}

/**
 * Tells people what went wrong or looked odd while loading.
 *
 * @param loaded What the loader says.
 * @param terminal Where they read it.
 */
export function tellLoadFaults(loaded: LoadHooksResult, terminal: Terminal): void {
  const { red, yellow } = terminal.style.err;
  for (const { path, kind, error } of loaded.errors) {
    terminal.tell(`${red("error:")} ${path} was not loaded (${kind}): ${error}`);
  }
  for (const { path, warning } of loaded.warnings) {
    terminal.tell(`${yellow("warning:")} ${path}: ${warning}`);
  }
}

function fileLogger(path: string): HookLogger {
  const write = (level: string) => (message: string, data?: unknown) => {
    const line = { time: new Date().toISOString(), level, message, data };
    Deno.writeTextFileSync(path, `${JSON.stringify(line)}\n`, { append: true });
  };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

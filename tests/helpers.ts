/**
 * What many tests need: folders that go away, hooks without files, a runner whose reports are
 * kept, a person who answers questions by script, a tool that counts, a child process.
 *
 * @module
 */

import { createHook, type SharedServices } from "../src/api.ts";
import type { HookError } from "../src/errors.ts";
import type { HookEventName, HookEventOf } from "../src/events/map.ts";
import type { HandlerRecord } from "../src/handler_record.ts";
import type { LoadedHook } from "../src/hook.ts";
import type { HookWarning } from "../src/listeners.ts";
import type { AgentTool, AgentToolResult, DialogOptions, HookUIContext } from "../src/ports.ts";
import { HookRunner } from "../src/runner.ts";
import type { HookRunnerBinding, HookRunnerOptions } from "../src/runner_options.ts";
import type { HookContext, HookFactory, HookHandlerOf } from "../src/types.ts";
import { plainTheme } from "../src/ui/no_ui.ts";

/** A folder of a test. */
export interface TempDir extends AsyncDisposable {
  /** Its real path. */
  readonly path: string;
  /** The path of a file in it; the parts are joined with `/`. */
  file(...parts: string[]): string;
  /** Writes a file, making its folders, and gives its path. */
  write(name: string, text: string): Promise<string>;
}

/**
 * Makes a folder that is removed at the end of the block: `await using dir = await tempDir()`.
 *
 * @param prefix Begins its name, for tests of odd names such as `"a b#"`.
 */
export async function tempDir(prefix = "pi-hooks-test-"): Promise<TempDir> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix }));
  const file = (...parts: string[]): string => [path, ...parts].join("/");
  return {
    path,
    file,
    async write(name, text): Promise<string> {
      const target = file(name);
      await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(target, text);
      return target;
    },
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** Handlers by event. They may return anything: tests also answer nonsense. */
export type TestHandlers = {
  [N in HookEventName]?: TestHandler<N> | TestHandler<N>[];
};

/** A handler of a test. */
export type TestHandler<N extends HookEventName> = (
  event: HookEventOf<N>,
  ctx: HookContext,
) => unknown;

const SERVICES: SharedServices = {
  exec: () => Promise.reject(new Error("this test hook has no exec")),
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  typebox: undefined,
  namespace: {},
};

/**
 * Makes a hook of handlers: `hook("/gate.ts", { tool_call: () => ({ block: true }) })`.
 *
 * @param path Its path, as errors will name it.
 * @param handlers One handler an event, or several in a list.
 */
export function hook(path: string, handlers: TestHandlers): LoadedHook {
  return hookFrom((pi) => {
    for (const name of Object.keys(handlers) as HookEventName[]) {
      // The types would refuse the wrong answers that tests are about.
      for (const handler of [handlers[name] ?? []].flat()) {
        pi.on(name, handler as HookHandlerOf<typeof name>);
      }
    }
  }, path);
}

/**
 * Makes a hook of a synchronous factory, through the same API object that files get.
 *
 * @param factory What a hook file would export.
 * @param path Its path, as errors will name it.
 * @param services Replaces what hooks of a load share.
 */
export function hookFrom(
  factory: HookFactory,
  path = "/hooks/inline.ts",
  services: Partial<SharedServices> = {},
): LoadedHook {
  const handle = createHook({ path, resolvedPath: path }, "/project");
  const version = handle.open({ ...SERVICES, ...services });
  const done = factory(version.api);
  if (done instanceof Promise) throw new TypeError("hookFrom takes synchronous factories only");
  version.commit();
  return handle.hook;
}

/** A runner, and everything that it reported. */
export interface TestRunner {
  /** The runner. */
  readonly runner: HookRunner;
  /** What its error listeners were told. */
  readonly errors: HookError[];
  /** What its warning listeners were told. */
  readonly warnings: HookWarning[];
  /** What its observer was told; empty unless `observed` was set. */
  readonly records: HandlerRecord[];
}

/** How a runner is made. */
export interface TestRunnerSetup extends HookRunnerBinding {
  /** The user interface, short for `uiContext`. */
  ui?: HookUIContext;
  /** Observer and time limits. */
  options?: HookRunnerOptions;
  /** Keeps the records of all handlers in `records`. */
  observed?: boolean;
}

/**
 * Makes a runner, binds it, and listens to it.
 *
 * @param hooks The hooks, in order.
 * @param setup What the host binds, and the options of the runner.
 */
export function makeRunner(hooks: LoadedHook[], setup: TestRunnerSetup = {}): TestRunner {
  const { ui, options = {}, observed = false, ...binding } = setup;
  const errors: HookError[] = [];
  const warnings: HookWarning[] = [];
  const records: HandlerRecord[] = [];
  const runner = new HookRunner(hooks, binding.cwd ?? "/project", undefined, undefined, {
    ...(observed && { observer: (record: HandlerRecord) => void records.push(record) }),
    ...options,
  });
  runner.initialize({ uiContext: ui, ...binding });
  runner.onError((error) => errors.push(error));
  runner.onWarning((warning) => warnings.push(warning));
  return { runner, errors, warnings, records };
}

/** A dialog that a hook has asked for. */
export interface AskedDialog {
  /** Which kind. */
  kind: "select" | "confirm" | "input" | "editor" | "custom";
  /** Title and message, title and options, title and prefill, as the hook passed them. */
  args: unknown[];
  /** The signal that takes the question back. */
  signal?: AbortSignal;
}

/** What the person answers: a value, or a function of the question that may take its time. */
export interface ScriptedAnswers {
  /** Answers `select`. */
  select?: ScriptedAnswer<string | undefined>;
  /** Answers `confirm`. */
  confirm?: ScriptedAnswer<boolean>;
  /** Answers `input`. */
  input?: ScriptedAnswer<string | undefined>;
  /** Answers `editor`. */
  editor?: ScriptedAnswer<string | undefined>;
}

/** See {@linkcode ScriptedAnswers}. */
export type ScriptedAnswer<T> = T | ((dialog: AskedDialog) => T | Promise<T>);

/** A user interface that keeps what it was asked and told. */
export interface FakeUI extends HookUIContext {
  /** All questions, in the order in which they came up. */
  readonly dialogs: AskedDialog[];
  /** All notices. */
  readonly notices: { message: string; type?: string }[];
  /** The status texts by key. */
  readonly statuses: Map<string, string>;
}

/**
 * Makes a person who answers by script. A question without a script rejects, so that no test is
 * answered by accident.
 *
 * @param script The answers.
 */
export function fakeUI(script: ScriptedAnswers = {}): FakeUI {
  const dialogs: AskedDialog[] = [];
  const notices: FakeUI["notices"] = [];
  const statuses = new Map<string, string>();
  let editorText = "";
  async function ask<T>(
    kind: AskedDialog["kind"],
    scripted: ScriptedAnswer<T> | undefined,
    args: unknown[],
    options?: DialogOptions,
  ): Promise<T> {
    const dialog: AskedDialog = { kind, args };
    if (options?.signal !== undefined) dialog.signal = options.signal;
    dialogs.push(dialog);
    if (!(kind in script)) throw new Error(`nobody has scripted an answer to ${kind}`);
    return await (isFunction(scripted) ? scripted(dialog) : scripted as T);
  }
  return {
    dialogs,
    notices,
    statuses,
    select: (title, options, dialog) => ask("select", script.select, [title, options], dialog),
    confirm: (title, message, dialog) => ask("confirm", script.confirm, [title, message], dialog),
    input: (title, hint, dialog) => ask("input", script.input, [title, hint], dialog),
    editor: (title, prefill, dialog) => ask("editor", script.editor, [title, prefill], dialog),
    custom: () => ask<undefined>("custom", undefined, []),
    notify: (message, type) =>
      void notices.push(type === undefined ? { message } : { message, type }),
    setStatus: (key, text) => {
      if (text === undefined) statuses.delete(key);
      else statuses.set(key, text);
    },
    setEditorText: (text) => {
      editorText = text;
    },
    getEditorText: () => editorText,
    theme: plainTheme,
  };
}

function isFunction<T>(
  scripted: ScriptedAnswer<T> | undefined,
): scripted is (dialog: AskedDialog) => T | Promise<T> {
  return typeof scripted === "function";
}

/** A tool that gives back what it was asked, and remembers it. */
export interface EchoTool extends AgentTool {
  /** The arguments of every run, the very objects. */
  readonly runs: Record<string, unknown>[];
}

/**
 * Makes a tool whose result is its arguments: as JSON in `content`, and a copy in `details`.
 *
 * @param name Its name.
 */
export function echoTool(name = "echo"): EchoTool {
  const runs: Record<string, unknown>[] = [];
  return {
    name,
    description: "Gives its arguments back",
    parameters: { type: "object" },
    runs,
    execute(_toolCallId, params) {
      runs.push(params);
      const text = JSON.stringify(params);
      return Promise.resolve({ content: [{ type: "text", text }], details: { ...params } });
    },
  };
}

/** The text blocks of a result, joined by line feeds. */
export function textOf(result: Pick<AgentToolResult, "content">): string {
  return result.content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
}

/** How a child process runs. */
export interface RunDenoOptions {
  /** Text or bytes for its standard input. Default: none. */
  stdin?: string | Uint8Array;
  /** Its working directory. Default: the project's folder. */
  cwd?: string;
  /** Variables to set beside those of the test. */
  env?: Record<string, string>;
  /** Its permission flags. Default: `-A`, for `deno run`. */
  permissions?: readonly string[];
  /** Its configuration file, `null` for none. Default: the project's. */
  config?: string | null;
  /** After so many milliseconds it is killed and the test fails. Default: 60 000. */
  limitMs?: number;
}

/** What a child process did. */
export interface RunDenoResult {
  /** Its exit code. */
  code: number;
  /** Its standard output. */
  stdout: string;
  /** Its error output, without colours. */
  stderr: string;
}

const PROJECT = new URL("../", import.meta.url);

/**
 * Runs `deno` with the project's configuration, so that a script in a temp folder may import the
 * project: `await runDeno(["run", script], { permissions: ["--allow-read"] })`.
 *
 * @param args The subcommand, then its arguments.
 * @param options Input, place, environment and permissions.
 */
export async function runDeno(
  args: readonly [string, ...string[]],
  options: RunDenoOptions = {},
): Promise<RunDenoResult> {
  const [subcommand, ...rest] = args;
  const { stdin, env, limitMs = 60_000 } = options;
  const permissions = options.permissions ?? (subcommand === "run" ? ["-A"] : []);
  const config = options.config === undefined
    ? ["--config", decodeURIComponent(new URL("deno.json", PROJECT).pathname)]
    : options.config === null
    ? ["--no-config"]
    : ["--config", options.config];
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), limitMs);
  const child = new Deno.Command(Deno.execPath(), {
    args: [subcommand, ...config, ...permissions, ...rest],
    cwd: options.cwd ?? decodeURIComponent(PROJECT.pathname),
    // The same words and digits on every machine, and nothing asked of the network.
    env: { LC_ALL: "C", LANG: "C", NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...env },
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    signal: giveUp.signal,
  }).spawn();
  try {
    const [output] = await Promise.all([
      child.output(),
      stdin === undefined ? undefined : writeAll(child.stdin, stdin),
    ]);
    if (giveUp.signal.aborted) throw new Error(`deno ${args.join(" ")} took over ${limitMs} ms`);
    const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
    return { code: output.code, stdout: decode(output.stdout), stderr: decode(output.stderr) };
  } finally {
    clearTimeout(timer);
  }
}

/** A child that does not read its input is no failure of the test. */
async function writeAll(
  stream: WritableStream<Uint8Array>,
  input: string | Uint8Array,
): Promise<void> {
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  const writer = stream.getWriter();
  try {
    await writer.write(bytes);
    await writer.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/**
 * Makes hosts for tests.
 *
 * @module
 */

import {
  type HookFactory,
  HookHost,
  type HookHostOptions,
  type HookLogger,
  type LoadedHook,
  loadHooks,
  type ModelPort,
  type ScriptedAnswer,
  scriptedModel,
} from "../../mod.ts";
import * as door from "../../mod.ts";
import { createHook } from "../api.ts";
import { Unexpected } from "./script.ts";
import { TestHost, type TestLogLine, type TestRecords } from "./test_host.ts";
import { scriptedPrograms, type TestPrograms } from "./test_programs.ts";
import { createTestScreen, type TestAnswers } from "./test_ui.ts";

/** A hook: the function that its file exports, or the path, `file:` URL or specifier of the file. */
export type TestHookSource = HookFactory | string | URL;

/** What a test says beforehand. */
export interface TestHostOptions {
  /** What the person answers. Absent: nobody can be asked, `ctx.hasUI` is `false`. */
  ui?: TestAnswers;
  /** What programs do. Absent: a call of `pi.exec` fails the test. */
  exec?: TestPrograms;
  /** What the model answers, one text or message after the other, or a model. Default: nothing. */
  model?: readonly ScriptedAnswer[] | ModelPort;
  /**
   * The time that the host writes into messages, in milliseconds since 1970, or as a date. The
   * clock of the hook itself, `Date.now()`, is another one.
   */
  now?: number | Date | (() => number);
  /** The working directory that hooks see, and that relative paths start from. Default `.`. */
  cwd?: string;
  /** Whatever else a host may have: tools, retries, a session. */
  host?: Partial<HookHostOptions>;
}

/**
 * Makes a host with hooks in it, and tells them `session_start`.
 *
 * @param source A hook, or several in the order in which they are loaded.
 * @param options What the test says beforehand.
 * @throws {Error} If a hook does not load.
 *
 * @example
 * ```ts
 * import { createTestHost } from "@pi-hooks/core/testing";
 *
 * const host = await createTestHost((pi) => {
 *   pi.on("session_start", async () => {
 *     const { stdout } = await pi.exec("git", ["status", "--short"]);
 *     pi.appendEntry("status", stdout);
 *   });
 * }, { exec: () => "M a.ts\n" });
 *
 * if (host.execCalls[0].command !== "git") throw new Error("git was not asked");
 * await host.close();
 * ```
 */
export async function createTestHost(
  source: TestHookSource | readonly TestHookSource[],
  options: TestHostOptions = {},
): Promise<TestHost> {
  const { cwd = ".", ui, model = [], now = 0, host: rest = {} } = options;
  const unexpected = new Unexpected();
  const screen = createTestScreen(ui ?? {}, unexpected);
  const records: TestRecords = { execCalls: [], logs: [], trace: [], errors: [], warnings: [] };
  const exec = scriptedPrograms(options.exec, records.execCalls, unexpected);
  const logger = loggerTo(records.logs);
  const hooks: LoadedHook[] = [];
  for (const [index, one] of [source].flat().entries()) {
    hooks.push(
      typeof one === "function"
        ? await hookOf(one, `test-hook-${index + 1}`, cwd, { exec, logger })
        : await fileHook(one, cwd, { exec, logger }),
    );
  }
  const clock = typeof now === "function" ? now : () => Number(now);
  const host = new HookHost({
    cwd,
    ...rest,
    hooks,
    model: typeof model === "function" ? model : scriptedModel(model),
    uiContext: ui === undefined ? rest.uiContext : screen.ui,
    clock: rest.clock ?? { now: clock, sleep: () => Promise.resolve() },
    runner: { ...rest.runner, observer: (record) => void records.trace.push(record) },
  });
  host.runner.onError((error) => void records.errors.push(error));
  host.runner.onWarning((warning) => void records.warnings.push(warning));
  const testHost = new TestHost(host, screen, records, unexpected);
  await testHost.start();
  return testHost;
}

interface Services {
  exec: ReturnType<typeof scriptedPrograms>;
  logger: HookLogger;
}

async function hookOf(
  factory: HookFactory,
  path: string,
  cwd: string,
  services: Services,
): Promise<LoadedHook> {
  const handle = createHook({ path, resolvedPath: path }, cwd);
  const version = handle.open({ ...services, typebox: undefined, namespace: { ...door } });
  await factory(version.api);
  version.commit();
  return handle.hook;
}

async function fileHook(
  source: string | URL,
  cwd: string,
  services: Services,
): Promise<LoadedHook> {
  const path = String(source);
  const { hooks, errors, warnings } = await loadHooks([path], cwd, services);
  if (errors.length > 0) throw new Error(`${path} does not load: ${errors[0].error}`);
  for (const { warning } of warnings) services.logger.warn(warning);
  return hooks[0];
}

function loggerTo(lines: TestLogLine[]): HookLogger {
  const at = (level: TestLogLine["level"]) => (message: string, data?: unknown): void => {
    lines.push({ level, message, ...data !== undefined && { data } });
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/**
 * One version of a hook: imports its module, runs its factory, within a limit of time.
 *
 * @module
 */

import type { HookHandle, HookVersion, SharedServices } from "./api.ts";
import { describeValue } from "./errors.ts";
import { isNotCapable, LoadFault, thrownFault } from "./import_fault.ts";
import { importHookModule } from "./loader_import.ts";
import type { HookFactory } from "./types.ts";

/** What a version is made with. */
export interface VersionSurroundings {
  /** What its API offers beside registration. */
  readonly services: SharedServices;
  /** Limit in milliseconds; none if zero, negative or not a number. */
  readonly timeoutMs: number;
}

/** What a hook is doing, for the text about one that hangs. */
interface Progress {
  step: string;
}

/** What a timer can wait for. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Makes a version of a hook and puts it in the place of the version before.
 *
 * @param handle The hook.
 * @param url Its module.
 * @param around Services and limit.
 * @param isReload Read its files again in any case.
 * @throws {LoadFault} If it cannot be loaded; the version before stays then.
 */
export async function loadVersion(
  handle: HookHandle,
  url: string,
  { services, timeoutMs }: VersionSurroundings,
  isReload = false,
): Promise<HookVersion> {
  const version = handle.open(services);
  const progress = { step: "importing it" };
  try {
    await withinLimit(runModule(url, version, progress, isReload), progress, timeoutMs);
  } catch (thrown) {
    version.close();
    throw thrown;
  }
  version.commit();
  return version;
}

async function runModule(
  url: string,
  version: HookVersion,
  progress: Progress,
  isReload: boolean,
): Promise<void> {
  const { default: exported } = await importHookModule(url, isReload);
  // Compiled to the form of `require`, a default export stands one level deeper.
  const factory = isRecord(exported) && exported.__esModule ? exported.default : exported;
  if (typeof factory !== "function") {
    const got = factory === undefined ? "it has none" : `its default is ${describeValue(factory)}`;
    throw new LoadFault(
      "no-default-export",
      `Hook must export a default function: ${got}. Write export default function (pi) { … }`,
    );
  }
  progress.step = "its default function";
  try {
    await (factory as HookFactory)(version.api);
  } catch (thrown) {
    const kind = isNotCapable(thrown) ? "permission" : "factory";
    throw new LoadFault(kind, `the default function failed: ${thrownFault(thrown)}`, thrown);
  }
}

async function withinLimit(
  work: Promise<void>,
  progress: Progress,
  limitMs: number,
): Promise<void> {
  if (!(limitMs > 0 && limitMs <= MAX_TIMEOUT_MS)) return await work;
  const { promise, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    const text = `it was not ready within ${limitMs} ms: ${progress.step} does not come to an end`;
    reject(new LoadFault("timeout", text));
  }, limitMs);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

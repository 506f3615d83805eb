/**
 * One version of a hook: imports its module, runs its factory, within a limit of time.
 *
 * @module
 */

import type { HookHandle, HookVersion, SharedServices } from "./api.ts";
import { describeValue } from "./errors.ts";
import { isNotCapable, LoadFault, thrownFault } from "./import_fault.ts";
import { type HookModule, importHookModule } from "./loader_import.ts";
import type { TimeLimit } from "./loader_limit.ts";
import type { HookFactory } from "./types.ts";

/** What a version is made with. */
export interface VersionSurroundings {
  /** What its API offers beside registration. */
  readonly services: SharedServices;
  /** How long it may take. */
  readonly limit: TimeLimit;
}

/** What a hook is doing, for the text about one that hangs. */
interface Progress {
  step: string;
}

/**
 * Makes a version of a hook and puts it in the place of the version before.
 *
 * @param handle The hook.
 * @param module Its module.
 * @param around Services and limit.
 * @param isReload Read its files again in any case.
 * @throws {LoadFault} If it cannot be loaded; the version before stays then.
 */
export async function loadVersion(
  handle: HookHandle,
  module: HookModule,
  { services, limit }: VersionSurroundings,
  isReload = false,
): Promise<HookVersion> {
  const version = handle.open(services);
  const progress = { step: "importing it" };
  try {
    await limit.hold(runModule(module, version, progress, isReload), () => {
      const text =
        `it was not ready within ${limit.ms} ms: ${progress.step} does not come to an end`;
      return new LoadFault("timeout", text);
    });
  } catch (thrown) {
    version.close();
    throw thrown;
  }
  version.commit();
  return version;
}

async function runModule(
  module: HookModule,
  version: HookVersion,
  progress: Progress,
  isReload: boolean,
): Promise<void> {
  const { default: exported } = await importHookModule(module, isReload);
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

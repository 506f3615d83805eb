/**
 * From paths to loaded hooks.
 *
 * Nothing is thrown out of here, whatever is in the list: each entry becomes a hook or an error,
 * and the others are loaded all the same. Imports and factories run one after the other, in the
 * order of the list.
 *
 * @module
 */

import { createHook, type HookHandle, type HookVersion } from "./api.ts";
import { execCommand } from "./deno/exec.ts";
import { processCwd } from "./deno/hook_file.ts";
import { mayReadAllFiles } from "./deno/permissions.ts";
import { describeValue, type HookLoadError, type HookLoadWarning, thrownText } from "./errors.ts";
import type { HookSource, LoadedHook } from "./hook.ts";
import { LoadFault } from "./import_fault.ts";
import type { IsolatedLoad } from "./isolation/isolate.ts";
import { findModule, type FoundModule, surroundings } from "./loader_find.ts";
import { doorNamespace } from "./loader_import.ts";
import { consoleLogger, type LoadHooksOptions } from "./loader_options.ts";
import { loadVersion, type VersionSurroundings } from "./loader_version.ts";
import type { PathSurroundings } from "./path.ts";
import { TimeLimit } from "./loader_limit.ts";
export type { LoadHooksOptions } from "./loader_options.ts";

/** What came of loading a list of hooks. */
export interface LoadHooksResult {
  /** The hooks that were loaded, in the order of the list. */
  hooks: LoadedHook[];
  /** The entries that were not, each with its reason. */
  errors: HookLoadError[];
  /** What looked odd. */
  warnings: HookLoadWarning[];
}

/** An entry of the list: a path, and where it was found. */
export interface HookEntry {
  /** The path; anything that is not one becomes an error. */
  path: unknown;
  /** Where it was found. */
  source?: HookSource;
}

/** What one call of the loader works with. */
interface Loading extends VersionSurroundings {
  readonly around: PathSurroundings;
  readonly result: LoadHooksResult;
  /** Real path or specifier of each entry so far, with the path that was given first. */
  readonly seen: Map<string, string>;
}

/** How to load a hook again. */
interface Origin {
  readonly entry: HookEntry;
  readonly loading: Loading;
  /** What it runs in: this process, or one of its own. */
  readonly place: HookHandle | IsolatedLoad;
}

const ORIGINS = new WeakMap<LoadedHook, Origin>();
const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Loads hooks, in order. A file that stands in the list twice, under whatever spelling, is loaded
 * once, at its first place. All are looked at before the first is imported.
 *
 * Hooks that are not isolated run in this process, with its permissions: one that calls `Deno.exit`
 * while it is imported ends it. An import of theirs that needs a permission may make Deno ask on the
 * terminal; a host that does not want that runs with `--no-prompt`.
 *
 * @param paths Absolute paths, paths from `~` or from `cwd`, `file:` URLs, or `https:`, `jsr:` and
 * `npm:` specifiers.
 * @param cwd What relative paths start from, and where `pi.exec` runs.
 * @param options Limits and services.
 * @returns Hooks, errors and warnings. Never rejects.
 *
 * @example
 * ```ts
 * import { loadHooks } from "@pi-hooks/core";
 *
 * const { hooks, errors } = await loadHooks(["./no-such-hook.ts"], ".");
 * if (hooks.length !== 0 || errors[0].kind !== "not-found") throw new Error("unexpected");
 * ```
 */
export function loadHooks(
  paths: readonly unknown[],
  cwd: string,
  options: LoadHooksOptions = {},
): Promise<LoadHooksResult> {
  return loadHookEntries(listOf(paths).map((path) => ({ path })), cwd, options);
}

/**
 * Loads hooks that were found somewhere; see {@linkcode loadHooks}.
 *
 * @param entries Paths, with where they were found.
 * @param cwd What relative paths start from.
 * @param options Limits and services.
 */
export async function loadHookEntries(
  entries: readonly HookEntry[],
  cwd: string,
  options: LoadHooksOptions = {},
): Promise<LoadHooksResult> {
  const loading = await begin(cwd, options);
  using _ = loading.limit;
  // All are looked at before the first is imported: in one go that takes half the time.
  const isReadGranted = mayReadAllFiles();
  const found = entries.map((entry) => findModule(entry.path, loading.around, isReadGranted));
  const isolated = await startIsolated(entries, found, loading, options);
  for (const [index, entry] of entries.entries()) {
    await loadEntry(entry, found[index], loading, isolated.get(index));
  }
  return loading.result;
}

/**
 * Loads a hook again after its file, or a file that it imports, has changed. Its new handlers take
 * the place of the old ones, and nothing of the old version stays behind. If the new version does
 * not load, the old one goes on guarding. What is odd about the new one goes to the log.
 *
 * What a hook imports from the net or from a package in `node_modules` is not loaded anew, and Deno
 * keeps the old versions in memory. In `deno test`, an operation `op_module_hooks_poll_load` stays
 * open afterwards: such a test has `sanitizeOps: false`.
 *
 * @param hook A hook that `loadHooks` made.
 * @returns What went wrong, `undefined` if it was loaded.
 * @throws {TypeError} If the hook was not made by the loader.
 */
export async function reloadHook(hook: LoadedHook): Promise<HookLoadError | undefined> {
  const origin = ORIGINS.get(hook);
  if (origin === undefined) {
    throw new TypeError(`Cannot reload "${hook.path}": it was not made by loadHooks`);
  }
  const { place, entry, loading } = origin;
  try {
    const found = findModule(entry.path, loading.around);
    if (found instanceof LoadFault) throw found;
    // Several hooks may be loaded again at the same time.
    using limit = new TimeLimit(loading.limit.ms);
    const warnings = "reload" in place
      ? await place.reload()
      : warningsAbout(hook.path, await loadVersion(place, found, { ...loading, limit }, true));
    hook.resolvedPath = found.key;
    for (const { path, warning } of warnings) {
      loading.services.logger.warn(`${path}: ${warning}`);
    }
  } catch (thrown) {
    return loadError(hook.path, thrown);
  }
}

/** The entries of whatever stands in the place of a list. */
function listOf(paths: unknown): unknown[] {
  try {
    if (typeof paths === "object" && paths !== null && Symbol.iterator in paths) {
      return Array.from(paths as Iterable<unknown>);
    }
  } catch {
    // What cannot be gone through is no list, and no path either.
  }
  return [paths];
}

async function begin(cwd: string, options: LoadHooksOptions | null): Promise<Loading> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, logger, typebox, exec } = options ?? {};
  const around = surroundings(cwd, options?.home);
  return {
    around,
    limit: new TimeLimit(timeoutMs),
    services: {
      exec: exec ?? execCommand,
      logger: logger ?? consoleLogger,
      typebox,
      namespace: await doorNamespace(),
    },
    result: { hooks: [], errors: [], warnings: [] },
    seen: new Map(),
  };
}

/** The processes of isolated hooks are started at once and early, by their place in the list. */
async function startIsolated(
  entries: readonly HookEntry[],
  found: readonly (FoundModule | LoadFault)[],
  { around, limit, services: { logger } }: Loading,
  options: LoadHooksOptions,
): Promise<ReadonlyMap<number, Promise<IsolatedLoad>>> {
  if (!options?.isolate) return new Map();
  const { startAll } = await import("./isolation/isolate.ts");
  const hooks = entries.map((entry, index) => {
    const module = found[index];
    if (module instanceof LoadFault) return undefined;
    return { ...identityOf(entry, module), url: module.url };
  });
  const cwd = around.cwd || processCwd();
  return startAll(hooks, options, { cwd, timeoutMs: limit.ms, logger, exec: options.exec });
}

function identityOf(
  { path, source }: HookEntry,
  { key }: FoundModule,
): Pick<LoadedHook, "path" | "resolvedPath" | "source"> {
  return { path: pathText(path), resolvedPath: key, ...source && { source } };
}

function pathText(path: unknown): string {
  return typeof path === "string" ? path : describeValue(path);
}

async function loadEntry(
  entry: HookEntry,
  found: FoundModule | LoadFault,
  loading: Loading,
  isolated?: Promise<IsolatedLoad>,
): Promise<void> {
  const { hooks, errors, warnings } = loading.result;
  const path = pathText(entry.path);
  try {
    if (found instanceof LoadFault) throw found;
    const first = loading.seen.get(found.key);
    if (first !== undefined) {
      const warning = `Skipped: it is the same file as "${first}", which stands before it.`;
      warnings.push({ path, warning, kind: "skipped" });
      return;
    }
    loading.seen.set(found.key, path);
    if (isolated !== undefined) {
      const place = await isolated;
      ORIGINS.set(place.hook, { place, entry, loading });
      hooks.push(place.hook);
      warnings.push(...place.warnings);
      return;
    }
    const place = createHook(identityOf(entry, found), loading.around.cwd || processCwd());
    const version = await loadVersion(place, found, loading);
    ORIGINS.set(place.hook, { place, entry, loading });
    hooks.push(place.hook);
    warnings.push(...warningsAbout(path, version));
  } catch (thrown) {
    errors.push(loadError(path, thrown));
  }
}

function warningsAbout(path: string, version: HookVersion): HookLoadWarning[] {
  const warnings = version.unknownEvents.map((warning): HookLoadWarning => {
    return { path, warning, kind: "unknown-event" };
  });
  if (version.isEmpty()) {
    const warning = "It registered nothing: no handler, no command, no renderer.";
    warnings.push({ path, warning, kind: "nothing-registered" });
  }
  return warnings;
}

function loadError(path: string, thrown: unknown): HookLoadError {
  if (!(thrown instanceof LoadFault)) {
    return { path, kind: "import", error: thrownText(thrown), cause: thrown };
  }
  const error: HookLoadError = { path, kind: thrown.kind, error: thrown.message };
  if (thrown.cause !== undefined) error.cause = thrown.cause;
  return error;
}

/**
 * From paths to loaded hooks. The only place that imports a hook.
 *
 * Nothing is thrown out of here, whatever is in the list: each entry becomes a hook or an error,
 * and the others are loaded all the same. Imports and factories run one after the other, in the
 * order of the list.
 *
 * @module
 */

import { createHook, type HookHandle, type HookVersion, type SharedServices } from "./api.ts";
import { homeFolder } from "./deno/environment.ts";
import { execCommand } from "./deno/exec.ts";
import { inspectHookFile, IS_WINDOWS, processCwd } from "./deno/hook_file.ts";
import { missingPermission } from "./deno/permissions.ts";
import {
  describeValue,
  type HookLoadError,
  type HookLoadErrorKind,
  type HookLoadWarning,
  thrownText,
} from "./errors.ts";
import type { HookSource, LoadedHook } from "./hook.ts";
import { type ImportFault, importFault } from "./import_fault.ts";
import { HOST_PACKAGES, installedPackageHooks, installPackageHooks } from "./loader_packages.ts";
import { fileUrlOf, locateHook, moduleNameFault, type PathSurroundings } from "./path.ts";
import type { HookFactory, HookLogger } from "./types.ts";

/** Options of loading. */
export interface LoadHooksOptions {
  /** What `~` stands for. Default: `HOME` or `USERPROFILE`, if Deno may read it. */
  home?: string;
  /** Limit for importing a hook and running its factory, in milliseconds. Default: 10 000. */
  timeoutMs?: number;
  /** The log for `pi.logger`. Default: warnings and errors go to the console's error output. */
  logger?: HookLogger;
  /** The module `@sinclair/typebox`, for hooks that read `pi.typebox`. */
  typebox?: unknown;
}

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
interface Loading {
  readonly cwd: string;
  readonly around: PathSurroundings;
  readonly timeoutMs: number;
  readonly services: SharedServices;
  readonly result: LoadHooksResult;
  /** Real path or specifier of each entry so far, with the path that was given first. */
  readonly seen: Map<string, string>;
}

/** How to load a hook again. */
interface Origin {
  readonly handle: HookHandle;
  readonly url: string;
  readonly loading: Loading;
}

const ORIGINS = new WeakMap<LoadedHook, Origin>();
/** What `pi.pi` is. */
const DOOR_URL = new URL("../mod.ts", import.meta.url).href;
const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TYPE_NAMES = 50;
let versions = 0;

/** A failure on the way of one entry. */
class LoadFault extends Error {
  constructor(readonly kind: HookLoadErrorKind, text: string, cause?: unknown) {
    super(text, { cause });
  }
}

/**
 * Loads hooks, in order. A file that stands in the list twice, under whatever spelling, is loaded
 * once, at its first place.
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
  return loadHookEntries(
    Array.isArray(paths) ? paths.map((path) => ({ path })) : [{ path: paths }],
    cwd,
    options,
  );
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
  for (const entry of entries) await loadEntry(entry, loading);
  return loading.result;
}

/**
 * Loads a hook again after its file, or a file that it imports, has changed. Its new handlers take
 * the place of the old ones, and nothing of the old version stays behind. If the new version does
 * not load, the old one goes on guarding.
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
  const { handle, loading } = origin;
  try {
    let { url } = origin;
    if (url.startsWith("file:")) {
      url = nextVersion(url);
      (await packageHooks()).addRoot(url);
    }
    await loadVersion(handle, url, loading);
  } catch (thrown) {
    return loadError(hook.path, thrown);
  }
}

async function begin(cwd: string, options: LoadHooksOptions): Promise<Loading> {
  const home = options.home ?? homeFolder();
  const base = { cwd: processCwd(), home, isWindows: IS_WINDOWS };
  const folder = locateHook(cwd, base);
  const namespace = await import(DOOR_URL);
  const around = { ...base, cwd: folder.kind === "file" ? folder.path : base.cwd };
  return {
    cwd: around.cwd,
    around,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    services: {
      exec: execCommand,
      logger: options.logger ?? consoleLogger,
      typebox: options.typebox,
      namespace,
    },
    result: { hooks: [], errors: [], warnings: [] },
    seen: new Map(),
  };
}

async function loadEntry(entry: HookEntry, loading: Loading): Promise<void> {
  const { hooks, errors, warnings } = loading.result;
  const path = typeof entry.path === "string" ? entry.path : describeValue(entry.path);
  try {
    const found = find(entry.path, loading.around);
    const first = loading.seen.get(found.key);
    if (first !== undefined) {
      const warning = `Skipped: it is the same file as "${first}", which stands before it.`;
      warnings.push({ path, warning, kind: "skipped" });
      return;
    }
    loading.seen.set(found.key, path);
    const identity = { path, resolvedPath: found.key, ...entry.source && { source: entry.source } };
    const handle = createHook(identity, loading.cwd);
    const version = await loadVersion(handle, found.url, loading);
    ORIGINS.set(handle.hook, { handle, url: found.url, loading });
    hooks.push(handle.hook);
    for (const warning of version.unknownEvents) {
      warnings.push({ path, warning, kind: "unknown-event" });
    }
    if (version.isEmpty) {
      const warning = "It registered nothing: no handler, no command, no renderer.";
      warnings.push({ path, warning, kind: "nothing-registered" });
    }
  } catch (thrown) {
    errors.push(loadError(path, thrown));
  }
}

/** Where the module of an entry is, and what makes it the same as another one. */
function find(entry: unknown, around: PathSurroundings): { url: string; key: string } {
  const location = locateHook(entry, around);
  if (location.kind === "fault") throw new LoadFault("path", location.fault);
  if (location.kind === "remote") {
    const { specifier } = location;
    assertMayImport(specifier);
    return { url: specifier, key: specifier };
  }
  const file = inspectHookFile(location.path);
  if (!file.isFile) throw new LoadFault(file.kind, file.fault);
  const fault = moduleNameFault(location.path);
  if (fault !== undefined) throw new LoadFault("not-a-module", fault);
  return { url: fileUrlOf(file.importPath, IS_WINDOWS), key: file.realPath };
}

function assertMayImport(specifier: string): void {
  if (!/^https?:/i.test(specifier)) return;
  const host = new URL(specifier).host;
  const flag = missingPermission({ name: "import", host });
  if (flag !== undefined) {
    throw new LoadFault("permission", `Deno may not import from ${host}: run with ${flag}`);
  }
}

/** Imports a module, runs its factory, and puts the outcome in the place of the version before. */
async function loadVersion(
  handle: HookHandle,
  url: string,
  loading: Loading,
): Promise<HookVersion> {
  const version = handle.open(loading.services);
  try {
    await withinLimit(runModule(url, version), loading.timeoutMs);
  } catch (thrown) {
    version.close();
    throw thrown;
  }
  version.commit();
  return version;
}

async function runModule(url: string, version: HookVersion): Promise<void> {
  const { default: factory } = await importModule(url);
  if (typeof factory !== "function") {
    const got = factory === undefined ? "it has none" : `its default is ${describeValue(factory)}`;
    throw new LoadFault(
      "no-default-export",
      `Hook must export a default function: ${got}. Write export default function (pi) { … }`,
    );
  }
  try {
    await (factory as HookFactory)(version.api);
  } catch (thrown) {
    const kind = (thrown as Error)?.name === "NotCapable" ? "permission" : "factory";
    throw new LoadFault(kind, `the default function failed: ${thrownText(thrown)}`, thrown);
  }
}

/**
 * Imports a module as it stands; if an import in it cannot be resolved, once more with the
 * mappings of the host packages; if it asks them for a type without saying `type`, once more with
 * a stand-in for that type.
 */
async function importModule(url: string): Promise<Record<string, unknown>> {
  let specifier = url;
  const installed = await installedPackageHooks();
  installed?.addRoot(url);
  let isMapped = installed !== undefined;
  for (let retries = 0;; retries++) {
    try {
      return await import(specifier);
    } catch (thrown) {
      const fault = importFault(thrown);
      const typeName = missingTypeName(fault);
      const mayHelp = typeName !== undefined || (fault.isResolution && !isMapped);
      if (!mayHelp || !url.startsWith("file:") || retries > MAX_TYPE_NAMES) {
        throw new LoadFault(fault.kind, fault.text.replace(/^Error: /, ""), thrown);
      }
      const packages = await packageHooks();
      if (typeName !== undefined) {
        packages.addTypeName(typeName);
        specifier = nextVersion(url);
      }
      packages.addRoot(specifier);
      isMapped = true;
    }
  }
}

/** Classes and types begin with a capital; a missing function stays an error. */
function missingTypeName({ missingExport }: ImportFault): string | undefined {
  if (missingExport === undefined || !HOST_PACKAGES.includes(missingExport.specifier)) return;
  return /^[A-Z]/.test(missingExport.name) ? missingExport.name : undefined;
}

/** A specifier that was not imported yet: Deno keeps what it has imported, also failures. */
function nextVersion(url: string): string {
  const versioned = new URL(url);
  versioned.searchParams.set("v", String(++versions));
  return versioned.href;
}

function packageHooks(): ReturnType<typeof installPackageHooks> {
  return installPackageHooks(new URL("./host_surface.ts", import.meta.url).href, isFileUrl);
}

function isFileUrl(url: string): boolean {
  const location = locateHook(url.replace(/[?#].*$/, ""), {
    cwd: "/",
    home: undefined,
    isWindows: IS_WINDOWS,
  });
  return location.kind === "file" && inspectHookFile(location.path).isFile;
}

async function withinLimit(work: Promise<void>, limitMs: number): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    const text = `it was not ready within ${limitMs} ms: importing or the default function hangs`;
    reject(new LoadFault("timeout", text));
  }, limitMs);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function loadError(path: string, thrown: unknown): HookLoadError {
  if (!(thrown instanceof LoadFault)) {
    return { path, kind: "import", error: thrownText(thrown), cause: thrown };
  }
  const error: HookLoadError = { path, kind: thrown.kind, error: thrown.message };
  if (thrown.cause !== undefined) error.cause = thrown.cause;
  return error;
}

/** Everything to the error output: standard output belongs to answers. */
const consoleLogger: HookLogger = {
  debug: () => {},
  info: () => {},
  warn: (message, data) => console.error(message, ...data === undefined ? [] : [data]),
  error: (message, data) => console.error(message, ...data === undefined ? [] : [data]),
};

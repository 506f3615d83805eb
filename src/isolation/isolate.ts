/**
 * From a hook file and a grant to an isolated hook.
 *
 * @module
 */

import { homeFolder } from "../deno/environment.ts";
import { folderOf, type ModuleGraph, readModuleGraph, realPlace } from "../deno/isolation_graph.ts";
import { isolationRefusal } from "../deno/isolation_process.ts";
import { type HookLoadWarning, thrownText } from "../errors.ts";
import type { HookSource, LoadedHook } from "../hook.ts";
import { LoadFault } from "../import_fault.ts";
import type { HookLogger } from "../types.ts";
import type { HostServices } from "./host_asks.ts";
import { IsolatedHook, type IsolatedHookOptions } from "./isolated_hook.ts";
import {
  joinPermissions,
  mayImport,
  notGranted,
  permissionFlags,
  type PermissionPlace,
  placePermissions,
} from "./permission_grant.ts";
import { type HookPermissions, readPermissionHead } from "./permission_head.ts";

/** A hook, as far as it is known before it is loaded. */
export interface HookToIsolate {
  /** The path as it was given. */
  path: string;
  /** The real file path, or the specifier. */
  resolvedPath: string;
  /** Where it was found. */
  source?: HookSource;
}

/**
 * What an isolated hook gets: `asked` for what its head asks for, a set for just that, or a function
 * that decides for each hook; `false` refuses to load it. Default: nothing.
 */
export type PermissionGrant =
  | "asked"
  | HookPermissions
  | ((asked: HookPermissions, hook: HookToIsolate) => HookPermissions | false);

/** How hooks are isolated. */
export interface IsolateOptions {
  /** Which hooks run in a process of their own. Default: none. */
  isolate?: boolean | ((hook: HookToIsolate) => boolean);
  /** What they get beside reading their own modules. */
  permissions?: PermissionGrant;
  /** How long a handler of an isolated hook may take, in milliseconds. Default 30 000. */
  isolatedTimeoutMs?: number;
  /** Limit of the heap of an isolated hook, in megabytes. Default 256. */
  isolatedHeapMb?: number;
}

/** What the loader knows. */
export interface IsolationSurroundings {
  /** What `$CWD` is. */
  cwd: string;
  /** Limit for loading, in milliseconds. */
  timeoutMs: number;
  /** The log of the host. */
  logger: HookLogger;
  /** Runs commands in the place of the hook's process, if the host wants that. */
  exec: HostServices["exec"];
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_HEAP_MB = 256;

/** What hooks write to look at the session, and at what `mod.ts` exports. */
const LOOKS_AT_SESSION = /sessionManager/;
const LOOKS_AT_DOOR = /\.\s*pi\b|[{,]\s*pi\s*[:,}]/;

/**
 * Starts the processes of all hooks that are to be isolated, side by side.
 *
 * @param hooks The hooks in order, `undefined` for what is none.
 * @param options The options of loading.
 * @param around What the loader knows.
 * @returns The hooks that are isolated, by their place in the list.
 */
export function startAll(
  hooks: readonly (HookToIsolate & { url: string } | undefined)[],
  options: IsolateOptions,
  around: IsolationSurroundings,
): Map<number, Promise<IsolatedLoad>> {
  const started = new Map<number, Promise<IsolatedLoad>>();
  const seen = new Set<string>();
  for (const [index, hook] of hooks.entries()) {
    if (hook === undefined || seen.has(hook.resolvedPath)) continue;
    seen.add(hook.resolvedPath);
    const { url, ...identity } = hook;
    const load = decide(identity, options) && loadIsolated(identity, url, options, around);
    if (load === false) continue;
    // Each is awaited in its turn.
    load.catch(() => {});
    started.set(index, load);
  }
  return started;
}

/** A decision that fails is no reason to trust. */
function decide(hook: HookToIsolate, { isolate }: IsolateOptions): boolean {
  if (typeof isolate !== "function") return isolate === true;
  try {
    return isolate(hook) !== false;
  } catch {
    return true;
  }
}

/** An isolated hook, and what looked odd. */
export interface IsolatedLoad {
  /** For the runner. */
  hook: LoadedHook;
  /** What looked odd. */
  warnings: HookLoadWarning[];
  /** Loads it again, with its permissions as its head asks for them now. */
  reload(): Promise<HookLoadWarning[]>;
}

/**
 * Loads a hook in a process of its own.
 *
 * @param hook The hook.
 * @param url Its module.
 * @param options The options of loading.
 * @param around What the loader knows.
 * @throws {LoadFault} If it does not load.
 */
async function loadIsolated(
  hook: HookToIsolate,
  url: string,
  options: IsolateOptions,
  around: IsolationSurroundings,
): Promise<IsolatedLoad> {
  const refusal = isolationRefusal();
  if (refusal !== undefined) throw new LoadFault("permission", refusal);
  const plan = planOf(hook, url, options, around);
  const { isolated, table } = await IsolatedHook.start(plan.options);
  const warnings = [...plan.warnings, ...warningsOf(hook.path, table)];
  return {
    hook: isolated.hook,
    warnings,
    reload: async () => {
      const again = planOf(hook, url, options, around);
      const { unknownEvents, isEmpty } = await isolated.reload(again.options);
      return [...again.warnings, ...warningsOf(hook.path, { unknownEvents, isEmpty })];
    },
  };
}

function planOf(
  hook: HookToIsolate,
  url: string,
  options: IsolateOptions,
  { cwd, timeoutMs, logger, exec }: IsolationSurroundings,
): { options: IsolatedHookOptions; warnings: HookLoadWarning[] } {
  const isFile = url.startsWith("file:");
  const graph = isFile ? readModuleGraph(hook.resolvedPath) : remoteGraph();
  const { asked, faults } = readPermissionHead(graph.head);
  if (faults.length > 0) throw new LoadFault("permission", faults.join("; "));
  const place: PermissionPlace = {
    cwd,
    home: homeFolder(),
    hookFolder: isFile ? folderOf(hook.resolvedPath) : cwd,
  };
  const granted = grantOf(asked, hook, options.permissions);
  const own: HookPermissions = isFile ? { read: graph.paths } : { import: [hostOf(url)] };
  let permissions: HookPermissions;
  try {
    permissions = joinPermissions(own, placePermissions(granted, place));
    assertNoLinks(granted, place);
  } catch (thrown) {
    throw new LoadFault("permission", thrownText(thrown), thrown);
  }
  const missing = notGranted(asked, granted);
  const warning = `It asks for ${missing}, which is not granted: what needs that will fail.`;
  return {
    warnings: missing === "" ? [] : [{ path: hook.path, warning, kind: "not-granted" }],
    options: {
      identity: hook,
      process: {
        flags: permissionFlags(permissions),
        env: permissions.all === true ? true : permissions.env ?? [],
        heapMb: options.isolatedHeapMb ?? DEFAULT_HEAP_MB,
        npm: mayImport(permissions, "npm") || url.startsWith("npm:"),
        remote: mayImport(permissions, "remote"),
      },
      load: {
        url,
        cwd,
        timeoutMs,
        needsDoor: graph.hasUnseen || LOOKS_AT_DOOR.test(graph.text),
        isHostExec: exec !== undefined,
        mayReadKeys: permissions.all === true || permissions.keys !== undefined,
      },
      limitMs: options.isolatedTimeoutMs ?? DEFAULT_TIMEOUT_MS,
      followsSession: graph.hasUnseen || LOOKS_AT_SESSION.test(graph.text),
      logger,
      exec,
    },
  };
}

function remoteGraph(): ModuleGraph {
  return { paths: [], head: "", text: "", hasUnseen: true };
}

function hostOf(url: string): string {
  if (url.startsWith("npm:")) return "npm";
  return url.startsWith("jsr:") ? "jsr.io" : new URL(url).host;
}

function grantOf(
  asked: HookPermissions,
  hook: HookToIsolate,
  grant: PermissionGrant | undefined,
): HookPermissions {
  if (grant === "asked") return asked;
  const granted = typeof grant === "function" ? grant(asked, hook) : grant ?? {};
  if (granted === false) throw new LoadFault("permission", "this host refuses what it asks for");
  return granted;
}

/**
 * Deno compares paths as they are written. A path that leads out of the folder it seems to be in is
 * refused here, so that nobody grants one place and gives another.
 */
function assertNoLinks(granted: HookPermissions, place: PermissionPlace): void {
  for (const name of ["read", "write"] as const) {
    const value = granted[name];
    for (const path of value === true ? [] : value ?? []) {
      if (path.startsWith("/")) continue;
      const base = path.startsWith("$CWD")
        ? place.cwd
        : path.startsWith("~")
        ? place.home ?? "/"
        : place.hookFolder;
      const [full] = placePermissions({ read: [path] }, place).read as string[];
      if (full !== base && !full.startsWith(`${base}/`)) continue;
      const real = realPlace(full);
      const expected = realPlace(base) + full.slice(base.length);
      if (real !== expected) {
        throw new TypeError(`${name}=${path} leads to ${real} through a link: name that place`);
      }
    }
  }
}

function warningsOf(
  path: string,
  { unknownEvents, isEmpty }: { unknownEvents: readonly string[]; isEmpty: boolean },
): HookLoadWarning[] {
  const warnings = unknownEvents.map((warning): HookLoadWarning => {
    return { path, warning, kind: "unknown-event" };
  });
  if (isEmpty) {
    const warning = "It registered nothing: no handler, no command, no renderer.";
    warnings.push({ path, warning, kind: "nothing-registered" });
  }
  return warnings;
}

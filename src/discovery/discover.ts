/**
 * Finds hooks in the folders of the person and of the project, and loads them.
 *
 * @module
 */

import { homeFolder } from "../deno/environment.ts";
import { IS_WINDOWS, processCwd } from "../deno/hook_file.ts";
import type { HookLoadWarning } from "../errors.ts";
import {
  type HookEntry,
  loadHookEntries,
  type LoadHooksOptions,
  type LoadHooksResult,
} from "../loader.ts";
import { locateHook, type PathSurroundings } from "../path.ts";
import { loadCapability } from "./capabilities.ts";
import type { HookItem } from "./hook_item.ts";
import type { FoundMark } from "./capability.ts";

/** Options of finding and loading hooks. */
export interface DiscoverOptions extends LoadHooksOptions {
  /**
   * Whether hooks that lie in the project folder may be run. Default: `true`, the host decides. A
   * host that opens folders of strangers asks first and says `false` until the person agrees.
   */
  trustProject?: boolean;
  /** Ask these providers only, even if they are disabled. */
  providers?: readonly string[];
  /** Do not ask these providers. */
  excludeProviders?: readonly string[];
}

/** A hook file that was found, and who found it. */
export type FoundHook = HookItem & FoundMark;

/** What was found, without anything being run. */
export interface DiscoveredHooks {
  /** The hooks to load, in order. */
  items: FoundHook[];
  /** Hooks that another one of the same type, tool and name comes before. */
  shadowed: FoundHook[];
  /** Hooks of a project that is not trusted. They do not shadow others. */
  untrusted: FoundHook[];
  /** What looked odd: shadowed, untrusted and skipped files, providers that failed. */
  warnings: HookLoadWarning[];
}

/**
 * Lists the hooks that would be found, without importing any of them.
 *
 * @param cwd The project folder; a relative one starts from the working directory of the process.
 * @param options Home folder, trust, providers.
 * @returns What was found. Never rejects.
 *
 * @example
 * ```ts
 * import { discoverHooks } from "@pi-hooks/core";
 *
 * for (const { path, provider } of (await discoverHooks(".")).items) console.log(provider, path);
 * ```
 */
export async function discoverHooks(
  cwd: string,
  options: DiscoverOptions = {},
): Promise<DiscoveredHooks> {
  const around = surroundings(cwd, options);
  const mayUse = options.trustProject ?? true;
  const { items, all, refused, warnings } = await loadCapability<HookItem>("hooks", {
    cwd: around.cwd,
    home: around.home,
    providers: options.providers,
    excludeProviders: options.excludeProviders,
    accept: ({ level }) => mayUse || level !== "project",
  });
  const shadowed = all.filter((item) => item.shadowed);
  return {
    items,
    shadowed,
    untrusted: refused,
    warnings: [...warnings, ...shadowed.map(shadowedWarning), ...refused.map(untrustedWarning)],
  };
}

/**
 * Loads the hooks that discovery finds, then the configured ones. A file that is in both lists is
 * loaded once, at its first place.
 *
 * Nothing is thrown: what cannot be loaded is an error in the result, what looks odd is a warning,
 * and the other hooks are loaded all the same.
 *
 * @param configuredPaths Paths and specifiers as {@linkcode loadHooks} takes them. They are loaded
 * whether or not the project is trusted.
 * @param cwd The project folder; relative paths start from it.
 * @param options Home folder, trust, providers, limits.
 *
 * @example
 * ```ts
 * import { discoverAndLoadHooks } from "@pi-hooks/core";
 *
 * const { errors, warnings } = await discoverAndLoadHooks([], ".", { trustProject: false });
 * for (const { path, error } of errors) console.error(`${path}: ${error}`);
 * for (const { path, warning } of warnings) console.error(`${path}: ${warning}`);
 * ```
 */
export async function discoverAndLoadHooks(
  configuredPaths: readonly unknown[],
  cwd: string,
  options: DiscoverOptions = {},
): Promise<LoadHooksResult> {
  const around = surroundings(cwd, options);
  const { items, warnings } = await discoverHooks(cwd, options);
  const entries: HookEntry[] = items.map(({ path, provider, level, type, tool }) => ({
    path,
    source: { provider, level, type, tool },
  }));
  const known = new Set(items.map((item) => item.path));
  for (const path of Array.isArray(configuredPaths) ? configuredPaths : [configuredPaths]) {
    const location = locateHook(path, around);
    if (location.kind !== "fault") {
      const key = location.kind === "file" ? location.path : location.specifier;
      if (known.has(key)) continue;
      known.add(key);
    }
    entries.push({ path, source: { provider: "configured" } });
  }
  const result = await loadHookEntries(entries, around.cwd, { ...options, home: around.home });
  return { ...result, warnings: [...warnings, ...result.warnings] };
}

/** The same view of the file system for discovery and for the loader. */
function surroundings(cwd: string, options: DiscoverOptions): PathSurroundings {
  const base = {
    cwd: processCwd(),
    home: options.home ?? homeFolder(),
    isWindows: IS_WINDOWS,
  };
  const location = locateHook(cwd, base);
  return location.kind === "file" ? { ...base, cwd: location.path } : base;
}

function shadowedWarning({ path, shadowedBy }: FoundHook): HookLoadWarning {
  const warning = `Not loaded: "${shadowedBy}" has the same type, tool and name and comes first.`;
  return { path, warning, kind: "shadowed" };
}

function untrustedWarning({ path }: FoundHook): HookLoadWarning {
  const warning = "Not loaded: it comes with the project folder, which is not trusted. Read it, " +
    "then trust the folder or name the file.";
  return { path, warning, kind: "untrusted" };
}

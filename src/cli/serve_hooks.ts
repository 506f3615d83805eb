/**
 * Loads the hooks that guard a foreign agent. What is not loaded is a fault: a guard that is not
 * there must not look like one that has no objection.
 *
 * @module
 */

import type { ServedHooks } from "../agents/answer.ts";
import type { IsolateOptions } from "../isolation/isolate.ts";
import type { LoadHooksResult } from "../loader.ts";
import { isolationOf } from "./hook_permissions.ts";
import type { ParsedOptions } from "./options.ts";

/**
 * The folder that relative paths of hooks start from: `--cwd`, else the project folder that the
 * agent names in its environment, else the working directory. Not the folder where the agent's last
 * `cd` has led.
 *
 * @param options The options.
 * @param variables Names of variables, the best first.
 */
export function baseFolder(options: ParsedOptions, variables: readonly string[]): string {
  const given = options.value("cwd");
  // Absolute, because a hook may change the working directory of the process.
  if (given !== undefined) return isFolder(given) ? Deno.realPathSync(given) : given;
  for (const name of variables) {
    const folder = Deno.env.get(name);
    if (folder !== undefined && isFolder(folder)) return folder;
  }
  return Deno.cwd();
}

/**
 * Whether a path is that of a folder.
 *
 * @param path The path.
 */
export function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** Which hooks are to be loaded. */
export interface HookChoice {
  /** The named ones. */
  paths: readonly string[];
  /** Whether those are all. */
  isAlone: boolean;
  /** Whether those that the project ships may be run. */
  trustsProject: boolean;
  /** The folder that relative paths start from. */
  base: string;
  /** How they are isolated. */
  isolation: IsolateOptions;
}

/**
 * The hooks that the command line wants.
 *
 * @param options The options.
 * @param base The folder that relative paths start from.
 */
export function chosenHooks(options: ParsedOptions, base: string): HookChoice {
  return {
    paths: options.values("hook"),
    isAlone: options.has("no-discovery"),
    trustsProject: options.has("trust"),
    base,
    isolation: isolationOf(options),
  };
}

/**
 * Loads hooks.
 *
 * @param choice Which.
 */
export async function loadServedHooks(choice: HookChoice): Promise<ServedHooks> {
  const { paths, base, isAlone, trustsProject, isolation } = choice;
  const complaints: string[] = [];
  let loaded: LoadHooksResult;
  if (isAlone) {
    const { loadHooks } = await import("../loader.ts");
    loaded = await loadHooks(paths, base, isolation);
  } else {
    const { discoverAndLoadHooks } = await import("../discovery/discover.ts");
    const { mayLoadProjectHooks } = await import("./trust.ts");
    const trustProject = await mayLoadProjectHooks(
      trustsProject,
      base,
      (text) => complaints.push(text),
    );
    loaded = await discoverAndLoadHooks(paths, base, { ...isolation, trustProject });
  }
  const untrusted = loaded.warnings.filter(({ kind }) => kind === "untrusted");
  const faults = [
    ...loaded.errors.map(({ path, kind, error }) =>
      `Hook "${path}" was not loaded (${kind}): ${error}`
    ),
    ...untrusted.map(({ path, warning }) => `Hook "${path}" was not loaded: ${warning}`),
  ];
  if (loaded.hooks.length === 0 && faults.length === 0) {
    faults.push("No hook was loaded: name one with --hook PATH");
  }
  const warnings = loaded.warnings.filter(({ kind }) => kind !== "untrusted")
    .map(({ path, warning }) => `${path}: ${warning}`);
  return { hooks: loaded.hooks, faults, warnings: [...complaints, ...warnings] };
}

/**
 * From an entry of the list to the module that is imported for it.
 *
 * @module
 */

import { homeFolder, mayReadHomeFolder } from "./deno/environment.ts";
import { inspectHookFile, IS_WINDOWS, processCwd } from "./deno/hook_file.ts";
import { importRefusal } from "./deno/module_files.ts";
import { LoadFault } from "./import_fault.ts";
import type { HookModule } from "./loader_import.ts";
import { fileUrlOf, locateHook, moduleNameFault, type PathSurroundings } from "./path.ts";

/** A module, and what makes it the same as another one: its real path or its specifier. */
export type FoundModule = HookModule & { key: string };

/**
 * Where paths start. Deno is asked when a path needs it; most are absolute.
 *
 * @param cwd The folder that a host names; without one, that of the process.
 * @param home The home folder; without one, that of the environment.
 */
export function surroundings(cwd: string | undefined, home: string | undefined): PathSurroundings {
  const own: PathSurroundings = {
    isWindows: IS_WINDOWS,
    get cwd() {
      return processCwd();
    },
    get home() {
      return home ?? homeFolder();
    },
  };
  if (cwd === undefined) return own;
  const folder = locateHook(cwd, own);
  return {
    isWindows: IS_WINDOWS,
    // A folder that nobody can name must not turn into another one without a word.
    cwd: folder.kind === "file" ? folder.path : "",
    get home() {
      return own.home;
    },
  };
}

/**
 * Finds out where the module of an entry is.
 *
 * @param path What stands in the list.
 * @param around Where paths start.
 * @param isReadGranted Whether all files may be read, if that is known.
 * @returns The module, or why there is none.
 */
export function findModule(
  path: unknown,
  around: PathSurroundings,
  isReadGranted = false,
): FoundModule | LoadFault {
  const location = locateHook(path, around);
  if (location.kind === "fault") {
    const isForbidden = location.needsHome && !mayReadHomeFolder();
    return new LoadFault(isForbidden ? "permission" : "path", location.fault);
  }
  if (location.kind === "remote") {
    const { specifier } = location;
    const refusal = importRefusal(specifier);
    if (refusal !== undefined) return new LoadFault("permission", refusal);
    return { url: specifier, key: specifier };
  }
  const file = inspectHookFile(location.path, isReadGranted);
  if (!file.isFile) return new LoadFault(file.kind, file.fault);
  const { importPath, realPath, stamp } = file;
  const fault = moduleNameFault(importPath);
  if (fault !== undefined) return new LoadFault("not-a-module", fault);
  return { url: fileUrlOf(importPath, IS_WINDOWS), key: realPath, stamp };
}

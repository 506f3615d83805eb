/**
 * Keeps the process alive when a hook fails outside of any event: a rejection that nobody awaits, a
 * timer that throws.
 *
 * @module
 */

import { IS_WINDOWS } from "./deno/hook_file.ts";
import { hookErrorFrom, stackOf, UNKNOWN_HOOK } from "./errors.ts";
import { fileUrlOf } from "./path.ts";
import type { HookRunner } from "./runner.ts";

/** A guard that is active; calling it, or the end of its `using` block, ends it. */
export interface ProcessGuard extends Disposable {
  /** Ends the guard. May be called more than once. */
  (): void;
}

/**
 * From now on late faults of hooks do not end the process. They are reported to the error listeners
 * of the runner, as a `HookError` whose `event` is `late`. The stack of the fault decides:
 *
 * - it shows the file of a hook, in any version of a reload, or a file in the folder of a hook or
 *   below: the hook's fault. A hook that shares its folder with whoever calls `guardProcess` only
 *   answers for its own file; where several hooks share a folder, the one cannot be told.
 * - it shows no file at all, as with `Promise.reject("text")`: reported all the same, with
 *   `hookPath` {@linkcode UNKNOWN_HOOK}.
 * - it shows other files only: the fault of the host, of a package, or of a hook that is not a file.
 *   The guard leaves it alone, and the process ends as it would without a guard.
 *
 * Faults inside of events need no guard: the runner catches them.
 *
 * @param runner Its hooks are guarded, also those that are added later; its listeners are told.
 * @returns The guard.
 *
 * @example
 * ```ts
 * import { guardProcess, HookRunner } from "@pi-hooks/core";
 *
 * const runner = new HookRunner([], ".");
 * runner.onError((error) => console.error(error.hookPath, error.event, error.error));
 * using _guard = guardProcess(runner);
 * ```
 */
export function guardProcess(runner: HookRunner): ProcessGuard {
  const hostFiles = filesIn(stackOf(new Error()));

  const handle = (event: Event, thrown: unknown): void => {
    // Another guard may have dealt with it.
    if (event.defaultPrevented) return;
    const files = filesIn(stackOf(thrown));
    const hookPath = files.length === 0 ? UNKNOWN_HOOK : ownerOf(files, runner, hostFiles);
    if (hookPath === undefined) return;
    event.preventDefault();
    runner.emitError(hookErrorFrom(hookPath, "late", thrown));
  };
  const onRejection = (event: PromiseRejectionEvent): void => handle(event, event.reason);
  const onError = (event: ErrorEvent): void => handle(event, event.error);

  globalThis.addEventListener("unhandledrejection", onRejection);
  globalThis.addEventListener("error", onError);
  const stop = (): void => {
    globalThis.removeEventListener("unhandledrejection", onRejection);
    globalThis.removeEventListener("error", onError);
  };
  return Object.assign(stop, { [Symbol.dispose]: stop });
}

/** A place in a stack that is a file; the places inside of Deno have other schemes. */
const FILE_IN_STACK = /\b(?:file|https?|data|blob):\S+(?=:\d+:\d+\)?$)/gm;

/** The files of a stack, the innermost first, without the mark of a reload. */
function filesIn(stack: string | undefined): string[] {
  return [...(stack ?? "").matchAll(FILE_IN_STACK)].map(([file]) => file.replace(/[?#].*/, ""));
}

/** The hook that a fault belongs to, `undefined` if it belongs to none. */
function ownerOf(
  files: readonly string[],
  runner: HookRunner,
  hostFiles: readonly string[],
): string | undefined {
  const hooks = runner.getHooks().map(({ path, resolvedPath }) => ({
    path,
    url: urlOf(resolvedPath),
  }));
  for (const file of files) {
    const hook = hooks.find(({ url }) => url === file);
    if (hook !== undefined) return hook.path;
  }
  const neighbours = hooks.filter(({ url }) => {
    if (url === undefined || !url.startsWith("file:")) return false;
    const folder = new URL("./", url).href;
    const isBelow = (file: string): boolean => file.startsWith(folder);
    return files.some(isBelow) && !hostFiles.some(isBelow);
  });
  return neighbours.length > 1 ? UNKNOWN_HOOK : neighbours[0]?.path;
}

/** What stacks show for a hook, if that can be known. */
function urlOf(resolvedPath: string): string | undefined {
  if (/^https?:/i.test(resolvedPath)) return resolvedPath;
  try {
    return fileUrlOf(resolvedPath, IS_WINDOWS);
  } catch {
    // `jsr:` and `npm:` specifiers, and the names of hooks that were made by hand.
    return undefined;
  }
}

/**
 * What can go wrong with a hook, as data and as error classes.
 *
 * Nothing here decides anything: the loader makes {@linkcode HookLoadError}s, the runner makes
 * {@linkcode HookError}s, the tool wrapper throws {@linkcode HookBlockedError}s.
 *
 * @module
 */

/**
 * Why a hook could not be loaded.
 *
 * | kind | meaning |
 * |---|---|
 * | `path` | the entry is no path that could name a hook (a number, an empty text, `~name/…`, a NUL byte, a symlink loop) |
 * | `not-found` | there is no such file |
 * | `permission` | Deno or the operating system refuses; the text names the flag to add |
 * | `not-a-module` | a folder, a pipe, a shell script, a `.d.ts`, a file that is far too large |
 * | `syntax` | the file or a file it imports does not parse |
 * | `import` | an import cannot be resolved, or the module throws while it is evaluated |
 * | `no-default-export` | the module has no default export that is a function |
 * | `factory` | the default function threw or rejected |
 * | `timeout` | importing plus running the factory took longer than the limit |
 */
export type HookLoadErrorKind =
  | "path"
  | "not-found"
  | "permission"
  | "not-a-module"
  | "syntax"
  | "import"
  | "no-default-export"
  | "factory"
  | "timeout";

/** One hook that could not be loaded. The other hooks of the list are not affected. */
export interface HookLoadError {
  /** The entry as it was given; for an entry that is not a string, a readable form of it. */
  path: string;
  /** What happened, why, and what to do next: plain text without colour codes. */
  error: string;
  /** The kind of failure, for programs. */
  kind: HookLoadErrorKind;
  /** The value that was thrown, if something was thrown. */
  cause?: unknown;
}

/**
 * Something about a hook or a place where hooks are looked for that deserves attention, although
 * everything else goes on: an event name that does not exist, a factory that registered nothing,
 * a shadowed or skipped file, a provider that failed.
 */
export interface HookLoadWarning {
  /** The file, folder or provider that the warning is about. */
  path: string;
  /** What was seen and what it means: one or two plain sentences. */
  warning: string;
  /** The kind of warning, for programs. */
  kind:
    | "unknown-event"
    | "nothing-registered"
    | "shadowed"
    | "skipped"
    | "untrusted"
    | "not-granted"
    | "provider";
}

/**
 * A handler of a hook failed (it threw, was too slow, or answered nonsense) and the dispatch went
 * on without it. Handed to the listeners of `HookRunner.onError`.
 */
export interface HookError {
  /** The hook, as its path was given to the loader; {@linkcode UNKNOWN_HOOK} if nobody can tell. */
  hookPath: string;
  /**
   * The event that was being handled; `command:<name>` for a command, `sendMessage` for a message
   * that could not be delivered, `late` for a fault outside of any event, see `guardProcess`.
   */
  event: string;
  /** What was thrown, readable: never `[object Object]`. */
  error: string;
  /** The stack of the thrown error, if it had one. */
  stack?: string;
  /** The thrown value itself. */
  cause?: unknown;
  /** Position of the handler among the handlers of this hook for this event, from 0. */
  handlerIndex?: number;
}

/** Stands in the place of a hook's path when it cannot be known which hook it was. */
export const UNKNOWN_HOOK = "(unknown hook)";

/** Why a tool call was not allowed: a hook said so, a hook failed, or a hook took too long. */
export type HookBlockKind = "policy" | "fault" | "timeout";

/** The text of a block whose hook gave no reason. */
export const DEFAULT_BLOCK_REASON = "Tool execution was blocked by a hook";

/**
 * Thrown by a wrapped tool whose call a hook blocked. The message is what the model reads.
 *
 * @example
 * ```ts
 * import { HookBlockedError } from "@pi-hooks/core";
 *
 * const error = new HookBlockedError("no rm today", "/hooks/gate.ts", "policy");
 * if (error.kind !== "policy") throw error;
 * ```
 */
export class HookBlockedError extends Error {
  /** Always `"HookBlockedError"`. */
  override readonly name = "HookBlockedError";
  /** The hook that blocked. */
  readonly hookPath: string;
  /** `policy`: the hook said so. `fault`: the hook is broken. `timeout`: the hook was too slow. */
  readonly kind: HookBlockKind;

  /**
   * Makes the error.
   *
   * @param reason Text for the model, used as it is.
   * @param hookPath The hook that blocked.
   * @param kind Whether this was a decision or a fault.
   * @param options As for `Error`: the `cause`.
   */
  constructor(reason: string, hookPath: string, kind: HookBlockKind, options?: ErrorOptions) {
    super(reason, options);
    this.hookPath = hookPath;
    this.kind = kind;
  }
}

/**
 * The call was aborted while a hook was being asked. Its `name` is `AbortError`, as everywhere on
 * the Web, so that code which already treats aborted calls treats this one too.
 */
export class HookAbortError extends Error {
  /** Always `"AbortError"`. */
  override readonly name = "AbortError";
  /** The hook that was waited for, if one had been asked already. */
  readonly hookPath?: string;

  /**
   * Makes the error.
   *
   * @param message What was going on.
   * @param hookPath The hook that was waited for.
   * @param options As for `Error`: the `cause`, which is the reason of the signal.
   */
  constructor(message: string, hookPath?: string, options?: ErrorOptions) {
    super(message, options);
    this.hookPath = hookPath;
  }
}

/** A handler did not settle within its time limit. */
export class HookTimeoutError extends Error {
  /** Always `"HookTimeoutError"`. */
  override readonly name = "HookTimeoutError";

  /**
   * Makes the error.
   *
   * @param hookPath The hook that was waited for.
   * @param event The event it was handling.
   * @param limitMs The limit, in milliseconds.
   */
  constructor(hookPath: string, event: string, limitMs: number) {
    super(`Hook "${hookPath}" did not answer ${event} within ${limitMs} ms`);
  }
}

const MAX_SHOWN_VALUE_LENGTH = 200;

/**
 * A short readable form of any value, for messages about values that should not be there.
 *
 * @param value Anything, also something that throws when it is looked at.
 * @returns JSON where that works, cut at 200 characters; never `[object Object]`.
 */
export function describeValue(value: unknown): string {
  let text: string;
  try {
    if (typeof value === "function") text = `function ${value.name || "(anonymous)"}`;
    else if (typeof value === "bigint") text = `${value}n`;
    else if (typeof value === "object" && value !== null) text = describeObject(value);
    else text = typeof value === "string" ? JSON.stringify(value) : String(value);
  } catch {
    text = `an object of type ${typeName(value)}`;
  }
  if (text.length <= MAX_SHOWN_VALUE_LENGTH) return text;
  return `${text.slice(0, MAX_SHOWN_VALUE_LENGTH)}…`;
}

function describeObject(value: object): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  const json = JSON.stringify(value) ?? "";
  const isPlain = Array.isArray(value) || [Object.prototype, null].includes(prototypeOf(value));
  return isPlain && json !== "" ? json : `${typeName(value)} ${json}`.trim();
}

function prototypeOf(value: object): object | null {
  return Object.getPrototypeOf(value);
}

function typeName(value: unknown): string {
  try {
    const { name } = (value as object).constructor;
    return typeof name === "string" && name !== "" ? name : "Object";
  } catch {
    return "unknown";
  }
}

/**
 * The text of a thrown value. Hooks throw strings, `null` and plain objects too; those are named
 * (`threw null`, `threw {"code":7}`) so that nobody has to guess.
 *
 * @param thrown What was caught.
 * @returns The message of an error, or `threw <value>`.
 */
export function thrownText(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message || thrown.name);
  } catch {
    // A proxy may refuse even this question; it is described like any other value.
  }
  return `threw ${describeValue(thrown)}`;
}

/**
 * Whether a thrown value is of a class. A proxy that refuses the question is of none.
 *
 * @param thrown What was caught.
 * @param type The class.
 */
export function isThrown<T>(
  thrown: unknown,
  type: abstract new (...args: never) => T,
): thrown is T {
  try {
    return thrown instanceof type;
  } catch {
    return false;
  }
}

/**
 * Turns whatever was caught into an `Error`, without changing it.
 *
 * @param thrown What was caught.
 * @returns The same object if it is an `Error`, otherwise a new one with the value as `cause`.
 */
export function toError(thrown: unknown): Error {
  return isThrown(thrown, Error) ? thrown : new Error(thrownText(thrown), { cause: thrown });
}

/**
 * Makes the record that listeners get for a handler that failed.
 *
 * @param hookPath The hook.
 * @param event The event.
 * @param thrown What was caught.
 * @param handlerIndex Position of the handler in its hook, if known.
 */
export function hookErrorFrom(
  hookPath: string,
  event: string,
  thrown: unknown,
  handlerIndex?: number,
): HookError {
  const record: HookError = { hookPath, event, error: thrownText(thrown), cause: thrown };
  const stack = stackOf(thrown);
  if (stack !== undefined) record.stack = stack;
  if (handlerIndex !== undefined) record.handlerIndex = handlerIndex;
  return record;
}

/**
 * The stack of a thrown value, if it has one.
 *
 * @param thrown What was caught.
 */
export function stackOf(thrown: unknown): string | undefined {
  try {
    return thrown instanceof Error && typeof thrown.stack === "string" ? thrown.stack : undefined;
  } catch {
    return undefined;
  }
}

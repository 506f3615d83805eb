/**
 * Who hears of failing and of odd hooks.
 *
 * @module
 */

import { type HookError, hookErrorFrom, thrownText } from "./errors.ts";
import type { HookEventName } from "./events/map.ts";

/** Something odd about a hook that did not stop anything. */
export interface HookWarning {
  /** The hook. */
  hookPath: string;
  /** The event that was handled. */
  event: HookEventName;
  /** What is odd. */
  warning: string;
}

/** The listeners of one runner. */
export class HookListeners {
  readonly #errorListeners = new Set<(error: HookError) => void>();
  readonly #warningListeners = new Set<(warning: HookWarning) => void>();
  readonly #warned = new Set<string>();

  /**
   * See `HookRunner.onError`.
   *
   * @param listener Gets each failure. If it throws, the other listeners are told, once.
   * @returns Stops listening.
   */
  onError(listener: (error: HookError) => void): () => boolean {
    this.#errorListeners.add(listener);
    return () => this.#errorListeners.delete(listener);
  }

  /**
   * Listens to what is odd about hooks: answers that are not understood or that gave way to
   * others. While nobody listens, warnings go to the console's error output.
   *
   * @param listener Gets each warning, once for each hook and matter.
   * @returns Stops listening.
   */
  onWarning(listener: (warning: HookWarning) => void): () => boolean {
    this.#warningListeners.add(listener);
    return () => this.#warningListeners.delete(listener);
  }

  /**
   * Reports a failure to the listeners.
   *
   * @param error The failure.
   */
  emitError(error: HookError): void {
    if (this.#errorListeners.size === 0) print(error);
    tell(this.#errorListeners, error, (listener, thrown) => {
      const about = hookErrorFrom(error.hookPath, error.event, thrown, error.handlerIndex);
      about.error = `An error listener failed: ${thrownText(thrown)}`;
      const others = [...this.#errorListeners].filter((one) => one !== listener);
      if (others.length === 0) [error, about].forEach(print);
      tell(others, about, () => {});
    });
  }

  /**
   * Reports something odd about a hook to the listeners, once for each matter.
   *
   * @param hookPath The hook.
   * @param event The event that was handled.
   * @param warning What is odd.
   * @param about Tells matters of one hook and event apart.
   */
  warn(hookPath: string, event: HookEventName, warning: string, about = ""): void {
    const key = `${hookPath}\n${event}\n${about}`;
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    if (this.#warningListeners.size === 0) {
      console.warn(harmless(`Hook "${hookPath}" (${event}): ${warning}`));
    }
    tell(this.#warningListeners, { hookPath, event, warning }, (_, thrown) => {
      this.emitError(hookErrorFrom(hookPath, event, thrown));
    });
  }
}

/** The last resort: nobody listens, or the only one who does has failed. */
function print({ hookPath, event, error }: HookError): void {
  console.error(harmless(`Hook "${hookPath}" failed (${event}): ${error}`));
}

// deno-lint-ignore no-control-regex -- control characters are what is looked for
const CONTROLS = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/g;

/** What hooks say must not steer the terminal. `visibleText` does it better, and loads slowly. */
function harmless(text: string): string {
  return text.replace(
    CONTROLS,
    (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/**
 * Calls each listener; one that throws does not keep the others from hearing.
 *
 * @param listeners The listeners.
 * @param news What they hear.
 * @param onThrow Gets what a listener throws, also later, if it is asynchronous.
 */
export function tell<T>(
  listeners: Iterable<(news: T) => void>,
  news: T,
  onThrow: (listener: (news: T) => void, thrown: unknown) => void,
): void {
  for (const listener of [...listeners]) {
    try {
      const done: unknown = listener(news);
      if (done instanceof Promise) done.catch((thrown) => onThrow(listener, thrown));
    } catch (thrown) {
      onThrow(listener, thrown);
    }
  }
}

/**
 * Starts dispatches: finds the handlers, and stays without a promise of its own while nobody has
 * to be waited for.
 *
 * @module
 */

import { type ContextBinding, EventContext } from "./context.ts";
import { Dispatch, type DispatchHost } from "./dispatch.ts";
import { thrownText } from "./errors.ts";
import type { HookEventName } from "./events/map.ts";
import { HandlerLists } from "./handler_lists.ts";
import type { HandlerObserver, HandlerRecord } from "./handler_record.ts";
import type { LoadedHook } from "./hook.ts";
import { type HookListeners, tell } from "./listeners.ts";
import type { HookRunnerOptions } from "./runner_options.ts";

/** The answer of an event that nobody handles or answers: one promise for all of them. */
export const NOTHING: Promise<undefined> = Promise.resolve(undefined);

/** Puts events through the handlers of one runner. */
export class Dispatcher {
  /** The handlers of all hooks. */
  readonly handlers: HandlerLists;
  readonly #host: DispatchHost;

  /**
   * @param hooks The hooks, in order.
   * @param binding Gives the host as it is now.
   * @param listeners Hear of failing and odd hooks.
   * @param options Observer and time limits.
   */
  constructor(
    hooks: readonly LoadedHook[],
    binding: () => ContextBinding,
    listeners: HookListeners,
    options: HookRunnerOptions,
  ) {
    this.handlers = new HandlerLists(hooks);
    const { observer, handlerTimeoutMs } = options;
    this.#host = {
      context: new EventContext(binding),
      contextWith: (bind) => new EventContext(binding, () => bind(binding().ui)),
      limitMs: (event) =>
        (typeof handlerTimeoutMs === "number" ? handlerTimeoutMs : handlerTimeoutMs?.[event]) ?? 0,
      observe: observer && ((records) => observe(observer, records, listeners)),
      emitError: (error) => listeners.emitError(error),
      warn: (...warning) => listeners.warn(...warning),
    };
  }

  /**
   * Runs the handlers of an event one after the other.
   *
   * @param name The event's name.
   * @param event The event as handlers see it.
   * @param signal The signal of the call.
   * @param finish Makes the result of the dispatch.
   */
  run<T>(
    name: HookEventName,
    event: object,
    signal: AbortSignal | undefined,
    finish: (dispatch: Dispatch) => T,
  ): Promise<T> {
    try {
      const run = new Dispatch(this.#host, name, this.handlers.of(name), event, signal).run();
      if (run instanceof Promise) return run.then(finish);
      const result = finish(run);
      return result === undefined ? NOTHING as Promise<T> : Promise.resolve(result);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  /**
   * Runs the handlers of an event side by side, so that slow ones do not add up.
   *
   * @param name The event's name.
   * @param event The event as handlers see it.
   * @param limitMs How long they may take; a limit of the host goes before it.
   */
  async runSideBySide(name: HookEventName, event: object, limitMs: number): Promise<undefined> {
    const limit = this.#host.limitMs(name) || limitMs;
    const runs = this.handlers.of(name).map((handler) =>
      new Dispatch(this.#host, name, [handler], event, undefined, limit).run()
    );
    await Promise.all(runs);
  }
}

function observe(
  observer: HandlerObserver,
  records: readonly HandlerRecord[],
  listeners: HookListeners,
): void {
  for (const record of records) {
    tell([observer], record, (_, thrown) => {
      const text = `The observer failed: ${thrownText(thrown)}`;
      listeners.warn(record.hookPath, record.event, text, "observer");
    });
  }
}

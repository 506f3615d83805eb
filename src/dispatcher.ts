/**
 * Starts dispatches: knows the handlers and what they may cost in time.
 *
 * @module
 */

import { type ContextBinding, EventContext } from "./context.ts";
import {
  Dispatch,
  dispatch,
  type DispatchHost,
  dispatchPlain,
  type Finish,
  type HandlerPlan,
} from "./dispatch.ts";
import { HookAbortError, thrownText } from "./errors.ts";
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
  readonly #limit: HookRunnerOptions["handlerTimeoutMs"];

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
    const { observer } = options;
    this.#limit = options.handlerTimeoutMs;
    this.#host = {
      context: new EventContext(binding),
      contextWith: (bind) => new EventContext(binding, () => bind(binding().ui)),
      observe: observer && ((records) => observe(observer, records, listeners)),
      emitError: (error) => listeners.emitError(error),
      warn: (...warning) => listeners.warn(...warning),
    };
  }

  /**
   * Runs the handlers of an event one after the other.
   *
   * @param plan The handlers.
   * @param event The event as handlers see it.
   * @param signal The signal of the call.
   * @param nothing The result if no handler has anything to say, where there is one for all.
   * @param finish Makes the result; gets `undefined` if no handler had anything to say.
   */
  run<T>(
    plan: HandlerPlan,
    event: object,
    signal: AbortSignal | undefined,
    nothing: Promise<T>,
    finish: Finish<T>,
  ): Promise<T> {
    const limitMs = this.#limitMs(plan.name);
    const isPlain = signal === undefined && limitMs === 0 && this.#host.observe === undefined;
    if (isPlain && plan.policy.fold !== "chain") {
      return dispatchPlain(this.#host, plan, event, nothing, finish);
    }
    if (signal?.aborted) {
      return Promise.reject(new HookAbortError(plan.name, undefined, { cause: signal.reason }));
    }
    const state = new Dispatch(this.#host, plan, event, signal, limitMs);
    return dispatch(this.#host, plan, event, state, finish);
  }

  /**
   * Runs the handlers of an event side by side, so that slow ones do not add up.
   *
   * @param plan The handlers.
   * @param event The event as handlers see it.
   * @param limitMs How long they may take; a limit of the host goes before it.
   */
  async runSideBySide(plan: HandlerPlan, event: object, limitMs: number): Promise<undefined> {
    const limit = this.#limitMs(plan.name) || limitMs;
    const runs = plan.handlers.map((handler) => {
      const alone = { ...plan, handlers: [handler] };
      const state = new Dispatch(this.#host, alone, event, undefined, limit);
      return dispatch(this.#host, alone, event, state, () => {});
    });
    await Promise.all(runs);
  }

  #limitMs(name: HookEventName): number {
    const limit = this.#limit;
    return (typeof limit === "object" ? limit[name] : limit) ?? 0;
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

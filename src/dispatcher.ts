/**
 * Starts dispatches: knows the handlers and what they may cost in time.
 *
 * @module
 */

import { type ContextBinding, EventContext } from "./context.ts";
import { Dispatch, dispatch, type DispatchHost, type Finish } from "./dispatch.ts";
import { dispatchPlain } from "./dispatch_plain.ts";
import { thrownText } from "./errors.ts";
import type { HookEventName } from "./events/map.ts";
import { EVENT_POLICIES, HOOK_EVENT_NAMES, isHookEventName } from "./events/policy.ts";
import { HandlerLists, type HandlerPlan } from "./handler_lists.ts";
import type { HandlerObserver, HandlerRecord } from "./handler_record.ts";
import type { LoadedHook } from "./hook.ts";
import { type HookListeners, tell } from "./listeners.ts";
import { nearest } from "./nearest.ts";
import type { HookRunnerOptions } from "./runner_options.ts";

/** The answer of an event that nobody handles or answers: one promise for all of them. */
export const NOTHING: Promise<undefined> = Promise.resolve(undefined);

const MAX_TIMER_MS = 2 ** 31 - 1;

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
      observe: observer && observeWith(observer, listeners),
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
    const state = new Dispatch(this.#host, plan, event, signal, limitMs);
    return dispatch(this.#host, plan, event, state, finish);
  }

  /**
   * Runs the handlers of an event side by side, so that slow ones do not add up.
   *
   * @param plan The handlers.
   * @param event The event as handlers see it.
   * @param limitMs How long they may take. A limit that the host sets for this very event goes
   * before it; one that it sets for all events can only make it shorter.
   * @param signal The signal of the call.
   */
  async runSideBySide(
    plan: HandlerPlan,
    event: object,
    limitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<undefined> {
    const own = this.#limitMs(plan.name);
    const isForThisEvent = typeof this.#limit === "object";
    const limit = own === 0 ? limitMs : isForThisEvent ? own : Math.min(own, limitMs);
    const runs = plan.handlers.map((handler) => {
      const alone = { ...plan, handlers: [handler] };
      const state = new Dispatch(this.#host, alone, event, signal, limit);
      return dispatch(this.#host, alone, event, state, () => {});
    });
    await Promise.all(runs);
  }

  /** Timers count to 24 days: a longer limit, also `Infinity`, is none, and so is one below zero. */
  #limitMs(name: HookEventName): number {
    const limit = (typeof this.#limit === "object" ? this.#limit[name] : this.#limit) ?? 0;
    return limit > 0 && limit <= MAX_TIMER_MS ? limit : 0;
  }
}

/** An observer that fails is named once; after that nobody wants to hear of it. */
function observeWith(
  observer: HandlerObserver,
  listeners: HookListeners,
): (records: readonly HandlerRecord[]) => void {
  const observers = [observer];
  let isReported = false;
  return (records) => {
    for (const record of records) {
      tell(observers, record, (_, thrown) => {
        if (isReported) return;
        isReported = true;
        listeners.warn(
          record.hookPath,
          record.event,
          `The observer failed: ${thrownText(thrown)}`,
          "observer",
        );
      });
    }
  };
}

/**
 * The answer to an event that cannot be emitted: the name is wrong, or another method is for it.
 *
 * @param name The name.
 */
export function refuseToEmit(name: string): Promise<never> {
  let hint: string;
  if (isHookEventName(name)) {
    const policy: HandlerPlan["policy"] = EVENT_POLICIES[name];
    hint = `use ${policy.emitter}`;
  } else {
    const guess = nearest(name, HOOK_EVENT_NAMES);
    hint = `there is no such event${guess === undefined ? "" : `, did you mean "${guess}"?`}`;
  }
  return Promise.reject(new TypeError(`Cannot emit "${name}": ${hint}`));
}

/**
 * The way of an event through handlers that have nothing to say, which is what most handlers have
 * most of the time. Nothing is kept; the loop of `dispatch.ts` starts where there is something.
 *
 * @module
 */

import { call, dispatch, type DispatchHost, type Finish } from "./dispatch.ts";
import type { HandlerPlan } from "./handler_lists.ts";

/**
 * Puts an event through handlers that nobody measures, limits or aborts. Those that have nothing to
 * say, and say so at once, cost no promise: only the first one that returns or throws something
 * starts the loop.
 *
 * @param host What the loop needs of the runner.
 * @param plan The handlers.
 * @param event The event as handlers see it.
 * @param nothing The result if no handler has anything to say.
 * @param finish Makes the result otherwise.
 */
export function dispatchPlain<T>(
  host: DispatchHost,
  plan: HandlerPlan,
  event: object,
  nothing: Promise<T>,
  finish: Finish<T>,
): Promise<T> {
  const { handlers } = plan;
  const { context } = host;
  for (let i = 0; i < handlers.length; i++) {
    const value = call(handlers[i], event, context);
    if (value !== undefined) return waitPlain(host, plan, event, finish, i, value);
  }
  return nothing;
}

/** The same for handlers that have to be waited for: the loop starts at the first answer or fault. */
async function waitPlain<T>(
  host: DispatchHost,
  plan: HandlerPlan,
  event: object,
  finish: Finish<T>,
  position: number,
  value: unknown,
): Promise<T> {
  const { handlers } = plan;
  const { context } = host;
  try {
    while ((value = await value) === undefined) {
      do {
        if (++position === handlers.length) return finish(undefined);
        value = call(handlers[position], event, context);
      } while (value === undefined);
    }
  } catch (thrown) {
    value = Promise.reject(thrown);
  }
  return await dispatch(host, plan, event, undefined, finish, position, value);
}

/**
 * The handlers of all hooks, flat and by event, in the order in which they run.
 *
 * @module
 */

import type { HookEventName } from "./events/map.ts";
import { isHookEventName } from "./events/policy.ts";
import type { BoundHandler } from "./handler_record.ts";
import { type LoadedHook, registrationRevision } from "./hook.ts";

const NO_HANDLERS: readonly BoundHandler[] = [];

/**
 * Keeps the lists, and makes them anew when a hook was added or has registered something. A list
 * that was handed out never changes, so a handler registered during an event waits for the next.
 */
export class HandlerLists {
  readonly #hooks: readonly LoadedHook[];
  readonly #lists = new Map<HookEventName, readonly BoundHandler[]>();
  #revision = -1;
  #hookCount = -1;
  #hasToolHandlers = false;

  /** @param hooks The hooks, in order; the list may grow. */
  constructor(hooks: readonly LoadedHook[]) {
    this.#hooks = hooks;
  }

  /**
   * The handlers of an event.
   *
   * @param name The event.
   */
  of(name: HookEventName): readonly BoundHandler[] {
    this.#refresh();
    return this.#lists.get(name) ?? NO_HANDLERS;
  }

  /** Whether there is a handler for `tool_call` or `tool_result`. */
  get hasToolHandlers(): boolean {
    this.#refresh();
    return this.#hasToolHandlers;
  }

  #refresh(): void {
    const revision = registrationRevision();
    if (this.#revision === revision && this.#hookCount === this.#hooks.length) return;
    this.#revision = revision;
    this.#hookCount = this.#hooks.length;
    const lists = new Map<HookEventName, BoundHandler[]>();
    for (const hook of this.#hooks) {
      for (const [name, handlers] of hook.handlers) {
        if (!isHookEventName(name) || handlers.length === 0) continue;
        let list = lists.get(name);
        if (list === undefined) lists.set(name, list = []);
        handlers.forEach((run, handlerIndex) =>
          list.push({ run, hookPath: hook.path, handlerIndex })
        );
      }
    }
    this.#lists.clear();
    for (const [name, list] of lists) this.#lists.set(name, list);
    this.#hasToolHandlers = lists.has("tool_call") || lists.has("tool_result");
  }
}

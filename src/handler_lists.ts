/**
 * The handlers of all hooks, flat and by event, in the order in which they run.
 *
 * @module
 */

import { EVENT_POLICIES, type FoldKind, HOOK_EVENT_NAMES } from "./events/policy.ts";
import type { HookEventName } from "./events/map.ts";
import type { BoundHandler } from "./handler_record.ts";
import { type LoadedHook, registrationRevision } from "./hook.ts";

/** The handlers of one event, and how their answers fold. */
export interface HandlerPlan {
  /** The event. */
  readonly name: HookEventName;
  /** Its row in the fold table. */
  readonly policy: {
    readonly fold: FoldKind;
    readonly onThrow: "report" | "block";
    readonly stopOn?: string;
    readonly emitter?: string;
    readonly sideBySideMs?: number;
    readonly shows?: "frozen" | "copy";
    readonly toldAfterAbort?: boolean;
  };
  /** Its handlers, in order. */
  readonly handlers: readonly BoundHandler[];
}

/**
 * Keeps the lists, and makes them anew when a hook was added or has registered something. A list
 * that was handed out never changes, so a handler registered during an event waits for the next.
 */
export class HandlerLists {
  readonly #hooks: readonly LoadedHook[];
  readonly #plans = new Map<string, HandlerPlan>();
  #revision = -1;
  #hookCount = -1;
  #hasToolHandlers = false;

  /** @param hooks The hooks, in order; the list may grow. */
  constructor(hooks: readonly LoadedHook[]) {
    this.#hooks = hooks;
  }

  /**
   * The handlers of an event, `undefined` if there is no such event.
   *
   * @param name The event.
   */
  of(name: string): HandlerPlan | undefined {
    this.#refresh();
    return this.#plans.get(name);
  }

  /** Whether there is a handler for `tool_call` or `tool_result`. */
  get hasToolHandlers(): boolean {
    this.#refresh();
    return this.#hasToolHandlers;
  }

  #refresh(): void {
    const revision = registrationRevision();
    if (this.#revision !== revision || this.#hookCount !== this.#hooks.length) this.#make(revision);
  }

  #make(revision: number): void {
    this.#revision = revision;
    this.#hookCount = this.#hooks.length;
    this.#plans.clear();
    for (const name of HOOK_EVENT_NAMES) {
      const handlers = this.#hooks.flatMap((hook) =>
        (hook.handlers.get(name) ?? []).map((run, handlerIndex) => ({
          run,
          hookPath: hook.path,
          handlerIndex,
        }))
      );
      this.#plans.set(name, { name, policy: EVENT_POLICIES[name], handlers });
    }
    this.#hasToolHandlers = ["tool_call", "tool_result"].some((name) =>
      this.#plans.get(name)?.handlers.length !== 0
    );
  }
}

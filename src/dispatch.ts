/**
 * The one loop that runs handlers. Every event goes through it; what differs between events is a
 * row of the fold table. The only `try` around a handler is here.
 *
 * @module
 */

import { readAnswer } from "./answers.ts";
import { HookAbortError, hookErrorFrom, HookTimeoutError } from "./errors.ts";
import type { HookBlockKind, HookError } from "./errors.ts";
import type { HookEventName } from "./events/map.ts";
import type { FoldKind } from "./events/policy.ts";
import { type Answer, type Fold, foldFor, type FoldListener } from "./fold.ts";
import type { BoundHandler, HandlerOutcome, HandlerRecord } from "./handler_record.ts";
import { HandlerScope } from "./handler_scope.ts";
import type { HookUIContext } from "./ports.ts";
import type { HookContext } from "./types.ts";

/** What the loop needs of the runner. */
export interface DispatchHost {
  /** The context of handlers without a time limit or a signal. */
  readonly context: HookContext;
  /** Makes a context with its own user interface. */
  contextWith(bind: (ui: HookUIContext) => HookUIContext): HookContext;
  /** Gets the records of a dispatch; absent, nothing is measured. */
  readonly observe: ((records: readonly HandlerRecord[]) => void) | undefined;
  /** Reports a handler that failed. */
  emitError(error: HookError): void;
  /** Reports something odd about a hook, once for each `about`. */
  warn(hookPath: string, event: HookEventName, text: string, about?: string): void;
}

/** Why a dispatch ended before its last handler. */
export interface DispatchStop {
  /** A decision, a fault or a time limit. */
  kind: HookBlockKind;
  /** The hook. */
  hookPath: string;
  /** What is wrong with a rejected answer. */
  fault?: string;
  /** What was thrown; wrapped, since anything can be thrown. */
  thrown?: { value: unknown };
}

/** The events whose payload is handed out as a deep-frozen copy. */
const SHOWS_FROZEN_COPIES: ReadonlySet<HookEventName> = new Set(["tool_call", "tool_result"]);

/** Words of the engine for a write into something frozen. */
const WRITE_REFUSED =
  /^Cannot (assign to read only|add|delete|define|redefine) property|on proxy: trap returned falsish/;

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
  };
  /** Its handlers, in order. */
  readonly handlers: readonly BoundHandler[];
}

/** Makes the result of a dispatch; gets `undefined` if no handler had anything to say. */
export type Finish<T> = (dispatch: Dispatch | undefined) => T;

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
    let value: unknown;
    try {
      value = handlers[i].run(event as never, context as never);
      if (value === undefined) continue;
    } catch (thrown) {
      value = Promise.reject(thrown);
    }
    return dispatch(host, plan, event, undefined, finish, i, value);
  }
  return nothing;
}

/**
 * The one loop. It keeps nothing of its own: a `Dispatch` is made when there is something to keep.
 *
 * @param host What the loop needs of the runner.
 * @param plan The handlers.
 * @param event The event as handlers see it.
 * @param state What is kept from the start, for records, limits and signals.
 * @param finish Makes the result.
 * @param start The first handler of the loop.
 * @param first What that handler has returned already; `undefined` if it was not called yet.
 * @throws {HookAbortError} If the signal fires.
 */
export async function dispatch<T>(
  host: DispatchHost,
  plan: HandlerPlan,
  event: object,
  state: Dispatch | undefined,
  finish: Finish<T>,
  start = 0,
  first?: unknown,
): Promise<T> {
  const { handlers } = plan;
  const { context } = host;
  for (let i = start; i < handlers.length; i++) {
    const handler = handlers[i];
    try {
      let value: unknown;
      if (first !== undefined) {
        value = first;
        first = undefined;
      } else if (state === undefined) {
        value = handler.run(event as never, context as never);
      } else {
        value = state.call(handler, i);
      }
      if (isThenable(value)) {
        value = await (state === undefined ? value : state.wait(handler, value));
      }
      if (value === undefined && state === undefined) continue;
      state ??= new Dispatch(host, plan, event);
      state.settle(handler, i, value);
    } catch (thrown) {
      state ??= new Dispatch(host, plan, event);
      state.fail(handler, i, thrown);
    }
    if (state.isOver) break;
  }
  state?.end();
  return finish(state);
}

/** One event on its way through its handlers. */
export class Dispatch implements FoldListener {
  /** Why it ended early, if it did. */
  stop: DispatchStop | undefined;
  /** Whether no further handler is called. */
  isOver = false;
  readonly #host: DispatchHost;
  readonly #plan: HandlerPlan;
  readonly #event: object;
  readonly #signal: AbortSignal | undefined;
  readonly #limitMs: number;
  readonly #records: HandlerRecord[] | undefined;
  #fold: Fold | undefined;
  #position = 0;
  #context: HookContext;
  #scope: HandlerScope | undefined;
  #startedAt = 0;
  #aborted: HookAbortError | undefined;

  constructor(
    host: DispatchHost,
    plan: HandlerPlan,
    event: object,
    signal?: AbortSignal,
    limitMs = 0,
  ) {
    this.#host = host;
    this.#plan = plan;
    this.#event = event;
    this.#signal = signal;
    this.#limitMs = limitMs;
    this.#context = host.context;
    this.#records = host.observe === undefined ? undefined : [];
  }

  /** The answers of all handlers, folded. */
  get answer(): object | undefined {
    return this.#fold?.answer;
  }

  /** Calls a handler with what it may see. */
  call(handler: BoundHandler, position: number): unknown {
    this.#position = position;
    if (this.#signal !== undefined || this.#limitMs > 0) this.#openScope(handler);
    if (this.#records !== undefined) this.#startedAt = performance.now();
    const event = this.#plan.policy.fold === "chain" ? this.#folding.next() : this.#event;
    return handler.run(event as never, this.#context as never);
  }

  /** Waits for a handler, no longer than it may take. */
  wait(handler: BoundHandler, answer: PromiseLike<unknown>): PromiseLike<unknown> {
    return this.#scope?.wait(answer, (thrown) => this.#report(handler, thrown)) ?? answer;
  }

  /** Tells the observer, and throws if the dispatch was aborted. */
  end(): void {
    if (this.#records !== undefined) this.#host.observe?.(this.#records);
    if (this.#aborted !== undefined) throw this.#aborted;
  }

  get #folding(): Fold {
    return this.#fold ??= foldFor(this.#plan.policy.fold, this.#event);
  }

  /** A handler has returned. */
  settle(handler: BoundHandler, position: number, value: unknown): void {
    this.#position = position;
    const { fold, stopOn, onThrow } = this.#plan.policy;
    if (value === undefined || fold === "ignore") return void this.#note(handler, "passed");
    const reading = readAnswer(this.#plan.name, value, onThrow === "block");
    if (reading.kind === "rejected") return this.#reject(handler, reading.fault);
    if (reading.note !== undefined) {
      this.#host.warn(handler.hookPath, this.#plan.name, reading.note);
    }
    if (reading.kind === "none") return void this.#note(handler, "passed");
    const record = this.#note(handler, "answered");
    this.#folding.take({ handler, fields: reading.fields, record }, this);
    if (stopOn === undefined || reading.fields[stopOn] !== true) return;
    if (record !== undefined) record.outcome = stopOn === "block" ? "blocked" : "cancelled";
    this.#stopAt({ kind: "policy", hookPath: handler.hookPath });
  }

  /** From the fold: an answer gave way to another one. */
  superseded(loser: Answer, winner: Answer, text: string): void {
    if (loser.record !== undefined) loser.record.superseded = true;
    const { hookPath } = loser.handler;
    this.#host.warn(hookPath, this.#plan.name, text, winner.handler.hookPath);
  }

  /** From the fold: there is something odd about an answer. */
  odd(answer: Answer, text: string): void {
    this.#host.warn(answer.handler.hookPath, this.#plan.name, text, text);
  }

  /** A handler has answered something that must not be used. */
  #reject(handler: BoundHandler, fault: string): void {
    this.#note(handler, "rejected-answer", fault);
    if (this.#plan.policy.onThrow === "block") {
      this.#stopAt({ kind: "fault", hookPath: handler.hookPath, fault });
    } else {
      this.#report(handler, new TypeError(fault));
    }
  }

  /** A handler has thrown, or the wait for it has ended. */
  fail(handler: BoundHandler, position: number, thrown: unknown): void {
    this.#position = position;
    if (thrown instanceof HookAbortError && this.#signal?.aborted === true) {
      this.#note(handler, "aborted", thrown.message);
      this.#aborted = thrown;
      this.#skipRest();
      return;
    }
    const isTimeout = thrown instanceof HookTimeoutError;
    const value = isTimeout ? thrown : this.#explain(handler, thrown);
    this.#note(
      handler,
      isTimeout ? "timed-out" : "threw",
      hookErrorFrom(handler.hookPath, this.#plan.name, value).error,
    );
    if (this.#plan.policy.onThrow === "block") {
      const kind = isTimeout ? "timeout" : "fault";
      this.#stopAt({ kind, hookPath: handler.hookPath, thrown: { value } });
    } else {
      this.#report(handler, value);
    }
  }

  /** Names the hook where the engine only says that something is read-only. */
  #explain(handler: BoundHandler, thrown: unknown): unknown {
    if (!(thrown instanceof TypeError) || !SHOWS_FROZEN_COPIES.has(this.#plan.name)) return thrown;
    if (!WRITE_REFUSED.test(thrown.message)) return thrown;
    const text =
      `Hook "${handler.hookPath}" tried to change what it was shown (${this.#plan.name}); ` +
      `inputs and results cannot be changed in place: ${thrown.message}`;
    return new TypeError(text, { cause: thrown });
  }

  #report(handler: BoundHandler, thrown: unknown): void {
    this.#host.emitError(
      hookErrorFrom(handler.hookPath, this.#plan.name, thrown, handler.handlerIndex),
    );
  }

  #stopAt(stop: DispatchStop): void {
    this.stop = stop;
    this.#skipRest();
  }

  #skipRest(): void {
    this.isOver = true;
    if (this.#records === undefined) return;
    const { handlers } = this.#plan;
    for (let i = this.#position + 1; i < handlers.length; i++) this.#note(handlers[i], "not-run");
  }

  #note(handler: BoundHandler, outcome: HandlerOutcome, error?: string): HandlerRecord | undefined {
    if (this.#records === undefined) return undefined;
    const record: HandlerRecord = {
      event: this.#plan.name,
      hookPath: handler.hookPath,
      handlerIndex: handler.handlerIndex,
      outcome,
      milliseconds: outcome === "not-run" ? 0 : performance.now() - this.#startedAt,
    };
    const { toolCallId } = this.#event as { toolCallId?: string };
    if (toolCallId !== undefined) record.toolCallId = toolCallId;
    if (error !== undefined) record.error = error;
    this.#records.push(record);
    return record;
  }

  #openScope(handler: BoundHandler): void {
    const scope = new HandlerScope(handler.hookPath, this.#plan.name, this.#limitMs, this.#signal);
    // Without a time limit the scope is the same for all handlers, and so is their context.
    if (this.#limitMs > 0 || this.#scope === undefined) {
      this.#context = this.#host.contextWith((ui) => scope.bind(ui));
    }
    this.#scope = scope;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value &&
    typeof value.then === "function";
}

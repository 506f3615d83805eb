/**
 * The one loop that runs handlers. Every event goes through it; what differs between events is a
 * row of the fold table. The only `try` around a handler is here.
 *
 * @module
 */

import { readAnswer } from "./answers.ts";
import { HookAbortError, hookErrorFrom, HookTimeoutError, isThrown } from "./errors.ts";
import type { HookBlockKind, HookError } from "./errors.ts";
import type { HookEventName } from "./events/map.ts";
import { type Answer, type Fold, foldFor, type FoldListener } from "./fold.ts";
import type { BoundHandler, HandlerOutcome, HandlerRecord } from "./handler_record.ts";
import type { HandlerPlan } from "./handler_lists.ts";
import { HandlerScope } from "./handler_scope.ts";
import type { HookUIContext } from "./ports.ts";
import { explainRefusedWrite } from "./refused_write.ts";
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

/** Makes the result of a dispatch; gets `undefined` if no handler had anything to say. */
export type Finish<T> = (dispatch: Dispatch | undefined) => T;

/**
 * Calls a handler; what it throws becomes a rejection, so that there is one way for both.
 *
 * @param handler The handler.
 * @param event The event as handlers see it.
 * @param context Their context.
 */
export function call({ run }: BoundHandler, event: object, context: HookContext): unknown {
  try {
    // As a function and not as a method: a handler has no business with the list it stands in.
    return run(event as never, context as never);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

/**
 * The one loop. A plain dispatch keeps nothing until there is something to keep; what is no promise
 * is not awaited.
 *
 * @param host What the loop needs of the runner.
 * @param plan The handlers, at least one.
 * @param event The event as handlers see it.
 * @param state What is kept from the start, for records, limits and signals; absent, it is plain.
 * @param finish Makes the result.
 * @param start The first handler of the loop.
 * @param value What that handler has returned, in a plain dispatch.
 * @throws {HookAbortError} If the signal fires.
 */
export async function dispatch<T>(
  host: DispatchHost,
  plan: HandlerPlan,
  event: object,
  state: Dispatch | undefined,
  finish: Finish<T>,
  start = 0,
  value?: unknown,
): Promise<T> {
  const { handlers } = plan;
  const { context } = host;
  const isPlain = state === undefined;
  for (let i = start;;) {
    const handler = handlers[i];
    try {
      if (!isPlain) value = state!.call(handler, i);
      if (isThenable(value)) value = await (isPlain ? value : state!.wait(handler, value));
      if (value !== undefined || !isPlain) {
        state ??= new Dispatch(host, plan, event);
        state.settle(handler, i, value);
      }
    } catch (thrown) {
      state ??= new Dispatch(host, plan, event);
      state.fail(handler, i, thrown);
    }
    if (++i === handlers.length || state?.isOver) break;
    if (isPlain) value = call(handlers[i], event, context);
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
    if (this.#signal?.aborted && this.#plan.policy.toldAfterAbort !== true) {
      const text = `Aborted before hook "${handler.hookPath}" was asked (${this.#plan.name})`;
      throw new HookAbortError(text, undefined, { cause: this.#signal.reason });
    }
    if (this.#signal !== undefined || this.#limitMs > 0) this.#openScope(handler);
    if (this.#records !== undefined) this.#startedAt = performance.now();
    const event = this.#plan.policy.fold === "chain" ? this.#folding.next() : this.#event;
    return handler.run.call(undefined, event as never, this.#context as never);
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
    const { fold, stopOn } = this.#plan.policy;
    if (value === undefined || fold === "ignore") return void this.#note(handler, "passed");
    const reading = readAnswer(this.#plan.name, value, this.#event);
    if (reading.kind === "rejected") return this.#reject(handler, reading.fault);
    if (reading.note !== undefined) {
      this.#host.warn(handler.hookPath, this.#plan.name, reading.note);
    }
    if (reading.kind === "none") return void this.#note(handler, "passed");
    const answer: Answer = { handler, fields: reading.fields };
    this.#folding.take(answer, this);
    const stops = stopOn !== undefined && reading.fields[stopOn] === true;
    const outcome = !stops ? "answered" : stopOn === "block" ? "blocked" : "cancelled";
    answer.record = this.#note(handler, outcome);
    if (answer.record !== undefined && answer.isSuperseded) answer.record.superseded = true;
    if (stops) this.#stopAt({ kind: "policy", hookPath: handler.hookPath });
  }

  /** From the fold: an answer gave way to another one. */
  superseded(loser: Answer, winner: Answer, text: string | undefined): void {
    loser.isSuperseded = true;
    if (loser.record !== undefined) loser.record.superseded = true;
    if (text === undefined) return;
    this.#host.warn(loser.handler.hookPath, this.#plan.name, text, winner.handler.hookPath);
  }

  /** From the fold: there is something odd about an answer. */
  odd(answer: Answer, matter: string, text: string): void {
    this.#host.warn(answer.handler.hookPath, this.#plan.name, text, matter);
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
    if (this.#signal?.aborted === true && isThrown(thrown, HookAbortError)) {
      this.#aborted = thrown;
      const wasAsked = thrown.hookPath !== undefined;
      if (wasAsked) this.#note(handler, "aborted", thrown.message);
      this.#skipFrom(wasAsked ? position + 1 : position);
      return;
    }
    const isTimeout = isThrown(thrown, HookTimeoutError);
    const value = explainRefusedWrite(thrown, this.#plan.name, handler.hookPath);
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

  #report(handler: BoundHandler, thrown: unknown): void {
    this.#host.emitError(
      hookErrorFrom(handler.hookPath, this.#plan.name, thrown, handler.handlerIndex),
    );
  }

  #stopAt(stop: DispatchStop): void {
    this.stop = stop;
    this.#skipFrom(this.#position + 1);
  }

  #skipFrom(position: number): void {
    this.isOver = true;
    if (this.#records === undefined) return;
    const { handlers } = this.#plan;
    for (let i = position; i < handlers.length; i++) this.#note(handlers[i], "not-run");
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

/**
 * The one loop that runs handlers. Every event goes through it; what differs between events is a
 * row of the fold table. The only `try` around a handler is here.
 *
 * The loop stays synchronous until a handler returns something that has to be waited for: most
 * handlers have nothing to say, and an awaited nothing costs more than the handler.
 *
 * @module
 */

import { readAnswer } from "./answers.ts";
import { HookAbortError, hookErrorFrom, HookTimeoutError } from "./errors.ts";
import type { HookBlockKind, HookError } from "./errors.ts";
import type { HookEventName } from "./events/map.ts";
import { EVENT_POLICIES, type FoldKind } from "./events/policy.ts";
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
  /** Time limit of an event's handlers in milliseconds, `0` for none. */
  limitMs(event: HookEventName): number;
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

/** One event on its way through its handlers. */
export class Dispatch implements FoldListener {
  /** Why it ended early, if it did. */
  stop: DispatchStop | undefined;
  readonly #host: DispatchHost;
  readonly #name: HookEventName;
  readonly #handlers: readonly BoundHandler[];
  readonly #policy: { fold: FoldKind; onThrow: "report" | "block"; stopOn?: string };
  readonly #fold: Fold;
  readonly #signal: AbortSignal | undefined;
  readonly #limitMs: number;
  readonly #records: HandlerRecord[] | undefined;
  readonly #toolCallId: string | undefined;
  #next = 0;
  #context: HookContext;
  #scope: HandlerScope | undefined;
  #pending: PromiseLike<unknown> | undefined;
  #startedAt = 0;
  #aborted: HookAbortError | undefined;

  constructor(
    host: DispatchHost,
    name: HookEventName,
    handlers: readonly BoundHandler[],
    event: object,
    signal?: AbortSignal,
    limitMs?: number,
  ) {
    this.#host = host;
    this.#name = name;
    this.#handlers = handlers;
    this.#policy = EVENT_POLICIES[name];
    this.#fold = foldFor(this.#policy.fold, event);
    this.#signal = signal;
    this.#limitMs = limitMs ?? host.limitMs(name);
    this.#context = host.context;
    if (host.observe !== undefined) {
      this.#records = [];
      this.#toolCallId = (event as { toolCallId?: string }).toolCallId;
    }
  }

  /** The answers of all handlers, folded. */
  get answer(): object | undefined {
    return this.#fold.answer;
  }

  /**
   * Runs the handlers.
   *
   * @returns This dispatch: at once if no handler had to be waited for.
   * @throws {HookAbortError} If the signal fires.
   */
  run(): Dispatch | Promise<Dispatch> {
    if (this.#signal?.aborted) {
      throw new HookAbortError(this.#name, undefined, { cause: this.#signal.reason });
    }
    return this.#advance() ? this.#end() : this.#finish();
  }

  /** Runs handlers until one has to be waited for (`false`) or all have run (`true`). */
  #advance(): boolean {
    const handlers = this.#handlers;
    while (this.#next < handlers.length) {
      const handler = handlers[this.#next++];
      if (this.#signal !== undefined || this.#limitMs > 0) this.#openScope(handler);
      if (this.#records !== undefined) this.#startedAt = performance.now();
      try {
        const value = handler.run(this.#fold.next() as never, this.#context as never);
        if (isThenable(value)) {
          this.#pending = value;
          return false;
        }
        this.#settle(handler, value);
      } catch (thrown) {
        this.#fail(handler, thrown);
      }
    }
    return true;
  }

  async #finish(): Promise<Dispatch> {
    do {
      const handler = this.#handlers[this.#next - 1];
      try {
        const value = this.#scope === undefined
          ? await this.#pending
          : await this.#scope.wait(this.#pending!, (thrown) => this.#report(handler, thrown));
        this.#settle(handler, value);
      } catch (thrown) {
        this.#fail(handler, thrown);
      }
    } while (!this.#advance());
    return this.#end();
  }

  /** A handler has returned. */
  #settle(handler: BoundHandler, value: unknown): void {
    const { fold, stopOn, onThrow } = this.#policy;
    if (value === undefined || fold === "ignore") return void this.#note(handler, "passed");
    const reading = readAnswer(this.#name, value, onThrow === "block");
    if (reading.kind === "rejected") return this.#reject(handler, reading.fault);
    if (reading.note !== undefined) this.#host.warn(handler.hookPath, this.#name, reading.note);
    if (reading.kind === "none") return void this.#note(handler, "passed");
    const record = this.#note(handler, "answered");
    this.#fold.take({ handler, fields: reading.fields, record }, this);
    if (stopOn === undefined || reading.fields[stopOn] !== true) return;
    if (record !== undefined) record.outcome = stopOn === "block" ? "blocked" : "cancelled";
    this.#stopAt({ kind: "policy", hookPath: handler.hookPath });
  }

  /** From the fold: an answer gave way to another one. */
  superseded(loser: Answer, winner: Answer, text: string): void {
    if (loser.record !== undefined) loser.record.superseded = true;
    const { hookPath } = loser.handler;
    this.#host.warn(hookPath, this.#name, text, winner.handler.hookPath);
  }

  /** From the fold: there is something odd about an answer. */
  odd(answer: Answer, text: string): void {
    this.#host.warn(answer.handler.hookPath, this.#name, text, text);
  }

  /** A handler has answered something that must not be used. */
  #reject(handler: BoundHandler, fault: string): void {
    this.#note(handler, "rejected-answer", fault);
    if (this.#policy.onThrow === "block") {
      this.#stopAt({ kind: "fault", hookPath: handler.hookPath, fault });
    } else {
      this.#report(handler, new TypeError(fault));
    }
  }

  /** A handler has thrown, or the wait for it has ended. */
  #fail(handler: BoundHandler, thrown: unknown): void {
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
      hookErrorFrom(handler.hookPath, this.#name, value).error,
    );
    if (this.#policy.onThrow === "block") {
      const kind = isTimeout ? "timeout" : "fault";
      this.#stopAt({ kind, hookPath: handler.hookPath, thrown: { value } });
    } else {
      this.#report(handler, value);
    }
  }

  /** Names the hook where the engine only says that something is read-only. */
  #explain(handler: BoundHandler, thrown: unknown): unknown {
    if (!(thrown instanceof TypeError) || !SHOWS_FROZEN_COPIES.has(this.#name)) return thrown;
    if (!WRITE_REFUSED.test(thrown.message)) return thrown;
    const text = `Hook "${handler.hookPath}" tried to change what it was shown (${this.#name}); ` +
      `inputs and results cannot be changed in place: ${thrown.message}`;
    return new TypeError(text, { cause: thrown });
  }

  #report(handler: BoundHandler, thrown: unknown): void {
    this.#host.emitError(
      hookErrorFrom(handler.hookPath, this.#name, thrown, handler.handlerIndex),
    );
  }

  #stopAt(stop: DispatchStop): void {
    this.stop = stop;
    this.#skipRest();
  }

  #skipRest(): void {
    while (this.#next < this.#handlers.length) {
      this.#startedAt = 0;
      this.#note(this.#handlers[this.#next++], "not-run");
    }
  }

  #note(handler: BoundHandler, outcome: HandlerOutcome, error?: string): HandlerRecord | undefined {
    if (this.#records === undefined) return undefined;
    const record: HandlerRecord = {
      event: this.#name,
      hookPath: handler.hookPath,
      handlerIndex: handler.handlerIndex,
      outcome,
      milliseconds: outcome === "not-run" ? 0 : performance.now() - this.#startedAt,
    };
    if (this.#toolCallId !== undefined) record.toolCallId = this.#toolCallId;
    if (error !== undefined) record.error = error;
    this.#records.push(record);
    return record;
  }

  #openScope(handler: BoundHandler): void {
    const scope = new HandlerScope(handler.hookPath, this.#name, this.#limitMs, this.#signal);
    // Without a time limit the scope is the same for all handlers, and so is their context.
    if (this.#limitMs > 0 || this.#scope === undefined) {
      this.#context = this.#host.contextWith((ui) => scope.bind(ui));
    }
    this.#scope = scope;
  }

  #end(): Dispatch {
    if (this.#records !== undefined) this.#host.observe?.(this.#records);
    if (this.#aborted !== undefined) throw this.#aborted;
    return this;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value &&
    typeof value.then === "function";
}

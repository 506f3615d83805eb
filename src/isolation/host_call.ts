/**
 * A call to the process of a hook that has no answer yet, and its clock.
 *
 * @module
 */

import type { HookContext } from "../types.ts";
import type { HostCall } from "./messages.ts";

/** What came of a call. */
export interface CallAnswer {
  /** Unpacked. */
  value: unknown;
  /** The fields of the event that were given back as they are. */
  same: readonly string[];
  /** Messages, by their place in what was shown or packed. */
  list: readonly unknown[] | undefined;
}

/** A call without an answer. */
export class PendingCall {
  /** What was asked. */
  readonly call: HostCall;
  /** The context that it was asked with. */
  readonly ctx: HookContext;
  /** Settles when there is an answer. */
  readonly answer: Promise<CallAnswer>;
  readonly #settle: PromiseWithResolvers<CallAnswer> = Promise.withResolvers();
  readonly #cleanups: (() => void)[] = [];
  readonly #onLate: (call: PendingCall) => void;
  #remainingMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #startedAt = 0;
  #openDialogs = 0;
  #isOver = false;

  /**
   * @param call What is asked.
   * @param ctx The context that it is asked with.
   * @param limitMs How long an answer may take, in milliseconds; `0` for no limit.
   * @param onLate Called when that time has passed.
   */
  constructor(
    call: HostCall,
    ctx: HookContext,
    limitMs: number,
    onLate: (call: PendingCall) => void,
  ) {
    this.call = call;
    this.ctx = ctx;
    this.answer = this.#settle.promise;
    this.#remainingMs = limitMs;
    this.#onLate = onLate;
    this.run();
  }

  /** Starts the clock, if it stands and may run. */
  run(limitMs?: number): void {
    if (limitMs !== undefined) this.#remainingMs = limitMs;
    if (this.#remainingMs <= 0 || this.#openDialogs > 0 || this.#isOver) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#onLate(this), this.#remainingMs);
  }

  /** A person is asked: the clock stands until they have answered. */
  async duringDialog<T>(ask: () => Promise<T>): Promise<T> {
    this.#stop();
    this.#openDialogs++;
    try {
      return await ask();
    } finally {
      if (--this.#openDialogs === 0) this.run();
    }
  }

  /** Done at the end of the call, whatever the end is. */
  onEnd(cleanup: () => void): void {
    this.#cleanups.push(cleanup);
  }

  /** There is an answer. */
  resolve(answer: CallAnswer): void {
    this.#end();
    this.#settle.resolve(answer);
  }

  /** There will be none. */
  reject(thrown: unknown): void {
    this.#end();
    this.#settle.reject(thrown);
  }

  #end(): void {
    this.#stop();
    this.#isOver = true;
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#remainingMs = Math.max(1, this.#remainingMs - (performance.now() - this.#startedAt));
  }
}

/**
 * Stand-in for `@std/testing/time`: a clock that moves only when a test says so.
 *
 * @module
 */

/** The real clock and timers, kept from before any of them was replaced. */
const real = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  abortTimeout: AbortSignal.timeout,
};

/** One waiting timer. */
type Timer = { id: number; due: number; every: number | undefined; run: () => void };

let current: FakeTime | undefined;

/** The fake clock was used wrongly. */
export class TimeError extends Error {
  /** @param message What is wrong. */
  constructor(message: string) {
    super(message);
    this.name = "TimeError";
  }
}

/** Lets everything that is ready to run take its turn. */
async function drain(): Promise<void> {
  await new Promise<void>((resolve) => real.setTimeout(resolve, 0));
}

/**
 * Replaces `Date`, `setTimeout`, `setInterval`, their clearing and `AbortSignal.timeout` until
 * `restore` is called or the `using` block ends. Only one can be there at a time.
 *
 * @example
 * ```ts
 * import { assert } from "@std/assert";
 *
 * using time = new FakeTime();
 * let rang = false;
 * setTimeout(() => rang = true, 1000);
 * time.tick(1000);
 * assert(rang);
 * ```
 */
export class FakeTime {
  /** When the clock was started, in milliseconds since 1970. */
  readonly start: number;
  #now: number;
  #timers: Map<number, Timer> = new Map();
  #nextId = 1;

  /** @param start The first time shown; the real time by default. */
  constructor(start?: number | string | Date | null) {
    if (current !== undefined) {
      throw new TimeError("Cannot construct FakeTime: time is already faked");
    }
    this.start = start === undefined || start === null
      ? real.Date.now()
      : new real.Date(start).getTime();
    if (Number.isNaN(this.start)) throw new TimeError("Cannot construct FakeTime: invalid start");
    this.#now = this.start;
    current = this;
    this.#install();
  }

  /** The time shown, in milliseconds since 1970. */
  get now(): number {
    return this.#now;
  }

  /** Moves the clock on; what is due on the way runs, in order. */
  set now(value: number) {
    if (value < this.#now) throw new RangeError("Cannot set current time in the past");
    this.#runUntil(value);
  }

  /** Moves the clock on by so many milliseconds, and runs what comes due on the way. */
  tick(ms = 0): void {
    this.now = this.#now + ms;
  }

  /** As `tick`, and lets promises settle before it and after each timer. */
  async tickAsync(ms = 0): Promise<void> {
    const goal = this.#now + ms;
    await drain();
    for (let timer = this.#nextUntil(goal); timer; timer = this.#nextUntil(goal)) {
      this.#fire(timer);
      await drain();
    }
    this.#now = goal;
  }

  /** Goes to the next timer and runs it; `false` if there is none. */
  next(): boolean {
    const timer = this.#nextUntil(Infinity);
    if (timer !== undefined) this.#fire(timer);
    return timer !== undefined;
  }

  /** As `next`, and lets promises settle before it and after it. */
  async nextAsync(): Promise<boolean> {
    await drain();
    const ran = this.next();
    if (ran) await drain();
    return ran;
  }

  /** Runs timers until none is left. */
  runAll(): void {
    while (this.next());
  }

  /** As `runAll`, and lets promises settle between the timers. */
  async runAllAsync(): Promise<void> {
    while (await this.nextAsync());
  }

  /** Lets promises settle. */
  async runMicrotasks(): Promise<void> {
    await drain();
  }

  /** Brings the real clock back. */
  restore(): void {
    if (current !== this) throw new TimeError("Cannot restore time: it has already been restored");
    current = undefined;
    Object.assign(globalThis, {
      Date: real.Date,
      setTimeout: real.setTimeout,
      clearTimeout: real.clearTimeout,
      setInterval: real.setInterval,
      clearInterval: real.clearInterval,
    });
    AbortSignal.timeout = real.abortTimeout;
  }

  /** Brings the real clock back at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.restore();
  }

  /** Brings the real clock back, whoever replaced it. */
  static restore(): void {
    if (current === undefined) throw new TimeError("Cannot restore time: time is not faked");
    current.restore();
  }

  #install(): void {
    const now = (): number => this.#now;
    const FakeDate = new Proxy(real.Date, {
      construct: (target, args, self) =>
        Reflect.construct(target, args.length ? args : [now()], self),
      apply: () => new real.Date(now()).toString(),
      get: (target, key, self) => key === "now" ? now : Reflect.get(target, key, self),
    });
    const add = (every: boolean) => {
      return (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): number => {
        const wait = Math.max(0, Number(ms) || 0);
        return this.#add(() => run(...args), wait, every ? Math.max(1, wait) : undefined);
      };
    };
    const clear = (id?: number): void => {
      if (id !== undefined) this.#timers.delete(id);
    };
    Object.assign(globalThis, {
      Date: FakeDate,
      setTimeout: add(false),
      clearTimeout: clear,
      setInterval: add(true),
      clearInterval: clear,
    });
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController();
      const late = new DOMException("Signal timed out.", "TimeoutError");
      this.#add(() => controller.abort(late), ms, undefined);
      return controller.signal;
    };
  }

  #add(run: () => void, wait: number, every: number | undefined): number {
    const id = this.#nextId++;
    this.#timers.set(id, { id, due: this.#now + wait, every, run });
    return id;
  }

  #nextUntil(goal: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers.values()) {
      if (timer.due > goal) continue;
      if (first === undefined || timer.due < first.due) first = timer;
    }
    return first;
  }

  #fire(timer: Timer): void {
    this.#now = Math.max(this.#now, timer.due);
    this.#timers.delete(timer.id);
    if (timer.every !== undefined) {
      this.#timers.set(timer.id, { ...timer, due: timer.due + timer.every });
    }
    timer.run();
  }

  #runUntil(goal: number): void {
    for (let timer = this.#nextUntil(goal); timer; timer = this.#nextUntil(goal)) this.#fire(timer);
    this.#now = goal;
  }
}

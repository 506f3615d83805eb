import { assertEquals, assertRejects } from "@std/assert";
import { TimeLimit } from "../src/loader_limit.ts";

/** A clock that only moves when a test says so, in the place of the real one. */
class HandClock implements Disposable {
  now = 0;
  readonly timers: { at: number; controller: AbortController; listeners: number }[] = [];
  readonly #timeout = AbortSignal.timeout;
  readonly #performanceNow = performance.now;

  constructor() {
    AbortSignal.timeout = (ms) => this.#start(ms);
    performance.now = () => this.now;
  }

  [Symbol.dispose](): void {
    AbortSignal.timeout = this.#timeout;
    performance.now = this.#performanceNow;
  }

  advance(ms: number): void {
    this.now += ms;
    for (const timer of this.timers.filter(({ at }) => at <= this.now)) {
      if (!timer.controller.signal.aborted) timer.controller.abort();
    }
  }

  /** How many timers somebody waits for: those keep a program from ending. */
  get awaited(): number {
    return this.timers.filter(({ controller, listeners }) =>
      listeners > 0 && !controller.signal.aborted
    ).length;
  }

  #start(ms: number): AbortSignal {
    const controller = new AbortController();
    const timer = { at: this.now + ms, controller, listeners: 0 };
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (type: string, listener: EventListener) => {
      timer.listeners++;
      add(type, listener);
    };
    signal.removeEventListener = (type: string, listener: EventListener) => {
      timer.listeners--;
      remove(type, listener);
    };
    this.timers.push(timer);
    return signal;
  }
}

const late = (): Error => new RangeError("too late");

Deno.test("what is done in time gives its value or its error", async () => {
  using clock = new HandClock();
  using limit = new TimeLimit(100);
  assertEquals(await limit.hold(Promise.resolve("value"), late), "value");
  await assertRejects(() => limit.hold(Promise.reject(new Error("own")), late), Error, "own");
  assertEquals(clock.timers.length, 1);
});

Deno.test("what takes too long is given up exactly at the limit", async () => {
  using clock = new HandClock();
  using limit = new TimeLimit(100);
  let fault: Error | undefined;
  const waiting = limit.hold(new Promise(() => {}), late).catch((error) => fault = error);
  clock.advance(99);
  await Promise.resolve();
  assertEquals(fault, undefined);
  clock.advance(1);
  await waiting;
  assertEquals(fault?.message, "too late");
});

Deno.test("each thing has the whole limit, however long those before it took", async () => {
  using clock = new HandClock();
  using limit = new TimeLimit(100);
  for (let i = 0; i < 5; i++) {
    const { promise, resolve } = Promise.withResolvers<number>();
    const waiting = limit.hold(promise, late);
    clock.advance(80);
    resolve(i);
    assertEquals(await waiting, i);
  }
  const waiting = assertRejects(() => limit.hold(new Promise(() => {}), late), RangeError);
  for (let i = 0; i < 100; i++) clock.advance(1);
  await waiting;
});

Deno.test("after something was given up, the next thing has its limit again", async () => {
  using clock = new HandClock();
  using limit = new TimeLimit(100);
  for (let i = 0; i < 2; i++) {
    const waiting = assertRejects(() => limit.hold(new Promise(() => {}), late), RangeError);
    clock.advance(100);
    await waiting;
  }
});

Deno.test("no timer is left over, so that the program can end", async () => {
  using clock = new HandClock();
  {
    using limit = new TimeLimit(100);
    await limit.hold(Promise.resolve(), late);
    assertEquals(clock.awaited, 1);
  }
  assertEquals(clock.awaited, 0);
  {
    using limit = new TimeLimit(100);
    await limit.hold(Promise.resolve(), late);
    clock.advance(500);
  }
  assertEquals(clock.awaited, 0);
});

Deno.test("zero, a negative number, infinity and what a timer cannot count set no timer", async () => {
  using clock = new HandClock();
  for (const ms of [0, -1, NaN, Infinity, 2 ** 31]) {
    using limit = new TimeLimit(ms);
    assertEquals(await limit.hold(Promise.resolve(ms), late), ms);
  }
  assertEquals(clock.timers, []);
});

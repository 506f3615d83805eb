/**
 * Stand-in for `@std/testing/mock`: functions that remember how they were called.
 *
 * @module
 */

import { equal } from "@std/assert/equal";

/** One call. */
export interface SpyCall<Self, Args extends unknown[], Return> {
  /** The arguments. */
  args: Args;
  /** What the function was called on. */
  self?: Self;
  /** What it returned. */
  returned?: Return;
  /** What it threw. */
  error?: Error;
}

/** A function that remembers its calls. */
export interface Spy<Self, Args extends unknown[], Return> {
  (this: Self, ...args: Args): Return;
  /** The function in its place before. */
  original: (this: Self, ...args: Args) => Return;
  /** The calls, the first one first. */
  calls: SpyCall<Self, Args, Return>[];
  /** Whether the function in its place before is back. */
  restored: boolean;
  /** Brings the function in its place before back. */
  restore(): void;
}

/** A method of an object that remembers its calls. */
export interface MethodSpy<Self, Args extends unknown[], Return> extends Spy<Self, Args, Return> {
  /** Brings the method back at the end of a `using` block. */
  [Symbol.dispose](): void;
}

/** A method of an object that was replaced by another function. */
export interface Stub<Self, Args extends unknown[], Return> extends MethodSpy<Self, Args, Return> {
  /** The function that runs instead. */
  fake: (this: Self, ...args: Args) => Return;
}

/** Something about the mocks themselves is wrong. */
export class MockError extends Error {
  /** @param message What is wrong. */
  constructor(message: string) {
    super(message);
    this.name = "MockError";
  }
}

/** A spy that does nothing. */
export function spy<Self, Args extends unknown[]>(): Spy<Self, Args, undefined>;
/** A spy around a function. */
export function spy<Self, Args extends unknown[], Return>(
  func: (this: Self, ...args: Args) => Return,
): Spy<Self, Args, Return>;
/** A spy in the place of a method, which still runs. */
export function spy<Self, Prop extends keyof Self>(
  self: Self,
  property: Prop,
): MethodSpy<Self, ArgsOf<Self, Prop>, ReturnOf<Self, Prop>>;
export function spy(target?: unknown, property?: PropertyKey): unknown {
  if (property !== undefined) return replace(target as object, property, undefined);
  const original = typeof target === "function" ? target : () => undefined;
  return remember(original, () => {
    throw new MockError("Cannot restore: function cannot be restored");
  });
}

/** The arguments of a method. */
type ArgsOf<Self, Prop extends keyof Self> = Self[Prop] extends (...args: infer Args) => unknown
  ? Args
  : never;

/** What a method returns. */
type ReturnOf<Self, Prop extends keyof Self> = Self[Prop] extends (...args: never[]) => infer Return
  ? Return
  : never;

/** Replaces a method; without a function the method returns `undefined`. */
export function stub<Self, Prop extends keyof Self>(
  self: Self,
  property: Prop,
  func?: (this: Self, ...args: ArgsOf<Self, Prop>) => ReturnOf<Self, Prop>,
): Stub<Self, ArgsOf<Self, Prop>, ReturnOf<Self, Prop>>;
export function stub(self: object, property: PropertyKey, func?: unknown): unknown {
  return replace(self, property, typeof func === "function" ? func : () => undefined);
}

function replace(self: object, property: PropertyKey, fake: unknown): unknown {
  const before = Object.getOwnPropertyDescriptor(self, property);
  const original: unknown = Reflect.get(self, property);
  if (typeof original !== "function") {
    throw new MockError(`Cannot spy: property "${String(property)}" is not an instance method`);
  }
  const used = typeof fake === "function" ? fake : original;
  const mock = remember(used, () => {
    if (before === undefined) Reflect.deleteProperty(self, property);
    else Object.defineProperty(self, property, before);
  });
  Object.assign(mock, { original, fake: used });
  Object.defineProperty(self, property, { configurable: true, writable: true, value: mock });
  return mock;
}

type Remembered = { calls: SpyCall<unknown, unknown[], unknown>[]; restored: boolean };

function remember(original: CallableFunction, restore: () => void): object {
  const state: Remembered = { calls: [], restored: false };
  const mock = function (this: unknown, ...args: unknown[]): unknown {
    const call: SpyCall<unknown, unknown[], unknown> = { args };
    if (this !== undefined) call.self = this;
    try {
      return call.returned = Reflect.apply(original, this, args);
    } catch (error) {
      call.error = error as Error;
      throw error;
    } finally {
      state.calls.push(call);
    }
  };
  const undo = (): void => {
    if (state.restored) throw new MockError("Cannot restore: instance method already restored");
    restore();
    state.restored = true;
  };
  Object.defineProperties(mock, {
    original: { value: original, writable: true },
    calls: { get: () => state.calls },
    restored: { get: () => state.restored },
    restore: { value: undo },
    [Symbol.dispose]: { value: undo },
  });
  return mock;
}

/** Any spy: only its calls are looked at. */
interface Watched {
  calls: { args: readonly unknown[]; self?: unknown; returned?: unknown }[];
}

/** Fails unless the spy was called so many times. */
export function assertSpyCalls(spy: Watched, expectedCalls: number): void {
  if (spy.calls.length === expectedCalls) return;
  throw new MockError(`Spy called ${spy.calls.length} times, expected ${expectedCalls}`);
}

/** Fails unless the call with this number, from 0, is there and is as expected. */
export function assertSpyCall(
  spy: Watched,
  callIndex: number,
  expected: { args?: unknown[]; self?: unknown; returned?: unknown } = {},
): void {
  const call = spy.calls[callIndex];
  if (call === undefined) {
    throw new MockError(`Spy not called as much as expected: no call ${callIndex}`);
  }
  for (const key of ["args", "self", "returned"] as const) {
    if (key in expected && !equal(call[key], expected[key])) {
      const [was, wanted] = [Deno.inspect(call[key]), Deno.inspect(expected[key])];
      throw new MockError(`Spy call ${callIndex}: ${key} is ${was}, expected ${wanted}`);
    }
  }
}

/** Fails unless the call with this number, from 0, had these arguments. */
export function assertSpyCallArgs(spy: Watched, callIndex: number, expected: unknown[]): void {
  assertSpyCall(spy, callIndex, { args: expected });
}

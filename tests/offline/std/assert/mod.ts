/**
 * Stand-in for `@std/assert`: the assertions this project uses, with the signatures of the real
 * package. Laid into `vendor/` by `tests/offline/setup.ts` where JSR cannot be reached.
 *
 * @module
 */

import { describeDifference } from "./difference.ts";
import { equal } from "./equal.ts";

export { equal };

/** What every assertion of this package throws. */
export class AssertionError extends Error {
  /** @param message What was expected, and what was there instead. */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AssertionError";
  }
}

/** Any class, also an abstract one, whose instances are `T`. */
type ClassOf<T> = abstract new (...args: never[]) => T;

function show(value: unknown): string {
  return Deno.inspect(value, {
    depth: Infinity,
    sorted: true,
    trailingComma: true,
    compact: false,
    iterableLimit: Infinity,
    strAbbreviateSize: Infinity,
  });
}

/** `": <message>"` after a fixed text, or a full stop where there is no message. */
function ending(message: string | undefined): string {
  return message ? `: ${message}` : ".";
}

/** Fails unless `expr` is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/** Fails unless `expr` is falsy. */
export function assertFalse(expr: unknown, msg = ""): asserts expr is false {
  if (expr) throw new AssertionError(msg);
}

/** Fails always. */
export function fail(msg?: string): never {
  throw new AssertionError(`Failed assertion${ending(msg)}`);
}

/** Fails when a line is reached that should not be. */
export function unreachable(reason?: string): never {
  throw new AssertionError(`Unreachable${ending(reason)}`);
}

/** Fails unless both are equal by value; the message shows the lines that differ. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (equal(actual, expected)) return;
  throw new AssertionError(
    `Values are not equal${ending(msg)}\n\n${describeDifference(show(actual), show(expected))}`,
  );
}

/** Fails when both are equal by value. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!equal(actual, expected)) return;
  throw new AssertionError(
    `Expected actual: ${show(actual)} not to be: ${show(expected)}${ending(msg)}`,
  );
}

/** Fails unless both are the same value (`Object.is`). */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  if (Object.is(actual, expected)) return;
  const left = show(actual);
  const right = show(expected);
  const text = left === right
    ? `Values have the same structure but are not the same reference${ending(msg)}\n\n${left}`
    : `Values are not strictly equal${ending(msg)}\n\n${describeDifference(left, right)}`;
  throw new AssertionError(text);
}

/** Fails when both are the same value (`Object.is`). */
export function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!Object.is(actual, expected)) return;
  throw new AssertionError(
    `Expected "actual" not to be strictly equal to: ${show(actual)}${ending(msg)}`,
  );
}

/** Fails when the value is `null` or `undefined`. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  if (actual !== undefined && actual !== null) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to not be null or undefined${ending(msg)}`,
  );
}

/** Fails unless the value is an instance of the class. */
export function assertInstanceOf<T>(
  actual: unknown,
  expectedType: ClassOf<T>,
  msg?: string,
): asserts actual is T {
  if (actual instanceof expectedType) return;
  throw new AssertionError(
    `Expected object to be an instance of "${expectedType.name}" but was ${kindOf(actual)}${
      ending(msg)
    }`,
  );
}

function kindOf(value: unknown): string {
  if (value === null) return `"null"`;
  if (typeof value !== "object") return `"${typeof value}"`;
  const name = value.constructor?.name ?? "Object";
  return value instanceof Error ? `"${name}" (${value.message})` : `"${name}"`;
}

/** Fails unless the text holds the other one. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (actual.includes(expected)) return;
  throw new AssertionError(
    `Expected actual: ${show(actual)} to contain: ${show(expected)}${ending(msg)}`,
  );
}

/** Fails unless the text matches. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (expected.test(actual)) return;
  throw new AssertionError(`Expected actual: ${show(actual)} to match: ${expected}${ending(msg)}`);
}

/** Fails when the text matches. */
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!expected.test(actual)) return;
  throw new AssertionError(
    `Expected actual: ${show(actual)} to not match: ${expected}${ending(msg)}`,
  );
}

/** Fails unless `actual > expected`. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  if (actual > expected) return;
  throw new AssertionError(`Expect ${show(actual)} > ${show(expected)}${ending(msg)}`);
}

/** Fails unless `actual >= expected`. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (actual >= expected) return;
  throw new AssertionError(`Expect ${show(actual)} >= ${show(expected)}${ending(msg)}`);
}

/** Fails unless `actual < expected`. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  if (actual < expected) return;
  throw new AssertionError(`Expect ${show(actual)} < ${show(expected)}${ending(msg)}`);
}

/** Fails unless `actual <= expected`. */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (actual <= expected) return;
  throw new AssertionError(`Expect ${show(actual)} <= ${show(expected)}${ending(msg)}`);
}

/** Fails unless each of the expected values has an equal one in `actual`. */
export function assertArrayIncludes<T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  msg?: string,
): void {
  const there = Array.from(actual);
  const missing = Array.from(expected).filter((value) => !there.some((one) => equal(one, value)));
  if (missing.length === 0) return;
  throw new AssertionError(
    `Expected actual: ${show(actual)} to include: ${show(expected)}${ending(msg)}\nmissing: ${
      show(missing)
    }`,
  );
}

/**
 * Fails unless every property of `expected`, at any depth, is equal in `actual`. Lists are compared
 * as far as the expected one goes.
 */
export function assertObjectMatch(
  actual: object,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void {
  assertEquals(pick(actual, expected, new Map()), expected, msg);
}

/** The part of `actual` that `expected` speaks of, so that the two can be compared by value. */
function pick(actual: unknown, expected: unknown, seen: Map<unknown, unknown>): unknown {
  if (!isContainer(actual) || !isContainer(expected)) return actual;
  if (Array.isArray(actual) !== Array.isArray(expected)) return actual;
  const known = seen.get(expected);
  if (known !== undefined) return known;
  if (Array.isArray(actual) && Array.isArray(expected)) {
    const list: unknown[] = [];
    seen.set(expected, list);
    expected.forEach((value, index) => {
      if (index < actual.length) list.push(pick(actual[index], value, seen));
    });
    return list;
  }
  const part: Record<PropertyKey, unknown> = Object.create(Object.getPrototypeOf(expected));
  seen.set(expected, part);
  for (const key of Reflect.ownKeys(expected)) {
    if (key in actual) part[key] = pick(Reflect.get(actual, key), Reflect.get(expected, key), seen);
  }
  return part;
}

/** An array or a plain object: what `assertObjectMatch` looks into. */
function isContainer(value: unknown): value is object {
  if (Array.isArray(value)) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** Fails unless the function throws, an instance of `ErrorClass` if one is given. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: ClassOf<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows(
  fn: () => unknown,
  ...expected: Expectation
): unknown {
  try {
    fn();
  } catch (error) {
    return checkError(error, expected);
  }
  throw new AssertionError(`Expected function to throw${ending(messageOf(expected))}`);
}

/** Fails unless the promise rejects, with an instance of `ErrorClass` if one is given. */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: ClassOf<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  ...expected: Expectation
): Promise<unknown> {
  let promise: PromiseLike<unknown>;
  try {
    promise = fn();
  } catch (error) {
    throw new AssertionError(`Function throws when expected to reject: ${show(error)}`);
  }
  try {
    await promise;
  } catch (error) {
    return checkError(error, expected);
  }
  throw new AssertionError(`Expected function to reject${ending(messageOf(expected))}`);
}

/** What follows the function: a message, or the class, the text it holds, and a message. */
type Expectation = [message?: string] | [
  errorClass: ClassOf<Error>,
  includes?: string,
  message?: string,
];

function messageOf(expected: Expectation): string | undefined {
  return typeof expected[0] === "function" ? expected[2] : expected[0];
}

function checkError(error: unknown, expected: Expectation): unknown {
  const [errorClass, includes] = expected;
  if (typeof errorClass !== "function") return error;
  const message = messageOf(expected);
  if (!(error instanceof Error)) {
    throw new AssertionError(
      `A non-Error object was thrown or rejected: ${show(error)}${ending(message)}`,
    );
  }
  assertInstanceOf(error, errorClass, message);
  if (includes !== undefined && !error.message.includes(includes)) {
    throw new AssertionError(
      `Expected error message to include ${show(includes)}, but got ${show(error.message)}${
        ending(message)
      }`,
    );
  }
  return error;
}

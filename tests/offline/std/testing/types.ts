/**
 * Stand-in for `@std/testing/types`: statements about types that the compiler checks.
 *
 * @module
 */

/** Compiles only if the type argument is the given boolean. */
export function assertType<T extends boolean>(_expectTrue: T): void {}

/** Compiles only for `true`. */
export type AssertTrue<T extends true> = never;

/** Compiles only for `false`. */
export type AssertFalse<T extends false> = never;

/** Compiles only if the type is the boolean `Expected`. */
export type Assert<T extends boolean, Expected extends T> = never;

/** Whether something of type `U` may stand for `T`. */
export type Has<T, U> = IsAny<T> extends true ? true
  : IsAny<U> extends true ? false
  : Extract<T, U> extends never ? false
  : true;

/** Whether nothing of type `U` may stand for `T`. */
export type NotHas<T, U> = Has<T, U> extends false ? true : false;

/** Whether `null` or `undefined` is in the type. */
export type IsNullable<T> = Extract<T, null | undefined> extends never ? false : true;

/** Whether both are exactly the same type. */
export type IsExact<T, U> = Identical<T, U> extends true ? true : Identical<Flat<T>, Flat<U>>;

/** The compiler takes two such functions for the same only if `T` and `U` are the same to it. */
type Identical<T, U> = (<V>() => V extends T ? 1 : 2) extends (<V>() => V extends U ? 1 : 2) ? true
  : false;

/** The members written out, so that an intersection and its result compare as one. */
type Flat<T> = T extends (...args: never[]) => unknown ? T
  : T extends object ? { [K in keyof T]: T[K] }
  : T;

/** Whether the type is `any`. */
export type IsAny<T> = 0 extends (1 & T) ? true : false;

/** Whether the type is `never`. */
export type IsNever<T> = [T] extends [never] ? true : false;

/** Whether the type is `unknown`. */
export type IsUnknown<T> = IsNever<T> extends true ? false
  : IsAny<T> extends true ? false
  : unknown extends T ? true
  : false;

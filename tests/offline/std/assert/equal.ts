/**
 * Stand-in for `@std/assert/equal`: are two values equal by value?
 *
 * @module
 */

/**
 * Compares by value: primitives as they are (`NaN` is `NaN`), objects by class and own enumerable properties,
 * and dates, regular expressions, errors, maps, sets and bytes by what they hold. Cycles end.
 */
export function equal(a: unknown, b: unknown): boolean {
  return compare(a, b, new Map());
}

type Seen = Map<object, Set<object>>;

function compare(a: unknown, b: unknown, seen: Seen): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (!sameClass(a, b)) return false;

  // A pair that is being compared further up is equal as far as this branch can tell.
  const pairs = seen.get(a) ?? new Set();
  if (pairs.has(b)) return true;
  seen.set(a, pairs.add(b));

  const inside = compareInside(a, b, seen);
  return inside && compareProperties(a, b, seen);
}

/** An object without a prototype counts as a plain object. */
function sameClass(a: object, b: object): boolean {
  return (a.constructor ?? Object) === (b.constructor ?? Object) &&
    Array.isArray(a) === Array.isArray(b);
}

/** The part of an object that is not in its own enumerable properties. */
function compareInside(a: object, b: object, seen: Seen): boolean {
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
  if (a instanceof RegExp && b instanceof RegExp) return String(a) === String(b);
  if (a instanceof URL && b instanceof URL) return a.href === b.href;
  if (a instanceof Error && b instanceof Error) {
    // As the real function does: errors made in two places are two errors.
    return a.name === b.name && a.message === b.message && a.stack === b.stack &&
      compare(a.cause, b.cause, seen);
  }
  if (a instanceof Map && b instanceof Map) {
    return sameMembers([...a.entries()], [...b.entries()], seen);
  }
  if (a instanceof Set && b instanceof Set) return sameMembers([...a], [...b], seen);
  if (a instanceof ArrayBuffer && b instanceof ArrayBuffer) {
    return compareProperties(new Uint8Array(a), new Uint8Array(b), seen);
  }
  if (a instanceof DataView && b instanceof DataView) {
    return compareInside(a.buffer, b.buffer, seen);
  }
  if (a instanceof String || a instanceof Number || a instanceof Boolean) {
    return Object.is(a.valueOf(), b.valueOf());
  }
  // Nobody can look into these: they are equal only if they are the same.
  return !(a instanceof Promise || a instanceof WeakMap || a instanceof WeakSet ||
    a instanceof WeakRef);
}

/** Every member of one has its own equal in the other, whatever the order. */
function sameMembers(a: unknown[], b: unknown[], seen: Seen): boolean {
  if (a.length !== b.length) return false;
  const left = [...b];
  return a.every((member) => {
    // A try that fails must leave no trace of pairs "being compared".
    const index = left.findIndex((other) => compare(member, other, copyOf(seen)));
    if (index < 0) return false;
    left.splice(index, 1);
    return true;
  });
}

function copyOf(seen: Seen): Seen {
  return new Map([...seen].map(([key, pairs]) => [key, new Set(pairs)]));
}

function compareProperties(a: object, b: object, seen: Seen): boolean {
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
  const keys = ownKeys(a);
  if (keys.length !== ownKeys(b).length) return false;
  return keys.every((key) =>
    Object.prototype.propertyIsEnumerable.call(b, key) &&
    compare(Reflect.get(a, key), Reflect.get(b, key), seen)
  );
}

function ownKeys(value: object): PropertyKey[] {
  return Reflect.ownKeys(value)
    .filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
}

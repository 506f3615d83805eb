/**
 * Copies of what hooks look at and of what they answer.
 *
 * A hook must not be able to change the arguments of a tool, a stored message or a result by
 * writing into what it was given, and nothing that a hook still holds may reach the agent. Plain
 * data is copied by a short recursion that shares strings, about ten times faster than
 * `structuredClone`, which is used only for what is not plain data.
 *
 * @module
 */

/** Deeper than this, or in a cycle, the copy goes through `structuredClone`, which knows both. */
const MAX_PLAIN_DEPTH = 200;

class TooDeep extends Error {}

/**
 * A deep copy that its holder may edit.
 *
 * @param value Anything.
 * @returns A copy; functions and objects that cannot be cloned are returned as they are.
 */
export function editableCopy<T>(value: T): T {
  return copy(value, false) as T;
}

/**
 * A deep copy in which nothing can be written.
 *
 * @param value Anything.
 * @returns A deep-frozen copy; of an object that cannot be cloned, a view that refuses writing.
 */
export function frozenCopy<T>(value: T): T {
  return copy(value, true) as T;
}

function copy(value: unknown, freeze: boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  try {
    return copyObject(value, freeze, 0);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return copyUnusual(value, freeze);
  }
}

function copyObject(value: object, freeze: boolean, depth: number): object {
  if (depth > MAX_PLAIN_DEPTH) throw new TooDeep();
  if (Array.isArray(value)) {
    const list = value.slice();
    for (let i = 0; i < list.length; i++) {
      const item = list[i];
      if (typeof item === "object" && item !== null) list[i] = copyObject(item, freeze, depth + 1);
    }
    return freeze ? Object.freeze(list) : list;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return copyUnusual(value, freeze);
  // The spread makes own data properties of everything, also of a key named `__proto__`.
  const record: Record<string, unknown> = { ...value };
  for (const key in record) {
    const field = record[key];
    if (typeof field === "object" && field !== null) {
      record[key] = copyObject(field, freeze, depth + 1);
    }
  }
  return freeze ? Object.freeze(record) : record;
}

/** Copies what is not plain data: dates, maps, cycles, instances of classes. */
function copyUnusual(value: object, freeze: boolean): object {
  let clone: object;
  try {
    clone = structuredClone(value);
  } catch {
    return freeze ? readOnlyView(value) : value;
  }
  const plain = [Object.prototype, Array.prototype, null];
  const keepsItsType = Object.getPrototypeOf(clone) === Object.getPrototypeOf(value) ||
    plain.includes(Object.getPrototypeOf(value));
  // The clone of a class instance has lost its methods: the hook gets a view of the real one.
  if (!keepsItsType) return freeze ? readOnlyView(value) : value;
  return freeze ? deepFreeze(clone) : clone;
}

/** Freezes a value that is not shared with anybody, also one with cycles. */
function deepFreeze<T extends object>(value: T): T {
  if (Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) {
    const field = (value as Record<PropertyKey, unknown>)[key];
    if (typeof field === "object" && field !== null) deepFreeze(field);
  }
  return value;
}

function refuseWriting(): never {
  throw new TypeError("Cannot assign to read only property of an object that hooks only look at");
}

/** A view of an object through which nothing can be written; methods act on the real object. */
function readOnlyView<T extends object>(value: T): T {
  return new Proxy(value, {
    get(target, key): unknown {
      const field = Reflect.get(target, key, target);
      const fixed = Reflect.getOwnPropertyDescriptor(target, key)?.configurable === false;
      if (fixed) return field;
      if (typeof field === "function") return field.bind(target);
      return typeof field === "object" && field !== null ? readOnlyView(field) : field;
    },
    set: refuseWriting,
    defineProperty: refuseWriting,
    deleteProperty: refuseWriting,
    setPrototypeOf: refuseWriting,
  });
}

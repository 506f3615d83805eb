/**
 * Copies of what hooks look at and of what they answer.
 *
 * A hook must not be able to change the arguments of a tool, a stored message or a result by
 * writing into what it was given, and nothing that a hook still holds may reach the agent. Plain
 * data is copied by a short recursion that shares strings, about ten times faster than
 * `structuredClone`, which is used only for what is not plain data. Keys that are symbols are not
 * followed: data that comes from or goes to JSON has none, and asking costs as much as copying.
 *
 * @module
 */

/** Deeper than this, or in a cycle, the copy goes through `structuredClone`, which knows both. */
const MAX_PLAIN_DEPTH = 200;

class TooDeep extends Error {}

/** How the copies differ. */
interface CopyKind {
  /** Whether nothing in the copy can be written. */
  readonly isFrozen: boolean;
  /** Copies what is not plain data: dates, maps, cycles, instances of classes. */
  unusual(value: object): unknown;
}

const EDITABLE: CopyKind = {
  isFrozen: false,
  unusual: (value) => faithfulClone(value) ?? value,
};

const FROZEN: CopyKind = {
  isFrozen: true,
  unusual(value) {
    const clone = faithfulClone(value);
    return clone === undefined ? readOnlyView(value) : deepFreeze(clone);
  },
};

const OWN: CopyKind = {
  isFrozen: false,
  unusual(value) {
    if (!(value instanceof Date) && "toJSON" in value && typeof value.toJSON === "function") {
      return copy(value.toJSON(), OWN);
    }
    return structuredClone(value);
  },
};

/**
 * A deep copy for somebody who may edit it. Never throws.
 *
 * @param value Anything.
 * @returns A copy; functions and objects that cannot be cloned are returned as they are.
 */
export function editableCopy<T>(value: T): T {
  return copy(value, EDITABLE) as T;
}

/**
 * A deep copy for somebody who only looks: nothing in it can be written. Never throws.
 *
 * @param value Anything.
 * @returns A deep-frozen copy; of an object that cannot be cloned, a view that refuses writing.
 */
export function frozenCopy<T>(value: T): T {
  return copy(value, FROZEN) as T;
}

/**
 * A deep copy for keeping: data without any tie to whoever made it. Instances of classes become
 * what `toJSON` says, or else plain objects of their fields.
 *
 * @param value Anything.
 * @throws Whatever a getter throws; a `DataCloneError` for what cannot be copied, like a promise.
 */
export function ownCopy(value: unknown): unknown {
  return copy(value, OWN);
}

/**
 * The event as its handlers see it.
 *
 * @param how See `shows` in the fold table; absent, there is nothing in it that is worth a copy.
 * @param event The event of the host.
 */
export function shownAs<T extends object>(how: "frozen" | "copy" | undefined, event: T): T {
  if (how === undefined) return event;
  return how === "frozen" ? frozenCopy(event) : editableCopy(event);
}

function copy(value: unknown, kind: CopyKind): unknown {
  if (typeof value !== "object" || value === null) return value;
  try {
    return copyObject(value, kind, 0);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return kind.unusual(value);
  }
}

function copyObject(value: object, kind: CopyKind, depth: number): unknown {
  if (depth > MAX_PLAIN_DEPTH) throw new TooDeep();
  if (Array.isArray(value)) {
    const list = value.slice();
    for (let i = 0; i < list.length; i++) {
      const item = list[i];
      if (typeof item === "object" && item !== null) list[i] = copyObject(item, kind, depth + 1);
    }
    return kind.isFrozen ? Object.freeze(list) : list;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return kind.unusual(value);
  let record: Record<PropertyKey, unknown>;
  try {
    // The spread makes own data properties of everything, also of a key named `__proto__`.
    record = { ...value };
  } catch {
    return kind.unusual(value);
  }
  for (const key in record) {
    const field = record[key];
    if (typeof field === "object" && field !== null) {
      record[key] = copyObject(field, kind, depth + 1);
    }
  }
  return kind.isFrozen ? Object.freeze(record) : record;
}

/** A clone of the same type. An instance of a class would lose its methods, so it has none. */
function faithfulClone(value: object): object | undefined {
  try {
    const clone: object = structuredClone(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain = prototype === Object.prototype || prototype === null || Array.isArray(value);
    return isPlain || Object.getPrototypeOf(clone) === prototype ? clone : undefined;
  } catch {
    return undefined;
  }
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

/** The view of an object is the same every time, as the object would be. */
const VIEWS = new WeakMap<object, object>();

/** A view of an object through which nothing can be written; methods act on the real object. */
function readOnlyView<T extends object>(value: T): T {
  const known = VIEWS.get(value);
  if (known !== undefined) return known as T;
  const view = new Proxy(value, {
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
    // Without this, freezing the view would freeze the real object.
    preventExtensions: refuseWriting,
  });
  VIEWS.set(value, view);
  return view;
}

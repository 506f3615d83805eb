/**
 * Shows all properties of one object on another one, live in both directions.
 *
 * A proxy would do the same in fewer lines, and slow down every call of `execute`; so the known
 * properties become accessors, and a proxy behind them catches what is added later.
 *
 * @module
 */

/**
 * Makes the properties of `source` visible on `target`. Properties that `target` has already are
 * left alone.
 *
 * @param source Whose properties are shown, also those of its prototypes.
 * @param target Where they are shown. Assignments to them reach `source`.
 */
export function mirrorProperties(source: object, target: object): void {
  const methods = new WeakMap<object, unknown>();
  /** Methods act on the source; the same method is the same function every time. */
  const read = (key: PropertyKey): unknown => {
    const value = Reflect.get(source, key, source);
    if (typeof value !== "function" || isClass(value)) return value;
    let method = methods.get(value);
    if (method === undefined) {
      // Not `bind`: a function may have properties of its own, as schemas that can be called do.
      method = new Proxy(value, {
        apply: (target, _, args) => Reflect.apply(target, source, args),
      });
      methods.set(value, method);
    }
    return method;
  };
  const write = (key: PropertyKey, value: unknown): boolean =>
    Reflect.set(source, key, value, source);
  /** Whether the source has a property that is not just what every object has. */
  const has = (key: PropertyKey): boolean =>
    Reflect.has(source, key) &&
    Reflect.get(source, key, source) !== Reflect.get(Object.prototype, key, source);

  for (const key of keysOf(source)) {
    if (Object.hasOwn(target, key)) continue;
    Object.defineProperty(target, key, {
      get: () => read(key),
      set: (value) => {
        if (!write(key, value)) throw new TypeError(`Cannot set ${String(key)} of this tool`);
      },
      enumerable: true,
      configurable: true,
    });
  }
  // An object of its own below the proxy keeps `instanceof` working.
  const behind = new Proxy(Object.create(Object.getPrototypeOf(target)), {
    has: (prototype, key) => Reflect.has(source, key) || Reflect.has(prototype, key),
    get: (prototype, key, receiver) =>
      key !== "constructor" && has(key) ? read(key) : Reflect.get(prototype, key, receiver),
    set: (_prototype, key, value) => write(key, value),
  });
  Object.setPrototypeOf(target, behind);
}

function keysOf(source: object): Set<PropertyKey> {
  const keys = new Set<PropertyKey>();
  for (let at = source; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const key of Reflect.ownKeys(at)) if (key !== "constructor") keys.add(key);
  }
  return keys;
}

function isClass(value: (...args: never[]) => unknown): boolean {
  return Object.getOwnPropertyDescriptor(value, "prototype")?.writable === false;
}

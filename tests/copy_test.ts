import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { editableCopy, frozenCopy, ownCopy, shownAs } from "../src/copy.ts";
import { pick, seededRandom } from "./random.ts";

/** Plain data as JSON and `structuredClone` know it, with odd keys and shared parts. */
function randomValue(random: () => number, depth = 0): unknown {
  const kind = depth > 4 ? 0 : Math.floor(random() * 8);
  if (kind === 6) return Array.from({ length: random() * 5 }, () => randomValue(random, depth + 1));
  if (kind === 7) {
    const value: Record<string, unknown> = {};
    for (let i = 0; i < random() * 5; i++) {
      const key = pick(random, ["a", "b", "constructor", "toString", "__proto__", "", "0", "ключ"]);
      const field = randomValue(random, depth + 1);
      Object.defineProperty(value, key, {
        value: field,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return value;
  }
  if (kind === 5) return new Date(Math.floor(random() * 1e12));
  return pick<unknown>(random, [null, undefined, true, 0, -0, NaN, 1.5, "", "text", "\u{1F600}\0"]);
}

/** All objects in a value, however deep. */
function objectsIn(value: unknown, found = new Set<object>()): Set<object> {
  if (typeof value !== "object" || value === null || found.has(value)) return found;
  found.add(value);
  for (const key of Reflect.ownKeys(value)) objectsIn(Reflect.get(value, key), found);
  return found;
}

/** Every key, value and type as text: keys such as `constructor` mislead comparisons of objects. */
function show(value: unknown): string {
  return Deno.inspect(value, { depth: 100, iterableLimit: 1000, strAbbreviateSize: 1000 });
}

const COPIES = { editableCopy, frozenCopy, ownCopy };

for (const [name, copy] of Object.entries(COPIES)) {
  Deno.test(`${name} of random plain data is equal, shares no object, and leaves the original alone`, () => {
    const random = seededRandom(4711);
    for (let i = 0; i < 2000; i++) {
      const value = randomValue(random);
      const before = structuredClone(value);
      const made = copy(value);
      assertEquals(show(made), show(before));
      assertEquals(show(value), show(before));
      const originals = objectsIn(value);
      for (const object of objectsIn(made)) {
        assert(!originals.has(object), `shares ${Deno.inspect(object)}`);
        assertEquals(Object.isFrozen(object), name === "frozenCopy");
      }
    }
  });

  Deno.test(`${name} keeps a key named __proto__ as data`, () => {
    const made = copy(JSON.parse(`{ "__proto__": { "isAdmin": true }, "a": 1 }`)) as object;
    assertEquals(Object.keys(made), ["__proto__", "a"]);
    assertEquals("isAdmin" in made, false);
    assertStrictEquals(Object.getPrototypeOf(made), Object.prototype);
  });

  Deno.test(`${name} copies cycles`, () => {
    const value: Record<string, unknown> = { list: [1] };
    value.self = value;
    (value.list as unknown[]).push(value.list);
    const made = copy(value) as { self: unknown; list: unknown[] };
    assertStrictEquals(made.self, made);
    assertStrictEquals(made.list[1], made.list);
    assert(made.self !== value && made.list !== value.list);
    assertEquals(Object.isFrozen(made.list), name === "frozenCopy");
  });

  Deno.test(`${name} copies data that is nested a thousand levels deep`, () => {
    let value: unknown = { end: true };
    for (let i = 0; i < 1000; i++) value = { next: value };
    let at = copy(value);
    for (let i = 0; i < 1000; i++) at = (at as { next: unknown }).next;
    assertEquals(at, { end: true });
  });

  Deno.test(`${name} copies dates, maps, sets, bytes, expressions and errors by their type`, () => {
    const value = {
      date: new Date(5),
      map: new Map([["a", { b: 1 }]]),
      set: new Set([1]),
      bytes: new Uint8Array([1, 2]),
      expression: /x/g,
      error: new TypeError("odd"),
    };
    const made = copy(value) as typeof value;
    assertEquals(made, value);
    for (const key of Object.keys(value) as (keyof typeof value)[]) {
      assert(made[key] !== value[key], key);
      assertStrictEquals(Object.getPrototypeOf(made[key]), Object.getPrototypeOf(value[key]));
    }
    made.bytes[0] = 9;
    assertEquals(value.bytes[0], 1);
  });

  Deno.test(`${name} gives primitives and functions back as they are`, () => {
    const symbol = Symbol();
    for (const value of [1, "a", null, undefined, 10n, symbol, Math.max]) {
      assertStrictEquals(copy(value), value);
    }
  });
}

Deno.test("a frozen copy refuses every way of writing", () => {
  const made = frozenCopy({ list: [1, 2], deep: { a: 1 } });
  const writes: Record<string, () => unknown> = {
    push: () => made.list.push(3),
    pop: () => made.list.pop(),
    sort: () => made.list.sort(),
    length: () => made.list.length = 0,
    assign: () => Object.assign(made.deep, { a: 2 }),
    add: () => Object.assign(made.deep, { b: 2 }),
    delete: () => Reflect.deleteProperty(made, "deep") || Object.assign(made, { list: [] }),
  };
  for (const write of Object.values(writes)) assertThrows(write, TypeError);
  assertEquals(made, { list: [1, 2], deep: { a: 1 } });
});

class Counter {
  #count = 0;
  readonly inner = { value: 1 };
  raise(): number {
    return ++this.#count;
  }
  get count(): number {
    return this.#count;
  }
}

Deno.test("an object that cannot be cloned is shown as a view that cannot be written", () => {
  const counter = new Counter();
  const { view } = frozenCopy({ view: counter });
  assert(view instanceof Counter);
  assertEquals([view.count, view.raise(), view.count, view.inner.value], [0, 1, 1, 1]);
  const writes: (() => unknown)[] = [
    () => Object.assign(view, { inner: 2 }),
    () => view.inner.value = 2,
    () => Object.defineProperty(view, "x", { value: 1 }),
    () => Reflect.deleteProperty(view, "inner"),
    () => Object.setPrototypeOf(view, null),
    () => Object.freeze(view),
    () => Object.preventExtensions(view.inner),
  ];
  for (const write of writes) assertThrows(write, TypeError);
  assertEquals(counter.inner.value, 1);
  assertEquals([Object.isFrozen(counter), Object.isExtensible(counter)], [false, true]);
});

Deno.test("the view of an object is the same object every time", () => {
  const counter = new Counter();
  const { first, second } = frozenCopy({ first: counter, second: counter });
  assertStrictEquals(first, second);
  assertStrictEquals(first.inner, second.inner);
});

Deno.test("an editable copy hands out what cannot be cloned as it is, and copies the rest", () => {
  const counter = new Counter();
  const callback = () => {};
  const value = { counter, callback, plain: { a: 1 } };
  const made = editableCopy(value);
  assertStrictEquals(made.counter, counter);
  assertStrictEquals(made.callback, callback);
  made.plain.a = 2;
  assertEquals(value.plain.a, 1);
});

const withTrap = {
  get trap(): never {
    throw new RangeError("do not look");
  },
};

Deno.test("what is only lent never throws, whatever its getters do", () => {
  assertStrictEquals(editableCopy({ withTrap, a: [1] }).withTrap, withTrap);
  const shown = frozenCopy({ withTrap, a: [1] });
  assertEquals(shown.a, [1]);
  assertThrows(() => shown.withTrap.trap, RangeError, "do not look");
  assertThrows(() => Object.assign(shown.withTrap, { other: 1 }), TypeError);
});

Deno.test("a copy for keeping throws what a getter throws", () => {
  assertThrows(() => ownCopy({ a: [withTrap] }), RangeError, "do not look");
});

Deno.test("a copy for keeping refuses what cannot be copied", () => {
  for (const value of [Promise.resolve(), new WeakMap(), { deep: [new WeakSet()] }]) {
    assertThrows(() => ownCopy(value), DOMException, "could not be cloned");
  }
});

Deno.test("a copy for keeping has no tie to an instance of a class", () => {
  class Block {
    type = "text";
    text = "hello";
    tags = ["a"];
  }
  const block = new Block();
  const made = ownCopy([block]) as Block[];
  assertEquals({ ...made[0] }, { type: "text", text: "hello", tags: ["a"] });
  assertStrictEquals(Object.getPrototypeOf(made[0]), Object.prototype);
  block.tags.push("b");
  assertEquals(made[0].tags, ["a"]);
});

Deno.test("a copy for keeping takes what toJSON says, and leaves dates dates", () => {
  const made = ownCopy({ url: new URL("https://a.b/c"), date: new Date(7) });
  assertEquals(made, { url: "https://a.b/c", date: new Date(7) });
});

Deno.test("a copy reads every getter once", () => {
  let reads = 0;
  const value = {
    get text(): string {
      return `read ${++reads}`;
    },
  };
  for (const copy of Object.values(COPIES)) {
    reads = 0;
    assertEquals(copy(value), { text: "read 1" });
    assertEquals(reads, 1);
  }
});

Deno.test("what a copy is frozen from is not frozen", () => {
  const value = { a: { b: [1] } };
  frozenCopy(value);
  value.a.b.push(2);
  assertEquals(value.a.b, [1, 2]);
});

Deno.test("an editable copy of something frozen can be edited", () => {
  const made = editableCopy(Object.freeze({ list: Object.freeze([1]) as number[] }));
  made.list.push(2);
  assertEquals(made, { list: [1, 2] });
});

Deno.test("an event is shown as the fold table says", () => {
  const event = { type: "x", list: [1] };
  assertStrictEquals(shownAs(undefined, event), event);
  assertEquals(shownAs("frozen", event), event);
  assertEquals([shownAs("frozen", event), shownAs("copy", event)].map(Object.isFrozen), [
    true,
    false,
  ]);
  assert(shownAs("copy", event).list !== event.list);
});

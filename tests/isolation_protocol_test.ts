/**
 * What host and process of an isolated hook say to each other: frames, values, errors, checks.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { FrameFault, frameOf, FrameReader } from "../src/isolation/frames.ts";
import { applyListChange, listChange } from "../src/isolation/lists.ts";
import { argumentFault, ProtocolFault, readChildMessage } from "../src/isolation/messages.ts";
import { recordingManager, replay } from "../src/isolation/recording.ts";
import { themeOf, themeTable } from "../src/isolation/theme.ts";
import { packThrown, unpackThrown } from "../src/isolation/thrown.ts";
import { CannotCross, pack, unpack } from "../src/isolation/values.ts";
import type { Theme } from "../src/ports.ts";
import { SessionManager } from "../src/session/session.ts";
import { plainTheme } from "../src/ui/no_ui.ts";

function across(value: unknown): unknown {
  return unpack(JSON.parse(JSON.stringify(pack(value))));
}

// Frames

const TEXTS = ["", "a", '{"t":"x"}', "ü€😀", "x".repeat(20_000), "€".repeat(40_000)];

for (const size of [1, 3, 7, 4096, 1_000_000]) {
  Deno.test(`messages are put together from pieces of ${size} bytes`, () => {
    const stream = new Uint8Array(TEXTS.flatMap((text) => [...frameOf(text)]));
    const reader = new FrameReader();
    const got: string[] = [];
    for (let i = 0; i < stream.length; i += size) {
      got.push(...reader.read(stream.slice(i, i + size)));
    }
    assertEquals(got, TEXTS);
  });
}

Deno.test("a message that says it is too long is not waited for", () => {
  const reader = new FrameReader(100);
  assertEquals([...reader.read(frameOf("y".repeat(100)))], ["y".repeat(100)]);
  assertThrows(() => [...reader.read(new Uint8Array([0, 0, 0, 101]))], FrameFault, "101 bytes");
});

Deno.test("a message that is not UTF-8 is refused", () => {
  const bytes = new Uint8Array([0, 0, 0, 1, 0xff]);
  assertThrows(() => [...new FrameReader().read(bytes)], FrameFault, "not UTF-8");
});

// Values

const VALUES: readonly [name: string, value: unknown][] = [
  ["plain data", { a: [1, "b", null, true, { c: {} }] }],
  ["numbers", [0, -0, 1.5, NaN, Infinity, -Infinity]],
  ["undefined", { a: undefined, b: [undefined] }],
  ["a big integer", 12345678901234567890n],
  ["a date", new Date(0)],
  ["a date that is none", new Date(NaN)],
  ["sets and maps", {
    s: new Set([1, new Set(["x"])]),
    m: new Map<unknown, unknown>([["k", [1]]]),
  }],
  ["bytes", new Uint8Array([0, 1, 255])],
  ["a pattern", /a+b/gi],
  ["a URL", new URL("https://example.com/x?y#z")],
  ["a key that is our mark", { "$pi-hooks": "date", value: 1 }],
  ["a key called __proto__", JSON.parse('{"__proto__":{"a":1},"b":[{"__proto__":{"c":null}}]}')],
  ["a long text", "€".repeat(100_000)],
];

for (const [name, value] of VALUES) {
  Deno.test(`a value crosses as it is: ${name}`, () => assertEquals(across(value), value));
}

Deno.test("plain data is not copied on its way out", () => {
  const value = { a: [{ b: "c" }] };
  assertStrictEquals(pack(value), value);
});

Deno.test("a key called __proto__ changes no prototype", () => {
  const value = across(JSON.parse('{"a":{"__proto__":{"isAdmin":true},"d":null}}'));
  const { a } = value as { a: { isAdmin?: boolean } };
  assertEquals(a.isAdmin, undefined);
  assertStrictEquals(Object.getPrototypeOf(a), Object.prototype);
});

Deno.test("an instance of a class arrives as its fields", () => {
  class Point {
    x = 1;
    toJSON(): string {
      return "never";
    }
  }
  assertEquals(across({ p: new Point() }), { p: { x: 1 } });
});

Deno.test("what cannot cross throws as soon as somebody uses it", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const [lost, symbol, deep] = across([() => 1, Symbol("s"), cycle]) as (() => unknown)[];
  assertThrows(() => lost(), CannotCross, "cannot cross");
  assertThrows(() => Reflect.get(lost, "x"), CannotCross);
  assertThrows(() => JSON.stringify({ deep: symbol.name }), CannotCross, "Symbol(s)");
  let at: unknown = deep;
  assertThrows(
    () => {
      for (;;) at = (at as { self: unknown }).self;
    },
    CannotCross,
    "nested too deeply",
  );
});

Deno.test("a getter that throws does not stop the others", () => {
  const value = {
    good: 1,
    bad: {
      get x(): never {
        throw new Error("no");
      },
    },
  };
  const got = across(value) as { good: number; bad: unknown };
  assertEquals(got.good, 1);
  assertThrows(() => Reflect.get(got.bad as object, "x"), CannotCross);
});

Deno.test("an answer that cannot cross is refused where it is given", () => {
  assertThrows(() => pack({ content: [{ f() {} }] }, { refuse: true }), CannotCross, "function f");
  assertThrows(() => pack({ p: Promise.resolve() }, { refuse: true }), CannotCross, "Promise");
});

Deno.test("a signal crosses as a number", () => {
  const given: AbortSignal[] = [];
  const { signal } = new AbortController();
  const packed = pack({ signal, late: AbortSignal.abort() }, { signal: (one) => given.push(one) });
  const asked: [number, boolean][] = [];
  unpack(JSON.parse(JSON.stringify(packed)), {
    signal: (number, isAborted) => {
      asked.push([number, isAborted]);
      return signal;
    },
  });
  assertEquals(asked, [[1, false], [2, true]]);
});

// Errors

Deno.test("an error keeps its class, name, message, stack, code and cause", () => {
  const cause = Object.assign(new RangeError("inner"), { code: "E_IN" });
  const error = new TypeError("outer", { cause });
  const got = unpackThrown(packThrown(error, pack)) as TypeError & { cause: RangeError };
  assertInstanceOf(got, TypeError);
  assertInstanceOf(got.cause, RangeError);
  assertEquals([got.message, got.stack], ["outer", error.stack]);
  assertEquals([got.cause.message, Reflect.get(got.cause, "code")], ["inner", "E_IN"]);
});

Deno.test("an error of a foreign class keeps its name", () => {
  class NotCapable extends Error {
    override name = "NotCapable";
  }
  const got = unpackThrown(packThrown(new NotCapable("no"), pack)) as Error;
  assertEquals([got.name, got.message, got.constructor], ["NotCapable", "no", Error]);
});

for (const thrown of [null, "text", { code: 7 }, 5]) {
  Deno.test(`what is thrown need not be an error: ${JSON.stringify(thrown)}`, () => {
    assertEquals(unpack(unpackThrown(packThrown(thrown, pack))), thrown);
  });
}

// Lists

const CHANGES: readonly [name: string, before: number[], after: number[], keep: number][] = [
  ["appended", [1, 2], [1, 2, 3], 2],
  ["cut", [1, 2, 3], [1], 1],
  ["replaced", [1, 2, 3], [1, 9, 3], 1],
  ["from nothing", [], [1], 0],
  ["to nothing", [1], [], 0],
];

for (const [name, before, after, keep] of CHANGES) {
  Deno.test(`a list is told as a change: ${name}`, () => {
    const change = listChange(before, after, Object.is);
    assertEquals(change?.keep, keep);
    assertEquals(applyListChange(before, change!), after);
  });
}

Deno.test("a list that has not changed is not told, a change of another list is refused", () => {
  assertEquals(listChange([1, 2], [1, 2], Object.is), undefined);
  assertThrows(() => applyListChange([1], { keep: 2, add: [] }), RangeError);
});

// Checks

const TABLE = { handlers: { tool_call: 1 }, commands: [{ name: "x" }], renderers: [] };
const WRONG: readonly [name: string, text: string][] = [
  ["no JSON", "{"],
  ["no object", "[]"],
  ["no kind", '{"id":1}'],
  ["a kind that there is not", '{"t":"eval","code":"1"}'],
  ["a kind of the prototype", '{"t":"constructor"}'],
  ["an answer without id", '{"t":"answer","value":1}'],
  ["an id that is no text", '{"t":"answer","id":7}'],
  [
    "a table with a negative count",
    '{"t":"table","table":{"handlers":{"a":-1},"commands":[],"renderers":[]}}',
  ],
  [
    "a table with a command that is none",
    JSON.stringify({ t: "table", table: { ...TABLE, commands: [{ name: "a b" }] } }),
  ],
  ["a million handlers", JSON.stringify({ t: "table", table: { ...TABLE, handlers: { a: 1e6 } } })],
  ["a method that there is not", '{"t":"ask","seq":1,"method":"constructor","args":[]}'],
  ["arguments that are no list", '{"t":"tell","method":"notify","args":{"0":"x"}}'],
  ["a number that is none", '{"t":"cancel","seq":1.5}'],
];

for (const [name, text] of WRONG) {
  Deno.test(`a message that is wrong is refused: ${name}`, () => {
    assertThrows(() => readChildMessage(text), ProtocolFault);
  });
}

Deno.test("messages that are right are read", () => {
  const right = [
    { t: "ready", table: TABLE, unknownEvents: [], isEmpty: false },
    { t: "answer", id: "a", value: { block: true }, same: ["content"], list: [0, {}] },
    { t: "ask", seq: 1, method: "select", args: ["a", ["b"]] },
    { t: "tell", method: "log", args: ["info", "x", null] },
  ];
  for (const message of right) {
    assertEquals(readChildMessage(JSON.stringify(message)), message as never);
  }
});

Deno.test("arguments are checked one by one", () => {
  assertEquals(argumentFault("select", ["t", ["a"]]), undefined);
  assertEquals(argumentFault("select", ["t", ["a", 1]]), "argument 2 of select is wrong");
  assertEquals(argumentFault("notify", ["t", "fatal"]), "argument 2 of notify is wrong");
  assertEquals(argumentFault("setStatus", [1]), "argument 1 of setStatus is wrong");
  assertEquals(argumentFault("log", ["constructor", "x"]), "argument 1 of log is wrong");
});

// Theme

Deno.test("a theme as a table writes what the theme writes", () => {
  const theme: Theme = {
    ...plainTheme,
    fg: (color, text) => `<${color}>${text}</>`,
    bold: (text) => `*${text}*`,
    italic: () => "no text at all",
  };
  const table = JSON.parse(JSON.stringify(themeTable(theme)));
  const copy = themeOf(() => table);
  assertEquals(copy.fg("error", "x"), "<error>x</>");
  assertEquals(copy.bold(copy.fg("dim", "y")), "*<dim>y</>*");
  assertEquals(copy.bg("selectedBg", "z"), "z");
  assertEquals(copy.italic("kept"), "kept");
});

// Setup of a new session

Deno.test("what setup does is done again on the real session, with its ids", () => {
  const calls: Parameters<typeof recordingManager>[2] = [];
  const facts = { getSessionId: "real", getCwd: "/p" };
  const recorder = recordingManager(SessionManager.inMemory("/p"), facts as never, calls);
  const user = recorder.appendMessage({ role: "user", content: "Hello", timestamp: 1 });
  recorder.appendCustomEntry("note", { n: 1 });
  recorder.branch(user);
  recorder.appendLabelChange(user, "start");
  assertEquals([recorder.getSessionId(), recorder.getLabel(user)], ["real", "start"]);
  const real = SessionManager.inMemory("/p");
  replay(real, JSON.parse(JSON.stringify(calls)));
  const entries = real.getEntries();
  assertEquals(entries.map(({ type }) => type), ["message", "custom", "label"]);
  assertEquals(real.getLabel(entries[0].id), "start");
  assertEquals(entries[2].parentId, entries[0].id);
  assert(entries[0].id !== user, "the id of the copy is not that of the session");
});

Deno.test("setup cannot lead the host to another session", () => {
  const recorder = recordingManager(SessionManager.inMemory("/p"), {} as never, []);
  for (const name of ["fork", "newSession", "setSessionFile", "createBranchedSession", "close"]) {
    assertThrows(() => Reflect.get(recorder, name)("x"), Error, `sessionManager.${name}`);
  }
  const real = SessionManager.inMemory("/p");
  for (const forged of [{}, [{ method: "fork", args: [] }], [{ method: "branch" }], [null]]) {
    assertThrows(() => replay(real, forged), ProtocolFault);
  }
});

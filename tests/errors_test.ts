import { assert, assertEquals, assertMatch, assertRejects, assertStrictEquals } from "@std/assert";
import {
  DEFAULT_BLOCK_REASON,
  describeValue,
  HookAbortError,
  HookBlockedError,
  type HookError,
  hookErrorFrom,
  HookTimeoutError,
  isThrown,
  stackOf,
  thrownText,
  toError,
} from "../src/errors.ts";
import type { HookWarning } from "../src/listeners.ts";
import { HookRunner } from "../src/runner.ts";
import { hook, hookFrom, makeRunner, runDeno, tempDir } from "./helpers.ts";

const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const cycle: Record<string, unknown> = {};
cycle.self = cycle;
class Refusal {
  code = 7;
}

/** What may be thrown, and how it is named. */
const THROWN: [string, unknown, string][] = [
  ["an error", new Error("x"), "x"],
  ["an error without a message", new TypeError(), "TypeError"],
  ["an error of another class", new DOMException("gone", "AbortError"), "gone"],
  ["a text", "str", 'threw "str"'],
  ["an empty text", "", 'threw ""'],
  ["null", null, "threw null"],
  ["undefined", undefined, "threw undefined"],
  ["a number", 7, "threw 7"],
  ["not a number", NaN, "threw NaN"],
  ["a long number", 7n, "threw 7n"],
  ["a symbol", Symbol("s"), "threw Symbol(s)"],
  ["a function", function named() {}, "threw function named"],
  ["an object", { code: 7 }, 'threw {"code":7}'],
  ["an object with a message", { message: "obj" }, 'threw {"message":"obj"}'],
  ["a list", [1, "a"], 'threw [1,"a"]'],
  ["an instance", new Refusal(), 'threw Refusal {"code":7}'],
  ["a map", new Map([[1, 2]]), "threw Map {}"],
  ["a cycle", cycle, "threw an object of type Object"],
  ["a list of long numbers", [1n], "threw an object of type Array"],
  ["an object that says nothing to JSON", { toJSON: () => undefined }, "threw Object"],
  ["an object without a prototype", Object.create(null), "threw {}"],
  ["a proxy that answers nothing", revoked, "threw an object of type unknown"],
];

for (const [what, value, text] of THROWN) {
  Deno.test(`${what} that was thrown is named readably`, () => {
    assertEquals(thrownText(value), text);
    assert(!text.includes("[object"));
  });

  Deno.test(`${what} thrown by a handler is reported with hook, event, text and cause, and the next handler runs`, async () => {
    const ran: string[] = [];
    const { runner, errors } = makeRunner([
      hook("/a.ts", {
        turn_start: [() => void ran.push("first"), () => {
          throw value;
        }],
      }),
      hook("/b.ts", { turn_start: () => void ran.push("second") }),
    ]);
    await runner.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
    assertEquals(ran, ["first", "second"]);
    assertEquals(errors.length, 1);
    const { hookPath, event, error, handlerIndex } = errors[0];
    assertEquals([hookPath, event, error, handlerIndex], ["/a.ts", "turn_start", text, 1]);
    assertStrictEquals(errors[0].cause, value);
    assertEquals("stack" in errors[0], stackOf(value) !== undefined);
  });

  Deno.test(`a rejection with ${what} is reported like a throw`, async () => {
    const { runner, errors } = makeRunner([
      hook("/a.ts", { agent_start: () => Promise.reject(value) }),
    ]);
    await runner.emit({ type: "agent_start" });
    assertEquals(errors.map(({ error }) => error), [text]);
    assertStrictEquals(errors[0].cause, value);
  });
}

Deno.test("a long value is cut in messages", () => {
  assertEquals(describeValue("x".repeat(1000)).length, 201);
  assertMatch(describeValue(["y".repeat(1000)]), /^\["y+…$/);
});

Deno.test("a value that throws when it is looked at is described all the same", () => {
  const value = {
    get constructor(): never {
      throw new Error("no");
    },
    get a(): never {
      throw new Error("no");
    },
  };
  assertEquals(describeValue(value), "an object of type unknown");
});

Deno.test("only what is no error is wrapped into one", () => {
  const error = new RangeError("r");
  assertStrictEquals(toError(error), error);
  const wrapped = toError({ code: 7 });
  assertEquals([wrapped.message, wrapped.cause], ['threw {"code":7}', { code: 7 }]);
  assertEquals(toError(revoked).message, "threw an object of type unknown");
});

Deno.test("a question about the class of a proxy that refuses questions has the answer no", () => {
  assertEquals([isThrown(revoked, Error), isThrown(new TypeError(), Error)], [false, true]);
  assertEquals([stackOf(revoked), stackOf("text")], [undefined, undefined]);
});

Deno.test("the classes of errors carry their names, hooks and kinds", () => {
  const blocked = new HookBlockedError("no", "/a.ts", "policy", { cause: 1 });
  assertEquals(
    [blocked.name, blocked.message, blocked.hookPath, blocked.kind, blocked.cause],
    ["HookBlockedError", "no", "/a.ts", "policy", 1],
  );
  const aborted = new HookAbortError("waiting", "/a.ts");
  assertEquals([aborted.name, aborted.message, aborted.hookPath], [
    "AbortError",
    "waiting",
    "/a.ts",
  ]);
  const late = new HookTimeoutError("/a.ts", "context", 50);
  assertEquals([late.name, late.message], [
    "HookTimeoutError",
    'Hook "/a.ts" did not answer context within 50 ms',
  ]);
  assertEquals(DEFAULT_BLOCK_REASON, "Tool execution was blocked by a hook");
});

Deno.test("a record of a failure has only the fields that are known", () => {
  assertEquals(hookErrorFrom("/a.ts", "context", "x"), {
    hookPath: "/a.ts",
    event: "context",
    error: 'threw "x"',
    cause: "x",
  });
  const error = new Error("y");
  assertEquals(hookErrorFrom("/a.ts", "context", error, 2), {
    hookPath: "/a.ts",
    event: "context",
    error: "y",
    cause: error,
    stack: error.stack,
    handlerIndex: 2,
  });
});

const FAILING = { agent_start: () => Promise.reject(new Error("of the hook")) };

Deno.test("a throwing error listener is reported once to the others, never to itself, and stops nothing", async () => {
  const heard: Record<string, string[]> = { first: [], bad: [], last: [] };
  const runner = new HookRunner([
    hook("/a.ts", FAILING),
    hook("/b.ts", { agent_start: () => void heard.last.push("b ran") }),
  ], "/");
  const listener = (name: string) => ({ error }: HookError) => void heard[name].push(error);
  runner.onError(listener("first"));
  runner.onError((error) => {
    listener("bad")(error);
    throw new Error("of the listener");
  });
  runner.onError(listener("last"));
  await runner.emit({ type: "agent_start" });
  const about = "An error listener failed: of the listener";
  assertEquals(heard, {
    first: ["of the hook", about],
    bad: ["of the hook"],
    last: [about, "of the hook", "b ran"],
  });
});

Deno.test("two throwing error listeners do not set each other off for ever", async () => {
  const heard: string[] = [];
  const runner = new HookRunner([hook("/a.ts", FAILING)], "/");
  for (const name of ["one", "two"]) {
    runner.onError(({ error }) => {
      heard.push(`${name}: ${error}`);
      throw new Error(name);
    });
  }
  await runner.emit({ type: "agent_start" });
  assertEquals(heard, [
    "one: of the hook",
    "two: An error listener failed: one",
    "two: of the hook",
    "one: An error listener failed: two",
  ]);
});

Deno.test("an asynchronous error listener that fails is caught too", async () => {
  const { runner, errors } = makeRunner([hook("/a.ts", FAILING)]);
  runner.onError(() => Promise.reject(new Error("of the listener")) as never);
  await runner.emit({ type: "agent_start" });
  await Promise.resolve();
  assertEquals(errors.map(({ error }) => error), [
    "of the hook",
    "An error listener failed: of the listener",
  ]);
});

Deno.test("a listener that leaves while it is told does not keep the others from hearing", async () => {
  const heard: string[] = [];
  const runner = new HookRunner([hook("/a.ts", FAILING)], "/");
  const stop = runner.onError(() => heard.push(`left: ${stop()}`));
  runner.onError(() => heard.push("stayed"));
  await runner.emit({ type: "agent_start" });
  await runner.emit({ type: "agent_start" });
  assertEquals(heard, ["left: true", "stayed", "stayed"]);
  assertEquals(stop(), false);
});

Deno.test("a throwing warning listener is an error of the hook that was warned about", async () => {
  const { runner, errors } = makeRunner([hook("/a.ts", { context: () => true })]);
  runner.onWarning((_: HookWarning) => {
    throw new Error("of the listener");
  });
  await runner.emitContext([]);
  assertEquals(errors.map(({ hookPath, error }) => [hookPath, error]), [
    ["/a.ts", "of the listener"],
  ]);
});

Deno.test("a host may report failures of its own through the runner", () => {
  const { runner, errors } = makeRunner([]);
  const error: HookError = { hookPath: "/a.ts", event: "renderer", error: "no component" };
  runner.emitError(error);
  assertEquals(errors, [error]);
});

Deno.test("a failing command is reported as command:<name>, and the caller goes on", async () => {
  const { runner, errors } = makeRunner([
    hookFrom(
      (pi) => pi.registerCommand("sum", { handler: () => Promise.reject(new Error("no numbers")) }),
      "/c.ts",
    ),
  ]);
  assertEquals(await runner.runCommand("sum", "1 2"), true);
  assertEquals(await runner.runCommand("other"), false);
  assertEquals(errors.map(({ hookPath, event, error }) => [hookPath, event, error]), [
    ["/c.ts", "command:sum", "no numbers"],
  ]);
});

Deno.test("while nobody listens, failures and warnings go to the error output, with no control characters and nothing on standard output", async () => {
  await using dir = await tempDir();
  const helpers = new URL("./helpers.ts", import.meta.url).href;
  const runner = new URL("../src/runner.ts", import.meta.url).href;
  const script = await dir.write(
    "main.ts",
    `
    import { hook } from "${helpers}";
    import { HookRunner } from "${runner}";
    const runner = new HookRunner([hook("/a.ts", {
      context: [() => { throw new Error("red \\x1b[31m\\r gone"); }, () => "odd \\x1b]0;title\\x07"],
    })], "/");
    await runner.emitContext([]);
    runner.onError(() => { throw new Error("of the listener"); });
    await runner.emitContext([]);
    `,
  );
  const { code, stdout, stderr } = await runDeno(["run", "--no-check", script]);
  assertEquals([code, stdout], [0, ""]);
  assertEquals(stderr.trim().split("\n"), [
    'Hook "/a.ts" failed (context): red \\x1b[31m\\x0d gone',
    'Hook "/a.ts" (context): returned "odd \\u001b]0;title\\u0007"; context understands { messages }',
    'Hook "/a.ts" failed (context): red \\x1b[31m\\x0d gone',
    'Hook "/a.ts" failed (context): An error listener failed: of the listener',
  ]);
});

Deno.test("what the tool call gate throws is not swallowed: emitToolCall rejects with the very value", async () => {
  const event = { type: "tool_call" as const, toolName: "bash", toolCallId: "1", input: {} };
  for (const [, value] of THROWN) {
    const { runner, errors } = makeRunner([hook("/a.ts", {
      tool_call: () => {
        throw value;
      },
    })]);
    const caught = await runner.emitToolCall(event).then(() => "nothing", (thrown) => [thrown]);
    assertStrictEquals(caught[0], value);
    assertEquals(errors, []);
  }
  const { runner } = makeRunner([
    hook("/a.ts", { tool_call: () => Promise.reject(new Error("x")) }),
  ]);
  await assertRejects(() => runner.emitToolCall(event), Error, "x");
});

import { assert, assertEquals } from "@std/assert";
import type { HandlerRecord } from "../src/handler_record.ts";
import { HookRunner } from "../src/runner.ts";
import { hook, makeRunner } from "./helpers.ts";
import { emitSample, SAMPLES } from "./sample_events.ts";

/** A record without what changes from run to run. */
function fixed({ milliseconds, ...rest }: HandlerRecord): Partial<HandlerRecord> {
  assert(milliseconds >= 0);
  return rest;
}

Deno.test("each handler and event gives one record, in the order of the handlers", async () => {
  const { runner, records } = makeRunner([
    hook("/a.ts", { tool_call: [() => {}, async () => await ({ block: false, reason: "ok" })] }),
    hook("/b.ts", { tool_call: () => ({ block: true, reason: "no" }), turn_start: () => {} }),
    hook("/c.ts", { tool_call: () => {} }),
  ], { observed: true });
  await emitSample(runner, "tool_call");
  const about = { event: "tool_call" as const, toolCallId: "c1" };
  assertEquals(records.map(fixed), [
    { ...about, hookPath: "/a.ts", handlerIndex: 0, outcome: "passed" },
    { ...about, hookPath: "/a.ts", handlerIndex: 1, outcome: "answered", superseded: true },
    { ...about, hookPath: "/b.ts", handlerIndex: 0, outcome: "blocked" },
    { ...about, hookPath: "/c.ts", handlerIndex: 0, outcome: "not-run" },
  ]);
});

Deno.test("allowed and never asked can be told apart", async () => {
  const { runner, records } = makeRunner([
    hook("/a.ts", { tool_call: () => {} }),
    hook("/b.ts", { tool_call: () => ({ decision: "deny" }) }),
    hook("/c.ts", { tool_call: () => {} }),
  ], { observed: true });
  await emitSample(runner, "tool_call");
  assertEquals(records.map(({ outcome }) => outcome), ["passed", "rejected-answer", "not-run"]);
});

Deno.test("a handler that was not run took no time", async () => {
  const { runner, records } = makeRunner([
    hook("/a.ts", { tool_call: () => ({ block: true }) }),
    hook("/b.ts", { tool_call: () => {} }),
  ], { observed: true });
  await emitSample(runner, "tool_call");
  assertEquals(records[1].milliseconds, 0);
});

Deno.test("a throw and a rejected answer say what went wrong, one record each", async () => {
  const { runner, records, errors } = makeRunner([
    hook("/a.ts", { tool_result: [() => Promise.reject(7), () => ({ content: "x" })] }),
    hook("/b.ts", { tool_result: () => ({ content: [{ type: "text", text: "x", n: 1n }] }) }),
    hook("/c.ts", {
      tool_result: () => ({
        content: [{
          type: "text",
          get text(): never {
            throw new Error("late trap");
          },
        }],
      }),
    }),
  ], { observed: true });
  await emitSample(runner, "tool_result");
  assertEquals(records.map(({ outcome }) => outcome), [
    "threw",
    "rejected-answer",
    "rejected-answer",
    "threw",
  ]);
  assertEquals(records.map(({ error }) => error), errors.map(({ error }) => error));
  assertEquals([records[0].error, records[3].error], ["threw 7", "late trap"]);
});

Deno.test("an event that was cancelled, timed out or aborted says so", async () => {
  const { runner, records } = makeRunner([
    hook("/a.ts", { session_before_switch: () => ({ cancel: true }) }),
    hook("/b.ts", { context: () => new Promise(() => {}), tool_call: () => new Promise(() => {}) }),
  ], { observed: true, options: { handlerTimeoutMs: { context: 1 } } });
  await emitSample(runner, "session_before_switch");
  await emitSample(runner, "context");
  const controller = new AbortController();
  const asked = emitSample(runner, "tool_call", controller.signal).catch((error) => error.name);
  controller.abort();
  assertEquals(await asked, "AbortError");
  assertEquals(records.map(({ event, outcome }) => [event, outcome]), [
    ["session_before_switch", "cancelled"],
    ["context", "timed-out"],
    ["tool_call", "aborted"],
  ]);
});

Deno.test("the names of tool calls are in the records of tool events only", async () => {
  const nothing = () => {};
  const { runner, records } = makeRunner(
    [hook("/a.ts", { tool_call: nothing, tool_result: nothing, turn_start: nothing })],
    { observed: true },
  );
  for (const name of ["tool_call", "tool_result", "turn_start"] as const) {
    await emitSample(runner, name);
  }
  assertEquals(records.map(({ toolCallId }) => toolCallId), ["c1", "c1", undefined]);
});

Deno.test("side by side, each handler of session_shutdown gives its record", async () => {
  const { runner, records } = makeRunner([
    hook("/a.ts", { session_shutdown: [() => {}, () => Promise.reject(new Error("x"))] }),
    hook("/b.ts", { session_shutdown: () => {} }),
  ], { observed: true });
  await emitSample(runner, "session_shutdown");
  const seen = records.map((one) => `${one.hookPath} ${one.handlerIndex} ${one.outcome}`).sort();
  assertEquals(seen, ["/a.ts 0 passed", "/a.ts 1 threw", "/b.ts 0 passed"]);
});

Deno.test("an observer that throws is named once, and nothing else changes", async () => {
  let calls = 0;
  const { runner, warnings, errors } = makeRunner([
    hook("/a.ts", { tool_call: () => ({ block: true, reason: "no" }), turn_start: () => {} }),
  ], {
    options: {
      observer: () => {
        calls++;
        throw new Error("disk full");
      },
    },
  });
  for (let i = 0; i < 3; i++) {
    assertEquals(await emitSample(runner, "tool_call"), { block: true, reason: "no" });
    await emitSample(runner, "turn_start");
  }
  assertEquals(warnings.map(({ warning }) => warning), ["The observer failed: disk full"]);
  assertEquals([calls, errors], [6, []]);
});

Deno.test("an asynchronous observer that fails is named once too", async () => {
  const { runner, warnings } = makeRunner([hook("/a.ts", { turn_start: () => {} })], {
    options: { observer: () => Promise.reject(new Error("disk full")) as never },
  });
  await emitSample(runner, "turn_start");
  await emitSample(runner, "turn_start");
  await Promise.resolve();
  assertEquals(warnings.map(({ warning }) => warning), ["The observer failed: disk full"]);
});

Deno.test("an observer hears of a dispatch before its caller does", async () => {
  const heard: string[] = [];
  const runner = new HookRunner(
    [hook("/a.ts", { turn_start: async () => await undefined })],
    "/",
    undefined,
    undefined,
    { observer: ({ outcome }) => void heard.push(outcome) },
  );
  await runner.emit(SAMPLES.turn_start()).then(() => heard.push("caller"));
  assertEquals(heard, ["passed", "caller"]);
});

Deno.test("without handlers there are no records", async () => {
  const { runner, records } = makeRunner([hook("/a.ts", {})], { observed: true });
  await emitSample(runner, "tool_call");
  await emitSample(runner, "context");
  assertEquals(records, []);
});

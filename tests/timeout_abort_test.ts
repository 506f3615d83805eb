import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { HookAbortError, HookBlockedError, HookTimeoutError } from "../src/errors.ts";
import type { HookRunnerOptions } from "../src/runner_options.ts";
import { HookToolWrapper } from "../src/tool_wrapper.ts";
import { echoTool, fakeUI, hook, makeRunner } from "./helpers.ts";
import { emitSample, SAMPLES } from "./sample_events.ts";

const never = (): Promise<never> => new Promise(() => {});

/** A clock that a test moves: `await clock.tick(50)`. */
function fakeClock(): Disposable & { tick(milliseconds: number): Promise<void> } {
  const time = new FakeTime();
  const now = stub(performance, "now", () => Date.now());
  return {
    tick: (milliseconds) => time.tickAsync(milliseconds),
    [Symbol.dispose](): void {
      now.restore();
      time.restore();
    },
  };
}

/** Whether a promise is settled by now, and how. */
function watch<T>(promise: Promise<T>): { state: string; value?: T; error?: unknown } {
  const seen: { state: string; value?: T; error?: unknown } = { state: "pending" };
  promise.then(
    (value) => Object.assign(seen, { state: "fulfilled", value }),
    (error) => Object.assign(seen, { state: "rejected", error }),
  );
  return seen;
}

Deno.test("there is no time limit by default", async () => {
  using clock = fakeClock();
  const { promise, resolve } = Promise.withResolvers<object>();
  const { runner } = makeRunner([hook("/slow.ts", { tool_call: () => promise })]);
  const asked = watch(emitSample(runner, "tool_call"));
  await clock.tick(24 * 60 * 60 * 1000);
  assertEquals(asked.state, "pending");
  resolve({ block: true });
  await clock.tick(0);
  assertEquals(asked.value, { block: true });
});

Deno.test("a gate that is too slow blocks, and the reason names hook, event and limit", async () => {
  using clock = fakeClock();
  const tool = echoTool("bash");
  const { runner, errors, records } = makeRunner(
    [hook("/slow.ts", { tool_call: never }), hook("/b.ts", { tool_call: () => {} })],
    { options: { handlerTimeoutMs: 50 }, observed: true },
  );
  const call = watch(new HookToolWrapper(tool, runner).execute("c1", {}));
  await clock.tick(49);
  assertEquals(call.state, "pending");
  await clock.tick(1);
  assert(call.error instanceof HookBlockedError);
  assertEquals(call.error.message, 'Hook "/slow.ts" did not answer tool_call within 50 ms');
  assertEquals([call.error.kind, call.error.hookPath], ["timeout", "/slow.ts"]);
  assert(call.error.cause instanceof HookTimeoutError);
  assertEquals([tool.runs, errors], [[], []]);
  assertEquals(records.map(({ outcome }) => outcome), ["timed-out", "not-run"]);
});

Deno.test("another handler that is too slow is a HookError, and the next one runs", async () => {
  using clock = fakeClock();
  let ran = 0;
  const { runner, errors } = makeRunner(
    [
      hook("/slow.ts", { turn_end: [() => {}, never] }),
      hook("/b.ts", { turn_end: () => void ran++ }),
    ],
    { options: { handlerTimeoutMs: 50 } },
  );
  const emitted = watch(emitSample(runner, "turn_end"));
  await clock.tick(50);
  assertEquals([emitted.state, ran], ["fulfilled", 1]);
  assertEquals(
    errors.map(({ hookPath, event, error, handlerIndex }) => ({
      hookPath,
      event,
      error,
      handlerIndex,
    })),
    [{
      hookPath: "/slow.ts",
      event: "turn_end",
      error: 'Hook "/slow.ts" did not answer turn_end within 50 ms',
      handlerIndex: 1,
    }],
  );
});

Deno.test("each handler has the whole limit for itself", async () => {
  using clock = fakeClock();
  const slow = () => new Promise((resolve) => setTimeout(resolve, 40));
  const { runner, errors } = makeRunner([hook("/s.ts", { turn_end: [slow, slow, slow] })], {
    options: { handlerTimeoutMs: 50 },
  });
  const emitted = watch(emitSample(runner, "turn_end"));
  await clock.tick(120);
  assertEquals([emitted.state, errors], ["fulfilled", []]);
});

Deno.test("a limit may be set for one event", async () => {
  using clock = fakeClock();
  const { runner, errors } = makeRunner([hook("/s.ts", { turn_end: never, agent_end: never })], {
    options: { handlerTimeoutMs: { turn_end: 10 } },
  });
  const limited = watch(emitSample(runner, "turn_end"));
  const free = watch(emitSample(runner, "agent_end"));
  await clock.tick(60_000);
  assertEquals([limited.state, free.state, errors.length], ["fulfilled", "pending", 1]);
});

for (const handlerTimeoutMs of [0, -1, NaN, Infinity, 2 ** 31, 1e300]) {
  Deno.test(`a limit of ${handlerTimeoutMs} is none`, async () => {
    // On the real clock: its timers take a number that is too large for zero.
    const slow = () => new Promise((resolve) => setTimeout(resolve, 30));
    const { runner, errors } = makeRunner([hook("/s.ts", { turn_end: slow })], {
      options: { handlerTimeoutMs },
    });
    await emitSample(runner, "turn_end");
    assertEquals(errors, []);
  });
}

Deno.test("what a handler answers after its limit is lost, what it throws is reported", async () => {
  using clock = fakeClock();
  const answer = Promise.withResolvers<object>();
  const failure = Promise.withResolvers<never>();
  const { runner, errors } = makeRunner(
    [hook("/s.ts", { "session.compacting": [() => answer.promise, () => failure.promise] })],
    { options: { handlerTimeoutMs: 10 } },
  );
  const emitted = watch(emitSample(runner, "session.compacting"));
  await clock.tick(20);
  answer.resolve({ prompt: "late" });
  failure.reject(new Error("late failure"));
  await clock.tick(0);
  assertEquals([emitted.state, emitted.value], ["fulfilled", undefined]);
  assertEquals(errors.map(({ error }) => error), [
    'Hook "/s.ts" did not answer session.compacting within 10 ms',
    'Hook "/s.ts" did not answer session.compacting within 10 ms',
    "late failure",
  ]);
});

Deno.test("the clock stands still while a question of the handler is open", async () => {
  using clock = fakeClock();
  const person = Promise.withResolvers<boolean>();
  const ui = fakeUI({ confirm: () => person.promise });
  const { runner } = makeRunner([
    hook("/ask.ts", {
      tool_call: async (_event, ctx) => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        await ctx.ui.confirm("Run?", "ls");
        await new Promise((resolve) => setTimeout(resolve, 15));
        return { block: true, reason: "in time" };
      },
    }),
  ], { ui, options: { handlerTimeoutMs: 50 } });
  const asked = watch(emitSample(runner, "tool_call"));
  await clock.tick(30);
  assertEquals(ui.dialogs.length, 1);
  await clock.tick(60 * 60 * 1000);
  assertEquals(asked.state, "pending");
  person.resolve(true);
  await clock.tick(15);
  assertEquals(asked.value, { block: true, reason: "in time" });
});

Deno.test("after a question the handler has what was left of its limit, not all of it", async () => {
  using clock = fakeClock();
  const person = Promise.withResolvers<boolean>();
  const ui = fakeUI({ confirm: () => person.promise });
  const { runner } = makeRunner([
    hook("/ask.ts", {
      tool_call: async (_event, ctx) => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        await ctx.ui.confirm("Run?", "ls");
        await never();
      },
    }),
  ], { ui, options: { handlerTimeoutMs: 50 } });
  const decided = watch(runner.decideToolCall(SAMPLES.tool_call()));
  await clock.tick(1000);
  person.resolve(true);
  await clock.tick(19);
  assertEquals(decided.state, "pending");
  await clock.tick(1);
  assert(decided.value?.blocked);
  assertEquals(decided.value.kind, "timeout");
});

Deno.test("of two questions at once the last answer starts the clock again", async () => {
  using clock = fakeClock();
  const first = Promise.withResolvers<boolean>();
  const second = Promise.withResolvers<string>();
  const ui = fakeUI({ confirm: () => first.promise, input: () => second.promise });
  const { runner } = makeRunner([
    hook("/ask.ts", {
      tool_call: async (_event, { ui }) => {
        await Promise.all([ui.confirm("a", "b"), ui.input("c")]);
        await never();
      },
    }),
  ], { ui, options: { handlerTimeoutMs: 50 } });
  const decided = watch(runner.decideToolCall(SAMPLES.tool_call()));
  await clock.tick(500);
  first.resolve(true);
  await clock.tick(500);
  assertEquals(decided.state, "pending");
  second.resolve("x");
  await clock.tick(50);
  assertEquals(decided.state, "fulfilled");
});

Deno.test("a question that another hook asks does not stop this handler's clock", async () => {
  using clock = fakeClock();
  const ui = fakeUI({ confirm: never });
  const { runner, errors } = makeRunner([
    hook("/slow.ts", { turn_end: never }),
    hook("/ask.ts", { agent_end: (_event, ctx) => ctx.ui.confirm("a", "b") }),
  ], { ui, options: { handlerTimeoutMs: 50 } });
  const other = watch(emitSample(runner, "agent_end"));
  const slow = watch(emitSample(runner, "turn_end"));
  await clock.tick(50);
  assertEquals([other.state, slow.state, errors.length], ["pending", "fulfilled", 1]);
});

Deno.test("a handler that asks first and returns later keeps its question when its event is over", async () => {
  using clock = fakeClock();
  const person = Promise.withResolvers<boolean>();
  const answers: boolean[] = [];
  const { runner } = makeRunner([
    hook("/ask.ts", {
      turn_end: async (_event, ctx) => {
        ctx.ui.confirm("Tidy up?", "").then((answer) => answers.push(answer));
        await null;
      },
    }),
  ], { ui: fakeUI({ confirm: () => person.promise }), options: { handlerTimeoutMs: 50 } });
  const emitted = watch(emitSample(runner, "turn_end"));
  await clock.tick(1000);
  assertEquals(emitted.state, "fulfilled");
  person.resolve(true);
  await clock.tick(0);
  assertEquals(answers, [true]);
});

Deno.test("a timed-out handler can no longer ask: its questions answer themselves", async () => {
  using clock = fakeClock();
  const answers: unknown[] = [];
  const ui = fakeUI();
  const { runner } = makeRunner([
    hook("/late.ts", {
      turn_end: async (_event, ctx) => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        answers.push(await ctx.ui.confirm("a", "b"), await ctx.ui.select("a", ["b"]));
      },
    }),
  ], { ui, options: { handlerTimeoutMs: 50 } });
  const emitted = watch(emitSample(runner, "turn_end"));
  await clock.tick(200);
  assertEquals([emitted.state, answers, ui.dialogs], ["fulfilled", [false, undefined], []]);
});

Deno.test("two hung session_shutdown handlers together take two seconds, and others run at once", async () => {
  using clock = fakeClock();
  const done: string[] = [];
  const { runner, errors } = makeRunner([
    hook("/a.ts", { session_shutdown: never }),
    hook("/b.ts", {
      session_shutdown: [never, async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        done.push("b");
      }],
    }),
    hook("/c.ts", { session_shutdown: () => void done.push("c") }),
  ]);
  const emitted = watch(emitSample(runner, "session_shutdown"));
  await clock.tick(100);
  assertEquals(done, ["c", "b"]);
  await clock.tick(1899);
  assertEquals(emitted.state, "pending");
  await clock.tick(1);
  assertEquals(emitted.state, "fulfilled");
  assertEquals(errors.map(({ hookPath, error }) => `${hookPath} ${error}`), [
    '/a.ts Hook "/a.ts" did not answer session_shutdown within 2000 ms',
    '/b.ts Hook "/b.ts" did not answer session_shutdown within 2000 ms',
  ]);
});

Deno.test("session_shutdown ends as soon as all handlers have", async () => {
  using clock = fakeClock();
  const { runner } = makeRunner([
    hook("/a.ts", { session_shutdown: () => new Promise((resolve) => setTimeout(resolve, 300)) }),
  ]);
  const emitted = watch(emitSample(runner, "session_shutdown"));
  await clock.tick(300);
  assertEquals(emitted.state, "fulfilled");
});

Deno.test("a host may set the limit of session_shutdown", async () => {
  using clock = fakeClock();
  const { runner, errors } = makeRunner([hook("/a.ts", { session_shutdown: never })], {
    options: { handlerTimeoutMs: { session_shutdown: 10 } },
  });
  const emitted = watch(emitSample(runner, "session_shutdown"));
  await clock.tick(10);
  assertEquals([emitted.state, errors.length], ["fulfilled", 1]);
});

Deno.test("session_shutdown heeds the signal of the call", async () => {
  const { runner } = makeRunner([hook("/a.ts", { session_shutdown: never })]);
  const controller = new AbortController();
  const emitted = emitSample(runner, "session_shutdown", controller.signal);
  controller.abort();
  await assertRejects(() => emitted, HookAbortError, 'waiting for hook "/a.ts"');
});

Deno.test("an abort while a gate is pending ends the call at once, names the hook, and the tool does not run", async () => {
  const tool = echoTool("bash");
  const { runner } = makeRunner([
    hook("/hang.ts", { tool_call: never }),
    hook("/b.ts", { tool_call: () => ({ block: true }) }),
  ]);
  const controller = new AbortController();
  const reason = new Error("the person pressed escape");
  const call = new HookToolWrapper(tool, runner).execute("c1", {}, controller.signal);
  controller.abort(reason);
  const error = await assertRejects(
    () => call,
    HookAbortError,
    'Aborted while waiting for hook "/hang.ts" (tool_call)',
  );
  assertEquals([error.name, error.hookPath, tool.runs], ["AbortError", "/hang.ts", []]);
  assertStrictEquals(error.cause, reason);
});

Deno.test("a call that was aborted before asks no hook, and its records say so", async () => {
  const asked: string[] = [];
  const tool = echoTool("bash");
  const { runner, records } = makeRunner(
    [hook("/a.ts", { tool_call: () => void asked.push("a") })],
    {
      observed: true,
    },
  );
  const call = new HookToolWrapper(tool, runner).execute("c1", {}, AbortSignal.abort());
  const error = await assertRejects(() => call, HookAbortError, 'before hook "/a.ts" was asked');
  assertEquals([error.hookPath, asked, tool.runs], [undefined, [], []]);
  assertEquals(records.map(({ outcome }) => outcome), ["not-run"]);
});

Deno.test("a synchronous handler that aborts is the last one to be asked", async () => {
  const asked: string[] = [];
  const controller = new AbortController();
  const tool = echoTool("bash");
  const { runner, records } = makeRunner([
    hook("/a.ts", {
      tool_call: (_event, ctx) => {
        asked.push("a");
        ctx.abort();
      },
    }),
    hook("/b.ts", { tool_call: () => void asked.push("b") }),
  ], { abort: () => controller.abort(), observed: true });
  const call = new HookToolWrapper(tool, runner).execute("c1", {}, controller.signal);
  await assertRejects(() => call, HookAbortError, 'before hook "/b.ts" was asked');
  assertEquals([asked, tool.runs], [["a"], []]);
  assertEquals(records.map(({ outcome }) => outcome), ["passed", "not-run"]);
});

Deno.test("the signal is checked again before the tool runs", async () => {
  const controller = new AbortController();
  const tool = echoTool("bash");
  const { runner } = makeRunner([
    hook("/a.ts", { tool_call: (_event, ctx) => ctx.abort() }),
  ], { abort: () => controller.abort() });
  const call = new HookToolWrapper(tool, runner).execute("c1", {}, controller.signal);
  await assertRejects(() => call, HookAbortError, 'Aborted before tool "bash" ran');
  assertEquals(tool.runs, []);
});

Deno.test("a call whose signal never fires goes on as without one", async () => {
  const tool = echoTool("bash");
  const { signal } = new AbortController();
  const { runner } = makeRunner([
    hook("/a.ts", {
      tool_call: async () => await undefined,
      tool_result: async () => await ({ details: { by: "hook" } }),
    }),
  ]);
  const result = await new HookToolWrapper(tool, runner).execute("c1", { a: 1 }, signal);
  assertEquals(result.details, { by: "hook" });
});

for (const event of ["session_before_compact", "session_before_tree"] as const) {
  Deno.test(`the signal of ${event} itself ends the wait for a hook that ignores it`, async () => {
    const controller = new AbortController();
    const { runner } = makeRunner([hook("/hang.ts", { [event]: never })]);
    const emitted = runner.emit({ ...SAMPLES[event](), signal: controller.signal });
    controller.abort();
    await assertRejects(() => emitted, HookAbortError, `"/hang.ts" (${event})`);
  });
}

Deno.test("of the signals of an event and of its call each ends the wait", async () => {
  for (const which of [0, 1]) {
    const controllers = [new AbortController(), new AbortController()];
    const [own, call] = controllers.map(({ signal }) => signal);
    const { runner } = makeRunner([hook("/hang.ts", { session_before_tree: never })]);
    const emitted = runner.emit({ ...SAMPLES.session_before_tree(), signal: own }, {
      signal: call,
    });
    controllers[which].abort("enough");
    const { cause } = await assertRejects(() => emitted, HookAbortError, '"/hang.ts"');
    assertEquals(cause, "enough");
  }
});

Deno.test("a signal that came in as plain data is no signal", async () => {
  const { runner, errors } = makeRunner([hook("/a.ts", { session_before_tree: async () => {} })]);
  const event = { ...SAMPLES.session_before_tree(), signal: { aborted: true } as never };
  assertEquals([await runner.emit(event), errors], [undefined, []]);
});

Deno.test("a handler sees the signal of its event itself, not a copy", async () => {
  const controller = new AbortController();
  const seen: boolean[] = [];
  const { runner } = makeRunner([
    hook("/a.ts", {
      session_before_compact: ({ signal }) => {
        seen.push(signal === controller.signal, signal instanceof AbortSignal);
      },
    }),
  ]);
  await runner.emit({ ...SAMPLES.session_before_compact(), signal: controller.signal });
  assertEquals(seen, [true, true]);
});

Deno.test("an abort closes the open question of the handler, and the next question can be asked", async () => {
  const controller = new AbortController();
  const answers: unknown[] = [];
  const ui = fakeUI({ confirm: ({ args }) => args[0] === "hangs" ? never() : true });
  const { runner } = makeRunner([
    hook("/ask.ts", {
      tool_call: async (_event, ctx) => void answers.push(await ctx.ui.confirm("hangs", "")),
      turn_end: async (_event, ctx) => void answers.push(await ctx.ui.confirm("works", "")),
    }),
  ], { ui });
  const asked = emitSample(runner, "tool_call", controller.signal);
  await Promise.resolve();
  controller.abort();
  await assertRejects(() => asked, HookAbortError);
  await emitSample(runner, "turn_end");
  assertEquals(answers, [false, true]);
});

Deno.test("an abort closes an open custom component through its own end", async () => {
  const controller = new AbortController();
  const closed: unknown[] = [];
  const ui = {
    ...fakeUI(),
    custom: <T>(factory: (tui: never, theme: never, done: (result: T) => void) => unknown) =>
      new Promise<T>((resolve) => {
        factory(null as never, null as never, (result) => {
          closed.push(result);
          resolve(result);
        });
      }),
  };
  const { runner } = makeRunner([
    hook("/show.ts", {
      tool_call: (_event, ctx) =>
        ctx.ui.custom<string>(() => ({ render: () => ["?"], invalidate: () => {} })),
    }),
  ], { ui });
  const asked = emitSample(runner, "tool_call", controller.signal);
  controller.abort();
  await assertRejects(() => asked, HookAbortError);
  assertEquals(closed, [undefined]);
});

Deno.test("a custom component that waited for its turn is not made after an abort", async () => {
  const controller = new AbortController();
  const person = Promise.withResolvers<boolean>();
  let made = 0;
  const ui = {
    ...fakeUI({ confirm: () => person.promise }),
    custom: async <T>(factory: (tui: never, theme: never, done: () => void) => unknown) => {
      await factory(null as never, null as never, () => {});
      return undefined as T | undefined;
    },
  };
  const { runner } = makeRunner([
    hook("/show.ts", {
      agent_start: (_event, ctx) => ctx.ui.confirm("first", ""),
      tool_call: (_event, ctx) =>
        ctx.ui.custom(() => {
          made++;
          return { render: () => ["?"], invalidate: () => {} };
        }),
    }),
  ], { ui });
  const first = emitSample(runner, "agent_start");
  const asked = emitSample(runner, "tool_call", controller.signal);
  controller.abort();
  await assertRejects(() => asked, HookAbortError);
  person.resolve(true);
  await first;
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(made, 0);
});

Deno.test("what an aborted handler rejects with afterwards is not reported as its fault", async () => {
  const controller = new AbortController();
  const failure = Promise.withResolvers<never>();
  const { runner, errors } = makeRunner([hook("/a.ts", { tool_call: () => failure.promise })]);
  const asked = emitSample(runner, "tool_call", controller.signal);
  controller.abort();
  await assertRejects(() => asked, HookAbortError);
  failure.reject(new DOMException("aborted", "AbortError"));
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(errors, []);
});

Deno.test("a handler that rejects because of the same signal is an abort, not a fault", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const { runner } = makeRunner([
    hook("/fetch.ts", {
      tool_call: () =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new DOMException("own", "AbortError")));
        }),
    }),
  ]);
  const asked = runner.decideToolCall(SAMPLES.tool_call(), { signal });
  controller.abort();
  await assertRejects(() => asked, HookAbortError, '"/fetch.ts"');
});

Deno.test("an abort while a tool_result handler is pending keeps the result from slipping out", async () => {
  const controller = new AbortController();
  const tool = echoTool("bash");
  const ran: string[] = [];
  const { runner } = makeRunner([
    hook("/redact.ts", {
      tool_result: () => {
        ran.push("redact");
        controller.abort();
        return never();
      },
    }),
  ]);
  const call = new HookToolWrapper(tool, runner).execute("c1", {}, controller.signal);
  await assertRejects(() => call, HookAbortError, '"/redact.ts" (tool_result)');
  assertEquals([tool.runs.length, ran], [1, ["redact"]]);
});

Deno.test("a tool that succeeds although its call was aborted is told of, and what is known at once counts", async () => {
  const controller = new AbortController();
  const tool = echoTool("bash");
  const execute = tool.execute;
  tool.execute = (...args) => {
    controller.abort();
    return execute(...args);
  };
  const heard: unknown[] = [];
  const { runner } = makeRunner([
    hook("/audit.ts", { tool_result: ({ isError }) => void heard.push(isError) }),
    hook("/redact.ts", { tool_result: () => ({ content: [{ type: "text", text: "hidden" }] }) }),
  ]);
  const result = await new HookToolWrapper(tool, runner).execute("c1", {}, controller.signal);
  assertEquals([heard, result.content], [[false], [{ type: "text", text: "hidden" }]]);
});

Deno.test("a failed call that is aborted does not wait for slow tool_result handlers", async () => {
  const controller = new AbortController();
  const failure = new Error("tool broke");
  const tool = { ...echoTool("bash"), execute: () => Promise.reject(failure) };
  const heard: unknown[] = [];
  const { runner } = makeRunner([
    hook("/slow.ts", {
      tool_result: ({ isError }) => {
        heard.push(isError);
        return never();
      },
    }),
  ]);
  const call = new HookToolWrapper(tool, runner).execute("c1", {}, controller.signal);
  await Promise.resolve();
  controller.abort();
  const caught = await call.catch((error) => error);
  assertStrictEquals(caught, failure);
  assertEquals(heard, [true]);
});

Deno.test("no listener is left on a signal that outlives its calls", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = stub(signal, "addEventListener", () => void listeners++);
  const remove = stub(signal, "removeEventListener", () => void listeners--);
  const { runner } = makeRunner([
    hook("/a.ts", {
      tool_call: [async () => await undefined, () => {}],
      tool_result: async () => {},
    }),
  ]);
  const wrapper = new HookToolWrapper(echoTool("bash"), runner);
  for (let i = 0; i < 5; i++) await wrapper.execute("c1", {}, signal);
  add.restore();
  remove.restore();
  assertEquals(listeners, 0);
});

Deno.test("a limit for all events does not stretch the shutdown, one for the shutdown does", async () => {
  const never = () => new Promise(() => {});
  const waitOf = async (handlerTimeoutMs: HookRunnerOptions["handlerTimeoutMs"]) => {
    const { runner, errors } = makeRunner([hook("/a.ts", { session_shutdown: never })], {
      options: { handlerTimeoutMs },
    });
    await runner.emit({ type: "session_shutdown" });
    return errors.map(({ error }) => error.replace(/.* within /, ""));
  };
  using time = new FakeTime();
  const waits = Promise.all([waitOf(30_000), waitOf(50), waitOf({ session_shutdown: 5_000 })]);
  await time.tickAsync(6_000);
  assertEquals(await waits, [["2000 ms"], ["50 ms"], ["5000 ms"]]);
});

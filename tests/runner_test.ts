import {
  assert,
  assertEquals,
  assertNotStrictEquals,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { createHook } from "../src/api.ts";
import type { HookEventName } from "../src/events/map.ts";
import { EVENT_POLICIES, HOOK_EVENT_NAMES } from "../src/events/policy.ts";
import type { HookMessageInput } from "../src/events/agent.ts";
import { type LoadedHook, registrationsChanged } from "../src/hook.ts";
import { emptySessionManager } from "../src/no_host.ts";
import type { Model } from "../src/ports.ts";
import type { HookRunner } from "../src/runner.ts";
import type { HookAPI, HookCommandContext, HookContext } from "../src/types.ts";
import { fakeUI, hook, hookFrom, makeRunner } from "./helpers.ts";
import { emitSample, SAMPLES } from "./sample_events.ts";

const TURN = SAMPLES.turn_start();

// Order

Deno.test("hooks run in the order of the list, handlers in the order of registration, each waiting for the one before", async () => {
  const log: string[] = [];
  const slow = (name: string, turns: number) => async () => {
    for (let i = 0; i < turns; i++) await null;
    log.push(name);
  };
  const { runner } = makeRunner([
    hook("/1.ts", { turn_start: [slow("1a", 9), () => void log.push("1b"), slow("1c", 3)] }),
    hook("/2.ts", { turn_start: () => void log.push("2") }),
    hook("/3.ts", { turn_start: slow("3", 5) }),
  ]);
  await runner.emit(TURN);
  assertEquals(log, ["1a", "1b", "1c", "2", "3"]);
});

Deno.test("which hook wins does not depend on which one is quick", async () => {
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { runner } = makeRunner([
    hook("/1.ts", {
      tool_call: async () => {
        await gate.promise;
        log.push("1");
      },
    }),
    hook("/2.ts", {
      tool_call: () => {
        log.push("2");
        return { block: true, reason: "second" };
      },
    }),
    hook("/3.ts", { tool_call: () => void log.push("3") }),
  ]);
  const asked = runner.emitToolCall(SAMPLES.tool_call());
  gate.resolve();
  assertEquals(await asked, { block: true, reason: "second" });
  assertEquals(log, ["1", "2"]);
});

Deno.test("a handler registered during a dispatch takes effect from the next one on", async () => {
  const log: string[] = [];
  const { runner } = makeRunner([
    hookFrom((pi) => {
      let isFirst = true;
      pi.on("turn_start", () => {
        log.push("first");
        if (isFirst) pi.on("turn_start", () => void log.push("added"));
        isFirst = false;
      });
      pi.on("turn_start", () => void log.push("second"));
    }),
    hook("/b.ts", { turn_start: () => void log.push("b") }),
  ]);
  await runner.emit(TURN);
  assertEquals(log.splice(0), ["first", "second", "b"]);
  await runner.emit(TURN);
  assertEquals(log, ["first", "second", "added", "b"]);
});

Deno.test("a handler that registers itself again does not run for ever", async () => {
  let runs = 0;
  const { runner } = makeRunner([
    hookFrom((pi) => {
      const again = async () => {
        runs++;
        await pi.on("turn_start", again);
      };
      pi.on("turn_start", again);
    }),
  ]);
  for (let i = 0; i < 4; i++) await runner.emit(TURN);
  assertEquals(runs, 1 + 2 + 4 + 8);
});

Deno.test("a hook that is unloaded during a dispatch finishes it and is not asked again", async () => {
  const log: string[] = [];
  const hooks: LoadedHook[] = [
    hook("/a.ts", {
      turn_start: async () => {
        log.push("a");
        hooks.splice(1, 1);
        await null;
      },
    }),
    hook("/b.ts", { turn_start: () => void log.push("b") }),
  ];
  const { runner } = makeRunner(hooks);
  await runner.emit(TURN);
  await runner.emit(TURN);
  assertEquals(log, ["a", "b", "a"]);
});

Deno.test("a new version of a hook takes the place of the old one, which can do no more", async () => {
  const log: string[] = [];
  const handle = createHook({ path: "/r.ts", resolvedPath: "/r.ts" }, "/");
  const services = {
    exec: () => Promise.reject(new Error("no exec")),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    typebox: undefined,
    namespace: {},
  };
  const load = (name: string): HookAPI => {
    const version = handle.open(services);
    version.api.on("turn_start", () => void log.push(name));
    version.commit();
    return version.api;
  };
  const { runner } = makeRunner([
    handle.hook,
    hook("/b.ts", { turn_start: () => void log.push("b") }),
  ]);
  const old = load("old");
  await runner.emit(TURN);
  load("new");
  await runner.emit(TURN);
  assertEquals(log, ["old", "b", "new", "b"]);
  for (
    const use of [
      () => old.on("turn_start", () => {}),
      () => old.sendMessage({ customType: "x", content: "y", display: true }),
      () => old.appendEntry("x"),
    ]
  ) assertThrows(use, Error, 'hook "/r.ts" is no longer loaded');
});

Deno.test("hooks that are pushed later take part, also hooks made by hand", async () => {
  const log: string[] = [];
  const hooks: LoadedHook[] = [];
  const { runner } = makeRunner(hooks);
  await runner.emit(TURN);
  const made: LoadedHook = {
    path: "/hand.ts",
    resolvedPath: "/hand.ts",
    handlers: new Map([["turn_start", [() => void log.push("hand")]]]),
    messageRenderers: new Map(),
    commands: new Map(),
    setSendMessageHandler: () => {},
    setAppendEntryHandler: () => {},
  };
  hooks.push(made);
  await runner.emit(TURN);
  made.handlers.set("turn_start", [() => void log.push("changed")]);
  registrationsChanged();
  await runner.emit(TURN);
  assertEquals(log, ["hand", "changed"]);
});

Deno.test("handlers are called as functions: nothing of the runner is behind this", async () => {
  const seen: unknown[] = [];
  function handler(this: unknown): void {
    seen.push(this);
  }
  const { runner } = makeRunner([hook("/a.ts", { turn_start: handler, tool_call: handler })]);
  await runner.emit(TURN);
  await runner.emitToolCall(SAMPLES.tool_call(), { signal: new AbortController().signal });
  await runner.emitToolCall(SAMPLES.tool_call());
  assertEquals(seen, [undefined, undefined, undefined]);
});

Deno.test("events side by side keep their own order and answers", async () => {
  const { runner } = makeRunner([
    hook("/a.ts", {
      tool_call: async ({ input }) => {
        for (let i = 0; i < Number(input.turns); i++) await null;
        return { block: true, reason: String(input.turns) };
      },
    }),
  ]);
  const ask = (turns: number) => runner.emitToolCall({ ...SAMPLES.tool_call(), input: { turns } });
  const answers = await Promise.all([ask(9), ask(0), ask(4)]);
  assertEquals(answers.map((answer) => answer?.reason), ["9", "0", "4"]);
});

Deno.test("an event may be emitted from a handler", async () => {
  const log: string[] = [];
  const hooks: LoadedHook[] = [];
  const { runner } = makeRunner(hooks);
  hooks.push(hook("/a.ts", {
    turn_start: async () => {
      log.push("outer begins");
      await runner.emit({ type: "agent_start" });
      log.push("outer ends");
    },
    agent_start: () => void log.push("inner"),
  }));
  await runner.emit(TURN);
  assertEquals(log, ["outer begins", "inner", "outer ends"]);
});

// Which events

Deno.test("emit refuses an event that does not exist, with the nearest real name", async () => {
  const { runner } = makeRunner([hook("/a.ts", {})]);
  const wrong: [string, string][] = [
    ["session_satrt", 'there is no such event, did you mean "session_start"?'],
    ["toString", "there is no such event"],
    ["__proto__", "there is no such event"],
  ];
  for (const [type, words] of wrong) {
    await assertRejects(() => runner.emit({ type } as never), TypeError, words);
  }
});

Deno.test("emit refuses the events that have methods of their own, and names the method", async () => {
  const { runner } = makeRunner([hook("/a.ts", { tool_call: () => ({ block: true }) })]);
  for (
    const [type, method] of [
      ["tool_call", "emitToolCall"],
      ["context", "emitContext"],
      ["before_agent_start", "emitBeforeAgentStart"],
    ]
  ) {
    await assertRejects(() => runner.emit({ type } as never), TypeError, `use ${method}`);
  }
});

Deno.test("hasHandlers says yes for events with a handler, and no for names that do not exist", () => {
  const { runner } = makeRunner([hook("/a.ts", { tool_call: () => {} })]);
  assertEquals(HOOK_EVENT_NAMES.filter((name) => runner.hasHandlers(name)), ["tool_call"]);
  assertEquals(runner.hasHandlers("nope" as HookEventName), false);
});

Deno.test("hasToolHandlers is about tool_call and tool_result only", () => {
  const has = (names: HookEventName[]): boolean =>
    makeRunner([hook("/a.ts", Object.fromEntries(names.map((name) => [name, () => {}])))])
      .runner.hasToolHandlers();
  assertEquals([has([]), has(["context"]), has(["tool_call"]), has(["tool_result"])], [
    false,
    false,
    true,
    true,
  ]);
});

Deno.test("a handler for an event that does not exist never runs and hurts nobody", async () => {
  const { runner } = makeRunner([hook("/a.ts", { tool_cal: () => ({ block: true }) } as never)]);
  assertEquals(await runner.emitToolCall(SAMPLES.tool_call()), undefined);
});

// What handlers see

const HISTORY = HOOK_EVENT_NAMES.filter((name) => {
  const policy: { shows?: string } = EVENT_POLICIES[name];
  return policy.shows === "copy";
});

/** Takes everything out of a value that can be taken out. */
function ruin(value: unknown): void {
  if (typeof value !== "object" || value === null || value instanceof AbortSignal) return;
  if (value instanceof Set) return value.clear();
  for (const key of Object.keys(value)) {
    ruin(Reflect.get(value, key));
    assert(key === "type" || Reflect.deleteProperty(value, key));
  }
  if (Array.isArray(value)) value.length = 0;
}

for (const name of HISTORY) {
  Deno.test(`a ${name} handler that edits its event changes nothing of the host's`, async () => {
    const { runner, errors } = makeRunner([
      hook("/bad.ts", { [name]: (event: object) => ruin(event) }),
    ]);
    const event = SAMPLES[name]();
    await runner.emit(event as never);
    const show = (value: unknown) => Deno.inspect(value, { depth: 20 });
    assertEquals(show(event), show(SAMPLES[name]()));
    assertEquals(errors, []);
  });
}

Deno.test("every event that holds objects is shown as a copy", () => {
  for (const name of HOOK_EVENT_NAMES) {
    const policy: { shows?: string; emitter?: string } = EVENT_POLICIES[name];
    const holdsObjects = Object.values(SAMPLES[name]()).some((one) => typeof one === "object");
    if (policy.emitter === undefined) {
      assertEquals([name, policy.shows !== undefined], [name, holdsObjects]);
    }
  }
});

Deno.test("the pictures of a prompt cannot be changed, and a write is explained", async () => {
  const images = [{ type: "image" as const, data: "aGk=", mimeType: "image/png" }];
  const { runner, errors } = makeRunner([
    hook("/bad.ts", {
      before_agent_start: ({ images }) => void Object.assign(images?.[0] ?? {}, { data: "" }),
    }),
  ]);
  await runner.emitBeforeAgentStart("look", images);
  assertEquals(images[0].data, "aGk=");
  assert(errors[0].error.startsWith('Hook "/bad.ts" tried to change what it was shown'));
});

// Contexts

/** Runs a handler once and gives its context. */
async function contextOf(runner: HookRunner, hooks: LoadedHook[]): Promise<HookContext> {
  const seen: HookContext[] = [];
  hooks.push(hook("/see.ts", { agent_start: (_event, ctx) => void seen.push(ctx) }));
  await runner.emit({ type: "agent_start" });
  return seen[0];
}

Deno.test("ctx is frozen, and one for all handlers of an event", async () => {
  const seen: HookContext[] = [];
  const see = (_event: unknown, ctx: HookContext) => void seen.push(ctx);
  const { runner } = makeRunner([
    hook("/a.ts", { tool_call: [see, see] }),
    hook("/b.ts", { tool_call: see }),
  ]);
  for (const signal of [undefined, new AbortController().signal]) {
    await runner.emitToolCall(SAMPLES.tool_call(), signal && { signal });
    assertEquals(seen.length, 3);
    assert(seen.every((ctx) => ctx === seen[0] && Object.isFrozen(ctx)));
    const [ctx] = seen.splice(0);
    assertThrows(() => Object.assign(ctx, { hasUI: true }), TypeError);
    assertThrows(() => Object.assign(ctx, { mine: true }), TypeError);
    assertThrows(() => Object.assign(ctx.ui, { confirm: () => true }), TypeError);
  }
});

Deno.test("ctx can be taken apart", async () => {
  const hooks: LoadedHook[] = [];
  const calls: string[] = [];
  const { runner } = makeRunner(hooks, {
    cwd: "/work",
    abort: () => calls.push("abort"),
    isIdle: () => false,
    hasQueuedMessages: () => true,
  });
  const { ui, hasUI, cwd, sessionManager, modelRegistry, model, isIdle, abort, hasQueuedMessages } =
    await contextOf(runner, hooks);
  abort();
  assertEquals(
    [hasUI, cwd, model, isIdle(), hasQueuedMessages(), calls, await ui.confirm("a", "b")],
    [false, "/work", undefined, false, true, ["abort"], false],
  );
  assertEquals([sessionManager.getCwd(), modelRegistry.getAll()], ["/work", []]);
});

Deno.test("ctx.ui is the same object every time, also with a signal and a time limit", async () => {
  const same: boolean[] = [];
  const handler = (_event: unknown, ctx: HookContext) => void same.push(ctx.ui === ctx.ui);
  for (const handlerTimeoutMs of [0, 1000]) {
    const { runner } = makeRunner([hook("/a.ts", { tool_call: handler })], {
      ui: fakeUI(),
      options: { handlerTimeoutMs },
    });
    await emitSample(runner, "tool_call");
    await emitSample(runner, "tool_call", new AbortController().signal);
  }
  assertEquals(same, [true, true, true, true]);
});

const MODEL: Model = {
  id: "m",
  name: "M",
  api: "a",
  provider: "p",
  baseUrl: "http://localhost",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1,
  maxTokens: 1,
};

Deno.test("ctx.model is read live", async () => {
  let model: Model | undefined = MODEL;
  const hooks: LoadedHook[] = [];
  const { runner } = makeRunner(hooks, { getModel: () => model });
  const ctx = await contextOf(runner, hooks);
  assertStrictEquals(ctx.model, MODEL);
  model = { ...MODEL, id: "other" };
  assertEquals(ctx.model?.id, "other");
  model = undefined;
  assertEquals(ctx.model, undefined);
});

Deno.test("a ctx that a hook kept acts on the session that is current now", async () => {
  const hooks: LoadedHook[] = [];
  const ui = fakeUI({ confirm: true });
  const { runner } = makeRunner(hooks, { cwd: "/old" });
  const ctx = await contextOf(runner, hooks);
  const kept = runner.createCommandContext();
  const session = { ...emptySessionManager("/new"), getSessionId: () => "new" };
  const started: unknown[] = [];
  runner.initialize({
    cwd: "/new",
    uiContext: ui,
    sessionManager: session,
    getModel: () => MODEL,
    newSessionHandler: (options) => {
      started.push(options?.parentSession);
      return Promise.resolve({ cancelled: false });
    },
  });
  for (const one of [ctx, kept]) {
    assertEquals([one.cwd, one.hasUI, one.sessionManager.getSessionId(), one.model?.id], [
      "/new",
      true,
      "new",
      "m",
    ]);
    assertEquals(await one.ui.confirm("a", "b"), true);
  }
  assertEquals(await kept.newSession({ parentSession: "/p" }), { cancelled: false });
  assertEquals([started, ui.dialogs.length], [["/p"], 2]);
});

Deno.test("what waits for the agent or replaces the session is not on the contexts of events", async () => {
  const hooks: LoadedHook[] = [];
  const { runner } = makeRunner(hooks);
  const ctx = await contextOf(runner, hooks);
  const command = runner.createCommandContext();
  for (const name of ["waitForIdle", "newSession", "branch", "navigateTree"] as const) {
    assertEquals([name in ctx, typeof command[name]], [false, "function"]);
  }
});

Deno.test("a command context is frozen, can be taken apart and reaches the host", async () => {
  const calls: unknown[][] = [];
  const { runner } = makeRunner([], {
    waitForIdle: async () => void await calls.push(["waitForIdle"]),
    branchHandler: (...args) => {
      calls.push(["branch", ...args]);
      return Promise.resolve({ cancelled: true });
    },
    navigateTreeHandler: (...args) => {
      calls.push(["navigateTree", ...args]);
      return Promise.resolve({ cancelled: false });
    },
  });
  const ctx = runner.createCommandContext();
  assert(Object.isFrozen(ctx));
  const { waitForIdle, branch, navigateTree, hasUI } = ctx;
  await waitForIdle();
  assertEquals([await branch("e1"), await navigateTree("e2", { summarize: true }), hasUI], [
    { cancelled: true },
    { cancelled: false },
    false,
  ]);
  assertEquals(calls, [["waitForIdle"], ["branch", "e1"], [
    "navigateTree",
    "e2",
    { summarize: true },
  ]]);
});

Deno.test("what a host does not offer refuses with a sentence instead of saying that it was done", async () => {
  const ctx = makeRunner([]).runner.createCommandContext();
  await assertRejects(() => ctx.newSession(), Error, "Cannot start a new session: this host");
  await assertRejects(() => ctx.branch("e1"), Error, "Cannot branch: this host");
  await assertRejects(() => ctx.navigateTree("e1"), Error, "Cannot walk through the session");
  await ctx.waitForIdle();
});

// Binding

const MESSAGE: HookMessageInput = { customType: "note", content: "hello", display: true };

/** A hook whose API a test may use from outside. */
function openHook(path = "/open.ts"): { pi: HookAPI; hook: LoadedHook } {
  let kept: HookAPI | undefined;
  const loaded = hookFrom((pi) => {
    kept = pi;
  }, path);
  assert(kept !== undefined);
  return { pi: kept, hook: loaded };
}

Deno.test("before a session is bound, sendMessage and appendEntry throw", () => {
  const { pi } = openHook();
  for (const send of [() => pi.sendMessage(MESSAGE), () => pi.appendEntry("x")]) {
    assertThrows(send, Error, "not available during load");
  }
});

Deno.test("sendMessage and appendEntry reach the session that is bound now, never the one before", () => {
  const { pi, hook } = openHook();
  const log: string[] = [];
  const { runner, errors } = makeRunner([hook], {
    sendMessageHandler: ({ content }) => void log.push(`first ${content}`),
    appendEntryHandler: (type, data) => void log.push(`first ${type} ${data}`),
  });
  const { sendMessage, appendEntry } = pi;
  const send = () => {
    sendMessage(MESSAGE);
    appendEntry("state", 1);
  };
  send();
  runner.initialize({
    sendMessageHandler: ({ content }) => void log.push(`second ${content}`),
    appendEntryHandler: (type, data) => void log.push(`second ${type} ${data}`),
  });
  send();
  runner.initialize();
  send();
  assertEquals(log, ["first hello", "first state 1", "second hello", "second state 1"]);
  assertEquals(errors.map(({ hookPath, event, error }) => [hookPath, event, error]), [
    ["/open.ts", "sendMessage", "Cannot deliver messages of hooks: this host does not offer it"],
    ["/open.ts", "appendEntry", "Cannot keep entries of hooks: this host does not offer it"],
  ]);
});

Deno.test("a message that cannot be delivered is a HookError, later too, and not the hook's exception", async () => {
  const { pi, hook } = openHook();
  const { errors } = makeRunner([hook], {
    sendMessageHandler: async ({ content }) => {
      if (content === "at once") throw new Error("full");
      await null;
      throw new Error("full later");
    },
  });
  pi.sendMessage({ ...MESSAGE, content: "at once" });
  pi.sendMessage(MESSAGE);
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(errors.map(({ event, error }) => [event, error]), [
    ["sendMessage", "full"],
    ["sendMessage", "full later"],
  ]);
});

Deno.test("an entry that cannot be kept throws to the hook", () => {
  const { pi, hook } = openHook();
  makeRunner([hook], {
    appendEntryHandler: () => {
      throw new Error("disk full");
    },
  });
  assertThrows(() => pi.appendEntry("x"), Error, "disk full");
});

Deno.test("what is sent or kept is the host's own: a later edit of the hook does not reach it", () => {
  const { pi, hook } = openHook();
  const got: unknown[] = [];
  makeRunner([hook], {
    sendMessageHandler: (message, options) => void got.push(message, options),
    appendEntryHandler: (_type, data) => void got.push(data),
  });
  const message = { ...MESSAGE, details: { list: [1] } };
  const data = { list: [1] };
  pi.sendMessage(message, { triggerTurn: true });
  pi.appendEntry("x", data);
  message.details.list.push(2);
  data.list.push(2);
  assertEquals(got, [{ ...MESSAGE, details: { list: [1] } }, { triggerTurn: true }, { list: [1] }]);
});

const CYCLE: Record<string, unknown> = {};
CYCLE.self = CYCLE;

Deno.test("what JSON cannot hold is refused at the door, with the method and the field", () => {
  const { pi, hook } = openHook();
  const got: unknown[] = [];
  makeRunner([hook], {
    sendMessageHandler: (message) => void got.push(message),
    appendEntryHandler: (type) => void got.push(type),
  });
  const wrong: [() => void, string][] = [
    [() => pi.sendMessage(undefined as never), "pi.sendMessage: the message must be an object"],
    [() => pi.sendMessage({ ...MESSAGE, customType: "" }), "the message needs a customType"],
    [
      () => pi.sendMessage({ ...MESSAGE, content: 7 as never }),
      "has a content that must be a list",
    ],
    [() => pi.sendMessage({ ...MESSAGE, details: 1n }), "has details that must be something that"],
    [() => pi.sendMessage({ ...MESSAGE, details: CYCLE }), "contains itself"],
    [() => pi.appendEntry("x", CYCLE), "pi.appendEntry: the data must be something that JSON can"],
    [() => pi.appendEntry("x", { run: () => 1 }), "holds function run"],
    [() => pi.appendEntry("x", Promise.resolve()), "the data cannot be copied"],
    [() => pi.appendEntry("", 1), "needs the name of a kind of entry"],
    [() => pi.appendEntry(7 as never, 1), "needs the name of a kind of entry, not 7"],
  ];
  for (const [use, words] of wrong) assertThrows(use, TypeError, words);
  assertEquals(got, []);
});

Deno.test("pi.exec starts in the folder of the session that is bound now", async () => {
  const folders: string[] = [];
  let kept: HookAPI | undefined;
  const loaded = hookFrom(
    (pi) => {
      kept = pi;
    },
    "/e.ts",
    {
      exec: (_command, _args, cwd) => {
        folders.push(cwd);
        return Promise.resolve({ stdout: "", stderr: "", code: 0, killed: false });
      },
    },
  );
  await kept?.exec("ls");
  const { runner } = makeRunner([loaded], { cwd: "/first" });
  await kept?.exec("ls");
  runner.initialize({ cwd: "/second" });
  await kept?.exec("ls");
  assertEquals(folders, ["/project", "/first", "/second"]);
});

Deno.test("bound again, what is left out goes back to its default, and the session stays", async () => {
  const hooks: LoadedHook[] = [];
  const session = { ...emptySessionManager("/s"), getSessionId: () => "kept" };
  const { runner } = makeRunner(hooks, {
    cwd: "/s",
    ui: fakeUI(),
    sessionManager: session,
    getModel: () => MODEL,
    isIdle: () => false,
    hasQueuedMessages: () => true,
  });
  const ctx = await contextOf(runner, hooks);
  runner.initialize();
  assertEquals(
    [ctx.cwd, ctx.sessionManager.getSessionId(), ctx.hasUI, ctx.model, ctx.isIdle()],
    ["/s", "kept", false, undefined, true],
  );
  assertEquals(ctx.hasQueuedMessages(), false);
});

// Questions

Deno.test("hasUI follows from the user interface that is bound", () => {
  const { runner } = makeRunner([]);
  const ui = fakeUI();
  assertEquals([runner.getHasUI(), runner.createCommandContext().hasUI], [false, false]);
  runner.initialize({ uiContext: ui });
  assertEquals([runner.getHasUI(), runner.createCommandContext().hasUI], [true, true]);
  assertStrictEquals(runner.getUIContext(), ui);
  runner.initialize();
  assertEquals(runner.getHasUI(), false);
  assertNotStrictEquals(runner.getUIContext(), ui);
});

Deno.test("without a user interface every question of a handler answers itself at once", async () => {
  const answers: unknown[] = [];
  const ask = async (_event: unknown, { ui, hasUI }: HookContext) => {
    answers.push(
      hasUI,
      await ui.confirm("a", "b"),
      await ui.select("a", []),
      await ui.select("a", ["only"]),
      await ui.input("a"),
      await ui.editor("a", "prefill"),
      await ui.custom(() => ({ render: () => [], invalidate: () => {} })),
      ui.getEditorText(),
      ui.theme.fg("success", "x"),
      ui.setEditorText("x"),
      ui.setStatus("k", "x"),
      ui.notify("x"),
      hasUI,
    );
  };
  const nothing = undefined;
  const expected = [false, false, nothing, nothing, nothing, nothing, nothing, "", "x"];
  for (const signal of [undefined, new AbortController().signal]) {
    const { runner, errors } = makeRunner([hook("/ask.ts", { tool_call: ask })], {
      options: { handlerTimeoutMs: { tool_call: signal ? 1000 : 0 } },
    });
    await emitSample(runner, "tool_call", signal);
    assertEquals(answers.splice(0), [...expected, nothing, nothing, nothing, false]);
    assertEquals(errors, []);
  }
});

Deno.test("questions of side by side events come up one at a time, also after the runner is bound anew", async () => {
  const open: (() => void)[] = [];
  const ui = fakeUI({
    confirm: () => new Promise<boolean>((resolve) => void open.push(() => resolve(true))),
  });
  const { runner } = makeRunner([
    hook("/ask.ts", { agent_start: (_event, ctx) => ctx.ui.confirm("a", "b") }),
  ], { ui });
  const events: Promise<unknown>[] = [];
  const step = async (): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve));
    return ui.dialogs.length;
  };
  events.push(runner.emit({ type: "agent_start" }), runner.emit({ type: "agent_start" }));
  assertEquals(await step(), 1);
  runner.initialize({ uiContext: ui });
  events.push(runner.emit({ type: "agent_start" }));
  assertEquals(await step(), 1);
  open[0]();
  assertEquals(await step(), 2);
  open[1]();
  assertEquals(await step(), 3);
  open[2]();
  await Promise.all(events);
});

Deno.test("notices and texts of a handler reach the host, with a time limit too", async () => {
  const ui = fakeUI();
  const { runner } = makeRunner([
    hook("/a.ts", {
      tool_call: (_event, { ui }) => {
        ui.notify("hello", "warning");
        ui.setStatus("key", "text");
        ui.setEditorText("draft");
        return { block: true, reason: ui.getEditorText() };
      },
    }),
  ], { ui, options: { handlerTimeoutMs: 1000 } });
  assertEquals(await emitSample(runner, "tool_call"), { block: true, reason: "draft" });
  assertEquals(ui.notices, [{ message: "hello", type: "warning" }]);
  assertEquals([...ui.statuses], [["key", "text"]]);
});

// Commands and renderers

Deno.test("of two commands or renderers of one name the one loaded first wins, and lists show all", async () => {
  const ran: string[] = [];
  const named = (path: string) =>
    hookFrom((pi) => {
      pi.registerCommand("go", { description: path, handler: () => void ran.push(path) });
      pi.registerMessageRenderer("note", () => ({ render: () => [path], invalidate: () => {} }));
    }, path);
  const { runner } = makeRunner([hook("/none.ts", {}), named("/a.ts"), named("/b.ts")]);
  assertEquals(runner.getCommand("go")?.description, "/a.ts");
  assertEquals(runner.getRegisteredCommands().map(({ name, description }) => [name, description]), [
    ["go", "/a.ts"],
    ["go", "/b.ts"],
  ]);
  assertEquals(await runner.runCommand("go"), true);
  assertEquals(ran, ["/a.ts"]);
  const renderer = runner.getMessageRenderer("note");
  const message = { ...MESSAGE, role: "custom" as const, timestamp: 1 };
  const { theme } = runner.getUIContext();
  assertEquals(renderer?.(message as never, { expanded: false }, theme)?.render(80), ["/a.ts"]);
  assertEquals([runner.getCommand("other"), runner.getMessageRenderer("other")], [
    undefined,
    undefined,
  ]);
});

Deno.test("a command gets the text after its name and a context of commands", async () => {
  const seen: [string, HookCommandContext][] = [];
  const { runner } = makeRunner([
    hookFrom((pi) => {
      pi.registerCommand("go", { handler: (args, ctx) => void seen.push([args, ctx]) });
    }),
  ], { cwd: "/work" });
  await runner.runCommand("go", "a  b");
  await runner.runCommand("go");
  assertEquals(seen.map(([args, ctx]) => [args, ctx.cwd]), [["a  b", "/work"], ["", "/work"]]);
});

Deno.test("the hooks and their paths are listed in order, paths as they were given", () => {
  const hooks = [hook("~/a.ts", {}), hook("./b.ts", {})];
  const { runner } = makeRunner(hooks);
  assertEquals(runner.getHookPaths(), ["~/a.ts", "./b.ts"]);
  assertStrictEquals(runner.getHooks(), hooks);
});

// Registration

Deno.test("pi.on without a function, or with an odd name, is refused", () => {
  const { pi } = openHook();
  const wrong: [() => unknown, string][] = [
    [() => pi.on("tool_call", undefined as never), 'pi.on("tool_call") needs a function'],
    [() => pi.on("tool_call", {} as never), "needs a function, not {}"],
    [() => pi.on(7 as never, () => {}), "pi.on needs the name of an event, not 7"],
    [() => pi.registerCommand("", { handler: () => {} }), "A command needs a name"],
    [() => pi.registerCommand("/go", { handler: () => {} }), "A command needs a name"],
    [() => pi.registerCommand("a b", { handler: () => {} }), "A command needs a name"],
    [() => pi.registerCommand("go", {} as never), "needs a handler"],
    [() => pi.registerCommand("go", undefined as never), "needs a handler"],
    [() => pi.registerMessageRenderer("x", 7 as never), "needs a function, not 7"],
  ];
  for (const [use, words] of wrong) assertThrows(use, TypeError, words);
});

Deno.test("pi.on returns nothing, and pi can be taken apart", () => {
  const { pi, hook } = openHook();
  const { on, registerCommand } = pi;
  const returned: unknown = on("turn_start", () => {});
  registerCommand("go", { handler: () => {} });
  assertEquals([returned, hook.handlers.get("turn_start")?.length, hook.commands.has("go")], [
    undefined,
    1,
    true,
  ]);
});

Deno.test("an event that nobody handles, or to which nobody has anything to say, costs no promise of its own", () => {
  const { runner } = makeRunner([hook("/a.ts", { turn_start: () => {} })]);
  assertStrictEquals(runner.emit({ type: "agent_start" }), runner.emit(SAMPLES.turn_end()));
  assertStrictEquals(runner.emit(TURN), runner.emit({ type: "agent_start" }));
});

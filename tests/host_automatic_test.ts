/**
 * What a host does by itself when it is switched on: retries, compactions, reminders, rules.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type {
  AutoCompactionEndEvent,
  AutoRetryEndEvent,
  AutoRetryStartEvent,
  Rule,
  TodoReminderEvent,
} from "../src/events/agent.ts";
import type { HookEvent, HookEventName, HookEventOf } from "../src/events/map.ts";
import { HookHost } from "../src/host/host.ts";
import type { AutoCompactionSettings, RetrySettings } from "../src/host/host_options.ts";
import type { TodoSettings } from "../src/host/todo_reminder.ts";
import type { Model } from "../src/ports.ts";
import { ModelError } from "../src/session/model_port.ts";
import { SessionManager } from "../src/session/session.ts";
import { answered, call, counted, gave } from "./conversation.ts";
import { echoTool, fakeUI, hook, type TestHandlers } from "./helpers.ts";
import { linesOf, makeHost, type TestHost } from "./host_setup.ts";

/** The events of one kind. */
function only<N extends HookEventName>(events: readonly HookEvent[], name: N): HookEventOf<N>[] {
  return events.filter((event): event is HookEventOf<N> => event.type === name);
}

function starts({ events }: TestHost): AutoRetryStartEvent[] {
  return only(events, "auto_retry_start");
}

function ends({ events }: TestHost): AutoRetryEndEvent[] {
  return only(events, "auto_retry_end");
}

const BUSY = new ModelError("overloaded", "retryable");

Deno.test("a failed call is tried again after waits that double, up to a longest one", async () => {
  const retry = { maxRetries: 4, baseDelayMs: 100, maxDelayMs: 300 };
  await using test = makeHost({ retry, answers: [BUSY, BUSY, BUSY, BUSY, "at last"] });
  await test.host.prompt("Go");
  assertEquals(
    starts(test).map(({ attempt, maxAttempts, delayMs }) => [attempt, maxAttempts, delayMs]),
    [
      [1, 4, 100],
      [2, 4, 200],
      [3, 4, 300],
      [4, 4, 300],
    ],
  );
  assertEquals(test.clock.waits, [100, 200, 300, 300]);
  assertEquals(ends(test), [{ type: "auto_retry_end", success: true, attempt: 4 }]);
  assertEquals(linesOf(test.host.messages), ["user: Go", "assistant: at last"]);
  assertEquals(only(test.events, "turn_end").length, 1);
});

Deno.test("a failed call is given up after the last retry, with the last error", async () => {
  const last = new ModelError("still overloaded", "retryable");
  await using test = makeHost({ retry: { maxRetries: 1 }, answers: [BUSY, last, "never"] });
  await test.host.prompt("Go");
  assertEquals(ends(test), [{
    type: "auto_retry_end",
    success: false,
    attempt: 1,
    finalError: "still overloaded",
  }]);
  assertEquals(linesOf(test.host.messages).at(-1), "assistant: (error: still overloaded)");
});

Deno.test("the provider's own wait goes before the doubled one", async () => {
  const asked = new ModelError("slow down", "retryable", { retryAfterMs: 7 });
  await using test = makeHost({ retry: {}, answers: [asked, "ok"] });
  await test.host.prompt("Go");
  assertEquals(test.clock.waits, [7]);
});

const UNTRIED: { name: string; retry?: RetrySettings; failure: Error }[] = [
  { name: "if nobody has switched it on", failure: BUSY },
  { name: "if it is not marked", retry: {}, failure: new Error("overloaded") },
  { name: "if it is of no use", retry: {}, failure: new ModelError("no key", "fatal") },
  { name: "if the host says so", retry: { isRetryable: () => false }, failure: BUSY },
];

for (const { name, retry, failure } of UNTRIED) {
  Deno.test(`a failed call is not tried again ${name}`, async () => {
    await using test = makeHost({ retry, answers: [failure, "never"] });
    await test.host.prompt("Go");
    assertEquals(starts(test), []);
    assertEquals(ends(test), []);
    assertEquals(test.model.remaining, 1);
  });
}

Deno.test("a message with the stop reason error is tried again if the host marks it", async () => {
  const failed = { ...answered(), stopReason: "error" as const, errorMessage: "529" };
  const seen: unknown[] = [];
  const retry: RetrySettings = {
    isRetryable: (failure) => {
      seen.push(failure);
      return true;
    },
  };
  await using test = makeHost({ retry, answers: [failed, "ok"] });
  await test.host.prompt("Go");
  assertEquals(seen, [failed]);
  assertEquals(starts(test).map(({ errorMessage }) => errorMessage), ["529"]);
  assertEquals(linesOf(test.host.messages), ["user: Go", "assistant: ok"]);
});

Deno.test("abort cancels the retries", async () => {
  const stop = hook("/stop.ts", { auto_retry_start: () => test.host.abort() });
  await using test = makeHost({ retry: {}, answers: [BUSY, "never"], hooks: [stop] });
  await test.host.prompt("Go");
  assertEquals(ends(test).map(({ success, finalError }) => [success, finalError]), [
    [false, "Retry cancelled"],
  ]);
  assertEquals(test.model.remaining, 1);
  assertEquals(linesOf(test.host.messages).at(-1), "assistant: (aborted: The agent was stopped)");
});

/** A host whose conversation is always too long. */
function overfull(handlers: TestHandlers, rest: Parameters<typeof makeHost>[0] = {}): TestHost {
  return makeHost({
    compaction: { thresholdTokens: 100, keepRecentTokens: 1 },
    hooks: [hook("/compaction.ts", handlers)],
    ...rest,
  });
}

function compactionEnds({ events }: TestHost): Omit<AutoCompactionEndEvent, "type" | "action">[] {
  return only(events, "auto_compaction_end").map(({ type: _, action, ...rest }) => {
    assertEquals(action, "context-full");
    return rest;
  });
}

const WINDOW: Model = {
  id: "m",
  name: "m",
  api: "a",
  provider: "p",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};

const THRESHOLDS: {
  name: string;
  settings?: AutoCompactionSettings;
  model?: Model;
  tokens: number;
  compacts: boolean;
}[] = [
  { name: "no settings", tokens: 1e9, compacts: false },
  { name: "settings without any measure", settings: {}, tokens: 1e9, compacts: false },
  {
    name: "below thresholdTokens",
    settings: { thresholdTokens: 500 },
    tokens: 400,
    compacts: false,
  },
  { name: "over thresholdTokens", settings: { thresholdTokens: 500 }, tokens: 600, compacts: true },
  {
    name: "over thresholdPercent of the model's window",
    settings: { thresholdPercent: 50 },
    model: WINDOW,
    tokens: 600,
    compacts: true,
  },
  {
    name: "below thresholdPercent of the model's window",
    settings: { thresholdPercent: 70 },
    model: WINDOW,
    tokens: 600,
    compacts: false,
  },
  {
    name: "less than reserveTokens left of the host's window",
    settings: { contextWindow: 650, reserveTokens: 100 },
    model: WINDOW,
    tokens: 600,
    compacts: true,
  },
  {
    name: "switched off",
    settings: { thresholdTokens: 500, enabled: false },
    tokens: 600,
    compacts: false,
  },
  {
    name: "strategy off",
    settings: { thresholdTokens: 500, strategy: "off" },
    tokens: 600,
    compacts: false,
  },
];

for (const { name, settings, model, tokens, compacts } of THRESHOLDS) {
  Deno.test(`${name}: the conversation is ${compacts ? "" : "not "}compacted`, async () => {
    await using test = makeHost({
      ...(settings && { compaction: { keepRecentTokens: 1, ...settings } }),
      getModel: () => model,
      answers: [counted(tokens, "Much."), ...(compacts ? ["S"] : []), "ok"],
    });
    await test.host.prompt("A");
    await test.host.prompt("B");
    assertEquals(compactionEnds(test).length, compacts ? 1 : 0);
    assertEquals(linesOf(test.host.messages).at(-1), "assistant: ok");
    assertEquals(test.host.messages[0].role, compacts ? "compactionSummary" : "user");
  });
}

Deno.test("a compaction that a hook always cancels is tried once a turn, and noted after three", async () => {
  const ui = fakeUI();
  let asked = 0;
  await using test = overfull({
    session_before_compact: () => {
      asked++;
      return { cancel: true, compaction: { summary: "s", firstKeptEntryId: "x", tokensBefore: 1 } };
    },
  }, {
    uiContext: ui,
    tools: [echoTool()],
    answers: [
      ...Array.from({ length: 19 }, (_, index) => counted(5000, call(`c${index}`, "echo"))),
      counted(5000, "done"),
    ],
  });
  await test.host.prompt("Go");
  assertEquals(only(test.events, "turn_start").length, 20);
  assertEquals(asked, 19);
  assertEquals(compactionEnds(test)[0], { result: undefined, aborted: true, willRetry: false });
  assertEquals(only(test.events, "session_compact"), []);
  assertEquals(test.host.session.getEntries().some(({ type }) => type === "compaction"), false);
  assertEquals(ui.notices, [{
    message: "A hook has refused to compact the conversation 3 times in a row. It grows on, and " +
      "the model may soon refuse it",
    type: "warning",
  }]);
  assertEquals(test.errors, []);
});

Deno.test("refusals that do not follow each other are not noted", async () => {
  const answersOfHook = [true, true, false, true, true];
  const ui = fakeUI();
  await using test = overfull({
    session_before_compact: () => ({ cancel: answersOfHook.shift() }),
  }, {
    uiContext: ui,
    answers: [
      counted(5000, "a"),
      counted(5000, "b"),
      counted(5000, "c"),
      "S",
      "T",
      counted(5000, "d"),
      counted(5000, "e"),
      "f",
    ],
  });
  for (const prompt of ["A", "B", "C", "D", "E", "F"]) await test.host.prompt(prompt);
  assertEquals(compactionEnds(test).map(({ aborted }) => aborted), [
    true,
    true,
    false,
    true,
    true,
  ]);
  assertEquals(ui.notices, []);
});

Deno.test("without a user interface the note about refusals goes to the error listeners", async () => {
  await using test = overfull({ session_before_compact: () => ({ cancel: true }) }, {
    compaction: { thresholdTokens: 100, keepRecentTokens: 1, refusalsBeforeNote: 1 },
    answers: [counted(5000, "a"), counted(5000, "b"), counted(5000, "c")],
  });
  for (const prompt of ["A", "B", "C"]) await test.host.prompt(prompt);
  assertEquals(test.errors.map(({ event }) => event), ["session_before_compact"]);
  assertStringIncludes(test.errors[0].error, "1 times in a row");
});

Deno.test("a summary that cannot be written is told, and the conversation goes on", async () => {
  await using test = overfull({}, {
    answers: [counted(5000, "Much."), new ModelError("no key"), "ok"],
  });
  await test.host.prompt("A");
  await test.host.prompt("B");
  assertEquals(compactionEnds(test), [{
    result: undefined,
    aborted: false,
    willRetry: false,
    errorMessage: "The compaction failed: no key",
  }]);
  assertEquals(linesOf(test.host.messages).at(-1), "assistant: ok");
});

Deno.test("a conversation that has nothing to summarise is skipped", async () => {
  await using test = overfull({}, {
    compaction: { thresholdTokens: 1, keepRecentTokens: 1e6 },
    answers: ["a", "b"],
  });
  await test.host.prompt("A long enough prompt");
  await test.host.prompt("B");
  assertEquals(compactionEnds(test), [{
    result: undefined,
    aborted: false,
    willRetry: false,
    skipped: true,
  }]);
});

Deno.test("a model that finds the conversation too long is asked again after a compaction, once", async () => {
  const overflow = new ModelError("too long", "overflow");
  await using test = overfull({}, {
    answers: ["one", overflow, "S", "fits", overflow, "S", overflow],
    compaction: { keepRecentTokens: 1 },
  });
  await test.host.prompt("A");
  await test.host.prompt("B");
  assertEquals(only(test.events, "auto_compaction_start").map(({ reason }) => reason), [
    "overflow",
  ]);
  assertEquals(compactionEnds(test).map(({ willRetry }) => willRetry), [true]);
  assertEquals(linesOf(test.host.messages).at(-1), "assistant: fits");
  await test.host.prompt("C");
  assertEquals(linesOf(test.host.messages).at(-1), "assistant: (error: too long)");
  assertEquals(compactionEnds(test).length, 2);
});

Deno.test("abort ends an automatic compaction, also one whose hook does not heed the signal", async () => {
  await using test = overfull({
    session_before_compact: () => {
      test.host.abort();
      return new Promise(() => {});
    },
  }, { answers: [counted(5000, "Much."), "never"] });
  await test.host.prompt("A");
  await test.host.prompt("B");
  assertEquals(compactionEnds(test), [{ result: undefined, aborted: true, willRetry: false }]);
  assertEquals(test.host.session.getEntries().some(({ type }) => type === "compaction"), false);
  assertEquals(test.model.remaining, 1);
});

Deno.test("the strategy handoff is refused when the host is made", () => {
  assertThrows(
    () => new HookHost({ model: () => answered(), compaction: { strategy: "handoff" } }),
    TypeError,
    "is not offered",
  );
});

/** Calls the tool that keeps the list. */
function todos(id: string, args: Record<string, unknown>) {
  return answered(call(id, "todo_write", args));
}

const OPEN = { id: "t1", content: "Test", status: "pending" };
const DONE = { id: "t2", content: "Read", status: "completed" };

const LISTS: {
  name: string;
  args: Record<string, unknown>;
  settings?: TodoSettings;
  open: string[];
}[] = [
  { name: "todos", args: { todos: [OPEN, DONE] }, open: ["Test"] },
  {
    name: "phases",
    args: { phases: [{ tasks: [DONE] }, { tasks: [OPEN, { ...OPEN, content: "Ship" }] }] },
    open: ["Test", "Ship"],
  },
  { name: "no list", args: { todos: "none" }, open: [] },
  { name: "items that are none", args: { todos: [null, 7, { content: "x" }] }, open: [] },
  {
    name: "a reader of the host",
    args: { what: "Dance" },
    settings: {
      readTodos: (result) => [{
        id: "1",
        content: String((result.details as { what: string }).what),
        status: "in_progress",
      }],
    },
    open: ["Dance"],
  },
];

for (const { name, args, settings = {}, open } of LISTS) {
  Deno.test(`the agent is reminded of open tasks: ${name}`, async () => {
    await using test = makeHost({
      tools: [echoTool("todo_write")],
      todos: { maxReminders: 1, ...settings },
      answers: [todos("c1", args), "I stop.", "I stop again."],
    });
    await test.host.prompt("Go");
    const reminders: TodoReminderEvent[] = only(test.events, "todo_reminder");
    assertEquals(reminders.flatMap(({ todos }) => todos.map(({ content }) => content)), open);
    assertEquals(test.model.remaining, open.length > 0 ? 0 : 1);
  });
}

Deno.test("reminders are counted, end, and begin anew with the next prompt", async () => {
  await using test = makeHost({
    tools: [echoTool("todo_write")],
    todos: { maxReminders: 2 },
    answers: [todos("c1", { todos: [OPEN] }), "1", "2", "3", "4", "5", "6"],
  });
  await test.host.prompt("Go");
  await test.host.prompt("On");
  assertEquals(
    only(test.events, "todo_reminder").map(({ attempt, maxAttempts }) => [attempt, maxAttempts]),
    [[1, 2], [2, 2], [1, 2], [2, 2]],
  );
  const reminder = test.host.messages.find(({ role }) => role === "developer");
  assertStringIncludes(linesOf(reminder ? [reminder] : [])[0], "- Test (pending)");
  assertStringIncludes(linesOf(reminder ? [reminder] : [])[0], "(Reminder 1 of 2)");
  assertEquals(test.model.remaining, 0);
});

Deno.test("a list that failed to be written does not count, other tools neither", async () => {
  const failing = echoTool("todo_write");
  failing.execute = () => Promise.reject(new Error("disk full"));
  await using test = makeHost({
    tools: [failing, echoTool("other")],
    todos: {},
    answers: [
      answered(call("c1", "todo_write", { todos: [OPEN] }), call("c2", "other", { todos: [OPEN] })),
      "I stop.",
    ],
  });
  await test.host.prompt("Go");
  assertEquals(only(test.events, "todo_reminder"), []);
});

Deno.test("the list of a resumed session counts, and that of the place where the session goes on", async () => {
  const session = SessionManager.inMemory();
  const result = (status: string, isError: boolean) => ({
    ...gave("c1", "list", "todo_write"),
    details: { todos: [{ id: "t1", content: status, status }] },
    isError,
  });
  const first = session.appendMessage(answered(call("c1", "todo_write")));
  const open = session.appendMessage(result("pending", false));
  session.appendMessage(result("in_progress", true));
  await using test = makeHost({
    session,
    tools: [echoTool("todo_write")],
    todos: { maxReminders: 1 },
    answers: ["1", "2", "3", "4", "5"],
  });
  const reminded = async (prompt: string): Promise<string[]> => {
    const from = test.events.length;
    await test.host.prompt(prompt);
    return only(test.events.slice(from), "todo_reminder")
      .flatMap(({ todos }) => todos.map(({ content }) => content));
  };
  assertEquals(await reminded("A"), ["pending"]);
  await test.host.navigateTree(first);
  assertEquals(await reminded("B"), []);
  await test.host.navigateTree(open);
  assertEquals(await reminded("C"), ["pending"]);
});

Deno.test("nobody is reminded unless it is switched on", async () => {
  await using test = makeHost({
    tools: [echoTool("todo_write")],
    answers: [todos("c1", { todos: [OPEN] }), "I stop."],
  });
  await test.host.prompt("Go");
  assertEquals(only(test.events, "todo_reminder"), []);
});

/** A rule about a word. */
function rule(condition: string, rest: Partial<Rule> = {}): Rule {
  return {
    name: condition,
    path: `/${condition}.md`,
    content: `No ${condition}.`,
    ...rest,
    condition: [condition],
  };
}

Deno.test("a rule interrupts the stream: the rest is not read, and nothing of it is kept", async () => {
  const read: string[] = [];
  const script = [
    async function* () {
      for (const piece of ["Use ", "ev", "al", " now"]) {
        read.push(piece);
        yield piece;
        await Promise.resolve();
      }
    },
    async function* () {
      yield "Use eval, I insist.";
      await Promise.resolve();
    },
  ];
  await using test = makeHost({ rules: [rule("eval")], port: () => script.shift()!() });
  await test.host.prompt("Go");
  assertEquals(read, ["Use ", "ev", "al"]);
  assertEquals(
    only(test.events, "ttsr_triggered").map(({ rules }) => rules.map((one) => one.name)),
    [
      ["eval"],
    ],
  );
  const [, told, last] = test.host.messages;
  assert(told.role === "custom");
  assertEquals([told.customType, told.display, told.details], ["stream-rule", false, {
    rules: ["eval"],
  }]);
  assertStringIncludes(String(told.content), '<rule name="eval">\nNo eval.\n</rule>');
  assertEquals(linesOf([last]), ["assistant: Use eval, I insist."]);
});

Deno.test("a rule is used once a session", async () => {
  await using test = makeHost({
    rules: [rule("eval")],
    answers: ["eval", "eval", "eval again", "eval", "fine"],
  });
  await test.host.prompt("A");
  await test.host.prompt("B");
  assertEquals(only(test.events, "ttsr_triggered").length, 1);
  await test.host.newSession();
  await test.host.prompt("C");
  assertEquals(only(test.events, "ttsr_triggered").length, 2);
});

Deno.test("a rule that never interrupts is told after the answer, one for tools is not watched", async () => {
  await using test = makeHost({
    rules: [
      rule("quiet", { interruptMode: "never" }),
      rule("tools", { interruptMode: "tool-only" }),
      { name: "no condition", path: "/x.md", content: "x" },
    ],
    answers: ["quiet about tools", "ok"],
  });
  await test.host.prompt("Go");
  assertEquals(test.host.messages.map(({ role }) => role), ["user", "assistant", "custom"]);
  assertEquals(only(test.events, "ttsr_triggered"), []);
  await test.host.prompt("On");
  assertStringIncludes(linesOf(test.model.requests[1].messages).join(), "No quiet.");
});

Deno.test("a rule whose condition is no regular expression is named when the host is made", () => {
  assertThrows(
    () => new HookHost({ model: () => answered(), rules: [rule("(")] }),
    TypeError,
    'The rule "(" (/(.md) has a condition that is no regular expression',
  );
});

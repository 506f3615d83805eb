import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import type { HookEventName } from "../src/events/map.ts";
import { EVENT_POLICIES, type FoldKind, HOOK_EVENT_NAMES } from "../src/events/policy.ts";
import type { LoadedHook } from "../src/hook.ts";
import type { AgentMessage } from "../src/messages.ts";
import { hook, makeRunner, type TestRunner } from "./helpers.ts";
import { pick, seededRandom } from "./random.ts";
import { emitSample, SAMPLES, userMessage } from "./sample_events.ts";

/** The fold table as it was decided; the source has to say the same. */
const DECIDED: Record<FoldKind, HookEventName[]> = {
  last: [
    "tool_call",
    "session_before_switch",
    "session_before_branch",
    "session_before_compact",
    "session_before_tree",
    "session.compacting",
  ],
  merge: ["tool_result"],
  chain: ["context"],
  first: ["before_agent_start"],
  ignore: [
    "session_start",
    "session_switch",
    "session_branch",
    "session_compact",
    "session_tree",
    "session_shutdown",
    "agent_start",
    "agent_end",
    "turn_start",
    "turn_end",
    "auto_compaction_start",
    "auto_compaction_end",
    "auto_retry_start",
    "auto_retry_end",
    "ttsr_triggered",
    "todo_reminder",
  ],
};

const GATES: HookEventName[] = ["tool_call"];
const STOPPING: Partial<Record<HookEventName, string>> = {
  tool_call: "block",
  session_before_switch: "cancel",
  session_before_branch: "cancel",
  session_before_compact: "cancel",
  session_before_tree: "cancel",
};

Deno.test("there are 25 events, and the fold table has a row for each", () => {
  assertEquals(HOOK_EVENT_NAMES.length, 25);
  assertEquals([...HOOK_EVENT_NAMES].sort(), Object.values(DECIDED).flat().sort());
  for (const [fold, names] of Object.entries(DECIDED)) {
    for (const name of names) {
      const policy: { fold: string; onThrow: string; stopOn?: string } = EVENT_POLICIES[name];
      assertEquals([name, policy.fold], [name, fold]);
      assertEquals([name, policy.onThrow], [name, GATES.includes(name) ? "block" : "report"]);
      assertEquals([name, policy.stopOn], [name, STOPPING[name]]);
    }
  }
});

/** Valid answers by event, none of which stops. The number tells them apart. */
const ANSWERS: Partial<Record<HookEventName, (n: number) => object>> = {
  tool_call: (n) => ({ block: false, reason: `r${n}` }),
  session_before_switch: () => ({ cancel: false }),
  session_before_branch: (n) => ({ skipConversationRestore: n % 2 === 0 }),
  session_before_compact: (n) => ({
    compaction: { summary: `s${n}`, firstKeptEntryId: "e1", tokensBefore: n },
  }),
  session_before_tree: (n) => ({ summary: { summary: `s${n}`, details: { n } } }),
  "session.compacting": (n) => ({ prompt: `p${n}`, context: [`c${n}`], preserveData: { n } }),
  before_agent_start: (n) => ({ message: { customType: "t", content: `c${n}`, display: true } }),
  tool_result: (n) => ({ content: [{ type: "text", text: `t${n}` }], details: { n } }),
};

function answer(event: HookEventName, n: number): object {
  const make = ANSWERS[event];
  assert(make !== undefined, event);
  return make(n);
}

/** A runner whose hooks do what they are told, one handler each, and write down that they ran. */
function runnerOf(
  event: HookEventName,
  doings: (() => unknown)[],
): TestRunner & { ran: number[] } {
  const ran: number[] = [];
  const hooks = doings.map((doing, n): LoadedHook =>
    hook(`/h${n}.ts`, {
      [event]: () => {
        ran.push(n);
        return doing();
      },
    })
  );
  return { ...makeRunner(hooks, { observed: true }), ran };
}

function fails(): never {
  throw new Error("broken");
}

const LAST = DECIDED.last.filter((event) => event !== "session_before_switch");

for (const event of LAST) {
  Deno.test(`${event}: the last answer wins`, async () => {
    const { runner, ran } = runnerOf(event, [
      () => answer(event, 1),
      () => Promise.resolve(answer(event, 2)),
      () => answer(event, 3),
    ]);
    assertEquals(await emitSample(runner, event), answer(event, 3));
    assertEquals(ran, [0, 1, 2]);
  });

  Deno.test(`${event}: what is no answer never replaces an earlier one`, async () => {
    const nothings = [undefined, null, {}, ...GATES.includes(event) ? [] : [true, "deny", []]];
    for (const nothing of nothings) {
      const { runner, ran } = runnerOf(event, [() => answer(event, 1), () => nothing]);
      assertEquals(await emitSample(runner, event), answer(event, 1));
      assertEquals(ran, [0, 1]);
    }
  });
}

for (const [event, field] of Object.entries(STOPPING) as [HookEventName, string][]) {
  Deno.test(`${event}: the first ${field}: true ends the dispatch and is the answer`, async () => {
    const stop = { ...event === "tool_call" && { reason: "no" }, [field]: true };
    for (const given of [stop, Promise.resolve(stop)]) {
      const { runner, ran, records } = runnerOf(event, [
        () => answer(event, 1),
        () => given,
        () => ({ [field]: true, ...event === "tool_call" && { reason: "later" } }),
        () => answer(event, 2),
      ]);
      assertEquals(await emitSample(runner, event), stop);
      assertEquals(ran, [0, 1]);
      assertEquals(records.map(({ outcome }) => outcome), [
        "answered",
        field === "block" ? "blocked" : "cancelled",
        "not-run",
        "not-run",
      ]);
    }
  });
}

Deno.test("session_before_compact: cancel beside a compaction ends the dispatch", async () => {
  const both = { ...answer("session_before_compact", 1), cancel: true };
  const { runner, ran } = runnerOf("session_before_compact", [() => both, fails]);
  assertEquals(await emitSample(runner, "session_before_compact"), both);
  assertEquals(ran, [0]);
});

for (const event of HOOK_EVENT_NAMES.filter((name) => !GATES.includes(name))) {
  Deno.test(`${event}: a handler that throws is reported and the next one runs`, async () => {
    const { runner, ran, errors } = runnerOf(event, [
      fails,
      () => Promise.reject(new Error("broken later")),
      () => {},
    ]);
    assertEquals(await emitSample(runner, event), undefined);
    assertEquals(ran, [0, 1, 2]);
    // Side by side, a later handler may fail first.
    assertEquals(errors.map(({ hookPath, error }) => `${hookPath} ${error}`).sort(), [
      "/h0.ts broken",
      "/h1.ts broken later",
    ]);
    assertEquals(errors.map((error) => error.event), [event, event]);
  });
}

for (const event of DECIDED.last.concat("tool_result", "before_agent_start")) {
  if (GATES.includes(event) || event === "session_before_switch") continue;
  Deno.test(`${event}: an earlier answer is kept when a later handler throws`, async () => {
    const { runner, ran } = runnerOf(event, [() => answer(event, 1), fails, () => {}]);
    assertEquals(await emitSample(runner, event), answer(event, 1));
    assertEquals(ran, [0, 1, 2]);
  });
}

Deno.test("tool_call: a handler that throws ends the dispatch, the error propagates, nobody else is asked or told", async () => {
  const error = new Error("guard broken");
  for (
    const doing of [() => Promise.reject(error), () => {
      throw error;
    }]
  ) {
    const { runner, ran, errors, records } = runnerOf("tool_call", [() => ({}), doing, () => {}]);
    const caught = await emitSample(runner, "tool_call").catch((thrown) => thrown);
    assertStrictEquals(caught, error);
    assertEquals([ran, errors], [[0, 1], []]);
    assertEquals(records.map(({ outcome }) => outcome), ["passed", "threw", "not-run"]);
  }
});

const text = (words: string) => [{ type: "text", text: words }];

Deno.test("tool_result: for each field the last override wins, without a short cut", async () => {
  const { runner, ran } = runnerOf("tool_result", [
    () => ({ content: text("one"), isError: true }),
    () => ({ details: { two: 2 } }),
    () => ({ content: text("three"), isWarning: true }),
    () => Promise.resolve({ isError: false }),
    () => {},
  ]);
  assertEquals(await emitSample(runner, "tool_result"), {
    content: text("three"),
    details: { two: 2 },
    isError: false,
    isWarning: true,
  });
  assertEquals(ran, [0, 1, 2, 3, 4]);
});

Deno.test("tool_result: a later hook that sets another field does not bring back what was redacted", async () => {
  const { runner } = runnerOf("tool_result", [
    () => ({ content: text("[REDACTED]") }),
    () => ({ details: { lines: 1 } }),
  ]);
  const result = await emitSample(runner, "tool_result");
  assertEquals(result, { content: text("[REDACTED]"), details: { lines: 1 } });
});

Deno.test("before_agent_start: the first valid message is kept, and all handlers run", async () => {
  const { runner, ran, errors } = runnerOf("before_agent_start", [
    () => ({ message: "no message" }),
    () => ({ message: null }),
    () => Promise.resolve(answer("before_agent_start", 1)),
    () => answer("before_agent_start", 2),
    fails,
    () => {},
  ]);
  const result = await emitSample(runner, "before_agent_start");
  assertEquals(result, answer("before_agent_start", 1));
  assertEquals([ran, errors.length], [[0, 1, 2, 3, 4, 5], 2]);
});

Deno.test("context: each handler gets the list that the one before returned", async () => {
  const seen: string[] = [];
  const listing = (messages: AgentMessage[]): void => void seen.push(messages.map(textIn).join());
  const { runner } = makeRunner([
    hook("/a.ts", {
      context: [
        ({ messages }) => {
          listing(messages);
          return { messages: [...messages, userMessage("a")] };
        },
        ({ messages }) => listing(messages),
        async ({ messages }) => {
          listing(messages);
          return await { messages: messages.slice(1) };
        },
      ],
    }),
    hook("/b.ts", { context: ({ messages }) => listing(messages) }),
  ]);
  const result = await runner.emitContext([userMessage("1"), userMessage("2")]);
  assertEquals(seen, ["1,2", "1,2,a", "1,2,a", "2,a"]);
  assertEquals(result.map(textIn), ["2", "a"]);
});

Deno.test("context: after a throw the list before that handler goes on", async () => {
  const seen: string[] = [];
  const { runner, errors } = makeRunner([
    hook("/a.ts", { context: ({ messages }) => ({ messages: [...messages, userMessage("a")] }) }),
    hook("/b.ts", {
      context: ({ messages }) => {
        messages.length = 0;
        throw new Error("after an edit");
      },
    }),
    hook("/c.ts", { context: ({ messages }) => void seen.push(messages.map(textIn).join()) }),
  ]);
  const result = await runner.emitContext([userMessage("1")]);
  assertEquals([seen, result.map(textIn), errors.length], [["1,a"], ["1", "a"], 1]);
});

function textIn(message: AgentMessage): string {
  if (!("content" in message) || !Array.isArray(message.content)) return "";
  return message.content.map((block) => block.type === "text" ? block.text : "").join();
}

/** What a random handler does: nothing, nonsense, an answer, a stop, or a failure. */
interface Doing {
  kind: "nothing" | "answer" | "stop" | "throw";
  value?: Record<string, unknown>;
  isAsync: boolean;
}

function randomDoing(random: () => number, event: HookEventName, n: number): Doing {
  const isAsync = random() < 0.5;
  const kind = pick(random, ["nothing", "nothing", "answer", "answer", "answer", "throw", "stop"]);
  const stopOn = STOPPING[event];
  if (kind === "throw" && random() < 0.5) return { kind: "nothing", isAsync };
  if (kind === "stop" && stopOn !== undefined) {
    return { kind: "stop", value: { [stopOn]: true }, isAsync };
  }
  if (kind === "nothing" || kind === "stop") {
    return { kind: "nothing", value: pick(random, [undefined, {}]), isAsync };
  }
  if (kind === "throw") return { kind: "throw", isAsync };
  const full = Object.entries(answer(event, n));
  const some = full.filter(() => random() < 0.7);
  return { kind: "answer", value: Object.fromEntries(some.length > 0 ? some : full), isAsync };
}

/** The rules of the table in their plainest words. */
function model(event: HookEventName, fold: FoldKind, doings: Doing[]) {
  let result: Record<string, unknown> | undefined;
  let errors = 0;
  let ran = 0;
  for (const { kind, value } of doings) {
    ran++;
    if (kind === "throw") {
      if (GATES.includes(event)) return { result: "rejected", errors, ran };
      errors++;
    }
    if (kind === "stop") return { result: value, errors, ran };
    if (kind !== "answer" || value === undefined) continue;
    if (fold === "last") result = value;
    if (fold === "merge") result = { ...result, ...value };
    if (fold === "first") result ??= value;
  }
  return { result, errors, ran };
}

for (const fold of ["last", "merge", "first"] as const) {
  for (const event of DECIDED[fold]) {
    Deno.test(`${event}: random answers fold as a plain model says`, async () => {
      const random = seededRandom(event.length * 7919);
      for (let round = 0; round < 300; round++) {
        const doings = Array.from(
          { length: Math.floor(random() * 7) },
          (_, n) => randomDoing(random, event, n),
        );
        const { runner, ran, errors } = runnerOf(
          event,
          doings.map(({ kind, value, isAsync }) => () => {
            if (kind === "throw") return isAsync ? Promise.reject(new Error("x")) : fails();
            return isAsync ? Promise.resolve(value) : value;
          }),
        );
        const result = await emitSample(runner, event).catch(() => "rejected");
        const expected = model(event, fold, doings);
        assertEquals({ result, errors: errors.length, ran: ran.length }, expected, `${round}`);
      }
    });
  }
}

Deno.test("context: random drops, edits and additions chain as a plain model says", async () => {
  const random = seededRandom(99);
  for (let round = 0; round < 300; round++) {
    const before = Array.from({ length: random() * 6 }, (_, i) => userMessage(`m${i}`));
    const original = structuredClone(before);
    let expected = before.map(textIn);
    const steps = Array.from({ length: random() * 5 }, (_, n) => {
      const kind = pick(random, ["drop", "edit", "add", "reverse", "twice", "silent", "throw"]);
      const at = Math.floor(random() * 6);
      return { n, kind, at };
    });
    const seen: string[][] = [];
    const wanted: string[][] = [];
    for (const { n, kind, at } of steps) {
      wanted.push(expected);
      if (kind === "drop") expected = expected.filter((_, i) => i !== at);
      if (kind === "edit") expected = expected.map((one, i) => i === at ? `${one}+${n}` : one);
      if (kind === "add") expected = [...expected, `new${n}`];
      if (kind === "reverse") expected = expected.toReversed();
      if (kind === "twice") expected = [...expected, ...expected];
    }
    const { runner } = makeRunner(steps.map(({ n, kind, at }) =>
      hook(`/h${n}.ts`, {
        context: ({ messages }) => {
          seen.push(messages.map(textIn));
          const target = messages[at];
          if (kind === "drop") return { messages: messages.filter((_, i) => i !== at) };
          if (kind === "edit" || kind === "silent" || kind === "throw") {
            if (target !== undefined) Object.assign(target, userMessage(`${textIn(target)}+${n}`));
          }
          if (kind === "throw") throw new Error("x");
          if (kind === "silent") return;
          if (kind === "add") messages.push(userMessage(`new${n}`));
          if (kind === "reverse") messages.reverse();
          if (kind === "twice") return { messages: messages.concat(messages) };
          return { messages };
        },
      })
    ));
    const result = await runner.emitContext(before);
    assertEquals(seen, wanted);
    assertEquals(result.map(textIn), expected);
    assertEquals(before, original);
  }
});

Deno.test("superseded answers are marked in the records, and named once a pair of hooks", async () => {
  const { runner, warnings, records } = runnerOf("session.compacting", [
    () => answer("session.compacting", 1),
    () => {},
    () => answer("session.compacting", 2),
  ]);
  for (let i = 0; i < 3; i++) await emitSample(runner, "session.compacting");
  assertEquals(records.slice(0, 3).map(({ outcome, superseded }) => [outcome, superseded]), [
    ["answered", true],
    ["passed", undefined],
    ["answered", undefined],
  ]);
  assertEquals(warnings, [{
    hookPath: "/h0.ts",
    event: "session.compacting",
    warning: 'its answer was replaced by the one of "/h2.ts"; the last answer wins',
  }]);
});

Deno.test("tool_result: an override that gave way names its field and the hook that won", async () => {
  const { runner, warnings, records } = runnerOf("tool_result", [
    () => ({ content: text("one"), details: 1 }),
    () => ({ isError: true }),
    () => ({ content: text("two") }),
  ]);
  await emitSample(runner, "tool_result");
  assertEquals(records.map(({ superseded }) => superseded), [true, undefined, undefined]);
  assertEquals(warnings.map(({ hookPath, warning }) => `${hookPath} ${warning}`), [
    '/h0.ts its content was replaced by the one of "/h2.ts"; the last override wins',
  ]);
});

Deno.test("before_agent_start: a message that came too late is marked and named", async () => {
  const { runner, warnings, records } = runnerOf("before_agent_start", [
    () => answer("before_agent_start", 1),
    () => answer("before_agent_start", 2),
  ]);
  await emitSample(runner, "before_agent_start");
  assertEquals(records.map(({ superseded }) => superseded), [undefined, true]);
  assertEquals(warnings.map(({ hookPath }) => hookPath), ["/h1.ts"]);
});

Deno.test("an answer that only says no gives way without a word, and is marked all the same", async () => {
  const { runner, warnings, records } = runnerOf("tool_call", [
    () => ({ block: false }),
    () => ({ block: true }),
  ]);
  await emitSample(runner, "tool_call");
  assertEquals([warnings, records.map(({ superseded }) => superseded)], [[], [true, undefined]]);
});

Deno.test("a sample of every event passes through a runner with a handler for all of them", async () => {
  const heard: string[] = [];
  const all = Object.fromEntries(
    HOOK_EVENT_NAMES.map((
      name,
    ) => [name, (event: { type: string }) => void heard.push(event.type)]),
  );
  const { runner, errors } = makeRunner([hook("/all.ts", all)]);
  for (const name of HOOK_EVENT_NAMES) {
    assertEquals(SAMPLES[name]().type, name);
    assertEquals(await emitSample(runner, name), undefined);
  }
  assertEquals([heard, errors], [[...HOOK_EVENT_NAMES], []]);
});

import { assert, assertEquals, assertMatch, assertStrictEquals } from "@std/assert";
import { readAnswer } from "../src/answers.ts";
import { describeValue } from "../src/errors.ts";
import type { HookEventName } from "../src/events/map.ts";
import { EVENT_POLICIES, HOOK_EVENT_NAMES } from "../src/events/policy.ts";
import type { ToolCallEvent } from "../src/events/tool.ts";
import { HookToolWrapper } from "../src/tool_wrapper.ts";
import { echoTool, hook, makeRunner } from "./helpers.ts";
import { emitSample, SAMPLES } from "./sample_events.ts";

const CALL: ToolCallEvent = {
  type: "tool_call",
  toolName: "bash",
  toolCallId: "c1",
  input: { command: "rm -rf x" },
};
const RESULT = SAMPLES.tool_result();

class Verdict {
  readonly #deny = true;
  get denied(): boolean {
    return this.#deny;
  }
}

/** Answers of a gate that are not understood: each must block, and the reason must name them. */
const MISUNDERSTOOD: [unknown, string][] = [
  [true, "true"],
  [false, "false"],
  [0, "0"],
  [1, "1"],
  ["", '""'],
  ["deny", '"deny"'],
  ["block", '"block"'],
  [[], "[]"],
  [[{ block: true }], '[{"block":true}]'],
  [{ block: "yes" }, "block must be true or false"],
  [{ block: "false" }, "block must be true or false"],
  [{ block: "true" }, "block must be true or false"],
  [{ block: 1 }, "block must be true or false"],
  [{ block: 0 }, "block must be true or false"],
  [{ block: null }, "block must be true or false"],
  [{ block: true, reason: 7 }, "reason must be a text"],
  [{ block: false, reason: ["x"] }, "reason must be a text"],
  [{ blocked: true }, '{"blocked":true}'],
  [{ decision: "deny" }, '{"decision":"deny"}'],
  [{ decision: "block", reason: "x" }, '{"decision":"block"'],
  [{ hookSpecificOutput: { permissionDecision: "deny" } }, "hookSpecificOutput"],
  [{ cancel: true }, '{"cancel":true}'],
  [{ approve: false }, '{"approve":false}'],
  [{ input: { command: "ls" } }, '{"input":{"command":"ls"}}'],
  [{ hookSpecificOutput: { updatedInput: { command: "ls" } } }, "updatedInput"],
  [new Error("denied"), "Error: denied"],
  [new Map([["block", true]]), "Map"],
  [new Date(0), "Date"],
  [new Verdict(), "Verdict"],
  [new String("deny"), "String"],
  [Object.defineProperty({}, "blocked", { value: true, enumerable: false }), "{}"],
  [{ [Symbol("block")]: true }, "{}"],
  [() => ({ block: true }), "function (anonymous)"],
  [Symbol("deny"), "Symbol(deny)"],
  [1n, "1n"],
];

for (const [answer, words] of MISUNDERSTOOD) {
  Deno.test(`a gate that answers ${Deno.inspect(answer, { compact: true })} blocks, and the reason names the hook and the answer`, async () => {
    for (const given of [answer, Promise.resolve(answer)]) {
      const { runner } = makeRunner([hook("/gate.ts", { tool_call: () => given })]);
      const decision = await runner.decideToolCall(CALL);
      assert(decision.blocked);
      assertEquals([decision.hookPath, decision.kind], ["/gate.ts", "fault"]);
      assertMatch(decision.reason, /^Hook "\/gate\.ts" returned /);
      assert(decision.reason.includes(words), decision.reason);
      assertEquals(await runner.emitToolCall(CALL), { block: true, reason: decision.reason });
    }
  });
}

Deno.test("a gate that is not understood keeps the tool from running and later hooks from being asked", async () => {
  const asked: string[] = [];
  const tool = echoTool("bash");
  const { runner } = makeRunner([
    hook("/a.ts", { tool_call: () => ({ decision: "block", reason: "x" }) }),
    hook("/b.ts", { tool_call: () => void asked.push("b") }),
  ]);
  const error = await new HookToolWrapper(tool, runner).execute("c1", CALL.input).catch((e) => e);
  assertEquals([error.name, error.kind, error.hookPath], ["HookBlockedError", "fault", "/a.ts"]);
  assertEquals([tool.runs, asked], [[], []]);
});

const ALLOWING: unknown[] = [
  undefined,
  null,
  {},
  { block: false },
  { block: undefined },
  { block: false, reason: "looked fine" },
  Object.create(null),
];

for (const answer of ALLOWING) {
  Deno.test(`a gate that answers ${Deno.inspect(answer, { compact: true })} allows without a word`, async () => {
    for (const given of [answer, Promise.resolve(answer)]) {
      const { runner, errors, warnings } = makeRunner([hook("/g.ts", { tool_call: () => given })]);
      assertEquals((await runner.decideToolCall(CALL)).blocked, false);
      assertEquals([errors, warnings], [[], []]);
    }
  });
}

Deno.test("a gate that gives a reason and no decision allows, and is warned about", async () => {
  const { runner, warnings } = makeRunner([
    hook("/g.ts", { tool_call: () => ({ reason: "bad" }) }),
  ]);
  assertEquals(await runner.decideToolCall(CALL), { blocked: false, result: { reason: "bad" } });
  assertEquals(warnings.map(({ warning }) => warning), [
    "gave a reason without block: true, which allows",
  ]);
});

Deno.test("unknown fields beside a valid block are a warning, and the decision counts", async () => {
  for (const block of [true, false]) {
    const answer = { input: { command: "ls" }, block };
    const { runner, warnings } = makeRunner([hook("/g.ts", { tool_call: () => answer })]);
    for (let i = 0; i < 3; i++) assertEquals((await runner.decideToolCall(CALL)).blocked, block);
    assertEquals(warnings.map(({ hookPath, event, warning }) => [hookPath, event, warning]), [[
      "/g.ts",
      "tool_call",
      `returned {"input":{"command":"ls"},"block":${block}}; ` +
      "tool_call understands { block, reason }, the rest is ignored",
    ]]);
  }
});

Deno.test("an instance of a class that sets the known fields is understood", async () => {
  class Deny {
    get block(): boolean {
      return true;
    }
    reason = "by class";
  }
  const { runner, warnings } = makeRunner([hook("/g.ts", { tool_call: () => new Deny() })]);
  assertEquals(await runner.emitToolCall(CALL), { block: true, reason: "by class" });
  assertEquals(warnings, []);
});

const TRAP = new Proxy({}, {
  get(): never {
    throw new Error("trap");
  },
});

Deno.test("a gate whose answer throws when it is read blocks like a throw", async () => {
  const answers = [
    TRAP,
    {
      get block(): never {
        throw new Error("trap");
      },
    },
    {
      get then(): never {
        throw new Error("trap");
      },
    },
    new Proxy({}, {
      ownKeys(): never {
        throw new Error("trap");
      },
    }),
  ];
  for (const answer of answers) {
    const { runner } = makeRunner([hook("/g.ts", { tool_call: () => answer })]);
    const decision = await runner.decideToolCall(CALL);
    assert(decision.blocked);
    assertEquals(decision.kind, "fault");
    assertMatch(decision.reason, /trap/);
  }
});

/** Answers later without being a promise. */
function thenable(value: unknown): PromiseLike<unknown> {
  return { then: (resolve: (value: unknown) => unknown) => resolve(value) } as PromiseLike<unknown>;
}

Deno.test("a thenable is awaited, also under a time limit and with a signal", async () => {
  const gate = hook("/g.ts", { tool_call: () => thenable({ block: true, reason: "later" }) });
  for (const handlerTimeoutMs of [0, 1000]) {
    for (const signal of [undefined, new AbortController().signal]) {
      const { runner } = makeRunner([gate], { options: { handlerTimeoutMs } });
      assertEquals(await runner.emitToolCall(CALL, { signal }), { block: true, reason: "later" });
    }
  }
});

Deno.test("every field of an answer is read once, so that it cannot show two faces", async () => {
  let reads = 0;
  const answer = {
    get block(): unknown {
      return reads++ === 0;
    },
  };
  const { runner } = makeRunner([hook("/g.ts", { tool_call: () => answer })]);
  assertEquals((await runner.decideToolCall(CALL)).blocked, true);
  assertEquals(reads, 1);
});

Deno.test("a block that is checked as text and read as number later reaches nobody", async () => {
  let reads = 0;
  const block = {
    type: "text",
    get text(): unknown {
      return reads++ === 0 ? "fine" : 7;
    },
  };
  const { runner } = makeRunner([hook("/r.ts", { tool_result: () => ({ content: [block] }) })]);
  assertEquals(await runner.emit(RESULT), { content: [{ type: "text", text: "fine" }] });
});

const CYCLE: Record<string, unknown> = {};
CYCLE.self = CYCLE;
const LOOPING_BLOCK: Record<string, unknown> = { type: "text", text: "x" };
LOOPING_BLOCK.meta = LOOPING_BLOCK;

/** Answers to `tool_result` that must be dropped, and words of the error. */
const BAD_RESULTS: [unknown, string][] = [
  [{ content: "text" }, "content must be a list of text and image blocks"],
  [{ content: {} }, "content must be a list"],
  [{ content: [null] }, "content block 0 must be a text or image block, not null"],
  [{ content: ["text"] }, "content block 0 must be"],
  [{ content: [{ type: "text" }] }, "content block 0 is a text block without a text"],
  [{ content: [{ type: "text", text: 1 }] }, "content block 0 is a text block without a text"],
  [{ content: [{ type: "text", text: "a" }, { type: "thinking" }] }, "content block 1 must be"],
  [{ content: [{ type: "image", data: 123 }] }, "without data and mimeType"],
  [{ content: [{ type: "image", data: "aGk=" }] }, "without data and mimeType"],
  [{ content: [{ type: "text", text: "x", meta: 10n }] }, "JSON can hold, but holds 10n"],
  [{ content: [LOOPING_BLOCK] }, "contains itself"],
  [{ content: new Array(3) }, "content block 0 must be"],
  [{ details: () => 1 }, "details must be something that JSON can hold"],
  [{ details: { run: () => 1 } }, "details must be something that JSON can hold"],
  [{ details: CYCLE }, "details must be something that JSON can hold, but contains itself"],
  [{ details: 10n }, "but holds 10n"],
  [{ details: { deep: [Symbol("s")] } }, "but holds Symbol(s)"],
  [{ details: Promise.resolve(1) }, "details holds something that cannot be copied"],
  [{ isError: "no" }, "isError must be true or false"],
  [{ isWarning: 1 }, "isWarning must be true or false"],
];

for (const [answer, words] of BAD_RESULTS) {
  Deno.test(`a tool_result answer ${Deno.inspect(answer, { compact: true })} is dropped with an error that names hook and field`, async () => {
    const { runner, errors } = makeRunner([
      hook("/good.ts", { tool_result: () => ({ content: [{ type: "text", text: "kept" }] }) }),
      hook("/bad.ts", { tool_result: () => answer }),
    ]);
    const result = await runner.emit(RESULT);
    assertEquals(result, { content: [{ type: "text", text: "kept" }] });
    JSON.stringify(result);
    assertEquals(errors.map(({ hookPath, event }) => [hookPath, event]), [[
      "/bad.ts",
      "tool_result",
    ]]);
    assert(errors[0].error.includes(words), errors[0].error);
  });
}

Deno.test("a bad field drops the whole answer: half an override would not be what the hook meant", async () => {
  const answer = { content: [{ type: "text", text: "ok" }], details: 1n };
  const { runner, errors } = makeRunner([hook("/r.ts", { tool_result: () => answer })]);
  assertEquals([await runner.emit(RESULT), errors.length], [undefined, 1]);
});

Deno.test("an empty content is a legal override, null is none", async () => {
  const { runner, errors } = makeRunner([
    hook("/a.ts", { tool_result: () => ({ content: [] }) }),
    hook("/b.ts", { tool_result: () => ({ content: null, isError: null }) }),
  ]);
  assertEquals(await runner.emit(RESULT), { content: [] });
  assertEquals(errors, []);
});

Deno.test("details: null is an override", async () => {
  const { runner } = makeRunner([hook("/a.ts", { tool_result: () => ({ details: null }) })]);
  assertEquals(await runner.emit(RESULT), { details: null });
});

Deno.test("details that JSON cannot hold may be given back as they were shown", async () => {
  const details = { big: 1n, run: () => 1 };
  const { runner, errors } = makeRunner([
    hook("/a.ts", {
      tool_result: ({ details }) => ({ details, content: [{ type: "text", text: "new" }] }),
    }),
  ]);
  const answer = await runner.emit({ ...RESULT, details });
  assertEquals([answer, errors], [{ content: [{ type: "text", text: "new" }] }, []]);
});

/** Answers that must be dropped, by event, and words of the error. */
const BAD_ANSWERS: [HookEventName, unknown, string][] = [
  ["context", { messages: {} }, "messages must be a list of messages"],
  ["context", { messages: "x" }, "messages must be a list of messages"],
  ["context", { messages: [null] }, "message 0 must be an object with a role"],
  ["context", { messages: [{ content: "x" }] }, "message 0 must be an object with a role"],
  ["context", { messages: [{ role: "user" }, "x"] }, "message 1 must be an object with a role"],
  ["before_agent_start", { message: "hello" }, "message must be an object with customType"],
  ["before_agent_start", { message: { content: "x" } }, "needs a customType"],
  ["before_agent_start", { message: { customType: "", content: "x" } }, "needs a customType"],
  ["before_agent_start", { message: { customType: "x", content: 7 } }, "has a content that"],
  ["before_agent_start", { message: { customType: "x", content: [7] } }, "block 0 must be"],
  [
    "before_agent_start",
    { message: { customType: "x", content: "x", display: 1 } },
    "has a display that must be true or false",
  ],
  [
    "before_agent_start",
    { message: { customType: "x", content: "x", details: 1n } },
    "has details that must be something that JSON can hold",
  ],
  ["session_before_switch", { cancel: "yes" }, "cancel must be true or false"],
  ["session_before_branch", { skipConversationRestore: 1 }, "must be true or false"],
  ["session_before_compact", { compaction: "short" }, "compaction must be an object"],
  ["session_before_compact", { compaction: {} }, "needs a summary, not undefined"],
  [
    "session_before_compact",
    { compaction: { summary: 7, firstKeptEntryId: "e1", tokensBefore: 1 } },
    "needs a summary, not 7",
  ],
  [
    "session_before_compact",
    { compaction: { summary: "s", tokensBefore: 1 } },
    "needs a firstKeptEntryId, not undefined",
  ],
  [
    "session_before_compact",
    { compaction: { summary: "s", firstKeptEntryId: "e1", tokensBefore: NaN } },
    "needs a finite tokensBefore of zero or more, not NaN",
  ],
  [
    "session_before_compact",
    { compaction: { summary: "s", firstKeptEntryId: "e1", tokensBefore: "9" } },
    'not "9"',
  ],
  [
    "session_before_compact",
    { compaction: { summary: "s", firstKeptEntryId: "e", tokensBefore: 1, preserveData: [] } },
    "has a preserveData that must be an object",
  ],
  ["session_before_tree", { summary: "left" }, "summary must be an object with a summary"],
  ["session_before_tree", { summary: { summary: 1 } }, "must be an object with a summary"],
  ["session.compacting", { context: "line" }, "context must be a list of texts"],
  ["session.compacting", { context: ["a", 1] }, "context must be a list of texts"],
  ["session.compacting", { prompt: ["p"] }, "prompt must be a text"],
  ["session.compacting", { preserveData: [1] }, "preserveData must be an object"],
  ["session.compacting", { preserveData: { a: 1n } }, "preserveData must be something that JSON"],
];

for (const [event, answer, words] of BAD_ANSWERS) {
  Deno.test(`a ${event} answer ${Deno.inspect(answer, { compact: true })} is a HookError and is dropped`, async () => {
    const { runner, errors } = makeRunner([hook("/bad.ts", { [event]: () => answer })]);
    assertEquals(await emitSample(runner, event), undefined);
    assertEquals(errors.map((error) => [error.hookPath, error.event]), [["/bad.ts", event]]);
    assert(errors[0].error.includes(words), errors[0].error);
    assert(errors[0].error.startsWith("returned an answer whose "), errors[0].error);
  });
}

const ANSWERED = HOOK_EVENT_NAMES.filter((name) => EVENT_POLICIES[name].fold !== "ignore");
const ANSWERED_WITHOUT_GATE = ANSWERED.filter((name) => name !== "tool_call");

for (const event of ANSWERED_WITHOUT_GATE) {
  Deno.test(`for ${event} what is no answer is never taken for one, and is named once`, async () => {
    for (const answer of [true, "deny", 7, [], [{ cancel: true }], new Map(), /x/]) {
      const { runner, errors, warnings } = makeRunner([hook("/a.ts", { [event]: () => answer })]);
      for (let i = 0; i < 3; i++) assertEquals(await emitSample(runner, event), undefined);
      assertEquals(errors, []);
      assertEquals(warnings.map((one) => [one.hookPath, one.event]), [["/a.ts", event]]);
      assert(warnings[0].warning.startsWith(`returned ${describeValue(answer)}; ${event} `));
    }
  });

  Deno.test(`for ${event} undefined, null and {} are no answer, and nobody is told`, async () => {
    for (const answer of [undefined, null, {}, Object.create(null)]) {
      const { runner, errors, warnings } = makeRunner([hook("/a.ts", { [event]: () => answer })]);
      assertEquals(await emitSample(runner, event), undefined);
      assertEquals([errors, warnings], [[], []]);
    }
  });

  Deno.test(`for ${event} an answer whose getter throws is a HookError, and the next handler runs`, async () => {
    let ran = 0;
    const { runner, errors } = makeRunner([
      hook("/bad.ts", { [event]: () => TRAP }),
      hook("/next.ts", { [event]: () => void ran++ }),
    ]);
    assertEquals(await emitSample(runner, event), undefined);
    assertEquals([ran, errors.map(({ hookPath, error }) => [hookPath, error])], [1, [
      ["/bad.ts", "trap"],
    ]]);
  });
}

for (const event of HOOK_EVENT_NAMES.filter((name) => EVENT_POLICIES[name].fold === "ignore")) {
  Deno.test(`answers to ${event} are ignored, whatever they are`, async () => {
    let reads = 0;
    const answer = {
      get cancel(): boolean {
        reads++;
        return true;
      },
    };
    const { runner, errors, warnings } = makeRunner([
      hook("/a.ts", { [event]: [() => answer, () => "text", () => Promise.resolve(answer)] }),
    ]);
    assertEquals(await emitSample(runner, event), undefined);
    assertEquals([reads, errors, warnings], [0, [], []]);
  });
}

Deno.test("an answer is read without taking inherited names for fields", () => {
  const answer = Object.create({ cancel: true });
  assertEquals(readAnswer("session_before_switch", answer, {}), {
    kind: "answer",
    fields: { cancel: true },
  });
  assertEquals(readAnswer("session_before_switch", { constructor: true }, {}).kind, "none");
  assertEquals(readAnswer("session_start", { cancel: true }, {}), { kind: "none" });
});

Deno.test("nothing that the hook still holds reaches the agent", async () => {
  const mine = {
    content: [{ type: "text", text: "mine" }],
    details: { list: [1], bytes: new Uint8Array([1]) },
  };
  const { runner } = makeRunner([hook("/r.ts", { tool_result: () => mine })]);
  const result = await runner.emit(SAMPLES.tool_result());
  mine.content[0].text = "changed later";
  mine.details.list.push(2);
  mine.details.bytes[0] = 9;
  assertEquals(result, {
    content: [{ type: "text", text: "mine" }],
    details: { list: [1], bytes: new Uint8Array([1]) },
  });
});

Deno.test("nothing frozen reaches the agent: parts of what was shown are copied", async () => {
  const { runner } = makeRunner([
    hook("/r.ts", {
      tool_result: ({ content, details }) => ({ content: [...content], details: { was: details } }),
    }),
  ]);
  const result = await runner.emit(SAMPLES.tool_result());
  const objects = [
    result?.content?.[0],
    result?.details,
    Reflect.get(Object(result?.details), "was"),
  ];
  assertEquals(objects.map(Object.isFrozen), [false, false, false]);
});

Deno.test("an override that is the very thing that was shown means unchanged", async () => {
  const { runner, warnings } = makeRunner([
    hook("/redact.ts", {
      tool_result: () => ({ content: [{ type: "text", text: "hidden" }], details: { hidden: 1 } }),
    }),
    hook("/later.ts", {
      tool_result: async ({ content, details }) => await ({ content, details }),
    }),
  ]);
  assertEquals(await runner.emit(SAMPLES.tool_result()), {
    content: [{ type: "text", text: "hidden" }],
    details: { hidden: 1 },
  });
  assertEquals(warnings, []);
});

Deno.test("details that are a text and are given back as shown do not undo an earlier redaction", async () => {
  const { runner } = makeRunner([
    hook("/redact.ts", { tool_result: () => ({ details: "hidden" }) }),
    hook("/later.ts", { tool_result: ({ details }) => ({ details }) }),
  ]);
  const event = { ...SAMPLES.tool_result(), details: "secret" };
  assertEquals(await runner.emit(event), { details: "hidden" });
});

Deno.test("an answer that shares a list with another answer is its own copy", async () => {
  const shared = [{ type: "text", text: "a" }];
  const { runner } = makeRunner([
    hook("/r.ts", { tool_result: () => ({ content: shared, details: shared }) }),
  ]);
  const result = await runner.emit(SAMPLES.tool_result());
  assert(result?.content !== result?.details && result?.content !== undefined);
  assertStrictEquals(shared[0].text, "a");
});

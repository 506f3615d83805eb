import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { MessageLoan } from "../src/message_loan.ts";
import type { AgentMessage, AssistantMessage, ToolResultMessage } from "../src/messages.ts";
import { repairToolPairs } from "../src/tool_pairs.ts";
import { hook, makeRunner } from "./helpers.ts";
import { pick, seededRandom } from "./random.ts";
import { userMessage } from "./sample_events.ts";

function calling(...ids: string[]): AssistantMessage {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: "assistant",
    content: ids.map((id) => ({ type: "toolCall", id, name: "bash", arguments: { command: id } })),
    api: "test",
    provider: "test",
    model: "test",
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost },
    stopReason: "toolUse",
    timestamp: 2,
  };
}

function resultOf(id: string): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: "bash",
    content: [{ type: "text", text: `result of ${id}` }],
    isError: false,
    timestamp: 3,
  };
}

/** A conversation in one line: `u` a user, `c1+c2` calls, `=c1` a result, `!c1` an error result. */
function outline(messages: readonly AgentMessage[]): string {
  return messages.map((message) => {
    if (message.role === "toolResult") return `${message.isError ? "!" : "="}${message.toolCallId}`;
    if (message.role !== "assistant") return "u";
    return message.content.map((block) => block.type === "toolCall" ? block.id : "").join("+");
  }).join(" ");
}

const TALK = (): AgentMessage[] => [
  userMessage("go"),
  calling("c1", "c2"),
  resultOf("c1"),
  resultOf("c2"),
  calling("c3"),
  resultOf("c3"),
];

Deno.test("edits in place without an answer change neither the list nor a message of it", async () => {
  const talk = TALK();
  const { runner } = makeRunner([
    hook("/bad.ts", {
      context: ({ messages }) => {
        const [first] = messages;
        messages.pop();
        if (first.role === "user" && Array.isArray(first.content)) {
          Object.assign(first.content[0], { text: "HACK" });
        }
        Object.assign(first, { role: "developer" });
      },
    }),
  ]);
  const result = await runner.emitContext(talk);
  assertStrictEquals(result, talk);
  assertEquals(talk, TALK());
});

Deno.test("edits in place count if the list is returned, for this call only", async () => {
  const talk = TALK();
  const { runner } = makeRunner([
    hook("/edit.ts", {
      context: ({ messages }) => {
        Object.assign(messages[0], { content: "edited" });
        return { messages };
      },
    }),
  ]);
  const result = await runner.emitContext(talk);
  assertEquals(result[0], { ...userMessage("go"), content: "edited" });
  assertEquals(talk, TALK());
});

Deno.test("the list that comes out is a new one, and shares nothing with the handler", async () => {
  let held: AgentMessage[] = [];
  const { runner } = makeRunner([
    hook("/hold.ts", {
      context: ({ messages }) => {
        held = [...messages, userMessage("added")];
        Object.assign(held[1], { model: "edited" });
        return { messages: held };
      },
    }),
  ]);
  const talk = TALK();
  const result = await runner.emitContext(talk);
  assert(result !== talk && result !== held);
  const before = structuredClone(result);
  for (const message of held) Object.assign(message, { timestamp: -1 });
  held.pop();
  assertEquals(result, before);
  assertEquals(talk, TALK());
});

Deno.test("messages that a handler left alone are the agent's own objects", async () => {
  const talk = TALK();
  const { runner } = makeRunner([
    hook("/add.ts", { context: ({ messages }) => ({ messages: [...messages, userMessage("x")] }) }),
  ]);
  const result = await runner.emitContext(talk);
  assertEquals(result.slice(0, -1).map((message, i) => message === talk[i]), talk.map(() => true));
});

Deno.test("the same messages twice are legal", async () => {
  const { runner, errors } = makeRunner([
    hook("/twice.ts", { context: ({ messages }) => ({ messages: messages.concat(messages) }) }),
  ]);
  const result = await runner.emitContext([userMessage("a"), userMessage("b")]);
  assertEquals(result, ["a", "b", "a", "b"].map(userMessage));
  assertEquals(errors, []);
});

Deno.test("a wrong shape is refused with an error, and the list before goes on", async () => {
  for (const answer of [{ messages: {} }, { messages: "x" }, { messages: [null] }]) {
    const seen: number[] = [];
    const { runner, errors } = makeRunner([
      hook("/cut.ts", { context: ({ messages }) => ({ messages: messages.slice(0, 1) }) }),
      hook("/bad.ts", { context: () => answer }),
      hook("/see.ts", { context: ({ messages }) => void seen.push(messages.length) }),
    ]);
    assertEquals(await runner.emitContext([userMessage("a"), userMessage("b")]), [
      userMessage("a"),
    ]);
    assertEquals([seen, errors.map(({ hookPath }) => hookPath)], [[1], ["/bad.ts"]]);
  }
});

Deno.test("a bare list is no answer, and is named", async () => {
  const talk = TALK();
  const { runner, warnings } = makeRunner([hook("/list.ts", { context: () => [] })]);
  assertStrictEquals(await runner.emitContext(talk), talk);
  assertEquals(warnings.map(({ warning }) => warning), [
    "returned []; context understands { messages }",
  ]);
});

Deno.test("an empty list is legal and warned about once", async () => {
  const { runner, warnings, errors } = makeRunner([
    hook("/none.ts", { context: () => ({ messages: [] }) }),
  ]);
  for (let i = 0; i < 3; i++) assertEquals(await runner.emitContext([userMessage("a")]), []);
  assertEquals(await runner.emitContext([]), []);
  assertEquals(warnings.map(({ warning }) => warning), [
    "returned an empty list: the model will read nothing",
  ]);
  assertEquals(errors, []);
});

Deno.test("a filter of custom messages works, and is typed for all messages", async () => {
  const debug: AgentMessage = {
    role: "custom",
    customType: "debug-only",
    content: "x",
    display: true,
    timestamp: 1,
  };
  const { runner } = makeRunner([
    hook("/filter.ts", {
      context: ({ messages }) => ({
        messages: messages.filter((one) =>
          !(one.role === "custom" && one.customType === "debug-only")
        ),
      }),
    }),
  ]);
  const result = await runner.emitContext([userMessage("a"), debug, userMessage("b")]);
  assertEquals(result, [userMessage("a"), userMessage("b")]);
});

/** What a handler drops, what comes out, and what is said. */
const TORN: [string, (message: AgentMessage) => boolean, string, string | undefined][] = [
  [
    "all calls",
    ({ role }) => role !== "assistant",
    "u",
    "removed the calls of the results c1, c2, c3",
  ],
  [
    "all results",
    ({ role }) => role !== "toolResult",
    "u c1+c2 !c1 !c2 c3 !c3",
    "removed the results of the calls c1, c2, c3",
  ],
  [
    "one result of two",
    (message) => !(message.role === "toolResult" && message.toolCallId === "c2"),
    "u c1+c2 !c2 =c1 c3 =c3",
    "removed the results of the calls c2",
  ],
  [
    "whole pairs",
    (message) => outline([message]) !== "c3" && outline([message]) !== "=c3",
    "u c1+c2 =c1 =c2",
    undefined,
  ],
];

for (const [what, keeps, expected, words] of TORN) {
  Deno.test(`a hook that drops ${what} leaves whole pairs of calls and results`, async () => {
    const talk = TALK();
    const { runner, warnings } = makeRunner([
      hook("/drop.ts", { context: ({ messages }) => ({ messages: messages.filter(keeps) }) }),
    ]);
    for (let i = 0; i < 2; i++) assertEquals(outline(await runner.emitContext(talk)), expected);
    assertEquals(talk, TALK());
    assertEquals(warnings.map(({ hookPath }) => hookPath), words === undefined ? [] : ["/drop.ts"]);
    if (words !== undefined) assert(warnings[0].warning.startsWith(words), warnings[0].warning);
  });
}

Deno.test("what was unpaired before the handler is left alone", async () => {
  const talk = [userMessage("go"), calling("c1", "open"), resultOf("c1"), resultOf("orphan")];
  const { runner, warnings } = makeRunner([
    hook("/cut.ts", { context: ({ messages }) => ({ messages: messages.slice(1) }) }),
  ]);
  assertEquals(outline(await runner.emitContext(talk)), "c1+open =c1 =orphan");
  assertEquals(warnings, []);
});

Deno.test("an invented error result says that a hook removed the real one", () => {
  const repair = repairToolPairs([calling("c1"), resultOf("c1")], [calling("c1")]);
  assertEquals(repair?.messages[1], {
    role: "toolResult",
    toolCallId: "c1",
    toolName: "bash",
    content: [{ type: "text", text: "The result of this call was removed by a hook." }],
    isError: true,
    timestamp: 2,
  });
});

Deno.test("random drops never leave a pair torn, and never touch what was kept", () => {
  const random = seededRandom(5);
  for (let round = 0; round < 500; round++) {
    const before: AgentMessage[] = [];
    for (let i = 0; i < random() * 8; i++) {
      const ids = Array.from({ length: 1 + random() * 3 }, (_, k) => `c${i}-${k}`);
      before.push(userMessage(`${i}`), calling(...ids), ...ids.map(resultOf));
    }
    const after = before.filter(() => random() < 0.7);
    const messages = repairToolPairs(before, after)?.messages ?? after;
    const calls = messages.flatMap((one) =>
      one.role === "assistant"
        ? one.content.flatMap((block) => block.type === "toolCall" ? [block.id] : [])
        : []
    );
    const results = messages.flatMap((one) => one.role === "toolResult" ? [one.toolCallId] : []);
    assertEquals(calls.toSorted(), results.toSorted());
    const others = (list: AgentMessage[]) => list.filter(({ role }) => role !== "toolResult");
    assertEquals(others(messages), others(after));
  }
});

Deno.test("a loan gives the original for what came back as it was, and a copy for the rest", () => {
  const random = seededRandom(17);
  for (let round = 0; round < 500; round++) {
    const originals = Array.from({ length: random() * 8 }, (_, i) => userMessage(`m${i}`));
    const loan = new MessageLoan(originals);
    const edited = new Set<AgentMessage>();
    const returned = loan.messages.flatMap((message) => {
      const kind = pick(random, ["keep", "keep", "drop", "edit", "double"]);
      if (kind === "drop") return [];
      if (kind === "edit") {
        Object.assign(message, { timestamp: 99 });
        edited.add(message);
      }
      return kind === "double" ? [message, message] : [message];
    });
    if (random() < 0.3) returned.reverse();
    const taken = loan.takeBack(returned);
    assertEquals(taken, returned);
    taken.forEach((message, i) => {
      assert(!loan.messages.includes(message), "the handler still holds it");
      const original = originals[loan.messages.indexOf(returned[i])];
      assertEquals(message === original, !edited.has(returned[i]));
    });
  }
});

Deno.test("a loan takes messages with cycles, dates and instances back", () => {
  class Tag {
    name = "t";
  }
  const details: Record<string, unknown> = { at: new Date(5), tag: new Tag() };
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const originals: AgentMessage[] = [
    { ...resultOf("c1"), details },
    { ...resultOf("c2"), details: cyclic },
  ];
  const loan = new MessageLoan(originals);
  const taken = loan.takeBack(loan.messages);
  assertEquals(taken.map(({ role }) => role), ["toolResult", "toolResult"]);
  const [first, second] = taken as ToolResultMessage[];
  assertStrictEquals(Reflect.get(Object(first.details), "tag"), details.tag);
  const loop: unknown = second.details;
  assertStrictEquals(Reflect.get(Object(loop), "self"), loop);
});

Deno.test("a message that only gained or lost a field counts as changed", () => {
  const originals = [userMessage("a"), { ...userMessage("b"), synthetic: true }];
  const loan = new MessageLoan(originals);
  Object.assign(loan.messages[0], { synthetic: false });
  Reflect.deleteProperty(loan.messages[1], "synthetic");
  const [first, second] = loan.takeBack(loan.messages);
  assertEquals([first, second], [{ ...userMessage("a"), synthetic: false }, userMessage("b")]);
});

/**
 * What a compaction would do, how many tokens a conversation has, and what a model is asked for a
 * summary.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { CompactionPreparation, CompactionSettings, SessionEntry } from "../src/entries.ts";
import type { AgentMessage } from "../src/messages.ts";
import { DEFAULT_COMPACTION_SETTINGS, prepareCompaction } from "../src/session/compaction.ts";
import { ModelError, type ModelPort } from "../src/session/model_port.ts";
import { summarizeBranch, summarizeConversation } from "../src/session/summary.ts";
import { conversationTokens, estimateTokens } from "../src/session/tokens.ts";
import { answered, branchOf, call, counted, gave, said, textIn } from "./conversation.ts";

/** Settings that keep so many tokens. */
function keeping(keepRecentTokens: number): CompactionSettings {
  return { ...DEFAULT_COMPACTION_SETTINGS, keepRecentTokens };
}

/** A text of so many tokens by the estimate. */
function tokens(count: number, letter = "x"): string {
  return letter.repeat(count * 4);
}

function prepare(branch: SessionEntry[], keep: number): CompactionPreparation {
  const preparation = prepareCompaction(branch, keeping(keep));
  assert(preparation !== undefined, "there is nothing to compact");
  return preparation;
}

function texts(messages: readonly AgentMessage[]): string[] {
  return messages.map((message) => textIn(message) || message.role);
}

Deno.test("every kind of message counts, also what hooks said", () => {
  const text = tokens(10);
  const base = { timestamp: 1 };
  const image = { type: "image" as const, data: "", mimeType: "image/png" };
  const cases: [AgentMessage, number][] = [
    [{ role: "user", content: text, ...base }, 10],
    [{ role: "developer", content: text, ...base }, 10],
    [{ role: "user", content: [{ type: "text", text }, image], ...base }, 1210],
    [{ role: "custom", customType: "x", content: text, display: false, ...base }, 10],
    [{ role: "hookMessage", customType: "x", content: text, display: false, ...base }, 10],
    [gave("c1", text), 10],
    [answered(text, call("c1", "read", { path: "a.ts" })), 15],
    [{ ...answered(), content: [{ type: "thinking", thinking: text }] }, 10],
    [{ role: "branchSummary", summary: text, fromId: "e1", ...base }, 10],
    [{ role: "compactionSummary", summary: text, tokensBefore: 1, ...base }, 10],
    [{ role: "fileMention", files: [{ path: "abcd", content: text }], ...base }, 11],
  ];
  assertEquals(cases.map(([message]) => estimateTokens(message)), cases.map(([, count]) => count));
});

Deno.test("what the provider counted goes before the estimate, failed answers do not count", () => {
  const failed = { ...counted(9999, ""), stopReason: "error" as const };
  assertEquals(
    conversationTokens(branchOf(
      said(tokens(1)),
      counted(500, "ok"),
      said(tokens(7)),
      { ...failed, content: [] },
    )),
    507,
  );
  assertEquals(conversationTokens(branchOf(said(tokens(1)), answered(tokens(2)))), 3);
  assertEquals(conversationTokens([]), 0);
});

Deno.test("counts from before the last compaction do not matter any more", () => {
  const branch = branchOf(
    said(tokens(1)),
    counted(100_000, tokens(2)),
    { type: "compaction", summary: tokens(30), firstKeptEntryId: "e1", tokensBefore: 100_000 },
    said(tokens(4)),
  );
  assertEquals(conversationTokens(branch), 36);
});

Deno.test("the last messages are kept, the ones before are summarised", () => {
  const branch = branchOf(
    said("one"),
    answered("first"),
    said("two"),
    answered("second"),
    { type: "custom", customType: "state", data: 1 },
    said("three"),
    answered(tokens(10)),
  );
  const preparation = prepare(branch, 11);
  assertEquals(preparation.firstKeptEntryId, "e5");
  assertEquals(texts(preparation.messagesToSummarize), ["one", "first", "two", "second"]);
  assertEquals(texts(preparation.recentMessages), ["three", tokens(10)]);
  assertEquals([preparation.isSplitTurn, preparation.turnPrefixMessages], [false, []]);
  assertEquals(preparation.settings.keepRecentTokens, 11);
});

Deno.test("a turn that is too long is split, never between a call and its result", () => {
  const branch = branchOf(
    said("one"),
    answered("first"),
    said("two"),
    answered(call("c1", "ls")),
    gave("c1", tokens(50)),
    answered(call("c2", "ls")),
    gave("c2", tokens(8)),
    answered("done"),
  );
  const preparation = prepare(branch, 8);
  assertEquals(preparation.firstKeptEntryId, "e7");
  assertEquals(preparation.isSplitTurn, true);
  assertEquals(texts(preparation.messagesToSummarize), ["one", "first"]);
  assertEquals(texts(preparation.turnPrefixMessages)[0], "two");
  assertEquals(preparation.turnPrefixMessages.length, 5);
  assertEquals(texts(preparation.recentMessages), ["done"]);
});

Deno.test("a conversation that ends in a large result keeps the call with it", () => {
  const branch = branchOf(said("go"), answered(call("c1", "ls")), gave("c1", tokens(900)));
  const preparation = prepare(branch, 100);
  assertEquals(preparation.firstKeptEntryId, "e1");
  assertEquals(texts(preparation.turnPrefixMessages), ["go"]);
  assertEquals(preparation.recentMessages.map(({ role }) => role), ["assistant", "toolResult"]);
});

const NOTHING: { name: string; branch: SessionEntry[] }[] = [
  { name: "an empty branch", branch: [] },
  { name: "a short conversation", branch: branchOf(said("a"), answered("b")) },
  { name: "one long message", branch: branchOf(said(tokens(5000))) },
  {
    name: "a branch that was just compacted",
    branch: branchOf(
      said(tokens(5000)),
      answered("b"),
      { type: "compaction", summary: "s", firstKeptEntryId: "e1", tokensBefore: 1 },
      { type: "label", targetId: "e0", label: "x" },
    ),
  },
  { name: "results whose calls are gone", branch: branchOf(gave("c1", tokens(5000))) },
];

for (const { name, branch } of NOTHING) {
  Deno.test(`there is nothing to compact in ${name}`, () => {
    assertEquals(prepareCompaction(branch, keeping(1000)), undefined);
  });
}

Deno.test("what an earlier compaction kept is summarised now, with its summary and data beside", () => {
  const branch = branchOf(
    said("gone"),
    said("kept by the first"),
    answered("too"),
    {
      type: "compaction",
      summary: "first summary",
      firstKeptEntryId: "e1",
      tokensBefore: 7,
      details: { readFiles: ["r.ts"], modifiedFiles: ["m.ts", 7] },
      preserveData: { key: 1 },
    },
    said("later"),
    answered(tokens(100)),
  );
  const preparation = prepare(branch, 50);
  assertEquals(preparation.firstKeptEntryId, "e5");
  assertEquals(texts(preparation.messagesToSummarize), ["kept by the first", "too"]);
  assertEquals(texts(preparation.turnPrefixMessages), ["later"]);
  assertEquals(preparation.previousSummary, "first summary");
  assertEquals(preparation.previousPreserveData, { key: 1 });
  assertEquals(preparation.fileOps.read, new Set(["r.ts"]));
  assertEquals(preparation.fileOps.edited, new Set(["m.ts"]));
});

Deno.test("a compaction that kept nothing leaves nothing of before", () => {
  const branch = branchOf(
    said("gone"),
    { type: "compaction", summary: "all", firstKeptEntryId: "nowhere", tokensBefore: 7 },
    said("later"),
    answered(tokens(100)),
  );
  assertEquals(texts(prepare(branch, 50).turnPrefixMessages), ["later"]);
});

Deno.test("files that were read, written and edited are listed, files of kept messages are not", () => {
  const branch = branchOf(
    said("go"),
    answered(
      call("c1", "read", { path: "a.ts" }),
      call("c2", "write", { file_path: "b.ts" }),
      call("c3", "edit", { path: "a.ts" }),
      call("c4", "edit", { path: 7 }),
      call("c5", "constructor", { path: "x" }),
    ),
    said("more"),
    answered(tokens(100), call("c6", "read", { path: "late.ts" })),
  );
  assertEquals(prepare(branch, 50).fileOps, {
    read: new Set(["a.ts"]),
    written: new Set(["b.ts"]),
    edited: new Set(["a.ts"]),
  });
});

Deno.test("less is kept by the estimate if the provider counts more than the estimate", () => {
  const branch = branchOf(
    said(tokens(40)),
    answered(tokens(40)),
    said(tokens(40)),
    counted(1600, tokens(40)),
  );
  assertEquals(prepareCompaction(branch.slice(0, 3), keeping(200)), undefined);
  assertEquals(prepare(branch, 200).firstKeptEntryId, "e3");
});

/** A model that keeps its questions and answers by number. */
function scribe(answer: (number: number) => string = (number) => `summary ${number}`): {
  model: ModelPort;
  questions: string[];
} {
  const questions: string[] = [];
  return {
    questions,
    model: ({ messages, tools }) => {
      assertEquals(tools, []);
      questions.push(messages.map(textIn).join("\n"));
      return answered(answer(questions.length));
    },
  };
}

const signal = new AbortController().signal;

const LONG = branchOf(
  said("one"),
  answered("first", call("c1", "read", { path: "a.ts" })),
  gave("c1", "text of a"),
  said("two"),
  answered(tokens(100)),
);

Deno.test("the default summary shows the model the conversation, and lists files", async () => {
  const { model, questions } = scribe();
  const result = await summarizeConversation(model, prepare(LONG, 101), { signal });
  assertEquals(result, {
    summary: "summary 1\n\n## Files read\n\n- a.ts",
    firstKeptEntryId: "e3",
    tokensBefore: conversationTokens(LONG),
    details: { readFiles: ["a.ts"], modifiedFiles: [] },
  });
  assertEquals(questions.length, 1);
  const expected = "<conversation>\n[User]: one\n\n[Assistant]: first\n\n" +
    '[Assistant tool calls]: read(path="a.ts")\n\n[Tool result]: text of a\n</conversation>\n\n';
  assertEquals(questions[0].slice(0, expected.length), expected);
  assertStringIncludes(questions[0], "## Next steps");
});

Deno.test("a hook's prompt replaces the default one, its lines and the person's wish are added", async () => {
  const { model, questions } = scribe();
  await summarizeConversation(model, prepare(LONG, 101), {
    prompt: "Write a haiku.",
    context: ["branch: main", "tests are red"],
    customInstructions: " the parser ",
    signal,
  });
  assertEquals(
    questions[0].split("</conversation>")[1],
    "\n\nWrite a haiku.\n\nAdditional focus: the parser\n\n" +
      "<additional-context>\n- branch: main\n- tests are red\n</additional-context>",
  );
});

Deno.test("data for later compactions: what was there, then what hooks say", async () => {
  const { model } = scribe();
  const preparation = {
    ...prepare(LONG, 101),
    previousSummary: "what was before",
    previousPreserveData: { a: 1, b: 1 },
  };
  const request = { preserveData: { b: 2, c: 2 }, signal };
  const { preserveData } = await summarizeConversation(model, preparation, request);
  assertEquals(preserveData, { a: 1, b: 2, c: 2 });
});

Deno.test("the summary before is shown to the model, and taken over if nothing came since", async () => {
  const { model, questions } = scribe();
  const preparation = { ...prepare(LONG, 101), previousSummary: "what was before" };
  await summarizeConversation(model, preparation, { signal });
  assertStringIncludes(
    questions[0],
    "<previous-summary>\nwhat was before\n</previous-summary>",
  );
  const empty = { ...preparation, messagesToSummarize: [], turnPrefixMessages: [said("two")] };
  const { summary } = await summarizeConversation(model, empty, { signal });
  assertEquals(questions.length, 2);
  assert(summary.startsWith("what was before\n\n## The turn that goes on below\n\nsummary 2"));
});

Deno.test("the first part of a split turn gets a summary of its own, not with the hook's prompt", async () => {
  const { model, questions } = scribe();
  const preparation = prepare(LONG, 50);
  assertEquals(preparation.isSplitTurn, true);
  const request = { prompt: "Write a haiku.", signal };
  const { summary } = await summarizeConversation(model, preparation, request);
  assertEquals(questions.map((text) => text.includes("haiku")), [true, false]);
  assertStringIncludes(questions[1], "<conversation>\n[User]: two\n</conversation>");
  assert(summary.startsWith("summary 1\n\n## The turn that goes on below\n\nsummary 2\n\n"));
});

Deno.test("a model that fails or says nothing gives no summary", async () => {
  const failing: [ModelPort, string][] = [
    [() => answered("  "), "The summary could not be written: the model said nothing"],
    [
      () => ({ ...answered("half"), stopReason: "error", errorMessage: "overloaded" }),
      "The summary could not be written: overloaded",
    ],
    [() => Promise.reject(new ModelError("no key")), "no key"],
  ];
  for (const [model, error] of failing) {
    const preparation = prepare(LONG, 101);
    await assertRejects(
      () => summarizeConversation(model, preparation, { signal }),
      ModelError,
      error,
    );
    await assertRejects(() => summarizeBranch(model, [said("x")], signal), ModelError, error);
  }
});

Deno.test("the summary of a branch shows the model what was said there", async () => {
  const { model, questions } = scribe();
  assertEquals(
    await summarizeBranch(model, [said("try"), answered("failed")], signal),
    "summary 1",
  );
  assertStringIncludes(
    questions[0],
    "<conversation>\n[User]: try\n\n[Assistant]: failed\n</conversation>",
  );
});

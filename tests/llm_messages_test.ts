/**
 * What a model provider gets of a conversation, and how a conversation reads as a text.
 *
 * @module
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { AgentMessage } from "../src/messages.ts";
import { convertToLlm, INTERRUPTED_TEXT, openToolCalls } from "../src/session/llm_messages.ts";
import { serializeConversation } from "../src/session/serialize.ts";
import { answered, call, gave, said, textIn } from "./conversation.ts";

const IMAGE = { type: "image" as const, data: "aGk=", mimeType: "image/png" };

/** Who says what, in one line a message. */
function lines(messages: readonly AgentMessage[]): string[] {
  return messages.map((message) => {
    const who = message.role === "toolResult"
      ? `result ${message.toolCallId}${message.isError ? " (error)" : ""}`
      : message.role;
    return `${who}: ${textIn(message)}`;
  });
}

const KINDS: { name: string; message: AgentMessage; text: string | undefined }[] = [
  {
    name: "a hook's text",
    message: { role: "custom", customType: "x", content: "note", display: true, timestamp: 1 },
    text: "note",
  },
  {
    name: "a hook's message of an old session",
    message: { role: "hookMessage", customType: "x", content: "old", display: true, timestamp: 1 },
    text: "old",
  },
  {
    name: "a command that failed",
    message: {
      role: "bashExecution",
      command: "ls x",
      output: "no such file",
      exitCode: 2,
      cancelled: false,
      truncated: false,
      timestamp: 1,
    },
    text: "Ran `ls x`\n```\nno such file\n```\nExit code: 2",
  },
  {
    name: "a stopped command without output",
    message: {
      role: "bashExecution",
      command: "sleep 9",
      output: "",
      exitCode: undefined,
      cancelled: true,
      truncated: false,
      timestamp: 1,
    },
    text: "Ran `sleep 9`\n(no output)\n(stopped by the user)",
  },
  {
    name: "code whose output holds a fence",
    message: {
      role: "pythonExecution",
      code: "print(1)",
      output: "```",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: 1,
    },
    text: "Ran this Python code:\n```\nprint(1)\n```\n````\n```\n````",
  },
  {
    name: "a command that the model shall not see",
    message: {
      role: "bashExecution",
      command: "cat secret",
      output: "s",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: 1,
      excludeFromContext: true,
    },
    text: undefined,
  },
  {
    name: "an answer without content, as errors leave it",
    message: { ...answered(), stopReason: "error", errorMessage: "overloaded" },
    text: undefined,
  },
  {
    name: "a role of another agent",
    message: { role: "moodRing", content: "blue", timestamp: 1 } as unknown as AgentMessage,
    text: undefined,
  },
];

for (const { name, message, text } of KINDS) {
  Deno.test(`convertToLlm: ${name} ${text === undefined ? "is left out" : "is a text"}`, () => {
    const converted = convertToLlm([message]);
    assertEquals(converted.map((one) => [one.role, textIn(one)]), [
      ...text === undefined ? [] : [["user", text]],
    ]);
  });
}

Deno.test("convertToLlm tells a model what a summary stands for", () => {
  const [compaction, branch] = [
    convertToLlm([{
      role: "compactionSummary",
      summary: "We chose a parser.",
      tokensBefore: 9,
      timestamp: 1,
    }]),
    convertToLlm([{ role: "branchSummary", summary: "It failed.", fromId: "e1", timestamp: 1 }]),
  ].map((messages) => textIn(messages[0]));
  assertStringIncludes(compaction, "<summary>\nWe chose a parser.\n</summary>");
  assertStringIncludes(compaction, "earlier part");
  assertStringIncludes(branch, "<summary>\nIt failed.\n</summary>");
  assertStringIncludes(branch, "another way");
});

Deno.test("convertToLlm shows mentioned files, their pictures, and which file was too large", () => {
  const [message] = convertToLlm([{
    role: "fileMention",
    files: [
      { path: "a b.ts", content: "let a;" },
      { path: "big.bin", content: "", skippedReason: "tooLarge" },
      { path: "i.png", content: "", image: IMAGE },
    ],
    timestamp: 1,
  }]);
  const text = textIn(message);
  assertStringIncludes(text, '<file path="a b.ts">\nlet a;\n</file>');
  assertStringIncludes(text, '<file path="big.bin">\n(too large to be shown here)\n</file>');
  assertEquals((message.content as unknown[]).at(-1), IMAGE);
});

Deno.test("convertToLlm says who caused a message, and keeps what a hook says about it", () => {
  const hook = { role: "custom" as const, customType: "x", content: [IMAGE], display: false };
  const messages = convertToLlm([
    said("a"),
    { role: "developer", content: "b", timestamp: 1 },
    { ...hook, timestamp: 1 },
    { ...hook, attribution: "user", timestamp: 1 },
  ]);
  assertEquals(
    messages.map((message) => "attribution" in message ? message.attribution : "none"),
    ["user", "agent", undefined, "user"],
  );
});

Deno.test("convertToLlm gives what is left of a pruned result, and a text result as one block", () => {
  const stored = { ...gave("c1", "kept"), prunedAt: 5 };
  const emptied = { ...gave("c2", ""), prunedAt: 5 };
  const text = { ...gave("c3", ""), content: "plain" as unknown as [] };
  const calls = answered(call("c1", "echo"), call("c2", "echo"), call("c3", "echo"));
  assertEquals(lines(convertToLlm([calls, stored, emptied, text])).slice(1), [
    "result c1: kept",
    "result c2: [The output was removed to save room]",
    "result c3: plain",
  ]);
});

Deno.test("a call without a result gets an error result in the request, and its name can be asked for", () => {
  const messages = [said("go"), answered(call("c1", "echo"), call("c2", "rm")), gave("c1", "one")];
  assertEquals(lines(convertToLlm(messages)), [
    "user: go",
    "assistant: ",
    "result c1: one",
    `result c2 (error): ${INTERRUPTED_TEXT}`,
  ]);
  assertEquals(openToolCalls(messages).map(({ id, name }) => [id, name]), [["c2", "rm"]]);
  assertEquals(messages.length, 3);
});

Deno.test("a result whose call is gone is left out, and results stand behind their calls", () => {
  const messages = [
    gave("lost", "orphan"),
    answered(call("c1", "echo"), call("c2", "echo")),
    said("meanwhile"),
    gave("c2", "two"),
    gave("c1", "one"),
    gave("c1", "one again"),
  ];
  assertEquals(lines(convertToLlm(messages)), [
    "assistant: ",
    "result c1: one",
    "result c2: two",
    "user: meanwhile",
  ]);
});

Deno.test("a name of a call that comes again belongs to the last call before its result", () => {
  const messages = [
    answered(call("c1", "echo")),
    answered(call("c1", "echo")),
    gave("c1", "second"),
    answered(call("c1", "echo")),
    gave("c1", "third"),
  ];
  assertEquals(lines(convertToLlm(messages)), [
    "assistant: ",
    `result c1 (error): ${INTERRUPTED_TEXT}`,
    "assistant: ",
    "result c1: second",
    "assistant: ",
    "result c1: third",
  ]);
});

Deno.test("user messages of text blocks that follow each other become one, others stay", () => {
  const messages: AgentMessage[] = [
    said("a"),
    said("b"),
    { role: "user", content: "as a text", timestamp: 1 },
    said("c"),
    { role: "user", content: [IMAGE], timestamp: 1 },
    said("d"),
  ];
  const before = structuredClone(messages);
  assertEquals(
    convertToLlm(messages).map(({ content }) => typeof content === "string" ? 0 : content.length),
    [2, 0, 1, 1, 1],
  );
  assertEquals(messages, before);
});

Deno.test("serializeConversation names speakers, tool calls and pictures", () => {
  const text = serializeConversation(convertToLlm([
    { role: "user", content: [{ type: "text", text: "look" }, IMAGE], timestamp: 1 },
    {
      ...answered("Now.", call("c1", "read", { path: "a.ts", lines: [1, 2] }), call("c2", "ls")),
      content: [
        { type: "thinking", thinking: "hm" },
        ...answered("Now.", call("c1", "read", { path: "a.ts", lines: [1, 2] }), call("c2", "ls"))
          .content,
      ],
    },
    gave("c1", "let a;"),
    { ...gave("c2", "denied"), isError: true },
  ]));
  assertEquals(
    text,
    [
      "[User]: look\n(image/png image)",
      "[Assistant thinking]: hm",
      "[Assistant]: Now.",
      '[Assistant tool calls]: read(path="a.ts", lines=[1,2]); ls()',
      "[Tool result]: let a;",
      "[Tool error]: denied",
    ].join("\n\n"),
  );
});

Deno.test("serializeConversation cuts a long result, never through a character", () => {
  const long = "x".repeat(1999) + "😀".repeat(10);
  const text = serializeConversation([gave("c1", long)]);
  assertStringIncludes(text, "[… 20 more characters]");
  assertEquals(text.isWellFormed(), true);
});

/**
 * What the model is told of a session.
 *
 * @module
 */

import { assertEquals, assertThrows } from "@std/assert";
import { SessionManager } from "../src/session/session.ts";
import { buildSessionContext, type SessionContext } from "../src/session/session_context.ts";
import { assistantMessage, userMessage } from "./session_lines.ts";

/** The messages of a context, each as its role and text. */
function saying({ messages }: SessionContext): string[] {
  return messages.map((message) => {
    if ("summary" in message) return `${message.role}: ${message.summary}`;
    if (!("content" in message)) return message.role;
    const content = typeof message.content === "string"
      ? message.content
      : message.content.map((block) => block.type === "text" ? block.text : "").join();
    return `${message.role}: ${content}`;
  });
}

/** Both ways to a context must agree. */
function contextOf(session: SessionManager, leafId?: string | null): SessionContext {
  const context = session.buildSessionContext(leafId);
  const leaf = leafId === undefined ? session.getLeafId() : leafId;
  assertEquals(buildSessionContext(session.getEntries(), leaf), context);
  return context;
}

Deno.test("the context is the branch, and says nothing of labels and data", () => {
  const session = SessionManager.inMemory();
  const first = session.appendMessage(userMessage("one"));
  session.appendLabelChange(first, "start");
  session.appendCustomEntry("note", { secret: true });
  const second = session.appendMessage(assistantMessage("two"));
  session.appendCustomMessageEntry("said", "three", false);
  session.branch(first);
  session.appendMessage(userMessage("elsewhere"));
  assertEquals(saying(contextOf(session, second)), ["user: one", "assistant: two"]);
  assertEquals(saying(contextOf(session)), ["user: one", "user: elsewhere"]);
});

Deno.test("the message of a hook is a custom message, that of a branch a summary", () => {
  const session = SessionManager.inMemory();
  session.appendCustomMessageEntry("said", "hello", true, { n: 1 });
  session.branchWithSummary(session.getLeafId(), "was elsewhere");
  session.branchWithSummary(session.getLeafId(), "");
  const { messages } = contextOf(session);
  const [said] = messages;
  assertEquals(saying({ messages, thinkingLevel: "", models: {} }), [
    "custom: hello",
    "branchSummary: was elsewhere",
  ]);
  assertEquals(
    said.role === "custom" && [said.customType, said.display, said.details, said.attribution],
    ["said", true, { n: 1 }, "agent"],
  );
});

Deno.test("the last compaction stands for what came before the entries it keeps", () => {
  const session = SessionManager.inMemory();
  session.appendMessage(userMessage("one"));
  const two = session.appendMessage(userMessage("two"));
  session.appendCompaction("sum of one", undefined, two, 5);
  const three = session.appendMessage(userMessage("three"));
  assertEquals(saying(contextOf(session)), [
    "compactionSummary: sum of one",
    "user: two",
    "user: three",
  ]);
  session.appendCompaction("sum of one and two", undefined, three, 5);
  session.appendMessage(userMessage("four"));
  assertEquals(saying(contextOf(session)), [
    "compactionSummary: sum of one and two",
    "user: three",
    "user: four",
  ]);
});

Deno.test("a compaction that names no entry before it keeps nothing", () => {
  const session = SessionManager.inMemory();
  const one = session.appendMessage(userMessage("one"));
  const elsewhere = session.appendMessage(userMessage("elsewhere"));
  session.branch(one);
  session.appendMessage(userMessage("two"));
  for (const id of ["nobody", elsewhere]) {
    session.appendCompaction("all", undefined, id, 5);
    assertEquals(saying(contextOf(session)), ["compactionSummary: all"]);
  }
});

Deno.test("a compaction on another branch does not count", () => {
  const session = SessionManager.inMemory();
  const one = session.appendMessage(userMessage("one"));
  session.appendCompaction("sum", undefined, one, 5);
  session.branch(one);
  session.appendMessage(userMessage("two"));
  assertEquals(saying(contextOf(session)), ["user: one", "user: two"]);
});

Deno.test("the thinking level and the models are those last changed on the branch", () => {
  const session = SessionManager.inMemory();
  assertEquals(contextOf(session), { messages: [], thinkingLevel: "off", models: {} });
  session.appendThinkingLevelChange("high");
  session.appendModelChange("acme/small");
  session.appendModelChange("acme/tiny", "smol");
  const first = session.appendMessage(userMessage("one"));
  session.appendMessage(assistantMessage("two", { provider: "other", model: "m" }));
  // A compaction does not take the settings with it.
  session.appendCompaction("sum", undefined, first, 5);
  const last = session.appendMessage(userMessage("three"));
  session.appendMessage(assistantMessage("of nobody", { provider: "", model: undefined }));
  const { thinkingLevel, models } = contextOf(session);
  assertEquals([thinkingLevel, models], ["high", { default: "other/m", smol: "acme/tiny" }]);
  session.branch(first);
  session.appendThinkingLevelChange("low");
  assertEquals(contextOf(session).models, { default: "acme/small", smol: "acme/tiny" });
  assertEquals([contextOf(session).thinkingLevel, contextOf(session, last).thinkingLevel], [
    "low",
    "high",
  ]);
});

Deno.test("no leaf means no messages, an unknown one is an error", () => {
  const session = SessionManager.inMemory();
  session.appendMessage(userMessage("one"));
  assertEquals(contextOf(session, null).messages, []);
  const unknown = [
    () => session.buildSessionContext("nobody"),
    () => buildSessionContext(session.getEntries(), "nobody"),
  ];
  for (const build of unknown) assertThrows(build, Error, "Entry nobody not found");
  assertEquals(saying(buildSessionContext(session.getEntries())), ["user: one"]);
});

Deno.test("entries that come after themselves end", () => {
  const entry = (id: string, parentId: string) => ({
    type: "message" as const,
    id,
    parentId,
    timestamp: "2026-01-01T00:00:00.000Z",
    message: userMessage(id),
  });
  const context = buildSessionContext([entry("a", "c"), entry("b", "a"), entry("c", "b")], "b");
  assertEquals(saying(context), ["user: c", "user: a", "user: b"]);
});

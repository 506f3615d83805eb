/**
 * One example of every event, and one way to put it through a runner.
 *
 * @module
 */

import type { CompactionEntry } from "../src/entries.ts";
import type { HookEventMap, HookEventName } from "../src/events/map.ts";
import type { AgentMessage, UserMessage } from "../src/messages.ts";
import type { HookRunner } from "../src/runner.ts";

/** A message of a person. */
export function userMessage(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp: 1 };
}

const MESSAGES: AgentMessage[] = [userMessage("one"), userMessage("two")];

const COMPACTION: CompactionEntry = {
  type: "compaction",
  id: "e2",
  parentId: "e1",
  timestamp: "2026-01-01T00:00:00.000Z",
  summary: "before",
  firstKeptEntryId: "e1",
  tokensBefore: 10,
};

/** Makes a fresh example of an event. */
export const SAMPLES: { readonly [N in HookEventName]: () => HookEventMap[N]["event"] } = {
  session_start: () => ({ type: "session_start" }),
  session_before_switch: () => ({ type: "session_before_switch", reason: "new" }),
  session_switch: () => ({
    type: "session_switch",
    reason: "resume",
    previousSessionFile: undefined,
  }),
  session_before_branch: () => ({ type: "session_before_branch", entryId: "e1" }),
  session_branch: () => ({ type: "session_branch", previousSessionFile: undefined }),
  session_before_compact: () => ({
    type: "session_before_compact",
    preparation: {
      firstKeptEntryId: "e1",
      messagesToSummarize: structuredClone(MESSAGES),
      turnPrefixMessages: [],
      recentMessages: [],
      isSplitTurn: false,
      tokensBefore: 10,
      fileOps: { read: new Set(["a.ts"]), written: new Set(), edited: new Set() },
      settings: { enabled: true, reserveTokens: 1, keepRecentTokens: 1 },
    },
    branchEntries: [{ ...COMPACTION }],
    signal: new AbortController().signal,
  }),
  "session.compacting": () => ({
    type: "session.compacting",
    sessionId: "s1",
    messages: structuredClone(MESSAGES),
  }),
  session_compact: () => ({
    type: "session_compact",
    compactionEntry: { ...COMPACTION },
    fromExtension: false,
  }),
  session_before_tree: () => ({
    type: "session_before_tree",
    preparation: {
      targetId: "e1",
      oldLeafId: "e2",
      commonAncestorId: null,
      entriesToSummarize: [{ ...COMPACTION }],
      userWantsSummary: true,
    },
    signal: new AbortController().signal,
  }),
  session_tree: () => ({ type: "session_tree", newLeafId: "e1", oldLeafId: null }),
  session_shutdown: () => ({ type: "session_shutdown" }),
  context: () => ({ type: "context", messages: structuredClone(MESSAGES) }),
  before_agent_start: () => ({ type: "before_agent_start", prompt: "hello" }),
  agent_start: () => ({ type: "agent_start" }),
  agent_end: () => ({ type: "agent_end", messages: structuredClone(MESSAGES) }),
  turn_start: () => ({ type: "turn_start", turnIndex: 0, timestamp: 1 }),
  turn_end: () => ({
    type: "turn_end",
    turnIndex: 0,
    message: userMessage("said"),
    toolResults: [],
  }),
  auto_compaction_start: () => ({
    type: "auto_compaction_start",
    reason: "threshold",
    action: "context-full",
  }),
  auto_compaction_end: () => ({
    type: "auto_compaction_end",
    action: "context-full",
    result: { summary: "s", firstKeptEntryId: "e1", tokensBefore: 1 },
    aborted: false,
    willRetry: false,
  }),
  auto_retry_start: () => ({
    type: "auto_retry_start",
    attempt: 1,
    maxAttempts: 3,
    delayMs: 10,
    errorMessage: "busy",
  }),
  auto_retry_end: () => ({ type: "auto_retry_end", success: true, attempt: 1 }),
  ttsr_triggered: () => ({
    type: "ttsr_triggered",
    rules: [{ name: "r", path: "/r.md", content: "no" }],
  }),
  todo_reminder: () => ({
    type: "todo_reminder",
    todos: [{ id: "t", content: "do", status: "pending" }],
    attempt: 1,
    maxAttempts: 3,
  }),
  tool_call: () => ({
    type: "tool_call",
    toolName: "bash",
    toolCallId: "c1",
    input: { command: "ls", options: { deep: [1] } },
  }),
  tool_result: () => ({
    type: "tool_result",
    toolName: "bash",
    toolCallId: "c1",
    input: { command: "ls" },
    content: [{ type: "text", text: "original" }],
    details: { exitCode: 0 },
    isError: false,
  }),
};

/**
 * Puts an example of an event through a runner, by the method that is for it.
 *
 * @param runner The runner.
 * @param name The event.
 * @param signal The signal of the call.
 * @returns The folded answer in the form of an answer, `undefined` if there is none.
 */
export async function emitSample(
  runner: HookRunner,
  name: HookEventName,
  signal?: AbortSignal,
): Promise<object | undefined> {
  const options = signal && { signal };
  if (name === "tool_call") return await runner.emitToolCall(SAMPLES[name](), options);
  if (name === "context") {
    const { messages } = SAMPLES[name]();
    const answer = await runner.emitContext(messages, options);
    return answer === messages ? undefined : { messages: answer };
  }
  if (name === "before_agent_start") {
    return await runner.emitBeforeAgentStart(SAMPLES[name]().prompt, undefined, options);
  }
  return await runner.emit(SAMPLES[name](), options);
}

/**
 * Tool calls and their results belong together: a model provider refuses a conversation that has
 * one without the other. A `context` handler that drops only one half is mended here, and named.
 *
 * The rule: a result whose call was dropped is dropped too; a call whose result was dropped gets
 * an error result that says so. What was unpaired before the handler ran is left alone.
 *
 * @module
 */

import type { AgentMessage, ToolResultMessage } from "./messages.ts";

/** What a handler left of the pairs. */
export interface PairRepair {
  /** The messages with whole pairs. */
  messages: AgentMessage[];
  /** Results that were dropped because their call is gone. */
  orphanResults: string[];
  /** Calls that got an error result because theirs is gone. */
  openCalls: string[];
}

/**
 * Mends the pairs that a handler has torn apart.
 *
 * @param before The messages before the handler.
 * @param after The messages that it returned.
 * @returns `undefined` if nothing has to be mended.
 */
export function repairToolPairs(
  before: readonly AgentMessage[],
  after: readonly AgentMessage[],
): PairRepair | undefined {
  const now = pairsOf(after);
  const suspects = [...now.orphanResults, ...now.openCalls];
  if (suspects.length === 0) return undefined;
  const then = pairsOf(before);
  const orphanResults = now.orphanResults.filter((id) => !then.orphanResults.includes(id));
  const openCalls = now.openCalls.filter((id) => !then.openCalls.includes(id));
  if (orphanResults.length + openCalls.length === 0) return undefined;
  const messages: AgentMessage[] = [];
  for (const message of after) {
    if (message.role === "toolResult" && orphanResults.includes(message.toolCallId)) continue;
    messages.push(message);
    if (message.role !== "assistant") continue;
    for (const call of callsOf(message)) {
      if (openCalls.includes(call.id)) messages.push(missingResult(call, message.timestamp));
    }
  }
  return { messages, orphanResults, openCalls };
}

function callsOf(message: AgentMessage): { id: string; name: string }[] {
  if (message.role !== "assistant" || !Array.isArray(message.content)) return [];
  return message.content.filter((block) => block?.type === "toolCall");
}

function pairsOf(
  messages: readonly AgentMessage[],
): { orphanResults: string[]; openCalls: string[] } {
  const calls = new Set<string>();
  const results = new Set<string>();
  for (const message of messages) {
    for (const call of callsOf(message)) calls.add(call.id);
    if (message.role === "toolResult") results.add(message.toolCallId);
  }
  return {
    orphanResults: [...results].filter((id) => !calls.has(id)),
    openCalls: [...calls].filter((id) => !results.has(id)),
  };
}

function missingResult(call: { id: string; name: string }, timestamp: number): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: "The result of this call was removed by a hook." }],
    isError: true,
    timestamp,
  };
}

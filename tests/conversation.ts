/**
 * Short ways to write messages, answers of a model and entries of a session in tests.
 *
 * @module
 */

import type { SessionEntry, SessionEntryBase } from "../src/entries.ts";
import type {
  AgentMessage,
  AssistantMessage,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../src/messages.ts";

/** What a person said. */
export function said(text: string, timestamp = 1): UserMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp };
}

/** What a model answered: texts and tool calls in order. */
export function answered(...blocks: (string | ToolCall)[]): AssistantMessage {
  return {
    role: "assistant",
    content: blocks.map((block) =>
      typeof block === "string" ? { type: "text", text: block } : block
    ),
    api: "test",
    provider: "test",
    model: "test",
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: blocks.some((block) => typeof block !== "string") ? "toolUse" : "stop",
    timestamp: 2,
  };
}

/** An answer for which the provider has counted tokens. */
export function counted(totalTokens: number, ...blocks: (string | ToolCall)[]): AssistantMessage {
  const message = answered(...blocks);
  return { ...message, usage: { ...message.usage, totalTokens } };
}

/** The wish of a model to run a tool. */
export function call(id: string, name: string, args: Record<string, unknown> = {}): ToolCall {
  return { type: "toolCall", id, name, arguments: args };
}

/** What a tool gave back. */
export function gave(toolCallId: string, text: string, toolName = "echo"): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName,
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 3,
  };
}

/** What an entry holds beside what all entries have in common. */
export type EntryBody = SessionEntry extends infer E
  ? E extends SessionEntry ? Omit<E, keyof SessionEntryBase> & { type: E["type"] } : never
  : never;

/** Puts messages and other things into a chain of entries: `e0`, `e1`, … */
export function branchOf(...parts: (AgentMessage | EntryBody)[]): SessionEntry[] {
  return parts.map((part, index) => {
    const base = {
      id: `e${index}`,
      parentId: index === 0 ? null : `e${index - 1}`,
      timestamp: new Date(index).toISOString(),
    };
    return "type" in part ? { ...base, ...part } : { ...base, type: "message", message: part };
  });
}

/** The text of a message that has one. */
export function textIn(message: AgentMessage): string {
  if (!("content" in message)) return "summary" in message ? message.summary : "";
  if (typeof message.content === "string") return message.content;
  return message.content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
}

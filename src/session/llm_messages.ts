/**
 * From the messages of an agent to those that a model provider understands.
 *
 * @module
 */

import type {
  AgentMessage,
  BashExecutionMessage,
  FileMentionMessage,
  ImageContent,
  Message,
  PythonExecutionMessage,
  TextContent,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../messages.ts";

type Content = (TextContent | ImageContent)[];

/** The text of a result that stands in for one that never came. */
export const INTERRUPTED_TEXT = "Interrupted: this call has no result. It may have run in part.";

/**
 * Turns the messages of an agent into those of a model provider.
 *
 * - What hooks said, summaries, mentioned files and commands of the person become user messages.
 * - An assistant message without content, as errors leave it, is left out.
 * - Every tool call is followed by its result. A call without one gets an error result that says
 *   `Interrupted`; a result without a call is left out. This is made anew for every request and
 *   never stored, so a session that broke off in the middle of a call goes on, and its file stays
 *   as it was.
 * - User messages that follow each other and hold only text blocks become one.
 *
 * @param messages The messages. They are not changed.
 * @returns A new list; messages in it may be the same objects.
 *
 * @example
 * ```ts
 * import { convertToLlm } from "@pi-hooks/core";
 *
 * const [message] = convertToLlm([
 *   { role: "custom", customType: "note", content: "Be brief.", display: false, timestamp: 0 },
 * ]);
 * if (message.role !== "user") throw new Error("unexpected");
 * ```
 */
export function convertToLlm(messages: readonly AgentMessage[]): Message[] {
  return mergeTexts(pairToolCalls(messages.flatMap(convert)));
}

function convert(message: AgentMessage): Message[] {
  const { timestamp } = message;
  switch (message.role) {
    case "user":
      return [{ ...message, attribution: message.attribution ?? "user" }];
    case "developer":
      return [{ ...message, attribution: message.attribution ?? "agent" }];
    case "assistant":
      return message.content.length === 0 ? [] : [message];
    case "toolResult":
      return [{
        ...message,
        content: resultContent(message),
        attribution: message.attribution ?? "agent",
      }];
    case "custom":
    case "hookMessage": {
      const { attribution } = message;
      return [{ role: "user", content: blocksOf(message.content), attribution, timestamp }];
    }
    case "bashExecution":
    case "pythonExecution":
      if (message.excludeFromContext) return [];
      return [fromText(executionText(message), timestamp, "user")];
    case "branchSummary":
      return [fromText(branchSummaryText(message.summary), timestamp, "agent")];
    case "compactionSummary":
      return [fromText(compactionSummaryText(message.summary), timestamp, "agent")];
    case "fileMention":
      return [{ role: "user", content: mentionedFiles(message), attribution: "user", timestamp }];
    default:
      // A role of another agent's session file: nobody knows what it means.
      return [];
  }
}

function fromText(
  text: string,
  timestamp: number,
  attribution: UserMessage["attribution"],
): UserMessage {
  return { role: "user", content: [{ type: "text", text }], attribution, timestamp };
}

/** Content as a list of blocks; other agents also store it as a text. */
function blocksOf(content: string | Content): Content {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function resultContent({ content, prunedAt }: ToolResultMessage): Content {
  const blocks = blocksOf(content);
  if (prunedAt === undefined) return blocks;
  const text = blocks.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
  return [{ type: "text", text: text === "" ? "[The output was removed to save room]" : text }];
}

/**
 * What the person ran, as a text.
 *
 * @param message The command or the code, and what came of it.
 */
function executionText(message: BashExecutionMessage | PythonExecutionMessage): string {
  const ran = message.role === "bashExecution"
    ? `Ran \`${message.command}\``
    : `Ran this Python code:\n${fence(message.code)}`;
  const output = message.output === "" ? "(no output)" : fence(message.output);
  const end = message.cancelled
    ? "\n(stopped by the user)"
    : message.exitCode !== undefined && message.exitCode !== 0
    ? `\nExit code: ${message.exitCode}`
    : "";
  return `${ran}\n${output}${end}`;
}

/** A fence that the text cannot close. */
function fence(text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const bars = "`".repeat(longest + 1);
  return `${bars}\n${text}\n${bars}`;
}

/**
 * How a model is told of a branch that was left.
 *
 * @param summary What happened there.
 */
function branchSummaryText(summary: string): string {
  return "The conversation went another way before and came back to this point. " +
    `What happened there:\n\n<summary>\n${summary}\n</summary>`;
}

/**
 * How a model is told of the part of the conversation that it no longer sees.
 *
 * @param summary What happened there.
 */
function compactionSummaryText(summary: string): string {
  return "The earlier part of this conversation was replaced by this summary:\n\n" +
    `<summary>\n${summary}\n</summary>`;
}

function mentionedFiles({ files }: FileMentionMessage): Content {
  const parts = files.map(({ path, content, skippedReason }) => {
    const text = skippedReason === "tooLarge" ? "(too large to be shown here)" : content;
    return `<file path=${JSON.stringify(path)}>\n${text}\n</file>`;
  });
  const text = `<system-reminder>\nThe user mentioned these files:\n${
    parts.join("\n")
  }\n</system-reminder>`;
  return [{ type: "text", text }, ...files.flatMap(({ image }) => image ?? [])];
}

/** The tool calls of a message; none if it is not an answer of a model. */
export function toolCallsOf(message: AgentMessage): ToolCall[] {
  if (message.role !== "assistant") return [];
  return message.content.filter((block) => block.type === "toolCall");
}

/**
 * The tool calls that have no result.
 *
 * @param messages A conversation.
 * @returns The calls, in order.
 */
export function openToolCalls(messages: readonly AgentMessage[]): ToolCall[] {
  const results = resultsByCall(messages);
  return messages.flatMap(toolCallsOf).filter((call) => !results.has(call));
}

/**
 * The result of each call: the first one after it that names it. Names may come again later in a
 * conversation, so a result belongs to the last call of that name before it.
 */
function resultsByCall(messages: readonly AgentMessage[]): Map<ToolCall, ToolResultMessage> {
  const results = new Map<ToolCall, ToolResultMessage>();
  const lastCalls = new Map<string, ToolCall>();
  for (const message of messages) {
    for (const call of toolCallsOf(message)) lastCalls.set(call.id, call);
    if (message.role !== "toolResult") continue;
    const call = lastCalls.get(message.toolCallId);
    if (call !== undefined && !results.has(call)) results.set(call, message);
  }
  return results;
}

/** Puts every result behind the message with its call; see {@linkcode convertToLlm}. */
function pairToolCalls(messages: readonly Message[]): Message[] {
  const results = resultsByCall(messages);
  return messages.flatMap((message): Message[] => {
    if (message.role === "toolResult") return [];
    const { timestamp } = message;
    const calls = toolCallsOf(message);
    return [message, ...calls.map((call) => results.get(call) ?? interrupted(call, timestamp))];
  });
}

/**
 * The error result of a call that never got one.
 *
 * @param call The call.
 * @param timestamp When, in milliseconds since 1970.
 */
export function interrupted(call: ToolCall, timestamp: number): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: INTERRUPTED_TEXT }],
    isError: true,
    attribution: "agent",
    timestamp,
  };
}

function mergeTexts(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const before = merged.at(-1);
    if (before !== undefined && hasOnlyTexts(before) && hasOnlyTexts(message)) {
      merged[merged.length - 1] = { ...before, content: [...before.content, ...message.content] };
    } else {
      merged.push(message);
    }
  }
  return merged;
}

function hasOnlyTexts(message: Message): message is UserMessage & { content: TextContent[] } {
  return message.role === "user" && typeof message.content !== "string" &&
    message.content.every((block) => block.type === "text");
}

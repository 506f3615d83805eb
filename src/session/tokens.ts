/**
 * How many tokens messages and conversations have. An estimate: only a model's provider knows.
 *
 * @module
 */

import type { SessionEntry } from "../entries.ts";
import type { AgentMessage, AssistantMessage, ImageContent, TextContent } from "../messages.ts";
import { contextEntries, messageOfEntry } from "./context_entries.ts";

/** Roughly how many UTF-16 code units make one token of English text or code. */
const UNITS_A_TOKEN = 4;

/** What a picture is taken for. */
const TOKENS_AN_IMAGE = 1200;

/**
 * Estimates the tokens of one message: a quarter of its length, 1200 for each picture. What hooks
 * said counts like everything else that a model reads.
 *
 * @param message The message.
 */
export function estimateTokens(message: AgentMessage): number {
  switch (message.role) {
    case "user":
    case "developer":
    case "custom":
    case "hookMessage":
    case "toolResult":
      return contentTokens(message.content);
    case "assistant":
      return answerTokens(message);
    case "bashExecution":
      return message.excludeFromContext ? 0 : tokensOf(message.command, message.output);
    case "pythonExecution":
      return message.excludeFromContext ? 0 : tokensOf(message.code, message.output);
    case "branchSummary":
    case "compactionSummary":
      return tokensOf(message.summary);
    case "fileMention":
      return message.files.reduce(
        (sum, { path, content, image }) =>
          sum + tokensOf(path, content) + (image === undefined ? 0 : TOKENS_AN_IMAGE),
        0,
      );
    default:
      return 0;
  }
}

function tokensOf(...texts: (string | undefined)[]): number {
  const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
  return Math.ceil(length / UNITS_A_TOKEN);
}

function contentTokens(content: string | (TextContent | ImageContent)[]): number {
  if (typeof content === "string") return tokensOf(content);
  const images = content.filter(({ type }) => type === "image").length;
  const texts = content.map((block) => block.type === "text" ? block.text : "");
  return tokensOf(...texts) + images * TOKENS_AN_IMAGE;
}

function answerTokens({ content }: AssistantMessage): number {
  const texts = content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    if (block.type === "thinking") return [block.thinking];
    if (block.type === "toolCall") return [block.name, JSON.stringify(block.arguments)];
    return [block.data];
  });
  return tokensOf(...texts);
}

/**
 * The tokens of the conversation of a branch: what the provider counted for the last good answer,
 * and an estimate of what came after it. Counts from before the last compaction do not matter any
 * more; where there is none, everything is estimated.
 *
 * @param branch The entries of the branch, root first.
 */
export function conversationTokens(branch: readonly SessionEntry[]): number {
  const entries = contextEntries(branch);
  let tokens = 0;
  for (const entry of entries.after.toReversed()) {
    const message = messageOfEntry(entry);
    if (message === undefined) continue;
    const counted = countedTokens(message);
    if (counted > 0) return tokens + counted;
    tokens += estimateTokens(message);
  }
  for (const entry of [...entries.kept, ...entries.summary]) {
    const message = messageOfEntry(entry);
    if (message !== undefined) tokens += estimateTokens(message);
  }
  return tokens;
}

/** What the provider counted: question and answer together. 0 if it did not. */
function countedTokens(message: AgentMessage): number {
  if (message.role !== "assistant") return 0;
  if (message.stopReason === "error" || message.stopReason === "aborted") return 0;
  const { usage } = message;
  if (usage === undefined) return 0;
  const sum = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  return usage.totalTokens || sum || 0;
}

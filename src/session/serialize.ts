/**
 * A conversation as one text, for a model that shall write about it and not go on with it.
 *
 * @module
 */

import type { ImageContent, Message, TextContent } from "../messages.ts";

/** A longer result of a tool is cut: a summary needs its beginning. */
const MAX_RESULT_LENGTH = 2000;

/**
 * Writes a conversation as a text, each message under its speaker: `[User]:`, `[Assistant]:`,
 * `[Assistant thinking]:`, `[Assistant tool calls]:`, `[Tool result]:`. Results of tools are cut
 * at 2000 characters; pictures are named and not shown.
 *
 * @param messages The messages, as `convertToLlm` makes them.
 *
 * @example
 * ```ts
 * import { serializeConversation } from "@pi-hooks/core";
 *
 * const text = serializeConversation([{ role: "user", content: "Hello", timestamp: 0 }]);
 * if (text !== "[User]: Hello") throw new Error(text);
 * ```
 */
export function serializeConversation(messages: readonly Message[]): string {
  return messages.flatMap(partsOf).join("\n\n");
}

function partsOf(message: Message): string[] {
  switch (message.role) {
    case "user":
      return part("User", textOf(message.content));
    case "developer":
      return part("Developer", textOf(message.content));
    case "toolResult":
      return part(message.isError ? "Tool error" : "Tool result", cut(textOf(message.content)));
    case "assistant": {
      const thoughts: string[] = [];
      const texts: string[] = [];
      const calls: string[] = [];
      for (const block of message.content) {
        if (block.type === "thinking") thoughts.push(block.thinking);
        else if (block.type === "text") texts.push(block.text);
        else if (block.type === "toolCall") calls.push(callText(block.name, block.arguments));
      }
      return [
        ...part("Assistant thinking", thoughts.join("\n")),
        ...part("Assistant", texts.join("\n")),
        ...part("Assistant tool calls", calls.join("; ")),
      ];
    }
  }
}

function part(speaker: string, text: string): string[] {
  return text === "" ? [] : [`[${speaker}]: ${text}`];
}

function callText(name: string, args: Record<string, unknown>): string {
  const fields = Object.entries(args).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${name}(${fields.join(", ")})`;
}

function textOf(content: string | (TextContent | ImageContent)[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => block.type === "text" ? block.text : `(${block.mimeType} image)`)
    .join("\n");
}

function cut(text: string): string {
  if (text.length <= MAX_RESULT_LENGTH) return text;
  const kept = text.slice(0, MAX_RESULT_LENGTH).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept}\n[… ${text.length - kept.length} more characters]`;
}

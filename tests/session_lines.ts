/**
 * Lines of session files, as tests write them.
 *
 * @module
 */

import type { AgentMessage, AssistantMessage } from "../src/messages.ts";
import type { SessionEntry } from "../src/entries.ts";

/** The time of everything in these files. */
export const TIME = "2026-01-02T03:04:05.678Z";

/** A header line, without its line feed. */
export function headerLine(fields: Record<string, unknown> = {}): string {
  return JSON.stringify({
    type: "session",
    version: 3,
    id: "s1",
    timestamp: TIME,
    cwd: "/project",
    ...fields,
  });
}

/** The line of a message of the user, in the order of fields that agents use. */
export function userLine(id: string, parentId: string | null, text = `text of ${id}`): string {
  return entryLine("message", id, parentId, { message: userMessage(text) });
}

/** The line of any entry. */
export function entryLine(
  type: string,
  id: string,
  parentId: string | null,
  fields: Record<string, unknown> = {},
): string {
  return JSON.stringify({ type, id, parentId, timestamp: TIME, ...fields });
}

/** A message of the user. */
export function userMessage(text: string): AgentMessage {
  return { role: "user", content: text, timestamp: 1 };
}

/** An answer of a model. */
export function assistantMessage(
  text: string,
  fields: Partial<AssistantMessage> = {},
): AgentMessage {
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "test",
    provider: "acme",
    model: "large",
    usage: {
      input: 10,
      output: 5,
      cacheRead: 3,
      cacheWrite: 2,
      totalTokens: 20,
      cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 },
    },
    stopReason: "stop",
    timestamp: 1,
    ...fields,
  };
}

/** What the entries are called. */
export function idsOf(entries: readonly SessionEntry[]): string[] {
  return entries.map(({ id }) => id);
}

/** The text of a message entry. */
export function textOfEntry(entry: SessionEntry | undefined): unknown {
  return entry?.type === "message" && "content" in entry.message
    ? entry.message.content
    : undefined;
}

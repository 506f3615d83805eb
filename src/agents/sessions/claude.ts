/**
 * Sessions of Claude Code. Those of subagents are read like others.
 *
 * @module
 */

import { isRecord } from "../arguments.ts";
import { plainText, type SessionReader, type SessionRecord, textOrNothing } from "./step.ts";

/** Kinds of records that hold no step. */
const OTHER_TYPES: ReadonlySet<unknown> = new Set([
  "system",
  "attachment",
  "progress",
  "summary",
  "queue-operation",
  "file-history-snapshot",
  "file-history-delta",
  "custom-title",
  "ai-title",
  "agent-name",
  "mode",
  "permission-mode",
  "last-prompt",
]);

/**
 * Recognises the format by a record.
 *
 * @param record A record.
 */
export function recogniseClaude(record: SessionRecord): SessionReader | undefined {
  const { type, sessionId, message } = record;
  const isMessage = (type === "user" || type === "assistant") && isRecord(message) &&
    message.role === type;
  const isOther = typeof sessionId === "string" && OTHER_TYPES.has(type);
  return isMessage || isOther ? new ClaudeReader() : undefined;
}

class ClaudeReader implements SessionReader {
  readonly format = "Claude Code";
  readonly agent = "claude";
  /** A message is recorded again while it grows. */
  readonly #seen = new Set<string>();
  #cwd: string | undefined;

  read(record: SessionRecord, emit: Parameters<SessionReader["read"]>[1]): boolean {
    const { type, message, cwd } = record;
    if (typeof cwd === "string" && cwd !== this.#cwd) {
      this.#cwd = cwd;
      emit({ kind: "session", id: textOrNothing(record.sessionId), cwd });
    }
    if (type !== "user" && type !== "assistant") return OTHER_TYPES.has(type);
    if (!isRecord(message)) return false;
    const blocks = Array.isArray(message.content) ? message.content.filter(isRecord) : [];
    if (type === "assistant") {
      for (const { type, id, name, input } of blocks) {
        if (type !== "tool_use" || this.#seen.has(`call ${id}`)) continue;
        this.#seen.add(`call ${id}`);
        emit({ kind: "call", id: String(id), toolName: String(name), args: input });
      }
      return true;
    }
    const results = blocks.filter((block) => block.type === "tool_result");
    for (const { tool_use_id, content, is_error: failed } of results) {
      const id = tool_use_id ?? record.sourceToolUseID;
      if (this.#seen.has(`result ${id}`)) continue;
      this.#seen.add(`result ${id}`);
      // The structured form stands beside the message, which then holds one result.
      const details = results.length === 1 ? record.toolUseResult : undefined;
      // Success is not always said, failure always is.
      emit({ kind: "result", id: String(id), content, details, isError: failed === true });
    }
    const text = plainText(message.content);
    if (results.length === 0 && record.isMeta !== true && text !== "") {
      emit({ kind: "prompt", text });
    }
    return true;
  }
}

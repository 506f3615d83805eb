/**
 * Chats of Gemini CLI. What was taken back with `$rewindTo` was done all the same, so it stays.
 *
 * @module
 */

import { isRecord } from "../arguments.ts";
import { plainText, type SessionReader, type SessionRecord, textOrNothing } from "./step.ts";

/** A call that will not change any more. */
const FINAL_STATUS: ReadonlySet<unknown> = new Set(["success", "error", "cancelled"]);

const MESSAGE_TYPES: ReadonlySet<unknown> = new Set([
  "user",
  "gemini",
  "info",
  "error",
  "warning",
]);

/**
 * Recognises the format by a record.
 *
 * @param record A record.
 */
export function recogniseGemini(record: SessionRecord): SessionReader | undefined {
  const isHeader = typeof record.sessionId === "string" && typeof record.projectHash === "string";
  const isMessage = record.type === "gemini" && typeof record.id === "string";
  return isHeader || isMessage ? new GeminiReader() : undefined;
}

class GeminiReader implements SessionReader {
  readonly format = "Gemini CLI";
  readonly agent = "gemini";
  /** A message is recorded again when something about it changes. */
  readonly #seen = new Set<string>();

  read(record: SessionRecord, emit: Parameters<SessionReader["read"]>[1]): boolean {
    if (isRecord(record.$set)) {
      this.#readAll(record.$set.messages, emit);
      return true;
    }
    if ("$rewindTo" in record) return true;
    if (typeof record.projectHash === "string") {
      emit({ kind: "session", id: textOrNothing(record.sessionId) });
      this.#readAll(record.messages, emit);
      return true;
    }
    this.#readMessage(record, emit);
    return MESSAGE_TYPES.has(record.type);
  }

  #readAll(messages: unknown, emit: Parameters<SessionReader["read"]>[1]): void {
    if (!Array.isArray(messages)) return;
    for (const message of messages.filter(isRecord)) this.#readMessage(message, emit);
  }

  #readMessage(message: SessionRecord, emit: Parameters<SessionReader["read"]>[1]): void {
    if (message.type === "user") {
      const text = plainText(message.content);
      if (text !== "" && this.#isNew(`prompt ${message.id} ${text}`)) {
        emit({ kind: "prompt", text });
      }
    }
    if (message.type !== "gemini" || !Array.isArray(message.toolCalls)) return;
    for (const call of message.toolCalls.filter(isRecord)) {
      const { name, args, status, result } = call;
      const id = String(call.id);
      if (this.#isNew(`call ${id}`)) emit({ kind: "call", id, toolName: String(name), args });
      const isOver = FINAL_STATUS.has(status) || (status === undefined && result !== undefined);
      if (isOver && this.#isNew(`result ${id}`)) {
        const isError = status === undefined ? undefined : status !== "success";
        emit({ kind: "result", id, content: responseOf(result), details: result, isError });
      }
    }
  }

  #isNew(key: string): boolean {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}

/** What the function has answered, without what is around it. */
function responseOf(result: unknown): unknown {
  const part = Array.isArray(result) ? result[0] : result;
  if (!isRecord(part) || !isRecord(part.functionResponse)) return result;
  const { response } = part.functionResponse;
  if (!isRecord(response)) return response;
  return response.output ?? response.error ?? response;
}

/**
 * Session logs of GitHub Copilot CLI.
 *
 * @module
 */

import { isRecord } from "../arguments.ts";
import { plainText, type SessionReader, type SessionRecord, textOrNothing } from "./step.ts";

const RECORD_TYPE =
  /^(?:session|hook|system|user|assistant|tool|permission|subagent|skill|abort|pending|external|elicitation|sampling|mcp)(?:\.[\w.]+)?$/;

/**
 * Recognises the format by a record.
 *
 * @param record A record.
 */
export function recogniseCopilot(record: SessionRecord): SessionReader | undefined {
  const { type, data } = record;
  return typeof type === "string" && type.includes(".") && RECORD_TYPE.test(type) && isRecord(data)
    ? COPILOT
    : undefined;
}

const COPILOT: SessionReader = {
  format: "Copilot CLI",
  agent: "copilot",
  read({ type, data }, emit) {
    if (typeof type !== "string" || !isRecord(data)) return false;
    switch (type) {
      case "session.start":
      case "session.resume": {
        const cwd = isRecord(data.context) ? textOrNothing(data.context.cwd) : undefined;
        emit({ kind: "session", id: textOrNothing(data.sessionId), cwd });
        return true;
      }
      case "user.message":
        emit({ kind: "prompt", text: plainText(data.content) });
        return true;
      case "tool.execution_start": {
        const { toolCallId, toolName, arguments: args } = data;
        emit({ kind: "call", id: String(toolCallId), toolName: String(toolName), args });
        return true;
      }
      case "tool.execution_complete": {
        const { toolCallId, success, result, error } = data;
        const isError = typeof success === "boolean" ? !success : undefined;
        const content = isRecord(result) ? result.content : isRecord(error) ? error.message : error;
        const details = result ?? error;
        emit({ kind: "result", id: String(toolCallId), content, details, isError });
        return true;
      }
    }
    return RECORD_TYPE.test(type);
  },
};

/**
 * Rollouts of Codex.
 *
 * @module
 */

import { isRecord, parseJson } from "../arguments.ts";
import { plainText, type SessionReader, type SessionRecord, textOrNothing } from "./step.ts";

const LINE_TYPES: ReadonlySet<unknown> = new Set([
  "session_meta",
  "turn_context",
  "response_item",
  "event_msg",
  "compacted",
  "world_state",
  "inter_agent_communication",
  "inter_agent_communication_metadata",
  "dynamic_tools_updated",
  "token_usage_record",
  "security_risk_score",
]);

/**
 * Recognises the format by a record.
 *
 * @param record A record.
 */
export function recogniseCodex(record: SessionRecord): SessionReader | undefined {
  return isRecord(record.payload) && LINE_TYPES.has(record.type) ? CODEX : undefined;
}

/** A tool that says how its program ended. */
const EXIT_CODE = /^(?:Process exited with code|Exit code:) (\d+)$/m;

const CODEX: SessionReader = {
  format: "Codex",
  agent: "codex",
  read({ type, payload }, emit) {
    if (!isRecord(payload)) return LINE_TYPES.has(type);
    if (type === "session_meta") {
      const { id, cwd } = payload;
      emit({ kind: "session", id: textOrNothing(id), cwd: textOrNothing(cwd) });
      return true;
    }
    if (type === "event_msg" && payload.type === "user_message") {
      emit({ kind: "prompt", text: plainText(payload.message) });
      return true;
    }
    if (type !== "response_item") return LINE_TYPES.has(type);
    const { call_id: callId } = payload;
    switch (payload.type) {
      case "function_call": {
        const { namespace, name, arguments: args } = payload;
        const isInSpace = typeof namespace === "string" && namespace !== "";
        const toolName = isInSpace ? `${namespace}__${name}` : String(name);
        emit({ kind: "call", id: String(callId), toolName, args });
        break;
      }
      case "custom_tool_call": {
        const { name, input } = payload;
        emit({ kind: "call", id: String(callId), toolName: String(name), args: input });
        break;
      }
      case "local_shell_call":
        emit({
          kind: "call",
          id: String(callId ?? payload.id),
          toolName: "local_shell",
          args: isRecord(payload.action) ? payload.action : {},
        });
        break;
      case "function_call_output":
      case "custom_tool_call_output":
      case "local_shell_call_output": {
        const { text, isError } = readOutput(payload.output);
        emit({ kind: "result", id: String(callId), content: text, isError });
        break;
      }
    }
    return true;
  },
};

/** The output, in the forms it has had: text, JSON text with the exit code, blocks. */
function readOutput(output: unknown): { text: unknown; isError?: boolean } {
  if (typeof output !== "string") {
    return { text: isRecord(output) && typeof output.text === "string" ? output.text : output };
  }
  const parsed = output.startsWith("{") ? parseJson(output) : undefined;
  if (isRecord(parsed) && typeof parsed.output === "string" && isRecord(parsed.metadata)) {
    const code = parsed.metadata.exit_code;
    return {
      text: parsed.output,
      ...typeof code === "number" && { isError: code !== 0 },
    };
  }
  // The head stands before the output of the program, which could say the same.
  const code = EXIT_CODE.exec(output.split("\nOutput:\n", 1)[0])?.[1];
  return { text: output, ...code !== undefined && { isError: code !== "0" } };
}

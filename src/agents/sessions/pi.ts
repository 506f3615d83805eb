/**
 * Sessions of pi, oh-my-pi and xcsh. All branches are read, in the order in which they were
 * recorded: the calls of a branch that was left were made all the same.
 *
 * @module
 */

import { isRecord } from "../arguments.ts";
import type { AgentName } from "../names.ts";
import { plainText, type SessionReader, type SessionRecord, textOrNothing } from "./step.ts";

const NEWEST_VERSION = 3;

/** Kinds of records that hold no step. */
const OTHER_TYPES: ReadonlySet<unknown> = new Set([
  "title",
  "thinking_level_change",
  "model_change",
  "compaction",
  "branch_summary",
  "custom",
  "custom_message",
  "label",
  "ttsr_injection",
  "mode_change",
  "session_info",
  "service_tier_change",
  "session_init",
  "mcp_tool_selection",
]);

/**
 * Recognises the family by a record.
 *
 * @param record A record.
 * @param before The records before it.
 */
export function recognisePi(
  record: SessionRecord,
  before: readonly SessionRecord[],
): SessionReader | undefined {
  const isHeader = record.type === "session" && typeof record.id === "string";
  const isMessage = record.type === "message" && isRecord(record.message) &&
    typeof record.message.role === "string";
  if (!isHeader && !isMessage) return undefined;
  const hasTitle = before.some(({ type, v }) => type === "title" && v !== undefined);
  if (!isHeader) {
    const warning = "it has no header: where the agent worked is not known";
    return reader("pi without header", hasTitle ? "omp" : "pi", warning);
  }
  const version = typeof record.version === "number" ? record.version : 1;
  const [name, agent]: [string, AgentName] = hasTitle
    ? ["oh-my-pi", "omp"]
    // xcsh, and oh-my-pi in its early days, name sessions by 16 hexadecimal digits.
    : /^[0-9a-f]{16}$/.test(String(record.id)) || record.titleSource !== undefined
    ? ["xcsh", "xcsh"]
    : ["pi", "pi"];
  const warning = version > NEWEST_VERSION
    ? `version ${version} of the format is newer than ${NEWEST_VERSION}: what is not known is left out`
    : undefined;
  return reader(`${name} v${version}`, agent, warning);
}

function reader(format: string, agent: AgentName, warning: string | undefined): SessionReader {
  return {
    format,
    agent,
    warning,
    read(record, emit) {
      if (record.type === "session") {
        const { id, cwd } = record;
        emit({ kind: "session", id: textOrNothing(id), cwd: textOrNothing(cwd) });
        return true;
      }
      if (record.type !== "message") return OTHER_TYPES.has(record.type);
      const { message } = record;
      if (!isRecord(message)) return false;
      const { role, content } = message;
      if (role === "user") {
        emit({ kind: "prompt", text: plainText(content) });
      } else if (role === "assistant") {
        for (const block of Array.isArray(content) ? content : []) {
          if (block?.type !== "toolCall") continue;
          const { id, name, arguments: args } = block;
          emit({ kind: "call", id: String(id), toolName: String(name), args });
        }
      } else if (role === "toolResult") {
        const { toolCallId, details, isError } = message;
        const failed = typeof isError === "boolean" ? isError : undefined;
        emit({ kind: "result", id: String(toolCallId), content, details, isError: failed });
      }
      return typeof role === "string";
    },
  };
}

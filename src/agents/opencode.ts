/**
 * OpenCode, through a plugin of ours that forwards its events and carries out the answers.
 *
 * @module
 */

import { type Arguments, isRecord } from "./arguments.ts";
import type { Agent, AgentEvent } from "./dialect.ts";
import { textOfResult } from "./dialect.ts";

/** Its table. */
export const opencode: Agent = {
  name: "opencode",
  title: "OpenCode",
  seen: "1.18.33",
  projectVariables: [],
  events: {
    "tool.execute.before": {
      event: "tool_call",
      deny: (reason) => ({ block: true, reason }),
      note: "The plugin throws the reason.",
    },
    "tool.execute.after": {
      event: "tool_result",
      replace: (result) => ({ output: textOfResult(result) }),
      note: "Not sent for a tool that failed.",
    },
    "chat.message": { event: "before_agent_start", context: (text) => ({ context: text }) },
    "session.created": { event: "session_start" },
    "session.idle": { event: "agent_end" },
    "session.deleted": { event: "session_shutdown" },
  },
  eventOf: ({ hook }) => typeof hook === "string" ? hook : undefined,
  fieldsOf,
  exitCodes: [["0", "the plugin reads the JSON answer; anything else closes the gate"]],
  traps: ["A throw of the plugin before a tool blocks it. Its own verdict permission.ask is dead."],
};

function fieldsOf(_name: string, payload: Arguments): Partial<AgentEvent> {
  const input = isRecord(payload.input) ? payload.input : {};
  const output = isRecord(payload.output) ? payload.output : {};
  const text = (value: unknown) => typeof value === "string" ? value : undefined;
  const parts = Array.isArray(output.parts) ? output.parts.filter(isRecord) : [];
  return {
    sessionId: text(input.sessionID),
    toolCallId: text(input.callID),
    toolName: text(input.tool),
    toolInput: output.args ?? input.args,
    toolResult: payload.output,
    cwd: text(payload.directory),
    prompt: parts.map((part) => text(part.text)).filter((part) => part !== undefined).join("\n"),
  };
}

/**
 * Cursor, from its documentation: it was not run.
 *
 * @module
 */

import { type Arguments, parseJson } from "./arguments.ts";
import type { Agent, AgentEvent, EventRow, JsonObject } from "./dialect.ts";
import { textOfResult } from "./dialect.ts";

const ALLOW = { permission: "allow" };
const NOT_ASKED: EventRow = {};

function deny(reason: string): JsonObject {
  return { permission: "deny", user_message: reason, agent_message: reason };
}

function ask(reason: string): JsonObject {
  return { permission: "ask", user_message: reason, agent_message: reason };
}

function additionalContext(text: string): JsonObject {
  return { additional_context: text };
}

/** A gate: it takes no answer for a fault, so it gets one each time. */
function gate(row: Partial<EventRow> = {}): EventRow {
  return { event: "tool_call", deny, silence: ALLOW, ...row };
}

/** Its table. */
export const cursor: Agent = {
  name: "cursor",
  title: "Cursor",
  seen: "not run; from its documentation",
  projectVariables: ["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
  events: {
    preToolUse: gate({ note: "Ask is not enforced here." }),
    beforeShellExecution: gate({ ask, toolName: "Shell" }),
    beforeMCPExecution: gate({ ask }),
    beforeReadFile: gate({ toolName: "Read", note: "Allow or deny only." }),
    beforeTabFileRead: gate({ toolName: "Read", note: "Allow or deny only." }),
    postToolUse: {
      event: "tool_result",
      context: additionalContext,
      note: "Only results of MCP tools can be replaced.",
      replace: (result) =>
        /^mcp/i.test(result.toolName)
          ? { updated_mcp_tool_output: textOfResult(result) }
          : undefined,
    },
    postToolUseFailure: { event: "tool_result", isFailure: true },
    afterShellExecution: { event: "tool_result", toolName: "Shell", note: "For looking only." },
    afterMCPExecution: { event: "tool_result", note: "For looking only." },
    afterFileEdit: { event: "tool_result", toolName: "Edit", note: "For looking only." },
    afterTabFileEdit: { event: "tool_result", toolName: "Edit", note: "For looking only." },
    beforeSubmitPrompt: {
      event: "before_agent_start",
      context: additionalContext,
      silence: { continue: true },
    },
    sessionStart: {
      event: "session_start",
      context: additionalContext,
      silence: { continue: true },
    },
    sessionEnd: { event: "session_shutdown" },
    stop: { event: "agent_end", goOn: (text) => ({ followup_message: text }) },
    subagentStart: { silence: ALLOW },
    subagentStop: NOT_ASKED,
    preCompact: NOT_ASKED,
    afterAgentResponse: NOT_ASKED,
    afterAgentThought: NOT_ASKED,
    workspaceOpen: NOT_ASKED,
  },
  fieldsOf,
  exitCodes: [
    ["0", "reads the JSON answer; a gate without a valid one is closed"],
    ["2", "no"],
    ["others", "carries on, unless the hook has failClosed:true"],
  ],
  traps: [
    "A hook that crashes or is too slow lets the tool run, unless it has failClosed:true.",
    "Starts payloads with a byte order mark on some machines.",
  ],
};

/** Events about one tool have its arguments and results in fields of their own. */
function fieldsOf(name: string, payload: Arguments): Partial<AgentEvent> {
  const { command, cwd, file_path, content, edits, output, result_json } = payload;
  switch (name) {
    case "beforeShellExecution":
      return { toolInput: { command, working_directory: cwd } };
    case "afterShellExecution":
      return { toolInput: { command, working_directory: cwd }, toolResult: output };
    case "beforeReadFile":
    case "beforeTabFileRead":
      return { toolInput: { file_path, ...(content !== undefined && { content }) } };
    case "afterFileEdit":
    case "afterTabFileEdit":
      return { toolInput: { file_path, edits } };
    case "afterMCPExecution":
      return {
        toolResult: typeof result_json === "string"
          ? parseJson(result_json) ?? result_json
          : result_json,
      };
    case "postToolUse": {
      const { tool_output } = payload;
      return {
        toolResult: typeof tool_output === "string"
          ? parseJson(tool_output) ?? tool_output
          : tool_output,
      };
    }
    default:
      return {};
  }
}

/**
 * GitHub Copilot CLI. It names events in two ways, with a form of payload for each.
 *
 * @module
 */

import { type Arguments, isRecord } from "./arguments.ts";
import type { Agent, EventRow, JsonObject, Replacement } from "./dialect.ts";
import { textOfResult } from "./dialect.ts";
import { askAboutTool, block, contextFor, denyTool } from "./hook_output.ts";

const NOT_ASKED: EventRow = {};

function flatContext(additionalContext: string): JsonObject {
  return { additionalContext };
}

function modifiedResult(result: Replacement): JsonObject {
  const type = isRecord(result.raw) ? result.raw.resultType ?? result.raw.result_type : undefined;
  return {
    modifiedResult: {
      resultType: typeof type === "string" ? type : "success",
      textResultForLlm: textOfResult(result),
    },
  };
}

const PERMISSION_REQUEST: EventRow = {
  event: "tool_call",
  deny: (message) => ({ behavior: "deny", message }),
};

/** Its table. */
export const copilot: Agent = {
  name: "copilot",
  title: "Copilot CLI",
  seen: "1.0.102",
  projectVariables: ["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
  events: {
    preToolUse: {
      event: "tool_call",
      deny: (reason) => ({ permissionDecision: "deny", permissionDecisionReason: reason }),
      ask: (reason) => ({ permissionDecision: "ask", permissionDecisionReason: reason }),
      context: flatContext,
    },
    PreToolUse: { event: "tool_call", deny: denyTool, ask: askAboutTool },
    permissionRequest: PERMISSION_REQUEST,
    PermissionRequest: PERMISSION_REQUEST,
    postToolUse: { event: "tool_result", replace: modifiedResult, context: flatContext },
    PostToolUse: {
      event: "tool_result",
      replace: modifiedResult,
      note: "Added context does not arrive in this form.",
    },
    postToolUseFailure: { event: "tool_result", isFailure: true, context: flatContext },
    PostToolUseFailure: { event: "tool_result", isFailure: true },
    userPromptSubmitted: { event: "before_agent_start", context: flatContext },
    UserPromptSubmit: {
      event: "before_agent_start",
      context: (text) => ({ ...flatContext(text), ...contextFor("UserPromptSubmit")(text) }),
    },
    sessionStart: { event: "session_start", context: flatContext },
    SessionStart: {
      event: "session_start",
      context: (text) => ({ ...flatContext(text), ...contextFor("SessionStart")(text) }),
    },
    sessionEnd: { event: "session_shutdown" },
    SessionEnd: { event: "session_shutdown" },
    agentStop: { event: "agent_end", goOn: block, note: "It goes on eight times at most." },
    Stop: { event: "agent_end", goOn: block, note: "It goes on eight times at most." },
    ...Object.fromEntries(
      [
        "userPromptTransformed",
        "subagentStart",
        "SubagentStart",
        "subagentStop",
        "SubagentStop",
        "errorOccurred",
        "ErrorOccurred",
        "preCompact",
        "PreCompact",
        "notification",
        "Notification",
      ].map((name) => [name, NOT_ASKED]),
    ),
  },
  eventOf,
  exitCodes: [
    ["0", "reads the JSON answer; nothing, or {}, is no objection"],
    ["others", "before a tool: no (the reason is not shown to the model); elsewhere a warning"],
  ],
  traps: [
    "A hook that is too slow lets the tool run.",
    "Hooks of a repository load only in a trusted folder, or with COPILOT_ALLOW_ALL=true.",
    "It also runs the hooks in a project's .claude/settings.json.",
    "http to this machine needs COPILOT_HOOK_ALLOW_LOCALHOST=1, and https before a tool.",
  ],
};

/** The event of a payload that does not name it, from the fields it has. */
function eventOf(payload: Arguments): string | undefined {
  const has = (name: string) => Object.hasOwn(payload, name);
  if (has("toolName")) {
    if (has("toolResult")) return "postToolUse";
    if (has("error")) return "postToolUseFailure";
    return "preToolUse";
  }
  if (has("transformedPrompt")) return "userPromptTransformed";
  if (has("prompt")) return "userPromptSubmitted";
  if (has("stopReason") || has("stop_hook_active")) {
    return has("response") || has("agentName") ? "subagentStop" : "agentStop";
  }
  if (has("agentName")) return has("response") ? "subagentStop" : "subagentStart";
  if (has("source") || has("initialPrompt")) return "sessionStart";
  if (has("reason")) return "sessionEnd";
  return undefined;
}

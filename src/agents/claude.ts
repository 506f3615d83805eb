/**
 * Claude Code.
 *
 * @module
 */

import { isRecord, parseJson } from "./arguments.ts";
import type { Agent, EventRow, JsonObject, Replacement } from "./dialect.ts";
import { textOfResult } from "./dialect.ts";
import {
  askAboutTool,
  block,
  contextFor,
  denyPermission,
  denyTool,
  hookOutput,
  systemMessage,
} from "./hook_output.ts";

const NOT_ASKED: EventRow = {};

/** Its table. */
export const claude: Agent = {
  name: "claude",
  title: "Claude Code",
  seen: "2.1.197 and 2.1.332",
  projectVariables: ["CLAUDE_PROJECT_DIR"],
  events: {
    PreToolUse: {
      event: "tool_call",
      deny: denyTool,
      ask: askAboutTool,
      context: contextFor("PreToolUse"),
    },
    PermissionRequest: {
      event: "tool_call",
      deny: denyPermission,
      note: "Fires only where a person could be asked.",
    },
    PostToolUse: {
      event: "tool_result",
      replace: replaceOutput,
      context: contextFor("PostToolUse"),
      note: "A result is replaced in the shape of the tool's own; other shapes are ignored by it.",
    },
    PostToolUseFailure: {
      event: "tool_result",
      isFailure: true,
      context: contextFor("PostToolUseFailure"),
      note: "The text of an error cannot be replaced.",
    },
    UserPromptSubmit: { event: "before_agent_start", context: contextFor("UserPromptSubmit") },
    SessionStart: { event: "session_start", context: contextFor("SessionStart") },
    SessionEnd: { event: "session_shutdown", note: "Stopped after 1.5 s without a timeout." },
    Stop: { event: "agent_end", goOn: block, note: "It goes on eight times at most." },
    PreCompact: { event: "session_before_compact", deny: block },
    WorktreeCreate: { silence: null, note: "Reads the output as a path, so there is none." },
    ...Object.fromEntries(
      [
        "PostToolBatch",
        "UserPromptExpansion",
        "StopFailure",
        "SubagentStart",
        "SubagentStop",
        "PostCompact",
        "PermissionDenied",
        "Notification",
        "Elicitation",
        "ElicitationResult",
        "InstructionsLoaded",
        "MessageDisplay",
        "TaskCreated",
        "TaskCompleted",
        "CwdChanged",
        "FileChanged",
        "ConfigChange",
        "Setup",
        "WorktreeRemove",
        "TeammateIdle",
      ].map((name) => [name, NOT_ASKED]),
    ),
  },
  tell: systemMessage,
  exitCodes: [
    ["0", "reads the JSON answer; nothing, or {}, is no objection"],
    ["2", "no: before a tool it does not run; the reason is on standard error"],
    ["others", "carries on (a JSON answer is read all the same)"],
  ],
  traps: [
    "A hook that crashes, is too slow, or writes text before its JSON lets the tool run.",
    "continue:false does not stop the tool.",
    "SessionStart is never sent over HTTP.",
    "Without a terminal (-p), ask means no.",
  ],
};

/** The answer that puts a result in the place of the tool's own, if there is one. */
function replaceOutput(result: Replacement): JsonObject | undefined {
  if (result.toolName.startsWith("mcp__")) {
    return hookOutput("PostToolUse", { updatedMCPToolOutput: textOfResult(result) });
  }
  const updatedToolOutput = outputInShape(result);
  return updatedToolOutput === undefined
    ? undefined
    : hookOutput("PostToolUse", { updatedToolOutput });
}

/** The replaced result in the shape of the one that it replaces. */
function outputInShape(result: Replacement): unknown {
  const { raw, details, hasContent, hasDetails } = result;
  const text = textOfResult(result);
  if (typeof raw === "string") return hasContent ? text : details;
  if (!isRecord(raw)) return undefined;
  if (!hasContent) return hasShapeOf(details, raw) ? details : undefined;
  // Details of the same shape say best what shall be there.
  const base = hasDetails && hasShapeOf(details, raw) ? details : raw;
  if (typeof base.stdout === "string") return { ...base, stdout: text, stderr: "" };
  if (isRecord(base.file) && typeof base.file.content === "string") {
    return { ...base, file: { ...base.file, content: text } };
  }
  if (typeof base.content === "string" && !("structuredPatch" in base)) {
    return { ...base, content: text };
  }
  if (Array.isArray(base.content)) return { ...base, content: [{ type: "text", text }] };
  if (Array.isArray(base.filenames)) {
    const filenames = text.split("\n");
    return { ...base, filenames, ...("numFiles" in base && { numFiles: filenames.length }) };
  }
  if (base !== raw) return base;
  // The hooks saw the whole object as JSON; if they left JSON of that shape, it is the answer.
  const parsed = parseJson(text);
  return hasShapeOf(parsed, raw) ? parsed : undefined;
}

/** Whether a value has the fields of another one, with values of the same types. */
function hasShapeOf(value: unknown, shape: JsonObject): value is JsonObject {
  return isRecord(value) &&
    Object.keys(shape).every((name) => kindOf(value[name]) === kindOf(shape[name])) &&
    Object.keys(value).every((name) => Object.hasOwn(shape, name));
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}

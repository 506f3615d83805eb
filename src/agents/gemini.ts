/**
 * Gemini CLI.
 *
 * @module
 */

import type { Agent, EventRow, JsonObject } from "./dialect.ts";
import { textOfResult } from "./dialect.ts";
import { contextFor, systemMessage } from "./hook_output.ts";

const NOT_ASKED: EventRow = {};

function deny(reason: string): JsonObject {
  return { decision: "deny", reason };
}

/** Its table. */
export const gemini: Agent = {
  name: "gemini",
  title: "Gemini CLI",
  seen: "0.61.0",
  projectVariables: ["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
  events: {
    BeforeTool: { event: "tool_call", deny, note: "Context before a tool is ignored by it." },
    AfterTool: {
      event: "tool_result",
      replace: (result) => deny(textOfResult(result)),
      context: contextFor("AfterTool"),
      note: "A command that fails is no error for it.",
    },
    BeforeAgent: { event: "before_agent_start", context: contextFor("BeforeAgent") },
    AfterAgent: {
      event: "agent_end",
      goOn: deny,
      note: "Has no limit of its own, so it is asked to go on once.",
    },
    SessionStart: { event: "session_start", context: contextFor("SessionStart") },
    SessionEnd: { event: "session_shutdown" },
    PreCompress: { note: "Fires before every call of the model, so hooks are not asked." },
    BeforeModel: NOT_ASKED,
    AfterModel: NOT_ASKED,
    BeforeToolSelection: NOT_ASKED,
    Notification: NOT_ASKED,
  },
  tell: systemMessage,
  exitCodes: [
    ["0", "reads the JSON answer; nothing, or {}, is no objection"],
    ["2", "no: the reason is on standard error"],
    ["others", "warns and carries on (a JSON answer is read all the same)"],
  ],
  traps: [
    "A hook that crashes or is too slow lets the tool run. Time limits are in milliseconds.",
    "Ask ends a run without a terminal, without a word; so it is not used.",
    "Answers in the form of Claude Code are ignored.",
  ],
};

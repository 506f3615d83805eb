/**
 * Codex. It refuses answers with any key that it does not know, and then runs the tool.
 *
 * @module
 */

import type { Agent, EventRow } from "./dialect.ts";
import { textOfResult } from "./dialect.ts";
import { block, contextFor, denyPermission, denyTool, systemMessage } from "./hook_output.ts";

const NOT_ASKED: EventRow = {};

/** Its table. */
export const codex: Agent = {
  name: "codex",
  title: "Codex",
  seen: "0.171.0",
  projectVariables: [],
  events: {
    PreToolUse: { event: "tool_call", deny: denyTool, context: contextFor("PreToolUse") },
    PermissionRequest: { event: "tool_call", deny: denyPermission },
    PostToolUse: {
      event: "tool_result",
      replace: (result) => block(textOfResult(result)),
      context: contextFor("PostToolUse"),
      note: "Does not say whether the command failed. Not sent for a patch that failed.",
    },
    UserPromptSubmit: { event: "before_agent_start", context: contextFor("UserPromptSubmit") },
    SessionStart: { event: "session_start", context: contextFor("SessionStart") },
    SessionEnd: { event: "session_shutdown", silence: null, note: "Three seconds at most." },
    Stop: {
      event: "agent_end",
      goOn: block,
      note: "Has no limit of its own, so it is asked to go on once.",
    },
    PreCompact: {
      event: "session_before_compact",
      deny: (reason) => ({ continue: false, stopReason: reason }),
    },
    PostCompact: NOT_ASKED,
    SubagentStart: NOT_ASKED,
    SubagentStop: NOT_ASKED,
    Interrupt: NOT_ASKED,
    PreModelRequest: { silence: null },
    PostModelRequest: { silence: null },
  },
  tell: systemMessage,
  exitCodes: [
    ["0", "reads the JSON answer; nothing, or {}, is no objection"],
    ["2", "no, if there is a reason on standard error; without one the tool runs"],
    ["others", "carries on, and does not read the answer"],
  ],
  traps: [
    "Every hook has to be trusted by its hash, else it is skipped without a word.",
    "A bare allow, ask, an unknown key, a no without a reason, a crash: the tool runs.",
    "Knows no ask.",
    "An http hook makes the whole file of hooks unreadable.",
  ],
};

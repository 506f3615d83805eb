/**
 * The form of answers that Claude Code has introduced and that others read too.
 *
 * @module
 */

import type { JsonObject } from "./dialect.ts";

/** Part of an answer that names its event. */
export function hookOutput(hookEventName: string, fields: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName, ...fields } };
}

/** Says no to a tool call. */
export function denyTool(reason: string): JsonObject {
  return hookOutput("PreToolUse", {
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  });
}

/** Lets the person decide about a tool call. */
export function askAboutTool(reason: string): JsonObject {
  return hookOutput("PreToolUse", { permissionDecision: "ask", permissionDecisionReason: reason });
}

/** Says no where the agent is about to ask the person. */
export function denyPermission(message: string): JsonObject {
  return hookOutput("PermissionRequest", { decision: { behavior: "deny", message } });
}

/** Makes a function that adds context to an event. */
export function contextFor(hookEventName: string): (text: string) => JsonObject {
  return (additionalContext) => hookOutput(hookEventName, { additionalContext });
}

/** Blocks an event, whatever that means for it. */
export function block(reason: string): JsonObject {
  return { decision: "block", reason };
}

/** Tells the person. */
export function systemMessage(text: string): JsonObject {
  return { systemMessage: text };
}

/**
 * What the hooks decide about a tool call, in the form that a host acts on.
 *
 * @module
 */

import { frozenCopy } from "./copy.ts";
import type { Dispatch } from "./dispatch.ts";
import { DEFAULT_BLOCK_REASON, type HookBlockKind, thrownText } from "./errors.ts";
import type { ToolCallEvent, ToolCallEventResult } from "./events/tool.ts";

/** What became of a tool call that the hooks were asked about. */
export type ToolCallDecision =
  | {
    /** The tool may run. */
    blocked: false;
    /** The answer that was given, if there was one. */
    result?: ToolCallEventResult;
  }
  | {
    /** The tool must not run. */
    blocked: true;
    /** Why, for the model: never empty, 8 kB at most. */
    reason: string;
    /** The hook that blocked. */
    hookPath: string;
    /** Whether that was a decision, a fault or a time limit. */
    kind: HookBlockKind;
    /** What the handler threw, if it threw; in a list, since anything can be thrown. */
    thrown?: [unknown];
  };

/** The decision when no hook has anything to say. */
const NO_OBJECTION: ToolCallDecision = Object.freeze({ blocked: false });

/** The same as a promise: one for all calls. */
export const ALLOWED: Promise<ToolCallDecision> = Promise.resolve(NO_OBJECTION);

const MAX_REASON_LENGTH = 8000;

/** A reason as it is shown: trimmed, never empty, not too long. */
function blockReason(reason: string | undefined): string {
  const text = reason?.trim() || DEFAULT_BLOCK_REASON;
  if (text.length <= MAX_REASON_LENGTH) return text;
  return `${text.slice(0, MAX_REASON_LENGTH)}… [${
    text.length - MAX_REASON_LENGTH
  } more characters]`;
}

/**
 * The event as handlers see it: nothing in it can be written, nothing in it is the agent's.
 *
 * @param event The event of the host.
 */
export function toolCallSnapshot(event: ToolCallEvent): ToolCallEvent {
  const { toolName, toolCallId, input, original } = event;
  const shown: ToolCallEvent = {
    type: "tool_call",
    toolName,
    toolCallId,
    input: frozenCopy(input),
  };
  if (original !== undefined) shown.original = frozenCopy(original);
  return Object.freeze(shown);
}

/**
 * The decision that a dispatch of `tool_call` came to.
 *
 * @param dispatch The dispatch, when it has run.
 */
export function decisionOf(dispatch: Dispatch | undefined): ToolCallDecision {
  if (dispatch === undefined) return NO_OBJECTION;
  const { stop } = dispatch;
  const result = dispatch.answer as ToolCallEventResult | undefined;
  if (stop === undefined) return result === undefined ? NO_OBJECTION : { blocked: false, result };
  const { hookPath, kind, fault, thrown } = stop;
  if (thrown !== undefined) {
    const reason = blockReason(
      kind === "timeout"
        ? thrownText(thrown.value)
        : `Hook "${hookPath}" failed, blocking execution: ${thrownText(thrown.value)}`,
    );
    return { blocked: true, reason, hookPath, kind, thrown: [thrown.value] };
  }
  const reason = fault === undefined ? result?.reason : `Hook "${hookPath}" ${fault}`;
  return { blocked: true, reason: blockReason(reason), hookPath, kind };
}

/**
 * The answer that a dispatch of `tool_call` came to, as the hook gave it.
 *
 * @param dispatch The dispatch, when it has run.
 * @throws What a hook threw, whatever it is.
 */
export function toolCallAnswer(dispatch: Dispatch | undefined): ToolCallEventResult | undefined {
  if (dispatch?.stop?.thrown !== undefined) throw dispatch.stop.thrown.value;
  const decision = decisionOf(dispatch);
  if (decision.blocked && decision.kind !== "policy") {
    return { block: true, reason: decision.reason };
  }
  return dispatch?.answer as ToolCallEventResult | undefined;
}

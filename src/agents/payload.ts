/**
 * Reads what an agent sent: which agent it is, which event, and where its fields are.
 *
 * @module
 */

import { agentNamed } from "./agents.ts";
import { type Arguments, isRecord } from "./arguments.ts";
import type { Agent, AgentEvent, EventRow } from "./dialect.ts";

/** A payload that was understood, or what is wrong with it. */
export type ReadPayload =
  | { agent: Agent; row: EventRow; event: AgentEvent; fault?: string }
  | { agent: Agent; row?: undefined; event?: undefined; fault: string };

/** The names of a field at all agents, the likeliest first. */
const FIELDS = {
  sessionId: ["session_id", "sessionId", "conversation_id"],
  transcriptPath: ["transcript_path", "transcriptPath"],
  cwd: ["cwd"],
  toolName: ["tool_name", "toolName"],
  toolCallId: ["tool_use_id", "toolCallId", "tool_call_id"],
  prompt: ["prompt"],
  lastMessage: ["last_assistant_message", "prompt_response"],
  customInstructions: ["custom_instructions"],
} as const;

const INPUT_FIELDS = ["tool_input", "toolInput", "toolArgs", "tool_args"];
const RESULT_FIELDS = ["tool_response", "tool_result", "toolResult", "tool_output", "error"];

/**
 * Reads a payload.
 *
 * @param asked The agent that the command line names.
 * @param payload What came in.
 * @param options The event that the command line names, and whether the environment says that
 * Copilot runs this.
 */
export function readPayload(
  asked: Agent,
  payload: unknown,
  options: { eventName?: string; isCopilot?: boolean } = {},
): ReadPayload {
  if (!isRecord(payload)) return { agent: asked, fault: "the payload is not an object" };
  const agent = speakerOf(asked, payload, options.isCopilot === true);
  const named = payload.hook_event_name ?? payload.hookName ?? agent.eventOf?.(payload);
  const name = typeof named === "string" ? named : options.eventName;
  if (name === undefined) {
    return { agent, fault: 'the payload does not name its event ("hook_event_name")' };
  }
  const event = eventFrom(agent, name, payload);
  const row = Object.hasOwn(agent.events, name) ? agent.events[name] : unknownRow(event);
  const fault = row.event === "tool_call" || row.event === "tool_result"
    ? toolFault(event)
    : undefined;
  return { agent, row, event, ...(fault !== undefined && { fault }) };
}

/**
 * Copilot runs the hooks of Claude Code's settings too, with payloads of its own: they have a time,
 * and no path of a transcript where Claude's always have one.
 */
function speakerOf(asked: Agent, payload: Arguments, isCopilot: boolean): Agent {
  if (asked.name !== "claude") return asked;
  const hasTime = payload.timestamp !== undefined && payload.tool_use_id === undefined;
  const lacksTranscript = payload.transcript_path === undefined;
  const isOther = typeof payload.sessionId === "string" || hasTime ||
    (isCopilot && lacksTranscript);
  return isOther ? agentNamed("copilot") ?? asked : asked;
}

function eventFrom(agent: Agent, name: string, payload: Arguments): AgentEvent {
  const row = Object.hasOwn(agent.events, name) ? agent.events[name] : undefined;
  const event: AgentEvent = {
    name,
    payload,
    toolInput: firstOf(payload, INPUT_FIELDS),
    toolResult: firstOf(payload, RESULT_FIELDS),
    isContinued: isSet(payload.stop_hook_active) || isSet(payload.loop_count),
    asksNobody: payload.permission_mode === "bypassPermissions" ||
      payload.permission_mode === "dontAsk",
  };
  for (const [field, names] of Object.entries(FIELDS)) {
    const value = firstOf(payload, names);
    if (typeof value === "string") event[field as keyof typeof FIELDS] = value;
  }
  const roots = payload.workspace_roots;
  if (event.cwd === undefined && Array.isArray(roots) && typeof roots[0] === "string") {
    event.cwd = roots[0];
  }
  if (row?.toolName !== undefined) event.toolName = row.toolName;
  const own = agent.fieldsOf?.(name, payload) ?? {};
  return Object.assign(
    event,
    Object.fromEntries(
      Object.entries(own).filter(([, value]) => value !== undefined),
    ),
  );
}

/** An event that no table has: if it is about a tool that is yet to run, hooks are asked. */
function unknownRow(event: AgentEvent): EventRow {
  const isGate = event.toolName !== undefined && event.toolInput !== undefined &&
    event.toolResult === undefined;
  return isGate ? { event: "tool_call" } : {};
}

function toolFault(event: AgentEvent): string | undefined {
  if (event.toolName !== undefined && event.toolName !== "") return undefined;
  return `the payload of ${event.name} does not name its tool`;
}

function firstOf(payload: Arguments, names: readonly string[]): unknown {
  return names.map((name) => payload[name]).find((value) => value !== undefined);
}

/** Flags come as booleans, counts and texts. */
function isSet(value: unknown): boolean {
  return value === true || value === "true" || (typeof value === "number" && value > 0);
}

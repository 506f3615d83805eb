/**
 * What an agent can send and what it can be told: the shape of the tables of all agents.
 *
 * @module
 */

import type { HookEventName } from "../events/map.ts";
import type { Arguments } from "./arguments.ts";
import type { AgentName } from "./names.ts";
import type { PiToolResult } from "./results.ts";

/** An answer of ours, before it is written as JSON. */
export type JsonObject = Record<string, unknown>;

/** What hooks can be asked on behalf of a foreign agent. */
export type Matter =
  & HookEventName
  & (
    | "tool_call"
    | "tool_result"
    | "before_agent_start"
    | "session_start"
    | "session_shutdown"
    | "agent_end"
    | "session_before_compact"
  );

/** What an agent sent, under the same names for all agents. */
export interface AgentEvent {
  /** The agent's name of the event. */
  name: string;
  /** Everything it sent. */
  payload: Arguments;
  /** The session. */
  sessionId?: string;
  /** The file of the talk. */
  transcriptPath?: string;
  /** The working directory. */
  cwd?: string;
  /** The tool, by the agent's name. */
  toolName?: string;
  /** The arguments of the tool. */
  toolInput?: unknown;
  /** The name of the call. */
  toolCallId?: string;
  /** What the tool gave back. */
  toolResult?: unknown;
  /** What the person wrote. */
  prompt?: string;
  /** What the model said last. */
  lastMessage?: string;
  /** What the person wants a summary to look at. */
  customInstructions?: string;
  /** Whether the agent goes on only because a stop hook had said so before. */
  isContinued: boolean;
  /** Whether nobody would be asked, even if the answer said so. */
  asksNobody: boolean;
}

/** A result that goes back, and what it replaces. */
export interface Replacement extends PiToolResult {
  /** What the tool gave back, as the agent sent it. */
  raw: unknown;
  /** The tool, by the agent's name. */
  toolName: string;
  /** Whether the hooks gave content of their own. */
  hasContent: boolean;
  /** Whether the hooks gave details of their own. */
  hasDetails: boolean;
}

/**
 * One event of an agent. A function that is there is something the agent can be told; what it
 * gives is the very answer. `--describe` prints these functions' answers, so that the table which
 * people read cannot differ from what is sent.
 */
export interface EventRow {
  /** What hooks are asked; absent if they are not. */
  event?: Matter;
  /** Which tool this is about, where the event itself says so. */
  toolName?: string;
  /** The event itself means that the tool failed. */
  isFailure?: true;
  /** Says no. Without it, no is exit code 2 with the reason on standard error. */
  deny?(reason: string): JsonObject;
  /** Lets the person decide. */
  ask?(reason: string): JsonObject;
  /** Puts a result in the place of the tool's own; `undefined` where this one cannot be replaced. */
  replace?(result: Replacement): JsonObject | undefined;
  /** Lets the model read something more. */
  context?(text: string): JsonObject;
  /** Lets the agent go on instead of stopping. */
  goOn?(text: string): JsonObject;
  /** Says that there is nothing to say. Default: `{}`; `null`: not even that. */
  silence?: JsonObject | null;
  /** What there is to know. */
  note?: string;
}

/** An agent. */
export interface Agent {
  /** Its name on the command line. */
  name: AgentName;
  /** Its name for people. */
  title: string;
  /** Which version this was seen with, or that it was not. */
  seen: string;
  /** Variables of the environment that name the project folder, the best first. */
  projectVariables: readonly string[];
  /** Its events. */
  events: Readonly<Record<string, EventRow>>;
  /** Tells the person something, beside the answer. */
  tell?(text: string): JsonObject;
  /** Finds out the event, where the payload does not name it. */
  eventOf?(payload: Arguments): string | undefined;
  /** Finds the fields that this agent puts in places of its own. */
  fieldsOf?(name: string, payload: Arguments): Partial<AgentEvent>;
  /** What it makes of exit codes. */
  exitCodes: readonly (readonly [code: string, meaning: string])[];
  /** What it skips in silence, and other traps. */
  traps: readonly string[];
}

/** What goes back to the agent. */
export interface AgentAnswer {
  /** The answer, `undefined` for none. */
  output: JsonObject | undefined;
  /** The exit code: 0, or 2 for a no that has no other form. */
  exitCode: 0 | 2;
  /** What goes to standard error, line by line. */
  complaints: string[];
}

/**
 * Puts parts of an answer together. Objects under the same name are merged.
 *
 * @param parts The parts; what is `undefined` is left out.
 */
export function mergeParts(...parts: (JsonObject | undefined)[]): JsonObject {
  const merged: JsonObject = {};
  for (const part of parts) {
    for (const [name, value] of Object.entries(part ?? {})) {
      const before = merged[name];
      merged[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
    }
  }
  return merged;
}

/** The text of a result, for agents that can take a text only. Never empty. */
export function textOfResult({ content }: Pick<PiToolResult, "content">): string {
  const text = content.map((block) =>
    block.type === "text" ? block.text : `[a picture of type ${block.mimeType} was here]`
  ).join("\n");
  return text.trim() === "" ? "[nothing is left of the output]" : text;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

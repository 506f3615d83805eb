/**
 * The two events around a tool, and the tools that are known by name.
 *
 * @module
 */

import type { ImageContent, TextContent } from "../messages.ts";
import type {
  BashToolDetails,
  EditToolDetails,
  FindToolDetails,
  GrepToolDetails,
  ReadToolDetails,
  WriteToolDetails,
} from "./tool_details.ts";

/**
 * The tools that agents of this family share: what goes in, and what `details` come out. Other
 * tools exist; their input and details are `unknown` to the compiler.
 */
export interface KnownTools {
  /** Runs a shell command. `timeout` in seconds. */
  bash: { input: { command: string; timeout?: number }; details: BashToolDetails | undefined };
  /** Reads a file. `offset` and `limit` in lines, from 1. */
  read: {
    input: { path: string; offset?: number; limit?: number };
    details: ReadToolDetails | undefined;
  };
  /** Changes a file. */
  edit: {
    input: {
      path: string;
      oldText?: string;
      newText?: string;
      edits?: { oldText: string; newText: string }[];
    };
    details: EditToolDetails | undefined;
  };
  /** Writes a file. */
  write: { input: { path: string; content: string }; details: WriteToolDetails | undefined };
  /** Searches in files. */
  grep: {
    input: {
      pattern: string;
      path?: string;
      glob?: string;
      ignoreCase?: boolean;
      literal?: boolean;
      context?: number;
      limit?: number;
    };
    details: GrepToolDetails | undefined;
  };
  /** Searches for files. */
  find: {
    input: { pattern: string; path?: string; limit?: number };
    details: FindToolDetails | undefined;
  };
}

/** The name of a known tool. */
export type KnownToolName = keyof KnownTools;

/** A tool call as a foreign agent named it, before it was given the names that hooks know. */
export interface OriginalToolCall {
  /** The agent's name of the tool. */
  readonly toolName: string;
  /** The agent's arguments; also a text, where the agent sends one. */
  readonly input: unknown;
}

/**
 * A tool is about to run.
 *
 * `input` is a deep-frozen copy of the arguments: a handler can allow or block, not rewrite.
 */
export interface ToolCallEvent {
  /** The event's name. */
  type: "tool_call";
  /** The tool. */
  toolName: string;
  /** Name of this call. */
  toolCallId: string;
  /** The arguments, read-only. Field names depend on the tool; {@linkcode isToolCall} narrows them. */
  input: Readonly<Record<string, unknown>>;
  /** The call as a foreign agent sent it; absent where the agent uses these names itself. */
  original?: OriginalToolCall;
}

/**
 * The answer of a `tool_call` handler. No answer, `{}` and `{ block: false }` allow. Anything that
 * is not understood blocks, with a reason that names the hook.
 */
export interface ToolCallEventResult {
  /** `true` stops the call; later handlers are not asked. */
  block?: boolean;
  /** Why; the model reads it. */
  reason?: string;
}

/** A tool has run. `content`, `details` and `input` are deep-frozen copies. */
export interface ToolResultEvent {
  /** The event's name. */
  type: "tool_result";
  /** The tool. */
  toolName: string;
  /** Name of the call. */
  toolCallId: string;
  /** The arguments, read-only. */
  input: Readonly<Record<string, unknown>>;
  /** The call as a foreign agent sent it; absent where the agent uses these names itself. */
  original?: OriginalToolCall;
  /** What the model will read. */
  content: readonly (TextContent | ImageContent)[];
  /** Structured data, by tool. {@linkcode isToolResult} narrows it. */
  details: unknown;
  /** Whether the tool failed; then the answers of handlers are ignored. */
  isError?: boolean;
  /** Whether the tool worked but wants attention. */
  isWarning?: boolean;
}

/**
 * The answer of a `tool_result` handler: the fields to replace. For each field the last handler
 * that sets it wins. `isError` and `isWarning` are accepted and not applied by the tool wrapper.
 */
export interface ToolResultEventResult {
  /** The new content. An empty list is a valid content. */
  content?: readonly (TextContent | ImageContent)[];
  /** The new details; `null` takes them away. Must be something that JSON can hold. */
  details?: unknown;
  /** Accepted, and not applied. */
  isError?: boolean;
  /** Accepted, and not applied. */
  isWarning?: boolean;
}

/** A `tool_call` event of a known tool. */
export type ToolCallEventOf<N extends KnownToolName> = ToolCallEvent & {
  toolName: N;
  input: Readonly<KnownTools[N]["input"]>;
};

/** A `tool_result` event of a known tool. */
export type ToolResultEventOf<N extends KnownToolName> = ToolResultEvent & {
  toolName: N;
  input: Readonly<KnownTools[N]["input"]>;
  details: KnownTools[N]["details"];
};

/**
 * Tells whether a call is one of a known tool, and narrows its `input`. The narrowing trusts the
 * agent's argument check; a guard that must not be fooled still checks the field it reads.
 *
 * @param name The tool asked for.
 * @param event The event.
 *
 * @example
 * ```ts
 * import { isToolCall, type ToolCallEvent } from "@pi-hooks/core";
 *
 * const event: ToolCallEvent = {
 *   type: "tool_call",
 *   toolName: "bash",
 *   toolCallId: "c1",
 *   input: { command: "ls" },
 * };
 * if (isToolCall("bash", event) && event.input.command !== "ls") throw new Error("unexpected");
 * ```
 */
export function isToolCall<N extends KnownToolName>(
  name: N,
  event: ToolCallEvent,
): event is ToolCallEventOf<N> {
  return event.toolName === name;
}

/**
 * Tells whether a result is one of a known tool, and narrows `input` and `details`.
 *
 * @param name The tool asked for.
 * @param event The event.
 *
 * @example
 * ```ts
 * import { isToolResult, type ToolResultEvent } from "@pi-hooks/core";
 *
 * const event: ToolResultEvent = {
 *   type: "tool_result",
 *   toolName: "edit",
 *   toolCallId: "c1",
 *   input: { path: "a.ts" },
 *   content: [],
 *   details: { diff: "+1" },
 * };
 * if (isToolResult("edit", event) && event.details?.diff !== "+1") throw new Error("unexpected");
 * ```
 */
export function isToolResult<N extends KnownToolName>(
  name: N,
  event: ToolResultEvent,
): event is ToolResultEventOf<N> {
  return event.toolName === name;
}

/**
 * The events of the agent: prompts, turns, calls of the model, retries, reminders.
 *
 * @module
 */

import type { CompactionResult } from "../entries.ts";
import type { AgentMessage, CustomMessage, ImageContent, ToolResultMessage } from "../messages.ts";

/**
 * The model is about to be called. `messages` is a private deep copy: edit it freely, the edit
 * counts only if the list is returned.
 */
export interface ContextEvent {
  /** The event's name. */
  type: "context";
  /** The messages that the model would read, as the handler before left them. */
  messages: AgentMessage[];
}

/** The answer of a `context` handler, for this one call of the model. */
export interface ContextEventResult {
  /** The messages that the model shall read. */
  messages?: AgentMessage[];
}

/** A prompt of the person is about to start the agent. */
export interface BeforeAgentStartEvent {
  /** The event's name. */
  type: "before_agent_start";
  /** The prompt. */
  prompt: string;
  /** Pictures that came with it. */
  images?: ImageContent[];
}

/** A message as a hook hands it in; role and time are added. */
export type HookMessageInput<T = unknown> = Pick<
  CustomMessage<T>,
  "customType" | "content" | "display" | "details" | "attribution"
>;

/** The answer of a `before_agent_start` handler. The first message of all handlers is used. */
export interface BeforeAgentStartEventResult {
  /** A message to be put after the prompt. */
  message?: HookMessageInput;
}

/** The agent begins to work on a prompt. */
export interface AgentStartEvent {
  /** The event's name. */
  type: "agent_start";
}

/** The agent has finished. */
export interface AgentEndEvent {
  /** The event's name. */
  type: "agent_end";
  /** The messages that this run has added. */
  messages: AgentMessage[];
}

/** One turn begins: a call of the model, then the tools it asks for. */
export interface TurnStartEvent {
  /** The event's name. */
  type: "turn_start";
  /** Position of the turn in this run, from 0. */
  turnIndex: number;
  /** When, in milliseconds since 1970. */
  timestamp: number;
}

/** One turn has ended. */
export interface TurnEndEvent {
  /** The event's name. */
  type: "turn_end";
  /** Position of the turn in this run, from 0. */
  turnIndex: number;
  /** What the model answered. */
  message: AgentMessage;
  /** What the tools gave back. */
  toolResults: ToolResultMessage[];
}

/** What an automatic compaction does. */
export type AutoCompactionAction = "context-full" | "handoff";

/** The conversation is compacted without being asked for. */
export interface AutoCompactionStartEvent {
  /** The event's name. */
  type: "auto_compaction_start";
  /** Why. */
  reason: "threshold" | "overflow" | "idle";
  /** How. */
  action: AutoCompactionAction;
}

/** An automatic compaction is over. */
export interface AutoCompactionEndEvent {
  /** The event's name. */
  type: "auto_compaction_end";
  /** How it was done. */
  action: AutoCompactionAction;
  /** What came out, `undefined` if nothing did. */
  result: CompactionResult | undefined;
  /** Whether a hook or the person stopped it. */
  aborted: boolean;
  /** Whether the call of the model that was too large is tried again. */
  willRetry: boolean;
  /** What went wrong. */
  errorMessage?: string;
  /** Whether there was nothing to do. */
  skipped?: boolean;
}

/** A call of the model failed and will be tried again. */
export interface AutoRetryStartEvent {
  /** The event's name. */
  type: "auto_retry_start";
  /** Number of the attempt, from 1. */
  attempt: number;
  /** How many attempts there will be. */
  maxAttempts: number;
  /** How long it waits before, in milliseconds. */
  delayMs: number;
  /** What went wrong. */
  errorMessage: string;
}

/** The retries are over. */
export interface AutoRetryEndEvent {
  /** The event's name. */
  type: "auto_retry_end";
  /** Whether the model has answered. */
  success: boolean;
  /** Number of the last attempt. */
  attempt: number;
  /** What went wrong at last. */
  finalError?: string;
}

/** A rule that watches what the model writes. */
export interface Rule {
  /** Its name. */
  name: string;
  /** The file it was read from. */
  path: string;
  /** What the model is told when the rule matches. */
  content: string;
  /** Files that it applies to. */
  globs?: string[];
  /** Whether it applies to everything. */
  alwaysApply?: boolean;
  /** One line for listings. */
  description?: string;
  /** Regular expressions, one of which has to match. */
  condition?: string[];
  /** Where to look. */
  scope?: string[];
  /** When it interrupts the model. */
  interruptMode?: "never" | "prose-only" | "tool-only" | "always";
}

/** Rules matched what the model was writing, and interrupted it. */
export interface TtsrTriggeredEvent {
  /** The event's name. */
  type: "ttsr_triggered";
  /** The rules. */
  rules: Rule[];
}

/** A task on the agent's list. */
export interface TodoItem {
  /** Its name. */
  id: string;
  /** What is to be done. */
  content: string;
  /** How far it is. */
  status: "pending" | "in_progress" | "completed" | "abandoned";
  /** Remarks. */
  notes?: string;
  /** More about it. */
  details?: string;
}

/** The agent stopped with open tasks and is about to be reminded. */
export interface TodoReminderEvent {
  /** The event's name. */
  type: "todo_reminder";
  /** The open tasks. */
  todos: TodoItem[];
  /** Number of this reminder, from 1. */
  attempt: number;
  /** How many there will be. */
  maxAttempts: number;
}

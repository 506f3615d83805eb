/**
 * Reminds the agent of open tasks when it would stop.
 *
 * @module
 */

import type { TodoItem } from "../events/agent.ts";
import type { AgentMessage, DeveloperMessage, ToolResultMessage } from "../messages.ts";

/** How an agent is reminded of open tasks. */
export interface TodoSettings {
  /** The tool that keeps the list. Default `todo_write`. */
  toolName?: string;
  /** How often the agent is reminded after one prompt. Default 3. */
  maxReminders?: number;
  /**
   * Reads the list from a result of the tool. Default: `details.todos`, or the `tasks` of all
   * `details.phases`.
   */
  readTodos?: (result: ToolResultMessage) => TodoItem[];
}

/** A reminder that is due. */
export interface Reminder {
  /** The open tasks. */
  todos: TodoItem[];
  /** Number of this reminder, from 1. */
  attempt: number;
  /** How many there will be. */
  maxAttempts: number;
}

/** Keeps the list of tasks, and tells when a reminder is due. */
export class TodoReminder {
  readonly #settings: TodoSettings | undefined;
  #open: TodoItem[] = [];
  #attempt = 0;

  /** @param settings `undefined`: the agent is never reminded. */
  constructor(settings: TodoSettings | undefined) {
    this.#settings = settings;
  }

  /** The person has said something: counting begins anew. */
  restart(): void {
    this.#attempt = 0;
  }

  /**
   * Takes the list from another conversation: what the tool said last in it counts.
   *
   * @param messages The conversation.
   */
  read(messages: readonly AgentMessage[]): void {
    this.#open = [];
    for (const message of messages) if (message.role === "toolResult") this.note(message);
  }

  /**
   * Takes the list from a result, if it is one of the tool that keeps it.
   *
   * @param result The result of any tool.
   */
  note(result: ToolResultMessage): void {
    if (this.#settings === undefined || result.isError) return;
    const { toolName = "todo_write", readTodos = todosOf } = this.#settings;
    if (result.toolName !== toolName) return;
    this.#open = readTodos(result).filter(({ status }) =>
      status === "pending" || status === "in_progress"
    );
  }

  /** The agent would stop: the reminder that is due, and counted by that. */
  next(): Reminder | undefined {
    const maxAttempts = this.#settings?.maxReminders ?? 3;
    if (this.#settings === undefined || this.#open.length === 0 || this.#attempt >= maxAttempts) {
      return undefined;
    }
    return { todos: [...this.#open], attempt: ++this.#attempt, maxAttempts };
  }
}

function todosOf({ details }: ToolResultMessage): TodoItem[] {
  const { todos, phases } = asRecord(details);
  const lists = Array.isArray(phases) ? phases.map((phase) => asRecord(phase).tasks) : [todos];
  return lists.flatMap((list) => Array.isArray(list) ? list.filter(isTodo) : []);
}

function isTodo(value: unknown): value is TodoItem {
  const { content, status } = asRecord(value);
  return typeof content === "string" && typeof status === "string";
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/**
 * What the agent is told.
 *
 * @param reminder The reminder.
 * @param timestamp When, in milliseconds since 1970.
 */
export function reminderMessage(reminder: Reminder, timestamp: number): DeveloperMessage {
  const lines = reminder.todos.map(({ content, status }) => `- ${content} (${status})`);
  const text = "You stopped, but these tasks on your list are open:\n\n" +
    `${lines.join("\n")}\n\nGo on with them, or say why they cannot be done. ` +
    `(Reminder ${reminder.attempt} of ${reminder.maxAttempts})`;
  return {
    role: "developer",
    content: [{ type: "text", text }],
    attribution: "agent",
    timestamp,
  };
}

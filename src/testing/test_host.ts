/**
 * The host that a test talks to.
 *
 * @module
 */

import {
  type AgentMessage,
  EVENT_FIELDS,
  type EventField,
  type HandlerRecord,
  type HookBlockKind,
  type HookError,
  type HookEventName,
  type HookEventOf,
  type HookHost,
  type HookMessageInput,
  type HookResultOf,
  type HookWarning,
  type ImageContent,
  type TextContent,
} from "../../mod.ts";
import { nearest } from "../nearest.ts";
import type { Unexpected } from "./script.ts";
import type { TestExecCall } from "./test_programs.ts";
import type { TestDialog, TestNotice, TestScreen } from "./test_ui.ts";

/** What the hooks made of a call. */
export interface TestToolCall {
  /** Whether the tool must not run. */
  blocked: boolean;
  /** Why. */
  reason?: string;
  /** The hook that blocked. */
  hookPath?: string;
  /** Whether that was a decision, a fault or a time limit. */
  kind?: HookBlockKind;
  /** What became of every handler. */
  trace: HandlerRecord[];
}

/** What the hooks made of a result. */
export interface TestToolResult {
  /** What the model reads. */
  content: readonly (TextContent | ImageContent)[];
  /** The texts of the content, joined by line feeds. */
  text: string;
  /** The structured data. */
  details: unknown;
  /** Whether a hook has changed something. */
  isChanged: boolean;
  /** What became of every handler. */
  trace: HandlerRecord[];
}

/** A line that a hook has logged. */
export interface TestLogLine {
  /** How much it matters. */
  level: "debug" | "info" | "warn" | "error";
  /** The text. */
  message: string;
  /** What belongs to it. */
  data?: unknown;
}

/** Everything that is written down. */
export interface TestRecords {
  /** Calls of `pi.exec`. */
  execCalls: TestExecCall[];
  /** What hooks logged. */
  logs: TestLogLine[];
  /** What became of the handlers of the last event. */
  trace: HandlerRecord[];
  /** Handlers that failed. */
  errors: HookError[];
  /** What was odd about hooks. */
  warnings: HookWarning[];
}

/**
 * A host for tests; {@linkcode createTestHost} makes it. Each method waits until the hooks have
 * answered, and fails if one of them asked or ran something that the test has not expected.
 */
export class TestHost implements AsyncDisposable {
  /** The host itself, for prompts, sessions and whatever else there is. */
  readonly host: HookHost;
  /** All questions, in the order in which they came up. */
  readonly dialogs: readonly TestDialog[];
  /** All notices. */
  readonly notices: readonly TestNotice[];
  /** The texts in the status line, by key. */
  readonly statuses: ReadonlyMap<string, string>;
  /** All calls of `pi.exec`. */
  readonly execCalls: readonly TestExecCall[];
  /** What hooks have logged. */
  readonly logs: readonly TestLogLine[];
  /** Handlers that failed, except in `tool_call`, where that blocks. */
  readonly errors: readonly HookError[];
  /** What was odd about hooks. */
  readonly warnings: readonly HookWarning[];
  readonly #screen: TestScreen;
  readonly #records: TestRecords;
  readonly #unexpected: Unexpected;
  #calls = 0;

  /**
   * Use {@linkcode createTestHost} instead.
   *
   * @param host The host.
   * @param screen What the person sees.
   * @param records What is written down.
   * @param unexpected What was not expected.
   */
  constructor(host: HookHost, screen: TestScreen, records: TestRecords, unexpected: Unexpected) {
    this.host = host;
    this.dialogs = screen.dialogs;
    this.notices = screen.notices;
    this.statuses = screen.statuses;
    this.execCalls = records.execCalls;
    this.logs = records.logs;
    this.errors = records.errors;
    this.warnings = records.warnings;
    this.#screen = screen;
    this.#records = records;
    this.#unexpected = unexpected;
  }

  /** The conversation: also what hooks have sent. */
  get messages(): readonly AgentMessage[] {
    return this.host.messages;
  }

  /** Tells the hooks `session_start`, once; {@linkcode createTestHost} has done it. */
  async start(): Promise<void> {
    await this.#watch(() => this.host.start());
  }

  /**
   * Asks the hooks about a tool call.
   *
   * @param toolName The tool.
   * @param input Its arguments.
   * @param toolCallId Name of the call. Default: `call-1`, `call-2`, …
   */
  async toolCall(
    toolName: string,
    input: Record<string, unknown> = {},
    toolCallId = `call-${++this.#calls}`,
  ): Promise<TestToolCall> {
    const event = { type: "tool_call" as const, toolName, toolCallId, input };
    const { value, trace } = await this.#watch(() => this.host.runner.decideToolCall(event));
    if (!value.blocked) return { blocked: false, trace };
    const { reason, hookPath, kind } = value;
    return { blocked: true, reason, hookPath, kind, trace };
  }

  /**
   * Shows the hooks what a tool has given back.
   *
   * @param toolName The tool.
   * @param result A text, or content, details and whether the tool failed.
   * @param input The arguments of the call.
   * @param toolCallId Name of the call. Default: a new one.
   */
  async toolResult(
    toolName: string,
    result: string | {
      content: string | (TextContent | ImageContent)[];
      details?: unknown;
      isError?: boolean;
    },
    input: Record<string, unknown> = {},
    toolCallId = `call-${++this.#calls}`,
  ): Promise<TestToolResult> {
    const given = typeof result === "string" ? { content: result } : result;
    const content: (TextContent | ImageContent)[] = typeof given.content === "string"
      ? [{ type: "text", text: given.content }]
      : given.content;
    const { details, isError = false } = { details: undefined, ...given };
    const event: HookEventOf<"tool_result"> & { type: "tool_result" } = {
      type: "tool_result",
      toolName,
      toolCallId,
      input,
      content,
      details,
      isError,
    };
    const { value, trace } = await this.#watch(() => this.host.runner.emit(event));
    // What hooks make of a failure does not count.
    const counts = value !== undefined && !isError;
    const read = counts && value.content !== undefined ? value.content : content;
    return {
      content: read,
      text: read.flatMap((one) => one.type === "text" ? [one.text] : []).join("\n"),
      details: counts && "details" in value ? value.details : details,
      isChanged: counts && ("content" in value || "details" in value),
      trace,
    };
  }

  /**
   * Lets the hooks change what the model reads.
   *
   * @param messages The conversation.
   */
  async context(messages: AgentMessage[]): Promise<AgentMessage[]> {
    return (await this.#watch(() => this.host.runner.emitContext(messages))).value;
  }

  /**
   * Lets the hooks add a message to a prompt, without asking the model. For a whole run there is
   * `host.prompt`.
   *
   * @param prompt The prompt.
   */
  async beforeAgentStart(prompt: string): Promise<HookMessageInput | undefined> {
    const run = () => this.host.runner.emitBeforeAgentStart(prompt);
    return (await this.#watch(run)).value?.message;
  }

  /**
   * Runs a slash command.
   *
   * @param name Its name, without the slash.
   * @param args The text after the name.
   * @throws {Error} If there is no such command, or it fails.
   */
  async command(name: string, args = ""): Promise<void> {
    const { runner } = this.host;
    const before = this.errors.length;
    const { value } = await this.#watch(() => runner.runCommand(name, args));
    if (!value) {
      const guess = nearest(name, runner.getRegisteredCommands().map((one) => one.name));
      const hint = guess === undefined ? "" : `; did you mean /${guess}?`;
      throw new Error(`There is no command /${name}${hint}`);
    }
    const failed = this.errors.slice(before).find(({ event }) => event === `command:${name}`);
    if (failed !== undefined) throw new Error(failed.error, { cause: failed.cause });
  }

  /**
   * Puts any event through the hooks. Fields that are left out are filled in.
   *
   * @param name The event.
   * @param fields Its fields.
   * @returns The folded answer, and what became of every handler.
   */
  async emit<N extends HookEventName>(
    name: N,
    fields: Partial<Omit<HookEventOf<N>, "type">> = {},
  ): Promise<{ answer: HookResultOf<N> | undefined; trace: HandlerRecord[] }> {
    const known: [string, EventField][] = Object.entries(EVENT_FIELDS[name]);
    const samples = known.map(([field, { sample }]) => [field, sample]);
    const event = { type: name, ...Object.fromEntries(samples), ...fields };
    // The table of fields has the types by name, which the compiler cannot follow here.
    const { value, trace } = await this.#watch(() => this.#emit(name, event as never));
    return { answer: value as HookResultOf<N> | undefined, trace };
  }

  #emit(name: HookEventName, event: never): Promise<unknown> {
    const { runner } = this.host;
    if (name === "tool_call") return runner.emitToolCall(event);
    if (name === "context") {
      return runner.emitContext((event as HookEventOf<"context">).messages)
        .then((messages) => ({ messages }));
    }
    if (name === "before_agent_start") {
      const { prompt, images } = event as HookEventOf<"before_agent_start">;
      return runner.emitBeforeAgentStart(prompt, images && [...images]);
    }
    return runner.emit(event);
  }

  /**
   * Ends the host: hooks hear `session_shutdown`.
   *
   * @throws {UnexpectedError} If answers of a list are left over, or something was not expected.
   */
  async close(): Promise<void> {
    await this.#watch(() => this.host.shutdown());
    const left = this.#screen.leftOver();
    if (left.length > 0) {
      throw this.#unexpected.add(`Nobody has asked for these answers: ${left.join(", ")}`);
    }
  }

  /** The same as {@linkcode TestHost.close}, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #watch<T>(run: () => Promise<T>): Promise<{ value: T; trace: HandlerRecord[] }> {
    this.#records.trace.length = 0;
    try {
      return { value: await run(), trace: [...this.#records.trace] };
    } finally {
      this.#unexpected.check();
    }
  }
}

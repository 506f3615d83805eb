/**
 * The line protocol: an event comes in as a line of JSON, its answer goes out as one.
 *
 * @module
 */

import {
  type AgentMessage,
  type AgentTool,
  createTools,
  eventFault,
  HOOK_EVENT_NAMES,
  HookBlockedError,
  type HookError,
  type HookEventName,
  type HookRunner,
  type ImageContent,
  isHookEventName,
  type ToolCallEvent,
  wrapTools,
} from "../../mod.ts";
import { nearest } from "../nearest.ts";
import type { HookSet } from "./hooks.ts";

/** A line as it came in, once it is known to be an event. */
export type Request = Record<string, unknown> & { type: HookEventName };

/** What goes out for an event. */
export interface ProtocolAnswer {
  /** The request's `id`, or the number of its line. */
  id: unknown;
  /** The event. */
  type?: HookEventName;
  /** The folded answer, `null` for none. */
  result?: unknown;
  /** Handlers that failed. */
  errors?: Pick<HookError, "hookPath" | "event" | "error">[];
  /** What the tool gave back, where one was run. */
  tool?: { content: unknown; details: unknown; isError: boolean };
  /** What became of every handler, where it was asked for. */
  trace?: unknown[];
  /** Why the line is no event. */
  error?: string;
}

/** Answers lines with one set of hooks. */
export class ProtocolSession {
  readonly #hooks: HookSet;
  readonly #wantsTrace: boolean;
  readonly #tools: Promise<AgentTool[]> | AgentTool[];

  /**
   * @param hooks The hooks.
   * @param wantsTrace Whether answers tell what became of every handler.
   */
  constructor(hooks: HookSet, wantsTrace: boolean) {
    this.#hooks = hooks;
    this.#wantsTrace = wantsTrace;
    this.#tools = createTools(hooks.cwd);
  }

  /**
   * Answers a line.
   *
   * @param line The line.
   * @param number Its number, from 1.
   */
  async answer(line: string, number: number): Promise<ProtocolAnswer> {
    const parsed = parseLine(line);
    const id = parsed.request?.id ?? parsed.id ?? number;
    if (parsed.request === undefined) return { id, error: parsed.fault };
    const { request } = parsed;
    const errors: ProtocolAnswer["errors"] = [];
    const stop = this.#hooks.runner.onError(({ hookPath, event, error }) => {
      errors.push({ hookPath, event, error });
    });
    try {
      this.#hooks.records.length = 0;
      const outcome = request.execute === true && request.type === "tool_call"
        ? await this.#execute(request as Request & ToolCallEvent)
        : { result: await emitRequest(this.#hooks.runner, request) };
      if (outcome.error !== undefined) return { id, error: outcome.error };
      const answer: ProtocolAnswer = { id, type: request.type, ...outcome, errors };
      if (this.#wantsTrace) answer.trace = this.#hooks.records.slice();
      return answer;
    } finally {
      stop();
    }
  }

  async #execute(event: ToolCallEvent): Promise<Pick<ProtocolAnswer, "result" | "tool" | "error">> {
    const tools = await this.#tools;
    const tool = tools.find(({ name }) => name === event.toolName);
    if (tool === undefined) {
      const names = tools.map(({ name }) => name).join(", ");
      return { error: `There is no tool "${event.toolName}" to execute; there are: ${names}` };
    }
    let hasRun = false;
    const watched: AgentTool = {
      ...tool,
      execute: (...call) => {
        hasRun = true;
        return tool.execute(...call);
      },
    };
    const [guarded] = wrapTools([watched], this.#hooks.runner);
    try {
      const { content, details } = await guarded.execute(event.toolCallId, event.input);
      return { result: null, tool: { content, details: details ?? null, isError: false } };
    } catch (thrown) {
      const text = thrown instanceof Error ? thrown.message : String(thrown);
      if (!hasRun) return { result: this.#blockOf(thrown, text) };
      const content = [{ type: "text", text }];
      return { result: null, tool: { content, details: null, isError: true } };
    }
  }

  #blockOf(thrown: unknown, reason: string): unknown {
    if (thrown instanceof HookBlockedError) {
      return { block: true, reason, hookPath: thrown.hookPath, kind: thrown.kind };
    }
    // A handler's own error comes through as it is; the records know whose it was.
    const failed = this.#hooks.records.findLast(({ outcome }) => outcome === "threw");
    return { block: true, reason, hookPath: failed?.hookPath ?? null, kind: "fault" };
  }
}

/**
 * Puts an event through its handlers.
 *
 * @param runner The runner.
 * @param request The event, as it came in.
 * @param signal Ends the wait for handlers.
 * @returns The folded answer, `null` for none.
 */
export async function emitRequest(
  runner: HookRunner,
  request: Request,
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown> {
  const { id: _, execute: __, ...event } = request;
  switch (request.type) {
    case "tool_call": {
      const decision = await runner.decideToolCall(event as unknown as ToolCallEvent, { signal });
      if (!decision.blocked) return decision.result ?? null;
      const { reason, hookPath, kind } = decision;
      return { block: true, reason, hookPath, kind };
    }
    case "context": {
      const messages = event.messages as AgentMessage[];
      return { messages: await runner.emitContext(messages, { signal }) };
    }
    case "before_agent_start": {
      const images = event.images as ImageContent[] | undefined;
      const prompt = event.prompt as string;
      return await runner.emitBeforeAgentStart(prompt, images, { signal }) ?? null;
    }
    case "session_before_compact":
    case "session_before_tree":
      return await runner.emit({ ...event, signal } as never, { signal }) ?? null;
    default:
      return await runner.emit(event as never, { signal }) ?? null;
  }
}

/** A line that is an event, or what is wrong with it. */
export type ParsedLine =
  | { request: Request; fault?: undefined; id?: undefined }
  | { request?: undefined; fault: string; id?: unknown };

/**
 * Reads a line.
 *
 * @param line The line.
 */
export function parseLine(line: string): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { fault: `The line is not JSON: ${(error as Error).message}` };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { fault: 'The line is not an event: an object such as {"type":"session_start"}' };
  }
  const { type, id } = value as { type?: unknown; id?: unknown };
  if (typeof type !== "string") return { id, fault: 'The event has no "type"' };
  if (!isHookEventName(type)) {
    const guess = nearest(type, HOOK_EVENT_NAMES);
    const hint = guess === undefined ? "" : `; did you mean "${guess}"?`;
    return { id, fault: `There is no event "${type}"${hint}` };
  }
  const fault = eventFault(type, value as Record<string, unknown>);
  return fault === undefined ? { request: value as Request } : { id, fault };
}

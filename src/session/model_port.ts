/**
 * The model port: the one function through which a host reaches a model, and how its answer is read.
 *
 * @module
 */

import { describeValue, HookAbortError, isThrown, thrownText } from "../errors.ts";
import type { AssistantMessage, Message, StopReason, Usage } from "../messages.ts";
import type { AgentTool } from "../ports.ts";

/** What a model is asked. */
export interface ModelRequest {
  /** The conversation. */
  messages: Message[];
  /** The tools that it may call. */
  tools: readonly AgentTool[];
  /** Fires when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** A piece of a streamed answer. Only texts, `done` and `error` are looked at. */
export type AssistantMessageEvent =
  | { type: "text_delta" | "thinking_delta" | "toolcall_delta"; delta: string }
  | {
    type:
      | "start"
      | "text_start"
      | "text_end"
      | "thinking_start"
      | "thinking_end"
      | "toolcall_start"
      | "toolcall_end";
  }
  | { type: "done"; message: AssistantMessage }
  | { type: "error"; error: AssistantMessage };

/**
 * Reaches a model. It answers with a whole message, or with a stream: events, or pieces of text. A
 * stream that ends without `done` is an answer of the texts that it has sent.
 *
 * It throws if the model cannot be reached; a {@linkcode ModelError} says whether trying again may
 * help. When the signal fires, nobody waits any longer.
 */
export type ModelPort = (
  request: ModelRequest,
) =>
  | AssistantMessage
  | Promise<AssistantMessage>
  | AsyncIterable<AssistantMessageEvent | string>;

/**
 * Why a model did not answer. `retryable`: it may answer if it is asked again. `overflow`: the
 * conversation is too long for it. `fatal`: asking again is of no use.
 */
export type ModelErrorKind = "retryable" | "overflow" | "fatal";

/**
 * Thrown by a model port.
 *
 * @example
 * ```ts
 * import { ModelError, type ModelPort } from "@pi-hooks/core";
 *
 * const model: ModelPort = async ({ messages, signal }) => {
 *   const body = JSON.stringify({ messages });
 *   const response = await fetch("https://models.example/v1", { method: "POST", body, signal });
 *   if (response.status === 429) throw new ModelError("too many requests", "retryable");
 *   return await response.json();
 * };
 * ```
 */
export class ModelError extends Error {
  /** Always `"ModelError"`. */
  override readonly name = "ModelError";
  /** What may help. */
  readonly kind: ModelErrorKind;
  /** How long the provider asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number;

  /**
   * Makes the error.
   *
   * @param message What happened.
   * @param kind What may help.
   * @param options As for `Error`, and the wait that the provider asks for.
   */
  constructor(
    message: string,
    kind: ModelErrorKind = "fatal",
    options: ErrorOptions & { retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.kind = kind;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

/** Where an answer came from, for messages that no model has written. */
const NOWHERE = { api: "none", provider: "none", model: "none" };

/**
 * Makes an assistant message of a text: for answers that came as pieces of text, for errors, and
 * for scripts.
 *
 * @param text What it says; `""` makes a message without content.
 * @param stopReason Why the model stopped.
 * @param timestamp When, in milliseconds since 1970.
 */
export function assistantText(
  text: string,
  stopReason: StopReason,
  timestamp: number,
): AssistantMessage {
  return {
    role: "assistant",
    content: text === "" ? [] : [{ type: "text", text }],
    ...NOWHERE,
    usage: noUsage(),
    stopReason,
    timestamp,
  };
}

/** No tokens and no cost. */
export function noUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** All texts of an assistant message, joined by line feeds. */
export function textOfAnswer(message: AssistantMessage): string {
  return message.content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
}

/**
 * Asks a model and reads its answer to the end.
 *
 * @param port The model.
 * @param request The question.
 * @param onText Gets the text so far whenever more of it has come; what it throws ends the answer.
 * @throws {HookAbortError} When the signal fires, also if the port does not heed it.
 * @throws {ModelError} If the port fails, or answers something that is no assistant message.
 */
export async function askModel(
  port: ModelPort,
  request: ModelRequest,
  onText: (text: string) => void = () => {},
): Promise<AssistantMessage> {
  const { signal } = request;
  if (signal.aborted) throw aborted(signal);
  const answer = port(request);
  const message = isStream(answer)
    ? await readStream(answer, signal, onText)
    : await unlessAborted(answer, signal);
  const fault = faultOf(message);
  if (fault !== undefined) throw new ModelError(`The model port gave ${fault}`);
  return message;
}

function isStream(
  answer: ReturnType<ModelPort>,
): answer is AsyncIterable<AssistantMessageEvent | string> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}

async function readStream(
  stream: AsyncIterable<AssistantMessageEvent | string>,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<AssistantMessage> {
  const iterator = stream[Symbol.asyncIterator]();
  let text = "";
  let isOver = false;
  try {
    while (true) {
      const step = await unlessAborted(iterator.next(), signal);
      isOver = step.done === true;
      if (isOver) break;
      const event = step.value;
      if (typeof event === "object" && event.type === "done") return event.message;
      if (typeof event === "object" && event.type === "error") return event.error;
      const more = typeof event === "string" ? event : event.type === "text_delta" && event.delta;
      if (more === false || more === "") continue;
      text += more;
      onText(text);
    }
  } finally {
    // A port that does not listen must not keep anybody waiting, so its end is not awaited.
    if (!isOver) iterator.return?.()?.then(undefined, () => {});
  }
  if (text === "") throw new ModelError("The model ended its answer without saying anything");
  return assistantText(text, "stop", Date.now());
}

/** What is wrong with an answer; a port is a stranger's code. */
function faultOf(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null) return describeValue(answer);
  const { role, content } = answer as Partial<AssistantMessage>;
  if (role !== "assistant" || !Array.isArray(content)) {
    return `${describeValue(answer)}, which is no assistant message with a list of blocks`;
  }
  for (const block of content) {
    if (block?.type !== "toolCall") continue;
    const { id, name, arguments: args } = block;
    if (typeof id !== "string" || typeof name !== "string" || typeof args !== "object") {
      return `a tool call without id, name or arguments: ${describeValue(block)}`;
    }
  }
  return undefined;
}

/**
 * Waits for something no longer than until the signal fires.
 *
 * @param work What is waited for. What becomes of it afterwards is nobody's business.
 * @param signal The signal.
 * @throws {HookAbortError} When the signal fires first.
 */
export async function unlessAborted<T>(work: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(aborted(signal));
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (signal.aborted) stop();
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function aborted(signal: AbortSignal): HookAbortError {
  const why = isThrown(signal.reason, Error) ? thrownText(signal.reason) : "The call was aborted";
  return new HookAbortError(why, undefined, { cause: signal.reason });
}

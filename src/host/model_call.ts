/**
 * One question to the model: hooks change what it reads, rules watch what it says, failed calls are
 * tried again.
 *
 * @module
 */

import { isThrown, thrownText } from "../errors.ts";
import type { AgentMessage, AssistantMessage } from "../messages.ts";
import { convertToLlm } from "../session/llm_messages.ts";
import { askModel, assistantText, ModelError, textOfAnswer } from "../session/model_port.ts";
import type { RunParts } from "./run_parts.ts";
import { RuleMatch, ruleMessage } from "./stream_rules.ts";

/** What came of one attempt. */
type Attempt =
  | { kind: "answer"; message: AssistantMessage }
  | { kind: "aborted"; message: AssistantMessage }
  | { kind: "failed"; message: AssistantMessage; failure: unknown };

/**
 * Asks the model until it answers or there is no hope. Nothing here throws but a session that cannot
 * be written: whatever goes wrong is an assistant message with the stop reason `error` or `aborted`.
 */
export class ModelCall {
  readonly #parts: RunParts;
  readonly #signal: AbortSignal;
  readonly #add: (message: AgentMessage) => void;
  /** What has to be said once the answer is in the conversation. */
  readonly afterwards: AgentMessage[] = [];
  #retries = 0;
  #hasCompacted = false;

  /**
   * @param parts The host.
   * @param signal The signal of the run.
   * @param add Adds a message to the conversation.
   */
  constructor(parts: RunParts, signal: AbortSignal, add: (message: AgentMessage) => void) {
    this.#parts = parts;
    this.#signal = signal;
    this.#add = add;
  }

  /** Asks, and gives the message that ends it. */
  async run(): Promise<AssistantMessage> {
    while (true) {
      const attempt = await this.#attempt();
      if (attempt.kind === "failed" && await this.#mend(attempt)) continue;
      await this.#endRetries(attempt);
      return attempt.message;
    }
  }

  async #attempt(): Promise<Attempt> {
    const { transcript, runner, guard, options, rules, report, tools } = this.#parts;
    const signal = this.#signal;
    // Rules end the stream and not the run.
    const stop = new AbortController();
    let text = "";
    try {
      const messages = await guard.run(
        "a handler of context",
        () => runner.emitContext([...transcript.messages], { signal }),
      );
      const request = {
        messages: convertToLlm(messages),
        tools,
        signal: AbortSignal.any([signal, stop.signal]),
      };
      const message = await askModel(options.model, request, (soFar) => {
        text = soFar;
        report({ type: "text", text });
        rules.watch(text);
      });
      if (message.stopReason === "error") return { kind: "failed", message, failure: message };
      const quiet = rules.check(textOfAnswer(message));
      if (quiet.length > 0) this.afterwards.push(ruleMessage(quiet, this.#now()));
      return { kind: "answer", message };
    } catch (failure) {
      stop.abort();
      if (signal.aborted) {
        const message = this.#ending(text, "aborted", "The agent was stopped");
        return { kind: "aborted", message };
      }
      return { kind: "failed", message: this.#ending("", "error", thrownText(failure)), failure };
    }
  }

  /** Does something about a failure. Whether to ask again. */
  async #mend({ failure, message }: { failure: unknown; message: AssistantMessage }) {
    if (isThrown(failure, RuleMatch)) return await this.#heedRules(failure);
    if (isThrown(failure, ModelError) && failure.kind === "overflow" && !this.#hasCompacted) {
      this.#hasCompacted = true;
      return await this.#parts.autoCompaction.run("overflow", this.#signal);
    }
    return await this.#retry(failure, message.errorMessage ?? "The model failed");
  }

  async #heedRules({ rules }: RuleMatch): Promise<boolean> {
    this.#add(ruleMessage(rules, this.#now()));
    await this.#parts.events.tell({ type: "ttsr_triggered", rules }, this.#signal);
    return !this.#signal.aborted;
  }

  async #retry(failure: unknown, errorMessage: string): Promise<boolean> {
    const settings = this.#parts.options.retry;
    const { maxRetries = 3, isRetryable = isMarkedRetryable } = settings ?? {};
    if (settings === undefined || this.#retries >= maxRetries || !isRetryable(failure)) {
      return false;
    }
    const { baseDelayMs = 2000, maxDelayMs = 60_000 } = settings;
    const attempt = ++this.#retries;
    const asked = isThrown(failure, ModelError) ? failure.retryAfterMs : undefined;
    const delayMs = Math.min(asked ?? baseDelayMs * 2 ** (attempt - 1), maxDelayMs);
    await this.#parts.events.tell({
      type: "auto_retry_start",
      attempt,
      maxAttempts: maxRetries,
      delayMs,
      errorMessage,
    }, this.#signal);
    try {
      await this.#parts.clock.sleep(delayMs, this.#signal);
    } catch {
      // Given up: the next attempt ends at once, as an aborted one.
    }
    return true;
  }

  async #endRetries({ kind, message }: Attempt): Promise<void> {
    if (this.#retries === 0) return;
    const finalError = kind === "aborted" ? "Retry cancelled" : message.errorMessage;
    await this.#parts.events.tell({
      type: "auto_retry_end",
      success: kind === "answer",
      attempt: this.#retries,
      ...(kind !== "answer" && { finalError }),
    }, this.#signal);
  }

  #ending(text: string, stopReason: "error" | "aborted", errorMessage: string): AssistantMessage {
    return { ...assistantText(text, stopReason, this.#now()), errorMessage };
  }

  #now(): number {
    return this.#parts.clock.now();
  }
}

function isMarkedRetryable(failure: unknown): boolean {
  return isThrown(failure, ModelError) && failure.kind === "retryable";
}

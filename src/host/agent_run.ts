/**
 * One run of the agent: turns until there is nothing left to do.
 *
 * @module
 */

import { thrownText } from "../errors.ts";
import type { AgentMessage, AssistantMessage, ToolResultMessage } from "../messages.ts";
import { interrupted, toolCallsOf } from "../session/llm_messages.ts";
import { assistantText } from "../session/model_port.ts";
import { ModelCall } from "./model_call.ts";
import type { RunParts } from "./run_parts.ts";
import { reminderMessage } from "./todo_reminder.ts";
import { runToolCalls } from "./tool_calls.ts";

/**
 * One run of the agent. Events come one after the other, each awaited:
 *
 * `agent_start`, then for each turn `turn_start`, `context`, the model, `tool_call` and
 * `tool_result` for each tool call, `turn_end`; then `agent_end`.
 */
export class AgentRun {
  readonly #parts: RunParts;
  readonly #signal: AbortSignal;
  /** What this run has added. */
  readonly #added: AgentMessage[] = [];

  /**
   * @param parts The host.
   * @param signal Stops it.
   */
  constructor(parts: RunParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  /**
   * Runs.
   *
   * @param prompts What the agent begins with.
   * @param onEnd Called when no more messages are taken from the queue, before `agent_end`.
   * @throws {Error} If the session cannot be written. `agent_end` was told before.
   */
  async run(prompts: readonly AgentMessage[], onEnd: () => void): Promise<void> {
    const { events } = this.#parts;
    try {
      await events.tell({ type: "agent_start" }, this.#signal);
      let next: readonly AgentMessage[] | undefined = prompts;
      for (let turnIndex = 0; next !== undefined; turnIndex++) {
        if (turnIndex > 0) await this.#parts.autoCompaction.runIfDue(this.#signal);
        next = await this.#turn(turnIndex, next);
      }
    } finally {
      onEnd();
      await events.tell({ type: "agent_end", messages: [...this.#added] }, this.#signal);
    }
  }

  /** One turn. What the next one begins with, `undefined` if there is none. */
  async #turn(
    turnIndex: number,
    prompts: readonly AgentMessage[],
  ): Promise<readonly AgentMessage[] | undefined> {
    const { events, clock } = this.#parts;
    const signal = this.#signal;
    await events.tell({ type: "turn_start", turnIndex, timestamp: clock.now() }, signal);
    let message: AssistantMessage = assistantText("", "error", clock.now());
    let toolResults: ToolResultMessage[] = [];
    try {
      for (const prompt of prompts) this.#add(prompt);
      const call = new ModelCall(this.#parts, signal, (added) => this.#add(added));
      message = await call.run();
      this.#add(message);
      toolResults = await this.#runTools(message);
      call.afterwards.forEach((added) => this.#add(added));
    } catch (thrown) {
      // Only the session can fail here. Whoever listens still learns that the turn is over.
      message = { ...message, stopReason: "error", errorMessage: thrownText(thrown) };
      await events.tell({ type: "turn_end", turnIndex, message, toolResults }, signal);
      throw thrown;
    }
    await events.tell({ type: "turn_end", turnIndex, message, toolResults }, signal);
    if (signal.aborted || hasStopped(message)) return undefined;
    return await this.#nextPrompts(toolResults.length > 0);
  }

  async #runTools(message: AssistantMessage): Promise<ToolResultMessage[]> {
    const calls = toolCallsOf(message);
    const add = (result: ToolResultMessage): void => {
      this.#parts.todos.note(result);
      this.#add(result);
    };
    // An answer that broke off may hold half a call: none of them runs, and each is closed.
    if (!hasStopped(message)) return await runToolCalls(this.#parts, calls, this.#signal, add);
    const results = calls.map((call) => interrupted(call, this.#parts.clock.now()));
    results.forEach(add);
    return results;
  }

  async #nextPrompts(hasResults: boolean): Promise<readonly AgentMessage[] | undefined> {
    const { queue, todos, events, clock } = this.#parts;
    const steering = queue.take("steer");
    if (steering !== undefined) return [steering];
    if (hasResults) return [];
    const followUp = queue.take("followUp");
    if (followUp !== undefined) return [followUp];
    const reminder = todos.next();
    if (reminder === undefined) return undefined;
    await events.tell({ type: "todo_reminder", ...reminder }, this.#signal);
    return this.#signal.aborted ? undefined : [reminderMessage(reminder, clock.now())];
  }

  #add(message: AgentMessage): void {
    this.#parts.transcript.append(message);
    this.#added.push(message);
    this.#parts.report({ type: "message", message });
  }
}

function hasStopped({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}

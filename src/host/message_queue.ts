/**
 * Messages that wait for the agent.
 *
 * @module
 */

import type { AgentMessage } from "../messages.ts";

/** When a message is put in: after the running tools, or when the agent would stop. */
export type Delivery = "steer" | "followUp";

/** Messages that wait for the agent, taken one at a time so that each can be answered. */
export class MessageQueue {
  readonly #waiting: Record<Delivery, AgentMessage[]> = { steer: [], followUp: [] };

  /**
   * Lets a message wait.
   *
   * @param delivery When it is put in.
   * @param message The message.
   */
  add(delivery: Delivery, message: AgentMessage): void {
    this.#waiting[delivery].push(message);
  }

  /**
   * The next message.
   *
   * @param delivery Which of them.
   */
  take(delivery: Delivery): AgentMessage | undefined {
    return this.#waiting[delivery].shift();
  }

  /** All messages: those that should come first, first. The queue is empty afterwards. */
  drain(): AgentMessage[] {
    return [...this.#waiting.steer.splice(0), ...this.#waiting.followUp.splice(0)];
  }

  /** How many messages wait. */
  get size(): number {
    return this.#waiting.steer.length + this.#waiting.followUp.length;
  }
}

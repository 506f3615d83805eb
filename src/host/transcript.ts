/**
 * The conversation of the agent, and the session that keeps it.
 *
 * @module
 */

import type { AgentMessage } from "../messages.ts";
import type { SessionManager } from "../session/session.ts";

/**
 * The conversation of the agent. Everything that is said goes into the session first and into the
 * conversation then, so that the two do not part. They may differ after a branch whose hook asked
 * to leave the conversation as it is.
 */
export class Transcript {
  #session: SessionManager;
  #messages: AgentMessage[];

  /** @param session The session that keeps it. */
  constructor(session: SessionManager) {
    this.#session = session;
    this.#messages = session.buildSessionContext().messages;
  }

  /** The session. */
  get session(): SessionManager {
    return this.#session;
  }

  /** The conversation. */
  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  /**
   * Goes on in another session. The conversation stays until it is restored.
   *
   * @param session The session.
   */
  use(session: SessionManager): void {
    this.#session = session;
  }

  /** Takes the conversation from the session. */
  restore(): void {
    this.#messages = this.#session.buildSessionContext().messages;
  }

  /**
   * Adds a message.
   *
   * @param message The message.
   * @throws {Error} If it cannot be stored; nothing has changed then.
   */
  append(message: AgentMessage): void {
    if (message.role === "custom") {
      const { customType, content, display, details, attribution } = message;
      this.#session.appendCustomMessageEntry(customType, content, display, details, attribution);
    } else {
      this.#session.appendMessage(message);
    }
    this.#messages.push(message);
  }
}

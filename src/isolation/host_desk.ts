/**
 * The questions of a hook's process that wait for an answer of the host.
 *
 * @module
 */

import type { WritableSession } from "../ports.ts";
import type { HookContext } from "../types.ts";
import { answerAsk, DIALOGS, type HostServices, refuseLost } from "./host_asks.ts";
import type { PendingCall } from "./host_call.ts";
import { type ChildMessage, type HostMessage, ProtocolFault } from "./messages.ts";
import { packThrown } from "./thrown.ts";
import { pack, unpack } from "./values.ts";

/** What the desk needs of the session that it belongs to. */
export interface DeskSession {
  /** What the host offers. */
  readonly services: HostServices;
  /** The call that asks, if it has no answer yet. */
  pendingOf(call: string | undefined): PendingCall | undefined;
  /** The context that a question is asked with. */
  contextOf(call: string | undefined): HookContext | undefined;
  /** Sends an answer. */
  reply(message: HostMessage & { t: "reply" }): void;
  /** The process has done what nobody does who follows the rules. */
  fail(fault: string): void;
  /** Runs the `setup` of a new session in the process. */
  runSetup(seq: number, session: WritableSession, ctx: HookContext): Promise<void>;
}

const MAX_OPEN_ASKS = 1000;

/** Answers questions. */
export class AskDesk {
  readonly #session: DeskSession;
  readonly #open = new Map<number, AbortController>();

  /** @param session The session that it belongs to. */
  constructor(session: DeskSession) {
    this.#session = session;
  }

  /**
   * Answers a question; the answer goes out by itself.
   *
   * @param message The question.
   */
  async take({ seq, call, method, args }: ChildMessage & { t: "ask" }): Promise<void> {
    const session = this.#session;
    const ctx = session.contextOf(call);
    const controller = new AbortController();
    try {
      if (this.#open.has(seq)) throw new ProtocolFault("it asks two things by one number");
      if (this.#open.size >= MAX_OPEN_ASKS) throw new ProtocolFault("it asks too much at once");
      this.#open.set(seq, controller);
      const whole = args.map((one) => unpack(one, { lost: refuseLost }));
      const ask = () =>
        answerAsk(
          method,
          whole,
          ctx,
          controller.signal,
          session.services,
          (fresh, own) => session.runSetup(seq, fresh, own),
        );
      const pending = session.pendingOf(call);
      const isTimed = pending !== undefined && DIALOGS.has(method);
      const value = pack(await (isTimed ? pending.duringDialog(ask) : ask()));
      session.reply({ t: "reply", seq, value });
    } catch (thrown) {
      if (thrown instanceof ProtocolFault) {
        return session.fail(`broke the protocol: ${thrown.message}`);
      }
      session.reply({ t: "reply", seq, thrown: packThrown(thrown, pack) });
    } finally {
      if (this.#open.get(seq) === controller) this.#open.delete(seq);
    }
  }

  /** The hook takes a question back. */
  cancel(seq: number): void {
    this.#open.get(seq)?.abort();
  }

  /** The process is gone: nobody waits for answers any more. */
  close(): void {
    for (const controller of this.#open.values()) controller.abort();
  }
}

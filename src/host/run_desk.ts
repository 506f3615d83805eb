/**
 * Starts runs of the agent, one at a time, and lets messages wait for it.
 *
 * @module
 */

import { hookErrorFrom, isThrown } from "../errors.ts";
import type { AgentMessage } from "../messages.ts";
import { unlessAborted } from "../session/model_port.ts";
import type { SendMessageOptions } from "../types.ts";
import { AgentRun } from "./agent_run.ts";
import { endedInTime } from "./clock.ts";
import type { RunParts } from "./run_parts.ts";

/** What a run begins with; it may ask hooks first. */
type Prepare = (signal: AbortSignal) => Promise<readonly AgentMessage[]>;

/** A run. */
interface Run {
  readonly controller: AbortController;
  /** It waits for a flow of the session to end. */
  isWaiting: boolean;
  /** Messages that are sent now are put into it. */
  isTaking: boolean;
  /** Settles when it is over. */
  done: Promise<void>;
}

/** Starts runs of the agent, one at a time. */
export class RunDesk {
  readonly #parts: RunParts;
  readonly #beforeRun: () => Promise<unknown>;
  #run: Run | undefined;
  /** Messages that want a run of their own after this one. */
  #triggers: AgentMessage[] = [];
  #isClosed = false;

  /**
   * @param parts The host.
   * @param beforeRun Settles when a run may begin.
   */
  constructor(parts: RunParts, beforeRun: () => Promise<unknown>) {
    this.#parts = parts;
    this.#beforeRun = beforeRun;
  }

  /** Whether the agent is doing nothing. */
  get isIdle(): boolean {
    return this.#run === undefined;
  }

  /** Whether messages wait. */
  get hasQueuedMessages(): boolean {
    return this.#parts.queue.size > 0 || this.#triggers.length > 0;
  }

  /** Stops the agent; does not wait for it. */
  abort(): void {
    this.#run?.controller.abort();
  }

  /** Waits until the agent has finished, and all runs that messages have asked for. */
  async waitForIdle(): Promise<void> {
    while (this.#run !== undefined) await this.#run.done.catch(() => {});
  }

  /** Stops a run that has begun, and waits for its end. One that waits may go on waiting. */
  async stop(): Promise<void> {
    const run = this.#run;
    if (run === undefined || run.isWaiting) return;
    run.controller.abort();
    await run.done.catch(() => {});
  }

  /** Starts no more runs, stops the one that is going on, and waits a little for its end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const run = this.#run;
    if (run === undefined) return;
    run.controller.abort();
    const done = run.done.catch(() => {});
    await endedInTime(done, run.controller.signal, this.#parts.graceMs);
  }

  /**
   * Delivers a message of a hook.
   *
   * @param message The message.
   * @param options How.
   * @throws {Error} If it cannot be stored.
   */
  deliver(message: AgentMessage, options: SendMessageOptions = {}): void {
    const { triggerTurn = false, deliverAs = "steer" } = options;
    const run = this.#run;
    if (run?.isTaking) {
      this.#parts.queue.add(deliverAs === "followUp" ? "followUp" : "steer", message);
    } else if (!triggerTurn || this.#isClosed) {
      this.#append(message);
    } else if (run !== undefined) {
      this.#triggers.push(message);
    } else {
      this.#startUnwatched([message]);
    }
  }

  /**
   * Starts a run. There must be none.
   *
   * @param prepare Gives what it begins with.
   * @returns Settles when it is over.
   * @throws {Error} If the session cannot be written.
   */
  start(prepare: Prepare): Promise<void> {
    const controller = new AbortController();
    const run: Run = {
      controller,
      isWaiting: true,
      isTaking: true,
      done: Promise.resolve(),
    };
    this.#run = run;
    run.done = this.#perform(run, prepare);
    return run.done;
  }

  async #perform(run: Run, prepare: Prepare): Promise<void> {
    const { signal } = run.controller;
    try {
      await unlessAborted(this.#beforeRun(), signal);
      run.isWaiting = false;
      const prompts = await prepare(signal);
      await new AgentRun(this.#parts, signal).run(prompts, () => this.#stopTaking(run));
    } catch (thrown) {
      const isStopped = signal.aborted && isThrown(thrown, Error) && thrown.name === "AbortError";
      if (!isStopped) throw thrown;
    } finally {
      this.#finish(run);
    }
  }

  /** What still waits was sent to an agent that has stopped: it is kept for the next prompt. */
  #stopTaking(run: Run): void {
    run.isTaking = false;
    for (const message of this.#parts.queue.drain()) this.#append(message);
  }

  #finish(run: Run): void {
    this.#run = undefined;
    const triggers = this.#triggers.splice(0);
    try {
      this.#stopTaking(run);
      if (this.#isClosed) triggers.forEach((message) => this.#append(message));
    } finally {
      if (triggers.length > 0 && !this.#isClosed) this.#startUnwatched(triggers);
    }
  }

  /** A run that nobody waits for: its faults are reported. */
  #startUnwatched(messages: readonly AgentMessage[]): void {
    this.start(() => Promise.resolve(messages)).catch((thrown) => {
      this.#parts.runner.emitError(hookErrorFrom("(host)", "sendMessage", thrown));
    });
  }

  #append(message: AgentMessage): void {
    this.#parts.transcript.append(message);
    this.#parts.report({ type: "message", message });
  }
}

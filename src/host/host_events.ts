/**
 * How a host puts events through its hooks: one after the other, each awaited.
 *
 * @module
 */

import type { HookEventOf, HookResultOf } from "../events/map.ts";
import type { GeneralEventName, HookRunner } from "../runner.ts";
import { endedInTime } from "./clock.ts";
import type { DeadlockGuard } from "./deadlock_guard.ts";

/** Puts events through the hooks of a host. */
export class HostEvents {
  readonly #runner: HookRunner;
  readonly #guard: DeadlockGuard;
  readonly #graceMs: number;

  /**
   * @param runner Runs the handlers.
   * @param guard Is told that the agent waits for them.
   * @param graceMs How long a handler may take after an abort, in milliseconds.
   */
  constructor(runner: HookRunner, guard: DeadlockGuard, graceMs: number) {
    this.#runner = runner;
    this.#guard = guard;
    this.#graceMs = graceMs;
  }

  /**
   * Asks the hooks.
   *
   * @param event The event.
   * @param signal Ends the wait for them.
   * @returns Their answer.
   * @throws {HookAbortError} When the signal fires.
   */
  ask<N extends GeneralEventName>(
    event: HookEventOf<N> & { type: N },
    signal?: AbortSignal,
  ): Promise<HookResultOf<N> | undefined> {
    return this.#guard.run(
      `a handler of ${event.type}`,
      () => this.#runner.emit<N>(event, { signal }),
    );
  }

  /**
   * Tells the hooks something that has happened. They are told after an abort too, but a handler
   * that does not end keeps nobody then.
   *
   * @param event The event.
   * @param signal The signal of the run.
   */
  async tell<N extends GeneralEventName>(
    event: HookEventOf<N> & { type: N },
    signal: AbortSignal,
  ): Promise<void> {
    await endedInTime(this.ask<N>(event), signal, this.#graceMs);
  }
}

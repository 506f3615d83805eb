/**
 * Tells whether a call comes from inside something that the agent waits for.
 *
 * A handler that waits for the agent would wait for itself for ever. Where a call comes from is
 * known only to `AsyncLocalStorage`, whose module is imported when the first event is near, because
 * it costs milliseconds that a program without an agent need not pay.
 *
 * @module
 */

import type { AsyncLocalStorage } from "node:async_hooks";

/** Something that the agent waits for. */
interface Waited {
  /** What it is, for people. */
  readonly what: string;
  /** Whether the agent still waits. What was started there and goes on later may wait in its turn. */
  isOpen: boolean;
}

/** Marks what the agent waits for, and refuses calls from inside of it. */
export class DeadlockGuard {
  #storage: AsyncLocalStorage<Waited> | undefined;

  /** Must be awaited before anything is marked. */
  async load(): Promise<void> {
    if (this.#storage !== undefined) return;
    const { AsyncLocalStorage } = await import("node:async_hooks");
    this.#storage ??= new AsyncLocalStorage();
  }

  /**
   * Runs something that the agent waits for.
   *
   * @param what What it is: `a handler of turn_end`.
   * @param work The work.
   */
  run<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (this.#storage === undefined) return work();
    const waited: Waited = { what, isOpen: true };
    return this.#storage.run(waited, async () => {
      try {
        return await work();
      } finally {
        waited.isOpen = false;
      }
    });
  }

  /**
   * Refuses a call that would wait for itself.
   *
   * @param call The call: `newSession`.
   * @throws {Error} If it comes from inside something that the agent waits for.
   */
  refuse(call: string): void {
    const waited = this.#storage?.getStore();
    if (waited === undefined || !waited.isOpen) return;
    throw new Error(
      `${call} cannot be called inside ${waited.what}: the agent waits for it, so it would wait ` +
        "for itself. Call it from a command, or after the handler has returned",
    );
  }
}

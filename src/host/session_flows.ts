/**
 * Runs the flows of a session for a host: one at a time, so that no two of them change the session
 * at once.
 *
 * @module
 */

import type { CompactionResult } from "../entries.ts";
import { HookAbortError, isThrown } from "../errors.ts";
import { compactSession } from "../session/compaction_flow.ts";
import type { FlowHost } from "../session/flow_host.ts";
import {
  type BranchResult,
  branchSession,
  forkSession,
  newSession,
  switchSession,
} from "../session/flows.ts";
import { type NavigateResult, navigateTree } from "../session/tree_flow.ts";
import type { CancellableResult, NewSessionOptions } from "../types.ts";

/** What came of a compaction. */
export interface CompactResult extends CancellableResult {
  /** The summary, if nobody has cancelled it. */
  result?: CompactionResult;
}

/** The flows of a session, one at a time. */
export class SessionFlows {
  readonly #host: FlowHost;
  #last: Promise<unknown> = Promise.resolve();
  #controller: AbortController | undefined;

  /** @param host The host. */
  constructor(host: FlowHost) {
    this.#host = host;
  }

  /** Settles when the flows that have been started so far are over. */
  get settled(): Promise<unknown> {
    return this.#last;
  }

  /** Gives up the flow that is going on, if it can be given up. */
  abort(): void {
    this.#controller?.abort();
  }

  /**
   * Does something that no flow may happen beside.
   *
   * @param work The work; its signal fires with `abort`.
   */
  exclusively<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const result = this.#last.then(async () => {
      this.#controller = controller;
      try {
        return await work(controller.signal);
      } finally {
        this.#controller = undefined;
      }
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /** A flow that is given up before anything has changed counts as cancelled. */
  #cancellable<T extends CancellableResult>(
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | CancellableResult> {
    return this.exclusively(async (signal) => {
      try {
        return await work(signal);
      } catch (thrown) {
        if (signal.aborted && isThrown(thrown, HookAbortError)) return { cancelled: true };
        throw thrown;
      }
    });
  }

  /** See `HookHost.newSession`. */
  newSession(options: NewSessionOptions = {}): Promise<CancellableResult> {
    return this.#cancellable((signal) => newSession(this.#host, options, signal));
  }

  /** See `HookHost.switchSession`. */
  switchSession(path: string): Promise<CancellableResult> {
    return this.#cancellable((signal) => switchSession(this.#host, path, signal));
  }

  /** See `HookHost.fork`. */
  fork(): Promise<CancellableResult> {
    return this.#cancellable((signal) => forkSession(this.#host, signal));
  }

  /** See `HookHost.branch`. */
  branch(entryId: string): Promise<BranchResult> {
    return this.#cancellable((signal) => branchSession(this.#host, entryId, signal));
  }

  /** See `HookHost.navigateTree`. */
  navigateTree(targetId: string, options?: { summarize?: boolean }): Promise<NavigateResult> {
    return this.#cancellable((signal) =>
      navigateTree(this.#host, targetId, { ...options, signal })
    );
  }

  /** See `HookHost.compact`. */
  compact(customInstructions?: string): Promise<CompactResult> {
    return this.exclusively(async (signal) => {
      await this.#host.stopAgent();
      const outcome = await compactSession(this.#host, { customInstructions, signal });
      if (outcome.kind === "nothing") {
        throw new Error(
          "There is nothing to compact: the conversation is short, or has just been compacted",
        );
      }
      if (outcome.kind !== "done") return { cancelled: true };
      return { cancelled: false, result: outcome.result };
    });
  }
}

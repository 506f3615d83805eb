/**
 * Compacts the conversation by itself when it has become too long.
 *
 * @module
 */

import { hookErrorFrom, thrownText, UNKNOWN_HOOK } from "../errors.ts";
import type { AutoCompactionEndEvent } from "../events/agent.ts";
import { type CompactOutcome, compactSession } from "../session/compaction_flow.ts";
import type { FlowHost } from "../session/flow_host.ts";
import { conversationTokens } from "../session/tokens.ts";
import type { HostEvents } from "./host_events.ts";
import type { AutoCompactionSettings, HookHostOptions } from "./host_options.ts";

const ACTION = "context-full";

/**
 * Compacts when it is time: once before a turn at most, so a hook that always cancels costs one
 * question a turn and no more.
 */
export class AutoCompaction {
  readonly #host: FlowHost;
  readonly #events: HostEvents;
  readonly #settings: AutoCompactionSettings | undefined;
  readonly #contextWindow: () => number | undefined;
  #refusals = 0;

  /**
   * @param host The host.
   * @param events Tells hooks what happens.
   * @param options Its settings; without them nothing happens by itself.
   * @throws {TypeError} If there is no such strategy here.
   */
  constructor(host: FlowHost, events: HostEvents, options: HookHostOptions) {
    const { compaction, getModel } = options;
    this.#host = host;
    this.#events = events;
    const isOn = compaction?.enabled !== false && compaction?.strategy !== "off";
    this.#settings = isOn ? compaction : undefined;
    this.#contextWindow = () => compaction?.contextWindow ?? getModel?.()?.contextWindow;
    if (compaction?.strategy === "handoff") {
      throw new TypeError('The compaction strategy "handoff" is not offered: use "context-full"');
    }
  }

  /**
   * Compacts if the conversation has passed the threshold.
   *
   * @param signal The signal of the run.
   */
  async runIfDue(signal: AbortSignal): Promise<void> {
    const threshold = this.#threshold();
    if (threshold === undefined) return;
    const tokens = conversationTokens(this.#host.session.getBranch());
    if (tokens > threshold) await this.run("threshold", signal);
  }

  /** The threshold in tokens, `undefined` if there is none. */
  #threshold(): number | undefined {
    if (this.#settings === undefined) return undefined;
    const { thresholdTokens = -1, thresholdPercent = -1 } = this.#settings;
    if (thresholdTokens > 0) return thresholdTokens;
    const window = this.#contextWindow();
    if (window === undefined) return undefined;
    if (thresholdPercent > 0) return window * thresholdPercent / 100;
    return window - this.#host.compaction.reserveTokens;
  }

  /**
   * Compacts.
   *
   * @param reason Why.
   * @param signal The signal of the run.
   * @returns Whether the conversation has become shorter.
   */
  async run(reason: "threshold" | "overflow", signal: AbortSignal): Promise<boolean> {
    if (this.#settings === undefined) return false;
    await this.#events.tell({ type: "auto_compaction_start", reason, action: ACTION }, signal);
    let outcome: CompactOutcome | { kind: "failed"; errorMessage: string };
    try {
      outcome = await compactSession(this.#host, { signal });
    } catch (thrown) {
      const what = reason === "overflow" ? "Making room failed" : "The compaction failed";
      outcome = { kind: "failed", errorMessage: `${what}: ${thrownText(thrown)}` };
    }
    const isDone = outcome.kind === "done";
    const end: AutoCompactionEndEvent = {
      type: "auto_compaction_end",
      action: ACTION,
      result: outcome.kind === "done" ? outcome.result : undefined,
      aborted: outcome.kind === "cancelled" || outcome.kind === "aborted",
      willRetry: isDone && reason === "overflow",
      ...(outcome.kind === "failed" && { errorMessage: outcome.errorMessage }),
      ...(outcome.kind === "nothing" && { skipped: true }),
    };
    await this.#events.tell(end, signal);
    this.#countRefusals(outcome.kind);
    return isDone;
  }

  /** Somebody has to learn that the conversation grows and a hook does not let it be compacted. */
  #countRefusals(kind: string): void {
    if (kind === "done") this.#refusals = 0;
    if (kind !== "cancelled") return;
    this.#refusals++;
    if (this.#refusals !== (this.#settings?.refusalsBeforeNote ?? 3)) return;
    const text = `A hook has refused to compact the conversation ${this.#refusals} times in a ` +
      "row. It grows on, and the model may soon refuse it";
    const { runner } = this.#host;
    if (runner.getHasUI()) runner.getUIContext().notify(text, "warning");
    else {
      runner.emitError(hookErrorFrom(UNKNOWN_HOOK, "session_before_compact", new Error(text)));
    }
  }
}

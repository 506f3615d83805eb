/**
 * What the flows of a session need of their host.
 *
 * @module
 */

import type { CompactionSettings } from "../entries.ts";
import type { HookEventOf, HookResultOf } from "../events/map.ts";
import type { GeneralEventName, HookRunner } from "../runner.ts";
import type { ModelPort } from "./model_port.ts";
import type { SessionManager } from "./session.ts";

/** Puts events through hooks. */
export interface HookAsker {
  /** Puts an event through the hooks and gives their answer. */
  ask<N extends GeneralEventName>(
    event: HookEventOf<N> & { type: N },
    signal?: AbortSignal,
  ): Promise<HookResultOf<N> | undefined>;
  /**
   * Tells the hooks something that has happened, also after the signal has fired; but a handler
   * that does not end keeps nobody then.
   */
  tell<N extends GeneralEventName>(
    event: HookEventOf<N> & { type: N },
    signal: AbortSignal,
  ): Promise<void>;
}

/** What the flows of a session need of their host. */
export interface FlowHost {
  /** The session. It is the same object before and after a flow. */
  readonly session: SessionManager;
  /** The hooks, and who hears of their faults. */
  readonly runner: HookRunner;
  /** Writes summaries. */
  readonly model: ModelPort;
  /** How much a compaction keeps. */
  readonly compaction: CompactionSettings;
  /** Puts an event through the hooks. */
  readonly events: HookAsker;
  /** Stops the agent and waits for its end. */
  stopAgent(): Promise<void>;
  /** Takes the conversation of the agent from the session. */
  restoreConversation(): void;
  /**
   * Another session has become the current one, and hooks are about to hear of it.
   *
   * @param restores Whether the conversation is taken from it.
   */
  enterSession(restores: boolean): void;
  /** Runs something that the agent waits for, so that it cannot wait for the agent. */
  guard<T>(what: string, work: () => Promise<T>): Promise<T>;
}

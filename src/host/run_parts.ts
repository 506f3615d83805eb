/**
 * What one run of the agent works with.
 *
 * @module
 */

import type { HookRunner } from "../runner.ts";
import type { AutoCompaction } from "./auto_compaction.ts";
import type { HostClock } from "./clock.ts";
import type { DeadlockGuard } from "./deadlock_guard.ts";
import type { HookHostOptions, HostProgress, HostTool } from "./host_options.ts";
import type { HostEvents } from "./host_events.ts";
import type { MessageQueue } from "./message_queue.ts";
import type { StreamRules } from "./stream_rules.ts";
import type { TodoReminder } from "./todo_reminder.ts";
import type { Transcript } from "./transcript.ts";

/** What one run of the agent works with: the parts of its host. */
export interface RunParts {
  /** The options of the host. */
  readonly options: HookHostOptions;
  /** Runs the handlers. */
  readonly runner: HookRunner;
  /** Puts events through them. */
  readonly events: HostEvents;
  /** Is told what the agent waits for. */
  readonly guard: DeadlockGuard;
  /** The conversation. */
  readonly transcript: Transcript;
  /** Messages that wait. */
  readonly queue: MessageQueue;
  /** The tools, with hooks around them. */
  readonly tools: readonly HostTool[];
  /** Rules that watch what the model says. */
  readonly rules: StreamRules;
  /** Open tasks. */
  readonly todos: TodoReminder;
  /** Compacts when it is time. */
  readonly autoCompaction: AutoCompaction;
  /** Time. */
  readonly clock: HostClock;
  /** How long something may take to end after an abort, in milliseconds. */
  readonly graceMs: number;
  /** Tells whoever shows it what is going on. */
  readonly report: (progress: HostProgress) => void;
}

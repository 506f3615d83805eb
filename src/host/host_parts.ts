/**
 * Puts the parts of a host together.
 *
 * @module
 */

import { hookErrorFrom } from "../errors.ts";
import type { HookRunner } from "../runner.ts";
import { DEFAULT_COMPACTION_SETTINGS } from "../session/compaction.ts";
import type { FlowHost } from "../session/flow_host.ts";
import type { SessionManager } from "../session/session.ts";
import { wrapTools } from "../tool_wrapper.ts";
import { AutoCompaction } from "./auto_compaction.ts";
import { systemClock } from "./clock.ts";
import { DeadlockGuard } from "./deadlock_guard.ts";
import { HostEvents } from "./host_events.ts";
import type { HookHostOptions, HostProgress } from "./host_options.ts";
import { MessageQueue } from "./message_queue.ts";
import type { RunParts } from "./run_parts.ts";
import { StreamRules } from "./stream_rules.ts";
import { TodoReminder } from "./todo_reminder.ts";
import { Transcript } from "./transcript.ts";

/** What the parts need of the host that they are put into. */
export interface HostDoors {
  /** Stops a run that has begun, and waits for its end. */
  stopAgent(): Promise<void>;
  /** Tells the runner of the session, which is another one now. */
  bind(): void;
}

/**
 * Makes the parts.
 *
 * @param options The options of the host.
 * @param session Its session.
 * @param runner Its runner.
 * @param doors The host.
 * @returns What runs of the agent work with, and what flows of the session work with.
 * @throws {TypeError} If an option makes no sense.
 */
export function makeParts(
  options: HookHostOptions,
  session: SessionManager,
  runner: HookRunner,
  doors: HostDoors,
): { parts: RunParts; flowHost: FlowHost } {
  const guard = new DeadlockGuard();
  const graceMs = options.abortGraceMs ?? 2000;
  const events = new HostEvents(runner, guard, graceMs);
  const transcript = new Transcript(session);
  const rules = new StreamRules(options.rules ?? []);
  const todos = new TodoReminder(options.todos);
  todos.read(transcript.messages);
  const flowHost: FlowHost = {
    session,
    runner,
    model: options.model,
    compaction: compactionSettings(options),
    events,
    stopAgent: () => doors.stopAgent(),
    restoreConversation() {
      transcript.restore();
      todos.read(transcript.messages);
    },
    enterSession(restores) {
      if (restores) {
        flowHost.restoreConversation();
        rules.reset();
      }
      doors.bind();
    },
    guard: (what, work) => guard.run(what, work),
  };
  const parts: RunParts = {
    options,
    runner,
    events,
    guard,
    transcript,
    queue: new MessageQueue(),
    tools: wrapTools(options.tools ?? [], runner),
    rules,
    todos,
    autoCompaction: new AutoCompaction(flowHost, events, options),
    clock: options.clock ?? systemClock,
    graceMs,
    report: (progress) => report(options, runner, progress),
  };
  return { parts, flowHost };
}

function compactionSettings({ compaction = {} }: HookHostOptions): FlowHost["compaction"] {
  const settings = { ...DEFAULT_COMPACTION_SETTINGS };
  for (const key of Object.keys(settings) as (keyof typeof settings)[]) {
    if (compaction[key] !== undefined) Object.assign(settings, { [key]: compaction[key] });
  }
  return settings;
}

/** Whoever shows the agent must not be able to stop it. */
function report(options: HookHostOptions, runner: HookRunner, progress: HostProgress): void {
  try {
    options.onProgress?.(progress);
  } catch (thrown) {
    runner.emitError(hookErrorFrom("(host)", "onProgress", thrown));
  }
}

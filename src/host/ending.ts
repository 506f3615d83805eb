/**
 * Lets a program end in good order.
 *
 * @module
 */

import { exitProgram, onProgramEnd, SIGNAL_STATUS } from "../deno/signals.ts";
import { hookErrorFrom } from "../errors.ts";
import type { HookRunner } from "../runner.ts";
import { endedInTime } from "./clock.ts";
import type { RunDesk } from "./run_desk.ts";
import type { RunParts } from "./run_parts.ts";
import type { SessionFlows } from "./session_flows.ts";

/**
 * Ends a host: stops the agent, tells the hooks, closes the session.
 *
 * @param parts The host.
 * @param runs Its runs.
 * @param flows The flows of its session.
 */
export async function endHost(parts: RunParts, runs: RunDesk, flows: SessionFlows): Promise<void> {
  const { guard, events, runner, transcript, graceMs } = parts;
  await runs.close();
  await endedInTime(flows.settled, AbortSignal.abort(), graceMs);
  try {
    await guard.load();
    await events.ask({ type: "session_shutdown" });
  } finally {
    // A timer of a hook may go on: it must not write into a session that has been left.
    runner.initialize();
    await transcript.session.close();
  }
}

/**
 * Shuts down before the program ends, whatever ends it. What goes wrong on the way is reported, and
 * the program ends all the same.
 *
 * @param shutDown Shuts down; called once.
 * @param runner Knows who hears of faults.
 * @returns Stops listening.
 */
export function endOnSignals(shutDown: () => Promise<void>, runner: HookRunner): () => void {
  let end: Promise<void> | undefined;
  let isOver = false;
  const start = (): Promise<void> =>
    end ??= shutDown().catch((thrown) => {
      runner.emitError(hookErrorFrom("(host)", "session_shutdown", thrown));
    }).finally(() => isOver = true);
  let hasSignal = false;
  return onProgramEnd((signal) => {
    const status = SIGNAL_STATUS[signal];
    if (hasSignal) exitProgram(status);
    hasSignal = true;
    start().then(() => exitProgram(status));
  }, () => {
    start();
    return !isOver;
  });
}

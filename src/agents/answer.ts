/**
 * From a payload to an answer, whichever way the payload came.
 *
 * @module
 */

import type { LoadedHook } from "../hook.ts";
import { HookRunner } from "../runner.ts";
import type { Agent, AgentAnswer, AgentEvent, EventRow } from "./dialect.ts";
import { judge, refusal } from "./judge.ts";
import { readPayload } from "./payload.ts";
import type { Place } from "./session.ts";

/** Hooks, and why they cannot be relied on. */
export interface ServedHooks {
  /** The hooks. */
  hooks: LoadedHook[];
  /** Why every tool call has to be refused, one sentence for each hook. */
  faults: string[];
  /** What else looked odd. */
  warnings: string[];
}

/** What answering a payload needs. */
export interface AnswerSetup {
  /** The agent, as far as whoever asks knows it. */
  agent: Agent;
  /** The event, where the payload does not say it. */
  eventName?: string;
  /** Whether the environment says that Copilot asks. */
  isCopilot?: boolean;
  /** Whether questions of hooks may become the agent's own. */
  mayAsk: boolean;
  /** When the answer has to be there, by `performance.now()`. */
  deadline: number;
  /** The hooks; may still be loading. */
  hooks: Promise<ServedHooks>;
  /** Finds out where the event takes place, and warns of what is not as the agent says. */
  placeOf(event: AgentEvent, warnings: string[]): Place;
  /** Is told what the payload turned out to be, before any hook is asked. */
  onRead?(agent: Agent, row: EventRow): void;
}

/**
 * Answers a payload. Never rejects.
 *
 * @param payload What came in, parsed.
 * @param setup Everything else.
 */
export async function answerPayload(payload: unknown, setup: AnswerSetup): Promise<AgentAnswer> {
  const { eventName, isCopilot, deadline, mayAsk } = setup;
  const { agent, row, event, fault } = readPayload(setup.agent, payload, { eventName, isCopilot });
  if (row === undefined) {
    const named = eventName === undefined ? undefined : agent.events[eventName];
    return refusal(agent, named, `The payload cannot be read: ${fault}`);
  }
  if (fault !== undefined) return refusal(agent, row, `The payload cannot be read: ${fault}`);
  setup.onRead?.(agent, row);
  if (row.event === undefined) return refusal(agent, row, `${event.name}: hooks are not asked`);
  let served: ServedHooks | undefined;
  try {
    served = await inTime(setup.hooks, deadline);
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    return refusal(agent, row, `The hooks were not loaded: ${text}`);
  }
  if (served === undefined) return refusal(agent, row, "The hooks were not loaded in time");
  const { hooks, faults, warnings } = served;
  if (faults.length > 0) return refusal(agent, row, faults.join("; "), warnings);
  const remarks = [...warnings];
  const place = setup.placeOf(event, remarks);
  const runner = new HookRunner(hooks, place.cwd);
  const limitMs = deadline - performance.now();
  const answer = await judge({ agent, row, event, place, runner, mayAsk, limitMs });
  return { ...answer, complaints: [...remarks, ...answer.complaints] };
}

async function inTime<T>(work: Promise<T>, deadline: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(
    () => late.resolve(undefined),
    Math.max(0, deadline - performance.now()),
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

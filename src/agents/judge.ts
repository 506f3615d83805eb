/**
 * Asks hooks on behalf of a foreign agent, and puts what they say into the agent's words.
 *
 * A gate is closed unless the hooks were really asked and did not object: a hook that fails, is too
 * slow or was not loaded means no, with a reason that says so.
 *
 * @module
 */

import { HookAbortError, thrownText } from "../errors.ts";
import type { HookRunner } from "../runner.ts";
import {
  type Agent,
  type AgentAnswer,
  type AgentEvent,
  type EventRow,
  type JsonObject,
  mergeParts,
} from "./dialect.ts";
import { askHooks } from "./matters.ts";
import type { Place } from "./session.ts";

/** What the hooks came to. */
export interface Outcome {
  /** They said no: why. */
  denial?: string;
  /** They want the person to decide: what about. */
  question?: string;
  /** Part of the answer that replaces a result. */
  replacement?: JsonObject;
  /** Text for the model to read. */
  context?: string;
  /** Text for the agent to go on with. */
  goOn?: string;
  /** What could not be put into the agent's words, for people. */
  losses: string[];
}

/** What is needed to judge an event. */
export interface Judgement {
  /** The agent. */
  agent: Agent;
  /** The row of the event in its table. */
  row: EventRow;
  /** The event. */
  event: AgentEvent;
  /** Where it takes place. */
  place: Place;
  /** Asks the hooks. It is bound anew for this event. */
  runner: HookRunner;
  /** Whether questions of hooks may become the agent's own. */
  mayAsk: boolean;
  /** The limit for everything, in milliseconds. */
  limitMs: number;
}

/**
 * Judges an event.
 *
 * @param judgement Everything there is to know.
 * @returns The answer. Never rejects.
 */
export async function judge(judgement: Judgement): Promise<AgentAnswer> {
  const { agent, row, limitMs } = judgement;
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), Math.max(0, limitMs));
  const complaints: string[] = [];
  const { runner } = judgement;
  const stopListening = [
    runner.onError(({ hookPath, event, error }) => {
      complaints.push(`${hookPath} failed on ${event}: ${error}`);
    }),
    runner.onWarning(({ hookPath, event, warning }) => {
      complaints.push(`${hookPath} (${event}): ${warning}`);
    }),
  ];
  try {
    const outcome = await withLimit(askHooks(judgement, giveUp.signal), giveUp.signal);
    return answerFor(agent, row, outcome, complaints);
  } catch (thrown) {
    return refusal(agent, row, faultText(thrown, giveUp.signal.aborted, limitMs), complaints);
  } finally {
    clearTimeout(timer);
    for (const stop of stopListening) stop();
  }
}

/** Ends the wait even where a dispatch does not heed the signal. */
async function withLimit<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const given = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // The dispatch knows which hook it waits for, so it may speak first.
  const abort = () => {
    timer = setTimeout(() => given.reject(signal.reason), 50);
  };
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, given.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
    clearTimeout(timer);
  }
}

function faultText(thrown: unknown, isLate: boolean, limitMs: number): string {
  if (!isLate) return `A hook failed: ${thrownText(thrown)}`;
  const hook = thrown instanceof HookAbortError && thrown.hookPath !== undefined
    ? `Hook "${thrown.hookPath}"`
    : "A hook";
  return `${hook} failed: it did not answer in time (${Math.round(limitMs)} ms)`;
}

/**
 * Puts an outcome into the agent's words.
 *
 * @param agent The agent.
 * @param row The row of the event.
 * @param outcome What the hooks came to.
 * @param complaints What else there is to say to people.
 */
export function answerFor(
  agent: Agent,
  row: EventRow,
  outcome: Outcome,
  complaints: string[] = [],
): AgentAnswer {
  const { denial, question, replacement, context, goOn } = outcome;
  const losses = [...outcome.losses];
  if (context !== undefined && row.context === undefined) {
    losses.push(`${agent.title} takes no added context at this event; it was dropped`);
  }
  if (denial !== undefined && row.deny === undefined && row.event !== "tool_call") {
    losses.push(`${agent.title} cannot be stopped at this event: ${denial}`);
  }
  const told = losses.length === 0
    ? undefined
    : agent.tell?.(losses.map((loss) => `pi-hooks: ${loss}`).join("\n"));
  const extra = [
    context === undefined ? undefined : row.context?.(context),
    replacement,
    goOn === undefined ? undefined : row.goOn?.(goOn),
    told,
  ];
  const all = [...complaints, ...losses];
  if (denial !== undefined && row.event === "tool_call" && row.deny === undefined) {
    return { output: undefined, exitCode: 2, complaints: [...all, denial] };
  }
  const verdict = denial !== undefined
    ? row.deny?.(denial)
    : question !== undefined
    ? row.ask?.(question)
    : undefined;
  const hasSaid = verdict !== undefined || extra.some((part) => part !== undefined);
  if (row.silence === null && !hasSaid) return { output: undefined, exitCode: 0, complaints: all };
  return {
    output: mergeParts(
      verdict === undefined ? row.silence ?? undefined : undefined,
      verdict,
      ...extra,
    ),
    exitCode: 0,
    complaints: all,
  };
}

/**
 * The answer where hooks could not be asked: no at a gate, nothing elsewhere.
 *
 * @param agent The agent.
 * @param row The row of the event; `undefined` where the event is not known, which counts as a gate.
 * @param fault What is wrong, and whose fault it is.
 * @param complaints What else there is to say to people.
 */
export function refusal(
  agent: Agent,
  row: EventRow | undefined,
  fault: string,
  complaints: string[] = [],
): AgentAnswer {
  if (row === undefined) {
    const line = `pi-hooks refuses, since it cannot tell what this is about: ${fault}`;
    return { output: undefined, exitCode: 2, complaints: [...complaints, line] };
  }
  if (row.event !== "tool_call") {
    return answerFor(agent, row, { losses: [] }, [...complaints, fault]);
  }
  const denial = `${fault}. This is a fault and not a decision; the tool was not run.`;
  return answerFor(agent, row, { denial, losses: [] }, [...complaints, fault]);
}

/**
 * The thread on which a resident process runs its hooks. A hook that hangs hangs here, and the
 * thread is given up; the process itself goes on answering.
 *
 * @module
 */

import { agentNamed } from "../agents/agents.ts";
import { answerPayload, type AnswerSetup, type ServedHooks } from "../agents/answer.ts";
import type { AgentAnswer } from "../agents/dialect.ts";
import { judge } from "../agents/judge.ts";
import { readPayload } from "../agents/payload.ts";
import { HookRunner } from "../runner.ts";
import { sendChildOutputToStandardError } from "./child_output.ts";
import { type HookChoice, loadServedHooks } from "./serve_hooks.ts";
import { placeOf } from "./serve_place.ts";

/** What the thread is asked. */
export type WorkerRequest =
  | { type: "hooks"; choice: HookChoice }
  | { type: "event"; id: number; event: WorkerEvent }
  | { type: "leave"; id: number };

/** An event of an agent. */
export interface WorkerEvent {
  /** The agent. */
  agent: string;
  /** What it sent. */
  payload: unknown;
  /** The event, where the payload does not say it. */
  eventName?: string;
  /** Whether questions of hooks may become the agent's own. */
  mayAsk: boolean;
  /** How long the answer may take, in milliseconds. */
  limitMs: number;
}

/** What the thread answers. */
export type WorkerAnswer =
  | { type: "hooks"; loaded: string[]; faults: string[]; warnings: string[] }
  | { type: "event"; id: number; answer: AgentAnswer }
  | { type: "leave"; id: number };

/** A session of an agent: hooks of its own, and one event after another. */
interface ServedSession {
  hooks: Promise<ServedHooks>;
  work: Promise<unknown>;
  lastUse: number;
}

/** Sessions that nobody ended are forgotten, the longest unused one first. */
const MAX_SESSIONS = 100;

/** Hooks are told in this time that their session is over, in milliseconds. */
const LEAVE_MS = 2_000;

const sessions = new Map<string, ServedSession>();
let choice: HookChoice | undefined;

/** There is more to a thread than the types of a page know. */
const thread = self as unknown as {
  onmessage: ((event: MessageEvent<WorkerRequest>) => void) | null;
  postMessage(message: WorkerAnswer): void;
};

thread.onmessage = ({ data }) => {
  if (data.type === "hooks") void loadFirst(data.choice);
  else if (data.type === "event") void answerEvent(data.id, data.event);
  else void leave(data.id);
};
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  console.error(`a hook failed late: ${event.reason}`);
});
addEventListener("error", (event) => {
  event.preventDefault();
  console.error(`a hook failed late: ${event.message}`);
});
sendChildOutputToStandardError();

async function loadFirst(asked: HookChoice): Promise<void> {
  choice = asked;
  const { hooks, faults, warnings } = await loadServedHooks(asked);
  const loaded = hooks.map(({ resolvedPath }) => resolvedPath);
  thread.postMessage({ type: "hooks", loaded, faults, warnings });
}

async function answerEvent(id: number, event: WorkerEvent): Promise<void> {
  const deadline = performance.now() + event.limitMs;
  const agent = agentNamed(event.agent)!;
  const read = readPayload(agent, event.payload, { eventName: event.eventName });
  const key = JSON.stringify([read.agent.name, read.event?.sessionId ?? null]);
  const isNew = !sessions.has(key);
  const session = sessionFor(key);
  const setup: AnswerSetup = {
    agent,
    eventName: event.eventName,
    mayAsk: event.mayAsk,
    deadline,
    hooks: session.hooks,
    placeOf: (at, warnings) => placeOf(at, choice!.base, warnings),
  };
  const work = session.work.then(async () => {
    // Not every agent tells a resident process that its session has started.
    const starts = read.row?.event === "session_start" || read.row?.event === undefined;
    if (isNew && !starts) await tellStart(setup, read);
    return await answerPayload(event.payload, setup);
  });
  session.work = work;
  thread.postMessage({ type: "event", id, answer: await work });
  if (read.row?.event === "session_shutdown") sessions.delete(key);
}

function sessionFor(key: string): ServedSession {
  const known = sessions.get(key);
  if (known !== undefined) {
    known.lastUse = performance.now();
    return known;
  }
  const hooks = loadServedHooks(choice!);
  hooks.catch(() => {});
  const session = { hooks, work: Promise.resolve(), lastUse: performance.now() };
  sessions.set(key, session);
  if (sessions.size > MAX_SESSIONS) {
    const [oldest] = [...sessions].sort(([, a], [, b]) => a.lastUse - b.lastUse)[0];
    sessions.delete(oldest);
  }
  return session;
}

async function tellStart(
  setup: AnswerSetup,
  { agent, event }: ReturnType<typeof readPayload>,
): Promise<void> {
  const { hooks, faults } = await setup.hooks;
  if (event === undefined || faults.length > 0) return;
  const place = setup.placeOf(event, []);
  const runner = new HookRunner(hooks, place.cwd);
  const limitMs = setup.deadline - performance.now();
  const row = { event: "session_start" } as const;
  const { complaints } = await judge({ agent, row, event, place, runner, mayAsk: false, limitMs });
  for (const complaint of complaints) console.error(complaint);
}

/** Tells all sessions that it is over. */
async function leave(id: number): Promise<void> {
  const work = [...sessions.values()].map(async ({ hooks, work }) => {
    await work;
    await new HookRunner((await hooks).hooks, choice!.base).emit({ type: "session_shutdown" });
  });
  const late = new Promise((resolve) => setTimeout(resolve, LEAVE_MS));
  await Promise.race([Promise.allSettled(work), late]);
  thread.postMessage({ type: "leave", id });
}

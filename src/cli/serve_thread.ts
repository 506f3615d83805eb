/**
 * Looks after the thread that runs hooks: asks it, gives it up when it hangs, and makes a new one
 * when a file of a hook has changed.
 *
 * @module
 */

import { agentNamed } from "../agents/agents.ts";
import type { AgentAnswer } from "../agents/dialect.ts";
import { refusal } from "../agents/judge.ts";
import { readPayload } from "../agents/payload.ts";
import type { HookChoice } from "./serve_hooks.ts";
import { filesBehind, stampOf } from "./serve_files.ts";
import type { WorkerAnswer, WorkerEvent, WorkerRequest } from "./serve_worker.ts";

/** The thread has a little longer than the hooks on it. */
const GRACE_MS = 500;

/** How often files are looked at, at most, in milliseconds. */
const LOOK_AGAIN_MS = 200;

/** What there is to say about the hooks. */
export interface ThreadState {
  /** The files that were loaded. */
  loaded: string[];
  /** Why calls are refused. */
  faults: string[];
  /** What looked odd. */
  warnings: string[];
  /** How often hooks were loaded again. */
  reloads: number;
  /** How often the thread had to be given up. */
  restarts: number;
}

/** One thread with one version of the hooks. */
class HookThread {
  readonly state: Promise<Extract<WorkerAnswer, { type: "hooks" }>>;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (answer: AgentAnswer | undefined) => void>();
  #lastId = 0;

  constructor(choice: HookChoice) {
    const { promise, resolve } = Promise.withResolvers<Extract<WorkerAnswer, { type: "hooks" }>>();
    this.state = promise;
    this.#worker = new Worker(new URL("./serve_worker.ts", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => {
      if (data.type === "hooks") return resolve(data);
      this.#settle(data.id, data.type === "event" ? data.answer : undefined);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      const faults = [`The thread of the hooks ended: ${event.message}`];
      resolve({ type: "hooks", loaded: [], faults, warnings: [] });
      this.#settleAll();
    };
    this.#post({ type: "hooks", choice });
  }

  /** How many events are being answered. */
  get load(): number {
    return this.#waiting.size;
  }

  /** Asks it; `undefined` if it does not answer in time. */
  ask(event: WorkerEvent): Promise<AgentAnswer | undefined> {
    return this.#call((id) => ({ type: "event", id, event }), event.limitMs + GRACE_MS);
  }

  /** Tells the hooks that it is over, then ends it. */
  async leave(limitMs: number): Promise<void> {
    await this.#call((id) => ({ type: "leave", id }), limitMs);
    this.stop();
  }

  /** Ends it; who still waits gets no answer. */
  stop(): void {
    this.#worker.terminate();
    this.#settleAll();
  }

  #call(
    request: (id: number) => WorkerRequest,
    limitMs: number,
  ): Promise<AgentAnswer | undefined> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<AgentAnswer | undefined>();
    const timer = setTimeout(() => this.#settle(id, undefined), limitMs);
    this.#waiting.set(id, (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
    this.#post(request(id));
    return promise;
  }

  #settle(id: number, answer: AgentAnswer | undefined): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }

  #settleAll(): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, undefined);
  }

  #post(request: WorkerRequest): void {
    this.#worker.postMessage(request);
  }
}

/** Answers events, whatever becomes of the threads. */
export class HookThreads {
  readonly #choice: HookChoice;
  #thread: HookThread;
  #stamp: Promise<string>;
  #files: string[] = [];
  #lastLook = 0;
  #reloads = 0;
  #restarts = 0;

  constructor(choice: HookChoice) {
    this.#choice = choice;
    this.#thread = new HookThread(choice);
    this.#stamp = this.#readStamp();
  }

  /** Answers an event. Never rejects. */
  async answer(event: WorkerEvent): Promise<AgentAnswer> {
    await this.#reloadIfChanged();
    const thread = this.#thread;
    const answer = await thread.ask(event);
    if (answer !== undefined) return answer;
    if (thread === this.#thread) {
      this.#restarts++;
      this.#thread = new HookThread(this.#choice);
    }
    thread.stop();
    const agent = agentNamed(event.agent)!;
    const read = readPayload(agent, event.payload, { eventName: event.eventName });
    return refusal(
      read.agent,
      read.row,
      `A hook kept its thread busy for over ${event.limitMs} ms`,
    );
  }

  /** What there is to say. */
  async state(): Promise<ThreadState> {
    await this.#reloadIfChanged();
    const { loaded, faults, warnings } = await this.#thread.state;
    return { loaded, faults, warnings, reloads: this.#reloads, restarts: this.#restarts };
  }

  /** Tells the hooks that it is over. */
  async leave(limitMs: number): Promise<void> {
    await this.#thread.leave(limitMs);
  }

  async #reloadIfChanged(): Promise<void> {
    const now = performance.now();
    if (now - this.#lastLook < LOOK_AGAIN_MS) return;
    this.#lastLook = now;
    const before = await this.#stamp;
    if (stampOf(this.#files) === before) return;
    const old = this.#thread;
    this.#thread = new HookThread(this.#choice);
    this.#stamp = this.#readStamp();
    this.#reloads++;
    void old.leave(3_000);
    await this.#stamp;
  }

  /** A hook that is not loaded yet may still be mended, so the named ones are watched as well. */
  async #readStamp(): Promise<string> {
    const { loaded } = await this.#thread.state;
    const named = this.#choice.paths.map((path) =>
      path.startsWith("/") ? path : `${this.#choice.base}/${path}`
    );
    this.#files = filesBehind([...loaded, ...named]);
    return stampOf(this.#files);
  }
}

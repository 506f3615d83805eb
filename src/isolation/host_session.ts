/**
 * One running process of an isolated hook, from the side of the host: asks it, answers it, believes
 * nothing it says unseen, and ends it at the first thing that nobody who follows the rules does.
 *
 * @module
 */

import type { IsolatedProcess } from "../deno/isolation_process.ts";
import { HookTimeoutError, thrownText } from "../errors.ts";
import { LoadFault } from "../import_fault.ts";
import { isSame } from "../message_loan.ts";
import type { WritableSession } from "../ports.ts";
import type { HookContext } from "../types.ts";
import { IsolationFault, loadFaultOf } from "./faults.ts";
import { HostChannel } from "./host_channel.ts";
import { type HostServices, refuseLost, takeTell } from "./host_asks.ts";
import { type CallAnswer, PendingCall } from "./host_call.ts";
import { AskDesk } from "./host_desk.ts";
import { ToldState } from "./host_state.ts";
import { listChange } from "./lists.ts";
import type { ChildMessage, HookTable, HostCall, HostMessage } from "./messages.ts";
import { ProtocolFault } from "./messages.ts";
import { newSessionFacts, replay } from "./recording.ts";
import { unpackThrown } from "./thrown.ts";
import { pack, unpack } from "./values.ts";

/** What a session needs to know. */
export interface HookSessionOptions {
  /** What the host offers to the hook; its bindings may change. */
  services: HostServices;
  /** How long a handler may take, in milliseconds; `0` for no limit. */
  limitMs: number;
  /** Whether the hook looks at the session. */
  followsSession: boolean;
  /** The hook has registered something. */
  onTable(table: HookTable): void;
  /** A call was answered as it should be. */
  onAnswer(): void;
  /** It is over. */
  onEnd(fault: string): void;
}

/** What a hook says when it is loaded. */
export type LoadedTable = Extract<ChildMessage, { t: "ready" }>;

/** A process, and what it is asked and asks. */
export class HookSession {
  readonly #channel: HostChannel;
  readonly #options: HookSessionOptions;
  readonly #told: ToldState;
  readonly #pending = new Map<string, PendingCall>();
  readonly #late = new Set<string>();
  readonly #desk: AskDesk;
  readonly #loaded = Promise.withResolvers<LoadedTable>();
  #isLoaded = false;
  #conversation: readonly unknown[] = [];
  #newest: HookContext | undefined;
  #signals = 0;

  /**
   * @param process The process.
   * @param token The word that it has to say first.
   * @param options What it may do.
   */
  constructor(process: IsolatedProcess, token: string, options: HookSessionOptions) {
    this.#options = options;
    this.#told = new ToldState(options.followsSession);
    this.#loaded.promise.catch(() => {});
    this.#desk = new AskDesk({
      services: options.services,
      pendingOf: (call) => call === undefined ? undefined : this.#pending.get(call),
      contextOf: (call) => this.#contextOf(call),
      reply: (message) => this.#reply(message),
      fail: (fault) => this.fail(fault),
      runSetup: (seq, session, ctx) => this.#setup(seq, session, ctx),
    });
    this.#channel = new HostChannel(process, token, {
      onMessage: (message) => this.#take(message),
      onEnd: (fault) => this.#end(fault),
    });
  }

  /**
   * Loads the hook.
   *
   * @param message What to load.
   * @throws {LoadFault} If it does not load.
   */
  async load(message: HostMessage & { t: "load" }): Promise<LoadedTable> {
    this.#channel.keepAlive(true);
    this.#channel.send(message);
    try {
      return await this.#loaded.promise;
    } finally {
      this.#channel.keepAlive(false);
    }
  }

  /** What the runner has bound is told at once: a hook may send from a timer. */
  rebind(): void {
    const state = this.#told.change(undefined, this.#bound);
    if (state !== undefined) this.#channel.send({ t: "state", state });
  }

  /**
   * Lets a handler handle an event.
   *
   * @param name The event's name.
   * @param index Which of the hook's handlers for it.
   * @param event The event.
   * @param ctx The context.
   */
  async event(name: string, index: number, event: object, ctx: HookContext): Promise<unknown> {
    const call: HostCall = { what: "event", name, index, event: undefined };
    const pending = this.#open(call, ctx);
    const { messages, ...rest } = event as { messages?: unknown[] };
    const isContext = name === "context" && Array.isArray(messages);
    call.event = pack(isContext ? rest : event, { signal: (one) => this.#watch(one, pending[1]) });
    if (isContext) {
      const all = { keep: messages.length, add: [] };
      const change = listChange(this.#conversation, messages, isSame) ?? all;
      call.messages = { keep: change.keep, add: change.add.map((one) => pack(one)) };
      this.#conversation = messages;
    }
    const { value, same, list } = await this.#ask(pending);
    if (same.length === 0 && list === undefined) return value;
    const fields = { ...value as object } as Record<string, unknown>;
    for (const key of same) fields[key] = (event as Record<string, unknown>)[key];
    if (list !== undefined) {
      fields.messages = list.map((one) => typeof one === "number" ? messages?.[one] : one);
    }
    return fields;
  }

  /** Runs a command. */
  async command(name: string, args: string, ctx: HookContext): Promise<void> {
    await this.#ask(this.#open({ what: "command", name, args }, ctx));
  }

  /** Draws a message. */
  async render(call: HostCall & { what: "render" }): Promise<string[] | undefined> {
    if (this.#newest === undefined) return undefined;
    const { value } = await this.#ask(this.#open(call, this.#newest));
    return Array.isArray(value) ? value.map(String) : undefined;
  }

  /** Ends the process. */
  async kill(): Promise<void> {
    await this.#channel.kill();
  }

  /** Whether it can still be asked. */
  get isAlive(): boolean {
    return this.#channel.isAlive;
  }

  /** Settles when it is known whether a process that was late is stuck; absent without a doubt. */
  get doubt(): Promise<void> | undefined {
    return this.#channel.doubt;
  }

  /**
   * Ends it because of a fault.
   *
   * @param fault What it did, as the end of a sentence about the process.
   */
  fail(fault: string): void {
    this.#channel.fail(fault);
  }

  #end(fault: string): void {
    const { hookPath } = this.#options.services;
    this.#loaded.reject(new LoadFault("import", `its isolated process ${fault}`));
    this.#desk.close();
    for (const pending of this.#pending.values()) {
      const { call } = pending;
      const what = call.what === "event" ? call.name : call.what;
      const text = `Hook "${hookPath}": its isolated process ${fault} (${what})`;
      pending.reject(new IsolationFault(text));
    }
    this.#pending.clear();
    this.#options.onEnd(fault);
  }

  get #bound(): { sendMessage: boolean; appendEntry: boolean } {
    const { sendMessage, appendEntry } = this.#options.services;
    return { sendMessage: sendMessage !== undefined, appendEntry: appendEntry !== undefined };
  }

  #open(call: HostCall, ctx: HookContext): [id: string, pending: PendingCall] {
    this.#newest = ctx;
    const pending = new PendingCall(call, ctx, this.#options.limitMs, (late) => this.#beLate(late));
    pending.answer.catch(() => {});
    return [crypto.randomUUID(), pending];
  }

  async #ask([id, pending]: [id: string, pending: PendingCall]): Promise<CallAnswer> {
    if (this.#pending.size === 0) this.#channel.keepAlive(true);
    this.#pending.set(id, pending);
    const state = this.#told.change(pending.ctx, this.#bound);
    this.#channel.send({ t: "call", id, call: pending.call, ...state && { state } });
    try {
      return await pending.answer;
    } finally {
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#channel.keepAlive(false);
    }
  }

  #watch(signal: AbortSignal, pending: PendingCall): number {
    const number = ++this.#signals;
    const tell = (): void => this.#channel.send({ t: "abort", signal: number });
    signal.addEventListener("abort", tell, { once: true });
    pending.onEnd(() => signal.removeEventListener("abort", tell));
    return number;
  }

  /** The clock of a call has run down. A command may take its time, but must stay alive. */
  #beLate(pending: PendingCall): void {
    const { call } = pending;
    const { limitMs, services } = this.#options;
    this.#channel.probe();
    if (call.what !== "event") return pending.run(limitMs);
    const [id] = [...this.#pending].find(([, one]) => one === pending) ?? [];
    if (id !== undefined) this.#late.add(id);
    pending.reject(new HookTimeoutError(services.hookPath, call.name, limitMs));
  }

  #take(message: ChildMessage): void {
    switch (message.t) {
      case "answer":
        return this.#takeAnswer(message);
      case "ready":
      case "failed":
        if (this.#isLoaded) throw new ProtocolFault("it says twice that it is loaded");
        this.#isLoaded = true;
        if (message.t === "ready") return this.#loaded.resolve(message);
        return this.#loaded.reject(loadFaultOf(message));
      case "table":
        return this.#options.onTable(message.table);
      case "cancel":
        return this.#desk.cancel(message.seq);
      case "ask":
        return void this.#desk.take(message);
      case "tell": {
        const lost = message.method === "log" ? (what: string) => `(${what})` : refuseLost;
        const args = message.args.map((one) => unpack(one, { lost }));
        const ctx = this.#contextOf(message.call);
        return this.#attempt(() => takeTell(message.method, args, ctx, this.#options.services));
      }
    }
  }

  /** What fails in the host is no fault of the process, except for a breach of the protocol. */
  #attempt(take: () => void): void {
    try {
      take();
    } catch (thrown) {
      if (thrown instanceof ProtocolFault) throw thrown;
      const { hookPath, logger } = this.#options.services;
      logger.error(`${hookPath}: the host could not do what it asked: ${thrownText(thrown)}`);
    }
  }

  #contextOf(call: string | undefined): HookContext | undefined {
    return (call === undefined ? undefined : this.#pending.get(call)?.ctx) ?? this.#newest;
  }

  #takeAnswer(message: ChildMessage & { t: "answer" }): void {
    const { id, same = [] } = message;
    const pending = this.#pending.get(id);
    if (this.#late.delete(id)) return;
    if (pending === undefined) throw new ProtocolFault("it answers what was not asked");
    if (message.thrown !== undefined) {
      return pending.reject(unpackThrown(unpack(message.thrown, { lost: (what) => what })));
    }
    const lost = refuseLost;
    const value = message.value === undefined ? undefined : unpack(message.value, { lost });
    const list = message.list?.map((one) => typeof one === "number" ? one : unpack(one, { lost }));
    pending.resolve({ value, same, list });
    this.#options.onAnswer();
  }

  #reply(message: HostMessage & { t: "reply" }): void {
    if (!this.isAlive) return;
    const state = this.#told.change(this.#newest, this.#bound);
    this.#channel.send({ ...message, ...state && { state } });
  }

  async #setup(seq: number, session: WritableSession, ctx: HookContext): Promise<void> {
    const facts = pack(newSessionFacts(session));
    const { value } = await this.#ask(this.#open({ what: "setup", seq, facts }, ctx));
    replay(session, value);
  }
}

/**
 * What goes to and comes from the process of an isolated hook. It ends at the first thing that
 * nobody who follows the rules does: a message that is none, a flood, silence when it was called.
 *
 * @module
 */

import type { IsolatedProcess } from "../deno/isolation_process.ts";
import { thrownText } from "../errors.ts";
import { frameOf, FrameReader } from "./frames.ts";
import {
  type ChildMessage,
  type HostMessage,
  ProtocolFault,
  readChildMessage,
} from "./messages.ts";

/** Who listens. */
export interface ChannelListener {
  /** Gets what is no matter of the channel itself. What it throws ends the channel. */
  onMessage(message: ChildMessage): void;
  /** It is over, because the process did this. */
  onEnd(fault: string): void;
}

const PERIOD_MS = 10_000;
const MAX_MESSAGES = 20_000;
const MAX_BYTES = 512 * 1024 * 1024;
const PONG_LIMIT_MS = 1000;
const END_LIMIT_MS = 1000;

/** The messages of one process. */
export class HostChannel {
  readonly #process: IsolatedProcess;
  readonly #listener: ChannelListener;
  readonly #flow = { since: performance.now(), messages: 0, bytes: 0 };
  #token: string | undefined;
  #pings = 0;
  #doubt: (PromiseWithResolvers<void> & { timer: ReturnType<typeof setTimeout> }) | undefined;
  #fault: string | undefined;

  /**
   * @param process The process.
   * @param token The word that it has to say first.
   * @param listener Who listens.
   */
  constructor(process: IsolatedProcess, token: string, listener: ChannelListener) {
    this.#process = process;
    this.#token = token;
    this.#listener = listener;
    void this.#listen();
  }

  /** Whether it can still be used. */
  get isAlive(): boolean {
    return this.#fault === undefined;
  }

  /** Settles when it is known whether a process that was late is stuck; absent without a doubt. */
  get doubt(): Promise<void> | undefined {
    return this.#doubt?.promise;
  }

  /**
   * Sends a message.
   *
   * @param message The message.
   */
  send(message: HostMessage): void {
    let bytes: Uint8Array;
    try {
      bytes = frameOf(JSON.stringify(message));
    } catch (thrown) {
      // What was noted as told would be missing from now on.
      return this.fail(`cannot be told something: ${thrownText(thrown)}`);
    }
    this.#process.link.send(bytes);
  }

  /** Whether waiting for messages keeps the program from ending. */
  keepAlive(isWanted: boolean): void {
    this.#process.link.keepAlive(isWanted);
  }

  /** Asks whether it still reacts: a process that waits answers at once, one that is stuck never. */
  probe(): void {
    if (this.#doubt !== undefined || !this.isAlive) return;
    const timer = setTimeout(() => this.fail("does not react any more"), PONG_LIMIT_MS);
    this.#doubt = { ...Promise.withResolvers<void>(), timer };
    this.send({ t: "ping", n: ++this.#pings });
  }

  /**
   * Ends it.
   *
   * @param fault What the process did, as the end of a sentence.
   */
  fail(fault: string): void {
    if (this.#fault !== undefined) return;
    this.#fault = fault;
    void this.#process.kill();
    this.#listener.onEnd(fault);
    this.#endDoubt();
  }

  /** Ends it, and waits until the process is gone. */
  async kill(): Promise<void> {
    this.fail("was ended by the host");
    await this.#process.kill();
  }

  #endDoubt(): void {
    clearTimeout(this.#doubt?.timer);
    this.#doubt?.resolve();
    this.#doubt = undefined;
  }

  async #listen(): Promise<void> {
    const reader = new FrameReader();
    try {
      for await (const bytes of this.#process.link.bytes) {
        this.#count(0, bytes.length);
        for (const text of reader.read(bytes)) {
          if (!this.isAlive) return;
          this.#take(readChildMessage(text));
        }
      }
    } catch (thrown) {
      return this.fail(`broke the protocol: ${thrownText(thrown)}`);
    }
    if (!this.isAlive) return;
    const { promise, resolve } = Promise.withResolvers<string>();
    const timer = setTimeout(() => resolve("closed its connection"), END_LIMIT_MS);
    this.fail(await Promise.race([this.#process.ended, promise]));
    clearTimeout(timer);
  }

  #count(messages: number, bytes: number): void {
    const flow = this.#flow;
    const now = performance.now();
    if (now - flow.since > PERIOD_MS) Object.assign(flow, { since: now, messages: 0, bytes: 0 });
    flow.messages += messages;
    flow.bytes += bytes;
    if (flow.messages > MAX_MESSAGES) throw new ProtocolFault("it floods the host with messages");
    if (flow.bytes > MAX_BYTES) throw new ProtocolFault("it floods the host with bytes");
  }

  #take(message: ChildMessage): void {
    if (this.#token !== undefined) {
      if (message.t !== "hello" || message.token !== this.#token) {
        throw new ProtocolFault("somebody else has connected");
      }
      this.#token = undefined;
      return;
    }
    // As many answers may come as there were questions, which the listener checks.
    if (message.t !== "answer") this.#count(1, 0);
    if (message.t === "hello") throw new ProtocolFault("it says hello twice");
    if (message.t !== "pong") return this.#listener.onMessage(message);
    if (this.#doubt === undefined || message.n !== this.#pings) {
      throw new ProtocolFault("it answers what was not asked");
    }
    this.#endDoubt();
  }
}

/**
 * What the host asks of a hook, done inside of the hook's process.
 *
 * @module
 */

import { CommandContext, EventContext } from "../context.ts";
import { frozenCopy } from "../copy.ts";
import { describeValue } from "../errors.ts";
import { EVENT_POLICIES, isHookEventName } from "../events/policy.ts";
import type { LoadedHook } from "../hook.ts";
import { MessageLoan } from "../message_loan.ts";
import type { AgentMessage, HookMessage } from "../messages.ts";
import type { ChildHost } from "./child_host.ts";
import { applyListChange } from "./lists.ts";
import type { ChildMessage, HostCall } from "./messages.ts";
import { type NewSessionFacts, type RecordedCall, recordingManager } from "./recording.ts";
import { packThrown } from "./thrown.ts";
import { themeOf } from "./theme.ts";
import { CannotCross, isMarked, pack, unpack } from "./values.ts";

type Answer = Extract<ChildMessage, { t: "answer" }>;

/** Does what the host asks. */
export class ChildCalls {
  readonly #hook: LoadedHook;
  readonly #host: ChildHost;
  readonly #signals = new Map<number, AbortController>();
  /** The conversation as the host has told it; every handler gets a copy to edit. */
  #messages: readonly AgentMessage[] = [];

  constructor(hook: LoadedHook, host: ChildHost) {
    this.#hook = hook;
    this.#host = host;
  }

  /**
   * Does it.
   *
   * @param id The name of the call.
   * @param call What to do.
   * @returns What to answer. Never rejects.
   */
  async answer(id: string, call: HostCall): Promise<Answer> {
    try {
      return { t: "answer", id, ...await this.#run(id, call) };
    } catch (thrown) {
      return { t: "answer", id, thrown: packThrown(thrown, pack) };
    }
  }

  /** A signal of the host has fired. */
  abort(signal: number): void {
    this.#signals.get(signal)?.abort();
    this.#signals.delete(signal);
  }

  /** The conversation has to be followed in the order in which the host tells of it. */
  learn(call: HostCall): void {
    if (call.what !== "event" || call.messages === undefined) return;
    const add = call.messages.add.map((message) => unpack(message));
    this.#messages = applyListChange(this.#messages, { keep: call.messages.keep, add });
  }

  #run(id: string, call: HostCall): Promise<Partial<Answer>> | Partial<Answer> {
    switch (call.what) {
      case "event":
        return call.name === "context" ? this.#filter(id, call) : this.#handle(id, call);
      case "command":
        return this.#command(id, call);
      case "render":
        return this.#render(call);
      case "setup":
        return this.#setup(call);
    }
  }

  async #handle(
    id: string,
    { name, index, event: packed }: HostCall & { what: "event" },
  ): Promise<Partial<Answer>> {
    const event = this.#eventOf(name, packed);
    const value: unknown = await this.#call(id, name, index, event);
    if (value === undefined) return {};
    if (!isPlain(value)) return { value: packAnswer(value) };
    // What was shown, given back as it is, means "no change": the host has it already.
    const same: string[] = [];
    const fields: Record<string, unknown> = { ...value };
    for (const [key, field] of Object.entries(fields)) {
      const shown = (event as Record<string, unknown>)[key];
      if (typeof field !== "object" || field === null || field !== shown) continue;
      same.push(key);
      delete fields[key];
    }
    return { value: pack(fields, { refuse: true }), ...same.length > 0 && { same } };
  }

  async #filter(
    id: string,
    { name, index, event: packed }: HostCall & { what: "event" },
  ): Promise<Partial<Answer>> {
    const originals = this.#messages;
    const loan = new MessageLoan(originals);
    const event = { ...unpack(packed) as object, messages: loan.messages };
    const value: unknown = await this.#call(id, name, index, event);
    if (value === undefined) return {};
    const messages = isRecord(value) ? value.messages : undefined;
    if (!isPlain(value) || !isMessageList(messages)) return { value: packAnswer(value) };
    const places = new Map(originals.map((message, place) => [message, place]));
    const list = loan.takeBack(messages).map((message) =>
      places.get(message) ?? pack(message, { refuse: true })
    );
    const { messages: _, ...others } = value;
    return { value: pack(others, { refuse: true }), list };
  }

  #call(id: string, name: string, index: number, event: unknown): unknown {
    const handler = this.#hook.handlers.get(name)?.[index];
    if (handler === undefined) throw new Error(`There is no handler ${index} for ${name} any more`);
    const binding = this.#host.bindingOf(id);
    return handler(event as never, new EventContext(() => binding) as never);
  }

  #eventOf(name: string, packed: unknown): unknown {
    const event = unpack(packed, {
      signal: (number, isAborted) => this.#signal(number, isAborted),
    });
    const policy: { shows?: string } = isHookEventName(name) ? EVENT_POLICIES[name] : {};
    const isFrozen = policy.shows === "frozen" || name === "tool_call" ||
      name === "before_agent_start";
    return isFrozen ? frozenCopy(event) : event;
  }

  #signal(number: number, isAborted: boolean): AbortSignal {
    const controller = new AbortController();
    if (isAborted) controller.abort();
    else this.#signals.set(number, controller);
    return controller.signal;
  }

  async #command(id: string, call: HostCall & { what: "command" }): Promise<Partial<Answer>> {
    const command = this.#hook.commands.get(call.name);
    if (command === undefined) throw new Error(`There is no command ${call.name} any more`);
    const binding = this.#host.bindingOf(id);
    await command.handler(call.args, new CommandContext(() => binding));
    return {};
  }

  #render(call: HostCall & { what: "render" }): Partial<Answer> {
    const renderer = this.#hook.messageRenderers.get(call.name);
    const message = unpack(call.message) as HookMessage;
    const theme = themeOf(() => this.#host.theme);
    const component = renderer?.(message, { expanded: call.expanded }, theme);
    if (component === undefined) return {};
    return { value: component.render(call.width).map(String) };
  }

  async #setup({ seq, facts }: HostCall & { what: "setup" }): Promise<Partial<Answer>> {
    const setup = this.#host.setupOf(seq);
    if (setup === undefined) throw new Error("This setup is not waited for any more");
    const { SessionManager } = await import("../session/session.ts");
    const known = unpack(facts) as NewSessionFacts;
    const calls: RecordedCall[] = [];
    const copy = SessionManager.inMemory(String(known.getCwd ?? ""));
    await setup(recordingManager(copy, known, calls));
    return { value: pack(calls, { refuse: true }) };
  }
}

/** Whether it can be compared with what was lent; what is wrong with it is said by the host. */
function isMessageList(value: unknown): value is AgentMessage[] {
  return Array.isArray(value) && value.every((one) => isRecord(one));
}

/** The fields of an instance of a class would pass for an answer that nobody has given. */
function packAnswer(value: unknown): unknown {
  const packed = pack(value, { refuse: true });
  if (!isRecord(value) || isPlain(value) || isMarked(packed)) return packed;
  throw new CannotCross(`${describeValue(value)} is no plain object, and no answer`);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * How answers become one, as objects: one for each kind of the fold table.
 *
 * @module
 */

import type { FoldKind } from "./events/policy.ts";
import type { BoundHandler, HandlerRecord } from "./handler_record.ts";
import { MessageLoan } from "./message_loan.ts";
import type { AgentMessage } from "./messages.ts";
import { repairToolPairs } from "./tool_pairs.ts";

/** An answer that was checked, with who gave it. */
export interface Answer {
  /** The handler. */
  readonly handler: BoundHandler;
  /** The fields that it set, copied: they belong to the fold. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether another answer took the place of this one, or of a field of it. */
  isSuperseded?: boolean;
  /** Its record, if somebody observes. */
  record?: HandlerRecord;
}

/** Hears what happens to answers. */
export interface FoldListener {
  /** An answer, or a field of it, gave way to another handler's; `text` if that is worth a word. */
  superseded(loser: Answer, winner: Answer, text: string | undefined): void;
  /** There is something odd about an answer; `matter` is the same whenever it is about the same. */
  odd(answer: Answer, matter: string, text: string): void;
}

/** Collects the answers of one dispatch. */
export interface Fold {
  /** What the next handler gets. */
  next(): object;
  /** The answers so far. */
  readonly answer: object | undefined;
  /** Takes an answer in. If it throws, nothing has changed. */
  take(answer: Answer, listener: FoldListener): void;
}

/** Answers have no meaning. Also what the other folds have in common. */
class IgnoreFold implements Fold {
  answer: object | undefined;
  readonly #event: object;

  constructor(event: object) {
    this.#event = event;
  }

  next(): object {
    return this.#event;
  }

  take(_answer: Answer, _listener: FoldListener): void {}
}

/** An answer that only says "no" carries nothing that somebody would miss. */
function carriesSomething(fields: Record<string, unknown>): boolean {
  return Object.values(fields).some((value) => value !== false);
}

/** The last answer wins. */
class LastFold extends IgnoreFold {
  #last: Answer | undefined;

  override take(answer: Answer, listener: FoldListener): void {
    if (this.#last !== undefined) {
      const text =
        `its answer was replaced by the one of "${answer.handler.hookPath}"; the last answer wins`;
      const isMissed = carriesSomething(this.#last.fields);
      listener.superseded(this.#last, answer, isMissed ? text : undefined);
    }
    this.#last = answer;
    this.answer = answer.fields;
  }
}

/** For each field the last answer that sets it wins. */
class MergeFold extends IgnoreFold {
  readonly #last = new Map<string, Answer>();

  override take(answer: Answer, listener: FoldListener): void {
    const shown = this.next() as Record<string, unknown>;
    const merged: Record<string, unknown> = { ...this.answer };
    for (const [name, value] of Object.entries(answer.fields)) {
      if (isUnchanged(value, shown[name])) continue;
      const loser = this.#last.get(name);
      if (loser !== undefined) {
        const text =
          `its ${name} was replaced by the one of "${answer.handler.hookPath}"; the last override wins`;
        listener.superseded(loser, answer, text);
      }
      this.#last.set(name, answer);
      merged[name] = value;
      this.answer = merged;
    }
  }
}

/**
 * What was shown, given back as it is, means "no change": the original is kept, and so is what an
 * earlier hook made of it. `null` and flags are overrides even if they say what was said already.
 */
function isUnchanged(value: unknown, shown: unknown): boolean {
  return value === shown && value !== null && ["object", "string"].includes(typeof value);
}

/** The first answer is kept. */
class FirstFold extends IgnoreFold {
  #first: Answer | undefined;

  override take(answer: Answer, listener: FoldListener): void {
    if (this.#first === undefined) {
      this.#first = answer;
      this.answer = answer.fields;
      return;
    }
    const text =
      `its answer was ignored: the one of "${this.#first.handler.hookPath}" came first, and the first is kept`;
    listener.superseded(answer, this.#first, text);
  }
}

/** Each handler gets the messages that the one before returned. */
class ChainFold extends IgnoreFold {
  #messages: AgentMessage[];
  #loan: MessageLoan | undefined;

  constructor(event: object) {
    super(event);
    this.#messages = (event as { messages: AgentMessage[] }).messages;
  }

  override next(): object {
    this.#loan = new MessageLoan(this.#messages);
    return { type: "context", messages: this.#loan.messages };
  }

  override take(answer: Answer, listener: FoldListener): void {
    if (this.#loan === undefined) return;
    let messages = this.#loan.takeBack(answer.fields.messages as AgentMessage[]);
    const repair = repairToolPairs(this.#messages, messages);
    if (repair !== undefined) {
      messages = repair.messages;
      const parts = [];
      if (repair.orphanResults.length > 0) {
        parts.push(`removed the calls of the results ${repair.orphanResults.join(", ")}`);
      }
      if (repair.openCalls.length > 0) {
        parts.push(`removed the results of the calls ${repair.openCalls.join(", ")}`);
      }
      const text = `${
        parts.join(" and ")
      }; a model refuses that, so the results were dropped or filled in`;
      listener.odd(answer, "torn pairs", text);
    } else if (messages.length === 0 && this.#messages.length > 0) {
      listener.odd(answer, "empty list", "returned an empty list: the model will read nothing");
    }
    this.#messages = messages;
    this.answer = { messages };
  }
}

/**
 * Makes the fold of a dispatch.
 *
 * @param kind The kind, from the fold table.
 * @param event The event.
 */
export function foldFor(kind: FoldKind, event: object): Fold {
  if (kind === "ignore") return new IgnoreFold(event);
  if (kind === "last") return new LastFold(event);
  if (kind === "merge") return new MergeFold(event);
  if (kind === "first") return new FirstFold(event);
  return new ChainFold(event);
}

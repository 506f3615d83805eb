/**
 * A session manager for the `setup` of `newSession` in the process of an isolated hook. It answers
 * like the new session, from a copy, and writes down what was called; the host does it again, in
 * order, on the real session.
 *
 * @module
 */

import type { WritableSession } from "../ports.ts";
import { ProtocolFault } from "./messages.ts";

/** The methods that can be done again. */
const RECORDED = [
  "appendMessage",
  "appendCustomEntry",
  "appendCustomMessageEntry",
  "appendCompaction",
  "appendLabelChange",
  "appendModelChange",
  "appendThinkingLevelChange",
  "branch",
  "branchWithSummary",
] as const;

/** The methods that lead to another session, which would be the host's to open. */
const REFUSED: ReadonlySet<PropertyKey> = new Set([
  "createBranchedSession",
  "newSession",
  "fork",
  "setSessionFile",
  "close",
]);

/** Where an id stands among the arguments of a method. */
const ID_ARGUMENTS: Readonly<Partial<Record<typeof RECORDED[number], number>>> = {
  appendCompaction: 2,
  appendLabelChange: 0,
  branch: 0,
  branchWithSummary: 0,
};

/** A call, and the id that the copy gave to the entry which came of it. */
export interface RecordedCall {
  method: typeof RECORDED[number];
  args: unknown[];
  id?: string;
}

const FACTS = ["getCwd", "getSessionId", "getSessionFile", "getSessionDir", "getHeader"] as const;

/** What the copy cannot know of the new session, by the methods that tell it. */
export type NewSessionFacts = Readonly<Partial<Record<typeof FACTS[number], unknown>>>;

/**
 * What the host tells about the new session.
 *
 * @param session The new session; a host may offer less than all of it.
 */
export function newSessionFacts(session: WritableSession): NewSessionFacts {
  const facts: Partial<Record<typeof FACTS[number], unknown>> = {};
  for (const name of FACTS) {
    if (typeof session[name] === "function") facts[name] = session[name]();
  }
  return facts;
}

/** The most calls that are done again. */
const MAX_CALLS = 10_000;

/**
 * A manager that writes down what is called.
 *
 * @param copy A session in memory that stands for the new one.
 * @param facts What the copy cannot know of it.
 * @param calls Gets the calls.
 */
export function recordingManager(
  copy: WritableSession,
  facts: NewSessionFacts,
  calls: RecordedCall[],
): WritableSession {
  return new Proxy(copy, {
    get(_target, name): unknown {
      if (REFUSED.has(name)) {
        return () => {
          throw new Error(
            `sessionManager.${String(name)} is not there for isolated hooks in setup`,
          );
        };
      }
      if (name === "flush") return () => Promise.resolve();
      if (typeof name === "string" && Object.hasOwn(facts, name)) {
        return () => facts[name as keyof NewSessionFacts];
      }
      const value: unknown = Reflect.get(copy, name);
      if (typeof value !== "function") return value;
      const method = RECORDED.find((one) => one === name);
      return (...args: unknown[]): unknown => {
        const result: unknown = value.apply(copy, args);
        if (method === undefined) return result;
        calls.push({ method, args, ...typeof result === "string" && { id: result } });
        return result;
      };
    },
  });
}

/**
 * Does recorded calls on the real session.
 *
 * @param session The real session.
 * @param recorded What a hook's process says that it called; anything.
 * @throws {ProtocolFault} If it is no list of calls.
 * @throws What the session throws.
 */
export function replay(session: WritableSession, recorded: unknown): void {
  if (!Array.isArray(recorded) || recorded.length > MAX_CALLS) {
    throw new ProtocolFault("the calls of setup are no list");
  }
  const ids = new Map<string, string>();
  for (const call of recorded) {
    const method = RECORDED.find((one) => one === call?.method);
    if (method === undefined || !Array.isArray(call.args)) {
      throw new ProtocolFault("a call of setup is of no kind");
    }
    const args: unknown[] = [...call.args];
    const place = ID_ARGUMENTS[method];
    if (place !== undefined) args[place] = ids.get(String(args[place])) ?? args[place];
    const id: unknown = Reflect.apply(session[method], session, args);
    if (typeof id === "string" && typeof call.id === "string") ids.set(call.id, id);
  }
}

/**
 * Reads the answer of a handler: takes the known fields out of whatever came back, copies and
 * checks each, and says what is wrong. Every field is read once and the copy is what is checked,
 * so that a getter cannot show two faces and nothing that the hook still holds gets through.
 *
 * @module
 */

import { ownCopy } from "./copy.ts";
import { describeValue, isThrown } from "./errors.ts";
import type { FieldCheck } from "./events/checks.ts";
import type { HookEventName } from "./events/map.ts";
import { EVENT_POLICIES } from "./events/policy.ts";

/** What came of reading an answer. */
export type AnswerReading =
  /** No answer at all; `note` says what was there instead, if anything was. */
  | { kind: "none"; note?: string }
  /** An answer; `note` says what in it is ignored. */
  | { kind: "answer"; fields: Record<string, unknown>; note?: string }
  /** An answer that must not be used. */
  | { kind: "rejected"; fault: string };

/** What the answers of an event may hold. */
interface AnswerShape {
  /** Fields by name: a `Map`, so that no inherited name is taken for a field. */
  readonly checks: ReadonlyMap<string, FieldCheck>;
  /** Whether something that is not understood has to be rejected rather than noted. */
  readonly isGate: boolean;
  /** Whether the fold does the copying, because it knows what it has lent. */
  readonly isLoan: boolean;
}

const SHAPES = new Map<HookEventName, AnswerShape>();
for (const [name, policy] of Object.entries(EVENT_POLICIES)) {
  if (policy.fold === "ignore") continue;
  SHAPES.set(name as HookEventName, {
    checks: new Map(Object.entries(policy.fields)),
    isGate: policy.onThrow === "block",
    isLoan: policy.fold === "chain",
  });
}

/**
 * Reads an answer.
 *
 * @param event The event that was handled.
 * @param value What the handler returned, not `undefined`.
 * @param shown The event as the handler saw it: a field that is given back as it was shown is
 * neither copied nor checked.
 * @throws Whatever a getter of the answer throws.
 */
export function readAnswer(event: HookEventName, value: unknown, shown: object): AnswerReading {
  const shape = SHAPES.get(event);
  if (value === null || shape === undefined) return { kind: "none" };
  const { checks, isGate, isLoan } = shape;
  if (typeof value !== "object" || Array.isArray(value)) return misunderstood(event, shape, value);
  const fields: Record<string, unknown> = {};
  let count = 0;
  for (const [name, check] of checks) {
    const given = (value as Record<string, unknown>)[name];
    if (given === undefined) continue;
    // A gate takes no guesses: there `null` is of the wrong type like anything else.
    if (given === null && name !== "details" && !isGate) continue;
    const isShown = given !== null && given === (shown as Record<string, unknown>)[name];
    const field = isShown || isLoan ? { value: given } : takeField(given);
    const fault = field.fault ?? (isShown && !isLoan ? undefined : check(field.value));
    if (fault !== undefined) {
      return { kind: "rejected", fault: `returned an answer whose ${name} ${fault}` };
    }
    fields[name] = field.value;
    count++;
  }
  const hasOtherKeys = Reflect.ownKeys(value).some((key) => !checks.has(key as string));
  if (count === 0) {
    return hasOtherKeys || !isPlain(value) ? misunderstood(event, shape, value) : { kind: "none" };
  }
  if (isGate && fields.block === undefined) {
    if (hasOtherKeys) return misunderstood(event, shape, value);
    return { kind: "answer", fields, note: "gave a reason without block: true, which allows" };
  }
  if (!hasOtherKeys) return { kind: "answer", fields };
  return { kind: "answer", fields, note: `${returned(event, shape, value)}, the rest is ignored` };
}

function takeField(given: unknown): { value?: unknown; fault?: string } {
  try {
    return { value: ownCopy(given) };
  } catch (thrown) {
    if (!isThrown(thrown, DOMException)) throw thrown;
    return { fault: `holds something that cannot be copied: ${thrown.message}` };
  }
}

function misunderstood(event: HookEventName, shape: AnswerShape, value: unknown): AnswerReading {
  const text = returned(event, shape, value);
  return shape.isGate ? { kind: "rejected", fault: text } : { kind: "none", note: text };
}

function returned(event: HookEventName, { checks }: AnswerShape, value: unknown): string {
  const fields = [...checks.keys()].join(", ");
  return `returned ${describeValue(value)}; ${event} understands { ${fields} }`;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

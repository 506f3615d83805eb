/**
 * Reads the answer of a handler: takes the known fields out of whatever came back, checks each,
 * and says what is wrong. Every field is read once, so that a getter cannot show two faces.
 *
 * @module
 */

import { describeValue } from "./errors.ts";
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

/** Fields by event, with `null` prototypes so that no inherited name is taken for a field. */
const CHECKS = new Map<HookEventName, Map<string, FieldCheck>>();
for (const [name, policy] of Object.entries(EVENT_POLICIES)) {
  if (policy.fold !== "ignore") {
    CHECKS.set(name as HookEventName, new Map(Object.entries(policy.fields)));
  }
}

/**
 * Reads an answer.
 *
 * @param event The event that was handled; one whose answers have a meaning.
 * @param value What the handler returned, not `undefined`.
 * @param isGate Whether something that is not understood has to be rejected rather than noted.
 * @throws Whatever a getter of the answer throws.
 */
export function readAnswer(event: HookEventName, value: unknown, isGate: boolean): AnswerReading {
  const checks = CHECKS.get(event);
  if (value === null || checks === undefined) return { kind: "none" };
  const understands = `${event} understands { ${[...checks.keys()].join(", ")} }`;
  if (typeof value !== "object" || Array.isArray(value)) {
    const note = `returned ${describeValue(value)}; ${understands}`;
    return isGate ? { kind: "rejected", fault: note } : { kind: "none", note };
  }
  const fields: Record<string, unknown> = {};
  let count = 0;
  for (const [name, check] of checks) {
    const field = (value as Record<string, unknown>)[name];
    if (field === undefined || (field === null && name !== "details")) continue;
    const fault = check(field);
    if (fault !== undefined) {
      return { kind: "rejected", fault: `returned an answer whose ${name} ${fault}` };
    }
    fields[name] = field;
    count++;
  }
  const unknown = Object.keys(value).filter((name) => !checks.has(name));
  if (unknown.length === 0) return count > 0 ? { kind: "answer", fields } : { kind: "none" };
  const note = `returned ${describeValue(value)}; ${understands}, the rest is ignored`;
  if (isGate && fields.block === undefined) return { kind: "rejected", fault: note };
  return count > 0 ? { kind: "answer", fields, note } : { kind: "none", note };
}

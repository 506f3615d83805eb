/**
 * Shows the fields of events, and what handlers may answer.
 *
 * @module
 */

import { EVENT_FIELDS, EVENT_POLICIES, type EventField, type HookEventName } from "../../mod.ts";
import type { Style } from "./terminal.ts";

/**
 * Describes events.
 *
 * @param names The events.
 * @param asJson Whether a program reads it.
 * @param style Marks for the text.
 */
export function describeEvents(
  names: readonly HookEventName[],
  asJson: boolean,
  style: Style,
): string {
  if (asJson) {
    const events = names.map((
      name,
    ) => [name, { fields: fieldsOf(name), answers: answersOf(name) }]);
    return `${JSON.stringify(Object.fromEntries(events))}\n`;
  }
  return `${names.map((name) => eventText(name, style)).join("\n\n")}\n`;
}

function fieldsOf(name: HookEventName): Record<string, Omit<EventField, "check">> {
  const fields: [string, EventField][] = Object.entries(EVENT_FIELDS[name]);
  return Object.fromEntries(fields.map(([field, { check: _, ...shown }]) => [field, shown]));
}

function answersOf(name: HookEventName): string[] {
  const policy = EVENT_POLICIES[name];
  return policy.fold === "ignore" ? [] : Object.keys(policy.fields);
}

function eventText(name: HookEventName, { bold, dim, cyan }: Style): string {
  const { fold } = EVENT_POLICIES[name];
  const fields = Object.entries(fieldsOf(name));
  const width = Math.max(0, ...fields.map(([field]) => field.length));
  const lines = fields.map(([field, { shape, isRequired, about, sample }]) => {
    const need = isRequired ? "" : dim(" (may be left out)");
    const filled = sample === undefined ? "" : dim(`  ${short(JSON.stringify(sample))}`);
    return `  ${cyan(field.padEnd(width))}  ${about}: ${shape}${need}${filled}`;
  });
  const answers = answersOf(name);
  return [
    bold(name),
    ...lines.length > 0 ? lines : ["  no fields"],
    answers.length > 0
      ? `  answer: { ${answers.map((field) => `${field}?`).join(", ")} } ${dim(`(${fold})`)}`
      : "  answers are ignored",
  ].join("\n");
}

function short(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

/**
 * `pi-hooks emit`: puts one event through hooks, and shows who answered what.
 *
 * @module
 */

import {
  EVENT_FIELDS,
  type EventField,
  HOOK_EVENT_NAMES,
  type HookEventName,
  isHookEventName,
} from "../../mod.ts";
import { nearest } from "../nearest.ts";
import type { Command } from "./command.ts";
import { describeEvents } from "./describe.ts";
import { loadHookSet } from "./hooks.ts";
import { parseObject, readGiven } from "./input.ts";
import { type ParsedOptions, SHARED_OPTIONS, UsageError } from "./options.ts";
import { ProtocolSession } from "./protocol.ts";
import type { Terminal } from "./terminal.ts";
import { AnswerRecorder, emitReport, traceOf } from "./trace.ts";

/** The command. */
export const emitCommand: Command = {
  name: "emit",
  summary: "Put one event through hooks, and show who answered what",
  usage: "pi-hooks emit EVENT [--data JSON|@FILE|-] --hook PATH …",
  details: [
    "Fields that --data leaves out are filled in. The trace names every handler in order, what it",
    'answered and how long it took, and who was not asked and why. With {"execute":true} a',
    "tool_call really runs the tool, between its hooks.",
  ],
  examples: [
    [
      "Ask a guard about a command",
      `pi-hooks emit tool_call --data '{"input":{"command":"rm -rf /"}}' --hook ./gate.ts`,
    ],
    ["See the fields of an event", "pi-hooks emit --describe tool_result"],
    [
      "Take the event from a file",
      "pi-hooks emit context --data @messages.json --hook ./filter.ts",
    ],
  ],
  options: [
    ...SHARED_OPTIONS,
    {
      name: "data",
      value: "JSON|@FILE|-",
      about: "The fields of the event: as JSON, from a file, or from standard input",
    },
    { name: "describe", about: "Show the fields of an event, or of all, and stop" },
    {
      name: "fail-on",
      value: "block|error",
      isRepeatable: true,
      about: "Exit with 1 if a hook blocks or cancels, or if one fails",
    },
  ],
  run: emit,
};

async function emit(options: ParsedOptions, terminal: Terminal): Promise<number> {
  const [given, ...rest] = options.positionals;
  if (rest.length > 0) {
    throw new UsageError(`"${rest[0]}" is too much; fields of the event go into --data`);
  }
  if (options.has("describe")) {
    const names = given === undefined ? HOOK_EVENT_NAMES : [eventNamed(given)];
    await terminal.write(describeEvents(names, options.has("json"), terminal.style.out));
    return 0;
  }
  if (given === undefined) {
    throw new UsageError(`Which event? There are: ${HOOK_EVENT_NAMES.join(", ")}`);
  }
  const failOn = options.choices("fail-on", ["block", "error"]);
  const name = eventNamed(given);
  const event = { type: name, ...sampleOf(name), ...await givenFields(name, options, terminal) };

  const hooks = await loadHookSet(options, terminal);
  const recorder = new AnswerRecorder(hooks.loaded.hooks, name);
  const session = new ProtocolSession(hooks, false);
  const answer = await session.answer(JSON.stringify(event), 1);
  if (answer.error !== undefined) throw new UsageError(answer.error);
  const trace = await traceOf(hooks, name, recorder);
  const { result, errors = [], tool } = answer;
  if (options.has("json")) {
    const report = { event, result, errors, ...tool && { tool }, ...trace };
    await terminal.write(`${JSON.stringify(report)}\n`);
  } else {
    await terminal.write(emitReport({ event, answer, trace }, terminal.style.out));
  }
  const isStopped = trace.trace.some(({ outcome, event }) =>
    outcome === "blocked" || outcome === "cancelled" ||
    (event === "tool_call" && failedGate(outcome))
  );
  const hasFailed = trace.trace.some(({ outcome }) => failedGate(outcome));
  const isMet = failOn.includes("block") && isStopped || failOn.includes("error") && hasFailed;
  return hooks.loaded.errors.length > 0 || isMet ? 1 : 0;
}

function failedGate(outcome: string): boolean {
  return ["threw", "timed-out", "aborted", "rejected-answer"].includes(outcome);
}

function eventNamed(given: string): HookEventName {
  if (isHookEventName(given)) return given;
  const guess = nearest(given, HOOK_EVENT_NAMES);
  const hint = guess === undefined
    ? `. There are: ${HOOK_EVENT_NAMES.join(", ")}`
    : `. Did you mean ${guess}?`;
  throw new UsageError(`There is no event "${given}"${hint}`);
}

/**
 * What is filled in for fields that nobody has given.
 *
 * @param name The event.
 */
export function sampleOf(name: HookEventName): Record<string, unknown> {
  const fields: [string, EventField][] = Object.entries(EVENT_FIELDS[name]);
  return Object.fromEntries(
    fields.filter(([, field]) => field.sample !== undefined)
      .map(([field, { sample }]) => [field, sample]),
  );
}

async function givenFields(
  name: HookEventName,
  options: ParsedOptions,
  terminal: Terminal,
): Promise<Record<string, unknown>> {
  const data = options.value("data");
  if (data === undefined) return {};
  const fields = parseObject(await readGiven(data, terminal), "--data");
  const { type } = fields;
  if (type !== undefined && type !== name) {
    throw new UsageError(`--data is an event of type ${JSON.stringify(type)}, not ${name}`);
  }
  const known = [...Object.keys(EVENT_FIELDS[name]), "type", "id", "execute"];
  for (const field of Object.keys(fields).filter((field) => !known.includes(field))) {
    const guess = nearest(field, known);
    const hint = guess === undefined ? "" : `; did you mean "${guess}"?`;
    const mark = terminal.style.err.yellow("warning:");
    terminal.tell(`${mark} ${name} has no field "${field}"${hint}`);
  }
  return fields;
}

/**
 * The table of an agent as text for people, made from what is really sent.
 *
 * @module
 */

import type { Agent, EventRow, JsonObject } from "./dialect.ts";

/** What an event can be told, for programs and for tables. */
export interface DescribedEvent {
  /** The agent's name of the event. */
  event: string;
  /** What hooks are asked, `null` if they are not. */
  hooks: string | null;
  /** For each thing that can be said, the answer that says it. */
  says: Record<string, JsonObject>;
  /** What there is to know. */
  note?: string;
}

const SAMPLE = {
  content: [{ type: "text" as const, text: "<text>" }],
  details: undefined,
  raw: { stdout: "…", stderr: "", interrupted: false, isImage: false },
  toolName: "Bash",
  hasContent: true,
  hasDetails: false,
};

/**
 * Describes the events of an agent.
 *
 * @param agent The agent.
 */
export function describeEvents(agent: Agent): DescribedEvent[] {
  return Object.entries(agent.events).map(([event, row]) => ({
    event,
    hooks: row.event ?? null,
    says: saysOf(row),
    ...(row.note !== undefined && { note: row.note }),
  }));
}

function saysOf(row: EventRow): Record<string, JsonObject> {
  const says: Record<string, JsonObject | undefined> = {
    deny: row.deny?.("<reason>"),
    ask: row.ask?.("<reason>"),
    replace: row.replace?.(SAMPLE),
    context: row.context?.("<text>"),
    "go on": row.goOn?.("<text>"),
  };
  if (row.silence) says["no objection"] = row.silence;
  return Object.fromEntries(
    Object.entries(says).filter((entry): entry is [string, JsonObject] => entry[1] !== undefined),
  );
}

/**
 * The table as text.
 *
 * @param agent The agent.
 */
export function describeAgent(agent: Agent): string {
  const asked = describeEvents(agent).filter(({ hooks, says }) =>
    hooks !== null || Object.keys(says).length > 0
  );
  const ignored = describeEvents(agent).filter((one) => !asked.includes(one));
  const lines = [
    `${agent.title} (--as ${agent.name}; seen with: ${agent.seen})`,
    "",
    "Events, what hooks are asked, and the answers it can be given",
  ];
  for (const { event, hooks, says, note } of asked) {
    lines.push(`  ${event} -> ${hooks ?? "(hooks are not asked)"}`);
    for (const [what, answer] of Object.entries(says)) {
      lines.push(`    ${what.padEnd(12)} ${JSON.stringify(answer)}`);
    }
    if (note !== undefined) lines.push(`    note         ${note}`);
  }
  for (const { event, note } of ignored.filter(({ note }) => note !== undefined)) {
    lines.push(`  ${event}: ${note}`);
  }
  const rest = ignored.filter(({ note }) => note === undefined).map(({ event }) => event);
  if (rest.length > 0) lines.push("", `Hooks are not asked at: ${rest.join(", ")}`);
  lines.push("", "Exit codes, as it reads them");
  for (const [code, meaning] of agent.exitCodes) lines.push(`  ${code.padEnd(8)} ${meaning}`);
  lines.push("", "What is answered");
  for (const [what, answer] of situations(agent)) lines.push(`  ${what.padEnd(56)} ${answer}`);
  lines.push("", "Good to know");
  for (const trap of agent.traps) lines.push(`  ${trap}`);
  return `${lines.join("\n")}\n`;
}

/** One row for each situation, in which the same is said at all times. */
function situations(agent: Agent): [string, string][] {
  const code = (exit: number, what: string): string => `exit ${exit}, ${what}`;
  const no = code(0, "deny");
  const silence = Object.values(agent.events).some(({ silence }) => silence)
    ? "the answer for no objection"
    : "{}";
  return [
    ["a hook blocks a tool call", no],
    ["a hook throws, hangs, answers nonsense, at a tool call", `${no} (the reason says: a fault)`],
    ["a hook was not loaded or is not trusted, or there is none", `${no} (a fault)`],
    ["the same at any other event", code(0, `${silence}; standard error says why`)],
    ["no objection", code(0, silence)],
    ["nothing on standard input, no JSON, cut off, two documents,", ""],
    ["  more than 64 MiB, not UTF-8 or UTF-16, nothing within 10 s", code(2, "standard error")],
    ["  the same with --event NAME", "as for a fault at that event"],
    ["an event without a name", code(2, "standard error")],
    ["an event that is not in the table, about a tool yet to run", "exit 2 if a hook blocks"],
    ["any other event that is not in the table", code(0, "{}")],
    ["a tool that is not in the table of names", "hooks see it under its own name"],
    ["a tool event without a tool", "as for a fault at that event"],
    ["a stop while the agent goes on because of a hook", code(0, silence)],
    ["wrong usage, an internal fault", code(2, "standard error")],
  ];
}

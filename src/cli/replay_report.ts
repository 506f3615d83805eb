/**
 * Counts what hooks have made of recorded sessions, and puts alike things together, so that a
 * hundred sessions fit on a screen.
 *
 * @module
 */

import type { ToolCallEvent, ToolResultEvent } from "../../mod.ts";
import type { FileReport, ReplayPlace } from "./replay_file.ts";
import type { CallOutcome, ReplayFault, ResultOutcome } from "./replay_side.ts";
import { count, shown } from "./show.ts";
import type { Style } from "./terminal.ts";

/** Things that are alike. */
interface Group {
  title: string;
  count: number;
  examples: string[];
}

const MAX_GROUPS = 8;
const MAX_EXAMPLES = 3;
const MAX_FILES = 8;

/** The numbers of a replay, for programs. */
export interface ReplayTotals {
  /** Files that were recognised, by format. */
  formats: Record<string, number>;
  /** How many files. */
  files: number;
  /** How many calls. */
  calls: number;
  /** How many results that belong to a call. */
  results: number;
  /** How many calls that nothing was recorded for. */
  callsWithoutResult: number;
  /** How many results without a call. */
  resultsWithoutCall: number;
  /** How many calls would have been blocked. */
  blocked: number;
  /** How many results would have been changed. */
  changed: number;
  /** How many handlers failed. */
  errors: number;
  /** With two sets of hooks: how many decisions are not the same. */
  different: number;
  /** How many lines or files are damaged. */
  faults: number;
  /** Records of kinds that are not known. */
  unknownRecords: number;
}

/** What a replay has come to. */
export class ReplaySummary {
  /** The numbers. */
  readonly totals: ReplayTotals = {
    formats: {},
    files: 0,
    calls: 0,
    results: 0,
    callsWithoutResult: 0,
    resultsWithoutCall: 0,
    blocked: 0,
    changed: 0,
    errors: 0,
    different: 0,
    faults: 0,
    unknownRecords: 0,
  };
  readonly #blocked = new Map<string, Group>();
  readonly #changed = new Map<string, Group>();
  readonly #errors = new Map<string, Group>();
  readonly #different = new Map<string, Group>();
  readonly #open: string[] = [];
  readonly #faults: string[] = [];
  readonly #warnings: string[] = [];

  /** Takes a call in. */
  addCall(place: ReplayPlace, event: ToolCallEvent, { outcome, ...rest }: CallOutcome): void {
    this.addErrors(place, rest.errors);
    if (outcome !== "blocked") return;
    this.totals.blocked++;
    const { reason = "", hookPath, kind } = rest;
    const title = `${hookPath} (${kind}): ${plainReason(reason, event)}`;
    addTo(this.#blocked, title, `${callText(event)}  ${at(place)}`);
  }

  /** Takes a result in. */
  addResult(place: ReplayPlace, event: ToolResultEvent, outcome: ResultOutcome): void {
    this.addErrors(place, outcome.errors);
    if (outcome.outcome !== "changed") return;
    this.totals.changed++;
    const title = `${outcome.changedBy?.join(", ")}: ${event.toolName}`;
    addTo(this.#changed, title, `${changeText(event, outcome)}  ${at(place)}`);
  }

  /** Takes in that two sets of hooks do not decide alike. */
  addDifference(place: ReplayPlace, title: string, event: ToolCallEvent | ToolResultEvent): void {
    this.totals.different++;
    addTo(this.#different, title, `${callText(event)}  ${at(place)}`);
  }

  /** Takes in handlers that failed. */
  addErrors(place: ReplayPlace, errors: readonly ReplayFault[]): void {
    for (const { hookPath, event, error } of errors) {
      this.totals.errors++;
      addTo(this.#errors, `${hookPath} (${event}): ${shown(error, 200)}`, at(place));
    }
  }

  /** Takes a file in that was read to its end. */
  addFile(report: FileReport): void {
    const { totals } = this;
    totals.files++;
    if (report.format !== undefined) {
      totals.formats[report.format] = (totals.formats[report.format] ?? 0) + 1;
    }
    totals.calls += report.calls;
    totals.results += report.results;
    totals.callsWithoutResult += report.openCalls.length;
    totals.resultsWithoutCall += report.strayResults;
    totals.unknownRecords += report.unknown;
    for (const { toolName, toolCallId, line } of report.openCalls) {
      if (this.#open.length < MAX_FILES) {
        this.#open.push(`${toolName} ${toolCallId}  ${report.file}:${line}`);
      }
    }
    for (const { line, text } of report.faults) this.addFault(report.file, text, line);
    totals.faults += report.faultCount - report.faults.length;
    for (const text of report.warnings) this.#warnings.push(`${report.file}: ${text}`);
  }

  /** Takes in something that cannot be read. */
  addFault(file: string, text: string, line = 0): void {
    this.totals.faults++;
    this.#faults.push(`${line > 0 ? `${file}:${line}` : file}: ${text}`);
  }

  /**
   * The report that people read.
   *
   * @param style Marks for the text.
   * @param hasTwoSides Whether two sets of hooks were compared.
   */
  text(style: Style, hasTwoSides: boolean): string {
    const { totals } = this;
    const formats = Object.entries(totals.formats).map(([name, number]) => `${number} ${name}`);
    const lines = [
      `${style.bold(count(totals.files, "session"))}${
        formats.length > 0 ? ` (${formats.join(", ")})` : ""
      }: ` +
      `${count(totals.calls, "call")}, ${count(totals.results, "result")}` +
      (totals.callsWithoutResult > 0
        ? `, ${count(totals.callsWithoutResult, "call")} without result`
        : "") +
      (totals.resultsWithoutCall > 0
        ? `, ${count(totals.resultsWithoutCall, "result")} without call`
        : ""),
    ];
    if (hasTwoSides) {
      lines.push(...section("Different", totals.different, this.#different, style.yellow, style));
    } else {
      lines.push(...section("Blocked", totals.blocked, this.#blocked, style.red, style));
      lines.push(...section("Changed results", totals.changed, this.#changed, style.cyan, style));
    }
    lines.push(...section("Errors", totals.errors, this.#errors, style.red, style, true));
    lines.push(...list("Without result", totals.callsWithoutResult, this.#open, style));
    lines.push(...list("Damaged", totals.faults, this.#faults, style));
    lines.push(...list("Odd", this.#warnings.length, this.#warnings, style));
    if (totals.unknownRecords > 0) {
      lines.push(style.dim(`${count(totals.unknownRecords, "record")} of unknown kinds left out`));
    }
    return `${lines.join("\n")}\n`;
  }
}

function addTo(groups: Map<string, Group>, title: string, example: string): void {
  let group = groups.get(title);
  if (group === undefined) groups.set(title, group = { title, count: 0, examples: [] });
  group.count++;
  if (group.examples.length < MAX_EXAMPLES) group.examples.push(example);
}

function section(
  name: string,
  total: number,
  groups: Map<string, Group>,
  paint: (text: string) => string,
  style: Style,
  isQuietIfNone = false,
): string[] {
  if (total === 0) return isQuietIfNone ? [] : [`${style.bold(name)} ${style.dim("none")}`];
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count);
  const lines = [`${style.bold(name)} ${paint(String(total))}`];
  for (const { title, count, examples } of sorted.slice(0, MAX_GROUPS)) {
    lines.push(`  ${String(count).padStart(5)}×  ${title}`);
    for (const example of examples) lines.push(style.dim(`          ${example}`));
  }
  if (sorted.length > MAX_GROUPS) {
    const rest = sorted.slice(MAX_GROUPS);
    const number = rest.reduce((sum, group) => sum + group.count, 0);
    lines.push(`  ${String(number).padStart(5)}×  in ${count(rest.length, "other group")}`);
  }
  return lines;
}

function list(name: string, total: number, entries: readonly string[], style: Style): string[] {
  if (total === 0) return [];
  const lines = entries.slice(0, MAX_FILES).map((entry) => `  ${shown(entry, 200)}`);
  if (total > lines.length) lines.push(style.dim(`  and ${total - lines.length} more`));
  return [`${style.bold(name)} ${style.yellow(String(total))}`, ...lines];
}

function at({ file, line }: ReplayPlace): string {
  return line > 0 ? `${file}:${line}` : file;
}

/** A call in a few words: its tool, and the argument that says most. */
export function callText({ toolName, input }: ToolCallEvent | ToolResultEvent): string {
  const main = input.command ?? input.path ?? input.pattern ?? Object.values(input)[0];
  return `${shown(toolName, 40)} ${main === undefined ? "" : shown(main, 70)}`.trimEnd();
}

/** A reason without what it quotes from the call, so that alike reasons are one. */
function plainReason(reason: string, { input }: ToolCallEvent): string {
  let plain = reason;
  for (const value of Object.values(input)) {
    if (typeof value === "string" && value.length >= 2) plain = plain.replaceAll(value, "…");
  }
  return shown(plain, 160);
}

/** The first line that is not the same. */
function changeText(event: ToolResultEvent, { content }: ResultOutcome): string {
  const before = linesOf(event.content);
  const after = linesOf(content);
  const index = before.findIndex((line, index) => line !== after[index]);
  const position = index < 0 ? before.length : index;
  if (position >= before.length && position >= after.length) return "(details)";
  const [from, to] = [before[position], after[position]];
  const start = firstDifference(from ?? "", to ?? "");
  return [
    ...from === undefined ? [] : [`- ${excerpt(from, start)}`],
    ...to === undefined ? [] : [`+ ${excerpt(to, start)}`],
  ].join(" ");
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

/** A line from a little before the place that matters. */
function excerpt(line: string, at: number): string {
  const start = Math.max(0, at - 15);
  return shown(`${start > 0 ? "…" : ""}${line.slice(start).trim()}`, 50);
}

function linesOf(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    typeof block?.text === "string" ? block.text.split("\n") : [`[${block?.type}]`]
  );
}

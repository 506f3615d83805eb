/**
 * Puts many recorded sessions through one set of hooks, or two, and writes what comes out.
 *
 * @module
 */

import type { LoadedHook, ToolCallEvent, ToolResultEvent } from "../../mod.ts";
import type { ParsedOptions } from "./options.ts";
import { Progress } from "./progress.ts";
import { answeringUI } from "./replay_answers.ts";
import { FileReplay, type ReplayListener, type ReplayPlace } from "./replay_file.ts";
import { findSessionFiles } from "./replay_files.ts";
import { ReplaySummary, type ReplayTotals } from "./replay_report.ts";
import { type CallOutcome, ReplaySide, type ResultOutcome } from "./replay_side.ts";
import { shown } from "./show.ts";
import type { Terminal } from "./terminal.ts";

/** How to replay. */
export interface ReplaySetup {
  /** The options of the command line; what is no option names the sessions. */
  options: ParsedOptions;
  /** Where the report goes. */
  terminal: Terminal;
  /** The answer to all questions; nobody answers, if absent. */
  answer?: "yes" | "no";
  /** The folder that hooks are told where a session does not say one. */
  cwd: string;
}

/**
 * Replays files.
 *
 * @param hooks One set of hooks, or two to compare.
 * @param setup How.
 */
export async function replayFiles(
  hooks: readonly LoadedHook[][],
  setup: ReplaySetup,
): Promise<ReplayTotals> {
  const { options, terminal, answer, cwd } = setup;
  const { files, faults } = await findSessionFiles(options.positionals);
  const summary = new ReplaySummary();
  for (const { path, text } of faults) summary.addFault(path, text);
  const progress = new Progress(files.reduce((sum, { size }) => sum + size, 0));
  const { yellow } = terminal.style.err;
  const sides = hooks.map((set) =>
    new ReplaySide(set, {
      cwd,
      ui: answer === undefined ? undefined : answeringUI(answer),
      timeoutMs: options.wholeNumber("timeout"),
      onWarning(hookPath, event, warning) {
        progress.clear();
        terminal.tell(`${yellow("warning:")} ${hookPath} (${event}): ${warning}`);
      },
    })
  );
  const output = options.has("json") ? new RecordWriter(terminal) : undefined;
  const listener = listenerFor(summary, output, sides.length === 2);
  for (const { path, isNamed } of files) {
    const label = path.slice(path.lastIndexOf("/") + 1);
    const replay = new FileReplay(path, sides, {
      ...listener,
      onBytes: (bytes) => progress.add(bytes, shown(label, 40)),
    });
    const report = await replay.run(path);
    // A folder may hold other things than sessions.
    if (report.format === undefined && !isNamed && report.known === 0) continue;
    summary.addFile(report);
    await output?.write({ type: "session", ...report });
  }
  progress.clear();
  if (output === undefined) {
    await terminal.write(summary.text(terminal.style.out, sides.length === 2));
  } else {
    await output.write({ type: "summary", ...summary.totals });
    await output.flush();
  }
  return summary.totals;
}

function listenerFor(
  summary: ReplaySummary,
  output: RecordWriter | undefined,
  hasTwoSides: boolean,
): ReplayListener {
  return {
    async onCall(place, event, outcomes) {
      if (hasTwoSides) {
        const [one, other] = outcomes;
        for (const { errors } of outcomes) summary.addErrors(place, errors);
        if (isSameCall(one, other)) return;
        if (other.outcome === "blocked") summary.totals.blocked++;
        summary.addDifference(place, `${callTitle(one)} → ${callTitle(other)}`, event);
        return await output?.write({ ...recordOf(place, event), outcomes });
      }
      summary.addCall(place, event, outcomes[0]);
      await output?.write({ ...recordOf(place, event), ...outcomes[0] });
    },
    async onResult(place, event, outcomes) {
      const [one, other] = outcomes;
      if (hasTwoSides) {
        for (const outcome of outcomes) summary.addErrors(place, outcome?.errors ?? []);
        // Where one side has blocked the call, that is the difference.
        if (one === undefined || other === undefined || isSameResult(one, other)) return;
        const title = `${resultTitle(one)} → ${resultTitle(other)}`;
        summary.addDifference(place, title, event);
        return await output?.write({ ...recordOf(place, event), outcomes });
      }
      if (one === undefined) return;
      summary.addResult(place, event, one);
      const before = one.outcome === "changed" ? { before: event.content } : {};
      await output?.write({ ...recordOf(place, event), ...before, ...one });
    },
    async onErrors(place, errors) {
      summary.addErrors(place, errors);
      for (const error of errors) await output?.write({ ...place, type: "error", ...error });
    },
  };
}

function recordOf(place: ReplayPlace, event: ToolCallEvent | ToolResultEvent): object {
  const { type, toolName, toolCallId, input, original } = event;
  return {
    type,
    ...place,
    toolName,
    toolCallId,
    input,
    ...original !== undefined && { original },
  };
}

function isSameCall(one: CallOutcome, other: CallOutcome): boolean {
  return one.outcome === other.outcome && one.reason === other.reason;
}

function isSameResult(one: ResultOutcome, other: ResultOutcome): boolean {
  return one.outcome === other.outcome &&
    JSON.stringify([one.content, one.details]) === JSON.stringify([other.content, other.details]);
}

function callTitle({ outcome, reason }: CallOutcome): string {
  return outcome === "allowed" ? "allowed" : `blocked (${shown(reason ?? "", 60)})`;
}

function resultTitle({ outcome, changedBy }: ResultOutcome): string {
  return outcome === "unchanged"
    ? "result unchanged"
    : `result changed by ${changedBy?.join(", ")}`;
}

/** Writes records, many at a time. */
class RecordWriter {
  readonly #terminal: Terminal;
  #waiting: string[] = [];
  #length = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  async write(record: object): Promise<void> {
    const line = `${JSON.stringify(record)}\n`;
    this.#waiting.push(line);
    this.#length += line.length;
    if (this.#length > 1 << 16) await this.flush();
  }

  async flush(): Promise<void> {
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#length = 0;
    await this.#terminal.write(text);
  }
}

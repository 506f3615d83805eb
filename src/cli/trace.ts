/**
 * Who was asked, who answered what and in how long, and who was not asked and why.
 *
 * @module
 */

import {
  type HandlerRecord,
  type HookEventName,
  type LoadedHook,
  registrationsChanged,
  type StoredHandler,
  visibleText,
} from "../../mod.ts";
import type { HookSet } from "./hooks.ts";
import type { ProtocolAnswer } from "./protocol.ts";
import { shown, shownLines } from "./show.ts";
import type { Style } from "./terminal.ts";

/** Remembers what every handler of an event has returned. */
export class AnswerRecorder {
  readonly #returned = new Map<string, unknown>();

  /**
   * Puts a listener around the handlers of an event.
   *
   * @param hooks The hooks.
   * @param event The event.
   */
  constructor(hooks: readonly LoadedHook[], event: HookEventName) {
    for (const { path, handlers } of hooks) {
      const stored = handlers.get(event);
      if (stored === undefined) continue;
      handlers.set(
        event,
        stored.map((handler, index): StoredHandler => (event, ctx) => {
          const value = handler(event, ctx);
          this.#returned.set(keyOf(path, index), value);
          return value;
        }),
      );
    }
    registrationsChanged();
  }

  /** What a handler has answered; only for those that have returned. */
  async answerOf({ hookPath, handlerIndex }: HandlerRecord): Promise<unknown> {
    return await this.#returned.get(keyOf(hookPath, handlerIndex));
  }
}

function keyOf(path: string, index: number): string {
  return `${index}:${path}`;
}

/** A handler that was asked, with its answer. */
export type TracedHandler = HandlerRecord & { answer?: unknown };

/** A hook or a handler that was not asked. */
export interface NotAsked {
  /** The hook. */
  hookPath: string;
  /** Position of the handler, if it is about one. */
  handlerIndex?: number;
  /** Why. */
  why: string;
}

/** The trace of one event. */
export interface EmitTrace {
  /** The handlers that were asked, in order. */
  trace: TracedHandler[];
  /** Those that were not. */
  notAsked: NotAsked[];
}

const HAVE_ANSWERED: readonly HandlerRecord["outcome"][] = [
  "answered",
  "blocked",
  "cancelled",
  "rejected-answer",
];

/**
 * Puts together the trace of the last event.
 *
 * @param hooks The hooks, with the records of the event.
 * @param event The event.
 * @param recorder What the handlers returned.
 */
export async function traceOf(
  hooks: HookSet,
  event: HookEventName,
  recorder: AnswerRecorder,
): Promise<EmitTrace> {
  const { loaded, records } = hooks;
  const trace: TracedHandler[] = [];
  const notAsked: NotAsked[] = [];
  for (const record of records) {
    const { hookPath, handlerIndex, outcome } = record;
    if (outcome === "not-run") {
      const last = trace.at(-1);
      const why = last === undefined
        ? "the dispatch had ended before"
        : `${last.hookPath} has ended the dispatch (${last.outcome})`;
      notAsked.push({ hookPath, handlerIndex, why });
    } else {
      const hasAnswer = record.event === event && HAVE_ANSWERED.includes(outcome);
      trace.push(hasAnswer ? { ...record, answer: await recorder.answerOf(record) } : record);
    }
  }
  for (const { path, handlers } of loaded.hooks) {
    if (!handlers.get(event)?.length) {
      notAsked.push({ hookPath: path, why: `it has no handler for ${event}` });
    }
  }
  for (const { path, kind, error } of loaded.errors) {
    notAsked.push({ hookPath: path, why: `it was not loaded (${kind}): ${error}` });
  }
  for (const { path, kind, warning } of loaded.warnings) {
    if (["shadowed", "skipped", "untrusted"].includes(kind)) {
      notAsked.push({ hookPath: path, why: warning });
    }
  }
  return { trace, notAsked };
}

/** What a report is made of. */
export interface EmitOutcome {
  /** The event that was put through. */
  event: Readonly<Record<string, unknown>>;
  /** What came back. */
  answer: ProtocolAnswer;
  /** Who was asked. */
  trace: EmitTrace;
}

/**
 * The report that people read.
 *
 * @param outcome What happened.
 * @param style Marks for the text.
 */
export function emitReport({ event, answer, trace }: EmitOutcome, style: Style): string {
  const { bold, dim, red, green, yellow } = style;
  const { type, ...fields } = event;
  const lines = [bold(String(type))];
  for (const [name, value] of Object.entries(fields)) lines.push(`  ${name}: ${shown(value)}`);
  lines.push("", ...answerLines(String(type), answer, style), "");
  trace.trace.forEach(
    ({ hookPath, handlerIndex, event, outcome, milliseconds, ...rest }, index) => {
      const mark = { passed: dim, answered: green, blocked: red, cancelled: red };
      const paint = mark[outcome as keyof typeof mark] ?? yellow;
      const which = event === type ? `handler ${handlerIndex + 1}` : event;
      const time = dim(`${milliseconds.toFixed(2)} ms`);
      const superseded = rest.superseded ? yellow(" (another answer took its place)") : "";
      lines.push(
        `${index + 1}. ${bold(visibleText(hookPath))} ${which}: ${
          paint(outcome)
        } ${time}${superseded}`,
      );
      if ("answer" in rest) lines.push(`   ${shown(rest.answer)}`);
      if (rest.error !== undefined) lines.push(`   ${yellow(visibleText(rest.error))}`);
    },
  );
  for (const { hookPath, handlerIndex, why } of trace.notAsked) {
    const which = handlerIndex === undefined ? "" : ` handler ${handlerIndex + 1}`;
    lines.push(dim(`-  ${visibleText(hookPath)}${which} was not asked: ${visibleText(why)}`));
  }
  if (trace.trace.length + trace.notAsked.length === 0) lines.push(dim("No hook is loaded."));
  return `${lines.join("\n").trimEnd()}\n`;
}

function answerLines(type: string, { result, tool }: ProtocolAnswer, style: Style): string[] {
  const { red, green } = style;
  const lines: string[] = [];
  const answer = result as Record<string, unknown> | null;
  if (type === "tool_call" && answer?.block === true) {
    const reason = visibleText(String(answer.reason));
    lines.push(`${red("✗ blocked")} by ${answer.hookPath} (${answer.kind}): ${reason}`);
  } else if (type === "tool_call") {
    lines.push(`${green("✓ allowed")}${answer === null ? ": no hook objects" : ""}`);
  } else if (answer === null || answer === undefined) {
    lines.push("no answer");
  } else {
    lines.push(shownLines(JSON.stringify(answer, null, 2)));
  }
  if (tool !== undefined) {
    lines.push(`tool ${tool.isError ? red("failed") : "result"}: ${shown(tool.content)}`);
  }
  return lines;
}

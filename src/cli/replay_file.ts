/**
 * Puts one recorded session through hooks.
 *
 * @module
 */

import type { ImageContent, TextContent, ToolCallEvent, ToolResultEvent } from "../../mod.ts";
import { readArguments } from "../agents/arguments.ts";
import { type PiToolCall, toPiToolCall, toPiToolCalls } from "../agents/names.ts";
import { toPiToolResult } from "../agents/results.ts";
import { readSession } from "../agents/sessions/read_session.ts";
import type { CallStep, ResultStep, SessionReader, SessionStep } from "../agents/sessions/step.ts";
import { fileFault } from "./input.ts";
import { lineBatchesOf } from "./lines.ts";
import type { CallOutcome, ReplayFault, ReplaySide, ResultOutcome } from "./replay_side.ts";

/** Where something is. */
export interface ReplayPlace {
  /** The file. */
  file: string;
  /** The line, from 1. */
  line: number;
}

/** Gets what comes out. With two sets of hooks each outcome is there twice. */
export interface ReplayListener {
  /** A call was decided. */
  onCall(place: ReplayPlace, event: ToolCallEvent, outcomes: CallOutcome[]): void | Promise<void>;
  /** A result was shown; `undefined` for hooks that have blocked the call. */
  onResult(
    place: ReplayPlace,
    event: ToolResultEvent,
    outcomes: (ResultOutcome | undefined)[],
  ): void | Promise<void>;
  /** Handlers of other events failed. */
  onErrors(place: ReplayPlace, errors: readonly ReplayFault[]): void | Promise<void>;
  /** A piece of the file was read. */
  onBytes?(bytes: number): void;
}

/** What a file held. */
export interface FileReport {
  /** The file. */
  file: string;
  /** What was recognised; absent if nothing was. */
  format?: string;
  /** How many calls. */
  calls: number;
  /** How many results that belong to a call. */
  results: number;
  /** Calls that nothing was recorded for. */
  openCalls: { toolCallId: string; toolName: string; line: number }[];
  /** How many results without a call. */
  strayResults: number;
  /** How many records were of a known kind. */
  known: number;
  /** How many were not. */
  unknown: number;
  /** What is damaged; not every one of very many. */
  faults: { line: number; text: string }[];
  /** How many faults there are. */
  faultCount: number;
  /** What is odd about the file. */
  warnings: string[];
}

const MAX_FAULTS = 20;

/** An agent whose calls are what hooks know: nothing is translated. */
const NATIVE: ReadonlySet<string> = new Set(["pi", "xcsh"]);

/** One file on its way through hooks. */
export class FileReplay {
  readonly #sides: readonly ReplaySide[];
  readonly #listener: ReplayListener;
  readonly #report: FileReport;
  readonly #open = new Map<string, { call: PiToolCall; line: number }>();
  #reader: SessionReader | undefined;

  /**
   * @param file The file, as it is called in reports.
   * @param sides The sets of hooks.
   * @param listener Gets what comes out.
   */
  constructor(file: string, sides: readonly ReplaySide[], listener: ReplayListener) {
    this.#sides = sides;
    this.#listener = listener;
    this.#report = {
      file,
      calls: 0,
      results: 0,
      openCalls: [],
      strayResults: 0,
      known: 0,
      unknown: 0,
      faults: [],
      faultCount: 0,
      warnings: [],
    };
  }

  /**
   * Reads the file to its end.
   *
   * @param path Where it is.
   */
  async run(path: string): Promise<FileReport> {
    const report = this.#report;
    try {
      const file = await Deno.open(path);
      const batches = lineBatchesOf(
        file.readable,
        (bytes) => this.#listener.onBytes?.(bytes),
        (line) => this.#fault(line, "it holds bytes that are no text (UTF-8)"),
      );
      for await (const items of readSession(batches)) {
        for (const item of items) {
          if (item.kind === "step") await this.#take(item.step, item.line);
          else if (item.kind === "format") this.#reader = item.reader;
          else if (item.kind === "fault") this.#fault(item.line, item.text);
          else if (item.kind === "warning") report.warnings.push(item.text);
          else ({ known: report.known, unknown: report.unknown } = item);
        }
      }
    } catch (error) {
      if (!isFileError(error)) throw error;
      this.#fault(0, `cannot be read: ${fileFault(error)}`);
    }
    const format = this.#reader?.format;
    if (format !== undefined) report.format = format;
    else if (report.faultCount === 0) this.#fault(0, "there is nothing in it");
    for (const [toolCallId, { call, line }] of this.#open) {
      report.openCalls.push({ toolCallId, toolName: call.toolName, line });
    }
    report.openCalls.sort((a, b) => a.line - b.line);
    const place = { file: report.file, line: 0 };
    for (const side of this.#sides) await this.#tell(place, await side.end());
    return report;
  }

  #fault(line: number, text: string): void {
    this.#report.faultCount++;
    if (this.#report.faults.length < MAX_FAULTS) this.#report.faults.push({ line, text });
  }

  async #take(step: SessionStep, line: number): Promise<void> {
    const place = { file: this.#report.file, line };
    if (step.kind === "call") return await this.#call(step, place);
    if (step.kind === "result") return await this.#result(step, place);
    for (const side of this.#sides) {
      if (step.kind === "session") await this.#tell(place, await side.begin(step.cwd));
      else {
        await this.#tell(place, await side.begin(undefined));
        await this.#tell(place, await side.prompt(step.text));
      }
    }
  }

  async #call({ id, toolName, args }: CallStep, place: ReplayPlace): Promise<void> {
    const report = this.#report;
    const { agent } = this.#reader!;
    report.calls++;
    const before = this.#open.get(id);
    if (before !== undefined) {
      report.openCalls.push({
        toolCallId: id,
        toolName: before.call.toolName,
        line: before.line,
      });
    }
    const calls = NATIVE.has(agent)
      ? [nativeCall(toolName, args)]
      : toPiToolCalls(agent, toolName, args);
    const whole = calls.length === 1 ? calls[0] : toPiToolCall(agent, toolName, args);
    this.#open.set(id, { call: whole, line: place.line });
    const events = calls.map((call) => this.#event(call, id));
    const outcomes: CallOutcome[] = [];
    for (const side of this.#sides) {
      await this.#tell(place, await side.begin(undefined));
      outcomes.push(await side.call(events));
    }
    await this.#listener.onCall(place, this.#event(whole, id), outcomes);
  }

  #event({ toolName, input, original }: PiToolCall, toolCallId: string): ToolCallEvent {
    return {
      type: "tool_call",
      toolName,
      toolCallId,
      input,
      ...!NATIVE.has(this.#reader!.agent) && { original },
    };
  }

  async #result(step: ResultStep, place: ReplayPlace): Promise<void> {
    const open = this.#open.get(step.id);
    if (open === undefined) return void this.#report.strayResults++;
    this.#open.delete(step.id);
    this.#report.results++;
    const { agent } = this.#reader!;
    const event: ToolResultEvent = {
      ...this.#event(open.call, step.id),
      type: "tool_result",
      content: contentOf(agent, step),
      details: step.details,
      isError: step.isError ?? false,
    };
    const outcomes: (ResultOutcome | undefined)[] = [];
    for (const side of this.#sides) outcomes.push(await side.result(event));
    await this.#listener.onResult(place, event, outcomes);
  }

  async #tell(place: ReplayPlace, errors: readonly ReplayFault[]): Promise<void> {
    if (errors.length > 0) await this.#listener.onErrors(place, errors);
  }
}

function nativeCall(toolName: string, args: unknown): PiToolCall {
  return { toolName, input: readArguments(args, "input"), original: { toolName, input: args } };
}

function contentOf(
  agent: SessionReader["agent"],
  { content, isError }: ResultStep,
): (TextContent | ImageContent)[] {
  const isNative = NATIVE.has(agent) && Array.isArray(content) && content.every(isBlock);
  return isNative ? content : toPiToolResult(agent, content, isError).content;
}

function isBlock(block: unknown): boolean {
  const { type, text, data } = block as { type?: unknown; text?: unknown; data?: unknown } ?? {};
  return type === "text" ? typeof text === "string" : type === "image" && typeof data === "string";
}

/** Whether the file system has failed, and not this program. */
function isFileError(error: unknown): boolean {
  return Object.values(Deno.errors).some((kind) => error instanceof kind) ||
    error instanceof Error && "code" in error;
}

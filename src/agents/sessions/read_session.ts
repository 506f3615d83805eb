/**
 * Reads recorded sessions of seven agents. The format is recognised by what the file says, never by
 * its name. Nothing is thrown for a damaged file: what can be read is read, the rest is reported.
 *
 * @module
 */

import { isRecord } from "../arguments.ts";
import { recogniseClaude } from "./claude.ts";
import { recogniseCodex } from "./codex.ts";
import { recogniseCopilot } from "./copilot.ts";
import { recogniseGemini } from "./gemini.ts";
import { recognisePi } from "./pi.ts";
import type { SessionReader, SessionRecord, SessionStep } from "./step.ts";

/** How each format is recognised. */
const RECOGNISERS = [
  recognisePi,
  recogniseClaude,
  recogniseCodex,
  recogniseGemini,
  recogniseCopilot,
] as const;

/** So many records may stand before the first one that says what the file is. */
const MAX_UNDECIDED = 50;

/** So many places of a damaged line are tried for the seam between two records. */
const MAX_SEAMS = 50;

/** Something that was read. */
export type SessionItem =
  /** What the file is; comes once, before all steps. */
  | { kind: "format"; reader: SessionReader }
  /** A step, with the number of its line, from 1. */
  | { kind: "step"; line: number; step: SessionStep }
  /** A line that is damaged. */
  | { kind: "fault"; line: number; text: string }
  /** What is odd about the file as a whole. */
  | { kind: "warning"; text: string }
  /** The end: how many records were of a known kind, and how many of others. */
  | { kind: "end"; known: number; unknown: number };

/** Reads the lines of one file. */
export class SessionParser {
  readonly #emit: (item: SessionItem) => void;
  #reader: SessionReader | undefined;
  #undecided: { record: SessionRecord; line: number }[] = [];
  #isGivenUp = false;
  #line = 0;
  #damaged = 0;
  #known = 0;
  #unknown = 0;
  readonly #take = (step: SessionStep) => this.#emit({ kind: "step", line: this.#line, step });

  /** @param emit Gets what was read, in order. */
  constructor(emit: (item: SessionItem) => void) {
    this.#emit = emit;
  }

  /** Whether the file cannot be a session. */
  get isForeign(): boolean {
    return this.#isGivenUp;
  }

  /**
   * Reads a line.
   *
   * @param text The line, without its line feed.
   * @param line Its number, from 1.
   */
  push(text: string, line: number): void {
    if (this.#isGivenUp) return;
    this.#line = line;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      if (text.trim() !== "") this.#readDamaged(text, line, (error as Error).message);
      return;
    }
    this.#read(value, line);
  }

  /** Ends the file. */
  end(): void {
    if (this.#reader === undefined && this.#undecided.length > 0) this.#giveUp();
    this.#emit({ kind: "end", known: this.#known, unknown: this.#unknown });
  }

  #read(value: unknown, line: number): void {
    // Texts, numbers and lists on a line of their own are harmless.
    if (!isRecord(value)) return void this.#unknown++;
    if (this.#reader === undefined) return this.#decide(value, line);
    this.#line = line;
    if (this.#reader.read(value, this.#take)) this.#known++;
    else this.#unknown++;
  }

  #decide(record: SessionRecord, line: number): void {
    const before = this.#undecided.map((one) => one.record);
    for (const recognise of RECOGNISERS) {
      this.#reader = recognise(record, before);
      if (this.#reader !== undefined) break;
    }
    this.#undecided.push({ record, line });
    if (this.#reader !== undefined) {
      this.#emit({ kind: "format", reader: this.#reader });
      const { warning } = this.#reader;
      if (warning !== undefined) this.#emit({ kind: "warning", text: warning });
      const waiting = this.#undecided;
      this.#undecided = [];
      for (const { record, line } of waiting) this.#read(record, line);
    } else if (this.#undecided.length >= MAX_UNDECIDED) {
      this.#giveUp();
    }
  }

  #giveUp(): void {
    this.#isGivenUp = true;
    const [first] = this.#undecided;
    const keys = Object.keys(first?.record ?? {}).slice(0, 5).join(", ");
    this.#undecided = [];
    const hint = keys === "" ? "" : `; its first record has the fields ${keys}`;
    const text = `this is no session of an agent that is known here${hint}`;
    this.#emit({ kind: "fault", line: first?.line ?? 1, text });
  }

  /** Whole records may stand on a line that is damaged as a whole: two programs wrote at once. */
  #readDamaged(text: string, line: number, fault: string): void {
    const parts = weldedParts(text);
    if (parts === undefined) {
      if (this.#reader === undefined && ++this.#damaged > MAX_UNDECIDED) return this.#giveUp();
      const shown = fault.replace(/ \(line \d+ column \d+\)$/, "");
      this.#emit({ kind: "fault", line, text: `not JSON: ${shown}` });
      return;
    }
    this.#emit({ kind: "fault", line, text: `${parts.length} records on one line; all were read` });
    for (const part of parts) this.#read(part, line);
  }
}

/** The records of a line that holds several, if nothing else is on it. */
function weldedParts(text: string): unknown[] | undefined {
  const parts: unknown[] = [];
  let start = 0;
  let tries = 0;
  // Each seam is tried with what stands before it, so that a text with `}{` does no harm.
  for (let seam = text.indexOf("}{"); seam >= 0; seam = text.indexOf("}{", seam + 1)) {
    if (++tries > MAX_SEAMS) return undefined;
    try {
      parts.push(JSON.parse(text.slice(start, seam + 1)));
      start = seam + 1;
    } catch {
      // Not a seam.
    }
  }
  if (parts.length === 0) return undefined;
  try {
    return [...parts, JSON.parse(text.slice(start))];
  } catch {
    return undefined;
  }
}

/**
 * Reads a session as a stream.
 *
 * @param batches The lines of the file, some at a time.
 * @param first The number of the first line.
 */
export async function* readSession(
  batches: AsyncIterable<readonly string[]>,
  first = 1,
): AsyncGenerator<SessionItem[]> {
  let items: SessionItem[] = [];
  const parser = new SessionParser((item) => void items.push(item));
  let line = first;
  for await (const batch of batches) {
    for (const text of batch) parser.push(text, line++);
    if (items.length > 0) yield items;
    items = [];
    if (parser.isForeign) break;
  }
  parser.end();
  yield items;
}

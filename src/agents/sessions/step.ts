/**
 * What recorded sessions are made of, whoever has recorded them.
 *
 * @module
 */

import type { AgentName } from "../names.ts";

/** A record of a session file. */
export type SessionRecord = Record<string, unknown>;

/** A session begins; a file may hold more than one beginning. */
export interface SessionStartStep {
  /** What it is. */
  kind: "session";
  /** Name of the session, if the record says it. */
  id?: string;
  /** The folder in which the agent worked. */
  cwd?: string;
}

/** A person has asked something. */
export interface PromptStep {
  /** What it is. */
  kind: "prompt";
  /** The text. */
  text: string;
}

/** The model has called a tool. */
export interface CallStep {
  /** What it is. */
  kind: "call";
  /** Name of the call. */
  id: string;
  /** The tool, as the agent calls it. */
  toolName: string;
  /** The arguments, as the agent has written them: an object, JSON text, a text. */
  args: unknown;
}

/** A tool has given something back. */
export interface ResultStep {
  /** What it is. */
  kind: "result";
  /** Name of the call. */
  id: string;
  /** What the model has read. */
  content: unknown;
  /** Structured data, if the agent keeps some. */
  details?: unknown;
  /** Whether the tool failed; absent if the agent does not say. */
  isError?: boolean;
}

/** One step of a session. */
export type SessionStep = SessionStartStep | PromptStep | CallStep | ResultStep;

/** Reads the records of one session file, in order. */
export interface SessionReader {
  /** What was recognised, for people: `pi v3`, `Claude Code`. */
  readonly format: string;
  /** Whose names the tools have. */
  readonly agent: AgentName;
  /** What is odd about the session as a whole. */
  readonly warning?: string;
  /**
   * Reads a record.
   *
   * @param record The record.
   * @param emit Gets its steps.
   * @returns Whether this kind of record is known.
   */
  read(record: SessionRecord, emit: (step: SessionStep) => void): boolean;
}

/**
 * The text of a message that is a text, or a list of blocks with texts.
 *
 * @param content The content.
 * @returns The texts, joined by line feeds; `""` if there is none.
 */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((block) => typeof block?.text === "string" ? [block.text] : []).join("\n");
}

/**
 * A text, `undefined` for anything else.
 *
 * @param value Anything.
 */
export function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

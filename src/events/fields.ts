/**
 * The fields of every event as data: for checking events that come in as JSON, for filling in what
 * somebody left out, and for showing a person what there is. The compiler checks the names.
 *
 * @module
 */

import { describeValue } from "../errors.ts";
import {
  checkBoolean,
  checkContent,
  checkMessages,
  checkString,
  type FieldCheck,
} from "./checks.ts";
import type { HookEventMap, HookEventName } from "./map.ts";

/** One field of an event. */
export interface EventField {
  /** What may stand in it, in words. */
  shape: string;
  /** Whether it must be there. */
  isRequired: boolean;
  /** What it means. */
  about: string;
  /** Says what is wrong with a value. */
  check: FieldCheck;
  /** A value to fill in when somebody only wants to try the event; absent, there is none. */
  sample?: unknown;
}

/** The fields of one event, beside `type`. */
export type FieldsOf<E> = { readonly [F in Exclude<keyof E, "type">]-?: EventField };

const checkObject: FieldCheck = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? undefined
    : `must be an object, not ${describeValue(value)}`;
const checkNumber: FieldCheck = (value) =>
  typeof value === "number" ? undefined : `must be a number, not ${describeValue(value)}`;
const checkList: FieldCheck = (value) =>
  Array.isArray(value) ? undefined : `must be a list, not ${describeValue(value)}`;
const checkTextOrNull: FieldCheck = (value) => value === null ? undefined : checkString(value);
const checkAnything: FieldCheck = () => undefined;

function oneOf(...words: string[]): FieldCheck {
  return (value) =>
    words.includes(value as string)
      ? undefined
      : `must be one of ${words.join(", ")}, not ${describeValue(value)}`;
}

function field(shape: string, check: FieldCheck, about: string, sample?: unknown): EventField {
  return { shape, check, about, isRequired: true, ...sample !== undefined && { sample } };
}

function optional(shape: string, check: FieldCheck, about: string): EventField {
  return { shape, check, about, isRequired: false };
}

const text = (about: string, sample = "") => field("text", checkString, about, sample);
const number = (about: string, sample = 0) => field("number", checkNumber, about, sample);
const flag = (about: string, sample = false) => field("true or false", checkBoolean, about, sample);
const object = (about: string, sample: object = {}) => field("object", checkObject, about, sample);
const list = (about: string) => field("list", checkList, about, []);
const messages = (about: string) => field("list of messages", checkMessages, about, []);
const optionalText = (about: string) => optional("text", checkString, about);
const optionalFlag = (about: string) => optional("true or false", checkBoolean, about);
const optionalObject = (about: string) => optional("object", checkObject, about);
const choice = (about: string, ...words: string[]) =>
  field(words.join(" | "), oneOf(...words), about, words[0]);
/** A signal cannot come in as JSON; the program that runs the event makes one. */
const signal: EventField = optional("AbortSignal", checkAnything, "Fires when it is given up");

const USER_MESSAGE = { role: "user", content: [{ type: "text", text: "hello" }], timestamp: 0 };
const PREPARATION = {
  firstKeptEntryId: "entry-2",
  messagesToSummarize: [USER_MESSAGE],
  turnPrefixMessages: [],
  recentMessages: [],
  isSplitTurn: false,
  tokensBefore: 1000,
  fileOps: { read: [], written: [], edited: [] },
  settings: { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 },
};
const TREE_PREPARATION = {
  targetId: "entry-1",
  oldLeafId: "entry-2",
  commonAncestorId: "entry-1",
  entriesToSummarize: [],
  userWantsSummary: false,
};
const COMPACTION_ENTRY = {
  type: "compaction",
  id: "entry-3",
  parentId: "entry-2",
  timestamp: "2026-01-01T00:00:00.000Z",
  summary: "A summary",
  firstKeptEntryId: "entry-2",
  tokensBefore: 1000,
};

const SWITCH_REASON = ["new", "resume", "fork"];
const COMPACTION_ACTION = ["context-full", "handoff"];

/** The fields of every event, beside `type`. */
export const EVENT_FIELDS: {
  readonly [N in HookEventName]: FieldsOf<HookEventMap[N]["event"]>;
} = {
  session_start: {},
  session_before_switch: {
    reason: choice("Why the session changes", ...SWITCH_REASON),
    targetSessionFile: optionalText("The session's file, with resume"),
  },
  session_switch: {
    reason: choice("Why the session changed", ...SWITCH_REASON),
    previousSessionFile: optionalText("The file of the session before"),
  },
  session_before_branch: { entryId: text("The user message to branch from", "entry-1") },
  session_branch: { previousSessionFile: optionalText("The file of the session before") },
  session_before_compact: {
    preparation: object("What would be summarised and what kept", PREPARATION),
    branchEntries: list("The entries of the current branch, root first"),
    customInstructions: optionalText("What the summary shall look at"),
    signal,
  },
  "session.compacting": {
    sessionId: text("The session", "session-1"),
    messages: messages("The messages to be summarised"),
  },
  session_compact: {
    compactionEntry: object("The entry that holds the summary", COMPACTION_ENTRY),
    fromExtension: flag("Whether a hook made the summary"),
  },
  session_before_tree: {
    preparation: object("Where to, and what is left behind", TREE_PREPARATION),
    signal,
  },
  session_tree: {
    newLeafId: field("text or null", checkTextOrNull, "The current entry now", "entry-1"),
    oldLeafId: field("text or null", checkTextOrNull, "The current entry before", "entry-2"),
    summaryEntry: optionalObject("The summary that was made"),
    fromExtension: optionalFlag("Whether a hook made the summary"),
  },
  session_shutdown: {},
  context: {
    messages: field("list of messages", checkMessages, "What the model would read", [USER_MESSAGE]),
  },
  before_agent_start: {
    prompt: text("The prompt", "hello"),
    images: optional("list of images", checkContent, "Pictures that came with it"),
  },
  agent_start: {},
  agent_end: { messages: messages("The messages that this run has added") },
  turn_start: {
    turnIndex: number("Position of the turn, from 0"),
    timestamp: number("When, in milliseconds since 1970"),
  },
  turn_end: {
    turnIndex: number("Position of the turn, from 0"),
    message: object("What the model answered", USER_MESSAGE),
    toolResults: list("What the tools gave back"),
  },
  auto_compaction_start: {
    reason: choice("Why", "threshold", "overflow", "idle"),
    action: choice("How", ...COMPACTION_ACTION),
  },
  auto_compaction_end: {
    action: choice("How", ...COMPACTION_ACTION),
    result: optionalObject("What came out"),
    aborted: flag("Whether it was stopped"),
    willRetry: flag("Whether the call of the model is tried again"),
    errorMessage: optionalText("What went wrong"),
    skipped: optionalFlag("Whether there was nothing to do"),
  },
  auto_retry_start: {
    attempt: number("Number of the attempt, from 1", 1),
    maxAttempts: number("How many there will be", 3),
    delayMs: number("How long it waits before, in milliseconds", 2000),
    errorMessage: text("What went wrong", "overloaded"),
  },
  auto_retry_end: {
    success: flag("Whether the model has answered", true),
    attempt: number("Number of the last attempt", 1),
    finalError: optionalText("What went wrong at last"),
  },
  ttsr_triggered: { rules: list("The rules that matched") },
  todo_reminder: {
    todos: list("The open tasks"),
    attempt: number("Number of this reminder, from 1", 1),
    maxAttempts: number("How many there will be", 3),
  },
  tool_call: {
    toolName: text("The tool", "bash"),
    toolCallId: text("Name of this call", "call-1"),
    input: object("The arguments", { command: "ls" }),
    original: optionalObject("The call as a foreign agent sent it"),
  },
  tool_result: {
    toolName: text("The tool", "bash"),
    toolCallId: text("Name of the call", "call-1"),
    input: object("The arguments", { command: "ls" }),
    original: optionalObject("The call as a foreign agent sent it"),
    content: field("list of text and image blocks", checkContent, "What the model will read", [
      { type: "text", text: "output" },
    ]),
    details: optional("anything", checkAnything, "Structured data, by tool"),
    isError: optionalFlag("Whether the tool failed"),
    isWarning: optionalFlag("Whether the tool worked but wants attention"),
  },
};

/**
 * Says what is wrong with an event that came in as JSON, `undefined` if nothing is.
 *
 * @param name The event.
 * @param event Its fields.
 */
export function eventFault(
  name: HookEventName,
  event: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const [field, { isRequired, check, shape, about }] of Object.entries(EVENT_FIELDS[name])) {
    const value = event[field];
    if (value === undefined) {
      if (isRequired) return `${name} needs "${field}" (${shape}): ${about.toLowerCase()}`;
      continue;
    }
    const fault = check(value);
    if (fault !== undefined) return `${name}: "${field}" ${fault}`;
  }
  return undefined;
}

/**
 * What the host and the process of an isolated hook say to each other, and the check of everything
 * that comes from the hook's side: a hook may say anything, and nothing of it is believed unseen.
 *
 * @module
 */

import { isThrown, thrownText } from "../errors.ts";
import { HOOK_EVENT_NAMES } from "../events/policy.ts";
import type { ListChange } from "./lists.ts";

/** What the host knows and a hook may read at once, without waiting for an answer. */
export interface HostState {
  cwd?: string;
  hasUI?: boolean;
  isIdle?: boolean;
  hasQueuedMessages?: boolean;
  editorText?: string;
  /** Packed; `null` for none. */
  model?: unknown;
  /** Packed. */
  models?: unknown;
  /** The colours, as text before and behind; see `theme.ts`. */
  theme?: Record<string, [string, string]>;
  /** Whether `pi.sendMessage` and `pi.appendEntry` are bound. */
  bound?: { sendMessage: boolean; appendEntry: boolean };
  /** What can be read of the session; a text if it could not be read. */
  session?: Record<string, unknown> | string;
  /** Its entries, packed. */
  entries?: ListChange;
}

/** What the host asks of a hook. */
export type HostCall =
  | { what: "event"; name: string; index: number; event: unknown; messages?: ListChange }
  | { what: "command"; name: string; args: string }
  | { what: "render"; name: string; message: unknown; expanded: boolean; width: number }
  | { what: "setup"; seq: number; facts: unknown };

/** Everything that the host says. */
export type HostMessage =
  | {
    t: "load";
    url: string;
    path: string;
    resolvedPath: string;
    cwd: string;
    timeoutMs: number;
    needsDoor: boolean;
    isHostExec: boolean;
    mayReadKeys: boolean;
  }
  | { t: "call"; id: string; call: HostCall; state?: HostState }
  | { t: "reply"; seq: number; value?: unknown; thrown?: unknown; state?: HostState }
  | { t: "state"; state: HostState }
  | { t: "abort"; signal: number }
  | { t: "ping"; n: number };

/** What a hook has registered. */
export interface HookTable {
  /** How many handlers, by event. */
  handlers: Record<string, number>;
  /** Commands. */
  commands: { name: string; description?: string }[];
  /** Types of messages. */
  renderers: string[];
}

/** What a hook may ask and wait for. */
export const ASK_METHODS = [
  "select",
  "confirm",
  "input",
  "editor",
  "waitForIdle",
  "newSession",
  "branch",
  "navigateTree",
  "getApiKey",
  "getAvailable",
  "exec",
] as const;

/** What a hook may say without waiting. */
export const TELL_METHODS = [
  "notify",
  "setStatus",
  "setEditorText",
  "abort",
  "sendMessage",
  "appendEntry",
  "log",
] as const;

/** Everything that a hook's process says. */
export type ChildMessage =
  | { t: "hello"; token: string }
  | { t: "ready"; table: HookTable; unknownEvents: string[]; isEmpty: boolean }
  | { t: "failed"; kind: string; text: string }
  | { t: "table"; table: HookTable }
  | {
    t: "answer";
    id: string;
    value?: unknown;
    same?: string[];
    list?: unknown[];
    thrown?: unknown;
  }
  | { t: "ask"; seq: number; call?: string; method: typeof ASK_METHODS[number]; args: unknown[] }
  | { t: "tell"; call?: string; method: typeof TELL_METHODS[number]; args: unknown[] }
  | { t: "cancel"; seq: number }
  | { t: "pong"; n: number };

/** A message that is none, or that comes when it must not. */
export class ProtocolFault extends Error {}

const MAX_NAMES = 1000;
const MAX_NAME_LENGTH = 1000;
const MAX_TEXT_LENGTH = 1024 * 1024;

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value.length <= MAX_TEXT_LENGTH;
const isName: Check = (value) => typeof value === "string" && value.length <= MAX_NAME_LENGTH;
const isNumber: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isFlag: Check = (value) => typeof value === "boolean";
const isAnything: Check = () => true;
const isArray: Check = (value) => Array.isArray(value);
const listOf = (check: Check): Check => (value) =>
  Array.isArray(value) && value.length <= MAX_NAMES && value.every(check);
const maybe = (check: Check): Check => (value) => value === undefined || check(value);
const oneOf = (names: readonly string[]): Check => (value) => names.includes(value as string);
const recordOf = (fields: Readonly<Record<string, Check>>): Check => (value) =>
  isRecord(value) && Object.keys(fields).every((name) => fields[name](value[name]));

const isTable: Check = recordOf({
  handlers: (value) =>
    isRecord(value) &&
    Object.entries(value).every(([name, count]) =>
      isName(name) && isNumber(count) && (count as number) <= MAX_NAMES
    ) &&
    Object.keys(value).length <= MAX_NAMES,
  commands: listOf(recordOf({
    // As `pi.registerCommand` has it.
    name: (name) => isName(name) && /^[^\s/]\S*$/.test(name as string),
    description: maybe(isText),
  })),
  renderers: listOf(isName),
});

/** The fields of each kind of message. */
const SHAPES: Readonly<Record<ChildMessage["t"], Readonly<Record<string, Check>>>> = {
  hello: { token: isName },
  ready: { table: isTable, unknownEvents: listOf(isText), isEmpty: isFlag },
  failed: { kind: isName, text: isText },
  table: { table: isTable },
  answer: {
    id: isName,
    value: isAnything,
    same: maybe(listOf(isName)),
    list: maybe(isArray),
    thrown: maybe(isRecord),
  },
  ask: { seq: isNumber, call: maybe(isName), method: oneOf(ASK_METHODS), args: isArray },
  tell: { call: maybe(isName), method: oneOf(TELL_METHODS), args: isArray },
  cancel: { seq: isNumber },
  pong: { n: isNumber },
};

const isOptionalOptions = maybe(recordOf({}));

/** What the arguments of each method have to be. */
const ARGUMENTS: Readonly<
  Record<typeof ASK_METHODS[number] | typeof TELL_METHODS[number], readonly Check[]>
> = {
  select: [isText, listOf(isText)],
  confirm: [isText, isText],
  input: [isText, maybe(isText)],
  editor: [isText, maybe(isText)],
  waitForIdle: [],
  newSession: [maybe(recordOf({ parentSession: maybe(isText), hasSetup: maybe(isFlag) }))],
  branch: [isName],
  navigateTree: [isName, maybe(recordOf({ summarize: maybe(isFlag) }))],
  getApiKey: [isRecord],
  getAvailable: [],
  exec: [isText, listOf(isAnything), isText, isRecord],
  notify: [isText, maybe(oneOf(["info", "warning", "error"]))],
  setStatus: [isText, maybe(isText)],
  setEditorText: [isText],
  abort: [],
  // What a message has to be is checked where it is delivered, with a sentence for its hook.
  sendMessage: [isRecord, isOptionalOptions],
  appendEntry: [isName, isAnything],
  log: [oneOf(["debug", "info", "warn", "error"]), isText, isAnything],
};

/**
 * Reads a message of a hook's process.
 *
 * @param text The message.
 * @throws {ProtocolFault} If it is none.
 */
export function readChildMessage(text: string): ChildMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (thrown) {
    const what = isThrown(thrown, Error) ? thrown.message : thrownText(thrown);
    throw new ProtocolFault(`a message is not JSON: ${what.slice(0, 200)}`);
  }
  const kind = isRecord(message) ? message.t : undefined;
  if (!isRecord(message) || typeof kind !== "string" || !Object.hasOwn(SHAPES, kind)) {
    throw new ProtocolFault(`a message is of no kind: ${text.slice(0, 100)}`);
  }
  const shape = SHAPES[kind as ChildMessage["t"]];
  for (const name of Object.keys(shape)) {
    const value = Object.hasOwn(message, name) ? message[name] : undefined;
    if (!shape[name](value)) throw new ProtocolFault(`"${name}" of a message "${kind}" is wrong`);
  }
  return message as ChildMessage;
}

/**
 * Says what is wrong with the arguments of a method, `undefined` if nothing is.
 *
 * @param method The method.
 * @param args The arguments, unpacked.
 */
export function argumentFault(
  method: keyof typeof ARGUMENTS,
  args: readonly unknown[],
): string | undefined {
  const checks = ARGUMENTS[method];
  const wrong = checks.findIndex((check, position) => !check(args[position]));
  return wrong < 0 ? undefined : `argument ${wrong + 1} of ${method} is wrong`;
}

/**
 * Handlers by event as a map: events that do not exist keep their place, so that the host's warning
 * about them is true.
 *
 * @param table What a hook has registered.
 */
export function handlerCounts(table: HookTable): Map<string, number> {
  const known = new Set<string>(HOOK_EVENT_NAMES);
  return new Map(Object.entries(table.handlers).filter(([name]) => known.has(name)));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * How the answers of several handlers become one: a table with one row an event, checked by the
 * compiler against {@linkcode HookEventMap}. There is no other place that knows.
 *
 * @module
 */

import {
  checkBoolean,
  checkCompaction,
  checkContent,
  checkHookMessage,
  checkJson,
  checkMessages,
  checkRecord,
  checkString,
  checkStrings,
  checkTreeSummary,
  type FieldCheck,
} from "./checks.ts";
import type { HookEventMap, HookEventName, HookResultOf } from "./map.ts";

/**
 * The way answers combine.
 *
 * | fold | rule |
 * |---|---|
 * | `ignore` | answers have no meaning |
 * | `last` | the last answer wins; a `true` in the field `stopOn` ends the dispatch |
 * | `merge` | for each field the last answer that sets it wins |
 * | `chain` | each handler gets what the one before returned |
 * | `first` | the first answer is kept, all handlers run |
 */
export type FoldKind = "ignore" | "last" | "merge" | "chain" | "first";

/** The row of an event whose answers have a meaning. */
export interface AnswerPolicy<R> {
  /** The way answers combine. */
  fold: Exclude<FoldKind, "ignore">;
  /** The field whose `true` ends the dispatch. */
  stopOn?: keyof R & string;
  /** What a throwing handler does: it is reported and skipped, or it ends the dispatch. */
  onThrow: "report" | "block";
  /** The method of the runner for this event, where it is not `emit`. */
  emitter?: string;
  /**
   * How handlers see the event, where it holds more than texts and numbers: as one deep-frozen copy
   * for all of them, or as one copy that they may edit without any effect.
   */
  shows?: "frozen" | "copy";
  /** Whether handlers are asked even if the signal has fired, because what they hear of is done. */
  toldAfterAbort?: boolean;
  /** The fields an answer may have, each with its check. */
  fields: { readonly [K in keyof Required<R>]: FieldCheck };
}

/** The row of an event whose answers are ignored. */
export interface NoticePolicy {
  /** Answers have no meaning. */
  fold: "ignore";
  /** A throwing handler is reported and skipped. */
  onThrow: "report";
  /**
   * How handlers see the event, where it holds more than texts and numbers: as one deep-frozen copy
   * for all of them, or as one copy that they may edit without any effect.
   */
  shows?: "frozen" | "copy";
  /** Handlers run side by side under this limit in milliseconds, instead of one after the other. */
  sideBySideMs?: number;
}

/** The row of an event. */
export type EventPolicy<N extends HookEventName> = HookResultOf<N> extends undefined ? NoticePolicy
  : AnswerPolicy<NonNullable<HookResultOf<N>>>;

const NOTICE: NoticePolicy = { fold: "ignore", onThrow: "report" };

/** A notice that holds parts of the history: handlers get a copy, so that they cannot change it. */
const NOTICE_OF_HISTORY: NoticePolicy = { ...NOTICE, shows: "copy" };

/** The fold table. */
export const EVENT_POLICIES: { readonly [N in HookEventName]: EventPolicy<N> } = {
  tool_call: {
    fold: "last",
    stopOn: "block",
    onThrow: "block",
    emitter: "emitToolCall",
    fields: { block: checkBoolean, reason: checkString },
  },
  tool_result: {
    fold: "merge",
    onThrow: "report",
    shows: "frozen",
    toldAfterAbort: true,
    fields: {
      content: checkContent,
      details: checkJson,
      isError: checkBoolean,
      isWarning: checkBoolean,
    },
  },
  context: {
    fold: "chain",
    onThrow: "report",
    emitter: "emitContext",
    fields: { messages: checkMessages },
  },
  before_agent_start: {
    fold: "first",
    onThrow: "report",
    emitter: "emitBeforeAgentStart",
    fields: { message: checkHookMessage },
  },
  session_before_switch: {
    fold: "last",
    stopOn: "cancel",
    onThrow: "report",
    fields: { cancel: checkBoolean },
  },
  session_before_branch: {
    fold: "last",
    stopOn: "cancel",
    onThrow: "report",
    fields: { cancel: checkBoolean, skipConversationRestore: checkBoolean },
  },
  session_before_compact: {
    fold: "last",
    stopOn: "cancel",
    onThrow: "report",
    shows: "copy",
    fields: { cancel: checkBoolean, compaction: checkCompaction },
  },
  session_before_tree: {
    fold: "last",
    stopOn: "cancel",
    onThrow: "report",
    shows: "copy",
    fields: { cancel: checkBoolean, summary: checkTreeSummary },
  },
  "session.compacting": {
    fold: "last",
    onThrow: "report",
    shows: "copy",
    fields: { context: checkStrings, prompt: checkString, preserveData: checkRecord },
  },
  session_start: NOTICE,
  session_switch: NOTICE,
  session_branch: NOTICE,
  session_compact: NOTICE_OF_HISTORY,
  session_tree: NOTICE_OF_HISTORY,
  session_shutdown: { ...NOTICE, sideBySideMs: 2000 },
  agent_start: NOTICE,
  agent_end: NOTICE_OF_HISTORY,
  turn_start: NOTICE,
  turn_end: NOTICE_OF_HISTORY,
  auto_compaction_start: NOTICE,
  auto_compaction_end: NOTICE_OF_HISTORY,
  auto_retry_start: NOTICE,
  auto_retry_end: NOTICE,
  ttsr_triggered: NOTICE_OF_HISTORY,
  todo_reminder: NOTICE_OF_HISTORY,
};

/** The names of all events, in the order of the table. */
export const HOOK_EVENT_NAMES: readonly HookEventName[] = Object.keys(
  EVENT_POLICIES,
) as (keyof HookEventMap)[];

/**
 * Tells whether a text is the name of an event.
 *
 * @param name Any text.
 */
export function isHookEventName(name: string): name is HookEventName {
  return Object.hasOwn(EVENT_POLICIES, name);
}

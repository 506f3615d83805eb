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
  /** The fields an answer may have, each with its check. */
  fields: { readonly [K in keyof Required<R>]: FieldCheck };
}

/** The row of an event whose answers are ignored. */
export interface NoticePolicy {
  /** Answers have no meaning. */
  fold: "ignore";
  /** A throwing handler is reported and skipped. */
  onThrow: "report";
  /** Handlers run side by side under this limit in milliseconds, instead of one after the other. */
  sideBySideMs?: number;
}

/** The row of an event. */
export type EventPolicy<N extends HookEventName> = HookResultOf<N> extends undefined ? NoticePolicy
  : AnswerPolicy<NonNullable<HookResultOf<N>>>;

const NOTICE: NoticePolicy = { fold: "ignore", onThrow: "report" };

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
    fields: { cancel: checkBoolean, compaction: checkCompaction },
  },
  session_before_tree: {
    fold: "last",
    stopOn: "cancel",
    onThrow: "report",
    fields: { cancel: checkBoolean, summary: checkTreeSummary },
  },
  "session.compacting": {
    fold: "last",
    onThrow: "report",
    fields: { context: checkStrings, prompt: checkString, preserveData: checkRecord },
  },
  session_start: NOTICE,
  session_switch: NOTICE,
  session_branch: NOTICE,
  session_compact: NOTICE,
  session_tree: NOTICE,
  session_shutdown: { ...NOTICE, sideBySideMs: 2000 },
  agent_start: NOTICE,
  agent_end: NOTICE,
  turn_start: NOTICE,
  turn_end: NOTICE,
  auto_compaction_start: NOTICE,
  auto_compaction_end: NOTICE,
  auto_retry_start: NOTICE,
  auto_retry_end: NOTICE,
  ttsr_triggered: NOTICE,
  todo_reminder: NOTICE,
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

/**
 * A handler with its name, and what an observer learns of it.
 *
 * @module
 */

import type { HookEventName } from "./events/map.ts";
import type { StoredHandler } from "./hook.ts";

/** A handler, with what is needed to name it. */
export interface BoundHandler {
  /** The function. */
  readonly run: StoredHandler;
  /** Its hook. */
  readonly hookPath: string;
  /** Position among the handlers of its hook for this event, from 0. */
  readonly handlerIndex: number;
}

/**
 * What became of one handler.
 *
 * `passed`: it had nothing to say. `answered`: its answer counts. `blocked`, `cancelled`: its
 * answer ended the dispatch. `threw`, `timed-out`, `aborted`, `rejected-answer`: it failed.
 * `not-run`: it was not asked, because an earlier one had ended the dispatch.
 */
export type HandlerOutcome =
  | "passed"
  | "answered"
  | "blocked"
  | "cancelled"
  | "threw"
  | "timed-out"
  | "aborted"
  | "rejected-answer"
  | "not-run";

/** What an observer learns of one handler and one event. */
export interface HandlerRecord {
  /** The event. */
  event: HookEventName;
  /** The hook. */
  hookPath: string;
  /** Position of the handler among those of its hook for this event, from 0. */
  handlerIndex: number;
  /** What became of it. */
  outcome: HandlerOutcome;
  /** How long it took; `0` if it was not run. */
  milliseconds: number;
  /** The tool call, with tool events. */
  toolCallId?: string;
  /** `true` if the answer of another handler took the place of this one's. */
  superseded?: boolean;
  /** What went wrong. */
  error?: string;
}

/**
 * Gets the records of one dispatch, in the order of the handlers, when the dispatch is over.
 *
 * Contract: it must be quick and must not throw; what it throws is reported once and then ignored.
 */
export type HandlerObserver = (record: HandlerRecord) => void;

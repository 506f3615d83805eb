/**
 * The events of a session: it starts, ends, changes, branches, is compacted, is walked through.
 *
 * @module
 */

import type {
  BranchSummaryEntry,
  CompactionEntry,
  CompactionPreparation,
  CompactionResult,
  SessionEntry,
  TreePreparation,
} from "../entries.ts";
import type { AgentMessage } from "../messages.ts";

/** The program has started and its session is ready. Once a process. */
export interface SessionStartEvent {
  /** The event's name. */
  type: "session_start";
}

/** Why another session becomes the current one. */
export type SessionSwitchReason = "new" | "resume" | "fork";

/** Another session is about to become the current one. */
export interface SessionBeforeSwitchEvent {
  /** The event's name. */
  type: "session_before_switch";
  /** Why. */
  reason: SessionSwitchReason;
  /** The session's file, with `resume`. */
  targetSessionFile?: string;
}

/** The answer of a `session_before_switch` handler. */
export interface SessionBeforeSwitchResult {
  /** `true`: stay in the current session. */
  cancel?: boolean;
}

/** Another session has become the current one. */
export interface SessionSwitchEvent {
  /** The event's name. */
  type: "session_switch";
  /** Why. */
  reason: SessionSwitchReason;
  /** The file of the session before, if it had one. */
  previousSessionFile: string | undefined;
}

/** A new session is about to be made from a place in the current one. */
export interface SessionBeforeBranchEvent {
  /** The event's name. */
  type: "session_before_branch";
  /** The user message to branch from. */
  entryId: string;
}

/** The answer of a `session_before_branch` handler. */
export interface SessionBeforeBranchResult {
  /** `true`: do not branch. */
  cancel?: boolean;
  /** `true`: make the new session, and leave the conversation of the agent as it is. */
  skipConversationRestore?: boolean;
}

/** A new session was made from a place in the former one. */
export interface SessionBranchEvent {
  /** The event's name. */
  type: "session_branch";
  /** The file of the session before, if it had one. */
  previousSessionFile: string | undefined;
}

/** The older part of the conversation is about to be replaced by a summary. */
export interface SessionBeforeCompactEvent {
  /** The event's name. */
  type: "session_before_compact";
  /** What would be summarised and what kept. */
  preparation: CompactionPreparation;
  /** The entries of the current branch, root first. */
  branchEntries: SessionEntry[];
  /** What the person asked the summary to look at. */
  customInstructions?: string;
  /** Fires when the compaction is given up. */
  signal: AbortSignal;
}

/** The answer of a `session_before_compact` handler. `cancel` beats `compaction`. */
export interface SessionBeforeCompactResult {
  /** `true`: do not compact. */
  cancel?: boolean;
  /** A summary to use in place of the default one. */
  compaction?: CompactionResult;
}

/** The default summary is about to be made; not asked when a hook has given its own. */
export interface SessionCompactingEvent {
  /** The event's name. It has a dot, as in the reference. */
  type: "session.compacting";
  /** The session. */
  sessionId: string;
  /** The messages to be summarised. */
  messages: AgentMessage[];
}

/** The answer of a `session.compacting` handler. */
export interface SessionCompactingResult {
  /** Lines to be told to the model that summarises. */
  context?: string[];
  /** A prompt in place of the default one. */
  prompt?: string;
  /** Data to be kept with the compaction and handed to the next one. */
  preserveData?: Record<string, unknown>;
}

/** A summary has replaced the older part of the conversation. */
export interface SessionCompactEvent {
  /** The event's name. */
  type: "session_compact";
  /** The entry that holds the summary. */
  compactionEntry: CompactionEntry;
  /** Whether a hook made the summary. */
  fromExtension: boolean;
}

/** The person is about to go to another place in the tree of the session. */
export interface SessionBeforeTreeEvent {
  /** The event's name. */
  type: "session_before_tree";
  /** Where to, and what is left behind. */
  preparation: TreePreparation;
  /** Fires when the walk is given up. */
  signal: AbortSignal;
}

/** The answer of a `session_before_tree` handler. */
export interface SessionBeforeTreeResult {
  /** `true`: stay. */
  cancel?: boolean;
  /** A summary of what is left behind, used only if the person asked for one. */
  summary?: { summary: string; details?: unknown };
}

/** The person is at another place in the tree of the session. */
export interface SessionTreeEvent {
  /** The event's name. */
  type: "session_tree";
  /** The entry that is current now. */
  newLeafId: string | null;
  /** The entry that was current before. */
  oldLeafId: string | null;
  /** The summary that was made. */
  summaryEntry?: BranchSummaryEntry;
  /** Whether a hook made the summary. */
  fromExtension?: boolean;
}

/** The program is about to end. Handlers run side by side, two seconds at most. */
export interface SessionShutdownEvent {
  /** The event's name. */
  type: "session_shutdown";
}

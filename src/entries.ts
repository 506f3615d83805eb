/**
 * The shapes of a stored session: a header line, then entries that form a tree.
 *
 * Entry times are ISO 8601 texts, as in the files of other agents.
 *
 * @module
 */

import type { AgentMessage, Attribution, ImageContent, TextContent } from "./messages.ts";

/** The first line of a session file. */
export interface SessionHeader {
  /** Marks the header. */
  type: "session";
  /** Version of the file format: 3. */
  version?: number;
  /** Name of the session. */
  id: string;
  /** What the conversation is about. */
  title?: string;
  /** Who gave the title. */
  titleSource?: "auto" | "user";
  /** When the session began. */
  timestamp: string;
  /** Working directory of the session. */
  cwd: string;
  /** Path of the session that this one came from. */
  parentSession?: string;
}

/** What all entries have in common. */
export interface SessionEntryBase {
  /** The kind of entry. */
  type: string;
  /** Name of the entry, unique in its session. */
  id: string;
  /** The entry before this one, `null` for a root. */
  parentId: string | null;
  /** When. */
  timestamp: string;
}

/** A message of the conversation. */
export interface SessionMessageEntry extends SessionEntryBase {
  /** Marks a message. */
  type: "message";
  /** The message. */
  message: AgentMessage;
}

/** A message of a hook, which the model reads. */
export interface CustomMessageEntry<T = unknown> extends SessionEntryBase {
  /** Marks a hook's message. */
  type: "custom_message";
  /** The hook's own name for this kind of message. */
  customType: string;
  /** What the model reads. */
  content: string | (TextContent | ImageContent)[];
  /** Data for the hook's renderer. */
  details?: T;
  /** Whether a person sees it. */
  display: boolean;
  /** Who caused it. */
  attribution?: Attribution;
}

/** Data that a hook keeps in the session with `pi.appendEntry`; the model never sees it. */
export interface CustomEntry<T = unknown> extends SessionEntryBase {
  /** Marks a hook's data. */
  type: "custom";
  /** The hook's own name for this kind of data. */
  customType: string;
  /** The data. */
  data?: T;
}

/** The older part of the conversation, replaced by a summary. */
export interface CompactionEntry<T = unknown> extends SessionEntryBase {
  /** Marks a compaction. */
  type: "compaction";
  /** The summary. */
  summary: string;
  /** One line for listings. */
  shortSummary?: string;
  /** The first entry that is kept as it is. */
  firstKeptEntryId: string;
  /** Tokens of the conversation before. */
  tokensBefore: number;
  /** Data of the hook that made the summary. */
  details?: T;
  /** Data handed on to later compactions. */
  preserveData?: Record<string, unknown>;
  /** Whether a hook made the summary. */
  fromExtension?: boolean;
}

/** The summary of a branch that was left. */
export interface BranchSummaryEntry<T = unknown> extends SessionEntryBase {
  /** Marks a branch summary. */
  type: "branch_summary";
  /** The entry that the summary hangs on, `root` for none. */
  fromId: string;
  /** The summary. */
  summary: string;
  /** Data of the hook that made the summary. */
  details?: T;
  /** Whether a hook made the summary. */
  fromExtension?: boolean;
}

/** A name that the person gave to an entry. */
export interface LabelEntry extends SessionEntryBase {
  /** Marks a label. */
  type: "label";
  /** The entry that is named. */
  targetId: string;
  /** The name, absent to take it away. */
  label?: string;
}

/** The thinking level was changed. */
export interface ThinkingLevelChangeEntry extends SessionEntryBase {
  /** Marks a change of the thinking level. */
  type: "thinking_level_change";
  /** The new level. */
  thinkingLevel: string | null;
}

/** The model was changed. */
export interface ModelChangeEntry extends SessionEntryBase {
  /** Marks a change of the model. */
  type: "model_change";
  /** `provider/id` of the new model. */
  model: string;
  /** What the model is used for, absent for the main one. */
  role?: string;
}

/** The priority class at the provider was changed. */
export interface ServiceTierChangeEntry extends SessionEntryBase {
  /** Marks a change of the priority class. */
  type: "service_tier_change";
  /** The new class, `null` for the provider's default. */
  serviceTier: string | null;
}

/** The agent went into another mode, such as planning. */
export interface ModeChangeEntry extends SessionEntryBase {
  /** Marks a change of mode. */
  type: "mode_change";
  /** The new mode. */
  mode: string;
  /** What the mode wants to remember. */
  data?: unknown;
}

/** How a session of a sub-agent began. */
export interface SessionInitEntry extends SessionEntryBase {
  /** Marks the beginning of a sub-agent. */
  type: "session_init";
  /** Its system prompt. */
  systemPrompt: string;
  /** Its task. */
  task: string;
  /** The names of its tools. */
  tools: string[];
  /** The JSON schema of its answer. */
  outputSchema?: unknown;
}

/** Stream rules that were put before the model. */
export interface TtsrInjectionEntry extends SessionEntryBase {
  /** Marks injected stream rules. */
  type: "ttsr_injection";
  /** The names of the rules. */
  injectedRules: string[];
}

/** The tools of MCP servers that are switched on. */
export interface McpToolSelectionEntry extends SessionEntryBase {
  /** Marks a selection of tools. */
  type: "mcp_tool_selection";
  /** The names of the tools. */
  selectedToolNames: string[];
}

/** The session got a name. */
export interface SessionInfoEntry extends SessionEntryBase {
  /** Marks the name of the session. */
  type: "session_info";
  /** The name. */
  name?: string;
}

/**
 * Any entry of a session; `entry.type === "message"` narrows it. Session files of other versions
 * may hold types that are not listed here: such entries are kept and written back as they were,
 * so compare `type` and do not assume that the list is complete at run time.
 */
export type SessionEntry =
  | SessionMessageEntry
  | CustomMessageEntry
  | CustomEntry
  | CompactionEntry
  | BranchSummaryEntry
  | LabelEntry
  | ThinkingLevelChangeEntry
  | ModelChangeEntry
  | ServiceTierChangeEntry
  | ModeChangeEntry
  | SessionInitEntry
  | TtsrInjectionEntry
  | McpToolSelectionEntry
  | SessionInfoEntry;

/** An entry with its children, as `getTree` returns them. */
export interface SessionTreeNode {
  /** The entry. */
  entry: SessionEntry;
  /** The entries that come after it, oldest first. */
  children: SessionTreeNode[];
  /** The name that the person gave to it. */
  label?: string;
}

/** What a compaction produces. */
export interface CompactionResult<T = unknown> {
  /** The summary. */
  summary: string;
  /** One line for listings. */
  shortSummary?: string;
  /** The first entry that is kept as it is. */
  firstKeptEntryId: string;
  /** Tokens of the conversation before. */
  tokensBefore: number;
  /** Data of the hook that made the summary. */
  details?: T;
  /** Data handed on to later compactions. */
  preserveData?: Record<string, unknown>;
}

/** When and how conversations are compacted. */
export interface CompactionSettings {
  /** Whether it happens by itself. Default `true`. */
  enabled: boolean;
  /** How. Default `context-full`. */
  strategy?: "context-full" | "handoff" | "off";
  /** Threshold in percent of the context window, `-1` for none. */
  thresholdPercent?: number;
  /** Threshold in tokens, `-1` for none. */
  thresholdTokens?: number;
  /** Tokens kept free for the answer. Default 16384. */
  reserveTokens: number;
  /** Tokens of recent messages that are kept as they are. Default 20000. */
  keepRecentTokens: number;
  /** Whether the agent goes on afterwards. Default `true`. */
  autoContinue?: boolean;
}

/** What is about to be compacted. */
export interface CompactionPreparation {
  /** The first entry that will be kept as it is. */
  firstKeptEntryId: string;
  /** The messages to be summarised. */
  messagesToSummarize: AgentMessage[];
  /** The first part of a turn that has to be split. */
  turnPrefixMessages: AgentMessage[];
  /** The messages that are kept. */
  recentMessages: AgentMessage[];
  /** Whether a turn has to be split. */
  isSplitTurn: boolean;
  /** Tokens of the conversation before. */
  tokensBefore: number;
  /** The summary of the compaction before this one. */
  previousSummary?: string;
  /** The `preserveData` of the compaction before this one. */
  previousPreserveData?: Record<string, unknown>;
  /** Files that the summarised part touched. */
  fileOps: { read: Set<string>; written: Set<string>; edited: Set<string> };
  /** The settings in force. */
  settings: CompactionSettings;
}

/** What walking to another place in the tree means. */
export interface TreePreparation {
  /** The entry that the person chose. */
  targetId: string;
  /** The entry that is current now, `null` for an empty session. */
  oldLeafId: string | null;
  /** The last entry that both have before them. */
  commonAncestorId: string | null;
  /** The entries that are left behind, oldest first. */
  entriesToSummarize: SessionEntry[];
  /** Whether the person asked for a summary of them. */
  userWantsSummary: boolean;
}

/** Totals over all entries of a session. */
export interface UsageStatistics {
  /** Tokens read. */
  input: number;
  /** Tokens written. */
  output: number;
  /** Tokens read from the provider's cache. */
  cacheRead: number;
  /** Tokens written into the provider's cache. */
  cacheWrite: number;
  /** Requests of a dearer class. */
  premiumRequests: number;
  /** Cost in US dollars. */
  cost: number;
}

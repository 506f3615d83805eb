/**
 * What a compaction would do: which messages a summary would stand for, and which are kept.
 *
 * @module
 */

import type {
  CompactionEntry,
  CompactionPreparation,
  CompactionSettings,
  SessionEntry,
} from "../entries.ts";
import type { AgentMessage } from "../messages.ts";
import { contextEntries, messageOfEntry } from "./context_entries.ts";
import { toolCallsOf } from "./llm_messages.ts";
import { conversationTokens, estimateTokens } from "./tokens.ts";

/** The settings of a host that says nothing else. */
export const DEFAULT_COMPACTION_SETTINGS: Readonly<CompactionSettings> = Object.freeze({
  enabled: true,
  strategy: "context-full",
  thresholdPercent: -1,
  thresholdTokens: -1,
  reserveTokens: 16384,
  keepRecentTokens: 20000,
  autoContinue: true,
});

/** An entry that the model reads. */
interface Read {
  id: string;
  message: AgentMessage;
}

/**
 * Looks at what a compaction would do.
 *
 * The last messages of about `keepRecentTokens` are kept, never a tool result without its call. If
 * that cuts through a turn, the first part of the turn is in `turnPrefixMessages`. What an earlier
 * compaction has kept is summarised now; its summary is in `previousSummary`.
 *
 * @param branch The entries of the current branch, root first.
 * @param settings How much to keep. Default: 20 000 tokens.
 * @returns `undefined` if there is nothing to summarise: the branch is short, or has just been
 * compacted.
 *
 * @example
 * ```ts
 * import { prepareCompaction } from "@pi-hooks/core";
 *
 * if (prepareCompaction([]) !== undefined) throw new Error("nothing can be compacted here");
 * ```
 */
export function prepareCompaction(
  branch: readonly SessionEntry[],
  settings: CompactionSettings = DEFAULT_COMPACTION_SETTINGS,
): CompactionPreparation | undefined {
  const entries = contextEntries(branch);
  const after = entries.after.flatMap(readEntry);
  if (after.length === 0) return undefined;
  const read = [...entries.kept.flatMap(readEntry), ...after];
  const tokensBefore = conversationTokens(branch);
  const cut = findCut(read, keptTokens(read, tokensBefore, settings));
  if (cut === 0) return undefined;
  const turn = turnStart(read, cut);
  const messages = read.map(({ message }) => message);
  const [previous] = entries.summary;
  return {
    firstKeptEntryId: read[cut].id,
    messagesToSummarize: messages.slice(0, turn),
    turnPrefixMessages: messages.slice(turn, cut),
    recentMessages: messages.slice(cut),
    isSplitTurn: turn < cut,
    tokensBefore,
    previousSummary: previous?.summary,
    previousPreserveData: previous?.preserveData,
    fileOps: fileOpsOf(messages.slice(0, cut), previous),
    settings: { ...settings },
  };
}

function readEntry(entry: SessionEntry): Read[] {
  const message = messageOfEntry(entry);
  return message === undefined ? [] : [{ id: entry.id, message }];
}

/** If the provider counts more than the estimate does, less is kept by the estimate's measure. */
function keptTokens(
  read: readonly Read[],
  measured: number,
  { keepRecentTokens }: CompactionSettings,
): number {
  const estimate = read.reduce((sum, { message }) => sum + estimateTokens(message), 0);
  return measured > estimate ? keepRecentTokens * (estimate / measured) : keepRecentTokens;
}

/** The first entry to keep; 0 if all of them fit. */
function findCut(read: readonly Read[], keep: number): number {
  let tokens = 0;
  let cut = read.length;
  while (cut > 0 && tokens < keep) tokens += estimateTokens(read[--cut].message);
  if (cut === 0 && tokens < keep) return 0;
  cut = Math.min(cut, read.length - 1);
  const isResult = ({ message }: Read): boolean => message.role === "toolResult";
  const later = read.findIndex((one, index) => index >= cut && !isResult(one));
  // A turn that ends in results stays whole: its calls are before them.
  if (later >= 0) return later;
  return Math.max(0, read.findLastIndex((one, index) => index < cut && !isResult(one)));
}

/** Where the turn of an entry begins: the entry itself, if it is no part of an answer. */
function turnStart(read: readonly Read[], cut: number): number {
  const isAnswer = ({ message }: Read): boolean =>
    message.role === "assistant" || message.role === "toolResult";
  if (!isAnswer(read[cut])) return cut;
  return Math.max(0, read.findLastIndex((one, index) => index < cut && !isAnswer(one)));
}

const FILE_TOOLS: Readonly<Record<string, "read" | "written" | "edited">> = {
  read: "read",
  write: "written",
  edit: "edited",
};

/** The files that the summarised messages touched, and those that the summary before knew of. */
function fileOpsOf(
  messages: readonly AgentMessage[],
  previous: CompactionEntry | undefined,
): CompactionPreparation["fileOps"] {
  const fileOps = {
    read: new Set<string>(),
    written: new Set<string>(),
    edited: new Set<string>(),
  };
  // The details of a hook's compaction are the hook's own business.
  if (previous !== undefined && !previous.fromExtension) {
    const { readFiles, modifiedFiles } = fileLists(previous.details);
    for (const path of readFiles) fileOps.read.add(path);
    for (const path of modifiedFiles) fileOps.edited.add(path);
  }
  for (const call of messages.flatMap(toolCallsOf)) {
    const kind = Object.hasOwn(FILE_TOOLS, call.name) ? FILE_TOOLS[call.name] : undefined;
    const path = call.arguments.path ?? call.arguments.file_path;
    if (kind !== undefined && typeof path === "string") fileOps[kind].add(path);
  }
  return fileOps;
}

/** The `details` of a default compaction. */
export interface FileLists {
  /** Files that were read and not changed. */
  readFiles: string[];
  /** Files that were written or edited. */
  modifiedFiles: string[];
}

function fileLists(details: unknown): FileLists {
  const { readFiles, modifiedFiles } = (details ?? {}) as Record<string, unknown>;
  const paths = (list: unknown): string[] =>
    Array.isArray(list) ? list.filter((path) => typeof path === "string") : [];
  return { readFiles: paths(readFiles), modifiedFiles: paths(modifiedFiles) };
}

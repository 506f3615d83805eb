/**
 * Which entries of a branch the model reads, and as what.
 *
 * @module
 */

import type { CompactionEntry, SessionEntry } from "../entries.ts";
import type { AgentMessage } from "../messages.ts";

/** The part of a branch that the model reads, in the order in which it reads it. */
export interface ContextEntries {
  /** The last compaction, or nothing. */
  summary: CompactionEntry[];
  /** What that compaction has kept. */
  kept: SessionEntry[];
  /** What came after it: the whole branch, if there is no compaction. */
  after: SessionEntry[];
}

/**
 * Takes the entries of a branch that the model reads: its last compaction, the entries before it
 * from `firstKeptEntryId` on, and all after it. If the compaction names no entry before it, nothing
 * is kept.
 *
 * @param branch The entries of the branch, root first.
 */
export function contextEntries(branch: readonly SessionEntry[]): ContextEntries {
  const at = branch.findLastIndex(({ type }) => type === "compaction");
  const compaction = branch[at];
  if (compaction?.type !== "compaction") return { summary: [], kept: [], after: [...branch] };
  const from = branch.findIndex(({ id }) => id === compaction.firstKeptEntryId);
  // An older compaction in the kept part has done its work: its summary is in the new one.
  const kept = branch.slice(from < 0 ? at : from, at).filter(({ type }) => type !== "compaction");
  return { summary: [compaction], kept, after: branch.slice(at + 1) };
}

/**
 * What the model reads of an entry.
 *
 * @param entry The entry.
 * @returns The message, `undefined` if the entry says nothing to the model.
 */
export function messageOfEntry(entry: SessionEntry): AgentMessage | undefined {
  const timestamp = Date.parse(entry.timestamp);
  switch (entry.type) {
    case "message":
      return entry.message;
    case "custom_message": {
      const { customType, content, display, details, attribution } = entry;
      return { role: "custom", customType, content, display, details, attribution, timestamp };
    }
    case "branch_summary":
      if (entry.summary === "") return undefined;
      return { role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp };
    case "compaction": {
      const { summary, shortSummary, tokensBefore } = entry;
      return { role: "compactionSummary", summary, shortSummary, tokensBefore, timestamp };
    }
    default:
      return undefined;
  }
}

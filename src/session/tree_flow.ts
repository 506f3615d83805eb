/**
 * Goes to another place in the tree of a session: asks the hooks, summarises what is left behind,
 * moves, tells the hooks.
 *
 * @module
 */

import type { BranchSummaryEntry, SessionEntry, TreePreparation } from "../entries.ts";
import type { SessionBeforeTreeResult } from "../events/session.ts";
import type { ImageContent, TextContent } from "../messages.ts";
import type { CancellableResult } from "../types.ts";
import { messageOfEntry } from "./context_entries.ts";
import type { FlowHost } from "./flow_host.ts";
import { unlessAborted } from "./model_port.ts";
import { unknownEntry } from "./session_context.ts";
import { summarizeBranch } from "./summary.ts";

/** What came of walking to another place. */
export interface NavigateResult extends CancellableResult {
  /** The text of the user message that was chosen, to be edited and sent again. */
  editorText?: string;
}

/** A summary, and who made it. */
interface MadeSummary {
  summary: string;
  details?: unknown;
  fromExtension: boolean;
}

/**
 * Goes to another place in the tree. A chosen message of the person, or of a hook, is taken back:
 * the session goes on before it, and its text is handed out.
 *
 * @param host The host.
 * @param targetId The entry that was chosen.
 * @param options Whether to summarise what is left behind, and when to give up.
 * @throws {Error} If there is no such entry; no hook is asked then.
 * @throws {HookAbortError} When the signal fires before anything has changed.
 */
export async function navigateTree(
  host: FlowHost,
  targetId: string,
  options: { summarize?: boolean; signal: AbortSignal },
): Promise<NavigateResult> {
  const { session } = host;
  const { signal } = options;
  const oldLeafId = session.getLeafId();
  const target = session.getEntry(targetId);
  if (target === undefined) throw unknownEntry(targetId);
  if (targetId === oldLeafId) return { cancelled: false };
  const preparation = prepareTree(host, targetId, options.summarize === true);
  const made = await unlessAborted(askAndSummarize(host, preparation, signal), signal);
  if (made === "cancelled" || signal.aborted) return { cancelled: true };
  await host.stopAgent();
  const text = textTakenBack(target);
  const newPlace = text === undefined ? targetId : target.parentId;
  const summaryEntry = move(host, newPlace, made);
  host.restoreConversation();
  await host.events.tell({
    type: "session_tree",
    newLeafId: session.getLeafId(),
    oldLeafId,
    ...(made !== "none" && { summaryEntry, fromExtension: made.fromExtension }),
  }, signal);
  return { cancelled: false, ...(text !== undefined && { editorText: text }) };
}

function move(
  { session }: FlowHost,
  place: string | null,
  made: MadeSummary | "none",
): BranchSummaryEntry | undefined {
  if (made === "none") {
    session.branch(place);
    return undefined;
  }
  const { summary, details, fromExtension } = made;
  const id = session.branchWithSummary(place, summary, details, fromExtension);
  return session.getEntry(id) as BranchSummaryEntry;
}

function prepareTree(
  { session }: FlowHost,
  targetId: string,
  userWantsSummary: boolean,
): TreePreparation {
  const oldLeafId = session.getLeafId();
  const oldBranch = oldLeafId === null ? [] : session.getBranch(oldLeafId);
  const newBranch = session.getBranch(targetId);
  let common = 0;
  while (common < oldBranch.length && oldBranch[common].id === newBranch[common]?.id) common++;
  return {
    targetId,
    oldLeafId,
    commonAncestorId: oldBranch[common - 1]?.id ?? null,
    entriesToSummarize: oldBranch.slice(common),
    userWantsSummary,
  };
}

async function askAndSummarize(
  host: FlowHost,
  preparation: TreePreparation,
  signal: AbortSignal,
): Promise<MadeSummary | "none" | "cancelled"> {
  const answer = await host.events.ask(
    { type: "session_before_tree", preparation, signal },
    signal,
  );
  if (answer?.cancel === true) return "cancelled";
  if (!preparation.userWantsSummary) return "none";
  const given = summaryOf(answer);
  if (given !== undefined) return given;
  const messages = preparation.entriesToSummarize.flatMap((entry) => messageOfEntry(entry) ?? []);
  if (messages.length === 0) return "none";
  const summary = await summarizeBranch(host.model, messages, signal);
  return { summary, fromExtension: false };
}

/** The summary of a hook. An empty one is none, so the default one is made. */
function summaryOf(answer: SessionBeforeTreeResult | undefined): MadeSummary | undefined {
  if (answer?.summary === undefined || answer.summary.summary.trim() === "") return undefined;
  const { summary, details } = answer.summary;
  return { summary, details, fromExtension: true };
}

/** The text of a message of the person or a hook; `undefined` for other entries. */
function textTakenBack(entry: SessionEntry): string | undefined {
  if (entry.type === "custom_message") return textOf(entry.content);
  return entry.type === "message" && entry.message.role === "user"
    ? textOf(entry.message.content)
    : undefined;
}

/**
 * The text of a message, its text blocks joined by line feeds.
 *
 * @param content The content of the message.
 */
export function textOf(content: string | readonly (TextContent | ImageContent)[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n");
}

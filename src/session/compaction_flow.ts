/**
 * Compacts a conversation: asks the hooks, makes the summary, stores it, tells the hooks.
 *
 * @module
 */

import type { CompactionEntry, CompactionResult } from "../entries.ts";
import { hookErrorFrom, UNKNOWN_HOOK } from "../errors.ts";
import { prepareCompaction } from "./compaction.ts";
import type { FlowHost } from "./flow_host.ts";
import { unlessAborted } from "./model_port.ts";
import { summarizeConversation } from "./summary.ts";

/** How a conversation is compacted. */
export interface CompactOptions {
  /** What the person asked the summary to look at. */
  customInstructions?: string;
  /** Gives the compaction up: whatever comes later does not count. */
  signal: AbortSignal;
}

/**
 * What came of a compaction. `nothing`: there was nothing to summarise, no hook was asked.
 * `cancelled`: a hook did not want it. Only `done` has changed anything.
 */
export type CompactOutcome =
  | { kind: "nothing" }
  | { kind: "cancelled" }
  | { kind: "aborted" }
  | { kind: "done"; result: CompactionResult };

/** A summary, and who made it. */
interface MadeCompaction {
  result: CompactionResult;
  fromExtension: boolean;
}

/**
 * Compacts the conversation of the current branch.
 *
 * @param host The host.
 * @param options What the summary shall look at, and when to give up.
 * @throws {ModelError} If the default summary is needed and the model fails.
 */
export async function compactSession(
  host: FlowHost,
  options: CompactOptions,
): Promise<CompactOutcome> {
  const { session } = host;
  const { signal } = options;
  let made: MadeCompaction | "nothing" | "cancelled";
  try {
    made = await unlessAborted(makeCompaction(host, options), signal);
  } catch (thrown) {
    if (signal.aborted) return { kind: "aborted" };
    throw thrown;
  }
  if (signal.aborted) return { kind: "aborted" };
  if (made === "nothing" || made === "cancelled") return { kind: made };
  const { result, fromExtension } = made;
  const id = session.appendCompaction(
    result.summary,
    result.shortSummary,
    result.firstKeptEntryId,
    result.tokensBefore,
    result.details,
    fromExtension,
    result.preserveData,
  );
  host.restoreConversation();
  const compactionEntry = session.getEntry(id) as CompactionEntry;
  await host.events.tell({ type: "session_compact", compactionEntry, fromExtension }, signal);
  return { kind: "done", result };
}

async function makeCompaction(
  host: FlowHost,
  { customInstructions, signal }: CompactOptions,
): Promise<MadeCompaction | "nothing" | "cancelled"> {
  const { session } = host;
  const branchEntries = session.getBranch();
  const preparation = prepareCompaction(branchEntries, host.compaction);
  if (preparation === undefined) return "nothing";
  const event = { type: "session_before_compact" as const, preparation, branchEntries, signal };
  const answer = await host.events.ask(
    { ...event, ...(customInstructions !== undefined && { customInstructions }) },
    signal,
  );
  if (answer?.cancel === true) return "cancelled";
  if (answer?.compaction !== undefined) {
    const { firstKeptEntryId } = answer.compaction;
    if (branchEntries.some(({ id }) => id === firstKeptEntryId)) {
      return { result: answer.compaction, fromExtension: true };
    }
    reportDanglingId(host, firstKeptEntryId);
  }
  const messages = [...preparation.messagesToSummarize, ...preparation.turnPrefixMessages];
  const wishes = await host.events.ask(
    { type: "session.compacting", sessionId: session.getSessionId(), messages },
    signal,
  );
  const request = { ...wishes, customInstructions, signal };
  const result = await summarizeConversation(host.model, preparation, request);
  return { result, fromExtension: false };
}

/** A summary that hangs on an entry of another branch would make the model forget everything. */
function reportDanglingId({ runner }: FlowHost, id: string): void {
  const asked = runner.getHooks().filter((hook) =>
    (hook.handlers.get("session_before_compact")?.length ?? 0) > 0
  ).map(({ path }) => path);
  // The answers of several hooks become one, and nobody keeps whose it was.
  const [path, who] = asked.length === 1
    ? [asked[0], "the hook"]
    : [UNKNOWN_HOOK, `one of the hooks ${asked.join(", ")}`];
  const error = new Error(
    `The compaction of ${who} keeps entries from ${JSON.stringify(id)} on, which is no entry of ` +
      "the current branch; the default summary is made",
  );
  runner.emitError(hookErrorFrom(path, "session_before_compact", error));
}

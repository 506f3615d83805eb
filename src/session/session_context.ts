/**
 * What the model is told of a session.
 *
 * @module
 */

import type { SessionEntry } from "../entries.ts";
import type { AgentMessage } from "../messages.ts";
import { contextEntries, messageOfEntry } from "./context_entries.ts";

/** What a branch of a session means for the next request to a model. */
export interface SessionContext {
  /** The messages, oldest first: the last compaction stands for what came before it. */
  messages: AgentMessage[];
  /** The thinking level in force. Default `off`. */
  thinkingLevel: string;
  /** The models in force as `provider/id`, by what they are used for; `default` is the main one. */
  models: Record<string, string>;
}

/** The entries of a branch, read when they are asked for. */
export interface EntryPath {
  /** How many there are. */
  readonly length: number;
  /** The name of one. */
  idAt(step: number): string;
  /** The kind of one. */
  typeAt(step: number): string;
  /** One of them. */
  entryAt(step: number): SessionEntry;
}

/**
 * Builds what the model is told, from entries that need not be stored anywhere.
 *
 * @param entries Entries of a session, in any order.
 * @param leafId The last entry of the branch: default the last one given, `null` for none.
 * @throws {Error} If there is no such entry.
 *
 * @example
 * ```ts
 * import { buildSessionContext, SessionManager } from "@pi-hooks/core";
 *
 * const session = SessionManager.inMemory("/project");
 * session.appendMessage({ role: "user", content: "Hello", timestamp: Date.now() });
 * const { messages } = buildSessionContext(session.getEntries());
 * console.log(messages.length); // 1
 * ```
 */
export function buildSessionContext(
  entries: readonly SessionEntry[],
  leafId?: string | null,
): SessionContext {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const leaf = leafId === undefined ? entries.at(-1) : byId.get(leafId ?? "");
  if (leaf === undefined && typeof leafId === "string") throw unknownEntry(leafId);
  const branch: SessionEntry[] = [];
  for (let step = leafId === null ? undefined : leaf; step !== undefined;) {
    // Taken out, so that entries which come after themselves end.
    byId.delete(step.id);
    branch.push(step);
    step = byId.get(step.parentId ?? "");
  }
  branch.reverse();
  return contextOfPath({
    length: branch.length,
    idAt: (step) => branch[step].id,
    typeAt: (step) => branch[step].type,
    entryAt: (step) => branch[step],
  });
}

/**
 * Builds what the model is told, reading no more entries than it takes.
 *
 * @param path The branch, root first.
 */
export function contextOfPath(path: EntryPath): SessionContext {
  const entries: SessionEntry[] = [];
  for (let step = contextStart(path); step < path.length; step++) entries.push(path.entryAt(step));
  const { summary, kept, after } = contextEntries(entries);
  const messages = [...summary, ...kept, ...after].map(messageOfEntry)
    .filter((message) => message !== undefined);
  return { messages, thinkingLevel: thinkingLevelOf(path), models: modelsOf(path) };
}

/** The first entry that matters: what the last compaction has kept, or that itself. */
function contextStart(path: EntryPath): number {
  for (let step = path.length - 1; step >= 0; step--) {
    if (path.typeAt(step) !== "compaction") continue;
    const compaction = path.entryAt(step);
    if (compaction.type !== "compaction") continue;
    for (let kept = 0; kept < step; kept++) {
      if (path.idAt(kept) === compaction.firstKeptEntryId) return kept;
    }
    return step;
  }
  return 0;
}

function thinkingLevelOf(path: EntryPath): string {
  for (let step = path.length - 1; step >= 0; step--) {
    if (path.typeAt(step) !== "thinking_level_change") continue;
    const entry = path.entryAt(step);
    if (entry.type === "thinking_level_change") return entry.thinkingLevel ?? "off";
  }
  return "off";
}

function modelsOf(path: EntryPath): Record<string, string> {
  const models: Record<string, string> = {};
  for (let step = path.length - 1; step >= 0; step--) {
    const type = path.typeAt(step);
    // Of messages, only the newest answer of the main model is looked for.
    if (type !== "model_change" && (type !== "message" || models.default !== undefined)) continue;
    const entry = path.entryAt(step);
    if (entry.type === "model_change") models[entry.role ?? "default"] ??= entry.model;
    if (entry.type !== "message" || entry.message?.role !== "assistant") continue;
    const { provider, model } = entry.message;
    if (provider && model) models.default ??= `${provider}/${model}`;
  }
  return models;
}

/** The error for a name that no entry has. */
export function unknownEntry(id: string): Error {
  return new Error(`Entry ${id} not found`);
}

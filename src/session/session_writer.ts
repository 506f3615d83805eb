/**
 * What can be appended to a session.
 *
 * @module
 */

import type { CompactionEntry } from "../entries.ts";
import type { AgentMessage, Attribution, ImageContent, TextContent } from "../messages.ts";
import { isJsonObject } from "./entry_shape.ts";
import type { OpenSession } from "./open_session.ts";
import { unknownEntry } from "./session_context.ts";
import type { PlacedSession } from "./session_opening.ts";
import { SessionReader } from "./session_reader.ts";

/**
 * What can be appended to a session. Every `append…` writes at once and returns the id of the new
 * entry, which is the leaf then. If it throws, nothing has changed, neither in memory nor on disk.
 */
export class SessionWriter extends SessionReader {
  readonly #current: () => PlacedSession;

  /**
   * Only sessions make readers of themselves.
   *
   * @param current Tells which session is current; throws after the end.
   */
  protected constructor(current: () => PlacedSession) {
    super(current);
    this.#current = current;
  }

  get #open(): OpenSession {
    return this.#current().open;
  }

  /**
   * Appends a message. Without a `timestamp`, it is of now.
   *
   * @throws {TypeError} If it is no message.
   */
  appendMessage(message: AgentMessage): string {
    if (!isJsonObject(message) || typeof message.role !== "string") {
      throw new TypeError("appendMessage wants a message: an object with a role");
    }
    const isDated = typeof message.timestamp === "number";
    return this.#open.append({
      type: "message",
      message: isDated ? message : { ...message, timestamp: Date.now() },
    });
  }

  /** Appends data that the model does not see. */
  appendCustomEntry(customType: string, data?: unknown): string {
    return this.#open.append({ type: "custom", customType, data });
  }

  /** Appends a message of a hook. */
  appendCustomMessageEntry(
    customType: string,
    content: string | (TextContent | ImageContent)[],
    display: boolean,
    details?: unknown,
    attribution: Attribution = "agent",
  ): string {
    const fields = { customType, content, display, details, attribution };
    return this.#open.append({ type: "custom_message", ...fields });
  }

  /**
   * Appends a summary of what came before.
   *
   * @throws {TypeError} If `tokensBefore` is no number.
   */
  appendCompaction(
    summary: string,
    shortSummary: string | undefined,
    firstKeptEntryId: string,
    tokensBefore: number,
    details?: unknown,
    fromExtension?: boolean,
    preserveData?: CompactionEntry["preserveData"],
  ): string {
    if (!Number.isFinite(tokensBefore)) {
      throw new TypeError(`appendCompaction wants a number of tokens, not ${tokensBefore}`);
    }
    return this.#open.append({
      type: "compaction",
      summary,
      shortSummary,
      firstKeptEntryId,
      ...this.#open.olderNameOf(firstKeptEntryId),
      tokensBefore,
      details,
      preserveData,
      ...fromHook(fromExtension),
    });
  }

  /**
   * Names an entry; an empty or absent name takes the name away.
   *
   * @throws {Error} If there is no such entry.
   */
  appendLabelChange(targetId: string, label: string | undefined): string {
    if (this.#open.entry(targetId) === undefined) throw unknownEntry(targetId);
    return this.#open.append({ type: "label", targetId, label: label || undefined });
  }

  /** Appends a change of the model, as `provider/id`. */
  appendModelChange(model: string, role?: string): string {
    const slash = model.indexOf("/");
    // The main model, in the words of other agents too.
    const parts = slash < 0 || (role ?? "default") !== "default"
      ? {}
      : { provider: model.slice(0, slash), modelId: model.slice(slash + 1) };
    return this.#open.append({ type: "model_change", model, role, ...parts });
  }

  /** Appends a change of the thinking level; without one, thinking is off. */
  appendThinkingLevelChange(level?: string): string {
    return this.#open.append({ type: "thinking_level_change", thinkingLevel: level ?? "off" });
  }

  /** Appends the names of stream rules that were put before the model. */
  appendTtsrInjection(injectedRules: string[]): string {
    return this.#open.append({ type: "ttsr_injection", injectedRules });
  }

  /** Gives the session a name; an empty one takes the name away. */
  setSessionName(name: string): string {
    return this.#open.append({ type: "session_info", name });
  }

  /**
   * Moves the leaf, so that the next entry is put after `entryId`; `null` starts a new root.
   *
   * @throws {Error} If there is no such entry.
   */
  branch(entryId: string | null): void {
    this.#open.moveLeaf(entryId);
  }

  /**
   * Moves the leaf and appends a summary of what was left there. If it throws, nothing has changed.
   *
   * @throws {Error} If there is no such entry.
   */
  branchWithSummary(
    entryId: string | null,
    summary: string,
    details?: unknown,
    fromExtension?: boolean,
  ): string {
    const fields = { fromId: entryId ?? "root", summary, details, ...fromHook(fromExtension) };
    return this.#open.append({ type: "branch_summary", ...fields }, entryId);
  }
}

/** Other agents call `fromExtension` by its older name. */
function fromHook(fromExtension: boolean | undefined): Record<string, boolean> {
  return fromExtension === undefined ? {} : { fromExtension, fromHook: fromExtension };
}

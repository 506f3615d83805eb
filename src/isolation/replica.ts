/**
 * The session as the process of an isolated hook knows it: synchronous questions are answered from
 * what the host has told last.
 *
 * @module
 */

import type { SessionEntry, SessionHeader, SessionTreeNode, UsageStatistics } from "../entries.ts";
import type { ReadonlySessionManager } from "../ports.ts";
import { NO_RECORD } from "../session/record_index.ts";
import { buildTree } from "../session/tree.ts";

/** What can be read of a session beside its entries, by the names of the methods that tell it. */
export interface SessionFacts {
  cwd: string;
  sessionDir: string;
  sessionId: string;
  sessionFile: string | undefined;
  sessionName: string | undefined;
  leafId: string | null;
  header: SessionHeader | null;
  usage: UsageStatistics;
}

/** A session as it was told. */
export class ReplicaSession implements ReadonlySessionManager {
  readonly #facts: SessionFacts;
  readonly #entries: readonly SessionEntry[];
  #byId: Map<string, SessionEntry> | undefined;
  #labels: Map<string, string> | undefined;

  /**
   * @param facts What is not in the entries.
   * @param entries All entries, frozen.
   */
  constructor(facts: SessionFacts, entries: readonly SessionEntry[]) {
    this.#facts = facts;
    this.#entries = entries;
  }

  getCwd(): string {
    return this.#facts.cwd;
  }
  getSessionDir(): string {
    return this.#facts.sessionDir;
  }
  getSessionId(): string {
    return this.#facts.sessionId;
  }
  getSessionFile(): string | undefined {
    return this.#facts.sessionFile;
  }
  getSessionName(): string | undefined {
    return this.#facts.sessionName;
  }
  getLeafId(): string | null {
    return this.#facts.leafId;
  }
  getHeader(): SessionHeader | null {
    return this.#facts.header;
  }
  getUsageStatistics(): UsageStatistics {
    return { ...this.#facts.usage };
  }
  getEntries(): SessionEntry[] {
    return this.#entries.slice();
  }

  getLeafEntry(): SessionEntry | undefined {
    const { leafId } = this.#facts;
    return leafId === null ? undefined : this.getEntry(leafId);
  }

  getEntry(id: string): SessionEntry | undefined {
    this.#byId ??= new Map(this.#entries.map((entry) => [entry.id, entry]));
    return this.#byId.get(id);
  }

  getLabel(id: string): string | undefined {
    return this.#names.get(id);
  }

  getBranch(fromId?: string): SessionEntry[] {
    const branch: SessionEntry[] = [];
    const seen = new Set<string>();
    for (let id: string | null = fromId ?? this.#facts.leafId; id !== null && !seen.has(id);) {
      const entry = this.getEntry(id);
      if (entry === undefined) break;
      seen.add(id);
      branch.push(entry);
      id = entry.parentId;
    }
    return branch.reverse();
  }

  getTree(): SessionTreeNode[] {
    const places = new Map(this.#entries.map(({ id }, place) => [id, place]));
    const parents = this.#entries.map(({ parentId }) =>
      parentId === null ? NO_RECORD : places.get(parentId) ?? NO_RECORD
    );
    return buildTree(this.#entries, parents, this.#names);
  }

  get #names(): Map<string, string> {
    if (this.#labels !== undefined) return this.#labels;
    const names = this.#labels = new Map<string, string>();
    for (const entry of this.#entries) {
      if (entry.type !== "label") continue;
      if (typeof entry.label === "string" && entry.label !== "") {
        names.set(entry.targetId, entry.label);
      } else {
        names.delete(entry.targetId);
      }
    }
    return names;
  }
}

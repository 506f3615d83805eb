/**
 * What can be read of a session.
 *
 * @module
 */

import type { SessionEntry, SessionHeader, SessionTreeNode, UsageStatistics } from "../entries.ts";
import type { ReadonlySessionManager } from "../ports.ts";
import type { OpenSession } from "./open_session.ts";
import { contextOfPath, type SessionContext, unknownEntry } from "./session_context.ts";
import { idInFileName, type PlacedSession } from "./session_opening.ts";
import { buildTree } from "./tree.ts";
import type { SessionWarning } from "./warnings.ts";

/** What can be read of a session. Everything that is handed out is frozen or a copy. */
export class SessionReader implements ReadonlySessionManager {
  readonly #current: () => PlacedSession;

  /**
   * Only sessions make readers of themselves.
   *
   * @param current Tells which session is current; throws after the end.
   */
  protected constructor(current: () => PlacedSession) {
    this.#current = current;
  }

  get #open(): OpenSession {
    return this.#current().open;
  }

  /** Working directory of the session, `""` if its file does not tell. */
  getCwd(): string {
    return this.#current().cwd;
  }

  /** Folder of the session files, `""` if the session is not stored. */
  getSessionDir(): string {
    return this.#current().folder;
  }

  /** Name of the session. */
  getSessionId(): string {
    const { open: { header, storage } } = this.#current();
    return header?.id || idInFileName(storage.path ?? "");
  }

  /** File of the session, which its first entry makes; `undefined` if it is not stored. */
  getSessionFile(): string | undefined {
    return this.#current().open.storage.path;
  }

  /** The name that a person or an agent gave to the session. */
  getSessionName(): string | undefined {
    return this.#open.name();
  }

  /** The entry that the next one is put after, `null` in front of all entries. */
  getLeafId(): string | null {
    return this.#open.leafId;
  }

  /** The entry that the next one is put after. */
  getLeafEntry(): SessionEntry | undefined {
    return this.#open.leafEntry();
  }

  /** One entry. */
  getEntry(id: string): SessionEntry | undefined {
    return this.#open.entry(id);
  }

  /** The name that a person gave to an entry. */
  getLabel(id: string): string | undefined {
    return this.#open.labels().get(id);
  }

  /** The entries from the root to `fromId`, or to the leaf. Empty for an unknown entry. */
  getBranch(fromId?: string): SessionEntry[] {
    const open = this.#open;
    return open.use((records) => open.path(fromId).map((record) => records.entryAt(record)));
  }

  /** The ids of {@linkcode SessionManager.getBranch}, without reading the entries. */
  getBranchIds(fromId?: string): string[] {
    const { records: { index } } = this.#open;
    return this.#open.path(fromId).map((record) => index.ids[record]);
  }

  /** The header of the session, `null` if its file has none. */
  getHeader(): SessionHeader | null {
    return this.#open.header;
  }

  /** All entries, in the order in which they were made. */
  getEntries(): SessionEntry[] {
    return this.#open.use((records) =>
      records.index.ids.map((_, record) => records.entryAt(record))
    );
  }

  /** All entries as a tree; more than one root is possible. */
  getTree(): SessionTreeNode[] {
    const open = this.#open;
    return open.use(() => buildTree(this.getEntries(), open.records.index.parents, open.labels()));
  }

  /** Tokens and cost, over all branches. */
  getUsageStatistics(): UsageStatistics {
    return this.#open.usage();
  }

  /** What was found wrong in the file so far. Asking reads the file, if that was not done yet. */
  getWarnings(): SessionWarning[] {
    void this.#open.records;
    return this.#open.warnings.all;
  }

  /** Reads every line of the file and tells all that is wrong with it. */
  check(): SessionWarning[] {
    this.#open.records.check();
    return this.#open.warnings.all;
  }

  /**
   * What the model is told of a branch.
   *
   * @param leafId Its last entry: default the leaf, `null` for none.
   * @throws {Error} If there is no such entry.
   */
  buildSessionContext(leafId?: string | null): SessionContext {
    const open = this.#open;
    return open.use((records) => {
      const { index } = records;
      const path = open.path(leafId);
      if (path.length === 0 && typeof leafId === "string") throw unknownEntry(leafId);
      return contextOfPath({
        length: path.length,
        idAt: (step) => index.ids[path[step]],
        typeAt: (step) => index.types[path[step]],
        entryAt: (step) => records.entryAt(path[step]),
      });
    });
  }
}

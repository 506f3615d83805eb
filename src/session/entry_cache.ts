/**
 * Keeps the entries that were parsed last.
 *
 * @module
 */

import type { SessionEntry } from "../entries.ts";

/** Entries are kept as long as their lines are together no longer than this. */
const MAX_BYTES = 32 << 20;

/** Parsed entries, by record. Those that were parsed first go first. */
export class EntryCache {
  /** A list and no map: branches are walked through by the thousand. */
  readonly #entries: (SessionEntry | undefined)[] = [];
  #order: { record: number; length: number }[] = [];
  #gone = 0;
  #bytes = 0;

  /** A kept entry. */
  get(record: number): SessionEntry | undefined {
    return this.#entries[record];
  }

  /**
   * Keeps an entry.
   *
   * @param record Its record, which is not kept yet.
   * @param entry The entry.
   * @param length How long its line is.
   */
  add(record: number, entry: SessionEntry, length: number): void {
    this.#entries[record] = entry;
    this.#order.push({ record, length });
    this.#bytes += length;
    while (this.#bytes > MAX_BYTES) {
      const oldest = this.#order[this.#gone++];
      this.#entries[oldest.record] = undefined;
      this.#bytes -= oldest.length;
    }
    if (this.#gone > 1000 && this.#gone > this.#order.length / 2) {
      this.#order = this.#order.slice(this.#gone);
      this.#gone = 0;
    }
  }
}

/**
 * Messages lent to a `context` handler: a private deep copy that it may edit, and the way back.
 *
 * On the way back a message that is still what it was is replaced by the original, so that a
 * handler which drops two of five hundred messages costs one copy and not two. Whatever differs
 * is copied, because the handler may still hold it.
 *
 * @module
 */

import { editableCopy } from "./copy.ts";
import type { AgentMessage } from "./messages.ts";

/** One list of messages, lent to one handler. */
export class MessageLoan {
  /** The copy for the handler. */
  readonly messages: AgentMessage[];
  readonly #originals: readonly AgentMessage[];
  /** The copies in their order, which the handler may have changed in its own list. */
  readonly #copies: readonly AgentMessage[];
  #index: Map<AgentMessage, number> | undefined;

  /** @param originals The messages as the agent or the handler before left them. */
  constructor(originals: readonly AgentMessage[]) {
    this.#originals = originals;
    this.messages = originals.map(editableCopy);
    this.#copies = this.messages.slice();
  }

  /**
   * Takes the handler's list back.
   *
   * @param returned What the handler answered.
   * @returns A list that shares nothing with the handler.
   */
  takeBack(returned: readonly AgentMessage[]): AgentMessage[] {
    const taken: AgentMessage[] = [];
    let next = 0;
    for (const message of returned) {
      // Handlers mostly drop a few messages and keep the order, so the next copy is near.
      while (next < this.#copies.length && this.#copies[next] !== message) next++;
      const position = next < this.#copies.length ? next++ : this.#positions.get(message);
      const original = position === undefined ? undefined : this.#originals[position];
      const isUnchanged = original !== undefined && isSame(original, message, 0);
      taken.push(isUnchanged ? original : editableCopy(message));
    }
    return taken;
  }

  /** Where each copy stood; made only for handlers that add or reorder. */
  get #positions(): ReadonlyMap<AgentMessage, number> {
    return this.#index ??= new Map(this.#copies.map((message, position) => [message, position]));
  }
}

/** Deeper than this, or in a cycle, a message counts as changed. */
const MAX_COMPARED_DEPTH = 200;

/**
 * Whether a copy still says what the original says. Unusual objects count as changed.
 *
 * @param original The original.
 * @param copy The copy.
 * @param depth How deep both are in what is compared.
 */
export function isSame(original: unknown, copy: unknown, depth = 0): boolean {
  if (original === copy) return true;
  if (typeof original !== "object" || typeof copy !== "object") {
    return Number.isNaN(original) && Number.isNaN(copy);
  }
  if (original === null || copy === null || depth > MAX_COMPARED_DEPTH) return false;
  if (Array.isArray(original)) {
    if (!Array.isArray(copy) || original.length !== copy.length) return false;
    for (let i = 0; i < original.length; i++) {
      if (!isSame(original[i], copy[i], depth + 1)) return false;
    }
    return true;
  }
  if (Object.getPrototypeOf(original) !== Object.prototype) return false;
  if (Object.getPrototypeOf(copy) !== Object.prototype) return false;
  const before = original as Record<string, unknown>;
  const after = copy as Record<string, unknown>;
  let left = 0;
  for (const key in before) {
    if (!isSame(before[key], after[key], depth + 1)) return false;
    left++;
  }
  for (const _ in after) left--;
  return left === 0;
}

/**
 * A hook that keeps messages of chosen kinds away from the model.
 *
 * Hooks put messages into a conversation with `pi.sendMessage`; a person may want to see them, and
 * the session may want to keep them, without the model reading them at every call. This hook drops
 * the messages of the listed kinds from what the model is about to read. The session keeps them.
 *
 * It knows messages by their `customType`, with the role `custom` and also with the role
 * `hookMessage`, which old sessions have. Messages of people, models and tools always stay. If there
 * is nothing to drop it does not answer, so that hooks before and after it are not disturbed.
 *
 * @example By its path: drops messages of the kind `debug-only`
 * ```sh
 * deno run -A cli.ts --hook hooks/context-filter.ts
 * ```
 *
 * @example A hook file of your own, for other kinds
 * ```ts
 * import { createContextFilter } from "@pi-hooks/core/hooks/context-filter";
 *
 * export default createContextFilter({ customTypes: ["debug-only", "progress"] });
 * ```
 *
 * @module
 */

import type { AgentMessage, ContextEventResult, HookAPI } from "../mod.ts";

/** Settings of {@linkcode createContextFilter}. */
export interface ContextFilterOptions {
  /** The kinds of messages to drop, exactly as their hooks name them. Default: `debug-only`. */
  customTypes?: readonly string[];
}

/**
 * Makes the hook for other kinds of messages.
 *
 * @param options Which kinds to drop.
 * @returns The factory, to be exported as the default of a hook file.
 * @throws {TypeError} If `customTypes` is not a list of texts.
 *
 * @example
 * ```ts
 * import { createContextFilter } from "@pi-hooks/core/hooks/context-filter";
 *
 * export default createContextFilter({ customTypes: ["progress"] });
 * ```
 */
export function createContextFilter(options: ContextFilterOptions = {}): (pi: HookAPI) => void {
  const { customTypes = ["debug-only"] } = options;
  if (!Array.isArray(customTypes) || customTypes.some((name) => typeof name !== "string")) {
    throw new TypeError('createContextFilter: customTypes must be a list such as ["debug-only"]');
  }
  const dropped: ReadonlySet<string> = new Set(customTypes);
  const stays = (message: AgentMessage): boolean =>
    !((message.role === "custom" || message.role === "hookMessage") &&
      dropped.has(message.customType));
  return (pi: HookAPI): void => {
    pi.on("context", (event): ContextEventResult | undefined => {
      const messages = event.messages.filter(stays);
      return messages.length === event.messages.length ? undefined : { messages };
    });
  };
}

/**
 * The hook with its default settings: it drops messages of the kind `debug-only`.
 *
 * @param pi The API that the loader hands in.
 */
export default function contextFilter(pi: HookAPI): void {
  createContextFilter()(pi);
}

/**
 * Says in whose name the engine speaks when a hook writes into what it was only shown.
 *
 * @module
 */

import { isThrown } from "./errors.ts";
import type { HookEventName } from "./events/map.ts";

/** The events whose payload is handed out as a deep-frozen copy. */
const SHOWS_FROZEN_COPIES: ReadonlySet<HookEventName> = new Set([
  "tool_call",
  "tool_result",
  "before_agent_start",
]);

/** Words of the engine, and of our own views, for a write into something frozen. */
const WRITE_REFUSED =
  /^Cannot (assign to read only|add|delete|define|redefine) property|is not extensible$/;

/**
 * Names the hook where the engine only says that something is read-only.
 *
 * @param thrown What the handler threw.
 * @param event The event that it handled.
 * @param hookPath The hook.
 * @returns A new `TypeError` for a refused write, with the engine's one as `cause`; else `thrown`.
 */
export function explainRefusedWrite(
  thrown: unknown,
  event: HookEventName,
  hookPath: string,
): unknown {
  if (!SHOWS_FROZEN_COPIES.has(event) || !isThrown(thrown, TypeError)) return thrown;
  const message = String(thrown.message);
  if (!WRITE_REFUSED.test(message)) return thrown;
  const text = `Hook "${hookPath}" tried to change what it was shown (${event}); ` +
    `inputs and results cannot be changed in place: ${message}`;
  return new TypeError(text, { cause: thrown });
}

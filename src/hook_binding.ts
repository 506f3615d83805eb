/**
 * Connects hooks to a session: where `pi.sendMessage`, `pi.appendEntry` and `pi.exec` go.
 *
 * @module
 */

import { type HookError, hookErrorFrom } from "./errors.ts";
import type { LoadedHook } from "./hook.ts";
import type { HookRunnerBinding } from "./runner_options.ts";

/**
 * Binds all hooks, also to nothing: a hook that goes on sending after a session was left must not
 * reach that session.
 *
 * @param hooks The hooks.
 * @param cwd Working directory of the session.
 * @param binding What the host offers.
 * @param emitError Gets what cannot be delivered.
 */
export function bindHooks(
  hooks: readonly LoadedHook[],
  cwd: string,
  binding: HookRunnerBinding,
  emitError: (error: HookError) => void,
): void {
  const { sendMessageHandler, appendEntryHandler } = binding;
  for (const hook of hooks) {
    const report = (event: string, thrown: unknown): void =>
      emitError(hookErrorFrom(hook.path, event, thrown));
    hook.setCwd?.(cwd);
    hook.setSendMessageHandler(async (message, options) => {
      try {
        if (sendMessageHandler === undefined) throw notOffered("deliver messages");
        await sendMessageHandler(message, options);
      } catch (thrown) {
        report("sendMessage", thrown);
      }
    });
    hook.setAppendEntryHandler(
      appendEntryHandler ?? (() => report("appendEntry", notOffered("keep entries"))),
    );
  }
}

function notOffered(what: string): Error {
  return new Error(`Cannot ${what} of hooks: this host does not offer it`);
}

/**
 * Lets the hooks of a host reach it.
 *
 * @module
 */

import { readonlyView } from "../session/readonly_view.ts";
import type { HookHost } from "./host.ts";
import type { HookHostOptions } from "./host_options.ts";

/**
 * Binds the runner of a host to it. Done anew for each session: working directories differ. The
 * session itself is the same object all the time, so what hooks have kept acts on the current one.
 *
 * @param host The host.
 * @param options Its options.
 */
export function bindRunner(host: HookHost, options: HookHostOptions): void {
  const { uiContext, modelRegistry, getModel } = options;
  const { session } = host;
  host.runner.initialize({
    uiContext,
    modelRegistry,
    getModel,
    cwd: session.getCwd(),
    sessionManager: readonlyView(session),
    sendMessageHandler: (message, how) => host.sendMessage(message, how),
    appendEntryHandler: (customType, data) => void session.appendCustomEntry(customType, data),
    newSessionHandler: (how) => host.newSession(how),
    branchHandler: (entryId) => host.branch(entryId),
    navigateTreeHandler: (targetId, how) => host.navigateTree(targetId, how),
    isIdle: () => host.isIdle(),
    waitForIdle: () => host.waitForIdle(),
    abort: () => host.abort(),
    hasQueuedMessages: () => host.hasQueuedMessages(),
  });
}

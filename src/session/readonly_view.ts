/**
 * A session for those who only look.
 *
 * @module
 */

import type { ReadonlySessionManager } from "../ports.ts";

/**
 * A view of a session that has no method which writes, also at run time, and that cannot be changed
 * itself. It is live: it shows what the session holds at the moment of each call. What it hands out
 * is frozen or a copy.
 *
 * @param session The session, or a function that tells which one is current.
 *
 * @example
 * ```ts
 * import { readonlyView, SessionManager } from "@pi-hooks/core";
 *
 * const session = SessionManager.inMemory("/project");
 * const view = readonlyView(session);
 * session.appendCustomEntry("note", { text: "seen" });
 * console.log(view.getEntries().length, "appendCustomEntry" in view); // 1 false
 * ```
 */
export function readonlyView(
  session: ReadonlySessionManager | (() => ReadonlySessionManager),
): ReadonlySessionManager {
  const current = typeof session === "function" ? session : () => session;
  return Object.freeze<ReadonlySessionManager>({
    getCwd: () => current().getCwd(),
    getSessionDir: () => current().getSessionDir(),
    getSessionId: () => current().getSessionId(),
    getSessionFile: () => current().getSessionFile(),
    getSessionName: () => current().getSessionName(),
    getLeafId: () => current().getLeafId(),
    getLeafEntry: () => current().getLeafEntry(),
    getEntry: (id) => current().getEntry(id),
    getLabel: (id) => current().getLabel(id),
    getBranch: (fromId) => current().getBranch(fromId),
    getHeader: () => current().getHeader(),
    getEntries: () => current().getEntries(),
    getTree: () => current().getTree(),
    getUsageStatistics: () => current().getUsageStatistics(),
  });
}

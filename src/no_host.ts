/**
 * Stand-ins for what a host did not give: a session without entries, a registry without models.
 *
 * @module
 */

import type { ModelRegistry, ReadonlySessionManager } from "./ports.ts";

/**
 * A session that has no entries and is not stored.
 *
 * @param cwd Its working directory.
 */
export function emptySessionManager(cwd: string): ReadonlySessionManager {
  return {
    getCwd: () => cwd,
    getSessionDir: () => "",
    getSessionId: () => "no-session",
    getSessionFile: () => undefined,
    getSessionName: () => undefined,
    getLeafId: () => null,
    getLeafEntry: () => undefined,
    getEntry: () => undefined,
    getLabel: () => undefined,
    getBranch: () => [],
    getHeader: () => null,
    getEntries: () => [],
    getTree: () => [],
    getUsageStatistics: () => ({
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      premiumRequests: 0,
      cost: 0,
    }),
  };
}

/** A registry that knows no models. */
export function emptyModelRegistry(): ModelRegistry {
  return {
    getAll: () => [],
    getAvailable: () => [],
    find: () => undefined,
    getApiKey: () => Promise.resolve(undefined),
  };
}

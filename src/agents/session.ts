/**
 * The session of a foreign agent, as hooks see it: its name and its file, and no entries, since the
 * files of foreign agents are in forms of their own.
 *
 * @module
 */

import type { ReadonlySessionManager } from "../ports.ts";
import { emptySessionManager } from "../no_host.ts";

/** Where an event takes place. */
export interface Place {
  /** The working directory. */
  cwd: string;
  /** The session. */
  sessionId?: string;
  /** The agent's file of the talk, if it is there. */
  sessionFile?: string;
}

/**
 * A session without entries.
 *
 * @param place Its name and file.
 */
export function foreignSession(place: Place): ReadonlySessionManager {
  const empty = emptySessionManager(place.cwd);
  return {
    ...empty,
    getSessionId: () => place.sessionId ?? empty.getSessionId(),
    getSessionFile: () => place.sessionFile,
  };
}

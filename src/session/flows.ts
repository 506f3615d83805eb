/**
 * The flows that make another session the current one: each asks its hooks, does the work, and then
 * tells them. If a hook cancels, or the signal fires while hooks are asked, nothing has changed.
 *
 * @module
 */

import type { CancellableResult, NewSessionOptions } from "../types.ts";
import type { FlowHost } from "./flow_host.ts";
import { unlessAborted } from "./model_port.ts";
import { unknownEntry } from "./session_context.ts";
import { textOf } from "./tree_flow.ts";

/** What came of branching. */
export interface BranchResult extends CancellableResult {
  /** The text of the user message that was branched from, to be edited and sent again. */
  selectedText?: string;
}

/**
 * Starts a new session, of the same working directory and kept in the same place.
 *
 * `setup` fills it while the old one is still current. What it appends is in the conversation, and
 * in the file, before `session_switch` is told.
 *
 * @param host The host.
 * @param options The parent, and `setup`.
 * @param signal Gives up.
 * @throws What `setup` throws: the old session is current then, and no file is left behind.
 */
export async function newSession(
  host: FlowHost,
  { parentSession, setup }: NewSessionOptions,
  signal: AbortSignal,
): Promise<CancellableResult> {
  const { session } = host;
  const answer = await host.events.ask({ type: "session_before_switch", reason: "new" }, signal);
  if (answer?.cancel === true) return { cancelled: true };
  const next = session.beginSibling({ parentSession });
  try {
    if (setup !== undefined) {
      const work = host.guard("the setup of newSession", async () => await setup(next));
      await unlessAborted(work, signal);
    }
    await host.stopAgent();
    await session.flush();
  } catch (thrown) {
    next.discard();
    throw thrown;
  }
  const previousSessionFile = session.getSessionFile();
  session.become(next);
  host.enterSession(true);
  await host.events.tell({ type: "session_switch", reason: "new", previousSessionFile }, signal);
  return { cancelled: false };
}

/**
 * Goes on in the session of another file. The same file is read anew.
 *
 * @param host The host.
 * @param path The file.
 * @param signal Gives up.
 * @throws {Error} If the file cannot be read or is no session; the old session is current then.
 */
export async function switchSession(
  host: FlowHost,
  path: string,
  signal: AbortSignal,
): Promise<CancellableResult> {
  const { session } = host;
  const before = { type: "session_before_switch", reason: "resume" } as const;
  const answer = await host.events.ask({ ...before, targetSessionFile: path }, signal);
  if (answer?.cancel === true) return { cancelled: true };
  await host.stopAgent();
  await session.flush();
  const previousSessionFile = session.getSessionFile();
  session.setSessionFile(path);
  host.enterSession(true);
  await host.events.tell({ type: "session_switch", reason: "resume", previousSessionFile }, signal);
  return { cancelled: false };
}

/**
 * Copies the whole session into a new file and goes on there. The conversation and a working agent
 * go on as they are.
 *
 * @param host The host.
 * @param signal Gives up.
 * @throws {Error} If the session is not stored; no hook is asked then.
 */
export async function forkSession(
  host: FlowHost,
  signal: AbortSignal,
): Promise<CancellableResult> {
  const { session } = host;
  const previousSessionFile = session.getSessionFile();
  if (previousSessionFile === undefined) {
    throw new Error("A session that is not stored has no file that could be forked");
  }
  const answer = await host.events.ask({ type: "session_before_switch", reason: "fork" }, signal);
  if (answer?.cancel === true) return { cancelled: true };
  await session.flush();
  session.fork();
  host.enterSession(false);
  await host.events.tell({ type: "session_switch", reason: "fork", previousSessionFile }, signal);
  return { cancelled: false };
}

/**
 * Makes a new session of what came before a user message, and goes on there.
 *
 * @param host The host.
 * @param entryId The user message.
 * @param signal Gives up.
 * @throws {Error} If the entry is none of a user message; no hook is asked then.
 */
export async function branchSession(
  host: FlowHost,
  entryId: string,
  signal: AbortSignal,
): Promise<BranchResult> {
  const { session } = host;
  const entry = session.getEntry(entryId);
  if (entry === undefined) throw unknownEntry(entryId);
  if (entry.type !== "message" || entry.message.role !== "user") {
    throw new Error(`Entry ${entryId} is no message of the user: only those can be branched from`);
  }
  const selectedText = textOf(entry.message.content);
  const answer = await host.events.ask({ type: "session_before_branch", entryId }, signal);
  if (answer?.cancel === true) return { cancelled: true };
  await host.stopAgent();
  await session.flush();
  const previousSessionFile = session.getSessionFile();
  if (entry.parentId === null) session.newSession({ parentSession: previousSessionFile });
  else session.createBranchedSession(entry.parentId);
  host.enterSession(answer?.skipConversationRestore !== true);
  await host.events.tell({ type: "session_branch", previousSessionFile }, signal);
  return { cancelled: false, selectedText };
}

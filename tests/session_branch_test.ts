/**
 * Sessions that come from other sessions: branches and forks.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { SessionManager } from "../src/session/session.ts";
import { type TempDir, tempDir } from "./helpers.ts";
import { assistantMessage, idsOf, textOfEntry, userMessage } from "./session_lines.ts";

/** Two turns, a label in between, a compaction, and a label that stands elsewhere. */
async function makeSession(dir: TempDir): Promise<{
  session: SessionManager;
  path: string;
  ids: Record<"ask" | "answer" | "label" | "ask2" | "compaction" | "answer2", string>;
}> {
  const session = await SessionManager.create(dir.path, { sessionsDir: dir.path });
  const ask = session.appendMessage(userMessage("ask"));
  const answer = session.appendMessage(assistantMessage("answer"));
  const label = session.appendLabelChange(ask, "start");
  const ask2 = session.appendMessage(userMessage("ask2"));
  const compaction = session.appendCompaction("so far", undefined, ask2, 10);
  const answer2 = session.appendMessage(assistantMessage("answer2"));
  session.appendLabelChange(answer2, "end");
  session.branch(ask);
  session.appendMessage(userMessage("elsewhere"));
  session.appendLabelChange(answer, "middle");
  const path = session.getSessionFile() ?? "";
  return { session, path, ids: { ask, answer, label, ask2, compaction, answer2 } };
}

/** The records of a file. */
async function recordsOf(path: string): Promise<Record<string, unknown>[]> {
  const text = await Deno.readTextFile(path);
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

Deno.test("a branch is a file of its own that holds the path and nothing else", async () => {
  await using dir = await tempDir();
  const { session, path, ids } = await makeSession(dir);
  const before = await Deno.readFile(path);
  const child = session.createBranchedSession(ids.answer2) ?? "";
  assert(child !== path);
  assertEquals(session.getSessionFile(), child);

  const [header, ...records] = await recordsOf(child);
  assertEquals(header.type, "session");
  assertEquals(header.parentSession, path);
  assertEquals(session.getHeader()?.parentSession, path);
  assertMatch(child, new RegExp(`_${header.id}\\.jsonl$`));
  assertEquals(records.filter(({ type }) => type === "session"), []);
  const known = new Set(records.map(({ id }) => id));
  for (const { parentId, firstKeptEntryId, targetId } of records) {
    for (const id of [parentId, firstKeptEntryId, targetId]) {
      assert(id === null || id === undefined || known.has(id), `${id} is in the branch`);
    }
  }
  assertEquals(idsOf(session.getBranch(ids.answer2)), Object.values(ids));

  session.appendMessage(userMessage("only in the child"));
  await session.close();
  assertEquals(await Deno.readFile(path), before, "the parent is as it was");
  assertEquals((await recordsOf(child)).length, records.length + 2);
});

Deno.test("labels stay with the entries of a branch, and the history before them stays too", async () => {
  await using dir = await tempDir();
  const { session, ids } = await makeSession(dir);
  const child = session.createBranchedSession(ids.answer2) ?? "";
  const check = (current: SessionManager): void => {
    assertEquals([ids.ask, ids.answer, ids.answer2].map((id) => current.getLabel(id)), [
      "start",
      "middle",
      "end",
    ]);
    // Labels that stood elsewhere come after the path, and the conversation goes on behind them.
    assertEquals(idsOf(current.getBranch()).slice(0, 6), Object.values(ids));
    assertEquals(
      current.buildSessionContext().messages.map(({ role }) => role),
      ["compactionSummary", "user", "assistant"],
    );
  };
  check(session);
  await session.close();
  await using again = await SessionManager.open(child);
  check(again);
});

Deno.test("a label that was changed or taken away elsewhere is so in the branch", async () => {
  await using dir = await tempDir();
  await using session = await SessionManager.create(dir.path, { sessionsDir: dir.path });
  const first = session.appendMessage(userMessage("one"));
  const second = session.appendMessage(userMessage("two"));
  session.appendLabelChange(first, "old");
  session.appendLabelChange(second, "old");
  const leaf = session.appendMessage(userMessage("three"));
  session.branch(first);
  session.appendLabelChange(first, "new");
  session.appendLabelChange(second, undefined);
  session.createBranchedSession(leaf);
  assertEquals([session.getLabel(first), session.getLabel(second)], ["new", undefined]);
  assertEquals(session.getBranch().filter(({ type }) => type === "message").length, 3);
});

Deno.test("branches can begin at every entry", async () => {
  await using dir = await tempDir();
  const { session, path, ids } = await makeSession(dir);
  const entries = session.getEntries();
  await session.close();
  for (const entry of entries) {
    await using current = await SessionManager.open(path);
    const expected = current.getBranch(entry.id);
    current.createBranchedSession(entry.id);
    assertEquals(current.getBranch(entry.id), expected);
  }
  assertEquals(entries.length, Object.keys(ids).length + 3);
});

Deno.test("a branch from an unknown entry is an error, and makes no file", async () => {
  await using dir = await tempDir();
  const { session, path } = await makeSession(dir);
  const before = await Deno.readFile(path);
  const leaf = session.getLeafId();
  assertThrows(() => session.createBranchedSession("nobody"), Error, "Entry nobody not found");
  assertEquals([session.getSessionFile(), session.getLeafId()], [path, leaf]);
  await session.close();
  assertEquals(await Deno.readFile(path), before);
  const folder = path.slice(0, path.lastIndexOf("/"));
  assertEquals([...Deno.readDirSync(folder)].length, 1);
});

Deno.test("branches that are made in the same moment are different files", async () => {
  await using dir = await tempDir();
  const { session, path, ids } = await makeSession(dir);
  await session.close();
  const children = new Set<string | undefined>();
  for (let i = 0; i < 20; i++) {
    await using current = await SessionManager.open(path);
    children.add(current.createBranchedSession(ids.ask));
  }
  assertEquals(children.size, 20);
});

Deno.test("a branch of a session that is not stored is not stored", () => {
  const session = SessionManager.inMemory("/project");
  const first = session.appendMessage(userMessage("one"));
  session.appendMessage(userMessage("two"));
  const oldId = session.getSessionId();
  assertEquals(session.createBranchedSession(first), undefined);
  assertEquals(session.getEntries().map(textOfEntry), ["one"]);
  assert(session.getSessionId() !== oldId);
  assertEquals(session.getHeader()?.parentSession, undefined);
});

Deno.test("a branch of a damaged file holds what was read of it, mended", async () => {
  await using dir = await tempDir();
  const { session, path, ids } = await makeSession(dir);
  await session.close();
  const lines = (await Deno.readTextFile(path)).split("\n");
  // The answer is lost, and the next two records are welded.
  lines.splice(2, 3, "garbage", lines[3] + lines[4]);
  await Deno.writeTextFile(path, lines.join("\n"));
  await using current = await SessionManager.open(path);
  assertEquals(idsOf(current.getBranch(ids.answer2)), [
    ids.ask,
    ids.label,
    ids.ask2,
    ids.compaction,
    ids.answer2,
  ]);
  const expected = current.getBranch(ids.answer2);
  const child = current.createBranchedSession(ids.answer2) ?? "";
  await using again = await SessionManager.open(child);
  assertEquals(again.getBranch(ids.answer2), expected);
  assertEquals(again.check(), []);
});

Deno.test("a fork holds everything, at the same leaf, and tells where it came from", async () => {
  await using dir = await tempDir();
  const { session, path, ids } = await makeSession(dir);
  session.branch(ids.ask2);
  const tree = session.getTree();
  const before = await Deno.readFile(path);
  const files = session.fork();
  assertEquals(files?.oldSessionFile, path);
  assertEquals(files?.newSessionFile, session.getSessionFile());
  assertEquals(session.getLeafId(), ids.ask2);
  assertEquals(session.getTree(), tree);
  assertEquals(session.getHeader()?.parentSession, path);
  session.appendMessage(userMessage("only in the fork"));
  await session.close();
  assertEquals(await Deno.readFile(path), before);
});

Deno.test("the parent can be written by others as soon as a branch has left it", async () => {
  await using dir = await tempDir();
  const { session, path, ids } = await makeSession(dir);
  session.createBranchedSession(ids.ask);
  await using parent = await SessionManager.open(path);
  parent.appendMessage(userMessage("goes on"));
  session.appendMessage(userMessage("goes on too"));
  await session.close();
});

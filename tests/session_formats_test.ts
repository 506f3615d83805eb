/**
 * Session files of other agents and of former versions open here, and ours open there.
 *
 * @module
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import type { SessionEntry } from "../src/entries.ts";
import { SessionManager } from "../src/session/session.ts";
import { tempDir } from "./helpers.ts";
import {
  assistantMessage,
  entryLine,
  headerLine,
  idsOf,
  textOfEntry,
  TIME,
  userLine,
  userMessage,
} from "./session_lines.ts";

function lines(...all: string[]): string {
  return all.map((line) => `${line}\n`).join("");
}

/** Reads a file the way the other agents do: each line by itself, the header first. */
function readLikeOthers(text: string): { header: Record<string, unknown>; leaf: string | null } {
  const [header, ...entries] = text.split("\n").filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
  assertEquals(header.type, "session");
  const ids = new Set<unknown>([null]);
  for (const { type, id, parentId, timestamp } of entries) {
    assertEquals([type, id, timestamp].map((field) => typeof field), Array(3).fill("string"));
    assert(ids.has(parentId), `${parentId} stands above ${id}`);
    assert(!ids.has(id), `${id} stands there once`);
    ids.add(id);
  }
  return { header, leaf: entries.at(-1)?.id ?? null };
}

const VERSION_1 = lines(
  JSON.stringify({ type: "session", id: "old", timestamp: TIME, cwd: "/old", branchedFrom: "/p" }),
  JSON.stringify({ type: "message", timestamp: TIME, message: userMessage("one") }),
  JSON.stringify({ type: "message", timestamp: TIME, message: assistantMessage("two") }),
  JSON.stringify({ type: "model_change", timestamp: TIME, provider: "acme", modelId: "small/2" }),
  JSON.stringify({
    type: "compaction",
    timestamp: TIME,
    summary: "so far",
    firstKeptEntryIndex: 2,
    tokensBefore: 9,
  }),
  JSON.stringify({ type: "message", timestamp: TIME, message: userMessage("three") }),
);

Deno.test("a file of version 1 is read as one line of entries in the words of version 3", async () => {
  await using dir = await tempDir();
  const path = await dir.write("old.jsonl", VERSION_1);
  await using session = await SessionManager.open(path);
  const header = session.getHeader();
  assertEquals([header?.version, header?.id, header?.parentSession], [3, "old", "/p"]);
  assertEquals(session.getCwd(), "/old");
  const branch = session.getBranch();
  assertEquals(branch.length, 5);
  assertEquals(branch.map(({ parentId }) => parentId), [null, ...idsOf(branch).slice(0, 4)]);
  const [, second, model, compaction] = branch;
  assertEquals(model.type === "model_change" && model.model, "acme/small/2");
  assertEquals(compaction.type === "compaction" && compaction.firstKeptEntryId, second.id);
  const { messages, models } = session.buildSessionContext();
  assertEquals(messages.map(({ role }) => role), ["compactionSummary", "assistant", "user"]);
  assertEquals(models, { default: "acme/small/2" });
  assertEquals(session.getWarnings(), []);
});

Deno.test("a file of version 1 keeps its lines, and what is appended finds its place again", async () => {
  await using dir = await tempDir();
  const path = await dir.write("old.jsonl", VERSION_1);
  const session = await SessionManager.open(path);
  const [first] = session.getBranch();
  session.branch(first.id);
  const reply = session.appendMessage(userMessage("another way"));
  session.appendLabelChange(reply, "here");
  const compaction = session.appendCompaction("short", undefined, first.id, 5);
  await session.close();

  const text = await Deno.readTextFile(path);
  assert(text.startsWith(VERSION_1));
  // Other programs find the kept entry by its line.
  assertEquals(JSON.parse(text.trim().split("\n").at(-1) ?? "").firstKeptEntryIndex, 1);
  await using again = await SessionManager.open(path);
  assertEquals(again.getLeafId(), compaction);
  assertEquals(again.getLabel(reply), "here");
  assertEquals(idsOf(again.getBranch()).slice(0, 2), [first.id, reply]);
  assertEquals(again.getEntries().length, 8);
});

Deno.test("a branch of a version 1 file is a file of version 3", async () => {
  await using dir = await tempDir();
  const path = await dir.write("old.jsonl", VERSION_1);
  const session = await SessionManager.open(path);
  const entries = session.getEntries();
  const child = session.createBranchedSession(entries[4].id) ?? "";
  await session.close();
  const text = await Deno.readTextFile(child);
  const { header } = readLikeOthers(text);
  assertEquals([header.version, header.parentSession], [3, path]);
  await using again = await SessionManager.open(child);
  assertEquals(again.getEntries(), entries);
  assertEquals(await Deno.readTextFile(path), VERSION_1);
});

Deno.test("version 2 called the messages of hooks by another name", async () => {
  await using dir = await tempDir();
  const said = { customType: "x", content: "hi", display: true, timestamp: 1 };
  const text = lines(
    headerLine({ version: 2 }),
    entryLine("message", "a", null, { message: { role: "hookMessage", ...said } }),
  );
  const path = await dir.write("v2.jsonl", text);
  const session = await SessionManager.open(path);
  const [entry] = session.getEntries();
  assertEquals(entry.type === "message" && entry.message, { role: "custom", ...said });
  session.appendMessage(userMessage("next"));
  await session.close();
  const after = await Deno.readTextFile(path);
  assert(after.startsWith(text), "the file stays of version 2");
  readLikeOthers(after);
});

Deno.test("a version that nobody here knows is read, and never written", async () => {
  await using dir = await tempDir();
  const text = lines(
    headerLine({ version: 99, futureField: { a: 1 } }),
    entryLine("quantum_state", "q", null, { payload: [1, 2] }),
    userLine("a", "q"),
  );
  const path = await dir.write("v99.jsonl", text);
  const session = await SessionManager.open(path);
  assertEquals(session.getWarnings().map(({ kind, line }) => [kind, line]), [
    ["unknown-version", 1],
  ]);
  assertEquals(idsOf(session.getBranch()), ["q", "a"]);
  assertEquals(session.getHeader()?.version, 99);
  const writes: (() => unknown)[] = [
    () => session.appendMessage(userMessage("no")),
    () => session.createBranchedSession("a"),
    () => session.fork(),
  ];
  for (const write of writes) {
    assertThrows(
      write,
      Error,
      `Session ${path} is of version 99, and this program writes version 3`,
    );
  }
  session.branch("q");
  await session.close();
  assertEquals(await Deno.readTextFile(path), text);
  assertEquals(Array.from(Deno.readDirSync(dir.path), ({ name }) => name), ["v99.jsonl"]);
});

Deno.test("a title of fixed length in front of the header is the name of the session", async () => {
  await using dir = await tempDir();
  const slot = JSON.stringify({
    type: "title",
    v: 1,
    title: "My work",
    updatedAt: TIME,
    pad: "  ",
  });
  const path = await dir.write(
    "omp.jsonl",
    lines(
      slot,
      headerLine({ titleSource: "auto" }),
      entryLine("custom", "a", null, { customType: "tool_execution_start", data: { x: 1 } }),
      // In this agent, the data stand in front of the id.
      `{"type":"custom","customType":"y","data":{"id":"no"},"id":"b","parentId":"a","timestamp":"${TIME}"}`,
      entryLine("reset_boundary", "c", "b", { reason: "x" }),
    ),
  );
  const session = await SessionManager.open(path);
  assertEquals(session.getHeader()?.title, "My work");
  assertEquals(session.getSessionName(), "My work");
  assertEquals(idsOf(session.getBranch()), ["a", "b", "c"]);
  assertEquals(session.getWarnings(), []);
  const child = session.createBranchedSession("c") ?? "";
  assertEquals(readLikeOthers(await Deno.readTextFile(child)).header.title, "My work");
  await session.close();
});

Deno.test("the last name that was given to a session counts", async () => {
  await using dir = await tempDir();
  const path = await dir.write(
    "names.jsonl",
    lines(
      headerLine({ title: "from the header" }),
      entryLine("session_info", "a", null, { name: "first" }),
      entryLine("title_change", "b", "a", { title: "second" }),
      userLine("c", "b"),
    ),
  );
  await using session = await SessionManager.open(path);
  assertEquals(session.getSessionName(), "second");
  session.setSessionName("third");
  assertEquals(session.getSessionName(), "third");
  session.setSessionName("");
  assertEquals(session.getSessionName(), undefined);
});

Deno.test("a change of the model is understood in the words of each agent", async () => {
  await using dir = await tempDir();
  const path = await dir.write(
    "models.jsonl",
    lines(
      headerLine(),
      entryLine("model_change", "a", null, { provider: "acme", modelId: "large" }),
      entryLine("model_change", "b", "a", { model: "acme/tiny", role: "smol" }),
    ),
  );
  await using session = await SessionManager.open(path);
  assertEquals(session.buildSessionContext().models, { default: "acme/large", smol: "acme/tiny" });
  session.appendModelChange("other/of/this");
  const written = JSON.parse((await Deno.readTextFile(path)).trim().split("\n").at(-1) ?? "");
  assertEquals(
    [written.model, written.provider, written.modelId],
    ["other/of/this", "other", "of/this"],
  );
});

Deno.test("whether a hook made a summary is understood in the words of each agent", async () => {
  await using dir = await tempDir();
  const compaction = { summary: "s", firstKeptEntryId: "a", tokensBefore: 1 };
  const path = await dir.write(
    "hooks.jsonl",
    lines(
      headerLine(),
      userLine("a", null),
      entryLine("compaction", "b", "a", { ...compaction, fromHook: true }),
      entryLine("branch_summary", "c", "b", { summary: "s", fromId: "a", fromExtension: false }),
    ),
  );
  await using session = await SessionManager.open(path);
  const flags = (): unknown[] =>
    session.getEntries().map((entry) => "fromExtension" in entry ? entry.fromExtension : undefined);
  assertEquals(flags(), [undefined, true, false]);
  session.appendCompaction("t", undefined, "a", 2, undefined, true);
  assertEquals(flags().at(-1), true);
  const written = JSON.parse((await Deno.readTextFile(path)).trim().split("\n").at(-1) ?? "");
  assertEquals(written.fromHook, true);
});

Deno.test("entries and lines of unknown types go into branches byte for byte", async () => {
  await using dir = await tempDir();
  const odd = [
    `{"type":"quantum_state","id":"q1","parentId":"a","timestamp":"${TIME}","n":1.0,"n":12345678901234567890}`,
    `{ "type":"spaced" , "id":"q2","parentId":"q1","timestamp":"${TIME}", "é":"\\u00e9" }`,
    `{"type":"context_change","contextName":"c","tenant":"t","namespace":"n","id":"q3","parentId":"q2","timestamp":"${TIME}"}`,
  ];
  const lost = '{"type":"telemetry","value":1.50}';
  const text = lines(headerLine(), userLine("a", null), ...odd, lost, userLine("b", "q3"));
  const path = await dir.write("odd.jsonl", text);
  const session = await SessionManager.open(path);
  const child = session.createBranchedSession("b") ?? "";
  const [, ...copied] = (await Deno.readTextFile(child)).trimEnd().split("\n");
  assertEquals(copied, [userLine("a", null), ...odd, lost, userLine("b", "q3")]);
  session.fork();
  const forked = (await Deno.readTextFile(session.getSessionFile() ?? "")).trimEnd().split("\n");
  assertEquals(forked.slice(1), copied);
  await session.close();
});

Deno.test("a session that was written here is what other agents read", async () => {
  await using dir = await tempDir();
  const session = await SessionManager.create(dir.path, { sessionsDir: dir.path });
  const first = session.appendMessage(userMessage("one"));
  session.appendMessage(assistantMessage("two"));
  session.appendCustomEntry("note", { a: 1 });
  session.appendCustomMessageEntry("said", "hi", true);
  session.appendLabelChange(first, "start");
  session.appendModelChange("acme/large");
  session.appendThinkingLevelChange("high");
  session.appendCompaction("so far", undefined, first, 10);
  session.branchWithSummary(first, "left behind");
  session.branch(first);
  const path = session.getSessionFile() ?? "";
  await session.close();
  const { header, leaf } = readLikeOthers(await Deno.readTextFile(path));
  assertEquals(Object.keys(header), ["type", "version", "id", "timestamp", "cwd"]);
  assertEquals([header.version, header.cwd], [3, dir.path]);
  // They go on at the last line, which stands for the place where the session was left.
  await using again = await SessionManager.open(path);
  assertEquals(again.getEntry(leaf ?? "")?.parentId, first);
  assertEquals(again.getLeafId(), first);
});

Deno.test("a text for content stays a text where the format allows it", async () => {
  await using dir = await tempDir();
  const path = await dir.write("plain.jsonl", lines(headerLine(), userLine("a", null, "plain")));
  await using session = await SessionManager.open(path);
  const entries: SessionEntry[] = session.getEntries();
  assertEquals(entries.map(textOfEntry), ["plain"]);
});

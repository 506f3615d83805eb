/**
 * Sessions: appending, reading, and what others may do with what they are given.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import type { AgentMessage } from "../src/messages.ts";
import { readonlyView } from "../src/session/readonly_view.ts";
import { SessionManager } from "../src/session/session.ts";
import { type TempDir, tempDir } from "./helpers.ts";
import { assistantMessage, idsOf, textOfEntry, userMessage } from "./session_lines.ts";

/** A session in each of the places where sessions can be kept. */
async function inBothPlaces(
  work: (session: SessionManager, reopen: () => Promise<SessionManager>) => Promise<void> | void,
): Promise<void> {
  await using dir = await tempDir();
  const memory = SessionManager.inMemory("/project");
  await work(memory, () => Promise.resolve(memory));
  const stored = await SessionManager.create(dir.path, { sessionsDir: dir.path });
  let current = stored;
  await work(stored, async () => {
    const path = current.getSessionFile() ?? "";
    await current.close();
    current = await SessionManager.open(path);
    return current;
  });
  await current.close();
}

function newSession(dir: TempDir): Promise<SessionManager> {
  return SessionManager.create(dir.path, { sessionsDir: dir.path });
}

Deno.test("every append makes the new entry the leaf, after the one before", async () => {
  await inBothPlaces(async (session, reopen) => {
    assertEquals(session.getLeafId(), null);
    assertEquals(session.getLeafEntry(), undefined);
    const ids = [
      session.appendMessage(userMessage("one")),
      session.appendCustomEntry("note", { seen: true }),
      session.appendCustomMessageEntry("said", [{ type: "text", text: "x" }], false, { n: 1 }),
      session.appendModelChange("acme/large"),
      session.appendThinkingLevelChange("high"),
      session.appendThinkingLevelChange(),
      session.appendTtsrInjection(["rule"]),
      session.setSessionName("my work"),
    ];
    const check = (current: SessionManager): void => {
      assertEquals(idsOf(current.getEntries()), ids);
      assertEquals(idsOf(current.getBranch()), ids);
      assertEquals(current.getBranchIds(), ids);
      assertEquals(current.getLeafId(), ids.at(-1) ?? null);
      assertEquals(current.getLeafEntry()?.id, ids.at(-1));
      assertEquals(current.getBranch().map(({ parentId }) => parentId), [
        null,
        ...ids.slice(0, -1),
      ]);
      assertEquals(current.getSessionName(), "my work");
    };
    check(session);
    check(await reopen());
    for (const id of ids) assertMatch(id, /^[0-9a-f]{8}$/);
  });
});

Deno.test("entries say what was appended", async () => {
  await inBothPlaces(async (session, reopen) => {
    const start = Date.now();
    const first = session.appendMessage(userMessage("one"));
    session.appendCustomEntry("note");
    session.appendCustomMessageEntry("said", "text", true);
    session.appendCompaction("sum", "short", first, 12, { d: 1 }, true, { keep: [1] });
    session.appendLabelChange(first, "start");
    session.branchWithSummary(first, "left", { e: 2 }, false);
    const plain = (await reopen()).getEntries().map(
      ({ id: _, parentId: __, timestamp, ...rest }) => {
        const time = Date.parse(timestamp);
        assert(time >= start - 1 && time <= Date.now() + 1);
        return rest;
      },
    );
    assertEquals<unknown>(plain, [
      { type: "message", message: { role: "user", content: "one", timestamp: 1 } },
      { type: "custom", customType: "note" },
      {
        type: "custom_message",
        customType: "said",
        content: "text",
        display: true,
        attribution: "agent",
      },
      {
        type: "compaction",
        summary: "sum",
        shortSummary: "short",
        firstKeptEntryId: first,
        tokensBefore: 12,
        details: { d: 1 },
        preserveData: { keep: [1] },
        fromExtension: true,
        fromHook: true,
      },
      { type: "label", targetId: first, label: "start" },
      {
        type: "branch_summary",
        fromId: first,
        summary: "left",
        details: { e: 2 },
        fromExtension: false,
        fromHook: false,
      },
    ]);
  });
});

Deno.test("a message without a time is of now; what is no message is refused", () => {
  const session = SessionManager.inMemory();
  const start = Date.now();
  const undated: Record<string, unknown> = { role: "user", content: "hi" };
  session.appendMessage(undated as unknown as AgentMessage);
  const [entry] = session.getEntries();
  assert(entry.type === "message" && entry.message.timestamp >= start);
  const wrongs: unknown[] = [undefined, null, "text", {}, [userMessage("x")], { role: 7 }];
  for (const wrong of wrongs) {
    assertThrows(() => session.appendMessage(wrong as AgentMessage), TypeError, "wants a message");
  }
  assertThrows(() => session.appendCompaction("s", undefined, "x", NaN), TypeError, "not NaN");
  assertEquals(session.getEntries().length, 1);
});

Deno.test("what cannot be stored is refused, and nothing has changed", async () => {
  await inBothPlaces((session) => {
    const first = session.appendCustomEntry("fine");
    const ring: Record<string, unknown> = {};
    ring.self = ring;
    const toldOff = {
      toJSON: () => {
        throw new Error("not me");
      },
    };
    assertThrows(() => session.appendCustomEntry("ring", ring), TypeError, "circular");
    assertThrows(() => session.appendCustomEntry("big", 1n), TypeError);
    assertThrows(() => session.appendCustomEntry("told off", toldOff), Error, "not me");
    assertEquals(session.getLeafId(), first);
    assertEquals(session.getEntries().length, 1);
    const next = session.appendCustomEntry("fine again");
    assertEquals(idsOf(session.getBranch()), [first, next]);
  });
});

Deno.test("labels name entries, the last one counts, an empty one takes the name away", async () => {
  await inBothPlaces(async (session, reopen) => {
    const [first, second] = ["a", "b"].map((text) => session.appendMessage(userMessage(text)));
    session.appendLabelChange(first, "one");
    session.appendLabelChange(first, "two");
    session.appendLabelChange(second, "gone");
    session.appendLabelChange(second, "");
    assertThrows(() => session.appendLabelChange("nobody", "x"), Error, "Entry nobody not found");
    const check = (current: SessionManager): void =>
      assertEquals([first, second, "nobody"].map((id) => current.getLabel(id)), [
        "two",
        undefined,
        undefined,
      ]);
    check(session);
    check(await reopen());
  });
});

Deno.test("branching moves the leaf and writes nothing", async () => {
  await inBothPlaces((session) => {
    const first = session.appendMessage(userMessage("one"));
    const second = session.appendMessage(userMessage("two"));
    session.branch(first);
    assertEquals(session.getLeafId(), first);
    assertEquals(session.getEntries().length, 2);
    const third = session.appendMessage(userMessage("three"));
    assertEquals(idsOf(session.getBranch()), [first, third]);
    assertEquals(idsOf(session.getBranch(second)), [first, second]);
    session.branch(null);
    assertEquals(session.getBranch(), []);
    const root = session.appendMessage(userMessage("four"));
    assertEquals(session.getEntry(root)?.parentId, null);
    assertThrows(() => session.branch("nobody"), Error, "Entry nobody not found");
    assertThrows(() => session.branchWithSummary("nobody", "x"), Error, "Entry nobody not found");
    assertEquals(session.getLeafId(), root);
    assertEquals(session.getBranch("nobody"), []);
    assertEquals(session.getEntry("nobody"), undefined);
  });
});

Deno.test("a summary of a branch that was left hangs on the entry that was gone to", () => {
  const session = SessionManager.inMemory();
  const first = session.appendMessage(userMessage("one"));
  session.appendMessage(userMessage("two"));
  const summary = session.branchWithSummary(first, "two was said");
  assertEquals(idsOf(session.getBranch()), [first, summary]);
  const top = session.branchWithSummary(null, "all of it");
  const entry = session.getEntry(top);
  assertEquals(entry?.type === "branch_summary" && [entry.fromId, entry.parentId], ["root", null]);
});

Deno.test("the tree has a node for each entry, children by time, labels beside", async () => {
  await inBothPlaces((session) => {
    const first = session.appendMessage(userMessage("one"));
    const second = session.appendMessage(userMessage("two"));
    session.branch(first);
    const third = session.appendMessage(userMessage("three"));
    session.branch(null);
    const other = session.appendMessage(userMessage("four"));
    const label = session.appendLabelChange(third, "here");
    const shape = (nodes: ReturnType<SessionManager["getTree"]>): unknown[] =>
      nodes.map(({ entry, children, label }) =>
        label === undefined ? [entry.id, shape(children)] : [entry.id, shape(children), label]
      );
    assertEquals(shape(session.getTree()), [
      [first, [[second, []], [third, [], "here"]]],
      [other, [[label, []]]],
    ]);
  });
});

Deno.test("usage is added up over all branches, and goes on being added", async () => {
  await inBothPlaces(async (session, reopen) => {
    assertEquals(session.getUsageStatistics().cost, 0);
    const first = session.appendMessage(assistantMessage("one"));
    session.getUsageStatistics().cost = 100;
    session.appendMessage(assistantMessage("two"));
    session.branch(first);
    const unknownUsage: unknown = { ...assistantMessage("three"), usage: undefined };
    session.appendMessage(unknownUsage as AgentMessage);
    const total = (await reopen()).getUsageStatistics();
    assertEquals(total, {
      input: 20,
      output: 10,
      cacheRead: 6,
      cacheWrite: 4,
      premiumRequests: 0,
      cost: 0.6,
    });
  });
});

Deno.test("what is handed out cannot change the session", async () => {
  await inBothPlaces((session) => {
    const message = {
      role: "user" as const,
      content: [{ type: "text" as const, text: "mine" }],
      timestamp: 1,
    };
    const id = session.appendMessage(message);
    message.content[0].text = "changed by whoever appended it";
    const entry = session.getEntry(id);
    assert(entry?.type === "message" && entry.message.role === "user");
    const block = entry.message.content[0];
    assert(typeof block === "object" && block.type === "text");
    assertThrows(() => block.text = "changed", TypeError);
    assertThrows(() => Object.assign(entry, { parentId: "x" }), TypeError);
    assertThrows(() => Object.assign(session.getHeader() ?? {}, { cwd: "/x" }), TypeError);
    session.getEntries().length = 0;
    session.getBranch().pop();
    session.getTree().pop();
    assertEquals(session.getEntries().map(textOfEntry), [[{ type: "text", text: "mine" }]]);
    assertEquals(session.getBranch().length, 1);
    assertEquals(session.getTree().length, 1);
  });
});

Deno.test("the view for reading has no method that writes, and shows what is current", () => {
  const session = SessionManager.inMemory("/project");
  const view = readonlyView(session);
  const reading = [
    "getCwd",
    "getSessionDir",
    "getSessionId",
    "getSessionFile",
    "getSessionName",
    "getLeafId",
    "getLeafEntry",
    "getEntry",
    "getLabel",
    "getBranch",
    "getHeader",
    "getEntries",
    "getTree",
    "getUsageStatistics",
  ];
  assertEquals(Reflect.ownKeys(view).sort(), [...reading].sort());
  assertEquals(Object.getPrototypeOf(view), Object.prototype);
  assertThrows(() => Object.assign(view, { getCwd: () => "/x" }), TypeError);
  assertEquals((view as Partial<SessionManager>).appendMessage, undefined);

  assertEquals(view.getLeafId(), null);
  const id = session.appendMessage(userMessage("one"));
  session.appendLabelChange(id, "start");
  assertEquals([view.getLabel(id), view.getEntries().length, view.getCwd()], [
    "start",
    2,
    "/project",
  ]);
  assertEquals(view.getBranch(id).length, 1);
  session.newSession();
  assertEquals([view.getSessionId(), view.getEntries()], [session.getSessionId(), []]);
});

Deno.test("a view can follow whatever session is current", () => {
  let current = SessionManager.inMemory("/one");
  const view = readonlyView(() => current);
  current = SessionManager.inMemory("/two");
  assertEquals(view.getCwd(), "/two");
});

Deno.test("a session that is not stored has no file and no folder", async () => {
  const session = SessionManager.inMemory("/project");
  session.appendCustomEntry("note");
  await session.flush();
  assertEquals([session.getSessionFile(), session.getSessionDir()], [undefined, ""]);
  assertEquals(session.getHeader()?.cwd, "/project");
  assertEquals(session.fork(), undefined);
  assertEquals(session.getEntries().length, 1);
});

Deno.test("the first entry makes the file, with the header; nothing waits for an answer", async () => {
  await using dir = await tempDir();
  await using session = await newSession(dir);
  const path = session.getSessionFile() ?? "";
  await assertRejects(() => Deno.stat(path), Deno.errors.NotFound);
  session.appendCustomEntry("note", { kept: true });
  const [header, entry, ...rest] = (await Deno.readTextFile(path)).split("\n");
  assertEquals(JSON.parse(header).id, session.getSessionId());
  assertEquals(JSON.parse(entry).data, { kept: true });
  assertEquals(rest, [""]);
});

Deno.test("a session without entries leaves no file behind", async () => {
  await using dir = await tempDir();
  const session = await newSession(dir);
  await session.flush();
  await session.close();
  assertEquals([...Deno.readDirSync(dir.path)], []);
});

Deno.test("a closed session says so", async () => {
  await using dir = await tempDir();
  const session = await newSession(dir);
  const path = session.getSessionFile() ?? "";
  session.appendCustomEntry("note");
  await session.close();
  await session.close();
  const sentence = `Session ${path} is closed: open it again to go on with it`;
  const uses: (() => unknown)[] = [
    () => session.appendCustomEntry("more"),
    () => session.getEntries(),
    () => session.getLeafId(),
    () => session.branch(null),
    () => session.newSession(),
    () => session.fork(),
    () => session.discard(),
    () => readonlyView(session).getBranch(),
  ];
  for (const use of uses) assertThrows(use, Error, sentence);
  await assertRejects(() => session.flush(), Error, sentence);
});

Deno.test("the place where a session was left is kept, also without a new entry", async () => {
  await using dir = await tempDir();
  const session = await newSession(dir);
  const path = session.getSessionFile() ?? "";
  const first = session.appendMessage(userMessage("one"));
  session.appendMessage(userMessage("two"));
  session.branch(first);
  await session.close();

  const again = await SessionManager.open(path);
  assertEquals(again.getLeafId(), first);
  assertEquals(again.getLeafEntry()?.id, first);
  assertEquals(idsOf(again.getBranch()), [first]);
  const size = (await Deno.stat(path)).size;
  await again.close();
  assertEquals((await Deno.stat(path)).size, size, "being looked at leaves no mark");

  const third = await SessionManager.open(path);
  const next = third.appendMessage(userMessage("three"));
  assertEquals(third.getEntry(next)?.parentId, first);
  third.branch(null);
  await third.flush();
  await third.flush();
  await third.close();
  const marks = (await Deno.readTextFile(path)).match(/pi-hooks\.leaf/g);
  assertEquals(marks?.length, 2);
  await using last = await SessionManager.open(path);
  assertEquals(last.getLeafId(), null);
  assertEquals(last.getBranch(), []);
});

Deno.test("a leaf that came back to the last entry leaves no mark", async () => {
  await using dir = await tempDir();
  const session = await newSession(dir);
  const path = session.getSessionFile() ?? "";
  const first = session.appendMessage(userMessage("one"));
  const second = session.appendMessage(userMessage("two"));
  session.branch(first);
  session.branch(second);
  await session.close();
  assertEquals((await Deno.readTextFile(path)).trim().split("\n").length, 3);
});

Deno.test("ids are never given twice", () => {
  const session = SessionManager.inMemory();
  const real = crypto.randomUUID;
  const ids = ["aaaaaaaa", "aaaaaaaa", "aaaaaaaa", "bbbbbbbb"];
  crypto.randomUUID = () => `${ids.shift()}-0000-4000-8000-000000000000`;
  try {
    const given = [session.appendCustomEntry("a"), session.appendCustomEntry("b")];
    assertEquals(given, ["aaaaaaaa", "bbbbbbbb"]);
  } finally {
    crypto.randomUUID = real;
  }
});

Deno.test("a new session in the same place is empty and remembers where it came from", async () => {
  await using dir = await tempDir();
  await using session = await newSession(dir);
  session.appendMessage(userMessage("one"));
  const parentSession = session.getSessionFile();
  const oldId = session.getSessionId();
  const oldText = await Deno.readTextFile(parentSession ?? "");
  session.newSession({ parentSession });
  assertEquals(session.getEntries(), []);
  assertEquals(session.getHeader()?.parentSession, parentSession);
  assertEquals(session.getHeader()?.cwd, dir.path);
  assert(session.getSessionId() !== oldId);
  session.appendMessage(userMessage("two"));
  assertEquals(await Deno.readTextFile(parentSession ?? ""), oldText);
  // The old file is free again.
  await using old = await SessionManager.open(parentSession ?? "");
  old.appendCustomEntry("note");
});

Deno.test("a sibling is filled beside the current session, which then becomes it", async () => {
  await using dir = await tempDir();
  await using session = await newSession(dir);
  session.appendMessage(userMessage("old"));
  const sibling = session.beginSibling({ parentSession: session.getSessionFile() });
  sibling.appendMessage(userMessage("new"));
  assertEquals(session.getEntries().map(textOfEntry), ["old"]);
  session.become(sibling);
  assertEquals(session.getEntries().map(textOfEntry), ["new"]);
  // Whoever held the sibling holds the session itself now.
  sibling.appendMessage(userMessage("newer"));
  session.newSession();
  session.appendMessage(userMessage("newest"));
  assertEquals(sibling.getEntries().map(textOfEntry), ["newest"]);
});

Deno.test("a session that began here can be given up, file and all", async () => {
  await using dir = await tempDir();
  const session = await newSession(dir);
  session.appendMessage(userMessage("one"));
  const path = session.getSessionFile() ?? "";
  const sibling = session.beginSibling();
  sibling.appendMessage(userMessage("half made"));
  const half = sibling.getSessionFile() ?? "";
  sibling.discard();
  await assertRejects(() => Deno.stat(half), Deno.errors.NotFound);
  await session.close();
  await using again = await SessionManager.open(path);
  assertThrows(() => again.discard(), Error, `Session ${path} did not begin here and is kept`);
  assertEquals(again.getEntries().length, 1);
});

Deno.test("going on with another file changes nothing if that file is no session", async () => {
  await using dir = await tempDir();
  await using session = await newSession(dir);
  const first = session.appendMessage(userMessage("one"));
  const path = session.getSessionFile() ?? "";
  const other = await newSession(dir);
  const second = other.appendMessage(userMessage("two"));
  const otherPath = other.getSessionFile() ?? "";
  await other.close();

  const text = await dir.write("text.txt", "no session\n");
  assertThrows(() => session.setSessionFile(text), Error, "is not a session");
  assertThrows(() => session.setSessionFile(dir.file("none")), Error, "There is no session file");
  assertThrows(() => session.setSessionFile(dir.path), Error, "is not a file");
  assertEquals([session.getSessionFile(), session.getLeafId()], [path, first]);
  session.setSessionFile(otherPath);
  assertEquals([session.getSessionFile(), session.getLeafId()], [otherPath, second]);
  // The same file again is read anew.
  session.setSessionFile(otherPath);
  session.appendCustomEntry("note");
  assertEquals(session.getEntries().length, 2);
});

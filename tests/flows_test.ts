/**
 * The flows of a session: each asks its hooks, does the work, and tells them. Cancelled means that
 * nothing has changed.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { CompactionEntry, SessionEntry, SessionHeader } from "../src/entries.ts";
import type { HookError } from "../src/errors.ts";
import { HookHost } from "../src/host/host.ts";
import { scriptedModel } from "../src/host/scripted_model.ts";
import { loadHooks } from "../src/loader.ts";
import type { WritableSession } from "../src/ports.ts";
import { SessionManager } from "../src/session/session.ts";
import type { HookAPI, HookCommandContext } from "../src/types.ts";
import { answered, call, gave, said } from "./conversation.ts";
import { fakeUI, hook, hookFrom, type TempDir, tempDir } from "./helpers.ts";
import { linesOf, makeHost, type TestHost, type TestHostOptions } from "./host_setup.ts";

/** A host whose session is stored in a folder. */
async function storedHost(dir: TempDir, options: TestHostOptions = {}): Promise<TestHost> {
  const session = await SessionManager.create(dir.path, { sessionsDir: dir.file("sessions") });
  return makeHost({ session, ...options });
}

/** The session files of a host with their texts. */
async function files(host: HookHost): Promise<Record<string, string>> {
  const folder = host.session.getSessionDir();
  const texts: Record<string, string> = {};
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (name.endsWith(".jsonl")) texts[name] = await Deno.readTextFile(`${folder}/${name}`);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return texts;
}

/** Everything that a flow may change. */
async function state(host: HookHost): Promise<unknown> {
  const { session } = host;
  return {
    file: session.getSessionFile(),
    id: session.getSessionId(),
    leaf: session.getLeafId(),
    messages: linesOf(host.messages),
    files: await files(host),
  };
}

/** The id of the first entry with a message that reads so. */
function entryOf({ session }: HookHost, line: string): string {
  const entry = session.getEntries().find((one) =>
    one.type === "message" && linesOf([one.message])[0] === line
  );
  assert(entry !== undefined, `there is no ${line}`);
  return entry.id;
}

/** A stored session, read as another program would. */
function readRecords(text: string): { header: SessionHeader; entries: SessionEntry[] } {
  const [header, ...entries] = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  return { header, entries };
}

Deno.test("the seed's handoff command starts a session whose first request has the message of setup", async () => {
  await using dir = await tempDir();
  const path = new URL("./fixtures/seed/handoff.ts", import.meta.url).pathname;
  const { hooks, errors } = await loadHooks([decodeURIComponent(path)], dir.path);
  assertEquals(errors, []);
  await using test = await storedHost(dir, { hooks, answers: ["one", "two"] });
  const { host } = test;
  await host.prompt("Work.");
  const before = host.session.getSessionFile();
  const [oldText] = Object.values(await files(host));
  test.newEvents();
  await host.prompt("/handoff");
  assertEquals(test.newEvents(), ["session_before_switch", "session_switch"]);
  assert(before !== undefined && host.session.getSessionFile() !== before);
  assertEquals(host.session.getHeader()?.parentSession, before);
  await host.prompt("Go on.");
  assertEquals(linesOf(test.model.requests[1].messages), [
    "user: Continue from prior session summary.\nGo on.",
  ]);
  assertEquals(await Deno.readTextFile(before), oldText);
  const stored = readRecords(await Deno.readTextFile(host.session.getSessionFile() ?? ""));
  assertEquals(stored.header.parentSession, before);
  assertEquals(stored.entries.length, 3);
  assertEquals(test.errors, []);
});

Deno.test("setup runs before session_switch, and its messages are in the conversation then", async () => {
  const log: unknown[] = [];
  const watcher = hook("/watcher.ts", {
    session_before_switch: () => void log.push("before"),
    session_switch: ({ reason, previousSessionFile }, ctx) => {
      log.push([reason, previousSessionFile, ctx.sessionManager.getEntries().length]);
      log.push(linesOf(test.host.messages));
    },
  });
  await using test = makeHost({ hooks: [watcher], answers: ["one"] });
  await test.host.prompt("Old.");
  await test.host.newSession({
    setup: async (session) => {
      log.push("setup");
      await Promise.resolve();
      session.appendMessage(said("New."));
    },
  });
  assertEquals(log, ["before", "setup", ["new", undefined, 1], ["user: New."]]);
});

Deno.test("a throwing setup leaves the old session current and no file, and stops nobody", async () => {
  await using dir = await tempDir();
  await using test = await storedHost(dir, {
    answers: [async () => {
      await assertRejects(
        () =>
          kept.newSession({
            setup: (session) => {
              session.appendMessage(said("half"));
              throw new Error("no disk");
            },
          }),
        Error,
        "no disk",
      );
      return "still here";
    }, "next"],
    hooks: [
      hookFrom((pi) => pi.registerCommand("keep", { handler: (_, ctx) => void (kept = ctx) })),
    ],
  });
  const { host } = test;
  let kept!: HookCommandContext;
  await host.prompt("/keep");
  await host.prompt("Go");
  assertEquals(linesOf(host.messages), ["user: Go", "assistant: still here"]);
  assertEquals(Object.keys(await files(host)).length, 1);
  assertEquals(test.newEvents().includes("session_switch"), false);
});

/** A flow, and the event by which hooks cancel it. */
const FLOWS: {
  name: string;
  before:
    | "session_before_switch"
    | "session_before_branch"
    | "session_before_tree"
    | "session_before_compact";
  run: (host: HookHost) => Promise<{ cancelled: boolean }>;
}[] = [
  {
    name: "newSession",
    before: "session_before_switch",
    run: (host) => host.newSession({ setup: (session) => void session.appendMessage(said("x")) }),
  },
  {
    name: "switchSession",
    before: "session_before_switch",
    run: (host) => host.switchSession(host.session.getSessionFile() ?? ""),
  },
  { name: "fork", before: "session_before_switch", run: (host) => host.fork() },
  {
    name: "branch",
    before: "session_before_branch",
    run: (host) => host.branch(entryOf(host, "user: B")),
  },
  {
    name: "navigateTree",
    before: "session_before_tree",
    run: (host) => host.navigateTree(entryOf(host, "assistant: a"), { summarize: true }),
  },
  { name: "compact", before: "session_before_compact", run: (host) => host.compact() },
];

for (const { name, before, run } of FLOWS) {
  Deno.test(`${name} that a hook cancels changes nothing`, async () => {
    await using dir = await tempDir();
    const cancel = hook("/cancel.ts", { [before]: () => ({ cancel: true }) });
    await using test = await storedHost(dir, {
      hooks: [cancel],
      answers: ["a", "b"],
      compaction: { keepRecentTokens: 1, enabled: false },
    });
    await test.host.prompt("A");
    await test.host.prompt("B");
    const was = await state(test.host);
    test.newEvents();
    assertEquals(await run(test.host), { cancelled: true });
    assertEquals(await state(test.host), was);
    assertEquals(test.newEvents(), []);
  });

  Deno.test(`${name} whose hook throws goes on, and the hook is named`, async () => {
    await using dir = await tempDir();
    const broken = hook("/broken.ts", {
      [before]: () => {
        throw new Error("boom");
      },
    });
    await using test = await storedHost(dir, {
      hooks: [broken],
      answers: ["a", "b", "S", "T"],
      compaction: { keepRecentTokens: 1, enabled: false },
    });
    await test.host.prompt("A");
    await test.host.prompt("B");
    assertEquals((await run(test.host)).cancelled, false);
    assertEquals(test.errors.map(({ hookPath, event }) => [hookPath, event]), [
      ["/broken.ts", before],
    ]);
  });
}

for (const { name, before, run } of FLOWS) {
  Deno.test(`abort ends ${name} whose hook never answers, and nothing has changed`, async () => {
    await using dir = await tempDir();
    const hang = hook("/hang.ts", {
      [before]: () => {
        test.host.abort();
        return new Promise(() => {});
      },
    });
    await using test = await storedHost(dir, {
      hooks: [hang],
      answers: ["a", "b"],
      compaction: { keepRecentTokens: 1, enabled: false },
    });
    await test.host.prompt("A");
    await test.host.prompt("B");
    const was = await state(test.host);
    assertEquals(await run(test.host), { cancelled: true });
    assertEquals(await state(test.host), was);
    assertEquals(test.errors, []);
  });
}

Deno.test("abort ends a setup that never ends: the old session is current, no file is left", async () => {
  await using dir = await tempDir();
  await using test = await storedHost(dir, { answers: ["a"] });
  await test.host.prompt("A");
  const was = await state(test.host);
  const result = await test.host.newSession({
    setup: (session) => {
      session.appendMessage(said("half"));
      test.host.abort();
      return new Promise(() => {});
    },
  });
  assertEquals(result, { cancelled: true });
  assertEquals(await state(test.host), was);
});

Deno.test("a handler of session_switch that never ends keeps nobody after an abort", async () => {
  const hang = hook("/hang.ts", {
    session_switch: () => {
      test.host.abort();
      return new Promise(() => {});
    },
  });
  await using test = makeHost({ hooks: [hang], abortGraceMs: 5 });
  assertEquals(await test.host.newSession(), { cancelled: false });
});

Deno.test("switchSession goes on with the conversation of the file, told after it is there", async () => {
  await using dir = await tempDir();
  const other = await SessionManager.create(dir.path, { sessionsDir: dir.file("sessions") });
  other.appendMessage(said("From the file."));
  const target = other.getSessionFile() ?? "";
  await other.close();
  const seen: unknown[] = [];
  const watcher = hook("/watcher.ts", {
    session_before_switch: (event) => void seen.push(event),
    session_switch: (event, ctx) => {
      seen.push(event, ctx.sessionManager.getSessionFile(), linesOf(test.host.messages));
    },
  });
  await using test = await storedHost(dir, { hooks: [watcher], answers: ["one", "two"] });
  await test.host.prompt("Old.");
  const previousSessionFile = test.host.session.getSessionFile();
  assertEquals(await test.host.switchSession(target), { cancelled: false });
  assertEquals(seen, [
    { type: "session_before_switch", reason: "resume", targetSessionFile: target },
    { type: "session_switch", reason: "resume", previousSessionFile },
    target,
    ["user: From the file."],
  ]);
  await test.host.prompt("On.");
  assertEquals(linesOf(test.host.messages), [
    "user: From the file.",
    "user: On.",
    "assistant: two",
  ]);
  assertEquals(readRecords(await Deno.readTextFile(target)).entries.length, 3);
});

Deno.test("a session of another folder brings its working directory to hooks", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(dir.file("elsewhere"));
  const sessionsDir = dir.file("sessions");
  const other = await SessionManager.create(dir.file("elsewhere"), { sessionsDir });
  other.appendMessage(said("x"));
  const target = other.getSessionFile() ?? "";
  await other.close();
  const seen: string[] = [];
  const watcher = hook("/watcher.ts", { session_switch: (_, ctx) => void seen.push(ctx.cwd) });
  await using test = await storedHost(dir, { hooks: [watcher] });
  await test.host.switchSession(target);
  assertEquals(seen, [dir.file("elsewhere")]);
});

Deno.test("switchSession to what is no session is an error, and the old session is current", async () => {
  await using dir = await tempDir();
  await using test = await storedHost(dir, { answers: ["a", "b"] });
  await test.host.prompt("A");
  const was = await state(test.host);
  test.newEvents();
  for (const path of [dir.file("missing.jsonl"), await dir.write("text.jsonl", "no session\n")]) {
    await assertRejects(() => test.host.switchSession(path), Error);
  }
  assertEquals(await state(test.host), was);
  assertEquals(test.newEvents(), ["session_before_switch", "session_before_switch"]);
  await test.host.prompt("B");
  assertEquals(linesOf(test.host.messages).at(-1), "assistant: b");
});

Deno.test("fork copies the session into a new file and goes on there", async () => {
  await using dir = await tempDir();
  await using test = await storedHost(dir, { answers: ["a", "b"] });
  const { host } = test;
  await host.prompt("A");
  const before = host.session.getSessionFile() ?? "";
  const text = await Deno.readTextFile(before);
  assertEquals(await host.fork(), { cancelled: false });
  const after = host.session.getSessionFile() ?? "";
  assert(after !== before);
  assertEquals(host.session.getHeader()?.parentSession, before);
  assertEquals(test.events.at(-1), {
    type: "session_switch",
    reason: "fork",
    previousSessionFile: before,
  });
  await host.prompt("B");
  assertEquals(linesOf(host.messages), ["user: A", "assistant: a", "user: B", "assistant: b"]);
  assertEquals(await Deno.readTextFile(before), text);
  assertEquals(readRecords(await Deno.readTextFile(after)).entries.length, 4);
});

Deno.test("a session that is not stored cannot be forked, and no hook is asked", async () => {
  await using test = makeHost();
  await test.host.start();
  test.newEvents();
  await assertRejects(() => test.host.fork(), Error, "is not stored");
  assertEquals(test.newEvents(), []);
});

/** Two turns, a tool call, a compaction and a label. */
async function grownHost(dir: TempDir, options: TestHostOptions = {}): Promise<TestHost> {
  const test = await storedHost(dir, options);
  const { session } = test.host;
  const first = session.appendMessage(said("First"));
  session.appendLabelChange(first, "start");
  session.appendMessage(answered(call("c1", "echo")));
  session.appendMessage(gave("c1", "result"));
  session.appendMessage(answered("one"));
  session.appendCompaction("Sum.", undefined, first, 10);
  session.appendMessage(said("Second"));
  session.appendMessage(answered("two"));
  return test;
}

const BRANCHES: { name: string; from: string; left: string[] }[] = [
  { name: "the first message of the person", from: "user: First", left: [] },
  {
    name: "the last message of the person",
    from: "user: Second",
    left: [
      "compactionSummary: Sum.",
      "user: First",
      "assistant: calls echo",
      "toolResult: result",
      "assistant: one",
    ],
  },
];

for (const { name, from, left } of BRANCHES) {
  Deno.test(`a branch from ${name} is a whole session, and the parent stays as it was`, async () => {
    await using dir = await tempDir();
    await using test = await grownHost(dir, { answers: ["child"] });
    const { host } = test;
    const parent = host.session.getSessionFile() ?? "";
    const parentText = await Deno.readTextFile(parent);
    const result = await host.branch(entryOf(host, from));
    assertEquals(result, { cancelled: false, selectedText: from.slice("user: ".length) });
    // The session was filled before the host knew of it, so it takes the conversation from the file.
    assertEquals(linesOf(host.messages), left);
    assertEquals(test.events.at(-1), { type: "session_branch", previousSessionFile: parent });
    await host.prompt("Later");
    const child = host.session.getSessionFile() ?? "";
    const { header, entries } = readRecords(await Deno.readTextFile(child));
    assertEquals(header.parentSession, parent);
    assert(child.endsWith(`_${header.id}.jsonl`), child);
    assertEquals(entries.filter(({ type }) => type as string === "session"), []);
    const ids = new Set(entries.map(({ id }) => id));
    assertEquals(entries.filter(({ parentId }) => parentId !== null && !ids.has(parentId)), []);
    const compactions = entries.filter((entry): entry is CompactionEntry =>
      entry.type === "compaction"
    );
    assertEquals(compactions.filter((entry) => !ids.has(entry.firstKeptEntryId)), []);
    assertEquals(linesOf(host.messages).slice(-2), ["user: Later", "assistant: child"]);
    assertEquals(await Deno.readTextFile(parent), parentText);
    assertEquals(Object.keys(await files(host)).length, 2);
  });
}

Deno.test("two branches at once are two files", async () => {
  await using dir = await tempDir();
  await using test = await grownHost(dir);
  const { host } = test;
  const second = entryOf(host, "user: Second");
  const first = entryOf(host, "user: First");
  await host.branch(second);
  await host.branch(first);
  host.session.appendMessage(said("x"));
  assertEquals(Object.keys(await files(host)).length, 3);
});

const NOT_BRANCHED: { name: string; id: (host: HookHost) => string; error: string }[] = [
  {
    name: "a tool result",
    id: (host) => entryOf(host, "toolResult: result"),
    error: "is no message of the user",
  },
  { name: "an entry that does not exist", id: () => "nowhere", error: "Entry nowhere not found" },
];

for (const { name, id, error } of NOT_BRANCHED) {
  Deno.test(`a branch from ${name} is an error before any hook is asked, and makes no file`, async () => {
    await using dir = await tempDir();
    await using test = await grownHost(dir);
    await test.host.start();
    const was = await state(test.host);
    test.newEvents();
    await assertRejects(() => test.host.branch(id(test.host)), Error, error);
    assertEquals(test.newEvents(), []);
    assertEquals(await state(test.host), was);
  });
}

Deno.test("a branch from an empty session is an error and makes no file", async () => {
  await using dir = await tempDir();
  await using test = await storedHost(dir);
  await assertRejects(() => test.host.branch("root"), Error, "Entry root not found");
  assertEquals(await files(test.host), {});
});

Deno.test("skipConversationRestore makes the branch and leaves the conversation as it is", async () => {
  await using dir = await tempDir();
  const skip = hook("/skip.ts", {
    session_before_branch: () => ({ skipConversationRestore: true }),
  });
  await using test = await storedHost(dir, { hooks: [skip], answers: ["a", "b", "c"] });
  const { host } = test;
  await host.prompt("A");
  await host.prompt("B");
  await host.branch(entryOf(host, "user: B"));
  assertEquals(linesOf(host.session.buildSessionContext().messages), ["user: A", "assistant: a"]);
  assertEquals(linesOf(host.messages), ["user: A", "assistant: a", "user: B", "assistant: b"]);
  await host.prompt("C");
  assertEquals(test.model.requests[2].messages.length, 5);
  assertEquals(Object.keys(await files(host)).length, 2);
});

Deno.test("a session in memory branches too", async () => {
  await using test = makeHost({ answers: ["a", "b", "c"] });
  const { host } = test;
  await host.prompt("A");
  await host.prompt("B");
  const id = host.session.getSessionId();
  await host.branch(entryOf(host, "user: B"));
  assert(host.session.getSessionId() !== id);
  assertEquals(test.events.at(-1), { type: "session_branch", previousSessionFile: undefined });
  assertEquals(linesOf(host.messages), ["user: A", "assistant: a"]);
});

/** Three turns in memory. */
async function talkedHost(options: TestHostOptions = {}): Promise<TestHost> {
  const test = makeHost({ ...options, answers: ["a", "b", "c", ...options.answers ?? []] });
  for (const prompt of ["A", "B", "C"]) await test.host.prompt(prompt);
  test.newEvents();
  return test;
}

const PLACES: { name: string; to: string; left: string[]; editorText?: string }[] = [
  { name: "an answer", to: "assistant: a", left: ["user: A", "assistant: a"] },
  {
    name: "a message of the person: before it, and its text is handed out",
    to: "user: B",
    left: ["user: A", "assistant: a"],
    editorText: "B",
  },
  { name: "the first message: to the beginning", to: "user: A", left: [], editorText: "A" },
];

for (const { name, to, left, editorText } of PLACES) {
  Deno.test(`navigateTree goes to ${name}`, async () => {
    const ui = fakeUI();
    await using test = await talkedHost({ uiContext: ui });
    const { host } = test;
    const oldLeafId = host.session.getLeafId();
    const result = await host.navigateTree(entryOf(host, to));
    assertEquals(result, { cancelled: false, ...(editorText !== undefined && { editorText }) });
    assertEquals(linesOf(host.messages), left);
    assertEquals(ui.getEditorText(), editorText ?? "");
    assertEquals(test.events.at(-1), {
      type: "session_tree",
      newLeafId: host.session.getLeafId(),
      oldLeafId,
    });
    assertEquals(test.newEvents(), ["session_before_tree", "session_tree"]);
  });
}

Deno.test("navigateTree keeps what the person has typed, and takes back a hook's message", async () => {
  const ui = fakeUI();
  ui.setEditorText("typing");
  await using test = await talkedHost({ uiContext: ui });
  const { host } = test;
  host.sendMessage({ customType: "note", content: "NOTE", display: true });
  const [note] = host.session.getEntries().filter(({ type }) => type === "custom_message");
  await host.navigateTree(entryOf(host, "user: A"));
  assertEquals(ui.getEditorText(), "typing");
  assertEquals((await host.navigateTree(note.id)).editorText, "NOTE");
  assertEquals(linesOf(host.messages).at(-1), "assistant: c");
});

Deno.test("navigateTree to where the session is does nothing, to an unknown entry is an error", async () => {
  await using test = await talkedHost();
  const { host } = test;
  assertEquals(await host.navigateTree(host.session.getLeafId() ?? ""), { cancelled: false });
  await assertRejects(() => host.navigateTree("nowhere"), Error, "Entry nowhere not found");
  assertEquals(test.newEvents(), []);
});

const SUMMARIES: {
  name: string;
  answer?: unknown;
  summarize: boolean;
  summary?: string;
  fromExtension?: boolean;
}[] = [
  { name: "nobody asks for one", summarize: false, answer: { summary: { summary: "S" } } },
  {
    name: "a hook gives it",
    summarize: true,
    answer: { summary: { summary: "By hook.", details: { n: 1 } } },
    summary: "By hook.",
    fromExtension: true,
  },
  { name: "the model writes it", summarize: true, summary: "By model.", fromExtension: false },
  {
    name: "a hook gives an empty one, so the model writes it",
    summarize: true,
    answer: { summary: { summary: "  " } },
    summary: "By model.",
    fromExtension: false,
  },
];

for (const { name, answer, summarize, summary, fromExtension } of SUMMARIES) {
  Deno.test(`the summary of a branch that is left: ${name}`, async () => {
    const summarizer = hook("/summary.ts", { session_before_tree: () => answer });
    await using test = await talkedHost({ hooks: [summarizer], answers: ["By model."] });
    const { host } = test;
    await host.navigateTree(entryOf(host, "assistant: a"), { summarize });
    assertEquals(linesOf(host.messages), [
      "user: A",
      "assistant: a",
      ...(summary === undefined ? [] : [`branchSummary: ${summary}`]),
    ]);
    const told = test.events.at(-1);
    assert(told?.type === "session_tree");
    assertEquals(told.summaryEntry?.summary, summary);
    assertEquals(told.fromExtension, fromExtension);
    assertEquals(told.newLeafId, told.summaryEntry?.id ?? entryOf(host, "assistant: a"));
    assertEquals(test.model.remaining, fromExtension === false ? 0 : 1);
  });
}

Deno.test("abort wins over a late answer: the person stays where they were", async () => {
  const late = hook("/late.ts", {
    session_before_tree: () => {
      test.host.abort();
      return new Promise((resolve) => setTimeout(() => resolve({ summary: { summary: "late" } })));
    },
  });
  await using test = await talkedHost({ hooks: [late] });
  const was = await state(test.host);
  const result = await test.host.navigateTree(entryOf(test.host, "assistant: a"), {
    summarize: true,
  });
  assertEquals(result, { cancelled: true });
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(await state(test.host), was);
});

/** A host with something to compact. */
function compactingHost(options: TestHostOptions = {}): Promise<TestHost> {
  return talkedHost({ compaction: { keepRecentTokens: 1, enabled: false }, ...options });
}

function compactions({ session }: HookHost): CompactionEntry[] {
  return session.getEntries().filter((entry): entry is CompactionEntry =>
    entry.type === "compaction"
  );
}

Deno.test("the compaction of a hook is used as it is", async () => {
  const made = {
    summary: "By hook.",
    shortSummary: "short",
    tokensBefore: 7,
    details: { n: 1 },
    preserveData: { key: "x" },
  };
  const compacting = hook("/compaction.ts", {
    session_before_compact: ({ preparation, customInstructions }) => ({
      compaction: {
        ...made,
        firstKeptEntryId: preparation.firstKeptEntryId,
        details: { n: 1, customInstructions },
      },
    }),
  });
  await using test = await compactingHost({ hooks: [compacting] });
  const { cancelled, result } = await test.host.compact("names");
  const [entry] = compactions(test.host);
  assertEquals([cancelled, result?.summary], [false, "By hook."]);
  assertEquals(entry.details, { n: 1, customInstructions: "names" });
  assertEquals([entry.shortSummary, entry.tokensBefore, entry.preserveData, entry.fromExtension], [
    "short",
    7,
    { key: "x" },
    true,
  ]);
  assertEquals(test.events.at(-1), {
    type: "session_compact",
    compactionEntry: entry,
    fromExtension: true,
  });
  assertEquals(test.newEvents(), ["session_before_compact", "session_compact"]);
  assertEquals(linesOf(test.host.messages), ["compactionSummary: By hook.", "assistant: c"]);
});

Deno.test("the entry of a compaction is told by its name, not by its summary", async () => {
  const same = hook("/same.ts", {
    session_before_compact: ({ preparation: { firstKeptEntryId, tokensBefore } }) => ({
      compaction: { summary: "Same.", firstKeptEntryId, tokensBefore },
    }),
  });
  await using test = await compactingHost({ hooks: [same], answers: ["d"] });
  await test.host.compact();
  await test.host.prompt("D");
  await test.host.compact();
  const told = test.events.at(-1);
  assert(told?.type === "session_compact");
  assertEquals(told.compactionEntry.id, compactions(test.host)[1].id);
});

const UNUSABLE: { name: string; compaction: unknown; error: string }[] = [
  { name: "empty", compaction: {}, error: "needs a summary" },
  {
    name: "with an empty summary",
    compaction: { summary: "", firstKeptEntryId: "nope", tokensBefore: NaN },
    error: "needs a summary",
  },
  {
    name: "with NaN tokens",
    compaction: { summary: "s", firstKeptEntryId: "x", tokensBefore: NaN },
    error: "finite tokensBefore",
  },
  {
    name: "that keeps an entry which is not on the branch",
    compaction: { summary: "s", firstKeptEntryId: "elsewhere", tokensBefore: 1 },
    error: 'one of the hooks /bad.ts, /recorder.ts keeps entries from "elsewhere" on',
  },
];

for (const { name, compaction, error } of UNUSABLE) {
  Deno.test(`a compaction ${name} is the hook's error, and the default one is made`, async () => {
    const bad = hook("/bad.ts", { session_before_compact: () => ({ compaction }) });
    // One that is asked about other events must not be blamed.
    const other = hook("/other.ts", { turn_start: () => {} });
    await using test = await compactingHost({ hooks: [other, bad], answers: ["S", "T"] });
    await test.host.compact();
    const [entry] = compactions(test.host);
    assertStringIncludes(entry.summary, "S");
    assertEquals(entry.fromExtension, false);
    assert(Number.isFinite(entry.tokensBefore));
    assert(test.host.session.getEntry(entry.firstKeptEntryId) !== undefined);
    assertEquals(test.errors.length, 1);
    assertStringIncludes(test.errors[0].error, error);
    // The recorder of these tests handles every event too, so nobody can tell who it was.
    const blamed = name.includes("branch") ? "(unknown hook)" : "/bad.ts";
    assertEquals([test.errors[0].hookPath, test.errors[0].event], [
      blamed,
      "session_before_compact",
    ]);
  });
}

Deno.test("a compaction that hangs on no entry is the error of the only hook that is asked", async () => {
  const bad = hook("/bad.ts", {
    session_before_compact: () => ({
      compaction: { summary: "s", firstKeptEntryId: "elsewhere", tokensBefore: 1 },
    }),
  });
  const model = scriptedModel(["a", "S"]);
  const host = new HookHost({ model, hooks: [bad], compaction: { keepRecentTokens: 1 } });
  const errors: HookError[] = [];
  host.runner.onError((error) => errors.push(error));
  await host.prompt("A");
  await host.compact();
  assertEquals(errors.map(({ hookPath, error }) => [hookPath, error]), [[
    "/bad.ts",
    'The compaction of the hook keeps entries from "elsewhere" on, which is no entry of the ' +
    "current branch; the default summary is made",
  ]]);
  await host.shutdown();
});

const WISHES: { name: string; answer: unknown; errors: number; asked: string[] }[] = [
  {
    name: "are heeded",
    answer: { context: ["branch: main"], prompt: "Haiku.", preserveData: { key: 1 } },
    errors: 0,
    asked: ["Haiku.", "- branch: main"],
  },
  {
    name: "of the wrong type are dropped",
    answer: { context: "x" },
    errors: 1,
    asked: ["## Goal"],
  },
  {
    name: "with a prompt that is no text are dropped",
    answer: { prompt: 5 },
    errors: 1,
    asked: ["## Goal"],
  },
];

for (const { name, answer, errors, asked } of WISHES) {
  Deno.test(`what session.compacting handlers wish: those that ${name}`, async () => {
    const wishing = hook("/wish.ts", { "session.compacting": () => answer });
    await using test = await compactingHost({ hooks: [wishing], answers: ["S", "T"] });
    await test.host.compact();
    const request = linesOf(test.model.requests[3].messages)[0];
    for (const text of asked) assertStringIncludes(request, text);
    assertEquals(test.errors.length, errors);
    const [entry] = compactions(test.host);
    assertEquals(entry.preserveData, errors === 0 ? { key: 1 } : undefined);
    const event = test.events.find(({ type }) => type === "session.compacting");
    assert(event?.type === "session.compacting");
    assertEquals(event.sessionId, test.host.session.getSessionId());
    assertEquals(linesOf(event.messages), [
      "user: A",
      "assistant: a",
      "user: B",
      "assistant: b",
      "user: C",
    ]);
  });
}

Deno.test("abort wins over a compaction that comes late", async () => {
  const late = hook("/late.ts", {
    session_before_compact: ({ preparation: { firstKeptEntryId, tokensBefore } }) => {
      test.host.abort();
      const compaction = { summary: "late", firstKeptEntryId, tokensBefore };
      return new Promise((resolve) => setTimeout(() => resolve({ compaction })));
    },
  });
  await using test = await compactingHost({ hooks: [late] });
  assertEquals(await test.host.compact(), { cancelled: true });
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(compactions(test.host), []);
});

Deno.test("compact says so if there is nothing to compact, before any hook is asked", async () => {
  await using test = makeHost();
  await test.host.start();
  test.newEvents();
  await assertRejects(() => test.host.compact(), Error, "There is nothing to compact");
  assertEquals(test.newEvents(), []);
});

Deno.test("a compaction whose model fails is an error, and nothing has changed", async () => {
  await using test = await compactingHost({ answers: [new Error("no network")] });
  const was = await state(test.host);
  await assertRejects(() => test.host.compact(), Error, "no network");
  assertEquals(await state(test.host), was);
});

Deno.test("what a hook has kept acts on the session that is current, never on the old file", async () => {
  await using dir = await tempDir();
  let api!: HookAPI;
  let kept!: HookCommandContext;
  let setUp!: WritableSession;
  const seen: unknown[] = [];
  const holder = hookFrom((pi) => {
    api = pi;
    pi.registerCommand("go", {
      handler: async (_args, ctx) => {
        kept = ctx;
        await ctx.newSession({
          parentSession: ctx.sessionManager.getSessionFile(),
          setup: (session) => {
            setUp = session;
            session.appendMessage({ ...said("hi"), timestamp: 1 });
          },
        });
        ctx.ui.notify("done");
        seen.push(ctx.sessionManager.getSessionFile());
        pi.appendEntry("after", 1);
        pi.sendMessage({ customType: "after", content: "NOTE", display: true });
      },
    });
  });
  await using test = await storedHost(dir, {
    hooks: [holder],
    answers: ["a"],
    uiContext: fakeUI(),
  });
  const { host } = test;
  await host.prompt("A");
  const old = host.session.getSessionFile() ?? "";
  const oldText = await Deno.readTextFile(old);
  await host.prompt("/go");
  const current = host.session.getSessionFile();
  assertEquals(seen, [current]);
  assertEquals(host.session.getEntries().map(({ type }) => type), [
    "message",
    "custom",
    "custom_message",
  ]);
  setUp.appendCustomEntry("by the session of setup");
  await host.newSession();
  api.appendEntry("later", 2);
  assertEquals(kept.sessionManager.getSessionFile(), host.session.getSessionFile());
  assertEquals(host.session.getEntries().map(({ type }) => type), ["custom"]);
  assertEquals(await Deno.readTextFile(old), oldText);
  assertEquals(readRecords(await Deno.readTextFile(current ?? "")).entries.length, 4);
});

Deno.test("a timer that keeps entries during a switch loses none, and each is in one session", async () => {
  await using dir = await tempDir();
  const made: number[] = [];
  const ticking = hookFrom((pi) => {
    pi.on("session_start", () => {
      const timer = setInterval(() => {
        made.push(made.length);
        pi.appendEntry("tick", made.length - 1);
        if (made.length >= 20) clearInterval(timer);
      }, 1);
    });
  });
  await using test = await storedHost(dir, { hooks: [ticking], answers: ["a"] });
  const { host } = test;
  await host.prompt("A");
  const old = host.session.getSessionFile() ?? "";
  while (made.length < 5) await new Promise((resolve) => setTimeout(resolve, 1));
  await host.newSession({
    setup: async (session) => {
      session.appendMessage(said("x"));
      const enough = made.length + 3;
      while (made.length < enough) await new Promise((resolve) => setTimeout(resolve, 1));
    },
  });
  const oldText = await Deno.readTextFile(old);
  while (made.length < 20) await new Promise((resolve) => setTimeout(resolve, 1));
  assertEquals(await Deno.readTextFile(old), oldText);
  const ticks = [oldText, await Deno.readTextFile(host.session.getSessionFile() ?? "")]
    .flatMap((text) => readRecords(text).entries)
    .flatMap((entry) => entry.type === "custom" ? [entry.data] : []);
  assertEquals(ticks, made);
});

Deno.test("a flow stops the working agent, whose last events come before the switch", async () => {
  const asked = Promise.withResolvers<void>();
  await using test = makeHost({
    answers: [() => {
      asked.resolve();
      return new Promise<never>(() => {});
    }],
  });
  const running = test.host.prompt("Go");
  await asked.promise;
  test.newEvents();
  await test.host.newSession();
  await running;
  assertEquals(test.newEvents(), [
    "session_before_switch",
    "turn_end",
    "agent_end",
    "session_switch",
  ]);
  assertEquals(test.host.messages, []);
});

Deno.test("flows come one after the other, and a prompt waits for them", async () => {
  await using test = makeHost({ answers: ["a"] });
  await test.host.start();
  test.newEvents();
  const first = test.host.newSession({ setup: async () => await Promise.resolve() });
  const second = test.host.newSession();
  const prompt = test.host.prompt("Go");
  await Promise.all([first, second, prompt]);
  assertEquals(test.newEvents(), [
    "session_before_switch",
    "session_switch",
    "session_before_switch",
    "session_switch",
    "before_agent_start",
    "agent_start",
    "turn_start",
    "context",
    "turn_end",
    "agent_end",
  ]);
  assertEquals(linesOf(test.host.messages), ["user: Go", "assistant: a"]);
});

Deno.test("a flow inside setup fails at once instead of waiting for itself", async () => {
  await using test = makeHost();
  await test.host.newSession({
    setup: async () => {
      await assertRejects(
        () => test.host.newSession(),
        Error,
        "newSession cannot be called inside the setup of newSession",
      );
    },
  });
  assertEquals(test.events.filter(({ type }) => type === "session_switch").length, 1);
});

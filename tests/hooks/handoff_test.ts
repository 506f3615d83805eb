/**
 * The hook `handoff`, through loader and runner, with a session of the test.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createHandoff, handoffMessage } from "../../hooks/handoff.ts";
import type { SessionEntry } from "../../src/entries.ts";
import type { AgentMessage, AssistantMessage } from "../../src/messages.ts";
import { emptySessionManager } from "../../src/no_host.ts";
import type { ReadonlySessionManager, WritableSession } from "../../src/ports.ts";
import type { LoadedHook } from "../../src/hook.ts";
import type { CancellableResult, NewSessionOptions } from "../../src/types.ts";
import { fakeUI, hookFrom, makeRunner, type TestRunner } from "../helpers.ts";
import { loadFiles, readyMadePath } from "./ready_made.ts";

const USAGE: AssistantMessage["usage"] = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

function said(content: string): AgentMessage {
  return { role: "user", content: [{ type: "text", text: content }], timestamp: 1 };
}

function answered(...content: AssistantMessage["content"]): AgentMessage {
  return {
    role: "assistant",
    content,
    api: "a",
    provider: "p",
    model: "m",
    usage: USAGE,
    stopReason: "stop",
    timestamp: 1,
  };
}

function called(id: string, name: string, args: Record<string, unknown>): AgentMessage {
  return answered({ type: "toolCall", id, name, arguments: args });
}

function gave(toolCallId: string, isError: boolean): AgentMessage {
  const content = [{ type: "text" as const, text: "result" }];
  return { role: "toolResult", toolCallId, toolName: "write", content, isError, timestamp: 1 };
}

function text(value: string): AssistantMessage["content"][number] {
  return { type: "text", text: value };
}

/** A session whose branch is what the test says. */
function sessionOf(
  branch: (AgentMessage | Omit<SessionEntry & { type: "compaction" }, keyof EntryBase>)[],
  file?: string,
): ReadonlySessionManager {
  const entries = branch.map((part, index): SessionEntry => {
    const base = { id: `e${index}`, parentId: index ? `e${index - 1}` : null, timestamp: "t" };
    return "type" in part ? { ...base, ...part, type: "compaction" } : {
      ...base,
      type: "message",
      message: part,
    };
  });
  return {
    ...emptySessionManager("/project"),
    getEntries: () => entries,
    getLeafId: () => entries.at(-1)?.id ?? null,
    getBranch: () => entries,
    getSessionFile: () => file,
  };
}

type EntryBase = { id: string; parentId: string | null; timestamp: string };

/** What happened when the command ran. */
interface Run extends TestRunner {
  /** Each step of the host, in order. */
  steps: string[];
  /** What the new session was made with. */
  options: NewSessionOptions[];
  /** What the new session holds. */
  appended: AgentMessage[];
  /** What the person was told. */
  notices: { message: string; type?: string }[];
}

async function run(
  hooks: LoadedHook[],
  session: ReadonlySessionManager,
  args: string,
  setup: { result?: CancellableResult; hasUI?: boolean; command?: string } = {},
): Promise<Run> {
  const { result = { cancelled: false }, hasUI = true, command = "handoff" } = setup;
  const steps: string[] = [];
  const options: NewSessionOptions[] = [];
  const appended: AgentMessage[] = [];
  const ui = fakeUI();
  const fresh: Pick<WritableSession, "appendMessage"> = {
    appendMessage(message) {
      steps.push("appendMessage");
      appended.push(message);
      return "e0";
    },
  };
  const made = makeRunner(hooks, {
    ...hasUI && { ui },
    sessionManager: session,
    waitForIdle: () => {
      steps.push("waitForIdle");
      return Promise.resolve();
    },
    newSessionHandler: async (given = {}) => {
      steps.push("newSession");
      options.push(given);
      if (!result.cancelled) await given.setup?.(fresh as WritableSession);
      return result;
    },
  });
  const registered = made.runner.getCommand(command);
  assert(registered !== undefined, `there is no command ${command}`);
  await registered.handler(args, made.runner.createCommandContext());
  return { ...made, steps, options, appended, notices: ui.notices };
}

function messageOf({ appended }: Run): string {
  assertEquals(appended.length, 1);
  const [message] = appended;
  assert(message.role === "user" && Array.isArray(message.content));
  const [block] = message.content;
  assert(message.content.length === 1 && block.type === "text");
  return block.text;
}

Deno.test("handoff waits for the agent, then starts a session with a message of the person", async () => {
  const session = sessionOf([said("Build the parser"), answered(text("Half done."))], "/s/a.jsonl");
  const before = Date.now();
  const done = await run(await loadFiles(readyMadePath("handoff")), session, "write the tests");
  assertEquals(done.steps, ["waitForIdle", "newSession", "appendMessage"]);
  assertEquals(done.options.map(({ parentSession }) => parentSession), ["/s/a.jsonl"]);
  assertEquals(done.appended[0].role, "user");
  assert(done.appended[0].timestamp >= before && done.appended[0].timestamp <= Date.now());
  const message = messageOf(done);
  for (const part of ["write the tests", "/s/a.jsonl", "Build the parser", "Half done."]) {
    assertStringIncludes(message, part);
  }
  assertEquals(done.notices.map(({ type }) => type), ["info"]);
  assertEquals({ errors: done.errors, warnings: done.warnings }, { errors: [], warnings: [] });
});

Deno.test("handoff tells the person when the change was cancelled, and fills nothing", async () => {
  const hooks = await loadFiles(readyMadePath("handoff"));
  const done = await run(hooks, sessionOf([said("x")]), "", { result: { cancelled: true } });
  assertEquals(done.steps, ["waitForIdle", "newSession"]);
  assertEquals(done.notices, [
    { message: "Handoff cancelled: you are still in the same session.", type: "warning" },
  ]);
});

Deno.test("handoff logs a cancelled change where nobody sees notices", async () => {
  const logged: string[] = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (line: string) => logged.push(line) };
  const hooks = [hookFrom(createHandoff(), "/handoff.ts", { logger })];
  const setup = { result: { cancelled: true }, hasUI: false };
  await run(hooks, sessionOf([]), "", setup);
  assertEquals(logged, ["Handoff cancelled: you are still in the same session."]);
});

Deno.test("handoff works in a session that is empty and not stored", async () => {
  const done = await run(await loadFiles(readyMadePath("handoff")), sessionOf([]), "  ");
  assertEquals(done.options.map(({ parentSession }) => parentSession), [undefined]);
  assertEquals(
    messageOf(done),
    "Continue the work of an earlier session. What follows was taken from it.\n\n" +
      "## What to do next\n\nGo on where the earlier session stopped.",
  );
});

Deno.test("handoff hands over the last requests, the last answer and the changed files", () => {
  const branch = [
    said("one"),
    said("two"),
    called("c1", "write", { path: "src/a.ts", content: "x" }),
    gave("c1", false),
    called("c2", "edit", { file_path: "src/b.ts" }),
    gave("c2", false),
    called("c3", "write", { path: "src/failed.ts", content: "x" }),
    gave("c3", true),
    called("c4", "read", { path: "src/read.ts" }),
    called("c5", "multi_edit", { edits: [{ path: "src/c.ts" }, { path: "src/a.ts" }] }),
    called("c6", "edit", { path: 7 }),
    said("three\nwith a second line"),
    answered({ type: "thinking", thinking: "secret thought" }, text("Answer."), text("More.")),
    { role: "user" as const, content: "made up", synthetic: true, timestamp: 1 },
    said("four"),
    called("c7", "bash", { command: "ls" }),
  ];
  assertEquals(
    handoffMessage(sessionOf(branch, "/s/a.jsonl"), "next"),
    [
      "Continue the work of an earlier session. What follows was taken from it.",
      "## What to do next\n\nnext",
      "## Earlier session\n\nStored in `/s/a.jsonl`.",
      "## Last requests of the person\n\n1. two\n2. three\n   with a second line\n3. four",
      "## Last answer of the agent\n\nAnswer.\nMore.",
      "## Files written or edited\n\n- src/b.ts\n- src/c.ts\n- src/a.ts",
    ].join("\n\n"),
  );
});

Deno.test("handoff hands over the summary of a compacted conversation", () => {
  const compaction = {
    type: "compaction" as const,
    summary: "We chose a parser.",
    firstKeptEntryId: "e0",
    tokensBefore: 10,
  };
  const message = handoffMessage(sessionOf([said("old"), compaction, said("new")]), "");
  assert(message.endsWith("## Summary of what came before\n\nWe chose a parser."), message);
});

Deno.test("handoff keeps its message short, whatever the session holds", () => {
  const long = "😀 long text ".repeat(20_000);
  const files = Array.from(
    { length: 300 },
    (_, index) => called(`c${index}`, "write", { path: `src/file_${index}.ts` }),
  );
  const session = sessionOf([said(long), said(long), said(long), ...files, answered(text(long))]);
  for (const maxLength of [16_000, 2_000, 501, 1, undefined]) {
    const message = handoffMessage(session, long, { maxLength });
    assert(message.length <= Math.max(500, maxLength ?? 16_000), `${message.length}`);
    assert(message.isWellFormed());
    assertStringIncludes(message, "[… cut, ");
  }
  const message = handoffMessage(session, "next");
  assertStringIncludes(message, "- src/file_299.ts");
  assertStringIncludes(message, "- and 250 more, changed before these");
  assert(!message.includes("src/file_249.ts"));
});

Deno.test("handoff takes another name, limits and tools", async () => {
  const hooks = [hookFrom(createHandoff({
    name: "continue",
    prompts: 1,
    files: 1,
    writingTools: ["Save"],
  }))];
  const branch = [
    said("one"),
    said("two"),
    called("c1", "save", { path: "a.ts" }),
    called("c2", "write", { path: "b.ts" }),
  ];
  const done = await run(hooks, sessionOf(branch), "go", { command: "continue" });
  assertEquals(done.runner.getCommand("handoff"), undefined);
  assertStringIncludes(
    messageOf(done),
    "## Last requests of the person\n\n1. two\n\n## Files written or edited\n\n- a.ts",
  );
});

Deno.test("handoff reports a host that cannot start sessions", async () => {
  const { runner, errors } = makeRunner(await loadFiles(readyMadePath("handoff")));
  assertEquals(await runner.runCommand("handoff", "x"), true);
  assertEquals(errors.map(({ event, error }) => [event, error]), [
    ["command:handoff", "Cannot start a new session: this host does not offer it"],
  ]);
});

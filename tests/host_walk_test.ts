/**
 * One conversation that walks through every event, each for a real reason.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { SessionEntry } from "../src/entries.ts";
import type { HookEvent } from "../src/events/map.ts";
import { HOOK_EVENT_NAMES } from "../src/events/policy.ts";
import type { HookHost } from "../src/host/host.ts";
import type { AgentMessage } from "../src/messages.ts";
import { ModelError } from "../src/session/model_port.ts";
import { SessionManager } from "../src/session/session.ts";
import { answered, call, counted } from "./conversation.ts";
import { echoTool, tempDir } from "./helpers.ts";
import { linesOf, makeHost } from "./host_setup.ts";

/** A list with one task. */
function task(status: string): Record<string, unknown> {
  return { todos: [{ id: "t1", content: "Test", status }] };
}

/** Shows events with their fields, each entry and file under a name that is the same every time. */
class Script {
  readonly lines: string[] = [];
  readonly #names = new Map<string, string>();

  /** Names what a session holds by what it says. */
  name(session: SessionManager): void {
    const file = session.getSessionFile();
    this.#names.set(session.getSessionId(), "the session");
    if (file !== undefined && !this.#names.has(file)) {
      this.#names.set(file, `file ${this.#files++}`);
    }
    for (const entry of session.getEntries()) {
      const what = entry.type === "message" ? linesOf([entry.message])[0].slice(0, 16) : entry.type;
      if (!this.#names.has(entry.id)) this.#names.set(entry.id, `<${what}>`);
    }
  }

  #files = 1;

  /** Writes an event down. */
  add(event: HookEvent): void {
    const { type, ...fields } = event;
    const shown = Object.entries(fields).filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${key}: ${this.#show(value)}`);
    this.lines.push([type, ...shown].join(" | "));
  }

  #show(value: unknown): string {
    if (value instanceof AbortSignal) return "signal";
    return JSON.stringify(value, (name, part) => this.#part(name, part)).replaceAll(/["\\]/g, "");
  }

  #part(key: string, value: unknown): unknown {
    if (typeof value === "string") return this.#names.get(value) ?? value;
    if (value instanceof Set) return [...value];
    if (key === "settings") return undefined;
    if (typeof value !== "object" || value === null) return value;
    if ("role" in value) return linesOf([value as AgentMessage])[0].slice(0, 16);
    if ("parentId" in value) return this.#names.get((value as SessionEntry).id) ?? "<new entry>";
    return value;
  }
}

/** What happens. Fields of the same event are set apart by `|`, long texts are cut. */
const EXPECTED = `
session_start
before_agent_start | prompt: Go.
agent_start
turn_start | turnIndex: 0 | timestamp: 1000
context | messages: [user: Go.]
tool_call | toolName: echo | toolCallId: c1 | input: {a:1}
tool_call | toolName: todo_write | toolCallId: c2 | input: {todos:[{id:t1,content:Test,status:pending}]}
tool_result | toolName: echo | toolCallId: c1 | input: {a:1} | content: [{type:text,text:{a:1}}] | details: {a:1} | isError: false
tool_result | toolName: todo_write | toolCallId: c2 | input: {todos:[{id:t1,content:Test,status:pending}]} | content: [{type:text,text:{todos:[{id:t1,content:Test,status:pending}]}}] | details: {todos:[{id:t1,content:Test,status:pending}]} | isError: false
turn_end | turnIndex: 0 | message: assistant: I loo | toolResults: [toolResult: {a,toolResult: {to]
turn_start | turnIndex: 1 | timestamp: 1000
context | messages: [user: Go.,assistant: I loo,toolResult: {a,toolResult: {to]
auto_retry_start | attempt: 1 | maxAttempts: 3 | delayMs: 10 | errorMessage: overloaded
context | messages: [user: Go.,assistant: I loo,toolResult: {a,toolResult: {to]
ttsr_triggered | rules: [{name:no-eval,path:/rules/eval.md,content:No eval.,condition:[eval(]}]
context | messages: [user: Go.,assistant: I loo,toolResult: {a,toolResult: {to,custom: What you]
auto_retry_end | success: true | attempt: 1
turn_end | turnIndex: 1 | message: assistant: Done. | toolResults: []
todo_reminder | todos: [{id:t1,content:Test,status:pending}] | attempt: 1 | maxAttempts: 1
turn_start | turnIndex: 2 | timestamp: 1000
context | messages: [user: Go.,assistant: I loo,toolResult: {a,toolResult: {to,custom: What you,assistant: Done.,developer: You s]
turn_end | turnIndex: 2 | message: assistant: Reall | toolResults: []
agent_end | messages: [user: Go.,assistant: I loo,toolResult: {a,toolResult: {to,custom: What you,assistant: Done.,developer: You s,assistant: Reall]
session_before_tree | preparation: {targetId:<assistant: Done.>,oldLeafId:<assistant: Reall>,commonAncestorId:<assistant: Done.>,entriesToSummarize:[<developer: You s>,<assistant: Reall>],userWantsSummary:true} | signal: signal
session_tree | newLeafId: <branch_summary> | oldLeafId: <assistant: Reall> | summaryEntry: <branch_summary> | fromExtension: false
before_agent_start | prompt: Once more.
agent_start
turn_start | turnIndex: 0 | timestamp: 1000
context | messages: [user: Go.,assistant: I loo,toolResult: {a,toolResult: {to,custom: What you,assistant: Done.,branchSummary: I,user: Once more.]
tool_call | toolName: todo_write | toolCallId: c3 | input: {todos:[{id:t1,content:Test,status:completed}]}
tool_result | toolName: todo_write | toolCallId: c3 | input: {todos:[{id:t1,content:Test,status:completed}]} | content: [{type:text,text:{todos:[{id:t1,content:Test,status:completed}]}}] | details: {todos:[{id:t1,content:Test,status:completed}]} | isError: false
turn_end | turnIndex: 0 | message: assistant: calls | toolResults: [toolResult: {to]
turn_start | turnIndex: 1 | timestamp: 1000
context | messages: [user: Go.,assistant: I loo,toolResult: {a,toolResult: {to,custom: What you,assistant: Done.,branchSummary: I,user: Once more.,assistant: calls,toolResult: {to]
turn_end | turnIndex: 1 | message: assistant: Again | toolResults: []
agent_end | messages: [user: Once more.,assistant: calls,toolResult: {to,assistant: Again]
session_before_compact | preparation: {firstKeptEntryId:<assistant: Again>,messagesToSummarize:[user: Go.,assistant: I loo,toolResult: {a,toolResult: {to,custom: What you,assistant: Done.,branchSummary: I],turnPrefixMessages:[user: Once more.,assistant: calls,toolResult: {to],recentMessages:[assistant: Again],isSplitTurn:true,tokensBefore:114,fileOps:{read:[],written:[],edited:[]}} | branchEntries: [<user: Go.>,<assistant: I loo>,<toolResult: {a>,<toolResult: {to>,<custom_message>,<assistant: Done.>,<branch_summary>,<user: Once more.>,<assistant: calls>,<toolResult: {to>,<assistant: Again>] | signal: signal | customInstructions: names
session.compacting | sessionId: the session | messages: [user: Go.,assistant: I loo,toolResult: {a,toolResult: {to,custom: What you,assistant: Done.,branchSummary: I,user: Once more.,assistant: calls,toolResult: {to]
session_compact | compactionEntry: <compaction> | fromExtension: false
before_agent_start | prompt: Grow.
agent_start
turn_start | turnIndex: 0 | timestamp: 1000
context | messages: [compactionSummar,assistant: Again,user: Grow.]
turn_end | turnIndex: 0 | message: assistant: Much. | toolResults: []
agent_end | messages: [user: Grow.,assistant: Much.]
auto_compaction_start | reason: threshold | action: context-full
session_before_compact | preparation: {firstKeptEntryId:<assistant: Much.>,messagesToSummarize:[assistant: Again],turnPrefixMessages:[user: Grow.],recentMessages:[assistant: Much.],isSplitTurn:true,tokensBefore:5000,previousSummary:All was said.nn## The turn that goes on belownnAnd the turn.,fileOps:{read:[],written:[],edited:[]}} | branchEntries: [<user: Go.>,<assistant: I loo>,<toolResult: {a>,<toolResult: {to>,<custom_message>,<assistant: Done.>,<branch_summary>,<user: Once more.>,<assistant: calls>,<toolResult: {to>,<assistant: Again>,<compaction>,<user: Grow.>,<assistant: Much.>] | signal: signal
session.compacting | sessionId: the session | messages: [assistant: Again,user: Grow.]
session_compact | compactionEntry: <compaction> | fromExtension: false
auto_compaction_end | action: context-full | result: {summary:It grew.nn## The turn that goes on belownnAnd the turn again.,firstKeptEntryId:<assistant: Much.>,tokensBefore:5000,details:{readFiles:[],modifiedFiles:[]}} | aborted: false | willRetry: false
before_agent_start | prompt: Go on.
agent_start
turn_start | turnIndex: 0 | timestamp: 1000
context | messages: [compactionSummar,assistant: Much.,user: Go on.]
turn_end | turnIndex: 0 | message: assistant: And o | toolResults: []
agent_end | messages: [user: Go on.,assistant: And o]
session_before_branch | entryId: <user: Go on.>
session_branch | previousSessionFile: file 1
session_before_switch | reason: new
session_switch | reason: new | previousSessionFile: file 2
session_shutdown
`;

Deno.test("one conversation walks through every event, in order, with its fields", async () => {
  await using dir = await tempDir();
  const session = await SessionManager.create(dir.path, { sessionsDir: dir.file("sessions") });
  const script = new Script();
  await using test = makeHost({
    session,
    tools: [echoTool(), echoTool("todo_write")],
    retry: { baseDelayMs: 10 },
    compaction: { keepRecentTokens: 1, thresholdTokens: 1000 },
    todos: { maxReminders: 1 },
    rules: [{
      name: "no-eval",
      path: "/rules/eval.md",
      content: "No eval.",
      condition: ["eval\\("],
    }],
    answers: [
      answered("I look.", call("c1", "echo", { a: 1 }), call("c2", "todo_write", task("pending"))),
      new ModelError("overloaded", "retryable"),
      "I use eval(x).",
      "Done.",
      "Really done.",
      "It went nowhere.",
      answered(call("c3", "todo_write", task("completed"))),
      "Again.",
      "All was said.",
      "And the turn.",
      counted(5000, "Much."),
      "It grew.",
      "And the turn again.",
      "And on.",
    ],
  });
  const { host, events } = test;
  const step = async (work: (host: HookHost) => Promise<unknown>): Promise<void> => {
    const from = events.length;
    await work(host);
    script.name(session);
    events.slice(from).forEach((event) => script.add(event));
  };
  const idOf = (text: string): string =>
    session.getEntries().find((entry) =>
      entry.type === "message" && linesOf([entry.message])[0] === text
    )?.id ?? "";

  await step(() => host.prompt("Go."));
  await step(() => host.navigateTree(idOf("assistant: Done."), { summarize: true }));
  await step(() => host.prompt("Once more."));
  await step(() => host.compact("names"));
  await step(() => host.prompt("Grow."));
  await step(() => host.prompt("Go on."));
  await step(() => host.branch(idOf("user: Go on.")));
  await step(() => host.newSession());
  await host.shutdown();
  script.add(events[events.length - 1]);

  assertEquals(script.lines.join("\n"), EXPECTED.trim());
  assertEquals(test.errors, []);
  assertEquals(test.model.remaining, 0);
  assertEquals(
    [...new Set(events.map(({ type }) => type))].sort(),
    [...HOOK_EVENT_NAMES].sort(),
  );
});

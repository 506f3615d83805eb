/**
 * What the compiler must accept, and what it must refuse.
 *
 * The functions here never run. `@ts-expect-error` says that the next line must not compile, and
 * itself does not compile if that line is fine; so checking this file is the test, and one of the
 * tests below does it in a process of its own.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { assertType, type IsExact } from "@std/testing/types";
import {
  type AgentMessage,
  type BashToolDetails,
  EVENT_POLICIES,
  HOOK_EVENT_NAMES,
  type HookAPI,
  type HookCommandContext,
  type HookContext,
  type HookEventMap,
  type HookEventName,
  type HookEventOf,
  type HookFactory,
  type HookHandlerOf,
  type HookResultOf,
  HookRunner,
  type ImageContent,
  isToolCall,
  isToolResult,
  type LoadedHook,
  type NewSessionOptions,
  type ReadonlySessionManager,
  type SessionEntry,
  type TextContent,
  type ToolCallEventResult,
  type ToolResultEvent,
} from "../mod.ts";
import { runDeno, tempDir } from "./helpers.ts";

/** All names of events; a name that is missing in the map, or is new there, does not compile. */
type AllNames =
  | "session_start"
  | "session_before_switch"
  | "session_switch"
  | "session_before_branch"
  | "session_branch"
  | "session_before_compact"
  | "session.compacting"
  | "session_compact"
  | "session_before_tree"
  | "session_tree"
  | "session_shutdown"
  | "context"
  | "before_agent_start"
  | "agent_start"
  | "agent_end"
  | "turn_start"
  | "turn_end"
  | "auto_compaction_start"
  | "auto_compaction_end"
  | "auto_retry_start"
  | "auto_retry_end"
  | "ttsr_triggered"
  | "todo_reminder"
  | "tool_call"
  | "tool_result";

/** Names of events whose `type` is not the name they are registered by. */
type Misnamed = {
  [N in HookEventName]: HookEventOf<N>["type"] extends N ? never : N;
}[HookEventName];

Deno.test("the map has exactly the 25 events, and each event carries its own name", () => {
  assertType<IsExact<HookEventName, AllNames>>(true);
  assertType<IsExact<keyof HookEventMap, HookEventName>>(true);
  assertType<IsExact<Misnamed, never>>(true);
  assertEquals(HOOK_EVENT_NAMES.length, 25);
  assertEquals(Object.keys(EVENT_POLICIES).length, 25);
});

/** What a hook may write. */
export function eventsThatCompile(pi: HookAPI): void {
  // A handler may be synchronous or asynchronous, and may look at nothing.
  pi.on("session_start", () => {});
  pi.on("session_start", async () => await Promise.resolve());
  pi.on("session_shutdown", (event, ctx) => {
    assertType<IsExact<typeof event.type, "session_shutdown">>(true);
    assertType<IsExact<typeof ctx, HookContext>>(true);
  });
  // Answers: none, `undefined`, an empty one, a full one, on some paths only.
  pi.on("tool_call", () => undefined);
  pi.on("tool_call", () => ({}));
  pi.on("tool_call", (event) => {
    assertType<IsExact<typeof event.input, Readonly<Record<string, unknown>>>>(true);
    if (event.toolName === "bash") return { block: true, reason: "no" };
  });
  pi.on("tool_call", async (event, ctx) => {
    if (await ctx.ui.confirm("Run it?", String(event.input.command))) return;
    return { block: true };
  });
  pi.on("tool_result", (event) => ({
    content: event.content.filter((block) => block.type === "text"),
    details: null,
    isError: false,
    isWarning: true,
  }));
  pi.on("context", (event) => {
    assertType<IsExact<typeof event.messages, AgentMessage[]>>(true);
    // The list is a copy that may be edited.
    event.messages.pop();
    return { messages: event.messages };
  });
  pi.on("before_agent_start", () => ({
    message: { customType: "note", content: "text", display: false, details: { any: ["thing"] } },
  }));
  pi.on("session_before_branch", () => ({ cancel: false, skipConversationRestore: true }));
  pi.on("session_before_compact", ({ preparation }) => ({
    compaction: {
      summary: "short",
      firstKeptEntryId: preparation.firstKeptEntryId,
      tokensBefore: preparation.tokensBefore,
    },
  }));
  pi.on("session_before_tree", () => ({ summary: { summary: "left", details: 1 } }));
  pi.on("session.compacting", () => ({ context: ["line"], prompt: "p", preserveData: { a: 1 } }));
}

/** What a hook must not write: names and answers of events. */
export function eventsThatDoNotCompile(pi: HookAPI): void {
  // @ts-expect-error A misspelt event would never be handled.
  pi.on("tool_cal", () => {});
  // @ts-expect-error This event has a dot: `session.compacting`.
  pi.on("session_compacting", () => {});
  // @ts-expect-error A handler is a function.
  pi.on("tool_call", { block: true });
  // @ts-expect-error The field of another event says nothing here.
  pi.on("tool_call", () => ({ decision: "deny" }));
  // @ts-expect-error The same from an asynchronous handler.
  pi.on("tool_call", async () => await Promise.resolve({ decision: "deny" }));
  // @ts-expect-error `block` is true or false.
  pi.on("tool_call", () => ({ block: "yes" }));
  // @ts-expect-error An answer is an object.
  pi.on("tool_call", () => true);
  // @ts-expect-error A reason is a text.
  pi.on("tool_call", () => ({ block: true, reason: new Error("no") }));
  // @ts-expect-error Nobody reads answers to a notice.
  pi.on("session_start", () => ({ cancel: true }));
  // @ts-expect-error Nor those of an asynchronous handler.
  pi.on("agent_end", async () => await Promise.resolve({ message: "done" }));
  // @ts-expect-error `cancel` is true or false.
  pi.on("session_before_switch", () => ({ cancel: 1 }));
  // @ts-expect-error Content is a list of blocks.
  pi.on("tool_result", () => ({ content: "text" }));
  // @ts-expect-error A block says what it is.
  pi.on("tool_result", () => ({ content: [{ text: "a" }] }));
  // @ts-expect-error Messages are objects with a role.
  pi.on("context", () => ({ messages: ["hello"] }));
  // @ts-expect-error A message says whether a person sees it.
  pi.on("before_agent_start", () => ({ message: { customType: "a", content: "b" } }));
  // @ts-expect-error A compaction says where it ends and what it has replaced.
  pi.on("session_before_compact", () => ({ compaction: { summary: "short" } }));
  // @ts-expect-error Lines of context are a list.
  pi.on("session.compacting", () => ({ context: "line" }));
}

/** What a hook must not write: fields of events. */
export function fieldsThatDoNotCompile(pi: HookAPI): void {
  pi.on("tool_call", (event) => {
    // @ts-expect-error Arguments are for looking at.
    event.input.command = "ls";
    // @ts-expect-error What is in an argument is not known before it is checked.
    event.input.command.includes("rm");
    // @ts-expect-error A call has no content yet.
    return event.content;
  });
  pi.on("tool_result", (event) => {
    // @ts-expect-error `details` are those of some tool, and nobody has asked which.
    event.details.diff;
    // @ts-expect-error Comparing the name is not enough: other tools may have any name.
    if (event.toolName === "edit") event.details.diff;
    // @ts-expect-error The content is for looking at; return another one.
    event.content.push({ type: "text", text: "more" });
    // @ts-expect-error A block may be a picture.
    event.content[0].text;
  });
  pi.on("context", ({ messages }) => {
    // @ts-expect-error Only messages of hooks have a kind; look at `role` first.
    messages[0].customType;
  });
  pi.on("session_before_switch", (event) => {
    // @ts-expect-error The reasons are new, resume and fork.
    if (event.reason === "branch") return { cancel: true };
  });
}

/** What guards narrow. */
export function guardsThatNarrow(pi: HookAPI): void {
  pi.on("tool_result", (event) => {
    if (isToolResult("bash", event)) {
      assertType<IsExact<typeof event.details, BashToolDetails | undefined>>(true);
      assertType<IsExact<typeof event.toolName, "bash">>(true);
      assertType<IsExact<typeof event.input.command, string>>(true);
      // @ts-expect-error A command has no diff.
      event.details?.diff;
      // @ts-expect-error A tool may give back no details.
      event.details.exitCode;
    } else {
      assertType<IsExact<typeof event.details, unknown>>(true);
    }
    if (isToolResult("edit", event)) {
      assertType<IsExact<NonNullable<typeof event.details>["diff"], string>>(true);
    }
    // @ts-expect-error Only the tools that are known can be asked for.
    isToolResult("terraform", event);
    for (const block of event.content) {
      if (block.type === "text") assertType<IsExact<typeof block, TextContent>>(true);
      else assertType<IsExact<typeof block, ImageContent>>(true);
    }
  });
  pi.on("tool_call", (event) => {
    if (isToolCall("write", event)) {
      assertType<IsExact<typeof event.input.content, string>>(true);
      // @ts-expect-error Arguments are for looking at, also when they are known.
      event.input.content = "";
    }
    // @ts-expect-error A call is no result.
    isToolResult("bash", event);
  });
  pi.on("agent_end", ({ messages }) => {
    for (const message of messages) {
      if (message.role === "assistant") assertType<IsExact<typeof message.model, string>>(true);
      if (message.role === "custom" || message.role === "hookMessage") {
        assertType<IsExact<typeof message.customType, string>>(true);
        assertType<IsExact<typeof message.details, unknown>>(true);
      }
    }
  });
}

/** What contexts offer, and what they do not. */
export function contexts(pi: HookAPI): void {
  pi.on("turn_end", async (_event, ctx) => {
    assertType<IsExact<typeof ctx.sessionManager, ReadonlySessionManager>>(true);
    const choice = await ctx.ui.select("Which?", ["a", "b"]);
    assertType<IsExact<typeof choice, string | undefined>>(true);
    ctx.ui.setStatus("key", ctx.ui.theme.fg("accent", "text"));
    // @ts-expect-error There is no such colour.
    ctx.ui.theme.fg("accnt", "text");
    // @ts-expect-error The colours of backgrounds are others.
    ctx.ui.theme.bg("accent", "text");
    // @ts-expect-error A notice is info, warning or error.
    ctx.ui.notify("text", "fatal");
    // @ts-expect-error Inside an event this would wait for itself; commands have it.
    ctx.waitForIdle();
    // @ts-expect-error Inside an event this would wait for itself; commands have it.
    ctx.newSession();
    // @ts-expect-error The session is for reading.
    ctx.sessionManager.appendMessage;
    // @ts-expect-error The context is for reading.
    ctx.cwd = "/";
    // @ts-expect-error There may be no model.
    ctx.model.id;
  });
  pi.registerCommand("go", {
    handler: async (args, ctx) => {
      assertType<IsExact<typeof args, string>>(true);
      assertType<IsExact<typeof ctx, HookCommandContext>>(true);
      const { cancelled } = await ctx.newSession({ parentSession: undefined });
      assertType<IsExact<typeof cancelled, boolean>>(true);
      // @ts-expect-error The option is called `parentSession`.
      const options: NewSessionOptions = { parent: "x" };
      await ctx.newSession(options);
      // @ts-expect-error One branches from an entry.
      await ctx.branch();
    },
  });
  // @ts-expect-error A command without a handler does nothing.
  pi.registerCommand("go", { description: "nothing" });
}

/** What the other functions of the API take. */
export async function functions(pi: HookAPI): Promise<void> {
  const { code, stdout } = await pi.exec("git", ["status"], { timeout: 1000, stdin: "x" });
  assertType<IsExact<typeof code, number>>(true);
  assertType<IsExact<typeof stdout, string>>(true);
  // @ts-expect-error Arguments are a list, for there is no shell to take a text apart.
  await pi.exec("git", "status");
  // @ts-expect-error The time limit is a number of milliseconds.
  await pi.exec("git", [], { timeout: "1s" });
  pi.sendMessage({ customType: "note", content: "text", display: true }, { deliverAs: "followUp" });
  // @ts-expect-error A message has a content.
  pi.sendMessage({ customType: "note", display: true });
  // @ts-expect-error The time is added for the hook.
  pi.sendMessage({ customType: "note", content: "a", display: true, timestamp: 1 });
  // @ts-expect-error A message goes in by steer or followUp.
  pi.sendMessage({ customType: "a", content: "a", display: true }, { deliverAs: "later" });
  pi.appendEntry<{ count: number }>("state", { count: 1 });
  // @ts-expect-error The data is what the hook says it is.
  pi.appendEntry<{ count: number }>("state", { count: "1" });
  pi.registerMessageRenderer<{ lines: string[] }>("note", (message, { expanded }, theme) => {
    assertType<IsExact<typeof message.details, { lines: string[] } | undefined>>(true);
    const lines = expanded ? message.details?.lines ?? [] : [theme.bold("note")];
    return { render: () => lines, invalidate: () => {} };
  });
  // @ts-expect-error A renderer gives a component, not a text.
  pi.registerMessageRenderer("note", () => "text");
  pi.logger.warn("text", { some: "data" });
  // @ts-expect-error The host decides whether it passes the module; its type is not known here.
  pi.typebox.Type;
}

/** What the runner takes. */
export async function runnerThatCompiles(hooks: LoadedHook[]): Promise<void> {
  const runner = new HookRunner(hooks, ".");
  const cancel = await runner.emit({ type: "session_before_switch", reason: "new" });
  assertType<IsExact<typeof cancel, HookResultOf<"session_before_switch"> | undefined>>(true);
  const nothing = await runner.emit({ type: "session_start" });
  assertType<IsExact<typeof nothing, undefined>>(true);
  const call = { type: "tool_call", toolName: "bash", toolCallId: "c", input: {} } as const;
  const decision = await runner.emitToolCall(call);
  assertType<IsExact<typeof decision, ToolCallEventResult | undefined>>(true);
  const messages = await runner.emitContext([]);
  assertType<IsExact<typeof messages, AgentMessage[]>>(true);
  // @ts-expect-error A gate has a method of its own: its faults must not be swallowed.
  await runner.emit(call);
  // @ts-expect-error The messages of a chain come back from a method of their own.
  await runner.emit({ type: "context", messages: [] });
  // @ts-expect-error The answers to a prompt come back from a method of their own.
  await runner.emit({ type: "before_agent_start", prompt: "x" });
  // @ts-expect-error There is no such event.
  await runner.emit({ type: "session_started" });
  // @ts-expect-error A switch has a reason.
  await runner.emit({ type: "session_before_switch" });
  // @ts-expect-error There is no such event to ask about.
  runner.hasHandlers("tool_cal");
}

Deno.test("handlers and factories can be typed on their own", () => {
  const handler: HookHandlerOf<"tool_call"> = (event) => ({ block: event.toolName === "bash" });
  const factory: HookFactory = (pi) => pi.on("tool_call", handler);
  const late: HookFactory = async (pi) => await Promise.resolve(pi.on("tool_call", handler));
  // @ts-expect-error The handler of one event is not that of another.
  const wrong: HookHandlerOf<"context"> = handler;
  for (const made of [factory, late, wrong]) assertEquals(typeof made, "function");
});

Deno.test("entries of a session are narrowed by their type", () => {
  const name = (entry: SessionEntry): string => {
    // @ts-expect-error Only some entries hold a message.
    entry.message;
    if (entry.type === "message") return entry.message.role;
    if (entry.type === "compaction") return entry.summary;
    return entry.id;
  };
  const base = { id: "e1", parentId: null, timestamp: "2026-01-01T00:00:00Z" };
  assertEquals(name({ ...base, type: "custom", customType: "state" }), "e1");
});

Deno.test("a guard tells a tool by its name alone", () => {
  const event: ToolResultEvent = {
    type: "tool_result",
    toolName: "edit",
    toolCallId: "c1",
    input: {},
    content: [],
    details: undefined,
  };
  assert(isToolResult("edit", event));
  assert(!isToolResult("write", event));
});

Deno.test("this file compiles: what must not compile does not", async () => {
  const file = decodeURIComponent(new URL(import.meta.url).pathname);
  const { code, stderr } = await runDeno(["check", file], { limitMs: 180_000 });
  assertEquals(code, 0, stderr);
});

Deno.test("the compiler complains where an expected error is missing", async () => {
  await using dir = await tempDir();
  const file = await dir.write(
    "unneeded.ts",
    `import type { HookAPI } from "@f5-sales-demo/xcsh/hooks";
export function hook(pi: HookAPI): void {
  // @ts-expect-error This compiles, so the directive must not.
  pi.on("tool_call", () => ({ block: true }));
}
`,
  );
  const { code, stderr } = await runDeno(["check", file], { limitMs: 180_000 });
  assertEquals(code, 1);
  assert(stderr.includes("Unused '@ts-expect-error' directive"), stderr);
});

/**
 * The agent loop of the host: prompts, tools, messages, aborts, faults.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { HookHost } from "../src/host/host.ts";
import type { HostProgress, HostTool } from "../src/host/host_options.ts";
import type { AgentMessage } from "../src/messages.ts";
import { INTERRUPTED_TEXT } from "../src/session/llm_messages.ts";
import type { ModelPort } from "../src/session/model_port.ts";
import { SessionManager } from "../src/session/session.ts";
import type { HookCommandContext, HookContext, SendMessageOptions } from "../src/types.ts";
import { answered, call, gave, said } from "./conversation.ts";
import { echoTool, fakeUI, hook, hookFrom, tempDir } from "./helpers.ts";
import { linesOf, makeHost } from "./host_setup.ts";

/** A tool that does what the test says. */
function tool(
  name: string,
  run: (args: Record<string, unknown>, signal: AbortSignal | undefined) => unknown,
  rest: Partial<HostTool> = {},
): HostTool {
  return {
    name,
    description: "Does what the test says",
    parameters: { type: "object" },
    async execute(_id, args, signal) {
      const text = await run(args, signal);
      return { content: [{ type: "text", text: String(text ?? "done") }] };
    },
    ...rest,
  };
}

/** What a session has kept of the conversation. */
function stored(host: HookHost): string[] {
  return linesOf(host.session.buildSessionContext().messages);
}

const NEVER = new Promise<never>(() => {});

Deno.test("a prompt goes to the model, and what is said goes into the session", async () => {
  await using test = makeHost({ answers: ["Hello!"], tools: [echoTool()] });
  const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
  await test.host.prompt("Hi", [image]);
  const [request] = test.model.requests;
  assertEquals(request.messages, [{
    role: "user",
    content: [{ type: "text", text: "Hi" }, image],
    attribution: "user",
    timestamp: 1000,
  }]);
  assertEquals(request.tools.map(({ name }) => name), ["echo"]);
  assertEquals(linesOf(test.host.messages), ["user: Hi", "assistant: Hello!"]);
  assertEquals(stored(test.host), linesOf(test.host.messages));
});

Deno.test("the message of before_agent_start comes after the prompt and is kept", async () => {
  const adding = hook("/adding.ts", {
    before_agent_start: ({ prompt, images }) => ({
      message: { customType: "note", content: `${prompt} ${images}`, display: false, details: 7 },
    }),
  });
  await using test = makeHost({ answers: ["ok"], hooks: [adding] });
  await test.host.prompt("Go");
  assertEquals(linesOf(test.host.messages), ["user: Go", "custom: Go undefined", "assistant: ok"]);
  const entry = test.host.session.getEntries()[1];
  assert(entry.type === "custom_message");
  assertEquals([entry.customType, entry.details, entry.attribution], ["note", 7, "user"]);
});

Deno.test("a prompt that begins with a command runs it, any other goes to the model", async () => {
  const heard: string[] = [];
  const commands = hookFrom((pi) =>
    pi.registerCommand("note", { handler: (args) => void heard.push(args) })
  );
  await using test = makeHost({ answers: ["no such command"], hooks: [commands] });
  await test.host.prompt("/note  two words ");
  await test.host.prompt("/note");
  await test.host.prompt("/other x");
  assertEquals(heard, [" two words ", ""]);
  assertEquals(linesOf(test.host.messages), ["user: /other x", "assistant: no such command"]);
});

Deno.test("a command that throws is reported, and the agent goes on", async () => {
  const commands = hookFrom((pi) =>
    pi.registerCommand("fail", {
      handler: () => {
        throw new Error("boom");
      },
    }), "/fail.ts");
  await using test = makeHost({ answers: ["fine"], hooks: [commands] });
  await test.host.prompt("/fail");
  await test.host.prompt("Go");
  assertEquals(test.errors.map(({ hookPath, event, error }) => [hookPath, event, error]), [
    ["/fail.ts", "command:fail", "boom"],
  ]);
  assertEquals(linesOf(test.host.messages), ["user: Go", "assistant: fine"]);
});

const STRICT: HostTool = {
  ...echoTool("strict"),
  parameters: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
  },
};

const REFUSED: { name: string; calls: ReturnType<typeof call>; text: string }[] = [
  {
    name: "with arguments that do not fit",
    calls: call("c1", "strict", { path: 7 }),
    text: 'The arguments of "strict" do not fit: path must be a text, not 7',
  },
  {
    name: "of a tool that does not exist",
    calls: call("c1", "stric", { path: "a" }),
    text: 'There is no tool "stric"; did you mean "strict"?',
  },
  {
    name: "of a tool that is nothing like one",
    calls: call("c1", "teleport"),
    text: 'There is no tool "teleport"; the tools are: strict',
  },
];

for (const { name, calls, text } of REFUSED) {
  Deno.test(`a call ${name} is answered with an error and never reaches hooks`, async () => {
    await using test = makeHost({ answers: [answered(calls), "I see."], tools: [STRICT] });
    await test.host.prompt("Go");
    assertEquals(linesOf(test.host.messages)[2], `toolResult error: ${text}`);
    const names = test.events.map(({ type }) => type);
    assertEquals(names.includes("tool_call") || names.includes("tool_result"), false);
    assertEquals(linesOf(test.host.messages)[3], "assistant: I see.");
  });
}

Deno.test("a blocked call is answered with the reason, and the tool does not run", async () => {
  const echo = echoTool();
  const gate = hook("/gate.ts", { tool_call: () => ({ block: true, reason: "not today" }) });
  const answers = [answered(call("c1", "echo")), "Pity."];
  await using test = makeHost({ answers, tools: [echo], hooks: [gate] });
  await test.host.prompt("Go");
  assertEquals(linesOf(test.host.messages).slice(2), [
    "toolResult error: not today",
    "assistant: Pity.",
  ]);
  assertEquals(echo.runs, []);
  assertEquals(test.events.some(({ type }) => type === "tool_result"), false);
});

Deno.test("tool_result overrides are what the model reads and the session keeps", async () => {
  const redact = hook("/redact.ts", {
    tool_result: () => ({ content: [{ type: "text", text: "[REDACTED]" }], details: { n: 1 } }),
  });
  const answers = [answered(call("c1", "echo", { key: "secret" })), "ok"];
  await using test = makeHost({ answers, tools: [echoTool()], hooks: [redact] });
  await test.host.prompt("Go");
  const result = test.host.messages[2];
  assert(result.role === "toolResult");
  assertEquals([result.content, result.details], [[{ type: "text", text: "[REDACTED]" }], {
    n: 1,
  }]);
  assertEquals(JSON.stringify(test.model.requests[1].messages[2]).includes("secret"), false);
});

Deno.test("a tool that gives no content fails, details that nobody can keep are left out", async () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const odd = { description: "Odd", parameters: { type: "object" } };
  const tools: HostTool[] = [
    { ...odd, name: "empty", execute: () => Promise.resolve(undefined as never) },
    { ...odd, name: "text", execute: () => Promise.resolve({ content: "x" as never }) },
    { ...odd, name: "cycle", execute: () => Promise.resolve({ content: [], details: cycle }) },
    { ...odd, name: "throws", execute: () => Promise.reject("just a text") },
  ];
  const calls = tools.map(({ name }, index) => call(`c${index}`, name));
  await using test = makeHost({ answers: [answered(...calls), "ok"], tools });
  await test.host.prompt("Go");
  assertEquals(linesOf(test.host.messages).slice(2, 6), [
    "toolResult error: The tool gave back a content that must be a list of text and image " +
    "blocks, not undefined",
    "toolResult error: The tool gave back a content that must be a list of text and image " +
    'blocks, not "x"',
    "toolResult: ",
    "toolResult error: just a text",
  ]);
  assertEquals(
    test.errors.filter(({ hookPath }) => hookPath === "(host)").map(({ error }) => error),
    [
      'The details of the tool "cycle" must be something that JSON can hold, but contains itself',
    ],
  );
});

Deno.test("the tool calls of one answer run together, and their dialogs queue", async () => {
  const bothAsked = Promise.withResolvers<void>();
  let asked = 0;
  const ui = fakeUI({
    confirm: async () => {
      await bothAsked.promise;
      return true;
    },
  });
  const gate = hook("/gate.ts", {
    tool_call: async (event, ctx) => {
      if (++asked === 2) bothAsked.resolve();
      if (!await ctx.ui.confirm("Run?", String(event.input.n))) return { block: true };
    },
  });
  let running = 0;
  const bothRun = Promise.withResolvers<void>();
  const meet = tool("meet", async () => {
    if (++running === 2) bothRun.resolve();
    await bothRun.promise;
  });
  await using test = makeHost({
    answers: [answered(call("c1", "meet", { n: 1 }), call("c2", "meet", { n: 2 })), "ok"],
    tools: [meet],
    hooks: [gate],
    uiContext: ui,
  });
  await test.host.prompt("Go");
  assertEquals(ui.dialogs.map(({ args }) => args), [["Run?", "1"], ["Run?", "2"]]);
  assertEquals(linesOf(test.host.messages).slice(2, 4), ["toolResult: done", "toolResult: done"]);
});

Deno.test("an exclusive tool runs alone: after those before it, before those after it", async () => {
  const log: string[] = [];
  const noted = (name: string, rest: Partial<HostTool> = {}): HostTool =>
    tool(name, async ({ n }) => {
      log.push(`+${n}`);
      for (let i = 0; i < 5; i++) await Promise.resolve();
      log.push(`-${n}`);
    }, rest);
  await using test = makeHost({
    answers: [
      answered(
        call("c1", "shared", { n: 1 }),
        call("c2", "shared", { n: 2 }),
        call("c3", "alone", { n: 3 }),
        call("c4", "shared", { n: 4 }),
        call("c5", "shared", { n: 5 }),
      ),
      "ok",
    ],
    tools: [noted("shared"), noted("alone", { concurrency: "exclusive" })],
  });
  await test.host.prompt("Go");
  assertEquals(log.join(" "), "+1 +2 -1 -2 +3 -3 +4 +5 -4 -5");
  const results = test.host.messages.flatMap((message) =>
    message.role === "toolResult" ? [message.toolCallId] : []
  );
  assertEquals(results, ["c1", "c2", "c3", "c4", "c5"]);
});

Deno.test("events come one after the other: a slow handler holds the next event back", async () => {
  const log: string[] = [];
  const slow = hook("/slow.ts", {
    turn_end: async ({ turnIndex }) => {
      log.push(`turn_end ${turnIndex} begins`);
      for (let i = 0; i < 20; i++) await Promise.resolve();
      log.push(`turn_end ${turnIndex} ends`);
    },
    turn_start: ({ turnIndex }) => void log.push(`turn_start ${turnIndex}`),
    agent_end: () => void log.push("agent_end"),
  });
  const answers = [answered(call("c1", "echo")), "ok"];
  await using test = makeHost({ answers, tools: [echoTool()], hooks: [slow] });
  await test.host.prompt("Go");
  assertEquals(log, [
    "turn_start 0",
    "turn_end 0 begins",
    "turn_end 0 ends",
    "turn_start 1",
    "turn_end 1 begins",
    "turn_end 1 ends",
    "agent_end",
  ]);
});

/** A hook that sends a message when an event comes, and what it then saw of the agent. */
function sender(
  event: "turn_start" | "agent_end" | "session_start",
  options: SendMessageOptions | undefined,
  seen: unknown[] = [],
) {
  return hookFrom((pi) => {
    let isSent = false;
    pi.on(event, (_event: unknown, ctx: HookContext) => {
      if (isSent) return;
      isSent = true;
      pi.sendMessage({ customType: "note", content: "NOTE", display: true }, options);
      seen.push(ctx.isIdle(), ctx.hasQueuedMessages());
    });
  }, "/sender.ts");
}

const TOOLS = answered(call("c1", "echo"));

const DELIVERIES: {
  name: string;
  event: "turn_start" | "agent_end" | "session_start";
  options?: SendMessageOptions;
  said: string[];
  seen: [isIdle: boolean, hasQueuedMessages: boolean];
}[] = [
  {
    name: "while the agent works: after the running tools",
    event: "turn_start",
    said: ["user", "assistant", "toolResult", "custom", "assistant"],
    seen: [false, true],
  },
  {
    name: "with steer: after the running tools",
    event: "turn_start",
    options: { deliverAs: "steer", triggerTurn: true },
    said: ["user", "assistant", "toolResult", "custom", "assistant"],
    seen: [false, true],
  },
  {
    name: "with followUp: when the agent would stop",
    event: "turn_start",
    options: { deliverAs: "followUp" },
    said: ["user", "assistant", "toolResult", "assistant", "custom", "assistant"],
    seen: [false, true],
  },
  {
    name: "at agent_end: into the conversation, for the next prompt",
    event: "agent_end",
    said: ["user", "assistant", "toolResult", "assistant", "custom"],
    seen: [false, false],
  },
  {
    name: "at agent_end with triggerTurn: a run of its own",
    event: "agent_end",
    options: { triggerTurn: true },
    said: ["user", "assistant", "toolResult", "assistant", "custom", "assistant"],
    seen: [false, true],
  },
  {
    name: "while the agent is idle: into the conversation at once",
    event: "session_start",
    options: { deliverAs: "followUp" },
    said: ["custom", "user", "assistant", "toolResult", "assistant"],
    seen: [true, false],
  },
];

for (const { name, event, options, said: expected, seen: state } of DELIVERIES) {
  Deno.test(`a message is delivered ${name}`, async () => {
    const seen: unknown[] = [];
    await using test = makeHost({
      answers: [TOOLS, "one", "two"],
      tools: [echoTool()],
      hooks: [sender(event, options, seen)],
    });
    await test.host.prompt("Go");
    await test.host.waitForIdle();
    assertEquals(test.host.messages.map(({ role }) => role), expected);
    assertEquals(seen, state);
    assertEquals(test.host.hasQueuedMessages(), false);
    assertEquals(stored(test.host), linesOf(test.host.messages));
    const note = test.host.messages.find(({ role }) => role === "custom");
    assert(note?.role === "custom");
    assertEquals([note.customType, note.display, note.attribution], ["note", true, "agent"]);
  });
}

Deno.test("a message with triggerTurn starts an idle agent, without before_agent_start", async () => {
  await using test = makeHost({ answers: ["I heard."] });
  await test.host.start();
  test.newEvents();
  test.host.sendMessage({ customType: "note", content: "NOTE", display: true }, {
    triggerTurn: true,
  });
  assertEquals(test.host.isIdle(), false);
  await test.host.waitForIdle();
  assertEquals(linesOf(test.host.messages), ["custom: NOTE", "assistant: I heard."]);
  assertEquals(test.newEvents(), [
    "agent_start",
    "turn_start",
    "context",
    "turn_end",
    "agent_end",
  ]);
});

Deno.test("waiting messages are taken one at a time, each gets its answer", async () => {
  const queue = hookFrom((pi) => {
    pi.on("agent_start", () => {
      for (const content of ["A", "B"]) {
        pi.sendMessage({ customType: "x", content, display: true }, { deliverAs: "followUp" });
      }
      pi.sendMessage({ customType: "x", content: "C", display: true });
    });
  });
  await using test = makeHost({ answers: ["1", "2", "3", "4"], hooks: [queue] });
  await test.host.prompt("Go");
  assertEquals(
    linesOf(test.host.messages).join(", "),
    [
      "user: Go, assistant: 1, custom: C, assistant: 2",
      "custom: A, assistant: 3, custom: B, assistant: 4",
    ].join(", "),
  );
});

Deno.test("what the person types meanwhile waits, a second prompt is refused", async () => {
  await using test = makeHost({
    answers: [
      async () => {
        test.host.followUp("later");
        test.host.steer("now");
        await assertRejects(() => test.host.prompt("me too"), Error, "The agent is working");
        return "1";
      },
      "2",
      "3",
    ],
  });
  await test.host.prompt("Go");
  assertEquals(linesOf(test.host.messages), [
    "user: Go",
    "assistant: 1",
    "user: now",
    "assistant: 2",
    "user: later",
    "assistant: 3",
  ]);
});

const FAULTS: { name: string; model: ModelPort; error: string }[] = [
  {
    name: "throws at once",
    model: () => {
      throw new Error("no network");
    },
    error: "no network",
  },
  { name: "rejects", model: () => Promise.reject("just a text"), error: "just a text" },
  { name: "answers nonsense", model: () => 7 as never, error: "The model port gave 7" },
  {
    name: "breaks off its stream",
    model: async function* () {
      yield "Half";
      throw new Error("connection lost");
    },
    error: "connection lost",
  },
];

for (const { name, model, error } of FAULTS) {
  Deno.test(`a model port that ${name} ends the turn with an error message in the session`, async () => {
    let isBroken = true;
    await using test = makeHost({
      port: (request) => isBroken ? model(request) : answered("Better."),
    });
    const { host } = test;
    await host.prompt("Go");
    const last = host.messages[1];
    assert(last.role === "assistant");
    assertEquals(last.stopReason, "error");
    assertStringIncludes(last.errorMessage ?? "", error);
    assertEquals(stored(host), linesOf(host.messages));
    assertEquals(test.newEvents().slice(-3), ["context", "turn_end", "agent_end"]);
    isBroken = false;
    await host.prompt("Again");
    assertEquals(linesOf(host.messages).at(-1), "assistant: Better.");
  });
}

Deno.test("a context hook that throws is skipped, one that breaks the conversation ends the turn", async () => {
  let broken: unknown;
  const context = hook("/context.ts", {
    context: () => {
      if (broken === "throw") throw new Error("boom");
      return { messages: broken };
    },
  });
  await using test = makeHost({ answers: ["1", "2", "3"], hooks: [context] });
  broken = "throw";
  await test.host.prompt("Throws");
  assertEquals(linesOf(test.host.messages).at(-1), "assistant: 1");
  broken = [{ role: "assistant" }];
  await test.host.prompt("Breaks");
  const failed = test.host.messages.at(-1);
  assert(failed?.role === "assistant");
  assertEquals(failed.stopReason, "error");
  assert(failed.errorMessage !== undefined && failed.errorMessage !== "");
  broken = [said("only this")];
  await test.host.prompt("Works");
  assertEquals(linesOf(test.host.messages).at(-1), "assistant: 2");
  assertEquals(linesOf(test.model.requests.at(-1)?.messages ?? []), ["user: only this"]);
});

Deno.test("a session that cannot be written is an error of the prompt, told after agent_end", async () => {
  await using test = makeHost({ answers: ["lost"] });
  await test.host.start();
  await test.host.session.close();
  await assertRejects(() => test.host.prompt("Go"), Error, "is closed");
  assertEquals(test.host.isIdle(), true);
  assertEquals(test.host.messages, []);
  assertEquals(test.newEvents().slice(-3), ["turn_start", "turn_end", "agent_end"]);
});

Deno.test("abort ends a model that never answers; its text so far is kept", async () => {
  await using test = makeHost({
    port: async function* () {
      yield "Half a sen";
      test.host.abort();
      await NEVER;
    },
  });
  await test.host.prompt("Go");
  assertEquals(linesOf(test.host.messages), [
    "user: Go",
    "assistant: Half a sen (aborted: The agent was stopped)",
  ]);
  assertEquals(test.host.isIdle(), true);
});

Deno.test("abort closes the calls that were running, whether the tool heeds it or not", async () => {
  const heeding = tool("heeding", (_args, signal) => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal?.addEventListener("abort", () => reject(signal.reason));
    return promise;
  });
  const deaf = tool("deaf", () => {
    host.abort();
    return NEVER;
  });
  await using test = makeHost({
    answers: [answered(call("c1", "echo"), call("c2", "heeding"), call("c3", "deaf"))],
    tools: [echoTool(), heeding, deaf],
    abortGraceMs: 5,
  });
  const { host } = test;
  await host.prompt("Go");
  assertEquals(linesOf(host.messages).slice(2), [
    "toolResult: {}",
    `toolResult error: ${INTERRUPTED_TEXT}`,
    `toolResult error: ${INTERRUPTED_TEXT}`,
  ]);
  assertEquals(test.newEvents().slice(-2), ["turn_end", "agent_end"]);
});

Deno.test("abort ends the wait for a handler that never answers, and the tool does not run", async () => {
  const echo = echoTool();
  const hang = hook("/hang.ts", {
    tool_call: () => {
      test.host.abort();
      return NEVER;
    },
  });
  await using test = makeHost({ answers: [TOOLS], tools: [echo], hooks: [hang] });
  await test.host.prompt("Go");
  assertEquals(echo.runs, []);
  assertEquals(linesOf(test.host.messages)[2], `toolResult error: ${INTERRUPTED_TEXT}`);
});

Deno.test("a handler of turn_end that never ends keeps nobody after an abort", async () => {
  const hang = hook("/hang.ts", {
    turn_end: () => {
      test.host.abort();
      return NEVER;
    },
  });
  await using test = makeHost({
    answers: [TOOLS],
    tools: [echoTool()],
    hooks: [hang],
    abortGraceMs: 5,
  });
  await test.host.prompt("Go");
  assertEquals(test.newEvents().at(-1), "agent_end");
});

Deno.test("a prompt that is stopped while hooks are asked about it is not in the conversation", async () => {
  const hang = hook("/hang.ts", {
    before_agent_start: () => {
      test.host.abort();
      return NEVER;
    },
  });
  await using test = makeHost({ answers: ["never"], hooks: [hang] });
  await test.host.prompt("Go");
  assertEquals(test.host.messages, []);
  assertEquals(test.model.requests, []);
  assertEquals(test.host.isIdle(), true);
});

Deno.test("messages that wait for an agent that is stopped are kept for the next prompt", async () => {
  await using test = makeHost({
    answers: [() => {
      test.host.followUp("B");
      test.host.steer("A");
      test.host.abort();
      return "never";
    }, "ok"],
  });
  await test.host.prompt("Go");
  assertEquals(test.host.hasQueuedMessages(), false);
  assertEquals(linesOf(test.host.messages).slice(2), ["user: A", "user: B"]);
  await test.host.prompt("On");
  assertEquals(linesOf(test.model.requests[1].messages), ["user: Go\nA\nB\nOn"]);
});

Deno.test("an answer that broke off runs none of its calls, and each is closed", async () => {
  const echo = echoTool();
  const broken = { ...TOOLS, stopReason: "error" as const, errorMessage: "cut" };
  await using test = makeHost({ answers: [broken], tools: [echo] });
  await test.host.prompt("Go");
  assertEquals(echo.runs, []);
  assertEquals(linesOf(test.host.messages).slice(1), [
    "assistant: calls echo (error: cut)",
    `toolResult error: ${INTERRUPTED_TEXT}`,
  ]);
});

Deno.test("a resumed session with calls that have no result goes on, and its file stays as it was", async () => {
  await using dir = await tempDir();
  const options = { sessionsDir: dir.file("sessions") };
  const first = await SessionManager.create(dir.path, options);
  first.appendMessage(said("Go"));
  first.appendMessage(answered(call("c1", "echo"), call("c2", "echo")));
  first.appendMessage(gave("c1", "one"));
  const file = first.getSessionFile() ?? "";
  await first.close();
  const before = await Deno.readTextFile(file);
  await using test = makeHost({ session: await SessionManager.open(file), answers: ["On."] });
  await test.host.prompt("Continue");
  assertEquals(linesOf(test.model.requests[0].messages), [
    "user: Go",
    "assistant: calls echo calls echo",
    "toolResult: one",
    `toolResult error: ${INTERRUPTED_TEXT}`,
    "user: Continue",
  ]);
  const after = await Deno.readTextFile(file);
  assertEquals(after.slice(0, before.length), before);
  assertEquals(after.slice(before.length).includes("Interrupted"), false);
});

/** Calls of the host that would wait for themselves. */
const WAITS: Record<string, (host: HookHost, ctx: HookCommandContext) => Promise<unknown>> = {
  "waitForIdle": (host) => host.waitForIdle(),
  "prompt": (host) => host.prompt("more"),
  "newSession": (host) => host.newSession(),
  "branch": (host) => host.branch("x"),
  "navigateTree": (host) => host.navigateTree("x"),
  "compact": (host) => host.compact(),
  "switchSession": (host) => host.switchSession("x"),
  "fork": (host) => host.fork(),
  "waitForIdle of a kept context": (_host, ctx) => ctx.waitForIdle(),
  "newSession of a kept context": (_host, ctx) => ctx.newSession(),
};

for (const [name, wait] of Object.entries(WAITS)) {
  Deno.test(`${name} inside a handler or a tool fails at once with a sentence`, async () => {
    const refusals: string[] = [];
    let kept: HookCommandContext | undefined;
    const attempt = async (): Promise<void> => {
      assert(kept !== undefined);
      const error = await assertRejects(() => wait(test.host, kept as HookCommandContext), Error);
      refusals.push(error.message);
    };
    const keeper = hookFrom((pi) => {
      pi.registerCommand("keep", { handler: (_args, ctx) => void (kept = ctx) });
      pi.on("turn_start", ({ turnIndex }) => turnIndex === 0 ? attempt() : undefined);
      pi.on("tool_call", attempt);
    });
    await using test = makeHost({
      answers: [answered(call("c1", "asking")), "ok"],
      tools: [tool("asking", attempt)],
      hooks: [keeper],
    });
    await test.host.prompt("/keep");
    await test.host.prompt("Go");
    const [method] = name.split(" ");
    assertEquals(refusals.length, 3);
    assertStringIncludes(refusals[0], `${method} cannot be called inside a handler of turn_start`);
    assertStringIncludes(refusals[1], `${method} cannot be called inside the tool asking`);
    assertStringIncludes(refusals[2], "would wait for itself");
    assertEquals(linesOf(test.host.messages).at(-1), "assistant: ok");
  });
}

Deno.test("what a handler starts and does not wait for may wait for the agent afterwards", async () => {
  const later = Promise.withResolvers<string>();
  const starter = hookFrom((pi) => {
    pi.on("turn_start", () => {
      setTimeout(() =>
        test.host.waitForIdle().then(
          () => later.resolve("idle"),
          (error) => later.resolve(`${error}`),
        )
      );
    });
  });
  await using test = makeHost({ answers: ["ok"], hooks: [starter] });
  await test.host.prompt("Go");
  assertEquals(await later.promise, "idle");
});

Deno.test("a command may wait for the working agent", async () => {
  const log: string[] = [];
  const waiting = hookFrom((pi) => {
    pi.registerCommand("wait", {
      handler: async (_args, ctx) => {
        log.push(`idle: ${ctx.isIdle()}`);
        await ctx.waitForIdle();
        log.push(`idle: ${ctx.isIdle()}`);
      },
    });
  });
  const called = Promise.withResolvers<void>();
  await using test = makeHost({
    answers: [async () => {
      called.resolve();
      for (let i = 0; i < 50; i++) await Promise.resolve();
      return "ok";
    }],
    hooks: [waiting],
  });
  const running = test.host.prompt("Go");
  await called.promise;
  await test.host.prompt("/wait");
  await running;
  assertEquals(log, ["idle: false", "idle: true"]);
});

Deno.test("whoever shows the agent hears of texts, messages and tools, and cannot stop it", async () => {
  const heard: string[] = [];
  const updating: HostTool = {
    ...tool("updating", () => "x"),
    execute(_id, _args, _signal, onUpdate) {
      onUpdate?.({ content: [{ type: "text", text: "half" }] });
      return Promise.resolve({ content: [{ type: "text", text: "whole" }] });
    },
  };
  const onProgress = (progress: HostProgress): void => {
    heard.push(
      progress.type === "message"
        ? linesOf([progress.message])[0]
        : progress.type === "text"
        ? `text ${progress.text}`
        : `${progress.type} ${progress.call.name}`,
    );
    if (progress.type === "tool_update") throw new Error("cannot draw");
  };
  await using test = makeHost({
    answers: [answered("I look.", call("c1", "updating")), "ok"],
    tools: [updating],
    onProgress,
  });
  await test.host.prompt("Go");
  assertEquals(heard, [
    "user: Go",
    "assistant: I look. calls updating",
    "tool_start updating",
    "tool_update updating",
    "toolResult: whole",
    "assistant: ok",
  ]);
  assertEquals(test.errors.map(({ event, error }) => [event, error]), [[
    "onProgress",
    "cannot draw",
  ]]);
});

Deno.test("a script that has run out says how often it was asked", async () => {
  await using test = makeHost({ answers: ["one"] });
  await test.host.prompt("A");
  await test.host.prompt("B");
  assertEquals(
    linesOf(test.host.messages).at(-1),
    "assistant: (error: The script has 1 answers, and this is request 2)",
  );
});

Deno.test("hooks cannot change the conversation through the events that show it", async () => {
  const vandal = hook("/vandal.ts", {
    agent_end: ({ messages }) => void (messages as AgentMessage[]).splice(0),
    turn_end: ({ message, toolResults }) => {
      toolResults.splice(0);
      Object.assign(message, { content: "HACK" });
    },
    context: ({ messages }) => void messages.splice(0),
  });
  const answers = [TOOLS, "ok"];
  await using test = makeHost({ answers, tools: [echoTool()], hooks: [vandal] });
  await test.host.prompt("Go");
  assertEquals(linesOf(test.host.messages), [
    "user: Go",
    "assistant: calls echo",
    "toolResult: {}",
    "assistant: ok",
  ]);
  assertEquals(stored(test.host), linesOf(test.host.messages));
});

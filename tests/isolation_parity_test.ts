/**
 * Hooks behave in a process of their own as they do in the host's: each scenario runs both ways, and
 * everything that can be seen of it from outside must be the same.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { HookEventName } from "../src/events/map.ts";
import { EVENT_POLICIES, HOOK_EVENT_NAMES } from "../src/events/policy.ts";
import type { AgentMessage } from "../src/messages.ts";
import type { Model, ModelRegistry } from "../src/ports.ts";
import { SessionManager } from "../src/session/session.ts";
import { HookToolWrapper } from "../src/tool_wrapper.ts";
import { plainTheme } from "../src/ui/no_ui.ts";
import { echoTool, fakeUI } from "./helpers.ts";
import { isolated, type IsolatedSet, type IsolatedSetup, until } from "./isolation_setup.ts";
import { pick, seededRandom } from "./random.ts";
import { emitSample, SAMPLES, userMessage } from "./sample_events.ts";

interface Scenario {
  /** The hooks. */
  hooks: string | readonly string[];
  /** How they are loaded and run; made anew for each way. */
  setup?: () => IsolatedSetup;
  /** What is done, and what is seen of it. */
  drive(set: IsolatedSet): Promise<unknown>;
  /** Whether it must come to errors; else it must not. */
  failsWith?: RegExp;
}

const MODEL: Model = {
  id: "m1",
  name: "M1",
  api: "x",
  provider: "p",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100,
  maxTokens: 10,
};

const REGISTRY: ModelRegistry = {
  getAll: () => [MODEL],
  getAvailable: () => Promise.resolve([MODEL]),
  find: (provider, id) => provider === "p" && id === "m1" ? MODEL : undefined,
  getApiKey: () => Promise.resolve("key-1"),
};

/** A session with a branch, a label and a name for each way. */
function sampleSession(): SessionManager {
  const session = SessionManager.inMemory("/project");
  const first = session.appendMessage(userMessage("one"));
  session.appendMessage(userMessage("two"));
  session.branch(first);
  session.appendCustomEntry("note", { n: 1 });
  session.appendLabelChange(first, "start");
  return session;
}

const toolCall = (command: string, toolName = "bash") =>
  ({
    type: "tool_call",
    toolName,
    toolCallId: "c1",
    input: { command, deep: { list: [1] } },
  }) as const;

const EACH_EVENT = HOOK_EVENT_NAMES.map((name) =>
  `pi.on("${name}", (event, ctx) => {
    const seen = { ...event, signal: event.signal && event.signal.aborted };
    const files = event.preparation?.fileOps;
    pi.logger.info("${name} " + JSON.stringify(seen) + (files ? [...files.read] : ""));
  });`
).join("\n");

const SCENARIOS: Record<string, Scenario> = {
  "hooks and handlers run in order, each waiting for the one before": {
    hooks: ["1", "2"].map((name) => `
      for (const [part, turns] of [["a", 9], ["b", 0], ["c", 3]]) {
        pi.on("turn_start", async () => {
          for (let i = 0; i < turns; i++) await null;
          pi.logger.info("${name}" + part);
        });
      }`),
    drive: ({ runner }) => runner.emit(SAMPLES.turn_start()),
  },
  "a handler registered during a dispatch takes effect from the next one on": {
    hooks: `
      let isFirst = true;
      pi.on("turn_start", () => {
        pi.logger.info("first");
        if (isFirst) pi.on("turn_start", () => pi.logger.info("added"));
        isFirst = false;
      });
      pi.on("turn_start", () => pi.logger.info("second"));`,
    async drive({ runner }) {
      await runner.emit(SAMPLES.turn_start());
      await runner.emit(SAMPLES.turn_start());
    },
  },
  "a handler registered from a timer is heard": {
    hooks: `
      pi.on("turn_end", () => {});
      setTimeout(() => {
        pi.on("turn_start", () => pi.logger.info("late"));
        pi.registerCommand("late", { description: "Later", handler() {} });
      }, 5);`,
    async drive({ runner }) {
      await until(() => runner.getCommand("late") !== undefined, "the timer has run");
      await runner.emit(SAMPLES.turn_start());
      return runner.getRegisteredCommands().map(({ name, description }) => [name, description]);
    },
  },
  "every event arrives as it is": {
    hooks: EACH_EVENT,
    async drive({ runner }) {
      for (const name of HOOK_EVENT_NAMES) await emitSample(runner, name);
    },
  },
  "a tool call: last answer wins, the first block ends the dispatch": {
    hooks: [
      `pi.on("tool_call", (event) => ({ block: false, reason: "one" }));`,
      `pi.on("tool_call", (event) => {
        if (event.input.command === "rm") return { block: true, reason: "no " + event.toolName };
      });`,
      `pi.on("tool_call", (event) => { pi.logger.info("third " + event.input.command); });`,
    ],
    async drive({ runner }) {
      return [
        await runner.emitToolCall(toolCall("ls")),
        await runner.emitToolCall(toolCall("rm")),
        await runner.decideToolCall(toolCall("rm")),
      ];
    },
  },
  "a tool call: what is no answer blocks": {
    hooks: `pi.on("tool_call", (event) => eval("(" + event.input.command + ")"));`,
    async drive({ runner }) {
      const seen: unknown[] = [];
      const answers = [
        "undefined",
        "null",
        "{}",
        "true",
        "'block'",
        "{ block: 'yes' }",
        "{ decision: 'deny' }",
        "{ input: {} }",
        "{ block: true, reason: 7 }",
        "{ block: true, extra: 1 }",
        "[]",
        "0",
        "new Map()",
        "new Date(0)",
      ];
      for (const answer of answers) {
        const { blocked, ...rest } = await runner.decideToolCall(toolCall(answer));
        seen.push([answer, blocked, rest]);
      }
      return seen;
    },
  },
  "a tool call: whatever is thrown blocks and is what it was": {
    hooks: `pi.on("tool_call", async (event) => { throw eval("(" + event.input.command + ")"); });`,
    async drive({ runner }) {
      const seen: unknown[] = [];
      const thrown = [
        "null",
        "'text'",
        "{ code: 7 }",
        "new Error('plain')",
        "new TypeError('typed')",
        "Object.assign(new RangeError('coded'), { code: 'E_X' })",
        "new Error('outer', { cause: new SyntaxError('inner') })",
      ];
      for (const text of thrown) {
        const decision = await runner.decideToolCall(toolCall(text));
        assert(decision.blocked);
        const [value] = decision.thrown ?? [];
        const isError = value instanceof Error;
        seen.push([
          decision.reason,
          decision.kind,
          isError
            ? [
              value.constructor.name,
              value.message,
              Reflect.get(value, "code"),
              String(value.cause),
            ]
            : value,
        ]);
      }
      return seen;
    },
  },
  "inputs cannot be changed in place": {
    hooks: `
      pi.on("tool_call", (event) => { event.input.deep.list.push(2); });
      pi.on("tool_result", (event) => { event.content[0].text = "x"; });
      pi.on("tool_result", (event) => { event.details = {}; });`,
    async drive({ runner }) {
      const decision = await runner.decideToolCall(toolCall("ls"));
      assert(decision.blocked);
      await emitSample(runner, "tool_result");
      return decision.reason;
    },
    failsWith: /cannot be changed in place/,
  },
  "results: fields merge, what was shown means no change": {
    hooks: [
      `pi.on("tool_result", (event) => ({ content: [{ type: "text", text: "new" }] }));`,
      `pi.on("tool_result", (event) => ({ content: event.content, details: null }));`,
      `pi.on("tool_result", (event) => ({ isError: true }));`,
      `pi.on("tool_result", (event) => ({ content: "wrong" }));`,
      `pi.on("tool_result", (event) => ({}));`,
    ],
    drive: ({ runner }) => runner.emit(SAMPLES.tool_result()),
    failsWith: /content/,
  },
  "through the wrapper: blocked, overridden, failed": {
    hooks: `
      pi.on("tool_call", (event) => event.input.rm ? { block: true } : undefined);
      pi.on("tool_result", (event) => {
        pi.logger.info(JSON.stringify(event));
        return { content: [{ type: "text", text: "changed" }] };
      });`,
    async drive({ runner }) {
      const tool = new HookToolWrapper(echoTool("bash"), runner);
      const failing = new HookToolWrapper(
        { ...echoTool("bash"), execute: () => Promise.reject(new RangeError("broken")) },
        runner,
      );
      const seen = [];
      for (const [one, input] of [[tool, { rm: true }], [tool, { a: 1 }], [failing, {}]] as const) {
        seen.push(await one.execute("c1", input).catch((error) => [error.name, error.message]));
      }
      return seen;
    },
  },
  "a conversation passes from hook to hook": {
    hooks: [
      `pi.on("context", (event) => { event.messages[0].content[0].text = "not returned"; });`,
      `pi.on("context", (event) => ({ messages: event.messages.slice(1) }));`,
      `pi.on("context", (event) => {
        event.messages[0].content[0].text += "!";
        return { messages: [...event.messages, { role: "user", content: "added", timestamp: 3 }] };
      });`,
      `pi.on("context", (event) => {
        pi.logger.info(JSON.stringify(event.messages));
        return { messages: event.messages.reverse() };
      });`,
      `pi.on("context", () => ({ messages: "none" }));`,
      `pi.on("context", () => ({ messages: [1] }));`,
      `pi.on("context", () => ({}));`,
      `pi.on("context", () => { throw new Error("after"); });`,
    ],
    async drive({ runner }) {
      const messages = ["one", "two", "three"].map((text): AgentMessage => userMessage(text));
      const first = await runner.emitContext(messages);
      messages.push(userMessage("four"));
      const second = await runner.emitContext(messages);
      assertEquals(messages.length, 4);
      const kept = second.filter((message) => messages.includes(message)).length;
      return [first, second, kept];
    },
    failsWith: /after|messages/,
  },
  "before an agent starts the first message is kept": {
    hooks: [
      `pi.on("before_agent_start", (event) => ({ message: { customType: 7 } }));`,
      `pi.on("before_agent_start", (event) => ({
        message: { customType: "a", content: event.prompt, display: true, details: { n: [1] } },
      }));`,
      `pi.on("before_agent_start", () => ({ message: { customType: "b", content: "", display: true } }));`,
    ],
    drive: ({ runner }) =>
      runner.emitBeforeAgentStart("go", [{ type: "image", data: "aGk=", mimeType: "image/png" }]),
    failsWith: /message/,
  },
  "changes of the session: the first cancel ends the dispatch": {
    hooks: [
      `pi.on("session_before_compact", (event) => ({
        compaction: { summary: [...event.preparation.fileOps.read].join(), firstKeptEntryId: "e1", tokensBefore: 1 },
      }));`,
      `pi.on("session_before_switch", (event) => ({ cancel: event.reason === "new" }));
       pi.on("session_before_tree", () => ({ summary: { summary: "s", details: { d: 1 } } }));
       pi.on("session.compacting", () => ({ context: ["c"], prompt: "p", preserveData: { k: [1] } }));`,
      `pi.on("session_before_switch", () => { pi.logger.info("never"); });`,
    ],
    async drive({ runner }) {
      return [
        await runner.emit(SAMPLES.session_before_compact()),
        await runner.emit(SAMPLES.session_before_switch()),
        await runner.emit(SAMPLES.session_before_tree()),
        await runner.emit(SAMPLES["session.compacting"]()),
      ];
    },
  },
  "the signal of an event crosses": {
    hooks: `pi.on("session_before_compact", (event) => new Promise((resolve) => {
      pi.logger.info("waiting " + event.signal.aborted);
      event.signal.addEventListener("abort", () => resolve({ cancel: true }));
    }));`,
    async drive({ runner, log }) {
      const controller = new AbortController();
      const event = { ...SAMPLES.session_before_compact(), signal: controller.signal };
      const emitted = runner.emit(event).catch((error) => [error.name, error.message]);
      await until(() => log.length > 0, "the handler waits");
      controller.abort();
      return await emitted;
    },
  },
  "the context tells about the host": {
    hooks: `pi.on("turn_start", (event, ctx) => {
      const { sessionManager: s, modelRegistry: m } = ctx;
      pi.logger.info(JSON.stringify([
        ctx.hasUI, ctx.isIdle(), ctx.hasQueuedMessages(), ctx.model, m.getAll(), m.find("p", "m1"), m.find("x", "y"),
        s.getCwd(), s.getSessionDir(), s.getSessionId() !== "", s.getSessionFile(), s.getSessionName(),
        s.getHeader().type, s.getUsageStatistics(),
        s.getEntries().map((entry) => entry.type), s.getBranch().map((entry) => entry.type),
        s.getBranch(s.getEntries()[1].id).length, s.getBranch("nobody"), s.getEntry("nobody"),
        s.getLeafId() === s.getLeafEntry().id, s.getLeafEntry().type,
        s.getLabel(s.getEntries()[0].id), s.getTree()[0].children.length, s.getTree()[0].label,
        Object.isFrozen(ctx), Object.isFrozen(s.getEntries()[0]),
      ]));
    });
    pi.on("turn_end", async (event, ctx) => {
      pi.logger.info(JSON.stringify(await ctx.modelRegistry.getAvailable()));
      ctx.abort();
      const { isIdle, abort } = ctx;
      pi.logger.info(String(isIdle()));
    });`,
    setup: () => ({
      sessionManager: sampleSession(),
      modelRegistry: REGISTRY,
      getModel: () => MODEL,
      isIdle: () => false,
      hasQueuedMessages: () => true,
    }),
    async drive({ runner }) {
      await runner.emit(SAMPLES.turn_start());
      await emitSample(runner, "turn_end");
    },
  },
  "a session that grows, moves and changes is followed": {
    hooks: `pi.on("turn_start", (event, ctx) => {
      const s = ctx.sessionManager;
      pi.logger.info(JSON.stringify([s.getCwd(), s.getEntries().map((e) => e.data ?? e.type), s.getBranch().length]));
    });`,
    async drive({ runner }) {
      const session = sampleSession();
      const binding = { sessionManager: session };
      runner.initialize(binding);
      await runner.emit(SAMPLES.turn_start());
      session.appendCustomEntry("x", { n: 2 });
      await runner.emit(SAMPLES.turn_start());
      session.branch(session.getEntries()[0].id);
      await runner.emit(SAMPLES.turn_start());
      runner.initialize({ sessionManager: SessionManager.inMemory("/other") });
      await runner.emit(SAMPLES.turn_start());
      runner.initialize(binding);
      await runner.emit(SAMPLES.turn_start());
    },
  },
  "questions and notices": {
    hooks: `pi.on("tool_call", async (event, ctx) => {
      const { ui } = ctx;
      ui.notify("hello", "warning");
      ui.setStatus("k", ui.theme.bold("busy"));
      ui.setStatus("gone", "x");
      ui.setStatus("gone", undefined);
      ui.setEditorText("draft");
      const seen = [
        await ui.select("Which?", ["a", "b"]),
        await ui.confirm("Sure?", "really"),
        await ui.input("Name?", "hint"),
        await ui.editor("Text?", "prefill"),
        ui.getEditorText(),
        ctx.hasUI,
        ui.theme.fg("error", "red"),
      ];
      return { block: true, reason: JSON.stringify(seen) };
    });`,
    async drive(set) {
      const ui = {
        ...fakeUI({ select: "b", confirm: true, input: undefined, editor: "long\ntext" }),
        theme: { ...plainTheme, fg: (color: string, text: string) => `<${color}>${text}</>` },
      };
      set.runner.initialize({ uiContext: ui });
      const answer = await set.runner.emitToolCall(toolCall("ls"));
      const asked = ui.dialogs.map(({ kind, args }) => [kind, args]);
      return [answer, asked, ui.notices, [...ui.statuses], ui.getEditorText()];
    },
  },
  "without anybody to ask": {
    hooks: `pi.on("tool_call", async (event, ctx) => ({
      block: true,
      reason: JSON.stringify([
        ctx.hasUI, await ctx.ui.select("a", ["b"]) ?? "nothing", await ctx.ui.confirm("a", "b"),
        await ctx.ui.input("a") ?? "nothing", await ctx.ui.editor("a") ?? "nothing", ctx.ui.getEditorText(),
      ]),
    }));`,
    drive: ({ runner }) => runner.emitToolCall(toolCall("ls")),
  },
  "a hook takes its question back": {
    hooks: `pi.on("tool_call", async (event, ctx) => {
      const controller = new AbortController();
      const asked = ctx.ui.confirm("Sure?", "x", { signal: controller.signal });
      setTimeout(() => controller.abort(), 20);
      return { block: true, reason: "answered " + await asked };
    });`,
    setup: () => ({
      ui: fakeUI({
        confirm: ({ signal }) =>
          new Promise((resolve) => signal?.addEventListener("abort", () => resolve(false))),
      }),
    }),
    drive: ({ runner }) => runner.emitToolCall(toolCall("ls")),
  },
  "a question of a person that fails is the hook's to handle": {
    hooks: `pi.on("tool_call", async (event, ctx) => {
      try { await ctx.ui.input("x"); } catch (error) {
        return { block: true, reason: error.constructor.name + " " + error.message };
      }
    });`,
    setup: () => ({ ui: fakeUI() }),
    drive: ({ runner }) => runner.emitToolCall(toolCall("ls")),
  },
  "messages and entries": {
    hooks: `
      try { pi.sendMessage({ customType: "a", content: "", display: true }); } catch (error) {
        pi.logger.info(error.message);
      }
      pi.on("turn_start", () => {
        pi.sendMessage({ customType: "a", content: "text", display: true, details: { d: 1 } }, { triggerTurn: true });
        pi.appendEntry("kind", { list: [1] });
        pi.appendEntry("empty");
        for (const wrong of [() => pi.sendMessage({}), () => pi.appendEntry(""), () => pi.appendEntry("x", { f() {} })]) {
          try { wrong(); } catch (error) { pi.logger.info(error.name + " " + error.message); }
        }
      });`,
    async drive({ runner }) {
      const seen: unknown[] = [];
      runner.initialize({
        sendMessageHandler: (...args) => void seen.push(args),
        appendEntryHandler: (...args) => void seen.push(args),
      });
      await runner.emit(SAMPLES.turn_start());
      return seen;
    },
  },
  "a message that cannot be delivered is an error": {
    hooks:
      `pi.on("turn_start", () => pi.sendMessage({ customType: "a", content: "", display: true }));`,
    async drive({ runner, errors }) {
      await runner.emit(SAMPLES.turn_start());
      await until(() => errors.length > 0, "the failure is reported");
    },
    failsWith: /does not offer it/,
  },
  "commands": {
    hooks: `
      pi.registerCommand("go", { description: "Goes", handler: async (args, ctx) => {
        await ctx.waitForIdle();
        pi.logger.info("idle, args " + JSON.stringify(args));
        const fresh = await ctx.newSession({
          parentSession: "/p.jsonl",
          setup: async (sm) => {
            const id = sm.appendMessage({ role: "user", content: [{ type: "text", text: "Continue" }], timestamp: 5 });
            sm.appendLabelChange(id, "start");
            pi.logger.info(JSON.stringify([sm.getEntries().length, sm.getLabel(id), sm.getCwd()]));
          },
        });
        pi.logger.info(JSON.stringify([fresh, await ctx.branch("e1"), await ctx.navigateTree("e2", { summarize: true })]));
      } });
      pi.registerCommand("fail", { handler() { throw new TypeError("no such thing"); } });`,
    async drive({ runner }) {
      const seen: unknown[] = [];
      runner.initialize({
        waitForIdle: () => Promise.resolve(void seen.push("waited")),
        newSessionHandler: async (options) => {
          const session = SessionManager.inMemory("/fresh");
          await options?.setup?.(session);
          const [message, label] = session.getEntries();
          seen.push([
            options?.parentSession,
            message.type === "message" && message.message,
            label.type,
          ]);
          return { cancelled: false };
        },
        branchHandler: (id) => Promise.resolve({ cancelled: id === "e1" }),
        navigateTreeHandler: (...args) => {
          seen.push(args);
          return Promise.reject(new RangeError("nowhere"));
        },
      });
      return [
        await runner.runCommand("go", "a  b"),
        await runner.runCommand("fail"),
        await runner.runCommand("unknown"),
        seen,
        runner.getRegisteredCommands().map(({ name, description }) => [name, description]),
      ];
    },
    failsWith: /nowhere|no such thing/,
  },
  "a setup that throws": {
    hooks: `pi.registerCommand("go", { handler: (args, ctx) => ctx.newSession({
      setup() { throw new Error("not ready"); },
    }) });`,
    async drive({ runner }) {
      const seen: unknown[] = [];
      runner.initialize({
        newSessionHandler: async (options) => {
          await options?.setup?.(SessionManager.inMemory("/fresh"));
          seen.push("never");
          return { cancelled: false };
        },
      });
      await runner.runCommand("go");
      return seen;
    },
    failsWith: /not ready/,
  },
  "programs": {
    hooks: `pi.on("tool_call", async (event, ctx) => {
      const out = await pi.exec("printf", ["%s|", "a b", "$HOME"]);
      const place = await pi.exec("pwd", []);
      const late = await pi.exec("sleep", ["60"], { timeout: 50 });
      return { block: true, reason: JSON.stringify([out, place.stdout.trim() === ctx.cwd, late.code, late.killed]) };
    });`,
    setup: () => ({
      load: { permissions: { run: ["printf", "pwd", "sleep"] } },
    }),
    drive: ({ runner }) => runner.emitToolCall(toolCall("ls")),
  },
  "the API can be taken apart, and offers what the package exports": {
    hooks: `const { on, logger, pi: door, exec } = pi;
      on("turn_start", () => logger.info([typeof door.HookRunner, typeof pi.pi.loadHooks, typeof exec].join()));`,
    drive: ({ runner }) => runner.emit(SAMPLES.turn_start()),
  },
  "the observer hears the same": {
    hooks: [
      `pi.on("tool_call", () => ({ block: false, reason: "x" }));`,
      `pi.on("tool_call", () => { throw new Error("y"); });`,
      `pi.on("tool_call", () => {});`,
    ],
    setup: () => ({ observed: true }),
    async drive({ runner, records }) {
      await runner.decideToolCall(toolCall("ls"));
      return records.map(({ milliseconds: _, ...record }) => record);
    },
  },
  "a limit of the host": {
    hooks: `pi.on("tool_call", () => new Promise(() => {}));`,
    setup: () => ({ options: { handlerTimeoutMs: 60 } }),
    async drive({ runner }) {
      const decision = await runner.decideToolCall(toolCall("ls"));
      return decision.blocked && [decision.reason, decision.kind];
    },
  },
  "an aborted call": {
    hooks: `pi.on("tool_call", () => { pi.logger.info("asked"); return new Promise(() => {}); });`,
    async drive({ runner, log }) {
      const controller = new AbortController();
      const asked = runner.decideToolCall(toolCall("ls"), { signal: controller.signal });
      const result = asked.catch((error) => [error.name, error.message]);
      await until(() => log.length > 0, "the handler was asked");
      controller.abort();
      return await result;
    },
  },
  "the end of a session": {
    hooks: [1, 2].map((n) =>
      `pi.on("session_shutdown", async () => { pi.logger.info("bye ${n}"); });`
    ),
    async drive({ runner, log }) {
      await emitSample(runner, "session_shutdown");
      log.sort();
    },
  },
};

/** Everything that can be seen of a scenario from outside. */
async function seenOf(scenario: Scenario, isolate: boolean): Promise<Record<string, unknown>> {
  const setup = scenario.setup?.() ?? {};
  await using set = await isolated(scenario.hooks, { ...setup, load: { ...setup.load, isolate } });
  const result = await scenario.drive(set);
  const plain = (text: string): string =>
    text.replaceAll(set.dir.path, "DIR").replaceAll(/DIR\/hook\d\.ts: /g, "");
  const seen = {
    result,
    errors: set.errors.map(({ hookPath, event, error, handlerIndex }) => ({
      hookPath,
      event,
      error,
      handlerIndex,
    })),
    warnings: set.warnings,
    loadWarnings: set.loadWarnings,
    log: set.log,
  };
  return JSON.parse(
    plain(JSON.stringify(seen, (_, value) => value === undefined ? "undefined" : value)),
  );
}

for (const [name, scenario] of Object.entries(SCENARIOS)) {
  Deno.test(`isolated or not, it is the same: ${name}`, async () => {
    const inProcess = await seenOf(scenario, false);
    assertEquals(await seenOf(scenario, true), inProcess);
    const errors = inProcess.errors as { error: string }[];
    if (scenario.failsWith === undefined) assertEquals(errors, []);
    else {assert(
        errors.some(({ error }) => scenario.failsWith?.test(error)),
        JSON.stringify(errors),
      );}
  });
}

Deno.test("an isolated hook of several files loads, with the suffixes that people write", async () => {
  await using set = await isolated(
    `import { word } from "./lib/word.js";
    import data from "./data.json" with { type: "json" };
    import { isToolCall } from "@oh-my-pi/pi-coding-agent/hooks";
    export default (pi) => pi.on("tool_call", () => ({
      block: true,
      reason: [word, data.n, typeof isToolCall].join(),
    }));`,
    {
      files: {
        "lib/word.ts": `export { word } from "./deeper";`,
        "lib/deeper.ts": `export const word: string = "deep";`,
        "data.json": `{"n":7}`,
      },
    },
  );
  assertEquals(await set.runner.emitToolCall(toolCall("ls")), {
    block: true,
    reason: "deep,7,function",
  });
});

// Answers of every kind, folded

const ANSWERS: Readonly<Partial<Record<HookEventName, readonly string[]>>> = {
  tool_call: [
    "undefined",
    "{}",
    "{ block: false }",
    "{ reason: 'r' }",
    "{ block: true, reason: 'b' }",
    "7",
  ],
  tool_result: [
    "undefined",
    "{ content: event.content }",
    "{ content: [] }",
    "{ details: null }",
    "{ details: event.details, isError: false }",
    "{ isWarning: true }",
    "{ content: 1 }",
    "{ details: new Date(0) }",
  ],
  context: [
    "undefined",
    "{ messages: event.messages }",
    "{ messages: [] }",
    "{ messages: event.messages.slice(1) }",
    "{ messages: [event.messages[0], event.messages[0]] }",
    "{ messages: [...event.messages, { role: 'user', content: 'x', timestamp: 1 }] }",
    "{ messages: [null] }",
  ],
  session_before_switch: [
    "undefined",
    "{ cancel: false }",
    "{ cancel: true }",
    "{ cancel: 1 }",
    "[]",
  ],
  "session.compacting": ["undefined", "{ prompt: 'p' }", "{ context: ['c'] }", "{ context: 'c' }"],
};

Deno.test("isolated or not, answers fold the same, whatever they are", async () => {
  const random = seededRandom(7);
  const names = Object.keys(ANSWERS) as (keyof typeof ANSWERS)[];
  // Each hook answers by the number of the round.
  const rounds = 12;
  const hooks = [1, 2, 3].map(() =>
    names.map((name) => {
      const answers = Array.from({ length: rounds }, () => pick(random, ANSWERS[name] ?? []));
      return `{ let round = 0;
        const answers = [${answers.map((answer) => `(event) => (${answer})`).join(", ")}];
        pi.on("${name}", (event) => answers[round++](event)); }`;
    }).join("\n")
  );
  const drive = async (set: IsolatedSet): Promise<unknown> => {
    const seen: unknown[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const name of names) {
        seen.push(
          await emitSample(set.runner, name).catch((error: Error) => [error.name, error.message]),
        );
      }
    }
    return [seen, set.records.map(({ milliseconds: _, ...record }) => record)];
  };
  const scenario: Scenario = { hooks, drive, setup: () => ({ observed: true }) };
  const inProcess = await seenOf(scenario, false);
  assertEquals(await seenOf(scenario, true), inProcess);
  assert((inProcess.errors as unknown[]).length > 0, "some of the answers are wrong");
  assert(names.every((name) => EVENT_POLICIES[name].fold !== "ignore"));
});

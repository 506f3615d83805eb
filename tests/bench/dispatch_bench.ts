/**
 * What the runner and the wrapper cost, beside a bare loop over the same handlers and beside the
 * bare tool. Run it with `deno task bench`.
 *
 * The handlers are distinct functions, so that call sites see as many shapes as with real hooks.
 *
 * @module
 */

import { type AgentTool, HookRunner, HookToolWrapper, type ToolCallEvent } from "../../mod.ts";
import { createHook } from "../../src/api.ts";
import { execCommand } from "../../src/deno/exec.ts";
import type { LoadedHook } from "../../src/hook.ts";
import type { AgentMessage } from "../../src/messages.ts";
import type { HookAPI } from "../../src/types.ts";
import { compare, report } from "./measure.ts";

type Handler = (event: ToolCallEvent) => unknown;

function distinctHandlers(count: number, isAsync: boolean): Handler[] {
  return Array.from({ length: count }, (_, i) =>
    new Function(
      `return ${isAsync ? "async " : ""}(event, ctx) => {
        if (event.toolName === "never${i}") return { block: true, reason: "${i}" };
      }`,
    )() as Handler);
}

function hookWith(register: (pi: HookAPI) => void): LoadedHook {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const handle = createHook({ path: "bench.ts", resolvedPath: "/bench.ts" }, "/");
  const version = handle.open({ exec: execCommand, logger, typebox: undefined, namespace: {} });
  register(version.api);
  version.commit();
  return handle.hook;
}

const EVENTS: ToolCallEvent[] = Array.from({ length: 8 }, (_, i) => ({
  type: "tool_call",
  toolName: "bash",
  toolCallId: `call-${i}`,
  input: { command: `ls ${i}`, timeout: i },
}));
const TURN_STARTS = Array.from({ length: 8 }, (_, turnIndex) => ({
  type: "turn_start" as const,
  turnIndex,
  timestamp: turnIndex,
}));

console.log(
  `${"".padEnd(58)} ${"ours".padStart(10)} ${"bare".padStart(10)} ${"ratio".padStart(8)} ${
    "goal".padStart(9)
  }`,
);

for (const isAsync of [true, false]) {
  for (const count of [1, 10, 100]) {
    const handlers = distinctHandlers(count, isAsync);
    const runner = new HookRunner([
      hookWith((pi) => {
        for (const handler of handlers) {
          pi.on("tool_call", handler as never);
          pi.on("turn_start", handler as never);
        }
      }),
    ], "/");
    const ctx = {};
    const bare = async (times: number) => {
      for (let i = 0; i < times; i++) {
        const event = EVENTS[i & 7];
        for (const handler of handlers) {
          await (handler as (e: unknown, c: unknown) => unknown)(event, ctx);
        }
      }
    };
    const { baseline, figures } = await compare(bare, {
      emit: async (times) => {
        for (let i = 0; i < times; i++) await runner.emit(TURN_STARTS[i & 7]);
      },
      emitToolCall: async (times) => {
        for (let i = 0; i < times; i++) await runner.emitToolCall(EVENTS[i & 7]);
      },
    }, 200_000 / (count + 3));
    const kind = isAsync ? "asynchronous" : "synchronous";
    const goal = count === 1 ? undefined : isAsync ? 0.95 : count === 10 ? 0.2 : 0.4;
    report(`emit, ${count} ${kind} handlers`, baseline, figures.emit, goal);
    report(`emitToolCall, ${count} ${kind} handlers`, baseline, figures.emitToolCall, goal);
  }
}

{
  const runner = new HookRunner([], "/");
  let last: unknown;
  const { figures } = await compare((times) => {
    for (let i = 0; i < times; i++) last = EVENTS[i & 7];
  }, {
    emit: (times) => {
      for (let i = 0; i < times; i++) last = runner.emit(TURN_STARTS[i & 7]);
    },
    emitToolCall: (times) => {
      for (let i = 0; i < times; i++) last = runner.emitToolCall(EVENTS[i & 7]);
    },
  }, 200_000);
  if (last === undefined) throw new Error("nothing was measured");
  for (const [name, figure] of Object.entries(figures)) {
    const text = `${name}, no handler (goal: 12 ns)`.padEnd(58);
    console.log(`${text} ${figure.nanoseconds.toFixed(1).padStart(7)} ns`);
  }
}

{
  const result = { content: [{ type: "text" as const, text: "done" }] };
  // deno-lint-ignore require-await -- a real tool is asynchronous
  const execute = async () => result;
  const tool: AgentTool = { name: "bash", description: "", parameters: {}, execute };
  const withHandlers = (register: (pi: HookAPI) => void) =>
    new HookToolWrapper(tool, new HookRunner([hookWith(register)], "/"));
  const calls = (of: AgentTool) => async (times: number) => {
    for (let i = 0; i < times; i++) await of.execute("call", EVENTS[i & 7].input);
  };
  const records: unknown[] = [];
  const observed = new HookToolWrapper(
    tool,
    new HookRunner([hookWith((pi) => pi.on("tool_call", () => {}))], "/", undefined, undefined, {
      observer: (record) => records[0] = record,
    }),
  );
  const { baseline, figures } = await compare(calls(tool), {
    none: calls(withHandlers(() => {})),
    sync: calls(withHandlers((pi) => pi.on("tool_call", () => {}))),
    async: calls(withHandlers((pi) => pi.on("tool_call", async () => {}))),
    both: calls(withHandlers((pi) => {
      pi.on("tool_call", async () => {});
      pi.on("tool_result", async () => {});
    })),
    observed: calls(observed),
  }, 50_000);
  report("wrapped call, no handlers", baseline, figures.none, 1.1);
  report("wrapped call, 1 synchronous handler (goal: +1000 ns)", baseline, figures.sync);
  report("wrapped call, 1 asynchronous handler (goal: +1000 ns)", baseline, figures.async);
  report("wrapped call, 1 asynchronous handler each, before and after", baseline, figures.both);
  const extra = figures.observed.nanoseconds - figures.sync.nanoseconds;
  console.log(
    `${"an observer, for each handler (goal: 400 ns)".padEnd(58)} ${
      extra.toFixed(0).padStart(7)
    } ns`,
  );
}

{
  const messages: AgentMessage[] = Array.from({ length: 500 }, (_, i) => ({
    role: "user",
    content: [{ type: "text", text: `${i} ${"x".repeat(4000)}` }],
    timestamp: i,
  }));
  const passes = new HookRunner([hookWith((pi) => pi.on("context", () => {}))], "/");
  const filters = new HookRunner([
    hookWith((pi) =>
      pi.on("context", (event) => ({
        messages: event.messages.filter((message) => message.timestamp % 10 !== 0),
      }))
    ),
  ], "/");
  const { baseline, figures } = await compare(
    (times) => {
      for (let i = 0; i < times; i++) structuredClone(messages);
    },
    {
      passes: async (times) => {
        for (let i = 0; i < times; i++) await passes.emitContext(messages);
      },
      filters: async (times) => {
        for (let i = 0; i < times; i++) await filters.emitContext(messages);
      },
    },
    20,
    15,
  );
  report("emitContext, 2 MB in 500 messages, handler passes", baseline, figures.passes, 0.15);
  report(
    "emitContext, 2 MB in 500 messages, handler drops a tenth",
    baseline,
    figures.filters,
    0.15,
  );
}

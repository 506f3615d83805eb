import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { DEFAULT_BLOCK_REASON, HookBlockedError } from "../src/errors.ts";
import type { ToolResultEvent } from "../src/events/tool.ts";
import type { AgentTool, AgentToolResult } from "../src/ports.ts";
import { HookToolWrapper, wrapTools } from "../src/tool_wrapper.ts";
import { echoTool, hook, makeRunner, type TestHandlers, textOf } from "./helpers.ts";

/** A wrapped echo tool, and everything around it. */
function guarded(handlers: TestHandlers, tool: AgentTool = echoTool("bash")) {
  const made = makeRunner([hook("/h.ts", handlers)]);
  return { ...made, tool, wrapper: new HookToolWrapper(tool, made.runner) };
}

/** A tool that gives back what it is told, and counts. */
function toolGiving(give: () => unknown): AgentTool & { count: () => number } {
  let runs = 0;
  return {
    ...echoTool("given"),
    count: () => runs,
    execute: async () => {
      runs++;
      return await give() as AgentToolResult;
    },
  };
}

const text = (words: string) => [{ type: "text" as const, text: words }];

// Order and blocking

Deno.test("the order is tool_call, tool, tool_result", async () => {
  const log: string[] = [];
  const tool = toolGiving(() => {
    log.push("tool");
    return { content: [] };
  });
  const { wrapper } = guarded({
    tool_call: async () => {
      await null;
      log.push("tool_call");
    },
    tool_result: () => void log.push("tool_result"),
  }, tool);
  await wrapper.execute("c1", {});
  assertEquals(log, ["tool_call", "tool", "tool_result"]);
});

Deno.test("a blocked tool does not run, there is no tool_result, and the reason is the message", async () => {
  let results = 0;
  const tool = echoTool("bash");
  const { wrapper, errors } = guarded({
    tool_call: () => ({ block: true, reason: "  no rm today\n" }),
    tool_result: () => void results++,
  }, tool);
  const error = await assertRejects(() => wrapper.execute("c1", {}), HookBlockedError);
  assertEquals([error.message, error.hookPath, error.kind], ["no rm today", "/h.ts", "policy"]);
  assertEquals([tool.runs, results, errors], [[], 0, []]);
});

for (const reason of [undefined, "", "   ", "\n\t"]) {
  Deno.test(`a block with the reason ${Deno.inspect(reason)} has the default text`, async () => {
    const { wrapper } = guarded({ tool_call: () => ({ block: true, reason }) });
    await assertRejects(() => wrapper.execute("c1", {}), HookBlockedError, DEFAULT_BLOCK_REASON);
  });
}

Deno.test("a reason over 8 kB is cut, with a mark", async () => {
  const { wrapper } = guarded({ tool_call: () => ({ block: true, reason: "x".repeat(20_000) }) });
  const { message } = await assertRejects(() => wrapper.execute("c1", {}), HookBlockedError);
  assertEquals(message, `${"x".repeat(8000)}… [12000 more characters]`);
});

Deno.test("the error thrown by a tool_call handler is thrown on as it is", async () => {
  const error = new RangeError("guard broken");
  for (
    const tool_call of [() => Promise.reject(error), () => {
      throw error;
    }]
  ) {
    const tool = echoTool("bash");
    let results = 0;
    const { wrapper } = guarded({ tool_call, tool_result: () => void results++ }, tool);
    const caught = await wrapper.execute("c1", {}).catch((thrown) => thrown);
    assertStrictEquals(caught, error);
    assertEquals([tool.runs, results], [[], 0]);
  }
});

const NO_ERRORS: [unknown, string][] = [
  ["str", 'threw "str"'],
  [null, "threw null"],
  [undefined, "threw undefined"],
  [{ message: "obj" }, 'threw {"message":"obj"}'],
];

for (const [value, words] of NO_ERRORS) {
  Deno.test(`a tool_call handler that throws ${Deno.inspect(value)} blocks with a wrapped error that names it`, async () => {
    const { wrapper } = guarded({ tool_call: () => Promise.reject(value) });
    const error = await assertRejects(() => wrapper.execute("c1", {}), HookBlockedError);
    assertEquals(error.message, `Hook "/h.ts" failed, blocking execution: ${words}`);
    assertEquals(error.kind, "fault");
    assertStrictEquals(error.cause, value);
  });
}

Deno.test("after a gate has failed the next call is asked about again", async () => {
  let calls = 0;
  const tool = echoTool("bash");
  const { wrapper } = guarded({
    tool_call: () => {
      if (calls++ === 0) throw new Error("once");
    },
  }, tool);
  await assertRejects(() => wrapper.execute("c1", {}), Error, "once");
  await wrapper.execute("c2", {});
  assertEquals(tool.runs.length, 1);
});

// What hooks see

Deno.test("the tool gets the original parameters object, hooks get a frozen copy of it", async () => {
  const params = { command: "ls", options: { deep: [1] } };
  const seen: unknown[] = [];
  const tool = echoTool("bash");
  const { wrapper } = guarded({
    tool_call: ({ input }) => void seen.push(input),
    tool_result: ({ input }) => void seen.push(input),
  }, tool);
  await wrapper.execute("c1", params);
  assertStrictEquals(tool.runs[0], params);
  assertEquals(Object.isFrozen(params), false);
  for (const input of seen) {
    assertEquals(input, params);
    assert(input !== params && Object.isFrozen(input));
    assert(Object.isFrozen(Reflect.get(Object(input), "options")));
  }
});

Deno.test("all handlers of a dispatch see one copy", async () => {
  const seen: unknown[] = [];
  const see = (event: unknown) => void seen.push(event);
  const { wrapper } = guarded({ tool_call: [see, see] });
  await wrapper.execute("c1", {});
  assertStrictEquals(seen[0], seen[1]);
});

const WRITES: [string, TestHandlers][] = [
  ["the input", { tool_call: ({ input }) => void Object.assign(input, { command: "rm" }) }],
  ["a new field of the input", { tool_call: ({ input }) => void Object.assign(input, { x: 1 }) }],
  ["a list in the input", { tool_call: ({ input }) => (input.list as number[]).push(2) }],
  ["the event", { tool_call: (event) => void (event.toolName = "other") }],
];

for (const [what, handlers] of WRITES) {
  Deno.test(`a write into ${what} throws a TypeError that names the hook and says that inputs cannot be changed`, async () => {
    const params = { command: "ls", list: [1] };
    const tool = echoTool("bash");
    const { wrapper } = guarded(handlers, tool);
    const error = await assertRejects(() => wrapper.execute("c1", params), TypeError);
    assert(
      error.message.startsWith('Hook "/h.ts" tried to change what it was shown (tool_call); '),
    );
    assert(error.message.includes("inputs and results cannot be changed in place"));
    assertInstanceOf(error.cause, TypeError);
    assertEquals([params, tool.runs], [{ command: "ls", list: [1] }, []]);
  });
}

Deno.test("a write into a shown result is a HookError that names the hook, and changes nothing", async () => {
  const { wrapper, errors } = guarded({
    tool_result: [
      ({ content }) => void (content as unknown[]).push({ type: "text", text: "sneaked" }),
      ({ content }) => void Object.assign(content[0], { text: "sneaked" }),
      ({ details }) => void Object.assign(details as object, { sneaked: true }),
      (event) => void (event.content = []),
    ],
  });
  const result = await wrapper.execute("c1", { a: 1 });
  assertEquals(result, { content: text('{"a":1}'), details: { a: 1 } });
  assertEquals(errors.length, 4);
  for (const { error } of errors) assert(error.includes("cannot be changed in place"), error);
});

Deno.test("a TypeError of the hook's own is not taken for a refused write", async () => {
  const { wrapper } = guarded({
    tool_call: () => {
      throw new TypeError("x is not a function");
    },
  });
  await assertRejects(() => wrapper.execute("c1", {}), TypeError, "x is not a function");
});

// Success

Deno.test("after a success there is exactly one tool_result, with isError false and what the tool gave", async () => {
  const events: ToolResultEvent[] = [];
  const { wrapper } = guarded({ tool_result: (event) => void events.push(event) });
  await wrapper.execute("c7", { a: 1 });
  assertEquals(events, [{
    type: "tool_result",
    toolName: "bash",
    toolCallId: "c7",
    input: { a: 1 },
    content: text('{"a":1}'),
    details: { a: 1 },
    isError: false,
  }]);
});

Deno.test("without an answer the tool's own result object is returned", async () => {
  const own = { content: text("x"), details: { a: 1 } };
  for (const answer of [undefined, null, {}, { isError: true, isWarning: true }, "text"]) {
    const { wrapper } = guarded({ tool_result: () => answer }, toolGiving(() => own));
    assertStrictEquals(await wrapper.execute("c1", {}), own);
  }
});

Deno.test("given back as it was shown, content and details are the tool's own", async () => {
  const own = { content: text("x"), details: { a: 1 } };
  const { wrapper } = guarded({
    tool_result: ({ content, details }) => ({ content, details }),
  }, toolGiving(() => own));
  assertStrictEquals(await wrapper.execute("c1", {}), own);
});

Deno.test("overrides apply to content and details only, other fields of the result stay", async () => {
  const own = { content: text("x"), details: 1, isWarning: true, cost: 7 };
  const answer = { content: text("new"), isError: true, isWarning: false };
  const { wrapper } = guarded({ tool_result: () => answer }, toolGiving(() => own));
  const result = await wrapper.execute("c1", {});
  assertEquals(result, { content: text("new"), details: 1, isWarning: true, cost: 7 } as unknown);
  assertEquals(own, { content: text("x"), details: 1, isWarning: true, cost: 7 });
});

Deno.test("a tool_result handler sees that the tool warned", async () => {
  const seen: unknown[] = [];
  const { wrapper } = guarded(
    { tool_result: ({ isWarning }) => void seen.push(isWarning) },
    toolGiving(() => ({ content: [], isWarning: true })),
  );
  await wrapper.execute("c1", {});
  assertEquals(seen, [true]);
});

Deno.test("details: null takes the details away", async () => {
  const { wrapper } = guarded({ tool_result: () => ({ details: null }) });
  assertEquals((await wrapper.execute("c1", {})).details, null);
});

Deno.test("an empty content is an override", async () => {
  const { wrapper } = guarded({ tool_result: () => ({ content: [] }) });
  assertEquals((await wrapper.execute("c1", { a: 1 })).content, []);
});

Deno.test("a result of a class keeps its class, also where the class defines content itself", async () => {
  class Output {
    #lines = ["secret"];
    get content() {
      return text(this.#lines.join());
    }
    get size(): string {
      return "small";
    }
  }
  const { wrapper, errors } = guarded(
    { tool_result: () => ({ content: text("hidden") }) },
    toolGiving(() => new Output()),
  );
  const result = await wrapper.execute("c1", {});
  assertInstanceOf(result, Output);
  assertEquals([textOf(result), result.size, errors], ["hidden", "small", []]);
});

Deno.test("a frozen result can be overridden, and the tool's object stays as it is", async () => {
  const own = Object.freeze({ content: Object.freeze(text("x")) });
  const { wrapper } = guarded(
    { tool_result: () => ({ content: text("y") }) },
    toolGiving(() => own),
  );
  assertEquals(textOf(await wrapper.execute("c1", {})), "y");
  assertEquals(own.content, text("x"));
});

Deno.test("a tool that returns nothing is told of with an empty content, and may be given one", async () => {
  const seen: unknown[] = [];
  for (const given of [undefined, null, "text", 7]) {
    const see = ({ content, details }: ToolResultEvent) => void seen.push(content, details);
    const silent = guarded({ tool_result: see }, toolGiving(() => given));
    assertStrictEquals(await silent.wrapper.execute("c1", {}), given);
    const answer = { tool_result: () => ({ content: text("said") }) };
    const told = guarded(answer, toolGiving(() => given));
    assertEquals(await told.wrapper.execute("c1", {}), { content: text("said") });
    assertEquals([...silent.errors, ...told.errors], []);
  }
  assertEquals(seen, Array(4).fill([[], undefined]).flat());
});

const BAD_TOLD: [string, TestHandlers["tool_result"]][] = [
  ["throws", () => Promise.reject(new Error("x"))],
  ["answers with a getter that throws", () => ({
    get content(): never {
      throw new Error("getter");
    },
  })],
  ["answers nonsense", () => ({ content: "x" })],
];

for (const [what, tool_result] of BAD_TOLD) {
  Deno.test(`a tool_result handler that ${what} does not turn a success into a failure, and the tool runs once`, async () => {
    let told = 0;
    const tool = echoTool("bash");
    const { runner, errors } = makeRunner([
      hook("/bad.ts", { tool_result }),
      hook("/count.ts", { tool_result: () => void told++ }),
    ]);
    const result = await new HookToolWrapper(tool, runner).execute("c1", { a: 1 });
    assertEquals(textOf(result), '{"a":1}');
    assertEquals([tool.runs.length, told, errors.map(({ hookPath }) => hookPath)], [1, 1, [
      "/bad.ts",
    ]]);
  });
}

Deno.test("error listeners and observers that throw do not turn a success into a failure", async () => {
  const fails = () => {
    throw new Error("listener");
  };
  const tool = echoTool("bash");
  const { runner } = makeRunner([hook("/h.ts", { tool_result: fails })], {
    options: { observer: fails },
  });
  runner.onError(fails);
  await new HookToolWrapper(tool, runner).execute("c1", {});
  assertEquals(tool.runs.length, 1);
});

Deno.test("details that cannot be cloned are shown as they are, and the call succeeds", async () => {
  class Handle {
    #open = true;
    get isOpen(): boolean {
      return this.#open;
    }
  }
  const seen: unknown[] = [];
  const { wrapper, errors } = guarded({
    tool_result: ({ details }) => void seen.push(Reflect.get(Object(details), "isOpen")),
  }, toolGiving(() => ({ content: [], details: new Handle() })));
  await wrapper.execute("c1", {});
  assertEquals([seen, errors], [[true], []]);
});

// Failure

Deno.test("after a failure there is exactly one tool_result, answers are ignored, and the original value is thrown on", async () => {
  const original = new TypeError("boom");
  const events: ToolResultEvent[] = [];
  const tool = toolGiving(() => Promise.reject(original));
  const { wrapper, errors } = guarded({
    tool_result: (event) => {
      events.push(event);
      return { content: text("fine"), isError: false };
    },
  }, tool);
  const caught = await wrapper.execute("c1", { a: 1 }).catch((thrown) => thrown);
  assertStrictEquals(caught, original);
  assertEquals(events, [{
    type: "tool_result",
    toolName: "given",
    toolCallId: "c1",
    input: { a: 1 },
    content: text("boom"),
    details: undefined,
    isError: true,
  }]);
  assertEquals([tool.count(), errors], [1, []]);
});

const THROWN_BY_TOOLS: [unknown, string][] = [
  ["just text", "just text"],
  [null, "threw null"],
  [{ code: 7 }, 'threw {"code":7}'],
  [new RangeError(), "RangeError"],
];

for (const [value, words] of THROWN_BY_TOOLS) {
  Deno.test(`a tool that throws ${Deno.inspect(value).split("\n")[0]} is told of readably, and the very value is thrown on`, async () => {
    const seen: string[] = [];
    const { wrapper } = guarded(
      { tool_result: (event) => void seen.push(textOf({ content: [...event.content] })) },
      toolGiving(() => Promise.reject(value)),
    );
    const caught = await wrapper.execute("c1", {}).then(() => "nothing", (thrown) => [thrown]);
    assertStrictEquals(caught[0], value);
    assertEquals(seen, [words]);
  });
}

Deno.test("a tool that throws at once, without a promise, is a failure like any other", async () => {
  const original = new Error("at once");
  const seen: unknown[] = [];
  const tool: AgentTool = {
    ...echoTool("bash"),
    execute: () => {
      throw original;
    },
  };
  const { wrapper } = guarded({ tool_result: ({ isError }) => void seen.push(isError) }, tool);
  const caught = await wrapper.execute("c1", {}).catch((thrown) => thrown);
  assertStrictEquals(caught, original);
  assertEquals(seen, [true]);
});

Deno.test("a handler that fails over a failure does not replace it", async () => {
  const original = new Error("boom");
  const { wrapper, errors } = guarded(
    { tool_result: () => Promise.reject(new Error("hook")) },
    toolGiving(() => Promise.reject(original)),
  );
  const caught = await wrapper.execute("c1", {}).catch((thrown) => thrown);
  assertStrictEquals(caught, original);
  assertEquals(errors.map(({ error }) => error), ["hook"]);
});

// The wrapper as a tool

Deno.test("all five arguments of execute are forwarded", async () => {
  for (const handlers of [{}, { tool_call: () => {} }, { tool_result: () => {} }]) {
    const seen: unknown[][] = [];
    const tool: AgentTool = {
      ...echoTool("bash"),
      execute: (...args) => {
        seen.push(args);
        return Promise.resolve({ content: [] });
      },
    };
    const { wrapper } = guarded(handlers, tool);
    const { signal } = new AbortController();
    const args = ["c1", { a: 1 }, signal, () => {}, { any: "context" }] as const;
    await wrapper.execute(...args);
    assertEquals(seen[0].length, 5);
    args.forEach((arg, i) => assertStrictEquals(seen[0][i], arg));
  }
});

Deno.test("without handlers the wrapper gives the tool's own promise", () => {
  const promise = Promise.resolve({ content: [] });
  const { wrapper } = guarded({}, { ...echoTool("bash"), execute: () => promise });
  assertStrictEquals(wrapper.execute("c1", {}), promise);
});

Deno.test("a hook that is loaded later guards a tool that is wrapped already", async () => {
  const hooks = [hook("/a.ts", {})];
  const { runner } = makeRunner(hooks);
  const wrapper = new HookToolWrapper(echoTool("bash"), runner);
  await wrapper.execute("c1", {});
  hooks.push(hook("/b.ts", { tool_call: () => ({ block: true, reason: "later" }) }));
  await assertRejects(() => wrapper.execute("c2", {}), HookBlockedError, "later");
});

const KEY = Symbol("key");

class ClassTool implements AgentTool {
  #name = "classy";
  description = "A tool of a class";
  parameters = { type: "object" };
  [KEY] = "by symbol";
  label?: string;
  get name(): string {
    return this.#name;
  }
  set name(name: string) {
    this.#name = name;
  }
  get fixed(): string {
    return `fixed ${this.#name}`;
  }
  static Kind = class Kind {
    static make(): string {
      return "made";
    }
  };
  Kind = ClassTool.Kind;
  summary(): string {
    return `${this.#name}: ${this.description}`;
  }
  execute(_id: string, params: Record<string, unknown>): Promise<AgentToolResult> {
    return Promise.resolve({ content: text(`${this.#name} ${JSON.stringify(params)}`) });
  }
  toString(): string {
    return `tool ${this.#name}`;
  }
}

function wrapClassTool() {
  const tool = new ClassTool();
  const { runner } = makeRunner([hook("/h.ts", { tool_call: () => ({ block: true }) })]);
  const wrapper = wrapTools([tool], runner)[0];
  return { tool, wrapper };
}

Deno.test("own properties, getters of the prototype, methods and symbols of the tool are visible, live", () => {
  const { tool, wrapper } = wrapClassTool();
  assertEquals(
    [
      wrapper.name,
      wrapper.description,
      wrapper.fixed,
      wrapper.summary(),
      wrapper[KEY],
      `${wrapper}`,
    ],
    [
      "classy",
      "A tool of a class",
      "fixed classy",
      "classy: A tool of a class",
      "by symbol",
      "tool classy",
    ],
  );
  tool.name = "renamed";
  assertEquals([wrapper.name, wrapper.fixed], ["renamed", "fixed renamed"]);
  assertEquals(["name" in wrapper, "summary" in wrapper, KEY in wrapper, "nope" in wrapper], [
    true,
    true,
    true,
    false,
  ]);
});

Deno.test("methods stay bound, and are the same function every time", () => {
  const { wrapper } = wrapClassTool();
  const { summary } = wrapper;
  assertEquals(summary(), "classy: A tool of a class");
  assertStrictEquals(wrapper.summary, summary);
});

Deno.test("a class that the tool carries stays that class", () => {
  const { wrapper } = wrapClassTool();
  assertStrictEquals(wrapper.Kind, ClassTool.Kind);
  assertEquals(wrapper.Kind.make(), "made");
});

Deno.test("a schema that can be called keeps its own properties", () => {
  const schema = Object.assign((value: unknown) => typeof value === "object", { type: "object" });
  const { wrapper } = guarded({}, { ...echoTool("bash"), parameters: schema });
  const seen = wrapper.parameters as typeof schema;
  assertEquals([seen({}), seen.type, typeof seen], [true, "object", "function"]);
  assertStrictEquals(wrapper.parameters, seen);
});

Deno.test("assignments reach the tool, also through its setters", () => {
  const { tool, wrapper } = wrapClassTool();
  wrapper.name = "assigned";
  wrapper.description = "changed";
  wrapper.label = "Label";
  assertEquals([tool.name, tool.description, tool.label], ["assigned", "changed", "Label"]);
  Reflect.set(wrapper, "later", 1);
  assertEquals(Reflect.get(tool, "later"), 1);
});

Deno.test("an assignment that the tool refuses throws, as it would on the tool", () => {
  const { wrapper } = wrapClassTool();
  assertThrows(() => Object.assign(wrapper, { fixed: "x" }), TypeError, "Cannot set fixed");
  const frozen = guarded({}, Object.freeze(echoTool("bash"))).wrapper;
  assertThrows(() => Object.assign(frozen, { name: "x" }), TypeError);
  assertThrows(() => Object.assign(frozen, { other: "x" }), TypeError);
});

Deno.test("what is added to the tool later is visible, and bound", () => {
  const { tool, wrapper } = wrapClassTool();
  Object.assign(tool, {
    added: 1,
    describe(this: ClassTool): string {
      return this.summary();
    },
    valueOf: () => 42,
  });
  const seen = wrapper as ClassTool & { added: number; describe(): string };
  assertEquals([seen.added, seen.describe(), Number(seen)], [1, "classy: A tool of a class", 42]);
  assertStrictEquals(seen.describe, seen.describe);
  assert("added" in seen);
});

Deno.test("a wrapper is a HookToolWrapper", () => {
  const { wrapper } = wrapClassTool();
  assertInstanceOf(wrapper, HookToolWrapper);
  assertStrictEquals(wrapper.constructor, HookToolWrapper);
});

Deno.test("a spread copy of a wrapper has the tool's properties and stays guarded", async () => {
  const { wrapper } = wrapClassTool();
  // To the compiler a copy of an instance has no methods; here it has.
  const copy = { ...wrapper } as ClassTool;
  assertEquals([copy.name, copy.description, copy[KEY]], [
    "classy",
    "A tool of a class",
    "by symbol",
  ]);
  await assertRejects(() => copy.execute("c1", {}), HookBlockedError);
  const { execute } = wrapper;
  await assertRejects(() => execute("c1", {}), HookBlockedError);
});

Deno.test("hooks see the name that the tool has now", async () => {
  const names: string[] = [];
  const { tool, wrapper } = guarded({ tool_call: ({ toolName }) => void names.push(toolName) });
  await wrapper.execute("c1", {});
  tool.name = "renamed";
  await wrapper.execute("c2", {});
  assertEquals(names, ["bash", "renamed"]);
});

Deno.test("an execute that is replaced on the tool is the one that runs", async () => {
  const { tool, wrapper } = guarded({ tool_call: () => {} });
  tool.execute = () => Promise.resolve({ content: text("replaced") });
  assertEquals(textOf(await wrapper.execute("c1", {})), "replaced");
});

Deno.test("a tool that is wrapped twice by one runner is asked about once", async () => {
  let asked = 0;
  const { runner } = makeRunner([hook("/h.ts", { tool_call: () => void asked++ })]);
  const once = wrapTools([echoTool("bash")], runner);
  const twice = wrapTools(once, runner);
  assertStrictEquals(twice[0], once[0]);
  const copies = wrapTools(once.map((tool) => ({ ...tool })), runner);
  for (const [tool] of [twice, copies]) await tool.execute("c1", {});
  assertEquals(asked, 2);
});

Deno.test("a tool that is wrapped by two runners is asked about by both, the outer one first", async () => {
  const asked: string[] = [];
  const runnerOf = (name: string) =>
    makeRunner([hook(`/${name}.ts`, { tool_call: () => void asked.push(name) })]).runner;
  const inner = wrapTools([echoTool("bash")], runnerOf("inner"));
  const [tool] = wrapTools(inner, runnerOf("outer"));
  await tool.execute("c1", {});
  assertEquals(asked, ["outer", "inner"]);
});

Deno.test("calls side by side do not see each other", async () => {
  const gate = Promise.withResolvers<void>();
  const { wrapper } = guarded({
    tool_call: async ({ input }) => {
      if (input.wait === true) await gate.promise;
      return { block: input.block === true, reason: String(input.n) };
    },
    tool_result: ({ input }) => ({ details: { n: input.n } }),
  });
  const slow = wrapper.execute("c1", { n: 1, wait: true });
  const blocked = wrapper.execute("c2", { n: 2, block: true });
  const quick = wrapper.execute("c3", { n: 3 });
  await assertRejects(() => blocked, HookBlockedError, "2");
  assertEquals((await quick).details, { n: 3 });
  gate.resolve();
  assertEquals((await slow).details, { n: 1 });
});

Deno.test("a hook that returns changed arguments is blocked or warned about, and the tool gets the original", async () => {
  const tool = echoTool("bash");
  const rewrite = { input: { command: "ls" } };
  const alone = guarded({ tool_call: () => rewrite }, tool);
  await assertRejects(() => alone.wrapper.execute("c1", { command: "rm" }), HookBlockedError);
  const beside = guarded({ tool_call: () => ({ ...rewrite, block: false }) }, tool);
  for (const id of ["c2", "c3"]) await beside.wrapper.execute(id, { command: "rm" });
  assertEquals(tool.runs, [{ command: "rm" }, { command: "rm" }]);
  assertEquals(beside.warnings.length, 1);
  assert(beside.warnings[0].warning.includes("input"), beside.warnings[0].warning);
});

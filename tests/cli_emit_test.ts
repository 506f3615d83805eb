import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { EVENT_FIELDS, eventFault, HOOK_EVENT_NAMES } from "../mod.ts";
import { answersOf, cli } from "./command_line.ts";
import { sampleOf } from "../src/cli/emit.ts";
import { tempDir } from "./helpers.ts";

const GATE = `export default (pi) => {
  pi.on("tool_call", () => {});
  pi.on("tool_call", async (event) => {
    if (/rm/.test(event.input.command)) return { block: true, reason: "no \\x1b[31mrm" };
  });
};`;
const LOG = `export default (pi) => pi.on("tool_call", () => {});`;
const OTHER = `export default (pi) => pi.on("context", () => {});`;
const BROKEN = `export default (pi) => pi.on("tool_call", () => { throw new Error("ouch"); });`;
const RM = '{"input":{"command":"rm x"}}';

Deno.test("emit names who answered what, and who was not asked and why", async () => {
  await using dir = await tempDir();
  for (const [name, text] of Object.entries({ GATE, LOG, OTHER })) {
    await dir.write(`${name}.ts`, text);
  }
  const hooks = ["GATE.ts", "LOG.ts", "OTHER.ts", "none.ts"].flatMap((name) => ["--hook", name]);
  const text = await cli(dir, ["emit", "tool_call", "--data", RM, ...hooks]);
  for (
    const words of [
      "toolName: bash",
      "blocked by GATE.ts (policy): no \\x1b[31mrm",
      "1. GATE.ts handler 1: passed",
      "2. GATE.ts handler 2: blocked",
      '{"block":true,"reason":',
      "LOG.ts handler 1 was not asked: GATE.ts has ended the dispatch",
      "OTHER.ts was not asked: it has no handler for tool_call",
      "none.ts was not asked: it was not loaded (not-found)",
    ]
  ) {
    assertStringIncludes(text.stdout, words);
  }
  assert(!text.stdout.includes("\x1b"), "an escape sequence reached the output");
  assertEquals(text.code, 1, "a hook did not load");

  const [report] = answersOf(
    await cli(dir, ["emit", "tool_call", "--data", RM, "--json", ...hooks]),
  );
  assertEquals(report.result.reason, "no \x1b[31mrm");
  assertEquals(report.trace.length, 2);
  assertEquals(report.trace[1].answer.block, true);
  assert(report.trace[1].milliseconds >= 0);
  assertEquals(report.notAsked.map(({ hookPath }: { hookPath: string }) => hookPath), [
    "LOG.ts",
    "OTHER.ts",
    "none.ts",
  ]);
});

Deno.test("emit fills in what is left out, for every event", async () => {
  await using dir = await tempDir();
  await dir.write(
    "all.ts",
    `export default (pi) => {
      for (const name of ${JSON.stringify(HOOK_EVENT_NAMES)}) pi.on(name, () => {});
    };`,
  );
  for (const name of ["context", "before_agent_start", "session_before_tree", "turn_end"]) {
    const result = await cli(dir, ["emit", name, "--hook", "all.ts", "--json"]);
    assertEquals([result.code, result.stderr], [0, ""], name);
    assertEquals(answersOf(result)[0].trace[0].outcome, "passed", name);
  }
  for (const name of HOOK_EVENT_NAMES) {
    assertEquals(eventFault(name, sampleOf(name)), undefined, name);
  }
});

Deno.test("emit takes fields from the command line, a file and standard input", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  await dir.write("event.json", RM);
  const args = ["emit", "tool_call", "--hook", "gate.ts", "--json", "--data"];
  for (const [data, stdin] of [[RM, ""], ["@event.json", ""], ["-", RM]]) {
    const [report] = answersOf(await cli(dir, [...args, data], stdin));
    assertEquals(report.result.block, true, data);
  }
});

Deno.test("emit says what is wrong with its data", async () => {
  await using dir = await tempDir();
  for (
    const [args, text, code] of [
      [["tool_cal"], "Did you mean tool_call?", 2],
      [[], "Which event?", 2],
      [["tool_call", "x"], "--data", 2],
      [["tool_call", "--data", '{"type":"context"}'], "not tool_call", 2],
      [["tool_call", "--data", '{"toolName":7}'], '"toolName" must be', 2],
      [["tool_call", "--data", "{"], "not JSON", 3],
      [["tool_call", "--data", "[]"], "not a JSON object", 3],
      [["tool_call", "--data", "@none.json"], "there is no such file", 3],
      [["tool_call", "--data", '{"toolname":"x"}'], 'did you mean "toolName"?', 0],
    ] as const
  ) {
    const result = await cli(dir, ["emit", ...args]);
    assertStringIncludes(result.stderr, text);
    assertEquals(result.code, code, args.join(" "));
  }
});

Deno.test("emit --fail-on turns a block or a failing hook into exit code 1", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  await dir.write("broken.ts", BROKEN);
  const code = async (...args: string[]) => (await cli(dir, ["emit", "tool_call", ...args])).code;
  assertEquals(await code("--hook", "gate.ts", "--data", RM), 0);
  assertEquals(await code("--hook", "gate.ts", "--data", RM, "--fail-on", "block"), 1);
  assertEquals(await code("--hook", "gate.ts", "--data", RM, "--fail-on", "error"), 0);
  assertEquals(await code("--hook", "gate.ts", "--fail-on", "block,error"), 0);
  assertEquals(await code("--hook", "broken.ts", "--fail-on", "error"), 1);
  assertEquals(await code("--hook", "broken.ts", "--fail-on", "block"), 1);
});

Deno.test("emit runs the tool where it is told to", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  const data = '{"execute":true,"input":{"command":"echo a && echo b > made"}}';
  const { stdout } = await cli(dir, ["emit", "tool_call", "--hook", "gate.ts", "--data", data]);
  assertStringIncludes(stdout, "✓ allowed");
  assertStringIncludes(stdout, "tool result:");
  assertEquals(await Deno.readTextFile(dir.file("made")), "b\n");
});

Deno.test("emit --describe shows every field of an event and what may be answered", async () => {
  await using dir = await tempDir();
  const one = await cli(dir, ["emit", "--describe", "tool_result"]);
  for (const field of Object.keys(EVENT_FIELDS.tool_result)) {
    assertStringIncludes(one.stdout, field);
  }
  assertStringIncludes(one.stdout, "answer: { content?, details?");
  const [all] = answersOf(await cli(dir, ["emit", "--describe", "--json"]));
  assertEquals(Object.keys(all), [...HOOK_EVENT_NAMES]);
  assertEquals(all.tool_call.answers, ["block", "reason"]);
});

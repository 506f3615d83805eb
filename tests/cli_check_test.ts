import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { answersOf, cli } from "./command_line.ts";
import { tempDir } from "./helpers.ts";

const GATE = `import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";
export default function gate(pi: HookAPI): void {
  pi.on("tool_call", (event) => ({ block: event.toolName === "bash" }));
  pi.registerCommand("open", { description: "Opens it", handler: async () => {} });
}`;
const WRONG_TYPES = `import type { HookAPI } from "@pi-hooks/core";
export default function gate(pi: HookAPI): void {
  pi.on("tool_call", (event) => ({ block: event.toolNam === "bash" }));
}`;

Deno.test("check shows what a hook registers, and the exit code is 0", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  const { stdout, code } = await cli(dir, ["check", "--hook", "gate.ts"]);
  for (const word of ["1. gate.ts", "tool_call", "/open  Opens it", "1 hook, 0 not loaded"]) {
    assertStringIncludes(stdout, word);
  }
  assertEquals(code, 0);
});

Deno.test("check fails for a hook that does not load, and with --fail-on for a warning", async () => {
  await using dir = await tempDir();
  await dir.write("odd.ts", `export default (pi) => pi.on("tool_cal", () => {});`);
  const odd = await cli(dir, ["check", "--hook", "odd.ts"]);
  assertStringIncludes(odd.stdout, "tool_call");
  assertStringIncludes(odd.stdout, "0 not loaded, 1 warning");
  assertEquals(odd.code, 0);
  assertEquals((await cli(dir, ["check", "--hook", "odd.ts", "--fail-on", "warning"])).code, 1);
  const none = await cli(dir, ["check", "--hook", "none.ts"]);
  assertStringIncludes(none.stdout, "none.ts was not loaded (not-found)");
  assertEquals(none.code, 1);
});

Deno.test("check --json is one object for programs", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  const args = ["check", "--hook", "gate.ts", "--hook", "none.ts", "--json"];
  const [report] = answersOf(await cli(dir, args));
  assertEquals(report.isFine, false);
  assertEquals(report.hooks[0].events, { tool_call: 1 });
  assertEquals(report.errors[0].kind, "not-found");
  assertEquals(report.types, undefined);
});

Deno.test("check --types finds wrong types and says in which hook", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  await dir.write("wrong.ts", WRONG_TYPES);
  const both = ["check", "--types", "--hook", "gate.ts", "--hook", "wrong.ts"];
  const [report] = answersOf(await cli(dir, [...both, "--json"]));
  assertEquals(report.types.map(({ isFine }: { isFine: boolean }) => isFine), [true, false]);
  assertStringIncludes(report.types[1].output, "toolNam");
  assert(!report.types[1].output.includes("\x1b"), "colours in JSON");
  const fine = await cli(dir, ["check", "--types", "--hook", "gate.ts"]);
  assertStringIncludes(fine.stdout, "gate.ts: types are fine");
  assertEquals(fine.code, 0);
});

Deno.test("check names the hooks that a project ships and imports none of them", async () => {
  await using dir = await tempDir();
  const source = `Deno.writeTextFileSync(${JSON.stringify(dir.file("pwned"))}, "1");
    export default () => {};`;
  await dir.write(".xcsh/hooks/pre/x.ts", source);
  const { stdout, code } = await cli(dir, ["check", "--types"]);
  assertStringIncludes(stdout, "x.ts");
  assertStringIncludes(stdout, "not trusted");
  const pwned = await Deno.stat(dir.file("pwned")).then(() => true, () => false);
  assertEquals([pwned, code], [false, 0]);
});

Deno.test("check refuses what it does not know", async () => {
  await using dir = await tempDir();
  for (
    const [args, text] of [
      [["check", "gate.ts"], "name hooks with --hook"],
      [["check", "--fail-on", "warnin"], "Did you mean warning?"],
      [["check", "--type"], "Did you mean --types?"],
      [["chek"], "Did you mean check?"],
    ] as const
  ) {
    const { stderr, code } = await cli(dir, args);
    assertStringIncludes(stderr, text);
    assertEquals(code, 2);
  }
});

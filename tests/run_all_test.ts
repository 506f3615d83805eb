/** @module The runner of all checks: what counts, what fails, what a reader sees. */

import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path/posix/join";
import { judge, listSteps, readTally, runSteps, type Step } from "./run_all.ts";

const testStep: Step = { name: "tests", args: ["test"], countsTests: true };
const otherStep: Step = { name: "lint", args: ["lint"] };

Deno.test("the summary of the test runner is read, whatever else it says", () => {
  const table: [string, { passed: number; failed: number } | undefined][] = [
    ["ok | 3 passed | 0 failed (9ms)", { passed: 3, failed: 0 }],
    ["x\nFAILED | 1 passed (2 steps) | 3 failed (1 step) | 1 ignored (280ms)\ny", {
      passed: 1,
      failed: 3,
    }],
    ["\x1b[32mok\x1b[0m | 12 passed | 0 failed \x1b[38;5;245m(9ms)\x1b[0m", {
      passed: 12,
      failed: 0,
    }],
    ["ok | 3 passed | 0 failed (9ms)\nok | 4 passed | 0 failed (9ms)", { passed: 4, failed: 0 }],
    ["error: No test modules found", undefined],
    ["a test printed: ok | 3 passed | 0 failed", undefined],
  ];
  for (const [output, expected] of table) assertEquals(readTally(output), expected, output);
});

Deno.test("a step that runs tests counts each test, another step counts one", () => {
  const output = "ok | 3 passed | 0 failed (9ms)";
  assertEquals(judge(testStep, true, output).passed, 3);
  assertEquals(judge(otherStep, true, output), { passed: 1, failed: 0, note: "" });
  assertEquals(judge(otherStep, false, output), { passed: 0, failed: 1, note: "" });
});

Deno.test("a test step in which no test ran has failed, even if the runner is content", () => {
  for (const output of ["", "ok | 0 passed | 0 failed (0ms)"]) {
    assertEquals(judge(testStep, true, output), { passed: 0, failed: 1, note: "no test ran" });
  }
});

Deno.test("a test step fails when the runner fails beside its tests", () => {
  const { passed, failed } = judge(testStep, false, "ok | 3 passed | 0 failed (9ms)");
  assertEquals({ passed, failed }, { passed: 3, failed: 1 });
});

Deno.test("every exported entry point is checked for documentation", () => {
  const config = JSON.stringify({ exports: { ".": "./mod.ts", "./other": "./other.ts" } });
  const documentation = listSteps(config).find((step) => step.args[0] === "doc");
  assertEquals(documentation?.args, ["doc", "--lint", "./mod.ts", "./other.ts"]);
  assertThrows(() => listSteps("{}"), Error, "names no exports");
});

Deno.test("a failing step shows its output, and the next step still runs", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(folder, "bad_test.ts"), `Deno.test("bad", () => { throw 1; });`);
    await Deno.writeTextFile(join(folder, "good_test.ts"), `Deno.test("good", () => {});`);
    const pieces: string[] = [];
    const total = await runSteps([
      { name: "broken", args: ["eval", "console.log('its output'); Deno.exit(3)"] },
      { name: "fine", args: ["eval", "console.log('not shown')"] },
      { name: "tests", args: ["test", "--no-config", "."], countsTests: true, shards: 2 },
    ], { cwd: folder, colour: false, write: (text) => pieces.push(text) });
    const text = pieces.join("");
    assertEquals(total, { passed: 2, failed: 2 });
    assertMatch(text, /^broken {2}FAILED +\d+\.\d s$/m);
    assertMatch(text, /^fine {4}ok +\d+\.\d s$/m);
    assertMatch(text, /^tests {3}FAILED +\d+\.\d s {2}1 passed, 1 failed$/m);
    assertStringIncludes(text, "its output");
    assertEquals(text.includes("not shown"), false);
    assertEquals(text.includes("\x1b"), false);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

import { assertEquals, assertStringIncludes } from "@std/assert";
import { answersOf, cli } from "./command_line.ts";
import { runDeno, tempDir } from "./helpers.ts";

Deno.test("init writes a hook that loads, with right types, and a test that passes", async () => {
  await using dir = await tempDir();
  const { stdout, code } = await cli(dir, ["init", "no-rm"]);
  for (const file of ["./no-rm.ts", "./no-rm_test.ts", "./deno.json"]) {
    assertStringIncludes(stdout, file);
  }
  assertEquals(code, 0);
  const checked = await cli(dir, [
    "check",
    "--hook",
    "no-rm.ts",
    "--types",
    "--fail-on",
    "warning",
  ]);
  assertEquals(checked.code, 0, checked.stdout);
  const tested = await runDeno(["test", dir.file("no-rm_test.ts")], { permissions: ["-A"] });
  assertStringIncludes(tested.stdout, "3 passed");
  const { imports } = JSON.parse(await Deno.readTextFile(dir.file("deno.json")));
  assertStringIncludes(imports["@pi-hooks/core"], "jsr:@pi-hooks/core@^");
  const formatted = await runDeno([
    "fmt",
    "--check",
    dir.file("no-rm.ts"),
    dir.file("no-rm_test.ts"),
  ], {
    config: null,
  });
  assertEquals(formatted.code, 0, formatted.stderr);
});

Deno.test("init overwrites nothing and says what is missing", async () => {
  await using dir = await tempDir();
  await dir.write("my-hook.ts", "mine");
  await dir.write("deno.json", "{}");
  const { stdout, code } = await cli(dir, ["init"]);
  assertStringIncludes(stdout, "my-hook.ts was there and stays as it is");
  assertStringIncludes(stdout, '"@pi-hooks/core":"jsr:@pi-hooks/core@');
  assertEquals(await Deno.readTextFile(dir.file("my-hook.ts")), "mine");
  assertEquals(await Deno.readTextFile(dir.file("deno.json")), "{}");
  assertEquals(code, 0);
  await Deno.mkdir(dir.file("other"));
  await dir.write("other/deno.jsonc", "{}");
  const [report] = answersOf(await cli(dir, ["init", "--cwd", "other", "--json"]));
  assertEquals(report, { written: ["my-hook.ts", "my-hook_test.ts"], kept: ["deno.json"] });
});

Deno.test("init refuses names that are none, and folders that are not there", async () => {
  await using dir = await tempDir();
  for (
    const [args, text, code] of [
      [["My Hook"], "is no name for a hook", 2],
      [["../x"], "is no name for a hook", 2],
      [["a", "b"], "One hook at a time", 2],
      [["a", "--cwd", "none"], "Cannot write none/a.ts: there is no such file", 3],
    ] as const
  ) {
    const result = await cli(dir, ["init", ...args]);
    assertStringIncludes(result.stderr, text);
    assertEquals(result.code, code);
  }
});

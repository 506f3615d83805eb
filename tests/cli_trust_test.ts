import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { answersOf, cli } from "./command_line.ts";
import { type TempDir, tempDir } from "./helpers.ts";

const LS = '{"type":"tool_call","toolName":"bash","toolCallId":"c","input":{"command":"ls"}}\n';

/** A project whose hook blocks everything, with a reason that stands in a file that it imports. */
async function writeProject(dir: TempDir): Promise<void> {
  await dir.write(
    "project/.xcsh/hooks/pre/x.ts",
    `import { reason } from "./lib/reason.js";
    import data from "../../data.json" with { type: "json" };
    import { more } from "more";
    export default (pi) => pi.on("tool_call", () => ({ block: true, reason: reason + data.n + more }));`,
  );
  await dir.write("project/.xcsh/hooks/pre/lib/reason.ts", `export * from "./deep.ts";`);
  await dir.write("project/.xcsh/hooks/pre/lib/deep.ts", `export const reason = "theirs";`);
  await dir.write("project/.xcsh/data.json", `{"n":1}`);
  await dir.write("project/node_modules/more/package.json", `{"type":"module","main":"m.js"}`);
  await dir.write("project/node_modules/more/m.js", `export const more = "!";`);
}

/** The reason for which a call is blocked in the project, `null` if it is not. */
async function reasonIn(
  dir: TempDir,
  args: string[] = [],
): Promise<{ reason: unknown; text: string }> {
  const result = await cli(dir, ["--cwd", "project", ...args], LS);
  return { reason: answersOf(result)[0].result?.reason ?? null, text: result.stderr };
}

Deno.test("a project's hooks are loaded once they are trusted, and no longer when that is taken back", async () => {
  await using dir = await tempDir();
  await writeProject(dir);
  const before = await reasonIn(dir);
  assertEquals(before.reason, null);
  assertStringIncludes(before.text, "not trusted");
  assertEquals((await reasonIn(dir, ["--trust"])).reason, "theirs1!");
  assertEquals((await reasonIn(dir)).reason, null, "--trust is for one run");

  const trusted = await cli(dir, ["trust", "project"]);
  assertStringIncludes(trusted.stdout, "project is trusted: 6 files");
  for (const file of ["x.ts", "reason.ts", "deep.ts", "data.json", "package.json", "m.js"]) {
    assertStringIncludes(trusted.stdout, file);
  }
  assertEquals((await reasonIn(dir)).reason, "theirs1!");
  for (const command of [["check"], ["emit", "tool_call"]]) {
    const { stdout } = await cli(dir, [...command, "--cwd", "project"]);
    assertStringIncludes(stdout, "x.ts");
    assert(!stdout.includes("not trusted"), command[0]);
  }
  await cli(dir, ["untrust", "project"]);
  assertEquals((await reasonIn(dir)).reason, null);
});

Deno.test("a change of a hook, or of anything that it imports, asks again", async () => {
  await using dir = await tempDir();
  await writeProject(dir);
  for (
    const file of [
      ".xcsh/hooks/pre/x.ts",
      ".xcsh/hooks/pre/lib/deep.ts",
      ".xcsh/data.json",
      "node_modules/more/m.js",
    ]
  ) {
    await cli(dir, ["trust", "project"]);
    assertEquals((await reasonIn(dir)).reason, "theirs1!");
    const path = dir.file("project", file);
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, `${text} `);
    const { reason, text: told } = await reasonIn(dir);
    assertEquals(reason, null, file);
    assertStringIncludes(told, `${path} (changed)`);
    assertStringIncludes(told, "pi-hooks trust");
    const [entry] = JSON.parse((await cli(dir, ["trust", "list", "--json"])).stdout);
    assertEquals([entry.isTrusted, entry.changes], [false, [`${path} (changed)`]]);
    await Deno.writeTextFile(path, text);
    assertEquals((await reasonIn(dir)).reason, "theirs1!", "as it was trusted");
  }
});

Deno.test("a hook that comes or goes asks again", async () => {
  await using dir = await tempDir();
  await writeProject(dir);
  await cli(dir, ["trust", "project"]);
  const path = await dir.write("project/.claude/hooks/post/y.ts", "export default () => {};");
  assertStringIncludes((await reasonIn(dir)).text, `${path} (new)`);
  await cli(dir, ["trust", "project"]);
  await Deno.remove(path);
  const { reason, text } = await reasonIn(dir);
  assertEquals(reason, null);
  assertStringIncludes(text, `${path} (gone)`);
});

Deno.test("the choice is bound to the real folder, and only its owner may read it", async () => {
  await using dir = await tempDir();
  await writeProject(dir);
  await Deno.symlink(dir.file("project"), dir.file("link"));
  const env = { PI_HOOKS_HOME: dir.file("own") };
  await cli(dir, ["trust", "link"], "", env);
  const { mode } = await Deno.stat(dir.file("own/trust.json"));
  assertEquals((mode ?? 0) & 0o777, 0o600);
  const stored = JSON.parse(await Deno.readTextFile(dir.file("own/trust.json")));
  assertEquals(Object.keys(stored.folders), [dir.file("project")]);
  const here = await cli(dir, ["--cwd", "project"], LS, env);
  assertEquals(answersOf(here)[0].result.reason, "theirs1!");
  assertEquals((await reasonIn(dir)).reason, null, "another home, another choice");
});

Deno.test("what the hashes cannot cover is said", async () => {
  await using dir = await tempDir();
  await dir.write(
    "project/.xcsh/hooks/pre/x.ts",
    `import "npm:left-pad@1"; export default async () => { const x = "./y.ts"; await import(x); };`,
  );
  const { stdout } = await cli(dir, ["trust", "project"]);
  assertStringIncludes(stdout, "imports npm:left-pad@1");
  assertStringIncludes(stdout, "names at run time");
});

Deno.test("trusting runs nothing, and refuses what makes no sense", async () => {
  await using dir = await tempDir();
  const source = `Deno.writeTextFileSync(${JSON.stringify(dir.file("pwned"))}, "1");`;
  await dir.write("project/.xcsh/hooks/pre/x.ts", source);
  assertEquals((await cli(dir, ["trust", "project"])).code, 0);
  await cli(dir, ["trust", "list"]);
  assertEquals(await Deno.stat(dir.file("pwned")).then(() => true, () => false), false);
  for (
    const [args, text] of [
      [["trust"], "ships no hooks"],
      [["trust", "none"], "There is no folder"],
      [["trust", "a", "b"], "One folder at a time"],
    ] as const
  ) {
    const { stderr, code } = await cli(dir, args);
    assertStringIncludes(stderr, text);
    assertEquals(code, 2);
  }
});

Deno.test("a damaged store trusts nobody and is not overwritten", async () => {
  await using dir = await tempDir();
  await writeProject(dir);
  for (const text of ["{", "[]", '{"version":1,"folders":[]}', '{"version":9,"folders":{}}']) {
    await dir.write("home/.pi-hooks/trust.json", text);
    const { reason, text: told } = await reasonIn(dir);
    assertEquals(reason, null);
    assertStringIncludes(told, "is damaged");
    assertEquals((await cli(dir, ["trust", "project"])).code, 3);
    assertEquals(await Deno.readTextFile(dir.file("home/.pi-hooks/trust.json")), text);
  }
});

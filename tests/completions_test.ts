import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { HOOK_EVENT_NAMES } from "../mod.ts";
import { cli } from "./command_line.ts";
import { tempDir } from "./helpers.ts";

/** What bash offers for a line, whose last word is being written. */
async function offered(script: string, cwd: string, ...words: string[]): Promise<string[]> {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: [
      "--norc",
      "-c",
      `${script}
      COMP_WORDS=(pi-hooks ${quoted}); COMP_CWORD=${words.length}
      _pi_hooks; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
    cwd,
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}

Deno.test("bash completes commands, options, their values, events and files", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", "");
  const { stdout: script } = await cli(dir, ["completions", "bash"]);
  const complete = (...words: string[]) => offered(script, dir.path, ...words);
  for (const name of ["run", "check", "emit", "replay", "trust", "init"]) {
    assert((await complete("")).includes(name), name);
  }
  assertEquals(await complete("che"), ["check"]);
  assertEquals(await complete("check", "--ty"), ["--types"]);
  assertEquals(await complete("--lis"), ["--list"]);
  assertEquals(await complete("check", "--hook", "ga"), ["gate.ts"]);
  assertEquals(await complete("-e", "ga"), ["gate.ts"]);
  assertEquals(await complete("replay", "--answer", ""), ["yes", "no"]);
  assertEquals(await complete("replay", "ga"), ["gate.ts"]);
  assertEquals(await complete("emit", "tool_"), ["tool_call", "tool_result"]);
  assertEquals((await complete("emit", "")).sort(), [...HOOK_EVENT_NAMES].sort());
});

Deno.test("the scripts of all shells name every command and option that the help names", async () => {
  await using dir = await tempDir();
  const { stdout: help } = await cli(dir, ["--help"]);
  const commands = help.split("\nCommands\n")[1].split("\n\n")[0].trim().split("\n")
    .map((line) => line.trim().split(" ")[0]);
  assert(commands.length > 6);
  const options = (await Promise.all(commands.map(async (command) => {
    const { stdout } = await cli(dir, [command, "--help"]);
    assertEquals(stdout.split("\nExamples\n")[1].match(/^ {2}# /gm)?.length, 3, command);
    return [...stdout.split("\nOptions\n")[1].matchAll(/(?<=^ {2}|, )--([a-z-]+)/gm)]
      .map(([, name]) => name);
  }))).flat();
  for (const shell of ["bash", "zsh", "fish"]) {
    const { stdout } = await cli(dir, ["completions", shell]);
    for (const command of commands) assertStringIncludes(stdout, command);
    for (const option of options) {
      assertStringIncludes(stdout, shell === "fish" ? `-l ${option}` : `--${option}`);
    }
  }
});

Deno.test("an unknown shell is refused", async () => {
  await using dir = await tempDir();
  for (const args of [[], ["tcsh"], ["bash", "zsh"]]) {
    const { stderr, code } = await cli(dir, ["completions", ...args]);
    assertStringIncludes(stderr, "bash, zsh, fish");
    assertEquals(code, 2);
  }
});

/**
 * `--isolate` on the command line, and what hooks ask for in the list of hooks.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { runDeno, type RunDenoResult, tempDir } from "./helpers.ts";
import { moduleText } from "./isolation_setup.ts";

const CALL = `${
  JSON.stringify({
    type: "tool_call",
    toolName: "bash",
    toolCallId: "c1",
    input: { command: "ls" },
  })
}\n`;

function piHooks(args: string[], stdin?: string): Promise<RunDenoResult> {
  return runDeno(["run", "cli.ts", ...args], { stdin });
}

Deno.test("--isolate runs a hook with what its head asks for, and no more", async () => {
  await using dir = await tempDir();
  const note = await dir.write("note.txt", "noted");
  const path = await dir.write(
    "hook.ts",
    moduleText(`// @permission read=./note.txt
      pi.on("tool_call", () => {
        const seen = [Deno.readTextFileSync(${JSON.stringify(note)})];
        try { seen.push(Deno.readTextFileSync(new URL(import.meta.url).pathname + ".x")); }
        catch (error) { seen.push(error.name); }
        console.log("not for the answers");
        return { block: true, reason: seen.join() };
      });`),
  );
  const args = ["--hook", path, "--no-discovery", "--cwd", dir.path];
  const isolated = await piHooks([...args, "--isolate"], CALL);
  assertEquals(isolated.code, 0, isolated.stderr);
  assertEquals(JSON.parse(isolated.stdout).result.reason, "noted,NotCapable");
  const near = await piHooks(args, CALL);
  assertEquals(JSON.parse(near.stdout).result.reason, "noted,NotFound");
});

Deno.test("--timeout is the limit of an isolated handler too", async () => {
  await using dir = await tempDir();
  const path = await dir.write("hook.ts", moduleText(`pi.on("tool_call", () => { for (;;); });`));
  const args = ["--hook", path, "--no-discovery", "--isolate", "--timeout", "300"];
  const { code, stdout, stderr } = await piHooks(args, CALL);
  assertEquals(code, 0, stderr);
  const { result } = JSON.parse(stdout);
  assertEquals([result.block, result.kind], [true, "timeout"]);
  assertMatch(result.reason, /did not answer tool_call within 300 ms/);
});

Deno.test("check shows what a hook asks for and what is dangerous about it", async () => {
  await using dir = await tempDir();
  const harmless = await dir.write("a.ts", moduleText(`pi.on("turn_start", () => {});`));
  const greedy = await dir.write(
    "b.ts",
    moduleText(`// @permission run=git,bash write=.\npi.on("turn_start", () => {});`),
  );
  const args = ["check", "--no-discovery", "--hook", harmless, "--hook", greedy];
  const { code, stdout } = await piHooks(args);
  assertEquals(code, 0);
  assertMatch(stdout, /asks for {3}write=\. run=git,bash\n/);
  assertMatch(stdout, /dangerous {2}run=bash: it starts any program, with all your rights\n/);
  assertMatch(stdout, /dangerous {2}write=.*: it may change its own file/);
  const { hooks } = JSON.parse((await piHooks([...args, "--json"])).stdout);
  assert(!("permissions" in hooks[0]));
  assertEquals(hooks[1].permissions.asked, "write=. run=git,bash");
  assertEquals(hooks[1].permissions.dangers.length, 2);
});

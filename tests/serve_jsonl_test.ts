/**
 * `pi-hooks serve --jsonl`, from a program in another language.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { HOOK_EVENT_NAMES } from "../mod.ts";
import { jsonlSchema } from "../src/cli/serve_jsonl_schema.ts";
import { runDeno, tempDir } from "./helpers.ts";

const file = (path: string): string => decodeURIComponent(new URL(path, import.meta.url).pathname);
const CLI = file("../cli.ts");

const HOOK = `export default (pi) => {
  pi.on("tool_call", async ({ input: { command } }, { ui, hasUI }) => {
    const [word, rest] = command.split(" ");
    if (word === "wait") await new Promise(() => {});
    if (word === "deny") return { block: true, reason: "no" };
    if (word === "ask") return { block: !(hasUI && await ui.confirm(rest, "Really?")) };
    if (word === "exec") {
      const { code, stdout } = await pi.exec("echo", [rest]);
      return { block: true, reason: code + " " + stdout };
    }
    if (word === "say") pi.sendMessage({ customType: "x", content: "said", display: true });
  });
  pi.on("tool_result", () => ({ content: [{ type: "text", text: "gone" }] }));
};`;

function hasPython(): boolean {
  try {
    return new Deno.Command("python3", { args: ["--version"] }).outputSync().success;
  } catch {
    return false;
  }
}

Deno.test({
  name: hasPython()
    ? "a program in Python asks, answers, overtakes, cancels, allows and refuses"
    : "a program in Python … (not run: there is no python3 on this machine)",
  ignore: !hasPython(),
  async fn() {
    await using dir = await tempDir();
    const hook = await dir.write("hook.ts", HOOK);
    const { stdout, stderr, success } = await new Deno.Command("python3", {
      args: [
        file("jsonl/client.py"),
        ...[Deno.execPath(), "run", "-A", CLI, "serve", "--jsonl", "--no-discovery"],
        ...["--hook", hook],
      ],
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    const found = JSON.parse(new TextDecoder().decode(stdout));
    const policy = (reason: string) => ({ block: true, reason, hookPath: hook, kind: "policy" });
    assertEquals(found, {
      refused: "There is no protocol 99 here, only 1",
      events: HOOK_EVENT_NAMES.length,
      hooks: [["tool_call", "tool_result"]],
      overtakes: true,
      cancelled: { block: true, reason: "The request was cancelled", kind: "fault" },
      results: [
        policy("no"),
        { block: false },
        policy("Tool execution was blocked by a hook"),
        policy("0 ok"),
        policy("126"),
      ],
      tool_result: { content: [{ type: "text", text: "gone" }] },
      context: { messages: [] },
      "not an event": 'There is no event "tool_cal"; did you mean "tool_call"?',
      many: Array(100).fill(true),
      sent: ["said"],
      code: 0,
    });
  },
});

Deno.test("a hook that was not loaded, and one that hangs, block the calls of tools", async () => {
  await using dir = await tempDir();
  const call = `${
    JSON.stringify({
      type: "tool_call",
      toolName: "bash",
      toolCallId: "c",
      input: { command: "wait" },
    })
  }\n`;
  const serve = (...args: string[]) =>
    runDeno(["run", CLI, "serve", "--jsonl", "--no-discovery", ...args], { stdin: call });
  const missing = await serve("--hook", "/no/such.ts");
  assertEquals(missing.code, 1);
  assertStringIncludes(missing.stdout, '"block":true');
  assertStringIncludes(missing.stdout, "/no/such.ts");
  const hook = await dir.write("hook.ts", HOOK);
  const hanging = await serve("--hook", hook, "--timeout", "20");
  assertStringIncludes(hanging.stdout, '"block":true');
  assertStringIncludes(hanging.stdout, '"kind":"timeout"');
});

Deno.test("questions that nobody answers any more are cancelled when the input ends", async () => {
  await using dir = await tempDir();
  const hook = await dir.write("hook.ts", HOOK);
  const lines = [
    { type: "hello", id: "h", ui: true },
    { type: "tool_call", id: 1, toolName: "bash", toolCallId: "c", input: { command: "ask yes" } },
  ];
  const { code, stdout } = await runDeno(
    ["run", CLI, "serve", "--jsonl", "--no-discovery", "--hook", hook],
    { stdin: lines.map((line) => JSON.stringify(line)).join("\n") },
  );
  assertEquals(code, 0);
  const answers = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(answers.at(-1).id, 1);
  assertEquals(answers.at(-1).result.block, true);
});

Deno.test("the schema has every event, in both directions", async () => {
  const schema = jsonlSchema() as {
    definitions: Record<string, { oneOf: { properties: { type: { const?: string } } }[] }>;
  };
  for (const direction of ["toServer", "fromServer"]) {
    const types = schema.definitions[direction].oneOf.map(({ properties }) =>
      properties.type.const
    );
    for (const name of HOOK_EVENT_NAMES) assert(types.includes(name), `${direction} ${name}`);
  }
  const { stdout } = await runDeno(["run", CLI, "serve", "--jsonl", "--schema"]);
  assertEquals(JSON.parse(stdout), schema);
});

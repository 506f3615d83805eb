import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseToolLine } from "../src/cli/interactive_tools.ts";
import { tempDir } from "./helpers.ts";
import { runOnTerminal } from "./pseudo_terminal.ts";

const HOOK = `export default (pi) => {
  pi.on("session_start", (_event, ctx) => ctx.ui.setStatus("gate", "guard 日本語 is on"));
  pi.on("tool_call", async (event, ctx) => {
    const command = String(event.input.command ?? "");
    if (/rm/.test(command)) {
      if (!await ctx.ui.confirm("Remove for good?", command)) return { block: true, reason: "said no" };
    }
  });
  pi.registerCommand("ask", {
    description: "Asks",
    handler: async (args, ctx) => {
      const colour = await ctx.ui.select("Which colour?", ["red", "green"]);
      const name = await ctx.ui.input("Which name?", "a hint");
      const text = await ctx.ui.editor("Which text?", "draft");
      ctx.ui.notify(JSON.stringify([args, colour, name, text]));
    },
  });
  pi.registerCommand("board", {
    handler: async (_args, ctx) => {
      const result = await ctx.ui.custom((tui, theme, done) => {
        let keys = "";
        return {
          render: (width) => ["board " + keys.padEnd(3, ".") + " " + width],
          handleInput: (data) => { if (data === "q") done(keys); else { keys += data; tui.requestRender(); } },
          invalidate: () => {},
        };
      });
      ctx.ui.notify("board gave " + result);
    },
  });
};`;
const ENTER = "\r";
const DOWN = "\x1b[B";
const ESCAPE = "\x1b";

Deno.test("commands run through the hooks, questions show the true command, and No blocks", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", HOOK);
  await dir.write("victim", "");
  await using run = runOnTerminal(dir, ["--hook", "gate.ts"]);
  await run.until("1. gate.ts");
  await run.until("guard 日本語 is on");
  await run.type(`!echo he""llo${ENTER}`);
  await run.until("hello");
  await run.type(`!rm victim \x16\x07${ENTER}`);
  const question = await run.until("y/n choose");
  assertStringIncludes(question, "Remove for good?");
  assertStringIncludes(question, "rm victim");
  await run.type(ENTER);
  await run.until("✗ blocked by gate.ts (policy): said no");
  assertEquals((await Deno.stat(dir.file("victim"))).isFile, true);
  await run.type(`!rm victim${ENTER}`);
  await run.until("y/n choose");
  await run.type(`y${ENTER}`);
  await run.until("yes");
  await run.until("guard");
  await run.type(`/quit${ENTER}`);
  const { code, isRestored } = await run.end();
  assertEquals([code, isRestored], [0, true]);
  assertEquals(await Deno.stat(dir.file("victim")).then(() => true, () => false), false);
});

Deno.test("select, input, editor and a custom component are real; Escape and Ctrl+C cancel one", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", HOOK);
  await using run = runOnTerminal(dir, ["--hook", "gate.ts"]);
  await run.until("guard");
  await run.type(`/ask 7${ENTER}`);
  await run.until("Esc cancels");
  await run.type(`${DOWN}${DOWN}${ENTER}`);
  await run.until("a hint");
  await run.type(`Ada${ENTER}`);
  await run.until("Ctrl+G");
  await run.type(`ed${ENTER}`);
  await run.until('["7","green","Ada","drafted"]');
  await run.type(`/ask${ENTER}`);
  await run.until("Esc cancels");
  await run.type("\x03");
  await run.until("a hint");
  await run.type(ESCAPE);
  await run.until("Ctrl+G");
  await run.type(ENTER);
  await run.until('["",null,null,"draft"]');
  await run.type(`/board${ENTER}`);
  await run.until("board ... 80");
  await run.type("ab");
  await run.until("board ab. 80");
  await run.type("q");
  await run.until("board gave ab");
  await run.type("\x04");
  assertEquals((await run.end()).code, 0);
});

Deno.test("Tab completes, unknown names get the nearest, and help shows what there is", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", HOOK);
  await dir.write("a.txt", "contents of a");
  await using run = runOnTerminal(dir, ["--hook", "gate.ts"]);
  await run.until("guard");
  await run.type(`/boa\t`);
  await run.until("> /board ");
  await run.type(`\x15/bord${ENTER}`);
  await run.until("did you mean /board?");
  await run.type(`/help${ENTER}`);
  const help = await run.until("Asks");
  for (const name of ["!command", "/new", "/resume", "/branch", "/tree", "/compact", "/hooks"]) {
    assertStringIncludes(help, name);
  }
  await run.type(`@read a.txt${ENTER}`);
  await run.until("contents of a");
  await run.type(`@raed a.txt${ENTER}`);
  await run.until("did you mean @read?");
  await run.type(`hello?${ENTER}`);
  await run.until("No model is connected");
  await run.type(`/new${ENTER}`);
  await run.until("A new session is there");
  await run.type(`/trace${ENTER}`);
  await run.until("Tracing is on");
  await run.type(`!true${ENTER}`);
  await run.until("gate.ts tool_call: passed");
});

Deno.test("Ctrl+C stops a tool, and the terminal is as it was whatever happens", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", HOOK);
  await using run = runOnTerminal(dir, ["--hook", "gate.ts"]);
  await run.until("guard");
  await run.type(`!sleep 100${ENTER}`);
  await run.until("working");
  await run.type("\x03");
  await run.until("✗");
  await run.type(`!kill -TERM $PPID${ENTER}`);
  const { code, raw, isRestored } = await run.end();
  assertEquals([code, isRestored], [143, true]);
  assert(raw.lastIndexOf("\x1b[?25h") > raw.lastIndexOf("\x1b[?25l"), "the cursor stays hidden");
});

Deno.test("a narrow terminal keeps every changing line within its width", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", HOOK);
  await using run = runOnTerminal(dir, ["--hook", "gate.ts"], { columns: 20, rows: 10 });
  await run.until("guard 日本語 is on");
  await run.type(`!rm x${ENTER}`);
  const text = await run.until("❯ No");
  assertStringIncludes(text, "Remove for good?");
  await run.until("↑↓ or y/n choose · …");
});

Deno.test("a line names a tool and its arguments", () => {
  for (
    const [line, toolName, input] of [
      ["!ls -la", "bash", { command: "ls -la" }],
      ["@read a b.txt", "read", { path: "a b.txt" }],
      ["@grep foo src/a b", "grep", { pattern: "foo", path: "src/a b" }],
      ["@write a.txt one two\nthree", "write", { path: "a.txt", content: "one two\nthree" }],
      ['@edit {"path":"a"}', "edit", { path: "a" }],
      ["@find", "find", {}],
    ] as const
  ) {
    assertEquals(parseToolLine(line), { toolName, input }, line);
  }
});

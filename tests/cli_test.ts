import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { EXIT_CODES } from "../src/cli/command.ts";
import { answersOf, CLI, cli } from "./command_line.ts";
import { tempDir } from "./helpers.ts";

const GATE = `export default (pi) => {
  pi.on("tool_call", (event) => {
    if (/rm/.test(event.input.command)) return { block: true, reason: "guard" };
  });
};`;
const BASH_RM =
  '{"type":"tool_call","toolName":"bash","toolCallId":"c1","input":{"command":"rm x"}}';
const BASH_LS = '{"type":"tool_call","toolName":"bash","toolCallId":"c2","input":{"command":"ls"}}';

Deno.test("an event a line comes in, an answer a line goes out, in order", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  const result = await cli(dir, ["--hook", "gate.ts"], `${BASH_RM}\n${BASH_LS}\n`);
  assertEquals(answersOf(result), [
    {
      id: 1,
      type: "tool_call",
      result: { block: true, reason: "guard", hookPath: "gate.ts", kind: "policy" },
      errors: [],
    },
    { id: 2, type: "tool_call", result: null, errors: [] },
  ]);
  assertEquals([result.code, result.stderr], [0, ""]);
});

Deno.test("an id comes back as it was", async () => {
  await using dir = await tempDir();
  const lines = ['{"id":"a","type":"agent_start"}', '{"id":{"n":7},"type":"agent_start"}'];
  const answers = answersOf(await cli(dir, [], lines.join("\n")));
  assertEquals(answers.map(({ id }) => id), ["a", { n: 7 }]);
});

Deno.test("a line that is no event gets an error, and the next line is read", async () => {
  await using dir = await tempDir();
  const lines = [
    "nonsense",
    "[1]",
    "null",
    "{}",
    '{"type":"tool_cal"}',
    '{"type":"toString"}',
    '{"type":"tool_call","toolName":"bash"}',
    '{"type":"context","messages":{}}',
    "",
    '{"id":"last","type":"session_start"}',
  ];
  const result = await cli(dir, [], lines.join("\n"));
  const answers = answersOf(result);
  assertEquals(answers.length, 9);
  assertStringIncludes(answers[0].error, "not JSON");
  assertStringIncludes(answers[1].error, "not an event");
  assertStringIncludes(answers[2].error, "not an event");
  assertStringIncludes(answers[3].error, 'no "type"');
  assertStringIncludes(answers[4].error, 'did you mean "tool_call"?');
  assertStringIncludes(answers[5].error, 'no event "toString"');
  assertStringIncludes(answers[6].error, '"toolCallId"');
  assertStringIncludes(answers[7].error, "must be a list of messages");
  assertEquals(answers[8], { id: "last", type: "session_start", result: null, errors: [] });
  assertEquals(result.code, 0);
});

Deno.test("every event of the map can be sent as a line", async () => {
  await using dir = await tempDir();
  const { EVENT_FIELDS, HOOK_EVENT_NAMES } = await import("../mod.ts");
  const lines = HOOK_EVENT_NAMES.map((type) => {
    const samples = Object.entries(EVENT_FIELDS[type]).map(([name, { sample }]) => [name, sample]);
    return JSON.stringify({ type, ...Object.fromEntries(samples) });
  });
  const path = await dir.write(
    "all.ts",
    `const names = ${JSON.stringify(HOOK_EVENT_NAMES)};
    export default (pi) => { for (const name of names) pi.on(name, (event) => console.error(event.type)); };`,
  );
  const result = await cli(dir, ["--hook", path], lines.join("\n"));
  assertEquals(answersOf(result).map(({ type, errors }) => [type, errors]), [
    ...HOOK_EVENT_NAMES.map((name) => [name, []]),
  ]);
  assertEquals(result.stderr.trimEnd().split("\n"), [...HOOK_EVENT_NAMES]);
});

Deno.test("context always answers with the list of messages", async () => {
  await using dir = await tempDir();
  const message = { role: "user", content: "hello", timestamp: 1 };
  const line = JSON.stringify({ type: "context", messages: [message] });
  assertEquals(answersOf(await cli(dir, [], line))[0].result, { messages: [message] });
});

Deno.test("execute runs the real tool between its hooks", async () => {
  await using dir = await tempDir();
  await dir.write(
    "redact.ts",
    `export default (pi) => {
    pi.on("tool_result", () => ({ content: [{ type: "text", text: "hidden" }] }));
    pi.on("tool_call", (event) => event.input.command?.includes("rm")
      ? { block: true, reason: "no" } : undefined);
  };`,
  );
  await dir.write("notes.txt", "secret\n");
  const lines = [
    '{"type":"tool_call","toolName":"read","toolCallId":"1","input":{"path":"notes.txt"},"execute":true}',
    '{"type":"tool_call","toolName":"bash","toolCallId":"2","input":{"command":"rm notes.txt"},"execute":true}',
    '{"type":"tool_call","toolName":"bash","toolCallId":"3","input":{"command":"exit 3"},"execute":true}',
    '{"type":"tool_call","toolName":"nothing","toolCallId":"4","input":{},"execute":true}',
  ];
  const [read, removed, failed, unknown] = answersOf(
    await cli(dir, ["--hook", "redact.ts"], lines.join("\n")),
  );
  assertEquals(read.tool.content, [{ type: "text", text: "hidden" }]);
  assertEquals(read.tool.isError, false);
  assertEquals(removed.result, {
    block: true,
    reason: "no",
    hookPath: "redact.ts",
    kind: "policy",
  });
  assertEquals(removed.tool, undefined);
  assertEquals(await Deno.readTextFile(dir.file("notes.txt")), "secret\n");
  assertEquals([failed.result, failed.tool.isError], [null, true]);
  assertStringIncludes(failed.tool.content[0].text, "code 3");
  assertStringIncludes(unknown.error, "bash, read, write, edit, grep, find");
});

Deno.test("a handler that throws blocks as a fault of its hook", async () => {
  await using dir = await tempDir();
  await dir.write(
    "broken.ts",
    `export default (pi) => {
    pi.on("tool_call", () => { throw new Error("broken"); });
    pi.on("turn_start", () => { throw null; });
  };`,
  );
  const executed = BASH_LS.replace("{", '{"execute":true,');
  const turn = '{"type":"turn_start","turnIndex":0,"timestamp":0}';
  const answers = answersOf(
    await cli(dir, ["--hook", "broken.ts"], [BASH_LS, executed, turn].join("\n")),
  );
  assertEquals([answers[0].result.block, answers[0].result.kind], [true, "fault"]);
  assertStringIncludes(answers[0].result.reason, "broken");
  assertEquals(answers[1].result, {
    block: true,
    reason: "broken",
    hookPath: "broken.ts",
    kind: "fault",
  });
  assertEquals(answers[2].errors, [
    { hookPath: "broken.ts", event: "turn_start", error: "threw null" },
  ]);
});

Deno.test("--trace tells what became of every handler", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  await dir.write("after.ts", `export default (pi) => { pi.on("tool_call", () => {}); };`);
  const args = ["--hook", "gate.ts", "--hook", "after.ts", "--trace"];
  const answers = answersOf(await cli(dir, args, `${BASH_RM}\n${BASH_LS}\n`));
  const outcomes = answers.map(({ trace }) =>
    trace.map((record: Record<string, unknown>) => [record.hookPath, record.outcome])
  );
  assertEquals(outcomes, [
    [["gate.ts", "blocked"], ["after.ts", "not-run"]],
    [["gate.ts", "passed"], ["after.ts", "passed"]],
  ]);
});

Deno.test("what a hook prints, early, late and by whatever means, never reaches standard output", async () => {
  await using dir = await tempDir();
  await dir.write(
    "noisy.ts",
    `console.log("loaded");
  export default (pi) => {
    pi.on("tool_call", async () => {
      console.log("log"); console.info("info"); console.debug("debug"); console.table([1]);
      process.stdout.write("\\x1b]777;notify;a;b\\x07");
      Deno.stdout.writeSync(new TextEncoder().encode("direct"));
      const writer = Deno.stdout.writable.getWriter();
      await writer.write(new TextEncoder().encode("stream"));
      writer.releaseLock();
      await pi.exec("echo", ["child"]);
      console.log("x".repeat(1_000_000));
      setTimeout(() => console.log("late"), 0);
      return { block: true, reason: "guard" };
    });
  };`,
  );
  const result = await cli(dir, ["--hook", "noisy.ts"], `${BASH_LS}\n${BASH_LS}\n`);
  assertEquals(answersOf(result).map((answer) => answer.result.reason), ["guard", "guard"]);
  for (const word of ["loaded", "log", "info", "debug", "notify", "direct", "stream", "late"]) {
    assertStringIncludes(result.stderr, word);
  }
  assertEquals(result.code, 0);
});

Deno.test("a hook that fails in a timer does not take the answers with it", async () => {
  await using dir = await tempDir();
  await dir.write(
    "late.ts",
    `export default (pi) => {
    pi.on("tool_call", async () => {
      setTimeout(() => { throw new Error("in a timer"); }, 0);
      Promise.reject(new Error("unawaited"));
      await new Promise((resolve) => setTimeout(resolve, 1));
    });
  };`,
  );
  const result = await cli(dir, ["--hook", "late.ts"], `${BASH_LS}\n${BASH_LS}\n`);
  assertEquals(answersOf(result).length, 2);
  assertStringIncludes(result.stderr, "in a timer");
  assertStringIncludes(result.stderr, "unawaited");
  assertEquals(result.code, 0);
});

Deno.test("lines end at LF only: BOM, CR LF and U+2028 do no harm", async () => {
  await using dir = await tempDir();
  const lines = '\ufeff{"id":"a\u2028b","type":"agent_start"}\r\n{"id":"c","type":"agent_start"}';
  const answers = answersOf(await cli(dir, [], lines));
  assertEquals(answers.map(({ id }) => id), ["a\u2028b", "c"]);
});

Deno.test("a reader that goes away ends the answers quietly", async () => {
  await using dir = await tempDir();
  const line = JSON.stringify({ type: "before_agent_start", prompt: "x".repeat(100_000) });
  await dir.write("events.jsonl", `${line}\n`.repeat(20));
  await dir.write(
    "echo.ts",
    `export default (pi) => {
    pi.on("before_agent_start", (event) => ({
      message: { customType: "echo", content: event.prompt, display: true },
    }));
  };`,
  );
  const command = new Deno.Command("sh", {
    args: [
      "-c",
      `"$0" run -A --no-lock "$1" --no-discovery --hook echo.ts < events.jsonl | head -c 10; echo; echo done`,
      Deno.execPath(),
      CLI,
    ],
    cwd: dir.path,
    env: { NO_COLOR: "1" },
  });
  const { stdout, stderr } = await command.output();
  assertMatch(new TextDecoder().decode(stdout), /^\{"id":1,"t\ndone\n$/);
  assertEquals(new TextDecoder().decode(stderr), "");
});

Deno.test("--list shows hooks with events, commands and renderers, and what failed and why", async () => {
  await using dir = await tempDir();
  await dir.write(
    "full.ts",
    `export default (pi) => {
    pi.on("tool_call", () => {});
    pi.on("tool_call", () => {});
    pi.registerCommand("deploy", { description: "Deploys it", handler: async () => {} });
    pi.registerMessageRenderer("note", () => undefined);
  };`,
  );
  await dir.write("broken.ts", "export default 7;");
  const result = await cli(dir, ["--hook", "full.ts", "--hook=broken.ts", "--list"]);
  for (const word of ["1. full.ts", "tool_call ×2", "/deploy  Deploys it", "renderers  note"]) {
    assertStringIncludes(result.stdout, word);
  }
  assertStringIncludes(result.stdout, "broken.ts was not loaded (no-default-export)");
  assert(!result.stdout.includes("\x1b"), "colours where no terminal is");
  assertEquals(result.code, 1);
});

Deno.test("--list --json is for programs", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  const result = await cli(dir, ["-e", "gate.ts", "--extension", "none.ts", "--list", "--json"]);
  const { hooks, errors } = JSON.parse(result.stdout);
  assertEquals(hooks[0].events, { tool_call: 1 });
  assertEquals([errors[0].path, errors[0].kind], ["none.ts", "not-found"]);
  assertEquals(result.code, 1);
});

Deno.test("a hook that failed to load is told, the others answer, and the exit code is 1", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  const result = await cli(dir, ["--hook", "none.ts", "--hook", "gate.ts"], `${BASH_RM}\n`);
  assertEquals(answersOf(result)[0].result.reason, "guard");
  assertStringIncludes(result.stderr, "none.ts was not loaded (not-found)");
  assertEquals(result.code, 1);
});

Deno.test("wrong usage is told with what was probably meant, and the exit code is 2", async () => {
  await using dir = await tempDir();
  for (
    const [args, text] of [
      [["--hok", "x.ts"], "Did you mean --hook?"],
      [["--hook"], "--hook needs a PATH"],
      [["--list=yes"], "--list takes no value"],
      [["--timeout", "soon"], "--timeout needs a whole number"],
      [["--cwd", "a", "--cwd", "b"], "only once"],
      [["--cwd", "nowhere"], 'no folder "nowhere"'],
      [["gate.ts"], "hooks with --hook"],
      [["-hook", "x"], "Unknown option -hook"],
    ] as const
  ) {
    const result = await cli(dir, args);
    assertStringIncludes(result.stderr, text);
    assertEquals([result.code, result.stdout], [2, ""], args.join(" "));
  }
});

Deno.test("--help teaches with examples and exit codes, --version names the version", async () => {
  await using dir = await tempDir();
  const help = await cli(dir, ["--help"]);
  for (const word of ["Usage", "Examples", "--hook", "Exit codes", "--no-discovery"]) {
    assertStringIncludes(help.stdout, word);
  }
  assertEquals(help.code, 0);
  const { default: config } = await import("../deno.json", { with: { type: "json" } });
  assertEquals((await cli(dir, ["--version"])).stdout, `pi-hooks ${config.version}\n`);
});

Deno.test("hooks that the project ships are not run until they are trusted", async () => {
  await using dir = await tempDir();
  await dir.write(
    ".xcsh/hooks/pre/x.ts",
    `Deno.writeTextFileSync(${JSON.stringify(dir.file("pwned"))}, "1"); export default () => {};`,
  );
  const exists = () => Deno.stat(dir.file("pwned")).then(() => true, () => false);
  for (const args of [["--list"], ["--help"], []]) {
    const { stdout, stderr, code } = await cli(dir, args, `${BASH_LS}\n`);
    if (args[0] !== "--help") assertStringIncludes(stdout + stderr, "x.ts");
    assertEquals([await exists(), code], [false, 0], args.join());
  }
  await cli(dir, ["--trust", "--list"]);
  assertEquals(await exists(), true);
});

Deno.test("hooks in the home folder are found, and --no-discovery leaves them out", async () => {
  await using dir = await tempDir();
  await dir.write("home/.xcsh/agent/hooks/pre/bash.ts", GATE);
  const found = await cli(dir, [], `${BASH_RM}\n`);
  assertEquals(answersOf(found)[0].result.reason, "guard");
  const alone = await cli(dir, ["--no-discovery"], `${BASH_RM}\n`);
  assertEquals(answersOf(alone)[0].result, null);
});

Deno.test("nobody can be asked: questions answer themselves with no", async () => {
  await using dir = await tempDir();
  await dir.write(
    "ask.ts",
    `export default (pi) => {
    pi.on("tool_call", async (_event, ctx) => {
      const answers = [
        ctx.hasUI, await ctx.ui.confirm("a", "b"), await ctx.ui.select("a", []),
        await ctx.ui.input("a"), await ctx.ui.editor("a"), await ctx.ui.custom(() => {}),
        ctx.ui.getEditorText(), ctx.ui.theme.fg("success", "x"),
      ];
      return { block: true, reason: JSON.stringify(answers.map((one) => one ?? "none")) };
    });
  };`,
  );
  const [answer] = answersOf(await cli(dir, ["--hook", "ask.ts"], BASH_LS));
  assertEquals(JSON.parse(answer.result.reason), [
    false,
    false,
    "none",
    "none",
    "none",
    "none",
    "",
    "x",
  ]);
});

Deno.test("--cwd is where hooks, relative paths and programs start", async () => {
  await using dir = await tempDir();
  await dir.write("project/sub/file", "");
  await dir.write(
    "project/hooks/pwd.ts",
    `export default (pi) => {
    pi.on("tool_call", async (_event, ctx) => {
      Deno.chdir("/");
      const here = await pi.exec("pwd", []);
      const below = await pi.exec("pwd", [], { cwd: "sub" });
      return { block: true, reason: [ctx.cwd, here.stdout, below.stdout].join("|") };
    });
  };`,
  );
  const args = ["--cwd", "project", "--hook", "hooks/pwd.ts"];
  const [answer] = answersOf(await cli(dir, args, BASH_LS));
  const project = dir.file("project");
  assertEquals(answer.result.reason, `${project}|${project}\n|${project}/sub`);
});

Deno.test("--timeout blocks a gate that hangs, --log keeps what hooks log", async () => {
  await using dir = await tempDir();
  await dir.write(
    "hang.ts",
    `export default (pi) => {
    pi.on("tool_call", () => { pi.logger.info("waiting", { n: 1 }); return new Promise(() => {}); });
  };`,
  );
  const args = ["--hook", "hang.ts", "--timeout", "20", "--log", "log.jsonl"];
  const [answer] = answersOf(await cli(dir, args, BASH_LS));
  assertEquals(answer.result.kind, "timeout");
  const log = JSON.parse(await Deno.readTextFile(dir.file("log.jsonl")));
  assertEquals([log.level, log.message, log.data], ["info", "waiting", { n: 1 }]);
});

Deno.test("the README lists the exit codes that the help lists", async () => {
  const readme = await Deno.readTextFile(new URL("../README.md", import.meta.url));
  const rows = [...readme.matchAll(/^\| ([\d, ]+) +\| (.+?) +\|$/gm)]
    .map(([, codes, meaning]) => [codes.trim(), meaning.replaceAll("`", "")]);
  const simple = EXIT_CODES.filter(([code]) => code < 130)
    .map(([code, meaning]) => [String(code), meaning]);
  assertEquals(rows.filter(([codes]) => !codes.includes("130")), simple);
  assertEquals(rows.find(([codes]) => codes.includes("130"))?.[0], "130, 143");
});

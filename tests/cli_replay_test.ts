import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TOOL_NAMES } from "../src/agents/names.ts";
import { progressText } from "../src/cli/progress.ts";
import { RECORDED_SESSIONS } from "./agents/recorded_sessions.ts";
import { answersOf, cli } from "./command_line.ts";
import { tempDir } from "./helpers.ts";

const GATE = `export default (pi) => {
  pi.on("tool_call", (event, ctx) => {
    if (event.toolName === "bash" && /rm -rf/.test(event.input.command)) {
      return { block: true, reason: "no rm: " + event.input.command };
    }
  });
};`;
const REDACT = `export default (pi) => {
  pi.on("tool_result", (event) => ({
    content: event.content.map((one) => ({ ...one, text: one.text.replace(/KEY=\\w+/, "KEY=***") })),
  }));
};`;

interface Dir {
  write(name: string, text: string): Promise<string>;
}

async function writeSessions(dir: Dir, count = 1): Promise<void> {
  for (const [format, text] of Object.entries(RECORDED_SESSIONS)) {
    for (let i = 0; i < count; i++) {
      await dir.write(`sessions/${format.replaceAll(" ", "-")}/${i}.jsonl`, text);
    }
  }
}

Deno.test("a guard written for pi blocks in the sessions of all agents, and no tool runs", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  await dir.write("redact.ts", REDACT);
  await dir.write("build/keep", "");
  await writeSessions(dir);
  const args = ["replay", "--hook", "gate.ts", "--hook", "redact.ts", "sessions"];
  const { stdout, stderr, code } = await cli(dir, args);
  const formats = Object.keys(RECORDED_SESSIONS);
  for (const format of formats) assertStringIncludes(stdout, `1 ${format}`);
  const number = formats.length;
  assertStringIncludes(stdout, `${number} sessions`);
  assertStringIncludes(stdout, `${3 * number} calls, ${2 * number} results`);
  assertStringIncludes(stdout, `${number} calls without result`);
  assertStringIncludes(stdout, `Blocked ${number}`);
  assertStringIncludes(stdout, `${number}×  gate.ts (policy): no rm: …`);
  assertStringIncludes(stdout, `Changed results ${number}`);
  assertStringIncludes(stdout, "- API_KEY=abc + API_KEY=***");
  assertEquals([stderr, code], ["", 0]);
  assertEquals((await Deno.stat(dir.file("build/keep"))).isFile, true);
});

Deno.test("a hundred sessions fit on a screen", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  await writeSessions(dir, 11);
  const { stdout } = await cli(dir, ["replay", "--hook", "gate.ts", "sessions"]);
  assertStringIncludes(stdout, "99 sessions");
  assert(stdout.split("\n").length < 24, stdout);
});

Deno.test("--json is one record a decision, with the original of foreign calls", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  await dir.write("redact.ts", REDACT);
  await dir.write("claude.jsonl", RECORDED_SESSIONS["Claude Code"]);
  const args = ["replay", "--hook", "gate.ts", "--hook", "redact.ts", "--json", "claude.jsonl"];
  const records = answersOf(await cli(dir, args));
  assertEquals(records.map(({ type, outcome }) => outcome ?? type), [
    "blocked",
    "allowed",
    // The first call was blocked, so nothing comes back.
    "changed",
    "allowed",
    "session",
    "summary",
  ]);
  const [blocked, , changed, , session, summary] = records;
  assertEquals(blocked, {
    type: "tool_call",
    file: "claude.jsonl",
    line: 3,
    toolName: "bash",
    toolCallId: "c1",
    input: { command: "rm -rf build" },
    original: { toolName: "Bash", input: { command: "rm -rf build" } },
    outcome: "blocked",
    reason: "no rm: rm -rf build",
    hookPath: "gate.ts",
    kind: "policy",
    errors: [],
  });
  assertEquals(changed.before, [{ type: "text", text: "API_KEY=abc" }]);
  assertEquals(changed.content, [{ type: "text", text: "API_KEY=***" }]);
  assertEquals(changed.changedBy, ["redact.ts"]);
  assertEquals(session.openCalls, [{ toolCallId: "c3", toolName: "bash", line: 7 }]);
  assertEquals([summary.calls, summary.results, summary.callsWithoutResult], [3, 2, 1]);
});

Deno.test("--diff shows only where two versions decide differently", async () => {
  await using dir = await tempDir();
  await dir.write("old.ts", GATE);
  await dir.write("new.ts", GATE.replace("rm -rf", "ls"));
  await writeSessions(dir);
  const number = Object.keys(RECORDED_SESSIONS).length;
  const args = ["replay", "--hook", "old.ts", "--diff", "new.ts", "sessions"];
  const { stdout, code } = await cli(dir, [...args, "--fail-on", "change"]);
  assertStringIncludes(stdout, `Different ${2 * number}`);
  assertStringIncludes(stdout, "blocked (no rm: rm -rf build) → allowed");
  assertStringIncludes(stdout, "allowed → blocked (no rm: ls)");
  assertEquals(code, 1);
  const same = await cli(dir, ["replay", "--hook", "old.ts", "--diff", "old.ts", "sessions"]);
  assertStringIncludes(same.stdout, "Different none");
  assertEquals(same.code, 0);
});

Deno.test("--fail-on says what turns into exit code 1", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  await dir.write("redact.ts", REDACT);
  await dir.write(
    "broken.ts",
    `export default (pi) => {
    pi.on("tool_result", () => { throw new Error("ouch"); });
  };`,
  );
  await dir.write("s.jsonl", RECORDED_SESSIONS["pi v3"]);
  for (
    const [hook, failOn, code] of [
      ["gate.ts", "block", 1],
      ["gate.ts", "error,change", 0],
      ["redact.ts", "change", 1],
      ["redact.ts", "block", 0],
      ["broken.ts", "error", 1],
      ["none.ts", "block", 1],
    ] as const
  ) {
    const args = ["replay", "--hook", hook, "--fail-on", failOn, "s.jsonl"];
    assertEquals((await cli(dir, args)).code, code, `${hook} ${failOn}`);
  }
  const wrong = await cli(dir, ["replay", "--hook", "gate.ts", "--fail-on", "blok", "s.jsonl"]);
  assertStringIncludes(wrong.stderr, "Did you mean block?");
  assertEquals(wrong.code, 2);
});

Deno.test("damaged and missing files are reported, the others go on, and the exit code is 3", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  await dir.write("s/a.jsonl", RECORDED_SESSIONS["pi v3"].slice(0, -20));
  await dir.write("s/b.jsonl", RECORDED_SESSIONS.Codex);
  await dir.write("s/empty.jsonl", "");
  await dir.write("s/other.jsonl", '{"level":"info"}\n');
  await dir.write("s/notes.txt", "no session");
  const args = ["replay", "--hook", "gate.ts", "s", "none.jsonl", "x*.jsonl"];
  const { stdout, code } = await cli(dir, args);
  assertStringIncludes(stdout, "Blocked 2");
  assertStringIncludes(stdout, "s/a.jsonl:7: not JSON");
  assertStringIncludes(stdout, "none.jsonl: there is no such file");
  assertStringIncludes(stdout, "x*.jsonl: no file has such a name");
  assert(!stdout.includes("other.jsonl"), "a folder may hold other files");
  assertEquals(code, 3);
  const named = await cli(dir, ["replay", "--hook", "gate.ts", "s/other.jsonl", "s/empty.jsonl"]);
  assertStringIncludes(named.stdout, "other.jsonl:1: this is no session");
  assertStringIncludes(named.stdout, "empty.jsonl: there is nothing in it");
});

Deno.test("bytes that are no text are reported, and the line is read all the same", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  const bytes = new TextEncoder().encode(RECORDED_SESSIONS["pi v3"].replace("clean", "#lean"));
  bytes[bytes.indexOf("#".charCodeAt(0))] = 0xff;
  await Deno.writeFile(dir.file("s.jsonl"), bytes);
  const { stdout, code } = await cli(dir, ["replay", "--hook", "gate.ts", "s.jsonl"]);
  assertStringIncludes(stdout, "s.jsonl:3: it holds bytes that are no text");
  assertStringIncludes(stdout, "3 calls, 2 results");
  assertEquals(code, 3);
});

Deno.test("files, folders and globs are named together, and each file is read once", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GATE);
  await dir.write("s/deep/a.jsonl", RECORDED_SESSIONS["pi v3"]);
  await dir.write("s/b.jsonl", RECORDED_SESSIONS["pi v3"]);
  for (
    const [names, count] of [
      [["s/**/*.jsonl"], 2],
      [["s/*.jsonl"], 1],
      [["s", "s/b.jsonl", "s/*.jsonl"], 2],
      [[`${dir.path}/s/dee?/*`], 1],
    ] as const
  ) {
    const { stdout } = await cli(dir, ["replay", "--hook", "gate.ts", ...names]);
    assertStringIncludes(stdout, `${count} session`, names.join());
  }
});

Deno.test("questions are answered as if nobody was there, unless --answer says otherwise", async () => {
  await using dir = await tempDir();
  await dir.write(
    "ask.ts",
    `export default (pi) => {
    pi.on("tool_call", async (event, ctx) => {
      if (event.toolCallId !== "c1") return;
      const answers = [ctx.hasUI, await ctx.ui.confirm("a", "b"),
        await ctx.ui.select("a", ["Show", "No, stop", "Yes, go on"]) ?? "none"];
      return { block: true, reason: answers.join() };
    });
  };`,
  );
  await dir.write("s.jsonl", RECORDED_SESSIONS["pi v3"]);
  for (
    const [args, reason] of [
      [[], "false,false,none"],
      [["--answer", "yes"], "true,true,Yes, go on"],
      [["--answer", "no"], "true,false,No, stop"],
    ] as const
  ) {
    const all = ["replay", "--hook", "ask.ts", "--json", ...args, "s.jsonl"];
    assertEquals(answersOf(await cli(dir, all))[0].reason, reason);
  }
});

Deno.test("hooks hear of the session with its folder, and run no programs", async () => {
  await using dir = await tempDir();
  await dir.write(
    "log.ts",
    `export default (pi) => {
    const heard = [];
    for (const name of ["session_start", "before_agent_start", "session_shutdown"]) {
      pi.on(name, async (event, ctx) => {
        heard.push([name, ctx.cwd, event.prompt]);
        if (name !== "session_shutdown") return;
        const { code } = await pi.exec("touch", [${JSON.stringify(dir.file("made"))}]);
        pi.sendMessage({ customType: "x", content: "y", display: true });
        pi.appendEntry("x", {});
        console.error(JSON.stringify([...heard, code]));
        heard.length = 0;
      });
    }
  };`,
  );
  await dir.write("a.jsonl", RECORDED_SESSIONS["pi v3"]);
  await dir.write("b.jsonl", RECORDED_SESSIONS["Gemini CLI"]);
  const before = await Deno.readTextFile(dir.file("a.jsonl"));
  const args = ["replay", "--hook", "log.ts", "a.jsonl", "b.jsonl", "--fail-on", "error"];
  const { stderr, code } = await cli(dir, args);
  assertEquals(stderr.trimEnd().split("\n").map((line) => JSON.parse(line)), [
    [
      ["session_start", "/project", null],
      ["before_agent_start", "/project", "clean up"],
      ["session_shutdown", "/project", null],
      126,
    ],
    [
      ["session_start", dir.path, null],
      ["before_agent_start", dir.path, "clean up"],
      ["session_shutdown", dir.path, null],
      126,
    ],
  ]);
  assertEquals(code, 0);
  assertEquals(await Deno.stat(dir.file("made")).then(() => true, () => false), false);
  assertEquals(await Deno.readTextFile(dir.file("a.jsonl")), before);
});

Deno.test("hooks of a recorded folder are never loaded", async () => {
  await using dir = await tempDir();
  const source = `Deno.writeTextFileSync(${JSON.stringify(dir.file("pwned"))}, "1");
    export default () => {};`;
  for (const folder of [".xcsh", ".claude"]) {
    await dir.write(`repo/${folder}/hooks/pre/x.ts`, source);
  }
  const header = { type: "session", version: 3, id: "s", timestamp: "t", cwd: dir.file("repo") };
  const [, ...rest] = RECORDED_SESSIONS["pi v3"].split("\n");
  await dir.write("here/s.jsonl", [JSON.stringify(header), ...rest].join("\n"));
  for (const args of [["here/s.jsonl"], ["--trust", "here/s.jsonl"], ["--help"]]) {
    const { code } = await cli(dir, ["replay", "--cwd", "here", ...args]);
    assertEquals(code, 0);
  }
  assertEquals(await Deno.stat(dir.file("pwned")).then(() => true, () => false), false);
});

Deno.test("a patch over several files is blocked if one of them is", async () => {
  await using dir = await tempDir();
  await dir.write(
    "env.ts",
    `export default (pi) => {
    pi.on("tool_call", (event) => {
      if (event.input.path === ".env") return { block: true, reason: "not " + event.input.path };
    });
  };`,
  );
  const input =
    "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: .env\n@@\n-a\n+b\n*** End Patch";
  const call = { type: "custom_tool_call", name: "apply_patch", input, call_id: "p" };
  await dir.write(
    "s.jsonl",
    [{ type: "session_meta", payload: { id: "s" } }, { type: "response_item", payload: call }]
      .map((record) => JSON.stringify(record)).join("\n"),
  );
  const [record] = answersOf(await cli(dir, ["replay", "--hook", "env.ts", "--json", "s.jsonl"]));
  assertEquals([record.toolName, record.outcome, record.reason], ["edit", "blocked", "not .env"]);
});

Deno.test("--names prints the whole table", async () => {
  await using dir = await tempDir();
  const { stdout, code } = await cli(dir, ["replay", "--names"]);
  for (const { tool, names } of TOOL_NAMES) {
    assertStringIncludes(stdout, tool);
    for (const name of names) assertStringIncludes(stdout, name);
  }
  assertEquals(code, 0);
});

Deno.test("the bar of the progress is full at the end", () => {
  assertEquals(progressText(0, "a"), `${"░".repeat(24)}   0% a`);
  assertEquals(progressText(0.5, "a"), `${"█".repeat(12)}${"░".repeat(12)}  50% a`);
  assertEquals(progressText(2, "a"), `${"█".repeat(24)} 100% a`);
});

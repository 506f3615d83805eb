/**
 * `pi-hooks serve --as AGENT`, as the process that an agent starts.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runDeno, type RunDenoResult, tempDir } from "./helpers.ts";

const CLI = decodeURIComponent(new URL("../cli.ts", import.meta.url).pathname);

type Serving = { stdin?: string | Uint8Array; cwd?: string; env?: Record<string, string> };

function serve(args: string[], options: Serving = {}): Promise<RunDenoResult> {
  return runDeno(["run", CLI, "serve", "--no-discovery", ...args], {
    ...options,
    env: { COPILOT_CLI: "", CLAUDE_PROJECT_DIR: "", ...options.env },
  });
}

function claude(command: string, more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    ...more,
  });
}

const GATE = `export default (pi) => pi.on("tool_call", (event) => {
  if (/rm -rf/.test(event.input.command)) return { block: true, reason: "not today" };
});`;

const DENIED = (reason: string): string =>
  `${
    JSON.stringify({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: reason,
      },
    })
  }\n`;

Deno.test("a payload on standard input is answered on standard output", async () => {
  await using dir = await tempDir();
  const gate = await dir.write("gate.ts", GATE);
  const denied = await serve(["--as", "claude", "--hook", gate], { stdin: claude("rm -rf x") });
  assertEquals(denied, { code: 0, stdout: DENIED("not today"), stderr: "" });
  const allowed = await serve(["--as", "claude", "--hook", gate], { stdin: claude("ls") });
  assertEquals(allowed, { code: 0, stdout: "{}\n", stderr: "" });
});

Deno.test("standard output carries the answer alone, whatever a hook and its children print", async () => {
  await using dir = await tempDir();
  const noisy = await dir.write(
    "noisy.ts",
    `console.log("at load");
    process.stdout.write("at load too\\n");
    export default (pi) => pi.on("tool_call", async () => {
      console.info("in the handler");
      Deno.stdout.writeSync(new TextEncoder().encode("raw\\n"));
      await pi.exec("echo", ["executed"]);
      await new Deno.Command("echo", { args: ["spawned"] }).spawn().status;
      new Deno.Command("echo", { args: ["waited for"], stdout: "inherit" }).outputSync();
      console.log("x".repeat(1_000_000));
      setTimeout(() => console.log("late"), 0);
      return { block: true, reason: "guard" };
    });`,
  );
  const { code, stdout, stderr } = await serve(["--as", "claude", "--hook", noisy], {
    stdin: claude("ls"),
  });
  assertEquals([code, stdout], [0, DENIED("guard")]);
  for (const word of ["at load", "raw", "spawned", "waited for"]) {
    assertStringIncludes(stderr, word);
  }
});

Deno.test("an answer can go to a file descriptor, out of reach of all children", async () => {
  await using dir = await tempDir();
  const noisy = await dir.write(
    "noisy.ts",
    `import { execFileSync } from "node:child_process";
    export default (pi) => pi.on("tool_call", () => {
      execFileSync("echo", ["from node"], { stdio: "inherit" });
      return { block: true, reason: "guard" };
    });`,
  );
  const command = `"$DENO" run -A "$CLI" serve --no-discovery --as claude --hook "$HOOK" ` +
    "--answer-to /dev/fd/3 3>&1 >&2";
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", `answer=$(printf %s "$PAYLOAD" | ${command}); printf '%s\\n' "$answer"`],
    env: { DENO: Deno.execPath(), CLI, HOOK: noisy, PAYLOAD: claude("ls") },
  }).output();
  assertEquals(new TextDecoder().decode(stdout), DENIED("guard"));
});

const BAD_HOOKS: readonly [name: string, source: string, reason: RegExp][] = [
  ["throws", `export default (pi) => pi.on("tool_call", () => { throw "x"; });`, /failed.*threw/],
  ["answers nonsense", `export default (pi) => pi.on("tool_call", () => "deny");`, /hook\.ts/],
  [
    "hangs",
    `export default (pi) => pi.on("tool_call", () => new Promise(() => {}));`,
    /did not answer in time/,
  ],
  ["never returns", `export default (pi) => pi.on("tool_call", () => { for (;;); });`, /busy/],
  ["never finishes loading", `for (;;); export default () => {};`, /busy|cannot tell/],
  ["does not parse", `export default (pi => {`, /not loaded \(syntax\)/],
  ["throws while loading", `throw new Error("no"); export default () => {};`, /not loaded/],
  ["exports nothing", `export const x = 1;`, /not loaded \(no-default-export\)/],
  ["leaves", `export default (pi) => pi.on("tool_call", () => { Deno.exit(0); });`, /ended the/],
  [
    "leaves another way",
    `export default (pi) => pi.on("tool_call", () => process.exit(0));`,
    /ended/,
  ],
];

for (const [name, source, reason] of BAD_HOOKS) {
  Deno.test(`a hook that ${name} closes the gate, and the reason says whose fault it is`, async () => {
    await using dir = await tempDir();
    const path = await dir.write("hook.ts", source);
    const { code, stdout, stderr } = await serve(
      ["--as", "claude", "--hook", path, "--timeout", "1000", "--event", "PreToolUse"],
      { stdin: claude("ls") },
    );
    assertEquals(code, 0, stderr);
    assert(reason.test(stdout), stdout);
    assertStringIncludes(stdout, '"permissionDecision":"deny"');
  });
}

Deno.test("a hook that keeps the process busy closes the gate of every agent", async () => {
  await using dir = await tempDir();
  const path = await dir.write("hook.ts", BAD_HOOKS[3][1]);
  const args = (agent: string) => ["--as", agent, "--hook", path, "--timeout", "300"];
  const codex = await serve(args("codex"), { stdin: claude("ls") });
  assertEquals(codex.code, 0);
  assertStringIncludes(codex.stdout, '"permissionDecision":"deny"');
  const unread = await serve(args("codex"), {
    stdin: '{"hook_event_name":"New","tool_name":"a","tool_input":{}}',
  });
  assertEquals([unread.code, unread.stdout], [2, ""]);
  assertStringIncludes(unread.stderr, "busy");
});

Deno.test("no hook, a hook that is not there, and one that is not trusted close the gate", async () => {
  await using dir = await tempDir();
  const none = await serve(["--as", "claude"], { stdin: claude("ls") });
  assertStringIncludes(none.stdout, "No hook was loaded");
  assertStringIncludes(none.stdout, "deny");
  const missing = await serve(["--as", "claude", "--hook", "/no/such.ts"], { stdin: claude("ls") });
  assertStringIncludes(missing.stdout, "/no/such.ts");
  assertStringIncludes(missing.stdout, "deny");
  await dir.write(".pi/hooks/pre/bash.ts", GATE);
  const home = { HOME: dir.file("home") };
  const run = (args: string[]) =>
    runDeno(["run", CLI, "serve", "--as", "claude", "--cwd", dir.path, ...args], {
      stdin: claude("ls"),
      env: home,
    });
  const untrusted = await run([]);
  assertStringIncludes(untrusted.stdout, "not trusted");
  assertStringIncludes(untrusted.stdout, "deny");
  assertEquals((await run(["--trust"])).stdout, "{}\n");
});

const BAD_INPUTS: readonly [string, string | Uint8Array | undefined][] = [
  ["nothing", undefined],
  ["an empty text", ""],
  ["no JSON", "hello"],
  ["half a payload", claude("ls").slice(0, 20)],
  ["two payloads", claude("ls") + claude("ls")],
  ["a list", "[]"],
  ["an object without an event", "{}"],
  ["a gate without a tool", '{"hook_event_name":"PreToolUse","tool_name":7}'],
];

for (const [name, stdin] of BAD_INPUTS) {
  Deno.test(`${name} on standard input closes the gate`, async () => {
    await using dir = await tempDir();
    const gate = await dir.write("gate.ts", GATE);
    const { code, stdout, stderr } = await serve(["--as", "codex", "--hook", gate], { stdin });
    assert(code === 2 ? stderr.trim() !== "" : stdout.includes('"deny"'), `${code} ${stdout}`);
    assertStringIncludes(stderr, "cannot be read");
    const known = await serve(["--as", "codex", "--hook", gate, "--event", "Stop"], { stdin });
    if (name !== "a gate without a tool") assertEquals([known.code, known.stdout], [0, "{}\n"]);
  });
}

Deno.test("a payload is answered before its end, if that does not come", async () => {
  await using dir = await tempDir();
  const gate = await dir.write("gate.ts", GATE);
  await using child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", CLI, "serve", "--no-discovery", "--as", "claude", "--hook", gate],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  for (const piece of claude("rm -rf x").match(/.{1,9}/gs) ?? []) {
    await writer.write(new TextEncoder().encode(piece));
  }
  assertEquals(await new Response(child.stdout).text(), DENIED("not today"));
  assertEquals((await child.status).code, 0);
  await writer.abort().catch(() => {});
});

Deno.test("relative hooks start from the project folder, not from where the agent's cd led", async () => {
  await using dir = await tempDir();
  await dir.write("hooks/gate.ts", GATE);
  await dir.write("sub/deep/x", "");
  const where = await dir.write(
    "hooks/where.ts",
    `export default (pi) => pi.on("tool_call", async (event, ctx) => {
      const { stdout } = await pi.exec("pwd", []);
      return { block: true, reason: ctx.cwd + " " + stdout.trim() };
    });`,
  );
  const options = (cwd: string) => ({
    stdin: claude("rm -rf x", { cwd }),
    cwd: dir.file("sub/deep"),
    env: { CLAUDE_PROJECT_DIR: dir.path },
  });
  const relative = await serve(["--as", "claude", "--hook", "hooks/gate.ts"], options(dir.path));
  assertEquals(relative.stdout, DENIED("not today"));
  const deep = dir.file("sub/deep");
  const there = await serve(["--as", "claude", "--hook", where], options(deep));
  assertEquals(there.stdout, DENIED(`${deep} ${deep}`));
  const gone = await serve(["--as", "claude", "--hook", where], options("/no/such/folder"));
  assertEquals(gone.stdout, DENIED(`${dir.path} ${dir.path}`));
  assertStringIncludes(gone.stderr, "/no/such/folder is not there");
});

Deno.test("the transcript may be anything", async () => {
  await using dir = await tempDir();
  const hook = await dir.write(
    "hook.ts",
    `export default (pi) => pi.on("tool_call", (event, { sessionManager }) => ({
      block: true,
      reason: JSON.stringify([sessionManager.getSessionFile() ?? null, sessionManager.getBranch()]),
    }));`,
  );
  const file = await dir.write("t.jsonl", '{"half":');
  const paths: [unknown, string | null][] = [
    [file, file],
    ["~/t.jsonl", file],
    [dir.path, null],
    ["/dev/zero", null],
    ["", null],
    [null, null],
    [7, null],
  ];
  for (const [transcript_path, expected] of paths) {
    const { stdout } = await serve(["--as", "claude", "--hook", hook], {
      stdin: claude("ls", { transcript_path }),
      env: { HOME: dir.path },
    });
    assertEquals(stdout, DENIED(JSON.stringify([expected, []])));
  }
});

Deno.test("a reader that has gone ends it quietly", async () => {
  await using dir = await tempDir();
  const hook = await dir.write(
    "hook.ts",
    `export default (pi) => pi.on("before_agent_start", () => ({
      message: { customType: "x", content: "x".repeat(5_000_000), display: true },
    }));`,
  );
  const payload = '{"hook_event_name":"UserPromptSubmit","prompt":"go"}';
  const full = await serve(["--as", "claude", "--hook", hook], { stdin: payload });
  assertEquals(JSON.parse(full.stdout).hookSpecificOutput.additionalContext.length, 5_000_000);
  const { stdout, stderr } = await new Deno.Command("sh", {
    args: [
      "-c",
      `{ printf %s "$PAYLOAD" | "$DENO" run -A "$CLI" serve --no-discovery --as claude ` +
      `--hook "$HOOK"; echo "code $?" >&2; } | head -c 3`,
    ],
    env: { DENO: Deno.execPath(), CLI, HOOK: hook, PAYLOAD: payload },
  }).output();
  assertEquals(new TextDecoder().decode(stdout).length, 3);
  assertEquals(new TextDecoder().decode(stderr), "code 0\n");
});

Deno.test("what can be said to an agent, and which tool is which, can be looked up", async () => {
  const described = await serve(["--as", "codex", "--describe"]);
  assertStringIncludes(described.stdout, "PreToolUse -> tool_call");
  const json = await serve(["--as", "codex", "--describe", "--json"]);
  assertEquals(JSON.parse(json.stdout)[0].event, "PreToolUse");
  assertStringIncludes((await serve(["--names"])).stdout, "run_shell_command");
});

Deno.test("wrong usage is said, with what was probably meant", async () => {
  const cases: [string[], string][] = [
    [["--as", "claud"], "Did you mean claude?"],
    [[], "serve needs --jsonl, or --as"],
    [["--as", "claude", "--event", "PreTolUse"], "did you mean PreToolUse?"],
    [["--as", "claude", "--hok", "x"], "--hook"],
  ];
  for (const [args, text] of cases) {
    const { code, stdout, stderr } = await serve(args, { stdin: claude("ls") });
    assertEquals([code, stdout], [2, ""]);
    assertStringIncludes(stderr, text);
  }
});

/**
 * `pi-hooks install`, `uninstall` and `doctor`, with a home folder of their own.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { agentNamed } from "../src/agents/agents.ts";
import { commandLines } from "../src/agents/settings.ts";
import { runDeno, type RunDenoResult, type TempDir, tempDir } from "./helpers.ts";

const CLI = decodeURIComponent(new URL("../cli.ts", import.meta.url).pathname);

const GATE = `export default (pi) => pi.on("tool_call", (event) => {
  if (/rm -rf/.test(event.input.command)) return { block: true, reason: "not today" };
});`;

/** What Deno has compiled stays where it is, although the home folder is another one. */
const { denoDir } = JSON.parse(
  new TextDecoder().decode(
    new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync().stdout,
  ),
);
const DENO_DIR = { DENO_DIR: denoDir as string };

interface Home extends AsyncDisposable {
  dir: TempDir;
  run(...args: string[]): Promise<RunDenoResult>;
  read(path: string): string | undefined;
  files(): string[];
}

async function makeHome(): Promise<Home> {
  const dir = await tempDir();
  await dir.write("my hooks/gate.ts", GATE);
  await dir.write("project/x", "");
  const env = { ...DENO_DIR, HOME: dir.path, PI_HOOKS_HOME: dir.file("own") };
  const run = (...args: string[]) =>
    runDeno(["run", CLI, ...args], { env, cwd: dir.file("project") });
  const files = (folder = dir.path): string[] =>
    [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
      isDirectory ? files(`${folder}/${name}`) : [`${folder}/${name}`.slice(dir.path.length + 1)]
    ).sort();
  return {
    dir,
    run,
    files: () => files(),
    read: (path) => {
      try {
        return Deno.readTextFileSync(dir.file(path));
      } catch {
        return undefined;
      }
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const SETTINGS: readonly [agent: string, user: string, project: string, gate: string][] = [
  ["claude", ".claude/settings.json", ".claude/settings.json", "PreToolUse"],
  ["gemini", ".gemini/settings.json", ".gemini/settings.json", "BeforeTool"],
  ["codex", ".codex/hooks.json", ".codex/hooks.json", "PreToolUse"],
  ["copilot", ".copilot/hooks/pi-hooks.json", ".github/hooks/pi-hooks.json", "preToolUse"],
  ["cursor", ".cursor/hooks.json", ".cursor/hooks.json", "preToolUse"],
];

for (const [agent, user, project, gate] of SETTINGS) {
  Deno.test(`${agent}: what is there is kept, the gate works, and all goes again`, async () => {
    await using home = await makeHome();
    const { dir, run, read } = home;
    const other = { command: "echo other", type: "command" };
    const before = { theme: "dark", hooks: { Other: [other], [gate]: [other] } };
    await dir.write(user, JSON.stringify(before));
    const hook = ["--hook", "../my hooks/gate.ts", "--no-resident"];
    const dry = await run("install", agent, ...hook, "--dry-run");
    assertEquals([dry.code, read(user)], [0, JSON.stringify(before)]);
    assertStringIncludes(dry.stdout, "+ ");
    const done = await run("install", agent, ...hook);
    assertEquals(done.code, 0, done.stderr);
    const settings = JSON.parse(read(user)!);
    assertEquals([settings.theme, settings.hooks.Other, settings.hooks[gate][0]], [
      "dark",
      [other],
      other,
    ]);
    for (const event of Object.keys(settings.hooks).filter((name) => name !== "Other")) {
      assert(Object.hasOwn(agentNamed(agent)!.events, event), event);
    }
    const lines = commandLines(settings).filter(({ event }) => event === gate);
    assertEquals(lines.length, 2);
    const payload = agent === "copilot"
      ? { sessionId: "s", toolName: "bash", toolArgs: { command: "rm -rf x" } }
      : {
        hook_event_name: gate,
        tool_name: agent === "gemini" ? "run_shell_command" : "Bash",
        tool_input: { command: "rm -rf x" },
      };
    const answer = await new Deno.Command("sh", {
      args: ["-c", `printf %s "$PAYLOAD" | ( ${lines[1].line} )`],
      env: {
        ...DENO_DIR,
        PAYLOAD: JSON.stringify(payload),
        HOME: dir.path,
        PI_HOOKS_HOME: dir.file("own"),
      },
    }).output();
    assertStringIncludes(new TextDecoder().decode(answer.stdout), "not today");
    const again = await run("install", agent, ...hook);
    assertStringIncludes(again.stderr, "All is there already");
    const backups = home.files().filter((file) => file.endsWith(".bak"));
    assertEquals(backups.map((file) => read(file)), [JSON.stringify(before)]);
    const out = await run("uninstall", agent);
    assertEquals(out.code, 0, out.stderr);
    assertEquals(JSON.parse(read(user)!).hooks, before.hooks);
  });

  Deno.test(`${agent}: a project gets its own, and a file of ours alone goes away`, async () => {
    await using home = await makeHome();
    const { dir, run, read, files } = home;
    const hook = ["--hook", dir.file("my hooks/gate.ts")];
    const before = files();
    assertEquals((await run("install", agent, "--project", ...hook)).code, 0);
    const settings = JSON.parse(read(`project/${project}`)!);
    const { line } = commandLines(settings).find(({ event }) => event === gate)!;
    assert(line.endsWith(`${gate} || exit 2`), line);
    if (agent === "claude") {
      assertStringIncludes(read(`project/${project}`)!, '"onFailure": "block"');
    }
    if (agent === "cursor") assertStringIncludes(read(`project/${project}`)!, '"failClosed": true');
    assertEquals((await run("uninstall", agent, "--project")).code, 0);
    assertEquals(files().filter((file) => !file.endsWith(".bak")), before);
  });
}

for (
  const [agent, folder] of [
    ["pi", ".pi/agent/extensions"],
    ["omp", ".omp/agent/hooks/pre"],
    ["xcsh", ".xcsh/agent/hooks/pre"],
  ]
) {
  Deno.test(`${agent}: the hook is put where the agent looks`, async () => {
    await using home = await makeHome();
    const { dir, run, read, files } = home;
    const before = files();
    await run("install", agent, "--hook", dir.file("my hooks/gate.ts"));
    assertStringIncludes(read(`${folder}/gate.ts`) ?? "", "export { default } from");
    const { default: factory } = await import(`file://${dir.file(`${folder}/gate.ts`)}`);
    assertEquals(typeof factory, "function");
    assertEquals((await run("doctor", agent)).code, 0);
    await Deno.remove(dir.file("my hooks/gate.ts"));
    const doctor = await run("doctor", agent);
    assertEquals(doctor.code, 1);
    assertStringIncludes(doctor.stdout, "the hook is gone");
    await run("uninstall", agent);
    assertEquals(files(), before.filter((file) => file !== "my hooks/gate.ts"));
  });
}

Deno.test("opencode gets a plugin that throws to block and puts results in place", async () => {
  await using home = await makeHome();
  const { dir, run } = home;
  const hook = await dir.write(
    "both.ts",
    `${GATE.replace("export default (pi) =>", "export default (pi) => {")}
      pi.on("tool_result", () => ({ content: [{ type: "text", text: "gone" }] }));
      pi.on("before_agent_start", () => ({
        message: { customType: "x", content: "more", display: true },
      }));
    };`,
  );
  const done = await run("install", "opencode", "--hook", hook, "--no-resident");
  assertEquals(done.code, 0, done.stderr);
  const script = await dir.write(
    "try.mjs",
    `import { PiHooks } from "./.config/opencode/plugin/pi-hooks.js";
    const plugin = await PiHooks({ directory: "/" });
    const input = { tool: "bash", sessionID: "s", callID: "c" };
    const before = (command) => plugin["tool.execute.before"](input, { args: { command } })
      .then(() => "runs", (error) => error.message);
    const output = { title: "t", output: "secret", metadata: {} };
    await plugin["tool.execute.after"]({ ...input, args: {} }, output);
    const message = { parts: [{ type: "text", text: "go" }] };
    await plugin["chat.message"]({ sessionID: "s" }, message);
    const texts = [output.output, message.parts[0].text];
    console.log(JSON.stringify([await before("ls"), await before("rm -rf x"), ...texts]));`,
  );
  const env = { ...DENO_DIR, HOME: dir.path, PI_HOOKS_HOME: dir.file("own") };
  const { stdout, stderr } = await runDeno(["run", script], { env, config: null });
  assertEquals(stdout.trim(), JSON.stringify(["runs", "not today", "gone", "go\n\nmore"]), stderr);
});

Deno.test("doctor tries what is installed, and finds what is broken", async () => {
  await using home = await makeHome();
  const { dir, run, read } = home;
  assertStringIncludes((await run("doctor")).stdout, "Nothing is installed");
  const hook = dir.file("my hooks/gate.ts");
  await run("install", "claude", "--hook", hook, "--no-resident");
  await run("install", "codex", "--project", "--hook", hook, "--no-resident");
  const fine = await run("doctor", "--json");
  assertEquals(fine.code, 0, fine.stdout);
  const found = JSON.parse(fine.stdout);
  assertEquals(
    found.map(({ agent, level, works }: Record<string, unknown>) => [agent, level, works]),
    [
      ["claude", "user", true],
      ["codex", "project", true],
    ],
  );
  assertStringIncludes(fine.stdout, "trusted");
  await dir.write("my hooks/gate.ts", "export default (");
  const broken = await run("doctor", "claude");
  assertEquals(broken.code, 1);
  assertStringIncludes(broken.stdout, "hooks cannot be asked");
  const stub = read(".claude/settings.json")!.match(/own\/stubs\/[^'" ]+/)![0];
  await Deno.remove(dir.file(stub));
  const gone = await run("doctor", "claude");
  assertStringIncludes(gone.stdout, "exit code 2");
});

Deno.test("settings that are no JSON are left alone", async () => {
  await using home = await makeHome();
  const { dir, run, read } = home;
  await dir.write(".claude/settings.json", "{ // mine\n}");
  const { code, stderr } = await run("install", "claude", "--hook", dir.file("my hooks/gate.ts"));
  assertEquals([code, read(".claude/settings.json")], [2, "{ // mine\n}"]);
  assertStringIncludes(stderr, "left alone");
});

Deno.test("wrong usage of install is said", async () => {
  await using home = await makeHome();
  const cases: [string[], string][] = [
    [["install", "claud", "--hook", "x"], "Did you mean claude?"],
    [["install", "claude"], "needs --hook"],
    [["install", "claude", "--hook", "/no/such.ts"], "There is no hook /no/such.ts"],
    [["install", "claude", "--user", "--project"], "cannot both"],
  ];
  for (const [args, text] of cases) {
    const { code, stderr } = await home.run(...args);
    assertEquals(code, 2);
    assertStringIncludes(stderr, text);
  }
});

/**
 * The process that stays: who may ask it, what becomes of sessions, of hooks that change and hang.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { agentNamed } from "../src/agents/agents.ts";
import { stubScript } from "../src/cli/stub.ts";
import { runDeno, type TempDir, tempDir } from "./helpers.ts";

const CLI = decodeURIComponent(new URL("../cli.ts", import.meta.url).pathname);

const COUNTING = `import { word } from "./word.ts";
export default (pi) => {
  let count = 0;
  let started = 0;
  pi.on("session_start", () => { started++; });
  pi.on("tool_call", async ({ input: { command } }) => {
    count++;
    if (command === "spin") for (;;);
    if (command === "hang") await new Promise(() => {});
    if (command !== "ls") return { block: true, reason: [word, count, started].join(" ") };
  });
  pi.on("session_shutdown", () => Deno.writeTextFileSync("FILE", "over"));
};`;

/** A running process. */
interface Resident extends AsyncDisposable {
  url: string;
  token: string;
  dir: TempDir;
  child: Deno.ChildProcess;
  post(path: string, body: BodyInit, headers?: HeadersInit): Promise<Response>;
}

async function start(...more: string[]): Promise<Resident> {
  const dir = await tempDir();
  await dir.write("word.ts", `export const word = "one";`);
  const hook = await dir.write("hook.ts", COUNTING.replace("FILE", dir.file("over")));
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", CLI, "serve", "--http", "127.0.0.1:0", "--no-discovery", "--hook", hook],
      ...more,
    ],
    env: { PI_HOOKS_HOME: dir.file("home") },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes("\n")) said += (await reader.read()).value;
  const url = said.trim().replace("listening on ", "");
  const token = (await Deno.readTextFile(dir.file("home/token"))).split(": ")[1].trim();
  return {
    url,
    token,
    dir,
    child,
    post: (path, body, headers) =>
      fetch(url + path, { method: "POST", body, headers: { authorization: token, ...headers } }),
    async [Symbol.asyncDispose]() {
      try {
        child.kill();
      } catch {
        // It has ended already.
      }
      await reader.cancel();
      await child.status;
      await dir[Symbol.asyncDispose]();
    },
  };
}

function call(command: string, session = "s1"): string {
  return JSON.stringify({
    session_id: session,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
  });
}

async function reasonOf(response: Response): Promise<string> {
  assertEquals(response.status, 200);
  return (await response.json()).hookSpecificOutput?.permissionDecisionReason ?? "none";
}

Deno.test("hooks are loaded once a session, sessions are apart, and each hears of its start", async () => {
  await using resident = await start();
  const { post } = resident;
  assertEquals(await reasonOf(await post("/hook/claude", call("ls"))), "none");
  assertEquals(await reasonOf(await post("/hook/claude", call("x"))), "one 2 1");
  assertEquals(await reasonOf(await post("/hook/claude", call("x", "s2"))), "one 1 1");
  const many = await Promise.all(
    Array.from({ length: 20 }, (_, i) => post("/hook/claude", call("x", `t${i % 4}`))),
  );
  const reasons = await Promise.all(many.map(reasonOf));
  assertEquals(
    reasons.toSorted(),
    [1, 2, 3, 4, 5].flatMap((n) => Array(4).fill(`one ${n} 1`)).toSorted(),
  );
});

Deno.test("who has no token, the wrong one, or is a web page, learns nothing and runs nothing", async () => {
  await using resident = await start();
  const { post, url } = resident;
  for (const authorization of ["", "Bearer x", resident.token.slice(0, -1)]) {
    const stranger = await post("/hook/claude", call("x"), { authorization });
    assertEquals([stranger.status, await stranger.text()], [401, "A token is needed\n"]);
    const gate = await post("/hook/claude?event=PreToolUse", call("ls"), { authorization });
    assertStringIncludes(await reasonOf(gate), "without its token");
  }
  const page = await post("/hook/claude", call("x"), { origin: "http://evil.example" });
  assertEquals(page.status, 403);
  await page.body?.cancel();
  const { hostname, port } = new URL(url);
  await using connection = await Deno.connect({ hostname, port: Number(port) });
  const lines = ["GET /status HTTP/1.1", "host: evil.example", `authorization: ${resident.token}`];
  await connection.write(
    new TextEncoder().encode(`${lines.join("\r\n")}\r\nconnection: close\r\n\r\n`),
  );
  assertStringIncludes(await new Response(connection.readable).text(), " 403 ");
  const { mode } = await Deno.stat(resident.dir.file("home/token"));
  assertEquals((mode ?? 0) & 0o777, 0o600);
});

Deno.test("a hook that hangs, and one that never returns, close the gate and hold nobody up", async () => {
  await using resident = await start("--timeout", "300");
  const { post } = resident;
  assertStringIncludes(await reasonOf(await post("/hook/claude", call("hang"))), "not answer");
  assertStringIncludes(await reasonOf(await post("/hook/claude", call("spin"))), "busy");
  assertEquals(await reasonOf(await post("/hook/claude", call("x"))), "one 1 1");
});

Deno.test("a hook, or a file that it imports, is loaded again when it changes", async () => {
  await using resident = await start();
  const { post, dir } = resident;
  const until = async (expected: string) => {
    for (let i = 0; i < 200; i++) {
      const reason = await reasonOf(await post("/hook/claude", call("x", `r${i}`)));
      if (reason.startsWith(expected)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`it never said ${expected}`);
  };
  await until("one");
  await dir.write("word.ts", `export const word = "second";`);
  await until("second");
  await dir.write("hook.ts", "export default (");
  await until("Hook ");
  await dir.write("hook.ts", COUNTING.replace("FILE", dir.file("over")));
  await until("second");
});

Deno.test("bad payloads and wrong ways are refused in a form that closes the gate", async () => {
  await using resident = await start();
  const { post } = resident;
  const bad = await post("/hook/claude?event=PreToolUse", "hello");
  assertStringIncludes(await reasonOf(bad), "cannot be read");
  const unknown = await post("/hook/claude", "hello");
  assertEquals([unknown.status, unknown.headers.get("x-pi-hooks-exit")], [400, "2"]);
  await unknown.body?.cancel();
  const stop = await post("/hook/claude?event=Stop", "hello");
  assertEquals([stop.status, await stop.text()], [200, "{}"]);
  const nowhere = await post("/other", "{}");
  assertEquals(nowhere.status, 404);
  await nowhere.body?.cancel();
});

Deno.test("it tells how it is, tells its hooks that it is over, and ends with the right code", async () => {
  await using resident = await start();
  const { post, url, dir } = resident;
  await (await post("/hook/claude", call("x"))).body?.cancel();
  const address = new URL(url).host;
  const ask = (what: string) =>
    runDeno(["run", CLI, "serve", "--http", address, what], {
      env: { PI_HOOKS_HOME: dir.file("home") },
    });
  const status = JSON.parse((await ask("--status")).stdout);
  assertEquals([status.answered, status.faults, status.loaded], [1, [], [dir.file("hook.ts")]]);
  resident.child.kill("SIGTERM");
  assertEquals((await resident.child.status).code, 143);
  assertEquals(await Deno.readTextFile(dir.file("over")), "over");
  assertEquals((await ask("--status")).code, 1);
});

Deno.test("it listens on this machine only", async () => {
  for (const address of ["0.0.0.0:8123", "192.168.0.1:80", "example.com:80", "8123"]) {
    const { code, stderr } = await runDeno(["run", CLI, "serve", "--http", address]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, "an address of this machine");
  }
});

function hasCurl(): boolean {
  try {
    return new Deno.Command("curl", { args: ["--version"] }).outputSync().success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "the stub evaluates by itself, starts the resident process, and then asks that one",
  ignore: Deno.build.os === "windows" || !hasCurl(),
  async fn() {
    await using dir = await tempDir();
    const hook = await dir.write(
      "hook.ts",
      `export default (pi) => pi.on("tool_call", () => ({ block: true, reason: String(Deno.pid) }));`,
    );
    const home = dir.file("home");
    const socket = dir.file("s.sock");
    const stub = await dir.write(
      "stub.sh",
      stubScript({
        agent: agentNamed("claude")!,
        program: [Deno.execPath(), "run", "-A", CLI],
        hookOptions: ["--no-discovery", "--hook", hook],
        mayAsk: false,
        socket,
        tokenFile: `${home}/token`,
      }),
    );
    const env = { PI_HOOKS_HOME: home };
    const run = async (event: string, payload: string) => {
      const child = new Deno.Command("sh", {
        args: [stub, event],
        env,
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(payload));
      await writer.close();
      const { code, stdout, stderr } = await child.output();
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { code, stdout: text(stdout), stderr: text(stderr) };
    };
    const pidOf = (stdout: string) =>
      JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason as string;
    const first = await run("PreToolUse", call("x"));
    assertEquals(first.code, 0);
    const resident = async () => {
      const { stdout } = await runDeno(["run", CLI, "serve", "--socket", socket, "--status"], {
        env,
      });
      return stdout === "" ? undefined : String(JSON.parse(stdout).pid);
    };
    let pid: string | undefined;
    for (let i = 0; i < 50 && pid === undefined; i++) pid = await resident();
    assert(pid !== undefined, "the resident process did not come up");
    assert(pidOf(first.stdout) !== pid);
    assertEquals(pidOf((await run("PreToolUse", call("x"))).stdout), pid);
    assertEquals((await run("Stop", "hello")).stdout, "{}");
    const broken = await run("PreToolUse", '{"hook_event_name":"PreTool');
    assertStringIncludes(broken.stdout, '"deny"');
    const stop = await runDeno(["run", CLI, "serve", "--socket", socket, "--stop"], { env });
    assertEquals(stop.code, 0);
  },
});

Deno.test("a stub whose program is gone closes the gate, and nothing else", async () => {
  await using dir = await tempDir();
  const stub = await dir.write(
    "stub.sh",
    stubScript({
      agent: agentNamed("codex")!,
      program: ["/no/such/program"],
      hookOptions: [],
      mayAsk: false,
      tokenFile: "/no/token",
    }),
  );
  const run = async (event: string) => {
    const { code, stdout, stderr } = await new Deno.Command("sh", { args: [stub, event] }).output();
    return [code, new TextDecoder().decode(stdout), stderr.length > 0];
  };
  assertEquals(await run("PreToolUse"), [2, "", true]);
  assertEquals(await run("Stop"), [0, "{}\n", true]);
  assertEquals(await run("SessionEnd"), [0, "", true]);
});

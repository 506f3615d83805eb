/**
 * The end of a host: in the process, and in programs that end by a signal or by themselves.
 *
 * @module
 */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { SIGNAL_STATUS } from "../src/deno/signals.ts";
import { SessionManager } from "../src/session/session.ts";
import type { HookAPI } from "../src/types.ts";
import { answered, call } from "./conversation.ts";
import { echoTool, hook, hookFrom, type TempDir, tempDir } from "./helpers.ts";
import { linesOf, makeHost } from "./host_setup.ts";

const NEVER = new Promise<never>(() => {});

Deno.test("shutdown tells hooks once and closes the session, however often it is called", async () => {
  await using dir = await tempDir();
  const session = await SessionManager.create(dir.path, { sessionsDir: dir.file("sessions") });
  const keeping = hookFrom((pi) => pi.on("session_shutdown", () => pi.appendEntry("last words")));
  const test = makeHost({ session, hooks: [keeping], answers: ["a"] });
  await test.host.prompt("A");
  const file = session.getSessionFile() ?? "";
  await Promise.all([test.host.shutdown(), test.host.shutdown()]);
  await test.host.shutdown();
  assertEquals(test.events.filter(({ type }) => type === "session_shutdown").length, 1);
  assertStringIncludes(await Deno.readTextFile(file), "last words");
  // Whoever opens it next may write to it.
  const again = await SessionManager.open(file);
  again.appendCustomEntry("more");
  await again.close();
});

Deno.test("after a shutdown everything is refused with a sentence, and hooks reach nothing", async () => {
  let api!: HookAPI;
  const test = makeHost({ hooks: [hookFrom((pi) => void (api = pi), "/kept.ts")] });
  await test.host.start();
  await test.host.shutdown();
  await assertRejects(() => test.host.prompt("x"), Error, "this host has been shut down");
  await assertRejects(() => test.host.newSession(), Error, "this host has been shut down");
  api.appendEntry("late");
  api.sendMessage({ customType: "late", content: "x", display: true }, { triggerTurn: true });
  await Promise.resolve();
  assertEquals(test.errors.map(({ hookPath, event }) => [hookPath, event]), [
    ["/kept.ts", "appendEntry"],
    ["/kept.ts", "sendMessage"],
  ]);
});

Deno.test("a shutdown stops the working agent and waits for its last events", async () => {
  const asked = Promise.withResolvers<void>();
  const hang = hook("/hang.ts", {
    tool_call: () => {
      asked.resolve();
      return NEVER;
    },
  });
  const test = makeHost({
    answers: [answered(call("c1", "echo"))],
    tools: [echoTool()],
    hooks: [hang],
  });
  const running = test.host.prompt("Go");
  await asked.promise;
  await test.host.shutdown();
  await running;
  assertEquals(test.newEvents().slice(-3), ["turn_end", "agent_end", "session_shutdown"]);
  assertEquals(
    linesOf(test.host.messages).at(-1)?.startsWith("toolResult error: Interrupted"),
    true,
  );
});

Deno.test("a tool that does not end keeps a shutdown no longer than the grace", async () => {
  const asked = Promise.withResolvers<void>();
  const deaf = echoTool("deaf");
  deaf.execute = () => {
    asked.resolve();
    return NEVER;
  };
  const test = makeHost({
    answers: [answered(call("c1", "deaf"))],
    tools: [deaf],
    abortGraceMs: 5,
  });
  const running = test.host.prompt("Go");
  await asked.promise;
  await test.host.shutdown();
  await running;
  assertEquals(test.newEvents().at(-1), "session_shutdown");
});

Deno.test("a handler of session_start that never ends keeps a shutdown no longer than the grace", async () => {
  const begun = Promise.withResolvers<void>();
  const hang = hook("/hang.ts", {
    session_start: () => {
      begun.resolve();
      return NEVER;
    },
  });
  const test = makeHost({ hooks: [hang], abortGraceMs: 5 });
  const starting = test.host.start();
  await begun.promise;
  await test.host.shutdown();
  await starting;
  assertEquals(test.newEvents(), ["session_shutdown"]);
});

/** A program with a host, in a folder of its own. */
class Program implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #limit: ReturnType<typeof setTimeout>;

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#lines = linesFrom(child.stdout);
    this.#limit = setTimeout(() => child.kill("SIGKILL"), 60_000);
  }

  /** Starts a program whose `main` gets a host that writes to the session `session.jsonl`. */
  static async start(dir: TempDir, hooks: string, main: string, options = ""): Promise<Program> {
    const door = new URL("../mod.ts", import.meta.url).href;
    const config = decodeURIComponent(new URL("../deno.json", import.meta.url).pathname);
    await dir.write("hook.ts", `export default (pi) => {\n${hooks}\n};\n`);
    const script = await dir.write(
      "program.ts",
      `import { HookHost, loadHooks, scriptedModel, SessionManager } from "${door}";
const { hooks, errors } = await loadHooks(["./hook.ts"], "${dir.path}");
if (errors.length > 0) throw new Error(errors[0].error);
const session = await SessionManager.create("${dir.path}", { sessionsDir: "${
        dir.file("sessions")
      }" });
const model = scriptedModel(["Hello."]);
const host = new HookHost({ model, hooks, session, ${options} });
const stop = host.handleSignals();
await host.prompt("Hi");
${main}
`,
    );
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--config", config, script],
      cwd: dir.path,
      env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      stdout: "piped",
      stderr: "null",
    }).spawn();
    return new Program(child);
  }

  /** The next line that it prints, `undefined` at its end. */
  async next(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done ? undefined : value;
  }

  kill(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Waits for its end: what it still prints, and how it ended. */
  async end(): Promise<{ lines: string[]; code: number; signal: Deno.Signal | null }> {
    const lines: string[] = [];
    for (let line = await this.next(); line !== undefined; line = await this.next()) {
      lines.push(line);
    }
    const { code, signal } = await this.#child.status;
    return { lines, code, signal };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#limit);
    await this.#child.status;
  }
}

async function* linesFrom(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** What the session of a program holds. */
async function storedText(dir: TempDir): Promise<string> {
  const [info] = await SessionManager.list(dir.path, { sessionsDir: dir.file("sessions") });
  return await Deno.readTextFile(info.path);
}

const FAREWELL = `
  pi.on("session_shutdown", async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    console.log("farewell");
    pi.appendEntry("last words");
  });`;

const WAIT = `console.log("ready"); await new Promise((resolve) => setTimeout(resolve, 60_000));`;

for (const [signal, status] of Object.entries(SIGNAL_STATUS) as [Deno.Signal, number][]) {
  Deno.test(`${signal} runs session_shutdown once and exits with ${status}`, async () => {
    await using dir = await tempDir();
    await using program = await Program.start(dir, FAREWELL, WAIT);
    assertEquals(await program.next(), "ready");
    program.kill(signal);
    assertEquals(await program.end(), { lines: ["farewell"], code: status, signal: null });
    assertStringIncludes(await storedText(dir), "last words");
  });
}

Deno.test("handlers of session_shutdown that never end are left after one cap, side by side", async () => {
  await using dir = await tempDir();
  const hung = `pi.on("session_shutdown", () => new Promise(() => {}));`;
  await using program = await Program.start(dir, hung + hung + FAREWELL, WAIT);
  assertEquals(await program.next(), "ready");
  program.kill("SIGTERM");
  assertEquals(await program.end(), { lines: ["farewell"], code: 143, signal: null });
});

Deno.test("a second signal does not wait for handlers any more", async () => {
  await using dir = await tempDir();
  const hung = `
    pi.on("session_shutdown", () => {
      console.log("hanging");
      return new Promise(() => {});
    });`;
  const options = "runner: { handlerTimeoutMs: { session_shutdown: 60_000 } }";
  await using program = await Program.start(dir, hung, WAIT, options);
  assertEquals(await program.next(), "ready");
  program.kill("SIGTERM");
  assertEquals(await program.next(), "hanging");
  program.kill("SIGINT");
  assertEquals(await program.end(), { lines: [], code: 130, signal: null });
});

Deno.test("a program that has nothing left to do runs session_shutdown once and exits with 0", async () => {
  await using dir = await tempDir();
  await using program = await Program.start(dir, FAREWELL, `console.log("nothing left");`);
  assertEquals(await program.end(), {
    lines: ["nothing left", "farewell"],
    code: 0,
    signal: null,
  });
  assertStringIncludes(await storedText(dir), "last words");
});

Deno.test("a program that shuts its host down itself is told nothing twice at its end", async () => {
  await using dir = await tempDir();
  const main = `await host.shutdown(); console.log("over"); process.exitCode = 3;`;
  await using program = await Program.start(
    dir,
    FAREWELL,
    `import process from "node:process";${main}`,
  );
  assertEquals(await program.end(), { lines: ["farewell", "over"], code: 3, signal: null });
});

Deno.test("a host that has stopped listening leaves signals to the system", async () => {
  await using dir = await tempDir();
  await using program = await Program.start(dir, FAREWELL, `stop(); ${WAIT}`);
  assertEquals(await program.next(), "ready");
  program.kill("SIGTERM");
  const { lines, signal } = await program.end();
  assertEquals([lines, signal], [[], "SIGTERM"]);
});

Deno.test("a fault of the shutdown is reported, and the program ends with the right status", async () => {
  await using dir = await tempDir();
  const fault = `
    pi.on("session_shutdown", () => { throw new Error("boom"); });`;
  const main = `
    host.runner.onError(({ event, error }) => console.log(event, error));
    session.close = () => Promise.reject(new Error("disk full"));
    ${WAIT}`;
  await using program = await Program.start(dir, fault, main);
  assertEquals(await program.next(), "ready");
  program.kill("SIGHUP");
  const { lines, code } = await program.end();
  assertEquals(lines, ["session_shutdown boom", "session_shutdown disk full"]);
  assertEquals(code, 129);
});

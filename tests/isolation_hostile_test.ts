/**
 * Hooks that mean harm, or are broken: each is kept to what it was granted, blocks what it guards
 * when it fails, and takes neither the host nor another hook with it.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ToolCallDecision } from "../src/tool_decision.ts";
import { loadHooks } from "../src/loader.ts";
import { runDeno, tempDir } from "./helpers.ts";
import { isolated, type IsolatedSet, isRunning, moduleText, until } from "./isolation_setup.ts";

/** Asks the hooks about a command. */
function decide({ runner }: IsolatedSet, command = "ls"): Promise<ToolCallDecision> {
  const input = { command };
  return runner.decideToolCall({ type: "tool_call", toolName: "bash", toolCallId: "c1", input });
}

/** The reason of a block, which must be one. */
function reasonOf(decision: ToolCallDecision): string {
  assert(decision.blocked, "the call was not blocked");
  return decision.reason;
}

/** A gate that tries something and says what came of it. */
function trying(code: string): string {
  return `pi.on("tool_call", async (event, ctx) => {
    try {
      const got = await (async () => { ${code} })();
      return { block: true, reason: "got " + String(got) };
    } catch (error) {
      return { block: true, reason: error.name + ": " + error.message };
    }
  });`;
}

const PROJECT = new URL("../", import.meta.url).pathname;

// What it may not do

const REFUSED: readonly [name: string, code: string, refusal: RegExp][] = [
  [
    "reads a file outside of its grant",
    `return await Deno.readTextFile("/etc/passwd");`,
    /NotCapable: Requires read access/,
  ],
  [
    "reads a file beside its own",
    `return await Deno.readTextFile(new URL("./secret.txt", import.meta.url));`,
    /NotCapable: Requires read access/,
  ],
  ["reads the folder it is in", `return [...Deno.readDirSync(".")].length;`, /NotCapable/],
  [
    "imports a file that is no code, as text",
    `const url = new URL("./secret.txt", import.meta.url).href;
     return (await import(url, { with: { type: "text" } })).default;`,
    /read access|not supported|Requires/,
  ],
  [
    "writes its own file",
    `await Deno.writeTextFile(new URL(import.meta.url), "//");`,
    /NotCapable: Requires write access/,
  ],
  ["makes a file in the folder for such", `return await Deno.makeTempFile();`, /NotCapable/],
  ["starts a program", `await new Deno.Command("ls").output();`, /NotCapable: Requires run access/],
  [
    "starts a program by pi.exec",
    `return (await pi.exec("ls", [])).stdout;`,
    /NotCapable: Deno may not run "ls": add --allow-run=ls/,
  ],
  [
    "opens a socket",
    `await Deno.connect({ hostname: "127.0.0.1", port: 9 });`,
    /NotCapable: Requires net access/,
  ],
  ["fetches", `await fetch("http://127.0.0.1:9009/");`, /NotCapable: Requires net access/],
  ["listens", `Deno.listen({ port: 0 });`, /NotCapable: Requires net access/],
  ["reads a variable", `return Deno.env.get("PATH");`, /NotCapable: Requires env access/],
  ["reads all variables", `return Object.keys(Deno.env.toObject());`, /NotCapable/],
  ["asks who the user is", `return Deno.uid();`, /NotCapable: Requires sys access/],
  ["imports code from the net", `await import("https://127.0.0.1:9/x.ts");`, /TypeError/],
  ["imports from npm", `const name = "npm:left-pad@1"; await import(name);`, /TypeError/],
  ["loads machine code", `Deno.dlopen("libc.so.6", {});`, /NotCapable: Requires ffi access/],
  [
    "asks for more rights",
    `return (await Deno.permissions.request({ name: "read" })).state;`,
    /got (?:prompt|denied)/,
  ],
  ["kills its parent", `Deno.kill(Deno.ppid, "SIGKILL");`, /NotCapable: Requires run access/],
  [
    "kills its parent as Node would",
    `const { default: node } = await import("node:process"); node.kill(node.ppid, "SIGKILL");`,
    /NotCapable|Requires run access/,
  ],
  [
    "reads the memory of others",
    `return await Deno.readTextFile("/proc/" + Deno.ppid + "/environ");`,
    /NotCapable/,
  ],
  [
    "starts a worker with more rights",
    `const url = "data:text/javascript,postMessage(1)";
     new Worker(url, { type: "module", deno: { permissions: { read: true } } });
     await new Promise((resolve) => setTimeout(resolve, 1000));`,
    // Deno ends the whole process for this.
    /exited with code 70|escalate|NotCapable/,
  ],
  [
    "lets the host run a command",
    `await ctx.ui.custom(() => ({ render: () => [] }));`,
    /ctx\.ui\.custom cannot be used by an isolated hook/,
  ],
  [
    "asks for the key of a model",
    `return await ctx.modelRegistry.getApiKey({ provider: "x", id: "y" });`,
    /@permission keys/,
  ],
];

for (const [name, code, refusal] of REFUSED) {
  Deno.test(`without a grant a hook is refused what it tries: ${name}`, async () => {
    await using set = await isolated(trying(code), { files: { "secret.txt": "top secret" } });
    const reason = reasonOf(await decide(set));
    assertMatch(reason, refusal);
    assert(!reason.includes("top secret"), reason);
  });
}

Deno.test("a hook gets no variables but those that are granted", async () => {
  const code = `// @permission env
    ${trying("return JSON.stringify(Deno.env.toObject());")}`;
  Deno.env.set("PI_HOOKS_TEST_SECRET", "hidden");
  try {
    await using set = await isolated(code, {
      load: { permissions: { env: ["PI_HOOKS_TEST_GRANTED"] } },
    });
    assertMatch(reasonOf(await decide(set)), /NotCapable/);
    Deno.env.set("PI_HOOKS_TEST_GRANTED", "given");
    await using named = await isolated(
      trying(`return Deno.env.get("PI_HOOKS_TEST_GRANTED");`),
      { load: { permissions: { env: ["PI_HOOKS_TEST_GRANTED"] } } },
    );
    assertEquals(reasonOf(await decide(named)), "got given");
    await using run = await isolated(
      trying(`return (await pi.exec("env")).stdout;`),
      { load: { permissions: { run: ["env"] } } },
    );
    const reason = reasonOf(await decide(run));
    assert(reason.includes("PATH=") && !reason.includes("hidden"), reason);
  } finally {
    Deno.env.delete("PI_HOOKS_TEST_SECRET");
    Deno.env.delete("PI_HOOKS_TEST_GRANTED");
  }
});

Deno.test("a grant that leads out of its folder through a link is refused", async () => {
  await using outside = await tempDir();
  await outside.write("secret.txt", "top secret");
  await using dir = await tempDir();
  await Deno.symlink(outside.path, dir.file("link"));
  const path = await dir.write("hook.ts", moduleText("// @permission read=./link/secret.txt\n"));
  const { hooks, errors } = await loadHooks([path], dir.path, {
    isolate: true,
    permissions: "asked",
  });
  assertEquals([hooks.length, errors.length, errors[0].kind], [0, 1, "permission"]);
  assertMatch(errors[0].error, /^read=\.\/link\/secret\.txt leads to .* through a link/);
});

Deno.test("an import through a link to a file that is no code is not granted", async () => {
  await using outside = await tempDir();
  const secret = await outside.write("secret.txt", "export default 'top secret';");
  await using dir = await tempDir();
  await Deno.symlink(secret, dir.file("dep.ts"));
  const path = await dir.write(
    "linked.ts",
    `import secret from "./dep.ts"; export default () => { throw new Error(secret); };`,
  );
  const { errors } = await loadHooks([path], dir.path, { isolate: true });
  assertEquals(errors.length, 1);
  assert(!errors[0].error.includes("top secret"), errors[0].error);
});

Deno.test("what Deno does not stop: a link that lies inside of a granted folder", async () => {
  await using outside = await tempDir();
  await outside.write("secret.txt", "top secret");
  const read =
    `return await Deno.readTextFile(new URL("./data/link/secret.txt", import.meta.url));`;
  await using set = await isolated(trying(read), {
    files: { "data/note.txt": "x" },
    load: { permissions: { read: ["./data"] } },
  });
  await Deno.symlink(outside.path, set.dir.file("data", "link"));
  assertEquals(reasonOf(await decide(set)), "got top secret");
});

// How it may fail

const FAULTS: readonly [name: string, code: string, fault: RegExp][] = [
  ["ends itself", `Deno.exit(3);`, /exited with code 3/],
  ["ends itself as if all were well", `Deno.exit(0);`, /exited with code 0/],
  [
    "kills itself",
    `Deno.kill(Deno.pid, "SIGKILL"); await new Promise(() => {});`,
    /was killed \(signal 9\)/,
  ],
  [
    "takes memory without end",
    `const all = []; for (;;) all.push(new Array(1e6).fill(all.length));`,
    /ran out of memory/,
  ],
  ["loops for ever", `for (;;);`, /did not answer tool_call within 400 ms/],
  [
    "matches for ever",
    `return /^(a+)+$/.test("a".repeat(60) + "b");`,
    /did not answer tool_call within 400 ms/,
  ],
  [
    "sleeps for ever",
    `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
    /did not answer tool_call within 400 ms/,
  ],
  ["never answers", `await new Promise(() => {});`, /did not answer tool_call within 400 ms/],
];

for (const [name, code, fault] of FAULTS) {
  Deno.test(`a gate that fails blocks, names itself, and stands again at the next call: ${name}`, async () => {
    await using set = await isolated(
      `pi.on("tool_call", async (event) => {
        if (event.input.command !== "fail") return;
        ${code}
      });`,
      {
        load: {
          isolatedTimeoutMs: /within/.test(String(fault)) ? 400 : 60_000,
          isolatedHeapMb: 64,
        },
      },
    );
    assertEquals(await decide(set), { blocked: false });
    let beats = 0;
    const heart = setInterval(() => beats++, 10);
    const reason = reasonOf(await decide(set, "fail"));
    clearInterval(heart);
    assertMatch(reason, fault);
    assert(reason.includes(set.dir.file("hook1.ts")), reason);
    // A process that ends by itself may be gone before the heart could beat once.
    if (/within/.test(String(fault))) assert(beats > 0, "the host stood still");
    assertEquals(await decide(set), { blocked: false });
  });
}

Deno.test("memory outside of the heap has a limit too", async () => {
  await using set = await isolated(
    trying(
      `const all = []; for (;;) { const one = new Uint8Array(64e6); one.fill(1); all.push(one); }`,
    ),
    { load: { isolatedTimeoutMs: 60_000 } },
  );
  assertMatch(reasonOf(await decide(set)), /RangeError|ran out of memory|was killed/);
});

Deno.test("a handler that is no gate fails as an error, and the others run", async () => {
  await using set = await isolated([
    `pi.on("turn_start", () => Deno.exit(1));`,
    `pi.on("turn_start", (event) => pi.logger.info("second " + event.turnIndex));`,
  ]);
  await set.runner.emit({ type: "turn_start", turnIndex: 4, timestamp: 0 });
  assertEquals(set.errors.map(({ event }) => event), ["turn_start"]);
  assertMatch(set.errors[0].error, /hook1\.ts": its isolated process exited with code 1/);
  await until(() => set.log.some((line) => line.endsWith("second 4")), "the second hook has run");
});

Deno.test("a hook that fails again and again is started five times more and then stays off", async () => {
  await using set = await isolated(`
    pi.on("tool_call", () => Deno.exit(9));
    pi.on("turn_start", () => {});
  `);
  const reasons: string[] = [];
  for (let i = 0; i < 8; i++) reasons.push(reasonOf(await decide(set)));
  assertEquals(reasons.map((reason) => /is off/.test(reason) ? "off" : "fault"), [
    ...Array(6).fill("fault"),
    "off",
    "off",
  ]);
  assertMatch(reasons[7], /started again 5 times and failed each time \(it exited with code 9\)/);
  const turn = { type: "turn_start", turnIndex: 0, timestamp: 0 } as const;
  for (let i = 0; i < 3; i++) await set.runner.emit(turn);
  assertEquals(set.errors.map(({ error }) => /is off/.test(error)), [true], "said once");
});

Deno.test("an answer that could be misunderstood on its way blocks", async () => {
  await using set = await isolated(`
    class Answer { block = false; }
    pi.on("tool_call", (event) => eval("(" + event.input.command + ")"));
    globalThis.Answer = Answer;
  `);
  for (const answer of ["new Answer()", "() => {}", "{ block: false, f() {} }", "Symbol()"]) {
    assert((await decide(set, answer)).blocked, answer);
  }
});

// What it says

/** A hook that speaks on the socket by itself: it finds it as any code in its process could. */
function speaking(code: string): string {
  return `
    let queue;
    const { shift } = Array.prototype;
    Array.prototype.shift = function () {
      if (this[0] instanceof Uint8Array) queue = this;
      return shift.call(this);
    };
    const sayBytes = (bytes) => queue.push(bytes);
    const say = (text) => {
      const body = new TextEncoder().encode(text);
      const bytes = new Uint8Array(4 + body.length);
      new DataView(bytes.buffer).setUint32(0, body.length);
      bytes.set(body, 4);
      sayBytes(bytes);
    };
    pi.on("tool_call", async (event) => {
      if (event.input.command !== "speak") return;
      pi.logger.info("This shows where the messages wait");
      ${code}
      pi.logger.info("This sends them");
      await new Promise(() => {});
    });`;
}

const FORGED: readonly [name: string, code: string, fault: RegExp][] = [
  ["no JSON", `say("{nonsense");`, /broke the protocol: a message is not JSON/],
  [
    "no kind",
    `say('{"t":"eval","code":"1"}');`,
    /broke the protocol: a message is of no kind/,
  ],
  [
    "an answer that nobody waits for",
    `say('{"t":"answer","id":"1","value":{}}');`,
    /broke the protocol: it answers what was not asked/,
  ],
  [
    "ready for a second time",
    `say('{"t":"ready","table":{"handlers":{},"commands":[],"renderers":[]},"unknownEvents":[],"isEmpty":true}');`,
    /broke the protocol: it says twice that it is loaded/,
  ],
  ["hello for a second time", `say('{"t":"hello","token":"x"}');`, /says hello twice/],
  [
    "a command of the host outside of a command",
    `say('{"t":"ask","seq":9,"method":"newSession","args":[{}]}');`,
    /broke the protocol: newSession was asked outside of a command/,
  ],
  [
    "a question with arguments of the wrong kind",
    `say('{"t":"ask","seq":9,"method":"select","args":[1,2]}');`,
    /broke the protocol: argument 1 of select is wrong/,
  ],
  [
    "a key that was not granted",
    `say('{"t":"ask","seq":9,"method":"getApiKey","args":[{"provider":"a","id":"b"}]}');`,
    /broke the protocol: it asked for a key/,
  ],
  [
    "a command for the host to run",
    `say('{"t":"ask","seq":9,"method":"exec","args":["ls",[],"/",{}]}');`,
    /broke the protocol: it lets the host run a command/,
  ],
  [
    "something that says it is endless",
    `sayBytes(new Uint8Array([255, 255, 255, 255]));`,
    /broke the protocol: a message says that it has 4294967295 bytes/,
  ],
  [
    "nested without end",
    `say('{"t":"tell","method":"setEditorText","args":[' + "[".repeat(200000) + "]".repeat(200000) + "]}");`,
    /broke the protocol/,
  ],
  [
    "a flood",
    `for (let i = 0; i < 30000; i++) say('{"t":"tell","method":"setStatus","args":["k","v"]}');`,
    /broke the protocol: it floods the host with messages/,
  ],
];

for (const [name, code, fault] of FORGED) {
  Deno.test(`what a hook's process says is not believed unseen: ${name}`, async () => {
    await using set = await isolated(speaking(code), { load: { isolatedTimeoutMs: 20_000 } });
    assertMatch(reasonOf(await decide(set, "speak")), fault);
    assertEquals(await decide(set), { blocked: false });
  });
}

Deno.test("a hook cannot answer for another one", async () => {
  await using set = await isolated([
    speaking(
      `say(JSON.stringify({ t: "answer", id: globalThis.seen ?? "guess", value: {} }));`,
    ),
    `pi.on("tool_call", async (event, ctx) => {
      if (event.input.command === "other") return { block: true, reason: "second says no" };
    });`,
  ]);
  assertEquals(reasonOf(await decide(set, "other")), "second says no");
  assertMatch(reasonOf(await decide(set, "speak")), /hook1\.ts.*answers what was not asked/);
  assertEquals(reasonOf(await decide(set, "other")), "second says no");
});

Deno.test("a hook that overwrites Array.prototype and JSON.stringify harms nobody but itself", async () => {
  await using set = await isolated([
    `pi.on("tool_call", (event) => {
      if (event.input.command !== "harm") return { block: true, reason: "first says no" };
      for (const name of Object.getOwnPropertyNames(Array.prototype)) {
        if (typeof Array.prototype[name] === "function" && name !== "constructor") {
          Array.prototype[name] = () => { throw new Error("gone"); };
        }
      }
      JSON.stringify = () => '{"t":"answer","id":"x","value":{}}';
      JSON.parse = () => ({});
      return { block: true, reason: "harmed" };
    });`,
    `pi.on("tool_call", () => ({ block: true, reason: "second says no" }));`,
  ], { load: { isolatedTimeoutMs: 2000 } });
  assert((await decide(set, "harm")).blocked, "it blocks, by its answer or by its fault");
  assertEquals([1, 2].map((n) => n + 1), [2, 3]);
  assertEquals(JSON.stringify([1]), "[1]");
  assert((await decide(set)).blocked);
});

Deno.test("a million lines of log are cut short, and the hook goes on", async () => {
  await using set = await isolated(`pi.on("tool_call", () => {
    for (let i = 0; i < 1_000_000; i++) pi.logger.info("line " + i);
    return { block: true, reason: "done" };
  });`);
  assertEquals(reasonOf(await decide(set)), "done");
  assert(set.log.length <= 1010, `${set.log.length} lines`);
  assert(set.log.some((line) => line.includes("the rest is left out")));
});

Deno.test("what floods standard output is cut short, and never reaches the host's", async () => {
  await using set = await isolated(`pi.on("tool_call", () => {
    for (let i = 0; i < 200_000; i++) console.log("line " + i);
    console.error("to the error output");
    return { block: true, reason: "done" };
  });`);
  assertEquals(reasonOf(await decide(set)), "done");
  await until(
    () => set.log.some((line) => line.endsWith("to the error output")),
    "stderr is heard",
  );
  assert(set.log.some((line) => line.startsWith("info ") && line.endsWith("hook1.ts: line 0")));
  assert(set.log.length <= 1010, `${set.log.length} lines`);
});

Deno.test("a line without an end takes no room in the host", async () => {
  await using set = await isolated(`pi.on("tool_call", () => {
    const bytes = new Uint8Array(1e6).fill(97);
    for (let i = 0; i < 20; i++) Deno.stdout.writeSync(bytes);
    return { block: true, reason: "done" };
  });`);
  assertEquals(reasonOf(await decide(set)), "done");
  assert(set.log.every((line) => line.length < 2200));
});

// Nothing stays behind

Deno.test("timers of a hook do not keep its process when it is unloaded", async () => {
  await using set = await isolated(`
    setInterval(() => {}, 1000);
    pi.on("tool_call", () => ({ block: true, reason: String(Deno.pid) }));
  `);
  const pid = Number(reasonOf(await decide(set)));
  assert(await isRunning(pid));
  await set.hooks[0].dispose?.();
  await until(async () => !await isRunning(pid), "the hook's process is gone");
  assertMatch(reasonOf(await decide(set)), /is not loaded any more/);
});

Deno.test("what a hook has started goes with it", async () => {
  await using set = await isolated(
    `pi.on("tool_call", () => {
      const child = new Deno.Command("sleep", { args: ["1000"], stdin: "null", stdout: "null" }).spawn();
      child.unref();
      return { block: true, reason: String(child.pid) };
    });`,
    { load: { permissions: { run: ["sleep"] } } },
  );
  const pid = Number(reasonOf(await decide(set)));
  assert(await isRunning(pid));
  await set.hooks[0].dispose?.();
  await until(async () => !await isRunning(pid), "the grandchild is gone");
});

const ENDS: readonly [name: string, end: string, code: number][] = [
  ["by itself, with hooks still loaded", "", 0],
  ["by Deno.exit", "Deno.exit(5);", 5],
  ["by an error", "throw new Error('x');", 1],
  ["killed", "Deno.kill(Deno.pid, 'SIGKILL'); await new Promise(() => {});", 137],
];

for (const [name, end, code] of ENDS) {
  Deno.test(`no process is left when the host ends, also of hooks that are stuck: ${name}`, async () => {
    await using set = await isolated("", { mayFail: true });
    const hook = await set.dir.write(
      "stuck.ts",
      `export default (pi) => {
        pi.on("tool_call", () => ({ block: true, reason: String(Deno.pid) }));
        pi.on("turn_start", () => { for (;;); });
      };`,
    );
    const host = await set.dir.write(
      "host.ts",
      `import { loadHooks, HookRunner } from "${PROJECT}mod.ts";
      const { hooks } = await loadHooks([${JSON.stringify(hook)}], "/", { isolate: true });
      const runner = new HookRunner(hooks, "/");
      const event = { type: "tool_call", toolName: "bash", toolCallId: "1", input: {} };
      console.log((await runner.decideToolCall(event)).reason);
      ${
        end === "" ? "" : `runner.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
      await new Promise((resolve) => setTimeout(resolve, 100));`
      }
      ${end}`,
    );
    const result = await runDeno(["run", host]);
    const pid = Number(result.stdout.trim());
    assert(pid > 0, result.stdout + result.stderr);
    assertEquals(result.code, code, result.stderr);
    await until(async () => !await isRunning(pid), "the process of the hook is gone");
  });
}

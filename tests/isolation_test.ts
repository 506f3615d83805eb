/**
 * Which hooks are isolated, what they are granted, how they are loaded again and ended.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { loadHooks, reloadHook } from "../src/loader.ts";
import { emptyModelRegistry } from "../src/no_host.ts";
import type { Model } from "../src/ports.ts";
import { plainTheme } from "../src/ui/no_ui.ts";
import { makeRunner, runDeno, tempDir } from "./helpers.ts";
import { isolated, type IsolatedSet, moduleText, until } from "./isolation_setup.ts";
import { SAMPLES, userMessage } from "./sample_events.ts";

async function reasonOf({ runner }: Pick<IsolatedSet, "runner">): Promise<string> {
  const decision = await runner.decideToolCall(SAMPLES.tool_call());
  assert(decision.blocked, "the call was not blocked");
  return decision.reason;
}

const TELLS_PID = `pi.on("tool_call", () => ({ block: true, reason: String(Deno.pid) }));`;
const READS = `pi.on("tool_call", async () => ({
  block: true,
  reason: await Deno.readTextFile(new URL("./note.txt", import.meta.url)),
}));`;

Deno.test("nothing is isolated unless somebody says so", async () => {
  await using set = await isolated(TELLS_PID, { load: { isolate: false } });
  assertEquals(await reasonOf(set), String(Deno.pid));
});

Deno.test("a function says which hooks are isolated; one that fails isolates", async () => {
  const answers = [true, false, undefined, "no"];
  let asked = 0;
  await using set = await isolated([TELLS_PID, TELLS_PID, TELLS_PID], {
    load: {
      isolate: ({ path, resolvedPath }) => {
        assertEquals(path, resolvedPath);
        if (asked === 2) throw new Error("cannot tell");
        return answers[asked++] as boolean;
      },
    },
  });
  const pids = [];
  for (const one of set.hooks) pids.push(await reasonOf(makeRunner([one])));
  assertEquals(pids.map((pid) => pid === String(Deno.pid)), [false, true, false]);
});

Deno.test("isolated and other hooks keep the order of the list", async () => {
  await using set = await isolated(
    ["a", "b", "c"].map((name) => `
      pi.on("context", (event) => ({ messages: [...event.messages, { role: "user", content: "${name}", timestamp: 1 }] }));`),
    { load: { isolate: ({ path }) => !path.endsWith("2.ts") } },
  );
  const messages = await set.runner.emitContext([]);
  assertEquals(messages.map((message) => "content" in message && message.content), ["a", "b", "c"]);
});

Deno.test("what a head asks for is not given by itself, and the loader says so", async () => {
  await using set = await isolated(`// @permission read=./note.txt run=git\n${READS}`, {
    files: { "note.txt": "noted" },
  });
  assertMatch(await reasonOf(set), /Requires read access/);
  assertEquals(set.loadWarnings.map(({ kind, warning }) => [kind, warning]), [[
    "not-granted",
    "It asks for read=./note.txt run=git, which is not granted: what needs that will fail.",
  ]]);
});

Deno.test("what a head asks for can be granted as it stands", async () => {
  await using set = await isolated(`// @permission read=./note.txt\n${READS}`, {
    files: { "note.txt": "noted" },
    load: { permissions: "asked" },
  });
  assertEquals(await reasonOf(set), "noted");
  assertEquals(set.loadWarnings, []);
});

Deno.test("a host can grant by itself, narrow, and refuse", async () => {
  const seen: unknown[] = [];
  await using set = await isolated([`// @permission -A\n${READS}`, `// @permission ffi\n`], {
    files: { "note.txt": "noted" },
    mayFail: true,
    load: {
      permissions: (asked, { path }) => {
        seen.push([asked, path.slice(path.lastIndexOf("/") + 1)]);
        return asked.all ? { read: ["$CWD/note.txt"] } : false;
      },
    },
  });
  assertEquals(seen, [[{ all: true }, "hook1.ts"], [{ ffi: true }, "hook2.ts"]]);
  assertEquals(await reasonOf(set), "noted");
  assertEquals(set.loadErrors.map(({ kind, error }) => [kind, error]), [
    ["permission", "this host refuses what it asks for"],
  ]);
});

Deno.test("a head that is not understood is no reason to load", async () => {
  await using set = await isolated("// @permission raed=$CWD\n", { mayFail: true });
  assertEquals(set.loadErrors.map(({ kind }) => kind), ["permission"]);
  assertMatch(set.loadErrors[0].error, /there is no permission "raed", "read"\?/);
});

const LOAD_FAULTS: readonly [name: string, text: string, kind: string, error: RegExp][] = [
  ["does not parse", "export default (", "syntax", /hook1\.ts/],
  ["has no default", "export default 7;", "no-default-export", /default function/],
  ["throws", "export default () => { throw new Error('boo'); };", "factory", /boo/],
  ["imports what is not there", "import './no.ts'; export default () => {};", "import", /no\.ts/],
  ["ends its process", "Deno.exit(4); export default () => {};", "import", /exited with code 4/],
  ["hangs", "await new Promise(() => {}); export default () => {};", "timeout", /300 ms/],
  ["loops", "for (;;); export default () => {};", "import", /does not react while it is loaded/],
  [
    "reads while it loads",
    "Deno.readTextFileSync('/etc/passwd'); export default () => {};",
    "permission",
    /read access/,
  ],
];

for (const [name, text, kind, error] of LOAD_FAULTS) {
  Deno.test(`an isolated hook that does not load is an error like any other: ${name}`, async () => {
    const timeoutMs = ["hangs", "loops"].includes(name) ? 300 : 30_000;
    await using set = await isolated(text, { mayFail: true, load: { timeoutMs } });
    assertEquals(set.hooks, []);
    assertEquals(set.loadErrors.map((one) => one.kind), [kind as never], set.loadErrors[0]?.error);
    assertMatch(set.loadErrors[0].error, error);
  });
}

Deno.test("odd hooks are warned about as in the host's process", async () => {
  await using set = await isolated(["", `pi.on("tool_cal", () => {});`]);
  assertEquals(set.loadWarnings.map(({ kind }) => kind), ["nothing-registered", "unknown-event"]);
});

Deno.test("a hook that has changed is loaded again in a new process", async () => {
  await using set = await isolated(TELLS_PID);
  const [hook] = set.hooks;
  const before = await reasonOf(set);
  await set.dir.write(
    "hook1.ts",
    moduleText(`${TELLS_PID} pi.registerCommand("new", { handler() {} });`),
  );
  assertEquals(await reloadHook(hook), undefined);
  assert(await reasonOf(set) !== before);
  assert(set.runner.getCommand("new") !== undefined);
  await set.dir.write("hook1.ts", "export default 7;");
  const guarding = await reasonOf(set);
  assertEquals((await reloadHook(hook))?.kind, "no-default-export");
  assertEquals(await reasonOf(set), guarding, "the old version goes on guarding");
});

Deno.test("a renderer draws with the theme of the host, after the first time", async () => {
  await using set = await isolated(`
    pi.registerMessageRenderer("note", (message, { expanded }, theme) => ({
      render: (width) => [theme.bold(message.details.text.slice(0, width)), String(expanded)],
      invalidate() {},
    }));
    pi.on("turn_start", () => {});`);
  set.runner.initialize({
    uiContext: {
      ...set.runner.getUIContext(),
      theme: { ...plainTheme, bold: (text) => `*${text}*` },
    },
  });
  await set.runner.emit(SAMPLES.turn_start());
  const renderer = set.runner.getMessageRenderer("note");
  const message = {
    role: "custom",
    customType: "note",
    content: "plain",
    display: true,
    details: { text: "abcdef" },
    timestamp: 1,
  } as const;
  const component = renderer?.(message, { expanded: true }, plainTheme);
  assertEquals(component?.render(4), ["plain"]);
  await until(() => component?.render(4)[0] !== "plain", "the drawing has come");
  assertEquals(component?.render(4), ["*abcd*", "true"]);
});

Deno.test("keys of models are for hooks that have the permission, and never in a model", async () => {
  const model = { id: "m", provider: "p", headers: { authorization: "key-1" } } as unknown as Model;
  const modelRegistry = {
    ...emptyModelRegistry(),
    getAll: () => [model],
    getAvailable: () => [model],
    find: () => model,
    getApiKey: (one: Model) => Promise.resolve(one === model ? "key-2" : "for somebody else"),
  };
  const code = `pi.on("tool_call", async (event, ctx) => {
    const { modelRegistry: models } = ctx;
    const seen = JSON.stringify([ctx.model, models.getAll(), await models.getAvailable()]);
    const key = await models.getApiKey({ ...models.getAll()[0], baseUrl: "http://elsewhere" }).catch((error) => error.message);
    return { block: true, reason: seen + key };
  });`;
  const setup = { modelRegistry, getModel: () => model };
  await using without = await isolated(code, setup);
  const refused = await reasonOf(without);
  assert(!/key-\d/.test(refused), refused);
  assertMatch(refused, /@permission keys/);
  await using granted = await isolated(code, { ...setup, load: { permissions: { keys: true } } });
  const given = await reasonOf(granted);
  assert(given.endsWith("key-2") && !given.includes("key-1"), given);
});

Deno.test("where the host runs the programs, it does so for isolated hooks too", async () => {
  const ran: unknown[] = [];
  await using set = await isolated(
    `pi.on("tool_call", async () => {
      const { stdout, code } = await pi.exec("rm", ["-rf", "/"], { timeout: 9 });
      return { block: true, reason: stdout + code };
    });`,
    {
      load: {
        exec: (command, args, cwd, options) => {
          const { signal: _, ...rest } = options ?? {};
          ran.push([command, args, cwd === set.dir.path, rest]);
          return Promise.resolve({ stdout: "stub", stderr: "", code: 0, killed: false });
        },
      },
    },
  );
  assertEquals(await reasonOf(set), "stub0");
  assertEquals(ran, [["rm", ["-rf", "/"], true, { timeout: 9 }]]);
});

Deno.test("a command may take longer than a handler, but its process has to react", async () => {
  await using set = await isolated(
    `pi.registerCommand("slow", { handler: () => new Promise((resolve) => setTimeout(resolve, 700)) });
    pi.registerCommand("stuck", { handler() { for (;;); } });`,
    { load: { isolatedTimeoutMs: 200 } },
  );
  await set.runner.runCommand("slow");
  assertEquals(set.errors, []);
  await set.runner.runCommand("stuck");
  assertEquals(set.errors.length, 1);
  assertMatch(set.errors[0].error, /does not react any more/);
});

Deno.test("while a person is asked, the clock of a handler stands still", async () => {
  await using set = await isolated(
    `pi.on("tool_call", async (event, ctx) => ({ block: await ctx.ui.confirm("a", "b"), reason: "yes" }));`,
    { load: { isolatedTimeoutMs: 150 } },
  );
  const answer = Promise.withResolvers<boolean>();
  const asked = Promise.withResolvers<void>();
  set.runner.initialize({
    uiContext: {
      ...set.runner.getUIContext(),
      confirm: () => {
        asked.resolve();
        return answer.promise;
      },
    },
  });
  const decided = reasonOf(set);
  await asked.promise;
  setTimeout(() => answer.resolve(true), 400);
  assertEquals(await decided, "yes");
});

Deno.test("a long conversation is told as changes, and a hook sees all of it", async () => {
  await using set = await isolated(`pi.on("context", (event) => {
    pi.logger.info([event.messages.length, event.messages.at(-1)?.content[0].text, JSON.stringify(event.messages).length].join());
    event.messages[0].content[0].text = "changed in place";
    return { messages: event.messages.filter((message) => message.timestamp === 1) };
  });`);
  const messages = Array.from({ length: 50 }, (_, n) => userMessage(`text ${n}`));
  const expected = [];
  for (let round = 0; round < 3; round++) {
    if (round === 2) messages.splice(10, 5);
    expected.push([messages.length, messages.at(-1)?.content, JSON.stringify(messages).length]);
    const got = await set.runner.emitContext(messages);
    assertEquals(got.length, messages.length);
    assert(got.slice(1).every((message, place) => message === messages[place + 1]));
    messages.push(userMessage(`more ${round}`));
  }
  assertEquals(
    set.log.map((line) => line.slice(line.lastIndexOf(" ") + 1).split(",").at(-1)),
    expected.map(([, , length]) => String(length)),
  );
});

Deno.test("processes of hooks start side by side, and none is left if one does not load", async () => {
  await using dir = await tempDir();
  const paths = [];
  for (let n = 0; n < 4; n++) {
    // Each waits until all have begun: one after the other they would never end.
    paths.push(
      await dir.write(
        `h${n}.ts`,
        `
      Deno.writeTextFileSync("${dir.path}/began${n}", "");
      const there = (n) => { try { Deno.statSync("${dir.path}/began" + n); return true; } catch { return false; } };
      while (![0, 1, 2, 3].every(there)) await new Promise((resolve) => setTimeout(resolve, 5));
      export default (pi) => { ${n === 3 ? "throw new Error('boo');" : TELLS_PID} };`,
      ),
    );
  }
  const { hooks, errors } = await loadHooks(paths, dir.path, {
    isolate: true,
    permissions: { read: ["$CWD"], write: ["$CWD"] },
    timeoutMs: 30_000,
  });
  assertEquals([hooks.length, errors.map(({ kind }) => kind)], [3, ["factory"]]);
  await Promise.all(hooks.map((hook) => hook.dispose?.()));
});

Deno.test("a host that may not start processes says what it needs, and loads nothing in their place", async () => {
  await using dir = await tempDir();
  const hook = await dir.write("hook.ts", moduleText("globalThis.isHere = true;"));
  const host = await dir.write(
    "host.ts",
    `import { loadHooks } from "${new URL("../mod.ts", import.meta.url)}";
    const { hooks, errors } = await loadHooks([${JSON.stringify(hook)}], "/", { isolate: true });
    console.log(JSON.stringify([hooks.length, errors, "isHere" in globalThis]));`,
  );
  const { stdout, stderr } = await runDeno(["run", host], { permissions: ["--allow-read"] });
  assertEquals(stderr, "");
  const [count, errors, isHere] = JSON.parse(stdout);
  assertEquals([count, errors[0].kind, isHere], [0, "permission", false]);
  assertMatch(
    errors[0].error,
    /run with --allow-run=\S+deno --allow-run=\/bin\/sh --allow-net --allow-write/,
  );
});

Deno.test("only hooks that the loader made can be loaded again, isolated or not", async () => {
  await using set = await isolated(TELLS_PID);
  await assertRejects(() => reloadHook({ ...set.hooks[0] }), TypeError, "not made by loadHooks");
});

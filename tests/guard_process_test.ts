import { assertEquals, assertStringIncludes } from "@std/assert";
import { guardProcess } from "../src/guard_process.ts";
import { hookFrom, makeRunner, runDeno, type RunDenoResult, tempDir } from "./helpers.ts";

const MOD = new URL("../mod.ts", import.meta.url).href;

/** A host that loads the hooks it is given, guards itself, and lives for some turns of the loop. */
const HOST = `
import { guardProcess, HookRunner, loadHooks, reloadHook } from "${MOD}";
const { hooks, errors } = await loadHooks(JSON.parse(Deno.args[0]), ".");
for (const error of errors) console.log("load", error.error);
const runner = new HookRunner(hooks, ".");
runner.onError(({ hookPath, event, error }) => console.log("told", hookPath.split("/").at(-1), event, error));
const stop = guardProcess(runner);
if (Deno.args.includes("reload")) for (const hook of hooks) await reloadHook(hook);
if (Deno.args.includes("unguard")) stop();
await runner.emit({ type: "session_start" });
if (Deno.args.includes("host-fault")) setTimeout(() => { throw new Error("of the host"); });
if (Deno.args.includes("host-text")) Promise.reject("a bare text");
await new Promise((resolve) => setTimeout(resolve, 60));
console.log("alive");
`;

type Files = Record<string, string>;

/** Runs the host in a folder of its own, with these hooks in another one. */
async function runHost(
  files: Files,
  hooks: string[],
  ...flags: string[]
): Promise<RunDenoResult & { lines: string[] }> {
  await using dir = await tempDir("guard a#b ");
  for (const [name, text] of Object.entries(files)) await dir.write(name, text);
  const host = await dir.write("host/main.ts", HOST);
  const paths = JSON.stringify(hooks.map((name) => dir.file(name)));
  const result = await runDeno(["run", "--no-check", host, paths, ...flags], { cwd: dir.path });
  return { ...result, lines: result.stdout.trim().split("\n") };
}

const atStart = (body: string): string =>
  `export default (pi) => pi.on("session_start", () => { ${body} });`;

const LATE_FAULTS: [string, string, string][] = [
  ["a timer that throws", `setTimeout(() => { throw new Error("late"); });`, "late"],
  ["a rejection that nobody awaits", `Promise.reject(new TypeError("late"));`, "late"],
  [
    "an asynchronous function that nobody awaits",
    `(async () => { await null; throw new RangeError("late"); })();`,
    "late",
  ],
  [
    "a microtask that throws",
    `queueMicrotask(() => { throw new Error("late"); });`,
    "late",
  ],
  [
    "a fault of the engine in a timer",
    `setTimeout(() => { undefined.x; });`,
    "Cannot read properties of undefined (reading 'x')",
  ],
];

for (const [what, body, text] of LATE_FAULTS) {
  Deno.test(`with a guard ${what} is reported with the path of its hook, and the process lives`, async () => {
    const { code, lines } = await runHost({ "h/x.ts": atStart(body) }, ["h/x.ts"]);
    assertEquals([code, lines], [0, [`told x.ts late ${text}`, "alive"]]);
  });
}

Deno.test("with a guard a late fault that is no error is reported without a hook's path", async () => {
  const body = `Promise.reject("text"); setTimeout(() => { throw null; });`;
  const { code, lines } = await runHost({ "h/x.ts": atStart(body) }, ["h/x.ts"]);
  assertEquals(code, 0);
  assertEquals(lines, [
    `told (unknown hook) late threw "text"`,
    "told (unknown hook) late threw null",
    "alive",
  ]);
});

Deno.test("a late fault of a reloaded hook is found under its path", async () => {
  const files = { "h/x.ts": atStart(`setTimeout(() => { throw new Error("late"); });`) };
  const { code, lines } = await runHost(files, ["h/x.ts"], "reload");
  assertEquals([code, lines], [0, ["told x.ts late late", "alive"]]);
});

Deno.test("of two hooks the one that failed is named", async () => {
  const fails = atStart(`setTimeout(() => { throw new Error("late"); });`);
  const files = { "h/a.ts": atStart(""), "h/b.ts": fails };
  const { lines } = await runHost(files, ["h/a.ts", "h/b.ts"]);
  assertEquals(lines, ["told b.ts late late", "alive"]);
});

const HELPER = `export const later = () => setTimeout(() => { throw new Error("helper"); });`;
const USES_HELPER = `import { later } from "./lib/helper.ts"; ${atStart("later();")}`;

Deno.test("a late fault in a file beside a hook is the hook's", async () => {
  const files = { "h/lib/helper.ts": HELPER, "h/x.ts": USES_HELPER };
  const { code, lines } = await runHost(files, ["h/x.ts"]);
  assertEquals([code, lines], [0, ["told x.ts late helper", "alive"]]);
});

Deno.test("a late fault in a file that two hooks may use is reported without a hook's path", async () => {
  const files = { "h/lib/helper.ts": HELPER, "h/x.ts": USES_HELPER, "h/y.ts": atStart("") };
  const { code, lines } = await runHost(files, ["h/x.ts", "h/y.ts"]);
  assertEquals([code, lines], [0, ["told (unknown hook) late helper", "alive"]]);
});

Deno.test("a fault of the host ends the process, guard or not, and is not called a hook's", async () => {
  const files = { "h/x.ts": atStart("") };
  const { code, stdout, stderr } = await runHost(files, ["h/x.ts"], "host-fault");
  assertEquals([code, stdout], [1, ""]);
  assertStringIncludes(stderr, "Error: of the host");
});

Deno.test("a fault of the host ends the process also if a hook lies in the host's folder", async () => {
  const files = { "host/x.ts": atStart("") };
  const { code, stdout } = await runHost(files, ["host/x.ts"], "host-fault");
  assertEquals([code, stdout], [1, ""]);
});

Deno.test("what has no stack may be a hook's: it is reported and does not end the process", async () => {
  const { code, lines } = await runHost({ "h/x.ts": atStart("") }, ["h/x.ts"], "host-text");
  assertEquals([code, lines], [0, [`told (unknown hook) late threw "a bare text"`, "alive"]]);
});

Deno.test("without a guard, or after its end, a late fault of a hook ends the process", async () => {
  const files = { "h/x.ts": atStart(`setTimeout(() => { throw new Error("late"); });`) };
  const { code, stdout, stderr } = await runHost(files, ["h/x.ts"], "unguard");
  assertEquals([code, stdout], [1, ""]);
  assertStringIncludes(stderr, "Error: late");
});

Deno.test("sending before a session is bound throws in a timer, and the guard reports it", async () => {
  const hook =
    `export default (pi) => { setTimeout(() => pi.sendMessage({ customType: "x", content: "y", display: true }), 5); };`;
  const { code, lines } = await runHost({ "h/x.ts": hook }, ["h/x.ts"]);
  assertEquals(code, 0);
  assertStringIncludes(lines[0], "told x.ts late pi.sendMessage is not available during load");
});

/** Dispatches a fault as the engine would, and tells whether it would end the process. */
function endsProcess(reason: unknown): boolean {
  const promise = Promise.reject(reason);
  promise.catch(() => {});
  const event = new PromiseRejectionEvent("unhandledrejection", {
    promise,
    reason,
    cancelable: true,
  });
  return globalThis.dispatchEvent(event);
}

Deno.test("a guard ends with its block", () => {
  const { runner, errors } = makeRunner([]);
  {
    using _guard = guardProcess(runner);
    assertEquals(endsProcess("one"), false);
  }
  assertEquals(endsProcess("two"), true);
  assertEquals(errors.map(({ error }) => error), [`threw "one"`]);
});

Deno.test("two guards report a fault once", () => {
  const { runner, errors } = makeRunner([]);
  using _first = guardProcess(runner);
  using _second = guardProcess(runner);
  assertEquals([endsProcess("one"), errors.length], [false, 1]);
});

Deno.test("a guard may be ended twice, and then another one works", () => {
  const { runner, errors } = makeRunner([]);
  const stop = guardProcess(runner);
  stop();
  stop();
  using _guard = guardProcess(runner);
  assertEquals([endsProcess("one"), errors.length], [false, 1]);
});

Deno.test("a guard knows hooks that are added later, and bears hooks that are not files", () => {
  const hooks = [hookFrom(() => {}, "jsr:@a/b"), hookFrom(() => {}, "by hand")];
  const { runner, errors } = makeRunner(hooks);
  using _guard = guardProcess(runner);
  const fault = new Error("late");
  fault.stack = "Error: late\n    at f (file:///hooks/%23new/x.ts?v=3:1:2)";
  assertEquals(endsProcess(fault), true);
  // Two in one folder: only the name of the file can tell them apart.
  for (const name of ["w", "x", "y"]) hooks.push(hookFrom(() => {}, `/hooks/#new/${name}.ts`));
  assertEquals(endsProcess(fault), false);
  assertEquals(errors.map(({ hookPath }) => hookPath), ["/hooks/#new/x.ts"]);
});

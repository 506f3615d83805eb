/**
 * Loading in child processes that may do only what their flags say.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { HookLoadErrorKind } from "../src/errors.ts";
import { runDeno, type TempDir, tempDir } from "./helpers.ts";
import { importMapOfStd } from "./std_import_map.ts";

const isWindows = Deno.build.os === "windows";
const DOOR = new URL("../mod.ts", import.meta.url).href;
const LOADER = new URL("../src/loader.ts", import.meta.url).href;

const GUARD = `export default function (pi) {
  pi.on("tool_call", () => ({ block: true, reason: "guarded" }));
}
`;

interface Said {
  hooks: { path: string; resolvedPath: string }[];
  errors: { path: string; kind: HookLoadErrorKind; error: string }[];
}

/** A program that loads the hooks named by its arguments, and prints what came of it. */
function loadScript(dir: TempDir, from = DOOR): Promise<string> {
  return dir.write(
    "host.ts",
    `import { loadHooks } from ${JSON.stringify(from)};
    const { hooks, errors } = await loadHooks(Deno.args, ${JSON.stringify(dir.path)});
    console.log(JSON.stringify({
      hooks: hooks.map(({ path, resolvedPath }) => ({ path, resolvedPath })),
      errors: errors.map(({ path, kind, error }) => ({ path, kind, error })),
    }));`,
  );
}

/** Loads hooks in a child that never asks anybody. */
async function load(
  dir: TempDir,
  permissions: readonly string[],
  paths: readonly string[],
  from?: string,
): Promise<Said> {
  const script = await loadScript(dir, from);
  const { code, stdout, stderr } = await runDeno(["run", script, ...paths], {
    permissions: ["--no-prompt", ...permissions],
  });
  assertEquals(code, 0, stderr);
  return JSON.parse(stdout);
}

for (const [name, from] of [["mod.ts", DOOR], ["the loader alone", LOADER]]) {
  Deno.test(`with no permission at all the result has one clear error an entry (${name})`, async () => {
    await using dir = await tempDir();
    const file = await dir.write("gate.ts", GUARD);
    const list = [file, "relative.ts", "~/home.ts", "https://example.com/x.ts", "", "~bob/x.ts"];
    const { hooks, errors } = await load(dir, [], list, from);
    assertEquals(hooks, []);
    assertEquals(errors, [
      {
        path: file,
        kind: "permission",
        error: `Deno may not read ${file}: run with --allow-read=${file}`,
      },
      {
        path: "relative.ts",
        kind: "permission",
        error: `Deno may not read ${dir.file("relative.ts")}: ` +
          `run with --allow-read=${dir.file("relative.ts")}`,
      },
      {
        path: "~/home.ts",
        kind: "permission",
        error: "the home folder is not known: set HOME and run with --allow-env=HOME, " +
          "or write the path in full",
      },
      {
        path: "https://example.com/x.ts",
        kind: "permission",
        error: "Deno may not import from example.com: run with --allow-import=example.com",
      },
      { path: "", kind: "path", error: "the path is empty" },
      { path: "~bob/x.ts", kind: "path", error: errors[5].error },
    ]);
  });
}

Deno.test("the flag of an error, pasted into a shell, makes the hook load", async () => {
  for (const name of ["plain.ts", "a,b.ts", ...isWindows ? [] : ["My 'Drive' $HOME #1.ts"]]) {
    await using dir = await tempDir();
    const file = await dir.write(name, GUARD);
    const { errors } = await load(dir, [], [file]);
    const flag = errors[0].error.split("run with ")[1];
    const unquoted = isWindows ? flag : await shellWord(flag);
    assertEquals((await load(dir, [unquoted], [file])).hooks.map(({ path }) => path), [file]);
  }
});

async function shellWord(word: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", `printf %s ${word}`] }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("reading just the file is enough for a hook that imports nothing", async () => {
  await using dir = await tempDir();
  const gate = await dir.write("gate.ts", GUARD);
  const other = await dir.write("other.ts", GUARD);
  const { hooks, errors } = await load(dir, [`--allow-read=${gate}`], [gate, other]);
  assertEquals(hooks.map(({ path }) => path), [gate]);
  assertEquals(errors.map(({ path, kind }) => [path, kind]), [[other, "permission"]]);
});

Deno.test("a file that a hook imports and that may not be read is an error with its flag", async () => {
  for (const specifier of ["./helper.ts", "./helper.js", "./helper"]) {
    await using dir = await tempDir();
    await dir.write("helper.ts", `export const reason = "from a helper";`);
    const gate = await dir.write(
      "gate.ts",
      `import { reason } from "${specifier}";
      export default (pi) => pi.on("tool_call", () => ({ block: true, reason }));`,
    );
    const { errors } = await load(dir, [`--allow-read=${gate}`], [gate]);
    assertEquals(errors.map(({ path, kind }) => [path, kind]), [[gate, "permission"]]);
    const asked = dir.file(specifier.slice(2));
    assertStringIncludes(errors[0].error, `run with --allow-read=${asked}`);

    const both = `--allow-read=${gate},${dir.file("helper.ts")},${asked}`;
    assertEquals((await load(dir, [both], [gate])).errors, []);
  }
});

Deno.test("reading the folder is enough for a hook, what it imports, and the host packages", async () => {
  await using dir = await tempDir();
  await dir.write("hooks/helper.ts", `export const reason: string = "from a helper";`);
  const gate = await dir.write(
    "hooks/gate.ts",
    `import { reason } from "./helper.js";
    import { HookAPI } from "@f5-sales-demo/xcsh/hooks";
    import { isToolCallEventType } from "@mariozechner/pi-coding-agent";
    export default (pi: HookAPI) => pi.on("tool_call", (event) => {
      if (isToolCallEventType("bash", event)) return { block: true, reason };
    });`,
  );
  const { hooks, errors } = await load(dir, [`--allow-read=${dir.file("hooks")}`], [gate]);
  assertEquals(errors, []);
  assertEquals(hooks.map(({ path }) => path), [gate]);
});

Deno.test("a file that is denied is an error although its folder may be read", async () => {
  await using dir = await tempDir();
  const gate = await dir.write("hooks/gate.ts", GUARD);
  const secret = await dir.write("secret/gate.ts", GUARD);
  const flags = ["--allow-read", `--deny-read=${dir.file("secret")}`];
  const { hooks, errors } = await load(dir, flags, [gate, secret]);
  assertEquals(hooks.map(({ path }) => path), [gate]);
  assertEquals(errors.map(({ path, kind }) => [path, kind]), [[secret, "permission"]]);
});

Deno.test("when all reading is denied, every file is an error, and nothing is thrown", async () => {
  await using dir = await tempDir();
  const gate = await dir.write("gate.ts", GUARD);
  for (const flags of [["--deny-read"], ["--deny-read", "--deny-env", "--deny-import"]]) {
    const { hooks, errors } = await load(dir, flags, [gate, "gate.ts", "jsr:@scope/name"]);
    assertEquals(hooks, []);
    assertEquals(errors.slice(0, 2).map(({ kind }) => kind), ["permission", "permission"]);
  }
});

Deno.test({
  name: "a link may be read although the real file may not, and loads",
  ignore: isWindows,
  fn: async () => {
    await using dir = await tempDir();
    const real = await dir.write("elsewhere/gate.ts", GUARD);
    await Deno.mkdir(dir.file("hooks"));
    const link = dir.file("hooks/gate.ts");
    await Deno.symlink(real, link);
    const { hooks, errors } = await load(dir, [`--allow-read=${dir.file("hooks")}`], [link]);
    assertEquals(errors, []);
    assertEquals(hooks, [{ path: link, resolvedPath: real }]);
  },
});

Deno.test("the home folder is looked up when it may be, and only for a path that needs it", async () => {
  await using dir = await tempDir();
  const gate = await dir.write("gate.ts", GUARD);
  const script = await loadScript(dir);
  const permissions = ["--no-prompt", `--allow-read=${dir.path}`, "--allow-env=HOME,USERPROFILE"];
  const env = { HOME: dir.path, USERPROFILE: dir.path };
  const { stdout } = await runDeno(["run", script, "~/gate.ts"], { permissions, env });
  assertEquals(JSON.parse(stdout).hooks, [{ path: "~/gate.ts", resolvedPath: gate }]);

  // A home folder that is not set is no matter of permissions.
  const unset = await runDeno(["run", script, "~/gate.ts"], {
    permissions,
    env: { HOME: "", USERPROFILE: "" },
  });
  assertEquals(JSON.parse(unset.stdout).errors.map(({ kind }: { kind: string }) => kind), ["path"]);
});

Deno.test("a hook that reads what it may not names the flag, at its top level and in its factory", async () => {
  await using dir = await tempDir();
  const table: [string, string][] = [
    [`Deno.env.get("SECRET_PLACE")`, "--allow-env=SECRET_PLACE"],
    [`Deno.readTextFileSync("/etc/hostname")`, "--allow-read=/etc/hostname"],
    [`Deno.writeTextFileSync("/no/x y", "")`, "--allow-write='/no/x y'"],
    [`Deno.hostname()`, "--allow-sys=hostname"],
    [`await fetch("http://127.0.0.1:4507/")`, "--allow-net=127.0.0.1:4507"],
    [`await new Deno.Command("git").output()`, "--allow-run=git"],
  ];
  const paths: string[] = [];
  for (const [index, [call]] of table.entries()) {
    paths.push(
      await dir.write(`hooks/top${index}.ts`, `${call};\n${GUARD}`),
      await dir.write(`hooks/in${index}.ts`, `export default async (pi) => {\n  ${call};\n};`),
    );
  }
  const { hooks, errors } = await load(dir, [`--allow-read=${dir.file("hooks")}`], paths);
  assertEquals(hooks, []);
  assertEquals(
    errors.map(({ path, kind }) => [path, kind]),
    paths.map((path) => [path, "permission"]),
  );
  for (const [index, { path, error }] of errors.entries()) {
    const isInFactory = index % 2 === 1;
    const [, flag] = table[Math.floor(index / 2)];
    assertStringIncludes(error, isWindows ? "--allow-" : `run with ${flag}`);
    assert(
      error.startsWith(
        isInFactory ? "the default function failed: " : "the module threw while it was evaluated: ",
      ),
      error,
    );
    assertStringIncludes(error, `\n    at ${path}:${isInFactory ? 2 : 1}:`);
  }
});

Deno.test("an import from a host that is not allowed names the flag, and nothing is fetched", async () => {
  await using dir = await tempDir();
  // Nobody listens there: a connection would be refused, and said so.
  const hook = await dir.write("hook.ts", `import "http://127.0.0.1:9/x.ts";\n${GUARD}`);
  const list = ["http://127.0.0.1:9/x.ts", hook];
  const { errors } = await load(dir, [`--allow-read=${dir.path}`], list);
  assertEquals(
    errors.map(({ path, kind }) => [path, kind]),
    list.map((path) => [path, "permission"]),
  );
  for (const { error } of errors) {
    assertStringIncludes(error, "run with --allow-import=127.0.0.1:9");
    assert(!/refused|connect/i.test(error), error);
  }
});

Deno.test("what comes from JSR needs the permission to import from there", async () => {
  await using dir = await tempDir();
  const script = await loadScript(dir);
  const config = await dir.write("import_map.json", importMapOfStd());
  const { stdout, stderr } = await runDeno(
    ["run", `--import-map=${config}`, script, "jsr:@scope/name"],
    { permissions: ["--no-prompt", "--allow-import=example.com"], config: null },
  );
  assert(stdout !== "", stderr);
  assertEquals(JSON.parse(stdout).errors, [{
    path: "jsr:@scope/name",
    kind: "permission",
    error: "Deno may not import from jsr.io: run with --allow-import=jsr.io",
  }]);
});

Deno.test({
  name: "on a terminal the loader asks nobody",
  ignore: Deno.build.os !== "linux", // `script` of other systems takes other arguments
  fn: async () => {
    await using dir = await tempDir();
    const gate = await dir.write("gate.ts", GUARD);
    const host = await loadScript(dir);
    const list = [gate, "gate.ts", "~/x.ts", "https://example.com/x.ts"];
    const said = await onTerminal(dir, host, list);
    assert(!said.includes("Deno requests"), said);
    assertEquals(said.match(/"kind":"permission"/g)?.length, 4, said);

    // The same way does show a question where there is one.
    const asking = await dir.write("asking.ts", `Deno.env.get("HOME");`);
    assertStringIncludes(await onTerminal(dir, asking, []), "Deno requests env access");
  },
});

/** What a program without permissions shows on a terminal, up to the first question. */
async function onTerminal(dir: TempDir, script: string, args: string[]): Promise<string> {
  const config = decodeURIComponent(new URL("../deno.json", import.meta.url).pathname);
  const quoted = [Deno.execPath(), "run", "--config", config, script, ...args]
    .map((word) => `'${word}'`).join(" ");
  const child = new Deno.Command("script", {
    args: ["--quiet", "--command", quoted, "/dev/null"],
    cwd: dir.path,
    env: { NO_COLOR: "1", TERM: "dumb" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let shown = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    shown += text;
    if (shown.includes("Deno requests")) child.kill("SIGTERM");
  }
  await child.stdin.close().catch(() => {});
  await child.status;
  return shown;
}

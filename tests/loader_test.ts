/**
 * What the loader promises, with real files.
 *
 * Nothing here needs the mapping of packages (see `host_packages_test.ts`): once it is installed, an
 * operation of Deno stays open in the process, which the sanitizers of later tests would report.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import * as door from "../mod.ts";
import type { HookLoadError, HookLoadErrorKind } from "../src/errors.ts";
import type { LoadedHook } from "../src/hook.ts";
import { loadHooks, type LoadHooksOptions, reloadHook } from "../src/loader.ts";
import { makeRunner, runDeno, type TempDir, tempDir } from "./helpers.ts";

const isWindows = Deno.build.os === "windows";

const GUARD = `export default function (pi) {
  pi.on("tool_call", () => ({ block: true, reason: "guarded" }));
}
`;

/** What the hooks say to a tool call. */
async function reasonOf(hooks: LoadedHook[]): Promise<string | undefined> {
  const { runner } = makeRunner(hooks);
  const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: {} } as const;
  return (await runner.emitToolCall(call))?.reason;
}

/** Loads one file of this text, which must not load. */
async function failureOf(
  text: string,
  name = "hook.ts",
  options?: LoadHooksOptions,
): Promise<HookLoadError & { file: string }> {
  await using dir = await tempDir();
  const file = await dir.write(name, text);
  const { hooks, errors, warnings } = await loadHooks([file], dir.path, options);
  assertEquals([hooks.length, errors.length, warnings.length], [0, 1, 0], Deno.inspect(errors));
  return { ...errors[0], file };
}

/** Loads one file of this text, which must load without a word. */
async function loadText(
  text: string,
  name = "hook.ts",
  options?: LoadHooksOptions,
): Promise<LoadedHook> {
  await using dir = await tempDir();
  const { hooks, errors, warnings } = await loadHooks(
    [await dir.write(name, text)],
    dir.path,
    options,
  );
  assertEquals([...errors, ...warnings], []);
  return hooks[0];
}

/** What a child process prints when it loads these hooks, as JSON. */
async function loadInChild(
  dir: TempDir,
  paths: readonly unknown[],
  { options = {}, end = "" } = {},
): Promise<{ code: number; paths: string[]; errors: HookLoadError[] }> {
  const script = await dir.write(
    "load_in_child.ts",
    `import { loadHooks } from ${JSON.stringify(new URL("../mod.ts", import.meta.url).href)};
    const { hooks, errors } = await loadHooks(
      ${JSON.stringify(paths)}, ${JSON.stringify(dir.path)}, ${JSON.stringify(options)},
    );
    console.log(JSON.stringify({
      paths: hooks.map(({ path }) => path),
      errors: errors.map(({ path, kind, error }) => ({ path, kind, error })),
    }));
    ${end}`,
  );
  const { code, stdout, stderr } = await runDeno(["run", script], { limitMs: 30_000 });
  assert(stdout !== "", stderr);
  return { code, ...JSON.parse(stdout) };
}

// 1. Factories and the limit

Deno.test("an asynchronous factory is awaited before the next hook and before the first event", async () => {
  await using dir = await tempDir();
  const slow = await dir.write(
    "slow.ts",
    `globalThis.order = [];
    export default async function (pi) {
      globalThis.order.push("slow starts");
      for (let i = 0; i < 5; i++) await Promise.resolve();
      pi.on("tool_call", () => ({ block: true, reason: "slow" }));
      globalThis.order.push("slow is ready");
    }`,
  );
  const next = await dir.write(
    "next.ts",
    `globalThis.order.push("next is imported");
    export default function (pi) {
      globalThis.order.push("next starts");
      pi.on("tool_call", () => ({ block: true, reason: "next" }));
    }`,
  );
  const { hooks, errors } = await loadHooks([slow, next], dir.path);
  assertEquals(errors, []);
  assertEquals((globalThis as { order?: string[] }).order, [
    "slow starts",
    "slow is ready",
    "next is imported",
    "next starts",
  ]);
  assertEquals(await reasonOf(hooks), "slow");
});

Deno.test("a factory that hangs is a load error that names file, limit and cause, and the next hook loads", async () => {
  await using dir = await tempDir();
  const hangs = await dir.write("hangs.ts", "export default () => new Promise(() => {});");
  const good = await dir.write("good.ts", GUARD);
  const { hooks, errors } = await loadHooks([hangs, good], dir.path, { timeoutMs: 1000 });
  assertEquals(hooks.map(({ path }) => path), [good]);
  assertEquals(errors.map(({ path, kind, error }) => ({ path, kind, error })), [{
    path: hangs,
    kind: "timeout",
    error: "it was not ready within 1000 ms: its default function does not come to an end",
  }]);
});

Deno.test("a factory that goes on after its limit can register nothing any more", async () => {
  await using dir = await tempDir();
  const late = await dir.write(
    "late.ts",
    `export default async function (pi) {
      pi.on("tool_call", () => ({ block: true, reason: "early" }));
      await globalThis.later.promise;
      try {
        pi.on("tool_call", () => ({ block: true, reason: "late" }));
      } catch (error) {
        globalThis.said.resolve(error.message);
      }
      throw new Error("too late to matter");
    }`,
  );
  const shared = globalThis as {
    later?: PromiseWithResolvers<void>;
    said?: PromiseWithResolvers<string>;
  };
  shared.later = Promise.withResolvers();
  shared.said = Promise.withResolvers();
  const { hooks, errors } = await loadHooks([late], dir.path, { timeoutMs: 500 });
  assertEquals(errors.map(({ kind }) => kind), ["timeout"]);
  shared.later.resolve();
  assertStringIncludes(await shared.said.promise, "is no longer loaded");
  assertEquals(hooks, []);
});

Deno.test("no limit is set by zero, a negative number, infinity, or more than a timer can count", async () => {
  for (const timeoutMs of [0, -1, Infinity, NaN, 2 ** 40]) {
    const hook = await loadText(
      `export default async (pi) => {
        await new Promise((resolve) => queueMicrotask(resolve));
        pi.on("tool_call", () => ({ block: true, reason: "guarded" }));
      }`,
      "hook.ts",
      { timeoutMs },
    );
    assertEquals(await reasonOf([hook]), "guarded");
  }
});

Deno.test("a module that never finishes loading is a load error, later hooks load, and the process can end with the code it wants", async () => {
  await using dir = await tempDir();
  const endless = await dir.write("endless.ts", "await new Promise(() => {}); export default 1;");
  const good = await dir.write("good.ts", GUARD);
  const { code, paths, errors } = await loadInChild(dir, [endless, good], {
    options: { timeoutMs: 1000 },
    end: "Deno.exit(7);",
  });
  assertEquals(code, 7);
  assertEquals(paths, [good]);
  assertEquals(errors, [{
    path: endless,
    kind: "timeout",
    error: "it was not ready within 1000 ms: importing it does not come to an end",
  }]);
});

Deno.test("the limit does not keep a program from ending", async () => {
  await using dir = await tempDir();
  const good = await dir.write("good.ts", GUARD);
  const { code, paths } = await loadInChild(dir, [good], { options: { timeoutMs: 10 ** 8 } });
  assertEquals([code, paths], [0, [good]]);
});

// 2. Paths

Deno.test("a hook loads from any folder, whatever its name, by absolute path, relative path and URL", async () => {
  const folders = [
    "My Drive/.xcsh/hooks/pre",
    "ünïcode/日本語 🎉",
    "$HOME",
    "-rf",
    "項目\u3000甲",
    "nb\u00a0sp",
    "cafe\u0301",
    "c#",
    "100%25",
    "50%",
    "a;b",
    "[x]",
    "(y) & {z}",
    ...isWindows ? [] : ["a'b\"c", "what?", "back\\slash", "tab\tfeed\n"],
  ];
  for (const folder of folders) {
    await using dir = await tempDir();
    const absolute = await dir.write(`${folder}/guard.ts`, GUARD);
    for (const path of [absolute, `${folder}/guard.ts`, `./${folder}/guard.ts`]) {
      const { hooks, errors } = await loadHooks([path], dir.path);
      assertEquals(errors, []);
      assertEquals([hooks[0].path, hooks[0].resolvedPath], [path, absolute]);
      assertEquals(await reasonOf(hooks), "guarded");
    }
  }
});

Deno.test("relative imports work inside folders with # ? % and blanks", async () => {
  for (const folder of ["x#y", "50%", "a b", ...isWindows ? [] : ["q?r"]]) {
    await using dir = await tempDir();
    await dir.write(`${folder}/helper.ts`, `export const reason: string = "from a helper";`);
    const guard = await dir.write(
      `${folder}/guard.ts`,
      `import { reason } from "./helper.ts";
      export default (pi: any) => pi.on("tool_call", () => ({ block: true, reason }));`,
    );
    const { hooks, errors } = await loadHooks([guard], dir.path);
    assertEquals(errors, []);
    assertEquals(await reasonOf(hooks), "from a helper");
  }
});

Deno.test("an error names the path as it is, not as a URL", async () => {
  const { error, file } = await failureOf(`export default {`, "c# 50%/bröken.ts");
  assertStringIncludes(error, `${file}:1:`);
  assert(!error.includes("file:"), error);
});

Deno.test("a path with a tilde starts from the home folder, a relative one from the folder given", async () => {
  await using dir = await tempDir();
  const atHome = await dir.write("home/.pi/a.ts", GUARD);
  const atWork = await dir.write("work/hooks/b.ts", GUARD);
  const { hooks, errors } = await loadHooks(["~/.pi/a.ts", "hooks/b.ts"], dir.file("work"), {
    home: dir.file("home"),
  });
  assertEquals(errors, []);
  assertEquals(hooks.map(({ resolvedPath }) => resolvedPath), [atHome, atWork]);
});

Deno.test("the home folder of somebody else is a load error, a tilde elsewhere is literal", async () => {
  await using dir = await tempDir();
  const literal = await dir.write("~gate.ts", GUARD);
  const { hooks, errors } = await loadHooks(["~bob/x.ts", "~gate.ts"], dir.path);
  assertEquals(hooks.map(({ resolvedPath }) => resolvedPath), [literal]);
  assertEquals(errors.map(({ path, kind }) => [path, kind]), [["~bob/x.ts", "path"]]);
});

Deno.test("a file is named by its exact characters, no Unicode help", async () => {
  const [composed, decomposed] = ["caf\u00e9.ts", "cafe\u0301.ts"];
  await using dir = await tempDir();
  await dir.write(decomposed, GUARD);
  const isSameToSystem = await Deno.stat(dir.file(composed)).then(() => true, () => false);
  const { hooks, errors } = await loadHooks([composed, "a\u3000b.ts"], dir.path);
  assertEquals(hooks.length, isSameToSystem ? 1 : 0);
  assertEquals(errors.at(-1)?.kind, "not-found");

  await dir.write("a b.ts", GUARD);
  const wide = await dir.write("a\u3000b.ts", GUARD);
  const again = await loadHooks(["a\u3000b.ts"], dir.path);
  assertEquals(again.hooks.map(({ resolvedPath }) => resolvedPath), [wide]);
});

Deno.test({
  name: "paths of Windows are, elsewhere, files literally so named, or one clear error each",
  ignore: isWindows,
  fn: async () => {
    await using dir = await tempDir();
    const spellings = [
      "C:\\Users\\A B\\h.ts",
      "c:/Users/A B/h.ts",
      "C:h.ts",
      "\\\\server\\share\\h.ts",
      "\\\\?\\C:\\h.ts",
      "file:///C:/Users/A%20B/h.ts",
      "%USERPROFILE%\\h.ts",
      "~\\h.ts",
      ".\\hooks\\h.ts",
      "hooks/pre\\h.ts",
    ];
    const missing = await loadHooks(spellings, dir.path);
    assertEquals(
      missing.errors.map(({ path, kind }) => [path, kind]),
      spellings.map((path) => [path, "not-found"]),
    );
    const literal = await dir.write("C:\\h.ts", GUARD);
    const { hooks } = await loadHooks(["C:\\h.ts"], dir.path);
    assertEquals(hooks.map(({ resolvedPath }) => resolvedPath), [literal]);
  },
});

Deno.test("file: URLs, and https:, jsr: and npm: specifiers, may be configured", async () => {
  await using dir = await tempDir();
  const file = await dir.write("a b.ts", GUARD);
  const url = `file://${file.replace(" ", "%20")}`;
  const { hooks, errors } = await loadHooks([url], dir.path);
  assertEquals(errors, []);
  assertEquals(hooks.map(({ path, resolvedPath }) => [path, resolvedPath]), [[url, file]]);

  // Deno itself says no, without any network: the specifiers have arrived there as they are.
  const script = await dir.write(
    "remote.ts",
    `import { loadHooks } from ${JSON.stringify(new URL("../mod.ts", import.meta.url).href)};
    const list = ["https://127.0.0.1:1/x.ts", "npm:no-such-package-here@1"];
    const { errors } = await loadHooks(list, "/");
    console.log(JSON.stringify(errors.map(({ path, kind, error }) => [path, kind, error])));`,
  );
  const { stdout, stderr } = await runDeno(["run", "--cached-only", script]);
  const said: [string, string, string][] = JSON.parse(stdout || "[]");
  assertEquals(
    said.map(([path, kind]) => [path, kind]),
    [["https://127.0.0.1:1/x.ts", "import"], ["npm:no-such-package-here@1", "import"]],
    stderr,
  );
  assertStringIncludes(said[0][2], "--cached-only");
  assertStringIncludes(said[1][2], "no-such-package-here");
});

Deno.test("a working directory may be relative, start with a tilde, or be a URL", async () => {
  await using dir = await tempDir();
  const file = await dir.write("home/work/hook.ts", GUARD);
  const relative = relativeTo(Deno.cwd(), dir.file("home/work"));
  const table: [string, string][] = [
    [dir.file("home/work"), file],
    ["~/work", file],
    [`file://${dir.file("home/work")}`, file],
    [relative, file],
  ];
  for (const [cwd, expected] of table) {
    const { hooks, errors } = await loadHooks(["hook.ts"], cwd, { home: dir.file("home") });
    assertEquals(errors, []);
    assertEquals(hooks[0].resolvedPath, expected);
  }
});

function relativeTo(from: string, to: string): string {
  return `${"../".repeat(from.split("/").length - 1)}${to.slice(1)}`;
}

Deno.test("a working directory that cannot be used never turns into another one", async () => {
  await using dir = await tempDir();
  const absolute = await dir.write("hook.ts", GUARD);
  for (const cwd of [42, null, "", "a\0", "~bob/x", "https://example.com/"]) {
    // A host in JavaScript may hand over anything.
    const { hooks, errors } = await loadHooks(["mod.ts", absolute], cwd as string);
    assertEquals(hooks.map(({ path }) => path), [absolute]);
    assertEquals(errors.map(({ path, kind }) => [path, kind]), [["mod.ts", "path"]]);
    assertStringIncludes(errors[0].error, "the folder that it starts from is not known");
  }
  const missing = await loadHooks(["hook.ts"], dir.file("nowhere"));
  assertEquals(missing.errors.map(({ kind }) => kind), ["not-found"]);
  assertStringIncludes(missing.errors[0].error, dir.file("nowhere/hook.ts"));
});

// 3. Kinds of files

Deno.test("all kinds of modules load: .ts .mts .cts .js .mjs .cjs .tsx .jsx", async () => {
  const common = `module.exports = (pi) => pi.on("tool_call", () => ({ block: true }));`;
  const table: [string, string][] = [
    ["a.ts", GUARD],
    ["a.mts", GUARD],
    ["a.cts", common],
    ["a.js", GUARD],
    ["a.mjs", GUARD],
    ["a.cjs", common],
    ["a.tsx", GUARD],
    ["a.jsx", GUARD],
    ["A.TS", `export default (pi: any): void => pi.on("tool_call", () => ({ block: true }));`],
  ];
  await using dir = await tempDir();
  const paths = await Promise.all(
    table.map(([name, text]) => dir.write(`${name}.d/${name}`, text)),
  );
  const { hooks, errors } = await loadHooks(paths, dir.path);
  assertEquals(errors, []);
  assertEquals(hooks.map(({ path }) => path), paths);
});

Deno.test("a byte order mark, CRLF, enums, namespaces, decorators and a first line with #! load", async () => {
  const texts = [
    `\ufeff${GUARD}`,
    GUARD.replaceAll("\n", "\r\n"),
    `#!/usr/bin/env -S deno run\n${GUARD}`,
    `enum Level { Low, High }
    namespace Names { export const reason = "guarded"; }
    function mark(_target: unknown, _context: unknown): void {}
    class Gate {
      constructor(private readonly level: Level) {}
      @mark answer() { return { block: this.level === Level.High, reason: Names.reason }; }
    }
    export default function (pi: any): void {
      const gate = new Gate(Level.High);
      pi.on("tool_call", () => gate.answer());
    }`,
  ];
  for (const text of texts) assertEquals(await reasonOf([await loadText(text)]), "guarded");
});

Deno.test("a hook compiled to the form of require keeps its default export", async () => {
  const text = `Object.defineProperty(exports, "__esModule", { value: true });
  exports.default = (pi) => pi.on("tool_call", () => ({ block: true, reason: "guarded" }));`;
  assertEquals(await reasonOf([await loadText(text, "hook.cjs")]), "guarded");
});

Deno.test("anything else is a load error that says so, and nothing of it is run", async () => {
  const script = `globalThis.wasRun = true;`;
  for (const name of ["noext", "x.py", "x.sh", "x.ts~", "x.ts.bak", "x.json", "x.JSON", "x.wasm"]) {
    const { kind, error } = await failureOf(script, name);
    assertEquals(kind, "not-a-module", name);
    assertStringIncludes(error, "not a JavaScript or TypeScript module");
  }
  const { kind, error } = await failureOf(`globalThis.wasRun = true;`, "types.d.ts");
  assertEquals(kind, "not-a-module");
  assertStringIncludes(error, "only declares types");
  assert(!("wasRun" in globalThis));
});

Deno.test("a shell-style hook is a load error that says how such hooks are run", async () => {
  const scripts: [string, string][] = [
    ["bash.sh", "#!/bin/bash\nexit 2\n"],
    ["crlf.sh", "#!/bin/bash\r\nexit 2\r\n"],
    ["noext", "#!/bin/sh\nexit 2\n"],
  ];
  for (const [name, text] of scripts) {
    const { kind, error } = await failureOf(text, `.claude/hooks/pre/${name}`);
    assertEquals(kind, "not-a-module");
    assertStringIncludes(error, "a shell-style hook is run from a module");
    assertStringIncludes(error, "pi.exec(");
  }
});

Deno.test({
  name: "a link is judged by the file that it leads to",
  ignore: isWindows,
  fn: async () => {
    await using dir = await tempDir();
    await dir.write("script.sh", "globalThis.linkWasRun = true;");
    const guard = await dir.write("guard.ts", GUARD);
    await Deno.symlink(dir.file("script.sh"), dir.file("looks-good.ts"));
    await Deno.symlink(guard, dir.file("plain"));
    const { hooks, errors } = await loadHooks(["looks-good.ts", "plain"], dir.path);
    assertEquals(errors.map(({ path, kind }) => [path, kind]), [[
      "looks-good.ts",
      "not-a-module",
    ]]);
    assertEquals(hooks.map(({ path, resolvedPath }) => [path, resolvedPath]), [["plain", guard]]);
    assert(!("linkWasRun" in globalThis));
  },
});

// 4. One file loads once

Deno.test("a file in many spellings loads once, at the first place and under the first name", async () => {
  await using dir = await tempDir();
  const file = await dir.write("sub/gate.ts", GUARD);
  const other = await dir.write("other.ts", GUARD);
  const list = ["sub/gate.ts", other, file, "./sub/../sub/gate.ts", `file://${file}`, "other.ts"];
  if (!isWindows) {
    await Deno.symlink(file, dir.file("link.ts"));
    await Deno.symlink(dir.file("sub"), dir.file("folder"));
    list.push("link.ts", "folder/gate.ts");
  }
  const { hooks, errors, warnings } = await loadHooks(list, dir.path);
  assertEquals(errors, []);
  assertEquals(hooks.map(({ path }) => path), ["sub/gate.ts", other]);
  assertEquals(warnings.map(({ path, kind }) => [path, kind]), [
    ...list.slice(2).map((path) => [path, "skipped"]),
  ]);
  assertStringIncludes(warnings[0].warning, '"sub/gate.ts"');
});

Deno.test({
  name: "two links to one file load it once, under the name of the first",
  ignore: isWindows,
  fn: async () => {
    await using dir = await tempDir();
    const file = await dir.write("real.ts", GUARD);
    for (const name of ["one.ts", "two.ts"]) await Deno.symlink(file, dir.file(name));
    const { hooks, warnings } = await loadHooks(["one.ts", "two.ts"], dir.path);
    assertEquals(hooks.map(({ path, resolvedPath }) => [path, resolvedPath]), [["one.ts", file]]);
    assertEquals(warnings.map(({ path }) => path), ["two.ts"]);
  },
});

Deno.test("spellings that differ in case are one file only where the system says so", async () => {
  await using dir = await tempDir();
  await dir.write("gate.ts", GUARD);
  const isSameToSystem = await Deno.stat(dir.file("GATE.ts")).then(() => true, () => false);
  const { hooks, errors, warnings } = await loadHooks(["gate.ts", "GATE.ts"], dir.path);
  assertEquals(hooks.map(({ path }) => path), ["gate.ts"]);
  assertEquals(errors.map(({ kind }) => kind), isSameToSystem ? [] : ["not-found"]);
  assertEquals(warnings.map(({ kind }) => kind), isSameToSystem ? ["skipped"] : []);
});

Deno.test({
  name: "the imports of a linked hook start where the file really is",
  ignore: isWindows,
  fn: async () => {
    await using dir = await tempDir();
    await dir.write("real/helper.ts", `export const reason = "beside the real file";`);
    await dir.write("links/helper.ts", `export const reason = "beside the link";`);
    const file = await dir.write(
      "real/gate.ts",
      `import { reason } from "./helper.ts";
      export default (pi: any) => pi.on("tool_call", () => ({ block: true, reason }));`,
    );
    await Deno.symlink(file, dir.file("links/gate.ts"));
    const { hooks } = await loadHooks(["links/gate.ts"], dir.path);
    assertEquals(await reasonOf(hooks), "beside the real file");
  },
});

// 5. Nothing is thrown

Deno.test("nothing in the list keeps the others from loading, and each entry is one error", async () => {
  await using dir = await tempDir();
  const good = await dir.write("good.ts", GUARD);
  const loop = dir.file("loop.ts");
  const big = await dir.write("big.ts", GUARD);
  await Deno.truncate(big, 50_000_000);
  await Deno.mkdir(dir.file("dir.ts"));
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const table: [unknown, HookLoadErrorKind][] = [
    [42, "path"],
    [null, "path"],
    [undefined, "path"],
    [{ path: "x" }, "path"],
    [circular, "path"],
    [revoked.proxy, "path"],
    [Symbol("x"), "path"],
    ["", "path"],
    [" ", "path"],
    ["nul\0.ts", "path"],
    ["~bob/x.ts", "path"],
    [".", "not-a-module"],
    ["dir.ts", "not-a-module"],
    ["missing.ts", "not-found"],
    ["good.ts/inside.ts", "not-found"],
    ["big.ts", "not-a-module"],
    ["x".repeat(5000) + ".ts", "path"],
    ["https://", "path"],
  ];
  if (!isWindows) {
    await Deno.symlink(loop, loop);
    await Deno.symlink(dir.file("nowhere"), dir.file("gone.ts"));
    await run("mkfifo", dir.file("pipe.ts"));
    table.push(
      ["loop.ts", "path"],
      ["gone.ts", "not-found"],
      ["pipe.ts", "not-a-module"],
      ["/dev/null", "not-a-module"],
      ["/dev/zero", "not-a-module"],
    );
  }
  const { hooks, errors } = await loadHooks(
    [...table.map(([entry]) => entry), "good.ts"],
    dir.path,
  );
  assertEquals(hooks.map(({ resolvedPath }) => resolvedPath), [good]);
  assertEquals(
    errors.map(({ path, kind }) => [path.slice(0, 30), kind]),
    table.map(([entry, kind], index) => [
      typeof entry === "string" ? entry.slice(0, 30) : errors[index].path,
      kind,
    ]),
  );
  for (const { path, error } of errors) {
    assert(path !== "" || error === "the path is empty");
    assert(error.length > 10, error);
  }
});

async function run(program: string, ...args: string[]): Promise<void> {
  const { success } = await new Deno.Command(program, { args }).output();
  assert(success, program);
}

Deno.test({
  name: "a socket is a load error",
  ignore: isWindows,
  fn: async () => {
    await using dir = await tempDir();
    using _listener = Deno.listen({ transport: "unix", path: dir.file("socket.ts") });
    const { errors } = await loadHooks(["socket.ts"], dir.path);
    assertEquals(errors.map(({ kind }) => kind), ["not-a-module"]);
    assertStringIncludes(errors[0].error, "a socket");
  },
});

Deno.test({
  name: "a file that the operating system will not give out is a load error of that file alone",
  ignore: isWindows || Deno.uid() === 0, // nothing is unreadable to root
  fn: async () => {
    await using dir = await tempDir();
    const secret = await dir.write("secret.ts", GUARD);
    const good = await dir.write("good.ts", GUARD);
    await Deno.chmod(secret, 0o000);
    const { hooks, errors } = await loadHooks([secret, good], dir.path);
    assertEquals(hooks.map(({ path }) => path), [good]);
    assertEquals(errors.map(({ path, kind }) => [path, kind]), [[secret, "permission"]]);
  },
});

Deno.test("whatever stands in the place of the list, the result is a result", async () => {
  await using dir = await tempDir();
  await dir.write("good.ts", GUARD);
  const sparse: unknown[] = [];
  sparse[1] = "good.ts";
  const throwing = {
    [Symbol.iterator]: () => {
      throw new Error("no list today");
    },
  };
  const table: [unknown, number, number][] = [
    [[], 0, 0],
    ["good.ts", 1, 0],
    [new Set(["good.ts"]), 1, 0],
    [sparse, 1, 1],
    [undefined, 0, 1],
    [null, 0, 1],
    [42, 0, 1],
    [throwing, 0, 1],
    [["good.ts", ["good.ts"]], 1, 1],
  ];
  for (const [list, loaded, failed] of table) {
    const { hooks, errors } = await loadHooks(list as string[], dir.path);
    assertEquals([hooks.length, errors.length], [loaded, failed], Deno.inspect(list));
    assert(errors.every(({ kind }) => kind === "path"));
  }
  // Options of a host in JavaScript.
  const { hooks } = await loadHooks(["good.ts"], dir.path, null as unknown as LoadHooksOptions);
  assertEquals(hooks.length, 1);
});

// 6. Errors and warnings

Deno.test("a syntax error has its kind, line and column, and no colour codes", async () => {
  const { kind, error, file, cause } = await failureOf(
    `export default function (pi) {\n  pi.on("tool_call", () => ({\n`,
  );
  assertEquals(kind, "syntax");
  assertStringIncludes(error, `${file}:2:`);
  assert(!error.includes("\x1b"), error);
  assert(cause instanceof Error);
});

Deno.test("a syntax error that only the engine finds has its kind, line and column too", async () => {
  for (const text of ["const a = 1;\nconst a = 2;", "let x = 1;\nx = /(/;", "0;\nreturn 1;"]) {
    const { kind, error, file } = await failureOf(text);
    assertEquals(kind, "syntax", error);
    assertStringIncludes(error, `${file}:2:`);
  }
});

Deno.test("a syntax error in an imported file names that file", async () => {
  await using dir = await tempDir();
  const helper = await dir.write("helper.ts", "export const x = ;");
  await dir.write("hook.ts", `import { x } from "./helper.ts";\nexport default () => x;`);
  const { errors } = await loadHooks(["hook.ts"], dir.path);
  assertEquals(errors.map(({ kind }) => kind), ["syntax"]);
  assertStringIncludes(errors[0].error, `${helper}:1:`);
});

Deno.test("a module without a default function is told what to write", async () => {
  const table: [string, string][] = [
    [`export function register(pi) {}`, "it has none"],
    [``, "it has none"],
    [`export default "x"`, 'its default is "x"'],
    [`export default {}`, "its default is {}"],
    [`export default null`, "its default is null"],
    [`export default await Promise.resolve(7)`, "its default is 7"],
  ];
  for (const [text, got] of table) {
    const { kind, error } = await failureOf(text);
    assertEquals(kind, "no-default-export");
    assertStringIncludes(error, "Hook must export a default function");
    assertStringIncludes(error, got);
    assertStringIncludes(error, "export default function (pi)");
  }
});

Deno.test("a class is no factory", async () => {
  const { kind, error } = await failureOf(`export default class { constructor(pi) {} }`);
  assertEquals(kind, "factory");
  assertStringIncludes(error, "the default function failed: Class constructor");
});

Deno.test("a factory that throws or rejects is an error with its text and its place", async () => {
  for (const text of ["function", "async function"]) {
    const { kind, error, file, cause } = await failureOf(
      `export default ${text} (pi) {\n  throw new Error("init");\n}`,
    );
    assertEquals(kind, "factory");
    assertEquals(error, `the default function failed: init\n    at ${file}:2:9`);
    assertEquals((cause as Error).message, "init");
  }
});

Deno.test("what a factory throws is shown whatever it is, and without colours", async () => {
  const table: [string, string][] = [
    [`throw 7`, "threw 7"],
    [`throw null`, "threw null"],
    [`throw { code: 7 }`, 'threw {"code":7}'],
    [`throw new Error("\\x1b[31mred\\x1b[0m")`, "failed: red"],
    [
      `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy`,
      "an object",
    ],
    [`throw Object.defineProperty(new Error("x"), "stack", { get() { throw 1; } })`, "failed: x"],
  ];
  for (const [text, shown] of table) {
    const { kind, error } = await failureOf(`export default () => { ${text}; };`);
    assertEquals(kind, "factory");
    assertStringIncludes(error, shown);
    assert(!error.includes("\x1b"), error);
  }
});

Deno.test("a module that throws while it is evaluated is an import error with text and place", async () => {
  const table: [string, string, string][] = [
    [`throw 7;\nexport default () => {};`, "threw 7", ""],
    [`const a = 1;\nthrow new Error("boom");`, "boom", ":2:7"],
    [`export default await Promise.reject(new Error("tla"));`, "tla", ":1:"],
    [`0;\nnot.defined;`, "not is not defined", ":2:1"],
    // An error of this class that the code throws is no fault of the syntax.
    [`0;\nJSON.parse("{");`, "in JSON at position 1", ":2:6"],
    [`0;\nnew Function("{");`, "Unexpected token", ":2:1"],
  ];
  for (const [text, shown, place] of table) {
    const { kind, error, file } = await failureOf(text);
    assertEquals(kind, "import", error);
    assert(error.startsWith("the module threw while it was evaluated: "), error);
    assertStringIncludes(error, shown);
    if (place !== "") assertStringIncludes(error, `${file}${place}`);
  }
});

Deno.test("CommonJS in a .js file is told to be called .cjs", async () => {
  for (const text of [`module.exports = (pi) => {};`, `const x = require("x");`]) {
    const { kind, error } = await failureOf(text, "hook.js");
    assertEquals(kind, "import");
    assertStringIncludes(error, "has to be called .cjs");
  }
});

Deno.test("a missing file is said with the path that was looked for", async () => {
  await using dir = await tempDir();
  const { errors } = await loadHooks(["./hooks/none.ts"], dir.path);
  assertEquals(errors.map(({ path, kind, error }) => ({ path, kind, error })), [{
    path: "./hooks/none.ts",
    kind: "not-found",
    error: `there is no file ${dir.file("hooks/none.ts")}`,
  }]);
});

Deno.test("each failing file is one error and the rest still load", async () => {
  await using dir = await tempDir();
  const texts: Record<string, string> = {
    "named.ts": `export function register(pi) {}`,
    "string.ts": `export default "x";`,
    "klass.ts": `export default class { constructor(pi) {} }`,
    "cjs.js": `module.exports = (pi) => {};`,
    "syntax.ts": `export default function (pi) {`,
    "throws.ts": `export default () => { throw new Error("init"); }`,
    "throw7.ts": `throw 7;`,
    "tla.ts": `export default await Promise.reject(new Error("tla"));`,
  };
  const failing: string[] = [];
  for (const [name, text] of Object.entries(texts)) failing.push(await dir.write(name, text));
  const good = await dir.write("good.ts", GUARD);
  const { hooks, errors } = await loadHooks([...failing, good], dir.path);
  assertEquals(errors.map(({ path }) => path), failing);
  assertEquals(hooks.map(({ path }) => path), [good]);
});

Deno.test("an event that does not exist is a warning with the nearest name, and the rest of the hook works", async () => {
  await using dir = await tempDir();
  await dir.write(
    "hook.ts",
    `export default (pi) => {
      pi.on("tool_cal", () => {});
      pi.on("sesion.compacting", () => {});
      pi.on("xyzzy", () => {});
      pi.on("tool_call", () => ({ block: true, reason: "guarded" }));
    }`,
  );
  const { hooks, warnings } = await loadHooks(["hook.ts"], dir.path);
  assertEquals(
    warnings.map(({ path, kind, warning }) => [path, kind, warning]),
    [
      'There is no event "tool_cal", did you mean "tool_call"? Its handler will never run.',
      'There is no event "sesion.compacting", did you mean "session.compacting"? ' +
      "Its handler will never run.",
      'There is no event "xyzzy". Its handler will never run.',
    ].map((warning) => ["hook.ts", "unknown-event", warning]),
  );
  assertEquals(await reasonOf(hooks), "guarded");
});

Deno.test("a factory that registered nothing is a warning", async () => {
  await using dir = await tempDir();
  // The second one returns a map of handlers, as some other systems want it.
  const texts = [
    `export default () => {};`,
    `export default () => ({ tool_call() { return { block: true }; } });`,
  ];
  for (const [index, text] of texts.entries()) {
    const path = await dir.write(`hook${index}.ts`, text);
    const { hooks, errors, warnings } = await loadHooks([path], dir.path);
    assertEquals([hooks.length, errors.length], [1, 0]);
    assertEquals(warnings, [{
      path,
      kind: "nothing-registered",
      warning: "It registered nothing: no handler, no command, no renderer.",
    }]);
  }
});

Deno.test("a command or a renderer alone is something", async () => {
  for (
    const text of [
      `pi.registerCommand("x", { handler() {} })`,
      `pi.registerMessageRenderer("x", () => undefined)`,
    ]
  ) await loadText(`export default (pi) => { ${text}; };`);
});

// 7. The API during and after loading

Deno.test("pi.on with a missing or wrong handler or event is a load error with its place", async () => {
  const table: [string, string][] = [
    [`pi.on("tool_call")`, 'pi.on("tool_call") needs a function, not undefined'],
    [`pi.on("tool_call", { block: true })`, 'not {"block":true}'],
    [`pi.on("tool_call", "gate")`, 'not "gate"'],
    [`pi.on(undefined, () => {})`, "pi.on needs the name of an event, not undefined"],
    [`pi.registerCommand("x")`, 'pi.registerCommand("x") needs a handler, not undefined'],
    [`pi.registerCommand("x", {})`, "needs a handler"],
    [`pi.registerMessageRenderer("x")`, "pi.registerMessageRenderer needs a function"],
    [`pi.registerMessageRenderer(7, () => {})`, "needs the type of a message, not 7"],
  ];
  for (const [call, shown] of table) {
    const { kind, error, file } = await failureOf(`export default (pi) => {\n  ${call};\n};`);
    assertEquals(kind, "factory");
    assertStringIncludes(error, shown);
    assertStringIncludes(error, `\n    at ${file}:2:6`);
  }
});

Deno.test("sending in the factory is a load error, and works once a session is bound", async () => {
  for (const call of [`sendMessage({ customType: "x", content: "y" })`, `appendEntry("x", 1)`]) {
    const { kind, error } = await failureOf(`export default (pi) => { pi.${call}; };`);
    assertEquals(kind, "factory");
    assertStringIncludes(error, "is not available during load");
  }
  const hook = await loadText(`export default (pi) => {
    pi.on("turn_start", () => {
      pi.sendMessage({ customType: "note", content: "hello" }, { triggerTurn: true });
      pi.appendEntry("state", { count: 1 });
    });
  }`);
  const sent: unknown[] = [];
  const { runner, errors } = makeRunner([hook], {
    sendMessageHandler: (...args) => void sent.push(args),
    appendEntryHandler: (...args) => void sent.push(args),
  });
  await runner.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
  assertEquals(errors, []);
  assertEquals(sent, [
    [{ customType: "note", content: "hello" }, { triggerTurn: true }],
    ["state", { count: 1 }],
  ]);
});

Deno.test("the API may be taken apart", async () => {
  const hook = await loadText(
    `export default ({ on, registerCommand, registerMessageRenderer }) => {
    on("tool_call", () => ({ block: true, reason: "guarded" }));
    registerCommand("x", { handler() {} });
    registerMessageRenderer("y", () => undefined);
  }`,
  );
  assertEquals(await reasonOf([hook]), "guarded");
  assertEquals([...hook.commands.keys(), ...hook.messageRenderers.keys()], ["x", "y"]);
});

Deno.test("a hook may register later, and its handler takes part from then on", async () => {
  const hook = await loadText(`export default (pi) => {
    pi.on("turn_start", () => pi.on("tool_call", () => ({ block: true, reason: "later" })));
  }`);
  const { runner } = makeRunner([hook]);
  const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: {} } as const;
  assertEquals(await runner.emitToolCall(call), undefined);
  await runner.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
  assertEquals((await runner.emitToolCall(call))?.reason, "later");
});

// 10. What else the API offers

Deno.test("pi.on returns nothing", async () => {
  const hook = await loadText(`export default (pi) => {
    const returned = pi.on("tool_call", () => ({ block: true, reason: String(returned) }));
  }`);
  assertEquals(await reasonOf([hook]), "undefined");
});

Deno.test("pi.logger writes to the log of the host, pi.pi is everything that mod.ts exports", async () => {
  const lines: unknown[] = [];
  const log = (level: string) => (...args: unknown[]) => void lines.push([level, ...args]);
  const hook = await loadText(
    `export default (pi) => {
      for (const level of ["debug", "info", "warn", "error"]) pi.logger[level](level, { x: 1 });
      pi.on("tool_call", () => ({ block: true, reason: typeof pi.pi.loadHooks }));
      globalThis.namespaceOfTheDoor = pi.pi;
    }`,
    "hook.ts",
    { logger: { debug: log("d"), info: log("i"), warn: log("w"), error: log("e") } },
  );
  assertEquals(lines, [
    ["d", "debug", { x: 1 }],
    ["i", "info", { x: 1 }],
    ["w", "warn", { x: 1 }],
    ["e", "error", { x: 1 }],
  ]);
  assertEquals(await reasonOf([hook]), "function");
  assert((globalThis as { namespaceOfTheDoor?: unknown }).namespaceOfTheDoor === door);
});

Deno.test("without a log of the host nothing is written to standard output", async () => {
  await using dir = await tempDir();
  const noisy = await dir.write(
    "noisy.ts",
    `export default (pi) => {
      for (const level of ["debug", "info", "warn", "error"]) pi.logger[level]("from the hook");
      pi.on("tool_call", () => {});
    }`,
  );
  const { code, paths } = await loadInChild(dir, [noisy]);
  assertEquals([code, paths], [0, [noisy]]);
});

Deno.test("pi.typebox is what the host passes, else reading it says what to import", async () => {
  const text = `export default (pi) => {
    pi.on("tool_call", () => ({ block: true, reason: pi.typebox.name }));
    pi.typebox;
  }`;
  const hook = await loadText(text, "hook.ts", { typebox: { name: "the box" } });
  assertEquals(await reasonOf([hook]), "the box");
  const { kind, error } = await failureOf(text);
  assertEquals(kind, "factory");
  assertStringIncludes(error, `import { Type } from "npm:@sinclair/typebox"`);
});

Deno.test("pi.exec starts in the working directory of the load, or of the session", async () => {
  await using dir = await tempDir();
  await dir.write("session/.keep", "");
  const path = await dir.write(
    "hook.ts",
    `export default (pi) => pi.registerCommand("where", {
      handler: async () => {
        const script = ["eval", "console.log(Deno.cwd())"];
        const { stdout } = await pi.exec(Deno.execPath(), script);
        globalThis.whereItRan = stdout.trim();
      },
    });`,
  );
  const { hooks } = await loadHooks([path], dir.path);
  const run = async (): Promise<unknown> => {
    await hooks[0].commands.get("where")?.handler("", undefined as never);
    return (globalThis as { whereItRan?: unknown }).whereItRan;
  };
  assertEquals(await run(), dir.path);
  makeRunner(hooks, { cwd: dir.file("session") });
  assertEquals(await run(), dir.file("session"));
});

// Commands

Deno.test("of commands with one name the first hook's last registration counts, and all are listed", async () => {
  await using dir = await tempDir();
  const one = await dir.write(
    "one.ts",
    `export default (pi) => {
      pi.registerCommand("deploy", { description: "one, first", handler() {} });
      pi.registerCommand("deploy", { description: "one, last", handler() {} });
    }`,
  );
  const two = await dir.write(
    "two.ts",
    `export default (pi) => pi.registerCommand("deploy", { description: "two", handler() {} });`,
  );
  const { hooks } = await loadHooks([one, two], dir.path);
  const { runner } = makeRunner(hooks);
  assertEquals(runner.getCommand("deploy")?.description, "one, last");
  assertEquals(runner.getRegisteredCommands().map(({ name, description }) => [name, description]), [
    ["deploy", "one, last"],
    ["deploy", "two"],
  ]);
});

Deno.test("a command name that nobody could type is a load error", async () => {
  for (const name of ['""', '"a b"', '"/x"', '" x"', "42", "undefined"]) {
    const { kind, error } = await failureOf(
      `export default (pi) => pi.registerCommand(${name}, { handler() {} });`,
    );
    assertEquals(kind, "factory");
    assertStringIncludes(error, "A command needs a name without blanks and leading slash");
  }
});

Deno.test("command names that objects know already are names like others", async () => {
  const names = ["help", "toString", "__proto__", "constructor"];
  const bare = makeRunner([await loadText(GUARD)]).runner;
  for (const name of names) assertEquals(bare.getCommand(name), undefined);
  const hook = await loadText(`export default (pi) => {
    for (const name of ${JSON.stringify(names)}) pi.registerCommand(name, { handler() {} });
  }`);
  const { runner } = makeRunner([hook]);
  for (const name of names) assertEquals(runner.getCommand(name)?.name, name);
});

Deno.test("a command that throws or rejects is an error shown, and the process lives", async () => {
  const hook = await loadText(`export default (pi) => {
    pi.registerCommand("throws", { handler() { throw new Error("two"); } });
    pi.registerCommand("rejects", { handler: () => Promise.reject("three") });
  }`);
  const { runner, errors } = makeRunner([hook]);
  assertEquals(await runner.runCommand("throws"), true);
  assertEquals(await runner.runCommand("rejects"), true);
  assertEquals(errors.map(({ event, error }) => [event, error]), [
    ["command:throws", "two"],
    ["command:rejects", 'threw "three"'],
  ]);
});

Deno.test("the handler of a command may be a method of a class", async () => {
  const hook = await loadText(`class Deploy {
    description = "deploys";
    handler() { globalThis.deployed = this.description; }
  }
  export default (pi) => pi.registerCommand("deploy", new Deploy());`);
  const { runner, errors } = makeRunner([hook]);
  assertEquals(runner.getCommand("deploy")?.description, "deploys");
  await runner.runCommand("deploy");
  assertEquals(errors, []);
  assertEquals((globalThis as { deployed?: string }).deployed, "deploys");
});

Deno.test("only a hook that the loader made can be loaded again", async () => {
  const hook = await loadText(GUARD);
  await assertRejects(() => reloadHook({ ...hook }), TypeError, "was not made by loadHooks");
});

/**
 * The hook `protected-paths`: names and patterns, tools and fields of all agents, patches, shell
 * commands, links on a real disk, options, odd calls.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import {
  createProtectedPaths,
  type ProtectedPathsOptions,
  protectingPattern,
  writtenPaths,
} from "../../hooks/protected-paths.ts";
import { HookBlockedError } from "../../src/errors.ts";
import type { LoadedHook } from "../../src/hook.ts";
import {
  echoTool,
  type FakeUI,
  fakeUI,
  hookFrom,
  makeRunner,
  runDeno,
  tempDir,
} from "../helpers.ts";
import { pick, seededRandom } from "../random.ts";
import { loadFiles, readyMadePath, runWrapped } from "./ready_made.ts";

type Call = readonly [tool: string, input: Record<string, unknown>];

const guard = await loadFiles(readyMadePath("protected-paths"));

/** Runs one call through loader, runner and wrapper; gives the reason of a block. */
async function blockReason(
  [tool, input]: Call,
  { cwd = "/project", hooks = guard, ui }: { cwd?: string; hooks?: LoadedHook[]; ui?: FakeUI } = {},
): Promise<string | undefined> {
  const { runner, errors } = makeRunner(hooks, { cwd, ui });
  const echo = echoTool(tool);
  try {
    await runWrapped(echo, runner, input);
    assertEquals(echo.runs.length, 1);
    return undefined;
  } catch (error) {
    assert(error instanceof HookBlockedError, `threw ${error}`);
    assertEquals(error.kind, "policy");
    assertEquals(echo.runs.length, 0);
    assertMatch(error.message, /^protected-paths: /);
    return error.message;
  } finally {
    assertEquals(errors, []);
  }
}

async function assertBlocked(calls: readonly Call[], cwd?: string): Promise<void> {
  for (const call of calls) {
    const reason = await blockReason(call, { cwd });
    assertMatch(reason ?? "passed", /is protected|leads|cannot be told/, JSON.stringify(call));
  }
}

async function assertFree(calls: readonly Call[], cwd?: string): Promise<void> {
  for (const call of calls) {
    assertEquals(await blockReason(call, { cwd }), undefined, JSON.stringify(call));
  }
}

function shell(...commands: string[]): Call[] {
  return commands.map((command) => ["bash", { command }]);
}

function writes(...paths: string[]): Call[] {
  return paths.map((path) => ["write", { path, content: "" }]);
}

// ---- Names -------------------------------------------------------------------------------------

Deno.test("secrets, keys and the folders of other programs may not be written", async () => {
  await assertBlocked(writes(
    ".env",
    "./.env",
    "config/.env",
    ".env.production",
    ".env.local",
    ".envrc",
    "/home/bob/.npmrc",
    "~/.ssh/config",
    "~/.ssh",
    ".aws/credentials",
    "x/.docker/config.json",
    "id_ed25519",
    "certs/server.pem",
    "server.key",
    ".git",
    ".git/config",
    "sub/.git/hooks/pre-commit",
    "node_modules/a/index.js",
    "node_modules/.bin",
  ));
});

Deno.test("names that only look like protected ones may be written", async () => {
  await assertFree(writes(
    ".environment.md",
    "docs/.envrc-example",
    "my.git/readme",
    ".gitignore",
    ".github/workflows/ci.yml",
    "env",
    "src/env.ts",
    "a.env.ts",
    "node_modules.md",
    "old_node_modules/x",
    "ssh/config",
    "id_rsa.pub",
    "keys/readme.md",
    "monkey",
    ".docker/readme.md",
    ".env.example",
    "app/.env.sample",
    ".env.template",
  ));
});

Deno.test("the folder node_modules itself is free, what is inside is not", async () => {
  await assertFree([
    ["delete", { path: "node_modules" }],
    ...shell("rm -rf node_modules && npm ci"),
  ]);
  await assertBlocked([["delete", { path: "node_modules/a" }], ...shell("rm -rf node_modules/a")]);
});

Deno.test("spellings that a file system takes for the same name are the same", async () => {
  await assertBlocked(writes(
    ".ENV",
    ".Git/config",
    "Node_Modules/x",
    ".e\u006ev",
    " .env",
    ".env ",
    ".env.",
    ".env::$DATA",
    ".g\u200cit/config",
    "GIT~1/config",
    "src\\..\\.env",
    "C:\\work\\.env",
    "a\\.git\\config",
    ".git/x\\..\\..\\y",
    "file:///project/.env",
    "file:///project/%2Eenv",
    "@.env",
  ));
});

Deno.test("dots are taken out before names are compared", async () => {
  await assertBlocked(
    writes("src/../.env", "a/b/../../.git/./config", "/../../x/.env", "./././.env"),
  );
  await assertFree(writes(".git/../readme", "node_modules/../src/a.ts", ".env/../x"));
});

Deno.test("a pattern is matched by names alone where links do not matter", () => {
  assertEquals(protectingPattern("a/.env"), ".env");
  assertEquals(protectingPattern("a.txt"), undefined);
  assertEquals(protectingPattern("config", {}, "/home/bob/.ssh"), ".ssh");
  assertEquals(protectingPattern("/srv/data/x", { protect: ["/srv/data"] }), "/srv/data");
  assertEquals(protectingPattern("/x/srv/data/y", { protect: ["/srv/data"] }), undefined);
  assertEquals(protectingPattern("data/y", { protect: ["/srv/data"] }, "/srv"), "/srv/data");
  assertEquals(protectingPattern("C:\\Data\\x", { protect: ["C:/data"] }), "C:/data");
});

// ---- Tools and fields --------------------------------------------------------------------------

Deno.test("the writing tools of all agents are seen, by any of their field names", async () => {
  await assertBlocked([
    ["write", { path: ".env" }],
    ["Write", { file_path: ".env", content: "" }],
    ["edit", { filePath: ".env" }],
    ["Edit", { file_path: ".env", old_string: "a", new_string: "b" }],
    ["edit", { edits: [{ path: "a.ts" }, { path: ".env" }] }],
    ["multi_edit", { edits: [{ path: ".env" }] }],
    ["MultiEdit", { file_path: ".env", edits: [] }],
    ["edit", { input: "[.env#5BF9]\n+A=1" }],
    ["edit", { input: "[a.ts#1A2B]\n=1\n[.env#5BF9]\n=2" }],
    ["edit", { edits: [{ old_text: "a", new_text: "b" }], input: ".env" }],
    ["notebook_edit", { notebook_path: ".git/x.ipynb" }],
    ["NotebookEdit", { notebookPath: ".git/x.ipynb" }],
    ["write_file", { file_path: ".env" }],
    ["replace", { file_path: ".env" }],
    ["write_to_file", { path: ".env" }],
    ["create", { path: ".env", file_text: "" }],
    ["create_file", { filePath: ".env" }],
    ["apply_diff", { path: ".env" }],
    ["edit_file", { target_file: ".env" }],
    ["write_to_file", { TargetFile: ".env", CodeContent: "" }],
    ["delete_file", { targetFile: ".env" }],
    ["move_file", { source: ".env", destination: "x" }],
    ["rename", { from: "x", to: ".env" }],
    ["copyFile", { src: "x", dest: ".env" }],
    ["fs_write", { command: "create", path: ".env" }],
    ["str_replace_based_edit_tool", { command: "str_replace", path: ".env" }],
    ["text_editor", { command: "insert", path: ".env" }],
    ["mcp__fs__write_file", { path: ".env" }],
    ["mcp_fs_edit_file", { path: ".env" }],
    ["serena/replace_symbol_body", { relative_path: ".git/x" }],
    ["write_files", { files: [{ path: "a" }, { path: ".env", content: "" }] }],
    ["write_files", { files: [".env"] }],
    ["write_files", { files: { ".env": "A=1" } }],
    ["delete", { paths: ["a", ".env"] }],
    ["update", { change: { target: { uri: "file:///project/.env" } } }],
  ]);
});

Deno.test("reading is free", async () => {
  await assertFree([
    ["read", { path: ".env" }],
    ["Read", { file_path: ".env" }],
    ["read_file", { path: ".git/config" }],
    ["grep", { pattern: "x", path: "node_modules" }],
    ["ls", { path: ".ssh" }],
    ["view", { path: ".env" }],
    ["NotebookRead", { notebook_path: ".git/x.ipynb" }],
    ["str_replace_based_edit_tool", { command: "view", path: ".env" }],
    ...shell("cat .env", "cp .env /tmp/copy", "source .env", "grep -r x node_modules", "ls < .env"),
  ]);
});

Deno.test("a tool that writes does not become one that reads by a word in its arguments", async () => {
  await assertBlocked([["write", { path: ".env", command: "view", mode: "read" }]]);
});

Deno.test("what a tool writes into a file is not taken for a path", async () => {
  await assertFree([
    ["write", { path: "a.md", content: ".env" }],
    ["edit", { path: "a.md", oldText: "*** Update File: .env", newText: ".env" }],
    ["write", { path: "a.json", content: { path: ".env" } }],
    ["todo_write", { todos: [{ content: "change .env", status: "open" }] }],
    ["create_issue", { title: ".env", body: "*** Update File: .env" }],
  ]);
});

Deno.test("the paths in a patch are seen", async () => {
  const patch = (...lines: string[]): string =>
    ["*** Begin Patch", ...lines, "@@", "-a", "+b", "*** End Patch"].join("\n");
  await assertBlocked([
    ["apply_patch", { input: patch("*** Update File: .env") }],
    ["apply_patch", { command: patch("*** Add File: src/.env") }],
    ["apply_patch", { patch: patch("*** Delete File: .git/config") }],
    ["apply_patch", { input: patch("*** Update File: a", "*** Move to: .env") }],
    ["apply_patch", { command: ["apply_patch", patch("*** Update File: .env")] }],
    ["apply_patch", { input: patch("*** Update File: .env").replaceAll("\n", "\r\n") }],
    ["patch", { diff: "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-a\n+b\n" }],
    ["patch", { diff: "--- /dev/null\n+++ b/.env\t2025-01-01\n@@ -0,0 +1 @@\n+b\n" }],
    ["patch", { diff: '--- "a/.e\\156v"\n+++ "b/.e\\156v"\n' }],
    ["patch", { diff: "diff --git a/x b/.env\nrename from x\nrename to .env\n" }],
    ...shell(`apply_patch <<'EOF'\n${patch("*** Update File: .env")}\nEOF`),
    ["shell", { command: ["apply_patch", patch("*** Update File: .env")] }],
  ]);
  await assertFree([
    ["apply_patch", { input: patch("*** Update File: a.ts", "+*** Update File: .env") }],
    ["patch", { diff: "--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1 @@\n--- .env\n a\n" }],
  ]);
});

// ---- Shell commands ----------------------------------------------------------------------------

Deno.test("plain redirects and writing commands of a shell are seen", async () => {
  await assertBlocked(shell(
    "echo x > .env",
    "echo x >.env",
    "echo x >> .env",
    "echo x >| .env",
    "echo x 1> .env",
    "ls &> .env",
    "> .env",
    "echo x > '.env'",
    'echo x > ".e"nv',
    "echo x > .e\\nv",
    "cat > .env <<EOF\nA=1\nEOF",
    "tee .env",
    "echo x | tee -a log .env",
    "echo x | sudo -u bob tee /srv/.env",
    "touch .env",
    "truncate -s 0 .env",
    "rm .env",
    "rm -rf .git",
    "mv .env old",
    "mv new .env",
    "cp new .env",
    "cp ../.env .",
    "cp -t .git/hooks pre-commit",
    "cp hook .git/hooks/",
    "cp x node_modules",
    "ln -s /tmp/x .env",
    "install -m 600 new .env",
    "sed -i 's/a/b/' .env",
    "sed -i.bak -e 's/a/b/' .env",
    "sed -i '' 's/a/b/' .env",
    "perl -pi -e 's/a/b/' .env",
    "dd if=x of=.env",
    "A=1 env B=2 touch .env",
    "if true; then echo x > .env; fi",
    "{ echo x; } > .env",
    "(cd src && echo x > .env)",
    "cd .git && echo x > config",
    "cd .git\nrm config",
    "bash -lc 'echo x > .env'",
    "eval 'echo x > .env'",
    "cat <<A\nit's\nA\necho x > .env",
    "echo $(date) > .env",
    "Set-Content -Path .env -Value x",
  ));
  await assertBlocked([
    ["exec_command", { cmd: "echo x > .env" }],
    ["shell", { command: ["bash", "-lc", "echo x > .env"] }],
    ["shell", { command: ["tee", ".env"] }],
  ]);
});

Deno.test("shell text that only mentions such a write passes", async () => {
  await assertFree(shell(
    "echo 'x > .env'",
    'echo "tee .env"',
    "echo x # > .env",
    "echo x \\> .env",
    "git commit -m 'write > .env'",
    "cat <<EOF > notes\n> .env\ntee .env\nEOF",
    "cat <<-'EOF'\n\techo > .env\n\tEOF",
    "grep 'a' < .env > out",
    "sed -i 's/.env/.env.local/' README.md",
    "sed 's/a/b/' .env",
    "cat <<< '.env' > out",
    "(cd .git && ls); echo x > out",
    "cd .git; cd -; echo x > out",
    "ls 2>&1 >/dev/null",
    "echo x > .env.example",
    "tee notes.md < .env",
    "env",
    "bash -c",
    "cp a b c/",
  ));
});

Deno.test("a long shell command is read, to its end", () => {
  for (const filler of ["a", "a ", "'a' ", "(", "$(", "> x ", "a\n", "# a\n", "\\", "cd a; > x;"]) {
    const text = `echo ${filler.repeat(200_000 / filler.length)}`;
    writtenPaths("bash", { command: text });
  }
  const long = `cat > out <<'END'\n${"some text\n".repeat(100_000)}END\necho x > .env`;
  assertEquals(writtenPaths("bash", { command: long }).paths, ["out", ".env"]);
});

// ---- Links -------------------------------------------------------------------------------------

Deno.test("a link to a protected file is as protected as the file", async () => {
  await using dir = await tempDir();
  await dir.write(".env", "A=1");
  await dir.write(".git/config", "");
  await dir.write("src/a.ts", "");
  await Deno.symlink(".env", dir.file("ok.txt"));
  await Deno.symlink(dir.file(".env"), dir.file("src/absolute.txt"));
  await Deno.symlink("ok.txt", dir.file("twice.txt"));
  await Deno.symlink(".git", dir.file("folder"));
  await Deno.symlink("src", dir.file("free"));
  const reason = await blockReason(["write", { path: "ok.txt" }], { cwd: dir.path });
  assertEquals(
    reason,
    `protected-paths: "ok.txt" leads to "${dir.file(".env")}", which is protected (.env). ` +
      "Leave it, or ask the person to change it.",
  );
  await assertBlocked(
    [
      ...writes("./ok.txt", dir.file("ok.txt"), "twice.txt", "src/absolute.txt"),
      ...writes("folder/config", "folder/new", "src/../folder/config", "free/../ok.txt"),
      ...shell("echo x > ok.txt", "cd src && tee absolute.txt"),
    ],
    dir.path,
  );
  await assertFree(writes("src/a.ts", "free/a.ts", "free/new/b.ts", "new/c.ts"), dir.path);
});

Deno.test("a link to a protected file that does not exist yet is seen", async () => {
  await using dir = await tempDir();
  await Deno.symlink(".env", dir.file("ok.txt"));
  await Deno.symlink("missing/.git", dir.file("folder"));
  await assertBlocked(writes("ok.txt", "folder/config"), dir.path);
});

Deno.test("dots behind a link mean what they mean to the system, and what they mean to a tool", async () => {
  await using dir = await tempDir();
  await dir.write(".ssh/keys/a", "");
  await dir.write("work/config", "");
  await Deno.symlink("../.ssh/keys", dir.file("work/link"));
  // The system leads it to .ssh/config, a tool that takes dots out first to work/config.
  await assertBlocked(writes("link/../config"), dir.file("work"));
  await Deno.symlink("../work", dir.file(".ssh/out"));
  await assertFree(writes("config", "../work/config"), dir.file("work"));
});

Deno.test("a working folder that is a link into a protected one is seen", async () => {
  await using dir = await tempDir();
  await dir.write(".ssh/config", "");
  await Deno.symlink(".ssh", dir.file("work"));
  await assertBlocked(writes("config"), dir.file("work"));
});

Deno.test("links that go round in a circle, and names that no file can have, are blocked", async () => {
  await using dir = await tempDir();
  await Deno.symlink("b", dir.file("a"));
  await Deno.symlink("a", dir.file("b"));
  const circle = await blockReason(["write", { path: "a" }], { cwd: dir.path });
  assertStringIncludes(circle ?? "", "its links go round in a circle");
  const zero = await blockReason(["write", { path: "x\0.txt" }], { cwd: dir.path });
  assertStringIncludes(zero ?? "", 'it cannot be told where "x<U+0000>.txt" leads');
  const long = await blockReason(["write", { path: "a/".repeat(6000) }], { cwd: dir.path });
  assertStringIncludes(long ?? "", "is too long to be judged");
});

Deno.test("a file in the place of a folder is no reason to block", async () => {
  await using dir = await tempDir();
  await dir.write("file", "");
  await assertFree(writes("file/x", "file/../y"), dir.path);
});

Deno.test("the home folder is followed too", async () => {
  await using dir = await tempDir();
  await dir.write("home/.ssh/x", "");
  await Deno.symlink(".ssh", dir.file("home/innocent"));
  const script = await dir.write(
    "try.ts",
    `import guard from ${JSON.stringify(`file://${readyMadePath("protected-paths")}`)};\n` +
      `guard({ on: async (_name, handler) => console.log(JSON.stringify(await handler(\n` +
      `  { toolName: "write", input: { path: "~/innocent/x" } },\n` +
      `  { cwd: "/", hasUI: false })) ?? "passed") });\n`,
  );
  const { stdout, stderr } = await runDeno(["run", "--no-check", script], {
    env: { HOME: dir.file("home") },
  });
  assertEquals(stderr, "");
  assertStringIncludes(stdout, `leads to \\"${dir.file("home/.ssh/x")}\\"`);
});

// ---- Permissions -------------------------------------------------------------------------------

Deno.test("where Deno may not look, it blocks, names the flag and asks nobody", async () => {
  await using dir = await tempDir();
  await dir.write("project/.env", "");
  await Deno.symlink(".env", dir.file("project/ok.txt"));
  await Deno.symlink("/etc/hosts", dir.file("project/out.txt"));
  const copy = await dir.write(
    "hook/guard.ts",
    await Deno.readTextFile(readyMadePath("protected-paths")),
  );
  const script = await dir.write(
    "hook/try.ts",
    `import guard from ${JSON.stringify(copy)};\n` +
      `guard({ on: async (_name, handler) => {\n` +
      `  for (const path of ["src/a.ts", "ok.txt", "out.txt", "/etc/x", ".env"]) {\n` +
      `    const ctx = { cwd: ${JSON.stringify(dir.file("project"))}, hasUI: false };\n` +
      `    const answer = await handler({ toolName: "write", input: { path } }, ctx);\n` +
      `    console.log(answer?.reason ?? "passed");\n` +
      `  }\n` +
      `} });\n`,
  );
  const run = async (...permissions: string[]): Promise<string[]> => {
    const { stdout, stderr } = await runDeno(["run", "--no-check", script], {
      permissions,
      config: null,
    });
    assertEquals(stderr, "");
    return stdout.trim().split("\n");
  };
  const [free, link, out, outside, direct] = await run(`--allow-read=${dir.file("project")}`);
  assertEquals(free, "passed");
  assertStringIncludes(link, "which is protected (.env)");
  assertStringIncludes(out, '"/etc" may not be read (--allow-read)');
  assertStringIncludes(outside, '"/etc" may not be read (--allow-read)');
  assertStringIncludes(direct, '".env" is protected (.env)');
  for (const line of (await run()).slice(0, 4)) assertStringIncludes(line, "--allow-read");
});

// ---- Options -----------------------------------------------------------------------------------

function guardOf(options: ProtectedPathsOptions): LoadedHook[] {
  return [hookFrom(createProtectedPaths(options))];
}

async function assertGuard(
  options: ProtectedPathsOptions,
  blocked: readonly string[],
  free: readonly string[],
): Promise<void> {
  const hooks = guardOf(options);
  for (const path of blocked) {
    assert(await blockReason(["write", { path }], { hooks }) !== undefined, path);
  }
  for (const path of free) {
    assertEquals(await blockReason(["write", { path }], { hooks }), undefined, path);
  }
}

Deno.test("protect adds names, paths, places and what is inside a folder", async () => {
  await assertGuard(
    { protect: ["secrets", "db/migrations/", "/srv/data", "*.lock", "a+b(c"] },
    ["secrets", "x/secrets/y", "db/migrations/1.sql", "app/db/migrations/2.sql", "/srv/data/x"]
      .concat(["/srv/data", "deno.lock", "SECRETS/x", "a+b(c", ".env"]),
    ["secrets.md", "db/migrations", "db/x", "/x/srv/data", "lock", "aab(c"],
  );
});

Deno.test("allow opens what it covers, and nothing else", async () => {
  await assertGuard(
    { allow: [".env.test", "node_modules/mine", "/project/.npmrc", "keys/*.pem"] },
    [".git/.env.test", "node_modules/other/x", "sub/.npmrc", "a.pem", ".env", ".ssh/keys/a.pem"],
    [".env.test", "node_modules/mine/x", "/project/.npmrc", ".npmrc", "keys/a.pem"],
  );
  await assertGuard({ allow: ["node_modules/"] }, [".env"], ["node_modules/a/b"]);
});

Deno.test("an exception counts letters of another case only where the disk does", async () => {
  const isBlind = Deno.build.os === "darwin" || Deno.build.os === "windows";
  const reason = await blockReason(["write", { path: ".Env.Test" }], {
    hooks: guardOf({ allow: [".env.test"] }),
  });
  assertEquals(reason === undefined, isBlind);
});

Deno.test("a pattern that is none is refused when the hook is made", () => {
  for (const pattern of ["", " ", "/", "*", "..", "~/x", 5, null]) {
    const options = { protect: [pattern] } as unknown as ProtectedPathsOptions;
    assertThrows(() => createProtectedPaths(options), TypeError, '"protect" takes names and paths');
  }
});

// ---- The answer --------------------------------------------------------------------------------

Deno.test("the reason shows the path, with hidden characters written out", async () => {
  assertEquals(
    await blockReason(["write", { path: "src/../.env" }]),
    'protected-paths: "src/../.env" is protected (.env). Leave it, or ask the person to change it.',
  );
  const reason = await blockReason(["write", { path: "\x1b[2K/\u202e.git/x" }]);
  assertStringIncludes(reason ?? "passed", "<U+001B>[2K/<U+202E>.git/x");
});

Deno.test("a person is told, and nobody is asked", async () => {
  const ui = fakeUI();
  const reason = await blockReason(["write", { path: ".env" }], { ui });
  assertEquals(ui.notices, [{ message: reason ?? "", type: "warning" }]);
  assertEquals(ui.dialogs, []);
});

// ---- Odd calls ---------------------------------------------------------------------------------

Deno.test("a call that names no path passes", async () => {
  await assertFree([
    ["edit", { path: undefined, oldText: "a" }],
    ["edit", { path: null }],
    ["edit", {}],
    ["write", { content: "x" }],
    ["write", { path: "" }],
    ["bash", {}],
    ["bash", { command: 5 }],
  ]);
});

Deno.test("a path that is no text is blocked, and the reason names the field", async () => {
  for (const path of [["a"], 5, true, {}, { path: "a" }]) {
    const reason = await blockReason(["edit", { path }]);
    assertStringIncludes(
      reason ?? "passed",
      'it cannot be told what is written: "path" is not text',
    );
  }
  const reason = await blockReason(["delete", { paths: ["a", 5] }]);
  assertStringIncludes(reason ?? "passed", '"paths" holds something that is not text');
});

Deno.test("arguments without end are blocked", async () => {
  let deep: Record<string, unknown> = { path: "a" };
  for (let i = 0; i < 50; i++) deep = { x: deep };
  assertStringIncludes(await blockReason(["write", deep]) ?? "", "too large to look through");
  const wide = { list: Array.from({ length: 50_000 }, () => ({ path: "a" })) };
  assertStringIncludes(await blockReason(["write", wide]) ?? "", "too large to look through");
});

Deno.test("a call that writes thousands of files is blocked", async () => {
  const paths = Array.from({ length: 6000 }, (_, index) => `${index}.txt`);
  for (const call of [["delete", { paths }], ...shell(`rm ${paths.join(" ")}`)] as Call[]) {
    assertStringIncludes(await blockReason(call) ?? "passed", "6000 files, too many");
  }
});

Deno.test("no call makes it throw", () => {
  for (const tool of ["write", "bash", "", undefined, null, 5]) {
    for (
      const input of [undefined, null, 5, "x", [], [null], { path: Symbol("x") }, { files: [[[]]] }]
    ) {
      writtenPaths(tool, input);
    }
  }
  const random = seededRandom(5);
  const pieces = [
    ..."'\"`$(){}<>|&;#\\ \n\t=-.~",
    "<<",
    ">>",
    "EOF",
    "cd",
    "tee",
    ".env",
    "sed -i ",
    "bash -c ",
  ];
  for (let round = 0; round < 5000; round++) {
    let command = "";
    for (let i = 0; i < 12; i++) command += pick(random, pieces);
    const { problems } = writtenPaths("bash", { command });
    assertEquals(problems, []);
    for (const path of writtenPaths("bash", { command }).paths) protectingPattern(path);
  }
});

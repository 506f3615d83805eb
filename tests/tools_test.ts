/**
 * The tools that come with the package, on real files and programs.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import type { KnownToolName, KnownTools } from "../src/events/tool.ts";
import type { AgentToolResult } from "../src/ports.ts";
import {
  createBashTool,
  createEditTool,
  createFindTool,
  createGrepTool,
  createReadTool,
  createTools,
  createWriteTool,
} from "../src/deno/tools/mod.ts";
import { checkArguments } from "../src/tool_arguments.ts";
import { runDeno, type TempDir, tempDir, textOf } from "./helpers.ts";

const isWindows = Deno.build.os === "windows";
const isRoot = !isWindows && Deno.uid() === 0;

const MAKERS = {
  bash: createBashTool,
  read: createReadTool,
  write: createWriteTool,
  edit: createEditTool,
  grep: createGrepTool,
  find: createFindTool,
};

/** Calls a tool that works in the folder. */
function call<N extends KnownToolName>(
  dir: TempDir,
  name: N,
  input: KnownTools[N]["input"],
  signal?: AbortSignal,
): Promise<AgentToolResult<KnownTools[N]["details"]>> {
  const tool = MAKERS[name](dir.path, { home: dir.file("home") });
  return (tool.execute as (
    id: string,
    input: KnownTools[N]["input"],
    signal?: AbortSignal,
  ) => Promise<AgentToolResult<KnownTools[N]["details"]>>)("call-1", input, signal);
}

/** The text that a tool answers. */
async function answer<N extends KnownToolName>(
  dir: TempDir,
  name: N,
  input: KnownTools[N]["input"],
): Promise<string> {
  return textOf(await call(dir, name, input));
}

/** The message of a call that fails. */
async function failure<N extends KnownToolName>(
  dir: TempDir,
  name: N,
  input: KnownTools[N]["input"],
  signal?: AbortSignal,
): Promise<string> {
  return (await assertRejects(() => call(dir, name, input, signal), Error)).message;
}

/** A signal that fires when it is looked at for the nth time. */
function abortAtLook(count: number): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  let looks = 0;
  Object.defineProperty(signal, "aborted", {
    get() {
      looks++;
      if (looks === count) controller.abort();
      return looks >= count;
    },
  });
  return signal;
}

function namesIn(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
}

function toolTest(name: string, body: (dir: TempDir) => Promise<void>, ignore = false): void {
  Deno.test({
    name,
    ignore,
    async fn() {
      await using dir = await tempDir();
      await body(dir);
    },
  });
}

function posixTest(name: string, body: (dir: TempDir) => Promise<void>): void {
  toolTest(name, body, isWindows);
}

// All tools

Deno.test("tools: there are six, in a fixed order, each with label, description and schema", () => {
  const tools = createTools("/work");
  assertEquals(tools.map(({ name }) => name), ["bash", "read", "write", "edit", "grep", "find"]);
  for (const { label, description, parameters } of tools) {
    assert(label !== undefined && label !== "" && description.length > 20);
    assertEquals(JSON.parse(JSON.stringify(parameters)), parameters);
  }
});

const RIGHT_INPUTS: { [N in KnownToolName]: KnownTools[N]["input"][] } = {
  bash: [{ command: "ls" }, { command: "ls", timeout: 0.5 }],
  read: [{ path: "a" }, { path: "a", offset: 1, limit: 1 }],
  write: [{ path: "a", content: "" }],
  edit: [
    { path: "a", oldText: "a", newText: "" },
    { path: "a", edits: [{ oldText: "a", newText: "b" }] },
  ],
  grep: [
    { pattern: "a" },
    {
      pattern: "a",
      path: ".",
      glob: "*",
      ignoreCase: true,
      literal: false,
      context: 0,
      limit: 1,
    },
  ],
  find: [{ pattern: "*" }, { pattern: "*", path: ".", limit: 1 }],
};

for (const tool of createTools("/work")) {
  Deno.test(`tools: the schema of ${tool.name} takes what the tool takes, and nothing else`, () => {
    for (const input of RIGHT_INPUTS[tool.name as KnownToolName]) {
      assertEquals(checkArguments(tool, input), { ok: true, args: input });
      for (const field of Object.keys(input)) {
        assertFalse(checkArguments(tool, { ...input, [field]: null }).ok, field);
      }
      assertFalse(checkArguments(tool, { ...input, cwd: "/" }).ok);
    }
    assertFalse(checkArguments(tool, {}).ok);
  });

  Deno.test(`tools: ${tool.name} checks its arguments itself, too`, async () => {
    const error = await assertRejects(() => tool.execute("call-1", { nothing: true }), Error);
    assertStringIncludes(error.message, `The arguments of "${tool.name}" do not fit: `);
  });

  Deno.test(`tools: ${tool.name} does not begin after its signal has fired`, async () => {
    await using dir = await tempDir();
    const [own] = createTools(dir.path).filter(({ name }) => name === tool.name);
    const input = { ...RIGHT_INPUTS[own.name as KnownToolName][0] };
    const error = await assertRejects(
      () => own.execute("call-1", input, AbortSignal.abort()),
      DOMException,
      `The call of ${own.name} was aborted`,
    );
    assertEquals(error.name, "AbortError");
    assertEquals(namesIn(dir.path), []);
  });
}

// Paths

toolTest("paths: ~ is the home folder, ./~ is a name", async (dir) => {
  await dir.write("home/a.txt", "at home");
  await dir.write("~/a.txt", "here");
  assertEquals(await answer(dir, "read", { path: "~/a.txt" }), "at home");
  assertEquals(await answer(dir, "read", { path: "./~/a.txt" }), "here");
});

toolTest("paths: an absolute path is used as it is", async (dir) => {
  const path = await dir.write("a.txt", "text");
  assertEquals(await answer(dir, "read", { path }), "text");
});

toolTest("paths: blanks and special characters are part of the name", async (dir) => {
  for (const name of [" a ", "a#b", "100%", "a?b", "[x]", "é", "$HOME"]) {
    await call(dir, "write", { path: name, content: name });
    assertEquals(Deno.readTextFileSync(dir.file(name)), name);
    assertEquals(await answer(dir, "read", { path: name }), name);
  }
});

const WRONG_PATHS: [path: string, message: RegExp][] = [
  ["", /the path is empty/],
  ["a\0b", /NUL byte/],
  ["~other/a", /not looked up/],
  ["file:///etc/hosts", /is a URL: write the path/],
  ["https://a.example/b", /is a URL: write the path/],
];
for (const [path, message] of WRONG_PATHS) {
  toolTest(`paths: ${JSON.stringify(path)} is refused by all that take a path`, async (dir) => {
    assertMatch(await failure(dir, "read", { path }), message);
    assertMatch(await failure(dir, "write", { path, content: "" }), message);
    assertMatch(await failure(dir, "edit", { path, oldText: "a", newText: "b" }), message);
    assertMatch(await failure(dir, "grep", { pattern: "a", path }), message);
    assertMatch(await failure(dir, "find", { pattern: "a", path }), message);
    assertEquals(namesIn(dir.path), []);
  });
}

toolTest("paths: what Deno may not do is an error with the flag, never a question", async (dir) => {
  await dir.write("a.txt", "text");
  const script = await dir.write(
    "run.ts",
    `import { createTools } from ${JSON.stringify(new URL("../mod.ts", import.meta.url).href)};
    const tools = createTools(${JSON.stringify(dir.path)}, { home: "/" });
    const inputs = [{ command: "ls" }, { path: "a.txt" }, { path: "b.txt", content: "" },
      { path: "a.txt", oldText: "x", newText: "b" }, { pattern: "a" }, { pattern: "*" }];
    for (const [index, tool] of tools.entries()) {
      await tool.execute("c", inputs[index]).catch((error) => console.log(error.message));
    }`,
  );
  const run = async (...permissions: string[]): Promise<string[]> =>
    (await runDeno(["run", script], { permissions: ["--no-prompt", ...permissions] }))
      .stdout.trim().split("\n");
  const [bash, ...others] = await run();
  assertMatch(bash, /--allow-run=sh/);
  assertEquals(others.length, 5);
  for (const line of others) assertMatch(line, /add --allow-read=/);
  // To replace a file, its folder has to be open, too.
  const file = `--allow-write=${dir.file("a.txt")}`;
  const lines = await run("--allow-run", `--allow-read=${dir.path}`, file);
  const flag = `add --allow-write=${dir.path} to the deno command`;
  assertEquals(lines.map((line) => line.endsWith(flag)), [true, true], lines.join("\n"));
});

// bash

posixTest("bash: the output is standard output, then standard error", async (dir) => {
  const result = await call(dir, "bash", {
    command: "echo one; echo two >&2; echo three",
  });
  assertEquals(textOf(result), "one\nthree\ntwo");
  assertEquals(result.details, { exitCode: 0 });
});

posixTest("bash: standard error begins on a new line", async (dir) => {
  assertEquals(await answer(dir, "bash", { command: "printf one; printf two >&2" }), "one\ntwo");
});

posixTest("bash: no output is said in words", async (dir) => {
  assertEquals(await answer(dir, "bash", { command: "true" }), "(no output)");
});

posixTest("bash: it runs in the working directory, without input", async (dir) => {
  assertEquals(await answer(dir, "bash", { command: "pwd; cat" }), dir.path);
});

posixTest("bash: what only a real bash knows works where there is one", async (dir) => {
  const hasBash = await new Deno.Command("sh", { args: ["-c", "command -v bash"] }).output();
  if (!hasBash.success) return;
  assertEquals(await answer(dir, "bash", { command: "a=(x y); echo ${a[1]}" }), "y");
});

posixTest("bash: without bash the command runs in sh", async (dir) => {
  const sh = (await new Deno.Command("sh", { args: ["-c", "command -v sh"] }).output()).stdout;
  await Deno.mkdir(dir.file("bin"));
  await Deno.symlink(new TextDecoder().decode(sh).trim(), dir.file("bin/sh"));
  const script = await dir.write(
    "run.ts",
    `import { createTools } from ${JSON.stringify(new URL("../mod.ts", import.meta.url).href)};
    const [bash] = createTools(${JSON.stringify(dir.path)});
    const { content } = await bash.execute("c", { command: "echo $0" });
    console.log(content[0].text);`,
  );
  const { stdout, stderr } = await runDeno(["run", script], { env: { PATH: dir.file("bin") } });
  assertMatch(stdout.trim(), /(?:^|\/)sh$/, stderr);
});

posixTest("bash: an exit code that is not 0 is an error with output and code", async (dir) => {
  assertEquals(
    await failure(dir, "bash", { command: "echo out; echo err >&2; exit 3" }),
    "out\nerr\n\nCommand exited with code 3",
  );
  assertEquals(await failure(dir, "bash", { command: "exit 1" }), "Command exited with code 1");
});

posixTest("bash: a working directory that is gone is an error that says so", async (dir) => {
  const tool = createBashTool(dir.file("gone"));
  const error = await assertRejects(() => tool.execute("c", { command: "ls" }), Error);
  assertStringIncludes(error.message, "the working directory does not exist");
});

posixTest("bash: the time limit keeps the output and says how long it was", async (dir) => {
  assertEquals(
    await failure(dir, "bash", { command: "echo begun; sleep 60", timeout: 0.3 }),
    "begun\n\nCommand timed out after 0.3 seconds",
  );
});

posixTest("bash: the time limit of the options counts where the call names none", async (dir) => {
  const tool = createBashTool(dir.path, { bashTimeoutSeconds: 0.2 });
  const error = await assertRejects(() => tool.execute("c", { command: "sleep 60" }), Error);
  assertEquals(error.message, "Command timed out after 0.2 seconds");
  const { details } = await tool.execute("c", { command: "true", timeout: 60 });
  assertEquals(details, { exitCode: 0, timeoutSeconds: 60 });
});

posixTest("bash: a command that itself ends with 124 has not timed out", async (dir) => {
  assertEquals(await failure(dir, "bash", { command: "exit 124" }), "Command exited with code 124");
});

posixTest("bash: the signal stops a running command and keeps its output", async (dir) => {
  await new Deno.Command("mkfifo", { args: [dir.file("fifo")] }).output();
  const controller = new AbortController();
  const command = "echo begun; echo ready > fifo; sleep 60";
  const running = failure(dir, "bash", { command }, controller.signal);
  // Reading from the pipe ends when the command has written into it.
  await Deno.readTextFile(dir.file("fifo"));
  controller.abort();
  assertEquals(await running, "begun\n\nCommand aborted");
});

posixTest("bash: of many lines the first and the last stay", async (dir) => {
  const { content, details } = await call(dir, "bash", { command: "seq 1 5000" });
  const lines = textOf({ content }).split("\n");
  assertEquals(lines.length, 2001);
  assertEquals([lines[0], lines[999], lines[1001], lines[2000]], ["1", "1000", "4001", "5000"]);
  assertMatch(lines[1000], /^\[… 3000 lines, \d+ bytes left out …\]$/);
  const { truncation } = details?.meta ?? {};
  assertEquals(truncation?.truncatedBy, "lines");
  assertEquals([truncation?.totalLines, truncation?.outputLines], [5000, 2000]);
  assertEquals(truncation?.totalBytes, 23892);
});

posixTest("bash: of many bytes whole lines at the beginning and at the end stay", async (dir) => {
  const command = "for i in $(seq 1 1500); do printf '%05d %0100d\\n' $i 0; done";
  const { content, details } = await call(dir, "bash", { command });
  const lines = textOf({ content }).split("\n");
  const mark = lines.findIndex((line) => line.startsWith("[… "));
  assertEquals(lines.filter((_, at) => at !== mark && lines[at].length !== 106), []);
  assertEquals([lines[0].slice(0, 5), lines.at(-1)?.slice(0, 5)], ["00001", "01500"]);
  assertEquals([mark, lines.length - mark - 1], [239, 239]);
  assertEquals(details?.meta?.truncation?.truncatedBy, "bytes");
  assert((details?.meta?.truncation?.outputBytes ?? Infinity) <= 50 * 1024);
});

posixTest("bash: one very long line is cut between characters", async (dir) => {
  const command = "for i in $(seq 1 3000); do printf '€€€€€€€€€€'; done";
  const text = await answer(dir, "bash", { command });
  const [head, mark, tail, ...rest] = text.split("\n");
  assertEquals(rest, []);
  assertMatch(head, /^€{8000,}$/);
  assertMatch(tail, /^€{8000,}$/);
  assertEquals(mark, `[… ${90000 - 3 * (head.length + tail.length)} bytes left out …]`);
});

posixTest("bash: a failure with a long output is cut as well", async (dir) => {
  const message = await failure(dir, "bash", { command: "seq 1 100000; exit 9" });
  assert(message.length < 52 * 1024, `${message.length}`);
  assertMatch(message, /^1\n2\n/);
  assertMatch(message, /\n100000\n\nCommand exited with code 9$/);
});

// read

toolTest("read: a whole file comes as it is", async (dir) => {
  await dir.write("a.txt", "one\r\ntwo\n\nthree");
  const { content, details } = await call(dir, "read", { path: "a.txt" });
  assertEquals(content, [{ type: "text", text: "one\r\ntwo\n\nthree" }]);
  assertEquals(details, { kind: "file", resolvedPath: dir.file("a.txt") });
});

toolTest("read: an empty file is said to be empty", async (dir) => {
  await dir.write("a.txt", "");
  assertEquals(await answer(dir, "read", { path: "a.txt" }), "(the file is empty)");
});

toolTest("read: a byte order mark is not part of the text", async (dir) => {
  await dir.write("a.txt", "\uFEFFone");
  assertEquals(await answer(dir, "read", { path: "a.txt" }), "one");
});

const RANGES: [offset: number | undefined, limit: number | undefined, text: string][] = [
  [1, 5, "1\n2\n3\n4\n5\n"],
  [1, 9, "1\n2\n3\n4\n5\n"],
  [5, undefined, "5\n"],
  [2, 2, "2\n3\n\n[Lines 2 to 3 of 5: read on with offset=4]"],
  [undefined, 1, "1\n\n[Lines 1 to 1 of 5: read on with offset=2]"],
  [4, 2, "4\n5\n"],
];
for (const [offset, limit, text] of RANGES) {
  toolTest(
    `read: lines from ${offset ?? "the beginning"}, limit ${limit ?? "none"}`,
    async (dir) => {
      await dir.write("a.txt", "1\n2\n3\n4\n5\n");
      assertEquals(await answer(dir, "read", { path: "a.txt", offset, limit }), text);
    },
  );
}

toolTest("read: the last line needs no line feed to count", async (dir) => {
  await dir.write("a.txt", "1\n2");
  assertEquals(await answer(dir, "read", { path: "a.txt", offset: 2 }), "2");
  assertMatch(await failure(dir, "read", { path: "a.txt", offset: 3 }), /has 2 lines.*offset 3/);
});

toolTest(
  "read: 2000 lines come at once, and the note leads through the whole file",
  async (dir) => {
    const lines = Array.from({ length: 4500 }, (_, index) => `line ${index + 1}\n`);
    await dir.write("a.txt", lines.join(""));
    let text = "";
    let offset: number | undefined = 1;
    const calls: number[] = [];
    while (offset !== undefined) {
      const result: AgentToolResult<KnownTools["read"]["details"]> = await call(dir, "read", {
        path: "a.txt",
        offset,
      });
      calls.push(offset);
      text += textOf(result).replace(/\n\[Lines .*\]$/, "");
      offset = result.details?.meta?.truncation?.nextOffset;
    }
    assertEquals(text, lines.join(""));
    assertEquals(calls, [1, 2001, 4001]);
  },
);

toolTest("read: 50 kB come at once, in whole lines", async (dir) => {
  const line = "€".repeat(333) + "\n";
  await dir.write("a.txt", line.repeat(120));
  const { content, details } = await call(dir, "read", { path: "a.txt" });
  const shown = line.repeat(51);
  assertEquals(textOf({ content }), `${shown}\n[Lines 1 to 51 of 120: read on with offset=52]`);
  assertEquals(details?.meta?.truncation, {
    direction: "head",
    truncatedBy: "bytes",
    totalLines: 120,
    totalBytes: 120_000,
    outputLines: 51,
    outputBytes: 51_000,
    maxBytes: 51_200,
    shownRange: { start: 1, end: 51 },
    nextOffset: 52,
  });
});

toolTest("read: of a line that is too long only the beginning comes", async (dir) => {
  await dir.write("a.txt", `short\n${"€".repeat(40_000)}\nlast\n`);
  const text = await answer(dir, "read", { path: "a.txt", offset: 2 });
  const [line, , note] = text.split("\n");
  assertMatch(line, /^€+$/);
  assertEquals(line.length, Math.floor(51_200 / 3));
  assertEquals(
    note,
    "[Line 2 is longer than 50 kB, only its beginning is shown: cut it up with bash for the " +
      "rest; read on with offset=3]",
  );
  assertMatch(
    await answer(dir, "read", { path: "a.txt" }),
    /^short\n\n\[Lines 1 to 1 of 3: read on with offset=2\]$/,
  );
});

toolTest("read: lines across the borders of what is read at once stay whole", async (dir) => {
  const lines = Array.from({ length: 30_000 }, (_, index) => `${index}:${"x".repeat(index % 40)}`);
  await dir.write("a.txt", lines.join("\n"));
  for (const offset of [2_700, 15_000, 29_999]) {
    const text = await answer(dir, "read", { path: "a.txt", offset, limit: 300 });
    assertEquals(
      text.split("\n\n[")[0].trimEnd(),
      lines.slice(offset - 1, offset + 299).join("\n"),
    );
  }
});

const PICTURES: [mimeType: string, bytes: number[]][] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1]],
  ["image/jpeg", [0xff, 0xd8, 0xff, 0xe0, 0, 16]],
  ["image/gif", [...new TextEncoder().encode("GIF89a"), 1, 0]],
  ["image/webp", [
    ...new TextEncoder().encode("RIFF"),
    0,
    1,
    2,
    3,
    ...new TextEncoder().encode("WEBP"),
  ]],
];
for (const [mimeType, bytes] of PICTURES) {
  toolTest(`read: ${mimeType} comes as a picture, whatever its name is`, async (dir) => {
    await Deno.writeFile(dir.file("a.txt"), new Uint8Array(bytes));
    const { content, details } = await call(dir, "read", { path: "a.txt" });
    assertEquals(content[1], {
      type: "image",
      data: btoa(String.fromCharCode(...bytes)),
      mimeType,
    });
    assertEquals(details?.contentType, mimeType);
  });
}

toolTest("read: a picture that is too large is refused", async (dir) => {
  const bytes = new Uint8Array(6 * 1024 * 1024);
  bytes.set(PICTURES[0][1]);
  await Deno.writeFile(dir.file("a.png"), bytes);
  assertMatch(await failure(dir, "read", { path: "a.png" }), /picture of 6291456 bytes/);
});

toolTest("read: other binary files are refused, with a way to go on", async (dir) => {
  await Deno.writeFile(dir.file("a.bin"), new Uint8Array([1, 2, 0, 4]));
  const message = await failure(dir, "read", { path: "a.bin" });
  assertMatch(message, /\(4 bytes\) cannot be read as text: it holds NUL bytes/);
  assertMatch(message, /bash/);
});

toolTest("read: a folder and a missing file are errors that say so", async (dir) => {
  await dir.write("src/config.ts", "");
  assertMatch(await failure(dir, "read", { path: "src" }), /is a folder, not a file/);
  assertMatch(await failure(dir, "read", { path: "x/y" }), /There is no file ".*\/x\/y"$/);
  assertEquals(
    await failure(dir, "read", { path: "src/confg.ts" }),
    `There is no file "${dir.file("src/confg.ts")}"; did you mean "${dir.file("src/config.ts")}"?`,
  );
});

posixTest("read: a pipe is refused and not waited for", async (dir) => {
  await new Deno.Command("mkfifo", { args: [dir.file("fifo")] }).output();
  assertMatch(await failure(dir, "read", { path: "fifo" }), /is a pipe, a socket or a device/);
});

toolTest("read: the signal ends the reading of a large file", async (dir) => {
  await dir.write("a.txt", "line\n".repeat(100_000));
  const message = await failure(dir, "read", { path: "a.txt" }, abortAtLook(4));
  assertEquals(message, "The call of read was aborted");
});

// write

toolTest("write: a new file, with its folders, and the number of bytes", async (dir) => {
  assertEquals(
    await answer(dir, "write", { path: "a/b/c.txt", content: "é\n" }),
    "Wrote 3 bytes to a/b/c.txt",
  );
  assertEquals(await Deno.readTextFile(dir.file("a/b/c.txt")), "é\n");
  assertEquals(namesIn(dir.file("a/b")), ["c.txt"]);
});

posixTest("write: a new file has the mode that the system gives new files", async (dir) => {
  await dir.write("other.txt", "");
  await call(dir, "write", { path: "a.txt", content: "" });
  assertEquals(Deno.statSync(dir.file("a.txt")).mode, Deno.statSync(dir.file("other.txt")).mode);
});

posixTest("write: an existing file keeps its mode and is replaced as a whole", async (dir) => {
  await dir.write("a.sh", "old");
  await Deno.chmod(dir.file("a.sh"), 0o4751);
  const before = Deno.statSync(dir.file("a.sh"));
  using reader = await Deno.open(dir.file("a.sh"));
  await call(dir, "write", { path: "a.sh", content: "new and longer" });
  const after = Deno.statSync(dir.file("a.sh"));
  assertEquals((after.mode ?? 0) & 0o7777, 0o4751);
  assertFalse(after.ino === before.ino);
  // Who had the file open still reads the old text, and all of it.
  assertEquals(await new Response(reader.readable).text(), "old");
  assertEquals(namesIn(dir.path), ["a.sh"]);
});

posixTest("write: a link stays a link, its file gets the text", async (dir) => {
  await dir.write("real/a.txt", "old");
  await dir.write("links/x", "");
  await Deno.symlink("../real/a.txt", dir.file("links/a.txt"));
  await call(dir, "write", { path: "links/a.txt", content: "new" });
  assertEquals(await Deno.readLink(dir.file("links/a.txt")), "../real/a.txt");
  assertEquals(await Deno.readTextFile(dir.file("real/a.txt")), "new");
  assertEquals(namesIn(dir.file("real")), ["a.txt"]);
});

posixTest("write: a link to a file that is not there yet makes that file", async (dir) => {
  await Deno.mkdir(dir.file("real/deep"), { recursive: true });
  await Deno.symlink(dir.file("real/deep"), dir.file("folder"));
  // From where the link really is, one folder up is real/, not the folder of the test.
  await Deno.symlink("../new.txt", dir.file("real/deep/a.txt"));
  await call(dir, "write", { path: "folder/a.txt", content: "new" });
  assertEquals(await Deno.readTextFile(dir.file("real/new.txt")), "new");
  assert((await Deno.lstat(dir.file("real/deep/a.txt"))).isSymlink);
});

posixTest("write: links that lead in a circle are an error", async (dir) => {
  await Deno.symlink("b", dir.file("a"));
  await Deno.symlink("a", dir.file("b"));
  assertMatch(await failure(dir, "write", { path: "a", content: "" }), /in a circle/);
  assertEquals(namesIn(dir.path), ["a", "b"]);
});

toolTest("write: a folder, and a file in the place of a folder, are errors", async (dir) => {
  await dir.write("a/b.txt", "old");
  assertMatch(await failure(dir, "write", { path: "a", content: "" }), /is a folder/);
  assertMatch(
    await failure(dir, "write", { path: "a/b.txt/c", content: "" }),
    /a part of the path is a file, not a folder/,
  );
  assertEquals(namesIn(dir.file("a")), ["b.txt"]);
});

toolTest("write: a file that is read-only is not replaced", async (dir) => {
  await dir.write("a.txt", "old");
  await Deno.chmod(dir.file("a.txt"), 0o444);
  assertMatch(
    await failure(dir, "write", { path: "a.txt", content: "new" }),
    /Cannot write ".*": the operating system refuses/,
  );
  assertEquals(await Deno.readTextFile(dir.file("a.txt")), "old");
}, isWindows || isRoot);

toolTest("write: half of a surrogate pair is refused rather than destroyed", async (dir) => {
  await dir.write("a.txt", "old");
  assertMatch(
    await failure(dir, "write", { path: "a.txt", content: "x\ud83d" }),
    /half of a surrogate pair/,
  );
  assertEquals(await Deno.readTextFile(dir.file("a.txt")), "old");
});

toolTest("write: aborted half-way, the file is as it was and nothing is left over", async (dir) => {
  await dir.write("a.txt", "old");
  for (const look of [2, 3]) {
    assertEquals(
      await failure(dir, "write", { path: "a.txt", content: "new" }, abortAtLook(look)),
      "The call of write was aborted",
    );
    assertEquals(await Deno.readTextFile(dir.file("a.txt")), "old");
    assertEquals(namesIn(dir.path), ["a.txt"]);
  }
});

// edit

toolTest("edit: one place, with a unified diff and its first line", async (dir) => {
  await dir.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  const { content, details } = await call(dir, "edit", {
    path: "a.txt",
    oldText: "5\n",
    newText: "five\nfive and a half\n",
  });
  assertEquals(textOf({ content }), "Changed a.txt in 1 place, first in line 5");
  assertEquals(
    await Deno.readTextFile(dir.file("a.txt")),
    "1\n2\n3\n4\nfive\nfive and a half\n6\n7\n8\n9\n",
  );
  assertEquals(details, {
    diff:
      "--- a.txt\n+++ a.txt\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+five and a half\n 6\n 7\n" +
      " 8\n",
    firstChangedLine: 5,
  });
});

toolTest("edit: several places at once, each found in the text as it was", async (dir) => {
  await dir.write("a.txt", "a b c");
  const edits = [
    { oldText: "c", newText: "a" },
    { oldText: "a", newText: "b" },
    { oldText: "b", newText: "c" },
  ];
  assertMatch(await answer(dir, "edit", { path: "a.txt", edits }), /in 3 places/);
  assertEquals(await Deno.readTextFile(dir.file("a.txt")), "b c a");
});

toolTest("edit: a new text may hold what is special elsewhere", async (dir) => {
  await dir.write("a.txt", "x");
  await call(dir, "edit", { path: "a.txt", oldText: "x", newText: "$& $1 \\n" });
  assertEquals(await Deno.readTextFile(dir.file("a.txt")), "$& $1 \\n");
});

const KEPT: [name: string, before: string, oldText: string, newText: string, after: string][] = [
  ["CRLF", "a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n", "x\r\ny\r\nz\r\nc\r\n"],
  ["CRLF that was asked for", "a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n"],
  ["CRLF, within a line", "a b\r\nc\r\n", "b", "x\ny", "a x\r\ny\r\nc\r\n"],
  ["CRLF, at the end of a line", "a\r\nb\r\n", "a", "x", "x\r\nb\r\n"],
  ["CRLF, up to the beginning of a line", "a\r\nb\r\n", "a\n", "", "b\r\n"],
  ["CRLF, at the end without a line end", "a\r\nb", "b", "x\ny", "a\r\nx\r\ny"],
  ["mixed line ends", "a\nb\r\nc\nd\r\n", "b\nc", "x\ny", "a\nx\r\ny\nd\r\n"],
  ["LF beside CRLF", "a\r\nb\nc\n", "b\nc", "x\ny", "a\r\nx\ny\n"],
  ["LF alone", "a\nb\n", "a", "x\r\ny", "x\r\ny\nb\n"],
  ["a carriage return alone", "a\rb\r\nc", "a\rb", "x", "x\r\nc"],
  ["a byte order mark", "\uFEFFa\n", "a\n", "b\n", "\uFEFFb\n"],
  ["an end without line feed", "a\nb", "b", "c", "a\nc"],
];
for (const [name, before, oldText, newText, after] of KEPT) {
  toolTest(`edit: kept: ${name}`, async (dir) => {
    await Deno.writeFile(dir.file("a.txt"), new TextEncoder().encode(before));
    await call(dir, "edit", { path: "a.txt", oldText, newText });
    const bytes = await Deno.readFile(dir.file("a.txt"));
    // The mixed line ends of the new text follow the first one around them.
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    assertEquals(JSON.stringify(decoder.decode(bytes)), JSON.stringify(after));
  });
}

posixTest("edit: the mode stays, a link stays a link", async (dir) => {
  await dir.write("real.sh", "a");
  await Deno.chmod(dir.file("real.sh"), 0o750);
  await Deno.symlink("real.sh", dir.file("link.sh"));
  await call(dir, "edit", { path: "link.sh", oldText: "a", newText: "b" });
  assertEquals(await Deno.readTextFile(dir.file("real.sh")), "b");
  assertEquals((Deno.statSync(dir.file("real.sh")).mode ?? 0) & 0o777, 0o750);
  assert(Deno.lstatSync(dir.file("link.sh")).isSymlink);
});

const REFUSED_EDITS: [
  name: string,
  input: Omit<KnownTools["edit"]["input"], "path">,
  message: RegExp,
][] = [
  [
    "a text that is there twice, with its lines",
    { oldText: "same", newText: "x" },
    /^oldText is in the file 2 times \(lines 2, 4\): add lines/,
  ],
  [
    "a text that overlaps with itself",
    { oldText: "aba", newText: "x" },
    /^oldText is in the file 2 times \(lines 5, 5\)/,
  ],
  [
    "a text that is not there",
    { oldText: "nothing like it", newText: "x" },
    /^oldText is not in the file\. Read the file again: it may have changed$/,
  ],
  [
    "a text that differs in blanks",
    { oldText: "first\n  same", newText: "x" },
    /^oldText is not in the file\. Blanks count: lines 1 to 2 differ from it only in blanks$/,
  ],
  [
    "a text that differs in a later line",
    { oldText: "first\nother", newText: "x" },
    /^oldText is not in the file\. It begins like line 1, then line 2 is "same"$/,
  ],
  ["an empty text", { oldText: "", newText: "x" }, /^oldText is empty/],
  ["a text that stays", { oldText: "first", newText: "first" }, /^Nothing would change/],
  ["both spellings", {
    oldText: "first",
    newText: "x",
    edits: [{ oldText: "first", newText: "x" }],
  }, /not both$/],
  ["no spelling", {}, /^Give oldText and newText, or a list of edits$/],
  ["half a spelling", { oldText: "first" }, /^newText is missing$/],
  ["no edits", { edits: [] }, /^edits is empty/],
  [
    "edits that overlap",
    {
      edits: [{ oldText: "first\nsame", newText: "x" }, { oldText: "same\nmiddle", newText: "y" }],
    },
    /^edits\[0\] and edits\[1\] overlap/,
  ],
  [
    "edits of which one is wrong",
    { edits: [{ oldText: "first", newText: "x" }, { oldText: "gone", newText: "y" }] },
    /^edits\[1\]\.oldText is not in the file/,
  ],
];
for (const [name, input, message] of REFUSED_EDITS) {
  toolTest(`edit: refused, and nothing changes: ${name}`, async (dir) => {
    const text = "first\nsame\nmiddle\nsame\nababa\n";
    await dir.write("a.txt", text);
    assertMatch(await failure(dir, "edit", { path: "a.txt", ...input }), message);
    assertEquals(await Deno.readTextFile(dir.file("a.txt")), text);
    assertEquals(namesIn(dir.path), ["a.txt"]);
  });
}

toolTest("edit: what is not UTF-8 is refused, since it could not be written back", async (dir) => {
  const bytes = new Uint8Array([0x61, 0xe9, 0x62]);
  await Deno.writeFile(dir.file("latin.txt"), bytes);
  assertMatch(
    await failure(dir, "edit", { path: "latin.txt", oldText: "a", newText: "b" }),
    /not valid UTF-8/,
  );
  assertEquals(await Deno.readFile(dir.file("latin.txt")), bytes);
  await Deno.writeFile(dir.file("a.bin"), new Uint8Array([0x61, 0]));
  assertMatch(
    await failure(dir, "edit", { path: "a.bin", oldText: "a", newText: "b" }),
    /NUL bytes/,
  );
});

toolTest("edit: a missing file and a folder are errors", async (dir) => {
  await Deno.mkdir(dir.file("a"));
  assertMatch(
    await failure(dir, "edit", { path: "b", oldText: "a", newText: "b" }),
    /There is no file/,
  );
  assertMatch(await failure(dir, "edit", { path: "a", oldText: "a", newText: "b" }), /is a folder/);
});

toolTest("edit: calls that run side by side all count", async (dir) => {
  const count = 30;
  await dir.write("a.txt", Array.from({ length: count }, (_, at) => `<${at}>\n`).join(""));
  await Promise.all(
    Array.from({ length: count }, (_, at) =>
      call(dir, "edit", {
        path: at % 2 === 0 ? "a.txt" : dir.file("a.txt"),
        oldText: `<${at}>`,
        newText: `done ${at}`,
      })),
  );
  assertEquals(
    await Deno.readTextFile(dir.file("a.txt")),
    Array.from({ length: count }, (_, at) => `done ${at}\n`).join(""),
  );
});

toolTest("edit: a call that fails does not hold up the next one", async (dir) => {
  await dir.write("a.txt", "a");
  const [bad, good] = await Promise.allSettled([
    call(dir, "edit", { path: "a.txt", oldText: "x", newText: "y" }),
    call(dir, "edit", { path: "a.txt", oldText: "a", newText: "b" }),
  ]);
  assertEquals([bad.status, good.status], ["rejected", "fulfilled"]);
  assertEquals(await Deno.readTextFile(dir.file("a.txt")), "b");
});

toolTest("edit: aborted half-way, the file is as it was", async (dir) => {
  await dir.write("a.txt", "old");
  for (const look of [2, 3, 4]) {
    const input = { path: "a.txt", oldText: "old", newText: "new" };
    await assertRejects(() => call(dir, "edit", input, abortAtLook(look)), DOMException);
    assertEquals(await Deno.readTextFile(dir.file("a.txt")), "old");
    assertEquals(namesIn(dir.path), ["a.txt"]);
  }
});

// grep

async function writeTree(dir: TempDir): Promise<void> {
  await dir.write("src/a.ts", "const one = 1;\r\nconst Two = 2;\r\n// (end)\r\n");
  await dir.write("src/deep/b.ts", "const two = one;\n");
  await dir.write("src/deep/c.md", "two\n");
  await dir.write("src.txt", "one\n");
  await dir.write("src-old/a.ts", "one\n");
  await dir.write(".env", "one=1\n");
  await dir.write(".git/config", "one\n");
  await dir.write("node_modules/x/a.ts", "one\n");
  await dir.write("src/node_modules/y/b.ts", "one\n");
}

const SEARCHES: [name: string, input: KnownTools["grep"]["input"], text: string][] = [
  [
    "all files but those of .git and node_modules, in a fixed order",
    { pattern: "one" },
    ".env:1: one=1\nsrc-old/a.ts:1: one\nsrc.txt:1: one\nsrc/a.ts:1: const one = 1;\n" +
    "src/deep/b.ts:1: const two = one;",
  ],
  ["a regular expression", {
    pattern: "^const \\w+ = \\d;$",
    path: "src",
  }, "src/a.ts:1: const one = 1;\nsrc/a.ts:2: const Two = 2;"],
  ["plain text", { pattern: "(end)", literal: true }, "src/a.ts:3: // (end)"],
  ["plain text is not a pattern", { pattern: ".", literal: true, path: "src.txt" }, "No matches"],
  [
    "upper and lower case alike",
    { pattern: "TWO", ignoreCase: true, glob: "*.ts" },
    "src/a.ts:2: const Two = 2;\nsrc/deep/b.ts:1: const two = one;",
  ],
  ["the beginning and the end of a line", { pattern: "^// .end.$" }, "src/a.ts:3: // (end)"],
  ["a blank that is not a line end", { pattern: "one\\s", path: "src/deep" }, "No matches"],
  [
    "what must not follow, though it does in the next line",
    { pattern: ";(?!.?.?const)", path: "src/a.ts" },
    "src/a.ts:1: const one = 1;\nsrc/a.ts:2: const Two = 2;",
  ],
  [
    "what is empty is in every line",
    { pattern: "", path: "src/deep/c.md" },
    "src/deep/c.md:1: two",
  ],
  ["characters by their property", { pattern: "\\p{Lu}" }, "src/a.ts:2: const Two = 2;"],
  ["names of files", { pattern: "two", glob: "*.md" }, "src/deep/c.md:1: two"],
  ["paths of files", { pattern: "one", glob: "src/*.ts" }, "src/a.ts:1: const one = 1;"],
  [
    "paths of files in all folders",
    { pattern: "one", glob: "src/**/*.{ts,md}" },
    "src/a.ts:1: const one = 1;\nsrc/deep/b.ts:1: const two = one;",
  ],
  ["a folder in the glob that is not there", { pattern: "one", glob: "lib/*.ts" }, "No matches"],
  ["one file", { pattern: "one", path: "src.txt" }, "src.txt:1: one"],
  ["one file in a folder that is left out else", {
    pattern: "one",
    path: "node_modules/x",
  }, "node_modules/x/a.ts:1: one"],
];
for (const [name, input, text] of SEARCHES) {
  toolTest(`grep: ${name}`, async (dir) => {
    await writeTree(dir);
    assertEquals(await answer(dir, "grep", input), text);
  });
}

toolTest("grep: details count matches and files", async (dir) => {
  await writeTree(dir);
  const { details } = await call(dir, "grep", { pattern: "const", path: "src" });
  assertEquals(details, {
    scopePath: dir.file("src"),
    matchCount: 3,
    fileCount: 2,
    files: ["src/a.ts", "src/deep/b.ts"],
    fileMatches: [{ path: "src/a.ts", count: 2 }, { path: "src/deep/b.ts", count: 1 }],
  });
});

toolTest("grep: context is shown once, with gaps marked", async (dir) => {
  await dir.write("a.txt", "1\n2 x\n3\n4 x\n5\n6\n7\n8\n9 x\n");
  await dir.write("b.txt", "x\n");
  assertEquals(
    await answer(dir, "grep", { pattern: "x", context: 1 }),
    "a.txt-1- 1\na.txt:2: 2 x\na.txt-3- 3\na.txt:4: 4 x\na.txt-5- 5\n--\na.txt-8- 8\n" +
      "a.txt:9: 9 x\n--\nb.txt:1: x",
  );
});

toolTest("grep: the limit of matches, with a note only if there are more", async (dir) => {
  await dir.write("a.txt", "x\n".repeat(3));
  await dir.write("b.txt", "x\n");
  const cut = await call(dir, "grep", { pattern: "x", limit: 3 });
  assertEquals(
    textOf(cut),
    "a.txt:1: x\na.txt:2: x\na.txt:3: x\n\n[There are more than 3 matches: search for less or " +
      "raise limit]",
  );
  assertEquals([cut.details?.matchLimitReached, cut.details?.truncated], [3, true]);
  const whole = await call(dir, "grep", { pattern: "x", limit: 4 });
  assertEquals(textOf(whole), "a.txt:1: x\na.txt:2: x\na.txt:3: x\nb.txt:1: x");
  assertEquals(whole.details?.matchLimitReached, undefined);
});

toolTest("grep: a hundred matches are shown unless more are asked for", async (dir) => {
  await dir.write("a.txt", "x\n".repeat(101));
  const { details } = await call(dir, "grep", { pattern: "x" });
  assertEquals([details?.matchCount, details?.matchLimitReached], [100, 100]);
});

toolTest("grep: the answer is cut at 50 kB", async (dir) => {
  await dir.write("a.txt", `x${"y".repeat(400)}\n`.repeat(500));
  const { content, details } = await call(dir, "grep", { pattern: "x", limit: 1000 });
  const text = textOf({ content });
  assert(text.length < 51 * 1024, `${text.length}`);
  assertMatch(text, /\n\n\[Cut at 50 kB: search for less\]$/);
  assertEquals(details?.truncated, true);
  assertEquals(details?.matchCount, text.match(/^a\.txt:/gm)?.length);
});

toolTest("grep: of a very long line the part around the match is shown", async (dir) => {
  await dir.write("a.txt", `${"a".repeat(100_000)}needle${"b".repeat(100_000)}\n`);
  const { content, details } = await call(dir, "grep", { pattern: "needle" });
  assertMatch(
    textOf({ content }),
    /^a\.txt:1: …a{100}needleb{394}…\n\n\[Very long lines are cut\]$/,
  );
  assertEquals(details?.linesTruncated, true);
});

toolTest("grep: binary and huge files are left out, the huge ones with a note", async (dir) => {
  await Deno.writeFile(dir.file("a.bin"), new TextEncoder().encode("x\0x"));
  await dir.write("big.txt", "x\n".repeat(3 * 1024 * 1024));
  await dir.write("c.txt", "x\n");
  assertEquals(
    await answer(dir, "grep", { pattern: "x" }),
    "c.txt:1: x\n\n[Files over 5 MB that were not searched: 1]",
  );
});

toolTest("grep: a file that was asked for by name is never left out silently", async (dir) => {
  await Deno.writeFile(dir.file("a.bin"), new TextEncoder().encode("x\0x"));
  await dir.write("big.txt", "x\n".repeat(3 * 1024 * 1024));
  assertMatch(await failure(dir, "grep", { pattern: "x", path: "a.bin" }), /is a binary file/);
  assertMatch(await failure(dir, "grep", { pattern: "x", path: "big.txt" }), /too many/);
  assertMatch(await failure(dir, "grep", { pattern: "x", path: "gone" }), /There is no file/);
});

posixTest("grep: links are not followed, so that a circle does no harm", async (dir) => {
  await dir.write("a/b.txt", "x\n");
  await Deno.symlink("..", dir.file("a/up"));
  await Deno.symlink("b.txt", dir.file("a/link.txt"));
  await new Deno.Command("mkfifo", { args: [dir.file("fifo")] }).output();
  assertEquals(await answer(dir, "grep", { pattern: "x" }), "a/b.txt:1: x");
});

toolTest("grep: what is no regular expression is an error that helps", async (dir) => {
  const message = await failure(dir, "grep", { pattern: "foo(" });
  assertMatch(message, /Invalid regular expression/);
  assertMatch(message, /set literal/);
});

const SLOW_PATTERNS: [pattern: string, line: string][] = [
  ["^(a+)+$", `${"a".repeat(80)}b`],
  [".*a.*b.*c.*d.*needle", "abcd".repeat(5000)],
];
for (const [pattern, line] of SLOW_PATTERNS) {
  toolTest(`grep: ${pattern} is given up where it would take years`, async (dir) => {
    await dir.write("a.txt", `${line}\n`);
    const message = await failure(dir, "grep", { pattern });
    assertMatch(message, /^The pattern was given up in ".*\/a\.txt": it takes longer than 2000 ms/);
  });
}

toolTest("grep: the signal ends a search in many files", async (dir) => {
  for (let at = 0; at < 30; at++) await dir.write(`${at}/a.txt`, "x\n");
  const message = await failure(dir, "grep", { pattern: "x" }, abortAtLook(20));
  assertEquals(message, "The call of grep was aborted");
});

// find

const FINDS: [name: string, input: KnownTools["find"]["input"], text: string][] = [
  [
    "names in all folders",
    { pattern: "*.ts" },
    "src-old/a.ts\nsrc/a.ts\nsrc/deep/b.ts",
  ],
  ["names in all folders below one", { pattern: "*.ts", path: "src" }, "src/a.ts\nsrc/deep/b.ts"],
  ["paths", { pattern: "src/*.ts" }, "src/a.ts"],
  ["paths with a dot in front", { pattern: "./src/*.ts" }, "src/a.ts"],
  ["any folders", { pattern: "src/**/*.ts" }, "src/a.ts\nsrc/deep/b.ts"],
  ["any folders at the beginning", { pattern: "**/a.ts" }, "src-old/a.ts\nsrc/a.ts"],
  ["alternatives", { pattern: "*.{md,txt}" }, "src.txt\nsrc/deep/c.md"],
  [
    "alternatives with folders",
    { pattern: "{src-old,src/deep}/*.ts" },
    "src-old/a.ts\nsrc/deep/b.ts",
  ],
  ["a range", { pattern: "[bc].*" }, "src/deep/b.ts\nsrc/deep/c.md"],
  ["a name without wildcards", { pattern: "b.ts" }, "src/deep/b.ts"],
  ["a path without wildcards", { pattern: "src/deep/b.ts" }, "src/deep/b.ts"],
  ["folders end with a slash", { pattern: "deep" }, "src/deep/"],
  ["a slash at the end of the glob", { pattern: "src*/" }, "src-old/\nsrc.txt\nsrc/"],
  ["hidden files", { pattern: ".e*" }, ".env"],
  ["a folder that is left out unless it is named", {
    pattern: "node_modules/**/*.ts",
  }, "node_modules/x/a.ts"],
  [
    "everything, sorted",
    {
      pattern: "**",
    },
    ".env\nsrc-old/\nsrc-old/a.ts\nsrc.txt\nsrc/\nsrc/a.ts\nsrc/deep/\nsrc/deep/b.ts\nsrc/deep/c.md",
  ],
  ["nothing", { pattern: "*.py" }, "Nothing matches *.py"],
  ["nothing where the folder of the glob is not there", {
    pattern: "lib/*.ts",
  }, "Nothing matches lib/*.ts"],
];
for (const [name, input, text] of FINDS) {
  toolTest(`find: ${name}`, async (dir) => {
    await writeTree(dir);
    assertEquals(await answer(dir, "find", input), text);
  });
}

toolTest("find: a folder outside of the working directory gives absolute paths", async (dir) => {
  await using other = await tempDir();
  await other.write("a/b.ts", "");
  const { content, details } = await call(dir, "find", { pattern: "*.ts", path: other.path });
  assertEquals(textOf({ content }), other.file("a/b.ts"));
  assertEquals(details, {
    scopePath: other.path,
    fileCount: 1,
    files: [other.file("a/b.ts")],
  });
});

toolTest("find: the limit, with a note only if there are more", async (dir) => {
  for (const name of ["c", "a", "d", "b"]) await dir.write(name, "");
  const cut = await call(dir, "find", { pattern: "*", limit: 3 });
  assertEquals(
    textOf(cut),
    "a\nb\nc\n\n[There are more than 3: make the glob narrower or limit larger]",
  );
  assertEquals([cut.details?.resultLimitReached, cut.details?.truncated], [3, true]);
  const whole = await call(dir, "find", { pattern: "*", limit: 4 });
  assertEquals(textOf(whole), "a\nb\nc\nd");
  assertEquals(whole.details?.truncated, undefined);
});

toolTest("find: the answer is cut at 50 kB", async (dir) => {
  for (let at = 0; at < 300; at++) await dir.write(`${"x".repeat(200)}${at}`, "");
  const { content, details } = await call(dir, "find", { pattern: "*" });
  const text = textOf({ content });
  assert(text.length < 51 * 1024, `${text.length}`);
  assertMatch(text, /\n\n\[Cut at 50 kB: make the glob narrower\]$/);
  assertEquals(details?.truncated, true);
  assertEquals(details?.files?.length, text.split("\n").length - 2);
});

posixTest("find: links are named and not followed", async (dir) => {
  await dir.write("a/b.txt", "");
  await Deno.symlink("..", dir.file("a/up"));
  assertEquals(await answer(dir, "find", { pattern: "**" }), "a/\na/b.txt\na/up");
});

const WRONG_GLOBS: [glob: string, message: RegExp][] = [
  ["", /it is empty/],
  ["./", /it is empty/],
  ["/etc/*", /give the folder in path/],
  ["~/*", /give the folder in path/],
  ["../*", /leads out of the folder/],
  ["a/../../*", /leads out of the folder/],
];
for (const [glob, message] of WRONG_GLOBS) {
  toolTest(`find and grep: the glob ${JSON.stringify(glob)} is refused`, async (dir) => {
    assertMatch(await failure(dir, "find", { pattern: glob }), message);
    assertMatch(await failure(dir, "grep", { pattern: "x", glob }), message);
  });
}

toolTest("find: a glob that would take years is given up", async (dir) => {
  await dir.write("a".repeat(250), "");
  const message = await failure(dir, "find", { pattern: `${"*a".repeat(12)}b` });
  assertMatch(message, /has too many wildcards: it takes longer than 1000 ms/);
});

toolTest("find: a file is no folder to search, and neither is what is not there", async (dir) => {
  await dir.write("a.txt", "");
  assertMatch(await failure(dir, "find", { pattern: "*", path: "a.txt" }), /is not a folder/);
  assertMatch(await failure(dir, "find", { pattern: "*", path: "b" }), /There is no file/);
});

toolTest("find: the signal ends a search in many folders", async (dir) => {
  for (let at = 0; at < 30; at++) await dir.write(`${at}/a.txt`, "");
  const message = await failure(dir, "find", { pattern: "*" }, abortAtLook(20));
  assertEquals(message, "The call of find was aborted");
});

toolTest("find and grep: a folder that cannot be read is counted in a note", async (dir) => {
  await dir.write("a.txt", "x\n");
  await dir.write("closed/b.txt", "x\n");
  await Deno.chmod(dir.file("closed"), 0o000);
  try {
    assertMatch(
      await answer(dir, "find", { pattern: "*.txt" }),
      /\[Folders that cannot be read: 1\]/,
    );
    assertMatch(
      await answer(dir, "grep", { pattern: "x" }),
      /\[Files or folders that cannot be read: 1\]/,
    );
  } finally {
    await Deno.chmod(dir.file("closed"), 0o700);
  }
}, isWindows || isRoot);

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { execCommand } from "../src/deno/exec.ts";
import { OutputCapture } from "../src/deno/output_capture.ts";
import type { ExecResult } from "../src/types.ts";

const isWindows = Deno.build.os === "windows";
const hasSetsid = Deno.build.os === "linux";

/** Registers a test that needs `sh` and other programs of a POSIX system. */
function posixTest(name: string, body: () => Promise<void>): void {
  Deno.test({ name: `exec: ${name}`, ignore: isWindows, fn: body });
}

async function inTempDir(body: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "exec test " }));
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

function shell(script: string, options = {}): Promise<ExecResult> {
  return execCommand("sh", ["-c", script], ".", options);
}

async function makeFifo(path: string): Promise<void> {
  const { code } = await new Deno.Command("mkfifo", { args: [path] }).output();
  assertEquals(code, 0);
}

posixTest("there is no shell, and arguments arrive byte for byte", async () => {
  await inTempDir(async (dir) => {
    const args = [
      "a b; touch injected",
      "$HOME",
      "*",
      "`id`",
      "$(touch injected)",
      "\n",
      "-n",
      "",
      "é日本👨‍👩‍👧‍👦",
      "'\"\\",
    ];
    const result = await execCommand("printf", ["%s|", ...args], dir);
    assertEquals(result, {
      stdout: args.map((arg) => `${arg}|`).join(""),
      stderr: "",
      code: 0,
      killed: false,
    });
    assertEquals([...Deno.readDirSync(dir)], []);
  });
});

posixTest("numbers and booleans among the arguments are written as text", async () => {
  const args = [1, -2.5, 10n, true] as unknown as string[];
  assertEquals((await execCommand("printf", ["%s,", ...args], ".")).stdout, "1,-2.5,10,true,");
});

posixTest("without arguments the program gets none", async () => {
  for (const args of [undefined, []]) {
    assertEquals((await execCommand("echo", args, ".")).stdout, "\n");
  }
});

posixTest("arguments that are no texts are refused by name", async () => {
  const none = ["a", null] as unknown as string[];
  await assertRejects(() => execCommand("echo", none, "."), TypeError, "Argument 1");
  const text = "-la" as unknown as string[];
  await assertRejects(() => execCommand("ls", text, "."), TypeError, "must be an array");
});

posixTest("standard input is null unless it is given", async () => {
  assertEquals((await execCommand("cat", [], ".")).stdout, "");
  assertEquals((await execCommand("cat", [], ".", { stdin: "héllo" })).stdout, "héllo");
  assertEquals((await execCommand("cat", [], ".", { stdin: "" })).stdout, "");
  const bytes = new Uint8Array([0x61, 0xff, 0x62]);
  assertEquals((await execCommand("cat", [], ".", { stdin: bytes })).stdout, "a\uFFFDb");
});

posixTest("a program that does not read its input is no error", async () => {
  const big = new Uint8Array(8 * 1024 * 1024);
  const result = await shell("exec 0<&-; echo done; exit 3", { stdin: big });
  assertEquals(result, { stdout: "done\n", stderr: "", code: 3, killed: false });
});

posixTest("the exit code is the program's own, killed is false", async () => {
  const result = await shell("echo out; echo err >&2; exit 7");
  assertEquals(result, { stdout: "out\n", stderr: "err\n", code: 7, killed: false });
});

posixTest("a program ended by the signal of somebody else has code 128 + n", async () => {
  const result = await shell("kill -KILL $$");
  assertEquals([result.code, result.killed], [137, false]);
});

posixTest("the working directory is the given one, and a relative one starts there", async () => {
  await inTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/sub/deep`, { recursive: true });
    const cases: [string | undefined, string][] = [
      [undefined, dir],
      ["", dir],
      ["sub", `${dir}/sub`],
      ["./sub/deep", `${dir}/sub/deep`],
      ["sub/..", dir],
      [`${dir}/sub`, `${dir}/sub`],
    ];
    for (const [cwd, expected] of cases) {
      assertEquals((await execCommand("pwd", ["-P"], dir, { cwd })).stdout, `${expected}\n`);
    }
  });
});

posixTest("a relative path of a program starts from the working directory", async () => {
  await inTempDir(async (dir) => {
    await Deno.mkdir(`${dir}/bin`);
    await Deno.writeTextFile(`${dir}/bin/tool`, "#!/bin/sh\necho tool\n", { mode: 0o755 });
    assertEquals((await execCommand("./tool", [], dir, { cwd: "bin" })).stdout, "tool\n");
    assertEquals((await execCommand("bin/tool", [], dir)).stdout, "tool\n");
  });
});

posixTest("after the time limit the code is 124, killed is true, output is kept", async () => {
  const result = await shell("echo before; exec sleep 600", { timeout: 300 });
  assertEquals(result, { stdout: "before\n", stderr: "", code: 124, killed: true });
});

posixTest("zero, negative, endless and huge time limits are none", async () => {
  for (const timeout of [0, -1, NaN, Infinity, 2 ** 40]) {
    assertEquals((await shell("sleep 0.01; echo ok", { timeout })).stdout, "ok\n");
  }
});

posixTest("when the signal fires the code is 130 and killed is true", async () => {
  await inTempDir(async (dir) => {
    await makeFifo(`${dir}/ready`);
    const controller = new AbortController();
    const running = execCommand("sh", ["-c", "echo before; : > ready; exec sleep 600"], dir, {
      signal: controller.signal,
    });
    await Deno.readTextFile(`${dir}/ready`);
    controller.abort(new Error("enough"));
    assertEquals(await running, { stdout: "before\n", stderr: "", code: 130, killed: true });
  });
});

posixTest("an already aborted signal starts nothing", async () => {
  await inTempDir(async (dir) => {
    const signal = AbortSignal.abort();
    const result = await execCommand("touch", ["started"], dir, { signal });
    assertEquals([result.code, result.killed, result.stdout], [130, true, ""]);
    assertStringIncludes(result.stderr, "aborted before");
    assertEquals([...Deno.readDirSync(dir)], []);
  });
});

posixTest("the signal is not listened to after the end", async () => {
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  signal.addEventListener = (_type: string, listener: unknown) => void listeners.add(listener);
  signal.removeEventListener = (_type: string, listener: unknown) =>
    void listeners.delete(listener);
  await shell("true", { signal });
  assertEquals(listeners.size, 0);
});

posixTest("SIGTERM comes first, so that a program may clean up", async () => {
  await inTempDir(async (dir) => {
    await makeFifo(`${dir}/ready`);
    const controller = new AbortController();
    const script = `trap 'echo cleaned; exit 0' TERM; : > ready; while :; do sleep 0.05; done`;
    const running = execCommand("sh", ["-c", script], dir, { signal: controller.signal });
    await Deno.readTextFile(`${dir}/ready`);
    controller.abort();
    const { stdout, code, killed } = await running;
    assertEquals([stdout, code, killed], ["cleaned\n", 130, true]);
  });
});

posixTest("SIGKILL comes after one second for a program that goes on", async () => {
  await inTempDir(async (dir) => {
    await makeFifo(`${dir}/ready`);
    const controller = new AbortController();
    const script = `trap 'echo asked' TERM; : > ready; while :; do sleep 0.05; done`;
    const running = execCommand("sh", ["-c", script], dir, { signal: controller.signal });
    await Deno.readTextFile(`${dir}/ready`);
    controller.abort();
    const { stdout, code, killed } = await running;
    assertEquals([stdout, code, killed], ["asked\n", 130, true]);
  });
});

posixTest("the whole process group is stopped, also who ignores SIGTERM", async () => {
  // All members hold descriptor 3; its reader sees the end only when every one of them is gone.
  const members: Record<string, string> = {
    "a plain grandchild": "(: > ready; sleep 30; echo survived >&3) & wait",
    "one that outlives its parent": "(: > ready; sleep 30; echo survived >&3) & exit 0",
    "one that ignores SIGTERM": "(trap '' TERM; : > ready; sleep 30; echo survived >&3) & wait",
    "one that holds no output":
      "(trap '' TERM; : > ready; sleep 30; echo survived >&3) >&- 2>&- & exec sleep 30",
  };
  for (const [name, script] of Object.entries(members)) {
    await inTempDir(async (dir) => {
      await makeFifo(`${dir}/alive`);
      await makeFifo(`${dir}/ready`);
      const controller = new AbortController();
      const running = execCommand("sh", ["-c", `exec 3> alive; ${script}`], dir, {
        signal: controller.signal,
      });
      const survivor = Deno.readTextFile(`${dir}/alive`);
      await Deno.readTextFile(`${dir}/ready`);
      controller.abort();
      assertEquals((await running).killed, true, name);
      assertEquals(await survivor, "", name);
    });
  }
});

Deno.test({
  name: "exec: the call returns within the grace even if a stranger holds the pipe",
  ignore: !hasSetsid,
  fn: () =>
    inTempDir(async (dir) => {
      await makeFifo(`${dir}/ready`);
      const controller = new AbortController();
      const script = `setsid sh -c 'echo $$ > pid; : > ready; exec sleep 600' & wait`;
      const running = execCommand("sh", ["-c", script], dir, {
        signal: controller.signal,
        stdin: "x".repeat(1_000_000),
      });
      await Deno.readTextFile(`${dir}/ready`);
      controller.abort();
      try {
        assertEquals((await running).code, 130);
      } finally {
        Deno.kill(Number(await Deno.readTextFile(`${dir}/pid`)), "SIGKILL");
      }
    }),
});

posixTest("a program that cannot be started resolves with 127 or 126 and says why", async () => {
  await inTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/plain.txt`, "text", { mode: 0o644 });
    await Deno.writeTextFile(`${dir}/crlf`, "#!/bin/sh\r\necho no\r\n", { mode: 0o755 });
    const cases: [command: string, args: string[], cwd: string, code: number, cause: string][] = [
      ["no-such-command", [], dir, 127, "command not found"],
      ["/no/such/command", [], dir, 127, "there is no such file"],
      ["./gone", [], dir, 127, "there is no such file"],
      ["", [], dir, 127, "the command is empty"],
      ["a\0b", [], dir, 127, "command not found"],
      [".", [], dir, 127, "command not found"],
      ["./plain.txt", [], dir, 126, "Permission denied"],
      ["/", [], dir, 126, "Permission denied"],
      ["./crlf", [], dir, 126, "the interpreter in its first line"],
      ["echo", ["a\0b"], dir, 126, "nul byte"],
      ["echo", ["x".repeat(3_000_000)], dir, 126, "Argument list too long"],
      ["echo", [], `${dir}/gone`, 126, "the working directory does not exist"],
      ["echo", [], `${dir}/plain.txt`, 126, "the working directory is not a folder"],
      ["./plain.txt", [], `${dir}/gone`, 126, "the working directory does not exist"],
      ["echo", [], "a\0b", 126, "the working directory does not exist"],
    ];
    for (const [command, args, cwd, code, cause] of cases) {
      const result = await execCommand(command, args, cwd);
      assertEquals([result.code, result.killed, result.stdout], [code, false, ""], result.stderr);
      assertStringIncludes(result.stderr, JSON.stringify(command));
      assertStringIncludes(result.stderr, JSON.stringify(cwd));
      assertStringIncludes(result.stderr, cause);
    }
  });
});

posixTest("variables are set, taken away with undefined, and otherwise inherited", async () => {
  const script = 'echo "${EXEC_TEST_A-unset},${EXEC_TEST_B-unset},${EXEC_TEST_C-unset}"';
  const names = ["EXEC_TEST_A", "EXEC_TEST_B"];
  for (const name of names) Deno.env.set(name, "host");
  try {
    const cases: [Record<string, string | undefined> | undefined, string][] = [
      [undefined, "host,host,unset"],
      [{}, "host,host,unset"],
      [{ EXEC_TEST_A: "own", EXEC_TEST_C: "new" }, "own,host,new"],
      [{ EXEC_TEST_A: undefined, EXEC_TEST_C: "" }, "unset,host,"],
      [{ EXEC_TEST_A: 1 } as unknown as Record<string, string>, "1,host,unset"],
    ];
    for (const [env, expected] of cases) {
      assertEquals((await shell(script, { env })).stdout, `${expected}\n`);
    }
  } finally {
    for (const name of names) Deno.env.delete(name);
  }
});

posixTest("each output is decoded as one UTF-8 stream of its own", async () => {
  const cases: [script: string, stdout: string, stderr: string][] = [
    [String.raw`printf '\346\227'; sleep 0.05; printf '\245\346\234\254'`, "日本", ""],
    [String.raw`printf '\346\227'; printf '\245' >&2; printf '!'`, "\uFFFD!", "\uFFFD"],
    [String.raw`printf 'a\000b'`, "a\0b", ""],
    [String.raw`printf '\377\376'`, "\uFFFD\uFFFD", ""],
    [String.raw`printf 'caf\351\n'`, "caf\uFFFD\n", ""],
    [String.raw`printf '10%%\r20%%\r\n'`, "10%\r20%\r\n", ""],
    [String.raw`printf '\033[31mred\033[0m'`, "\x1b[31mred\x1b[0m", ""],
    [String.raw`head -c 65535 /dev/zero | tr '\000' a; printf 'é'`, "a".repeat(65535) + "é", ""],
  ];
  for (const [script, stdout, stderr] of cases) {
    const result = await shell(script);
    assertEquals([result.stdout, result.stderr], [stdout, stderr], script);
  }
});

posixTest("a megabyte of noise is no exception", async () => {
  const result = await shell("head -c 1000000 /dev/urandom");
  assertEquals([result.code, result.truncated], [0, undefined]);
  assert(result.stdout.length > 100_000);
});

posixTest("beyond maxBuffer head and tail stay, with a mark and the true byte counts", async () => {
  const script = "echo begin; head -c 100000000 /dev/zero; echo end; echo small >&2";
  const result = await shell(script, { maxBuffer: 2048 });
  assertEquals(result.truncated, { stdoutBytes: 100_000_010, stderrBytes: 6 });
  assertEquals(result.stderr, "small\n");
  assert(result.stdout.startsWith("begin\n\0"));
  assert(result.stdout.endsWith("\0end\n"));
  const missing = 100_000_010 - 2048;
  assertStringIncludes(result.stdout, `\0\n[… ${missing} bytes left out …]\n\0`);
});

posixTest("maxBuffer is 16 MiB by default and never below 1024", async () => {
  const full = await shell("head -c 16777216 /dev/zero");
  assertEquals([full.stdout.length, full.truncated], [16 * 1024 * 1024, undefined]);
  const over = await shell("head -c 16777217 /dev/zero");
  assertEquals(over.truncated, { stdoutBytes: 16 * 1024 * 1024 + 1, stderrBytes: 0 });
  const small = await shell("head -c 1024 /dev/zero", { maxBuffer: 0 });
  assertEquals([small.stdout.length, small.truncated], [1024, undefined]);
});

Deno.test("exec: output is the same however the bytes are cut into reads", () => {
  const text = "a👨‍👩‍👧‍👦é日本";
  const bytes = new TextEncoder().encode(text);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const capture = new OutputCapture(1024);
    capture.push(bytes.subarray(0, cut));
    capture.push(bytes.subarray(cut));
    assertEquals(capture.text(), text);
  }
});

Deno.test("exec: long output is cut between characters, wherever the limit falls", () => {
  for (const character of ["a", "é", "日", "👩"]) {
    const stream = new TextEncoder().encode(character.repeat(3000));
    for (let limit = 1024; limit < 1040; limit++) {
      for (const readSize of [1, 7, 100, limit, stream.length]) {
        const capture = new OutputCapture(limit);
        for (let at = 0; at < stream.length; at += readSize) {
          capture.push(stream.subarray(at, at + readSize));
        }
        assertEquals(capture.byteCount, stream.length);
        const match = capture.text().match(/^(.*)\n\[… (\d+) bytes left out …\]\n(.*)$/s);
        assert(match !== null);
        const [, head, missing, tail] = match;
        assertEquals(head.replaceAll(character, "") + tail.replaceAll(character, ""), "");
        const kept = new TextEncoder().encode(head + tail).length;
        assertEquals(kept + Number(missing), stream.length);
        assert(kept <= limit && kept > limit - 12);
      }
    }
  }
});

Deno.test("exec: the kept tail is the newest output, in order", () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}\n`);
  const capture = new OutputCapture(1024);
  for (const line of lines) capture.push(new TextEncoder().encode(line));
  const all = lines.join("");
  const [head, tail] = capture.text().split(/\n\[….*…\]\n/);
  assertEquals(head, all.slice(0, 512));
  assertEquals(tail, all.slice(-512));
});

/** Runs a module that calls `execCommand` in a Deno process that has only the given flags. */
async function withFlags(flags: string[], body: string): Promise<string> {
  const dir = await Deno.makeTempDir();
  try {
    const exec = new URL("../src/deno/exec.ts", import.meta.url);
    await Deno.writeTextFile(
      `${dir}/main.ts`,
      `import { execCommand } from ${JSON.stringify(exec.href)};
       const show = (result: unknown) => console.log(JSON.stringify(result));
       try { ${body} } catch (error) { console.log(String(error)); }`,
    );
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-config", "--no-prompt", ...flags, `${dir}/main.ts`],
      stdin: "null",
    }).output();
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

posixTest("a missing --allow-run is a thrown NotCapable with the flag to add", async () => {
  const output = await withFlags([], `show(await execCommand("sh", ["-c", "true"], "."))`);
  assertEquals(
    output,
    'NotCapable: Deno may not run "sh": add --allow-run=sh to the deno command\n',
  );
});

posixTest("a program path with blanks is quoted in the flag to add", async () => {
  const output = await withFlags([], `show(await execCommand("/my tools/x", [], "."))`);
  assertStringIncludes(output, "add --allow-run='/my tools/x' to the deno command");
});

posixTest("with --allow-run for one program only, that program is stopped alone", async () => {
  const output = await withFlags(
    ["--allow-run=sleep,sh"],
    `show(await execCommand("sh", ["-c", "echo hi; sleep 30"], "/", { timeout: 500 }))`,
  );
  assertEquals(output, '{"stdout":"hi\\n","stderr":"","code":124,"killed":true}\n');
});

posixTest("a granted path matches a relative command in another working directory", async () => {
  await inTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/tool`, "#!/bin/sh\necho tool\n", { mode: 0o755 });
    const output = await withFlags(
      [`--allow-run=${dir}/tool`],
      `show((await execCommand("./tool", [], ${JSON.stringify(dir)})).stdout)`,
    );
    assertEquals(output, '"tool\\n"\n');
  });
});

posixTest("taking a variable away without --allow-env says which flag to add", async () => {
  const output = await withFlags(
    ["--allow-run=sh"],
    `show(await execCommand("sh", ["-c", "true"], "/", { env: { A: undefined } }))`,
  );
  assertStringIncludes(output, "NotCapable: ");
  assertStringIncludes(output, "add --allow-env to the deno command");
});

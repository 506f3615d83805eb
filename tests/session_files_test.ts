/**
 * Session files on the disk: where they are, who may write, and what happens if writing fails.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { denoSessionFiles } from "../src/deno/session_files.ts";
import { folderName } from "../src/session/location.ts";
import { MemoryStorage } from "../src/session/memory_storage.ts";
import { SessionManager } from "../src/session/session.ts";
import type { SessionFiles, SessionStorage } from "../src/session_storage.ts";
import { runDeno, tempDir } from "./helpers.ts";
import { headerLine, idsOf, textOfEntry, userLine, userMessage } from "./session_lines.ts";

const SESSION = new URL("../src/session/session.ts", import.meta.url).href;
const isWindows = Deno.build.os === "windows";

Deno.test("a file is named by time and session, in a folder named after the working directory", async () => {
  await using dir = await tempDir();
  const cwd = dir.file("my project");
  await Deno.mkdir(cwd);
  await using session = await SessionManager.create(cwd, { sessionsDir: dir.file("kept") });
  session.appendCustomEntry("note");
  const [folder, file] = (session.getSessionFile() ?? "").slice(dir.file("kept").length + 1)
    .split("/");
  assertMatch(folder, /^my-project-[0-9a-f]{8}$/);
  const { timestamp, id } = session.getHeader() ?? {};
  assertEquals(file, `${timestamp?.replace(/[:.]/g, "-")}_${id}.jsonl`);
  assertEquals(session.getSessionDir(), dir.file("kept", folder));
});

Deno.test("two working directories never share a folder, whatever they are called", async () => {
  await using dir = await tempDir();
  const long = "x".repeat(200);
  const names = [
    "a-b/c",
    "a/b-c",
    "项目甲",
    "测试乙",
    "-rf",
    ".hidden",
    "a b",
    "A b",
    "a  b",
    `${long}/${long}`,
    `${long}/${long}y`,
    "😀".repeat(60),
    "?*",
  ];
  const folders = new Set<string>();
  for (const name of names) {
    const cwd = dir.file(name);
    await Deno.mkdir(cwd, { recursive: true });
    await using session = await SessionManager.create(cwd, { sessionsDir: dir.file("kept") });
    session.appendMessage(userMessage(name));
    const folder = session.getSessionDir().slice(dir.file("kept").length + 1);
    folders.add(folder);
    assertMatch(folder, /^[^-./][^/]*-[0-9a-f]{8}$/u);
    assert(new TextEncoder().encode(folder).length <= 180, `${folder} is not too long`);
  }
  assertEquals(folders.size, names.length);
  for (const name of names) {
    await using session = await SessionManager.continueRecent(dir.file(name), {
      sessionsDir: dir.file("kept"),
    });
    assertEquals(session.getEntries().map(textOfEntry), [name]);
  }
});

Deno.test("the folder is the same for a link, a trailing slash and a relative path", async () => {
  await using dir = await tempDir();
  const cwd = dir.file("real");
  await Deno.mkdir(cwd);
  await Deno.symlink(cwd, dir.file("link"));
  const options = { sessionsDir: dir.file("kept") };
  const folders = await Promise.all(
    [cwd, `${cwd}/`, dir.file("link"), dir.file("x/../real")].map(async (path) =>
      (await SessionManager.create(path, options)).getSessionDir()
    ),
  );
  assertEquals(new Set(folders).size, 1);
});

Deno.test("a path need not exist to have a real one", async () => {
  await using dir = await tempDir();
  await Deno.symlink(dir.path, dir.file("link"));
  const { realPath } = denoSessionFiles;
  assertEquals(realPath(dir.file("link/new/a.b")), dir.file("new/a.b"));
  assertEquals(realPath(dir.file("a.b/")), dir.file("a.b"));
  assertEquals(realPath("no.such.file"), `${Deno.cwd()}/no.such.file`);
  assertEquals(realPath("./no/such.file"), `${Deno.cwd()}/no/such.file`);
});

Deno.test("the folder of the root of the file system has a name too", async () => {
  assertMatch(await folderName("/"), /^root-[0-9a-f]{8}$/);
  assertMatch(await folderName("C:\\"), /^C-[0-9a-f]{8}$/);
});

Deno.test("sessions are kept where PI_HOOKS_HOME says, or in the home folder", async () => {
  await using dir = await tempDir();
  const script = await dir.write(
    "where.ts",
    `import { SessionManager } from ${JSON.stringify(SESSION)};
     console.log((await SessionManager.create(".")).getSessionDir());`,
  );
  const where = async (env: Record<string, string>, permissions?: string[]) => {
    const { stdout, stderr } = await runDeno(["run", script], { cwd: dir.path, env, permissions });
    return stdout.trim() || stderr;
  };
  const name = await folderName(dir.path);
  const HOME = dir.path;
  const PI_HOOKS_HOME = dir.file("other");
  assertEquals(await where({ HOME }), dir.file(".pi-hooks", "sessions", name));
  assertEquals(await where({ HOME, PI_HOOKS_HOME }), dir.file("other", "sessions", name));
  assertMatch(
    await where({ HOME, PI_HOOKS_HOME }, ["--allow-read"]),
    /name a sessionsDir, set PI_HOOKS_HOME, or let Deno know the home folder/,
  );
});

Deno.test("the session that was written to last is gone on with; without one, a session begins", async () => {
  await using dir = await tempDir();
  const options = { sessionsDir: dir.file("kept") };
  const fresh = await SessionManager.continueRecent(dir.path, options);
  assertEquals(fresh.getEntries(), []);
  fresh.appendMessage(userMessage("old"));
  const old = fresh.getSessionFile() ?? "";
  await fresh.close();
  const newer = await SessionManager.create(dir.path, { ...options, parentSession: old });
  newer.appendMessage(userMessage("new"));
  const recent = newer.getSessionFile() ?? "";
  await newer.close();
  await Deno.utime(old, 1000, 1000);
  await Deno.utime(recent, 2000, 2000);
  const kept = recent.slice(0, recent.lastIndexOf("/"));
  await Deno.writeTextFile(`${kept}/x.jsonl`, "no session\n");
  await Deno.writeTextFile(`${kept}/empty.jsonl`, "");
  await Deno.mkdir(`${kept}/folder.jsonl`);

  const list = await SessionManager.list(dir.path, options);
  assertEquals(list.map(({ path }) => path), [recent, old]);
  const [info] = list;
  assertEquals(
    [info.firstMessage, info.parentSession, info.cwd, info.modified.getTime(), info.size],
    ["new", old, dir.path, 2_000_000, (await Deno.stat(recent)).size],
  );
  assertEquals(recent.includes(info.id), true);
  await using again = await SessionManager.continueRecent(dir.path, options);
  assertEquals(again.getSessionFile(), recent);
});

Deno.test("only one session writes to a file; others read it, and write when it was closed", async () => {
  await using dir = await tempDir();
  const writer = await SessionManager.create(dir.path, { sessionsDir: dir.path });
  const first = writer.appendMessage(userMessage("one"));
  const path = writer.getSessionFile() ?? "";
  await using reader = await SessionManager.open(path);
  assertEquals(idsOf(reader.getBranch()), [first]);
  const sentence = `Session ${path} is being written by another process or session`;
  assertThrows(() => reader.appendMessage(userMessage("mine")), Error, sentence);
  assertEquals([reader.getEntries().length, reader.getLeafId()], [1, first]);
  const second = writer.appendMessage(userMessage("two"));
  await writer.close();

  // What was written in the meantime is not lost: the tree forks.
  const mine = reader.appendMessage(userMessage("mine"));
  assertEquals(idsOf(reader.getEntries()), [first, second, mine]);
  assertEquals(idsOf(reader.getBranch()), [first, mine]);
});

Deno.test("where the leaf was moved to is not kept while somebody else writes, with a warning", async () => {
  await using dir = await tempDir();
  await using writer = await SessionManager.create(dir.path, { sessionsDir: dir.path });
  const first = writer.appendMessage(userMessage("one"));
  writer.appendMessage(userMessage("two"));
  const path = writer.getSessionFile() ?? "";
  const told: string[] = [];
  const reader = await SessionManager.open(path, { onWarning: ({ kind }) => told.push(kind) });
  reader.branch(first);
  await reader.close();
  assertEquals(told, ["leaf-not-kept"]);
  assertEquals((await Deno.readTextFile(path)).trim().split("\n").length, 3);
});

Deno.test("many processes that want to write at once lose nothing and weld nothing", async () => {
  await using dir = await tempDir();
  const path = await dir.write("s.jsonl", `${headerLine()}\n${userLine("a", null)}\n`);
  const script = await dir.write(
    "append.ts",
    `import { SessionManager } from ${JSON.stringify(SESSION)};
     const [path, name] = Deno.args;
     for (let done = 0; done < 30;) {
       const session = await SessionManager.open(path);
       try {
         const text = name + " " + done + "x".repeat(5000);
         session.appendMessage({ role: "user", content: text, timestamp: 1 });
         done++;
       } catch (error) {
         if (!error.message.includes("is being written by another")) throw error;
         await new Promise((resolve) => setTimeout(resolve, 1));
       }
       await session.close();
     }`,
  );
  const results = await Promise.all(
    ["p", "q", "r"].map((name) => runDeno(["run", script, path, name])),
  );
  assertEquals(results.map(({ code, stderr }) => [code, stderr]), Array(3).fill([0, ""]));
  await using session = await SessionManager.open(path);
  assertEquals(session.check(), []);
  const texts = session.getEntries().map((entry) => String(textOfEntry(entry)).split("x")[0]);
  const expected = ["p", "q", "r"].flatMap((name) =>
    Array.from({ length: 30 }, (_, i) => `${name} ${i}`)
  );
  assertEquals(texts.slice(1).sort(), expected.sort());
});

Deno.test("the lock of a process that was killed is gone with it", async () => {
  await using dir = await tempDir();
  const path = await dir.write("s.jsonl", `${headerLine()}\n${userLine("a", null)}\n`);
  const script = await dir.write(
    "hold.ts",
    `import { SessionManager } from ${JSON.stringify(SESSION)};
     const session = await SessionManager.open(Deno.args[0]);
     session.appendCustomEntry("held");
     console.log("holding");
     setInterval(() => {}, 1000);`,
  );
  const config = decodeURIComponent(new URL("../deno.json", import.meta.url).pathname);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--config", config, script, path],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  const session = await SessionManager.open(path);
  assertThrows(() => session.appendCustomEntry("mine"), Error, "is being written by another");
  child.kill("SIGKILL");
  await child.status;
  await reader.cancel();
  session.appendCustomEntry("mine");
  await session.close();
  await using again = await SessionManager.open(path);
  assertEquals(
    again.getEntries().map((entry) => entry.type === "custom" ? entry.customType : entry.id),
    ["a", "held", "mine"],
  );
});

Deno.test("lines of a program that knows no lock do not confuse the session", async () => {
  await using dir = await tempDir();
  await using session = await SessionManager.create(dir.path, { sessionsDir: dir.path });
  const first = session.appendMessage(userMessage("one"));
  const path = session.getSessionFile() ?? "";
  for (let round = 0; round < 3; round++) {
    await Deno.writeTextFile(path, `${userLine(`f${round}`, first)}\n`, { append: true });
    const id = session.appendMessage(userMessage(`mine ${round}`));
    assertEquals(textOfEntry(session.getEntry(id)), `mine ${round}`);
  }
  assertEquals(session.getEntries().length, 7);
  assertEquals(session.getBranch().map(textOfEntry), ["one", "mine 0", "mine 1", "mine 2"]);
});

Deno.test("a file that is changed from outside is read anew, and is an error if it goes on so", async () => {
  await using dir = await tempDir();
  const text = `${headerLine()}\n${userLine("a", null)}\n${userLine("b", "a")}\n`;
  const path = await dir.write("s.jsonl", text);
  await using session = await SessionManager.open(path);
  assertEquals(session.getBranchIds(), ["a", "b"]);
  await Deno.writeTextFile(path, text.replaceAll('"a"', '"z"'));
  assertEquals(session.getEntry("a"), undefined);
  assertEquals(idsOf(session.getBranch()), ["z", "b"]);
  await Deno.writeTextFile(path, text.replaceAll('"a"', '"y"').replace(/text of ./g, "TEXT OF x"));
  assertEquals(idsOf(session.getBranch()), ["z", "b"], "what was read is kept");
  session.setSessionFile(path);
  session.check();
  await Deno.writeTextFile(path, text.replaceAll('"a"', '"x"'));
  const error = assertThrows(() => session.getBranch(), Error);
  assertMatch(error.message, /^Entry y of session .* was changed from outside\. Open it again\.$/);
});

/** Storage that takes only a part of what it is given, or nothing, when it is told to. */
class FailingStorage extends MemoryStorage {
  fails = false;

  override append(bytes: Uint8Array): void {
    if (this.fails) throw new Error("no room");
    super.append(bytes);
  }
}

Deno.test("an append that fails says so at once and changes nothing", async () => {
  await using dir = await tempDir();
  const storage = new FailingStorage();
  const files: SessionFiles = { ...denoSessionFiles, open: (): SessionStorage => storage };
  await using session = await SessionManager.create(dir.path, { sessionsDir: dir.path, files });
  storage.fails = true;
  assertThrows(() => session.appendCustomEntry("first"), Error, "no room");
  assertEquals([session.getLeafId(), session.getEntries()], [null, []]);
  storage.fails = false;
  const first = session.appendCustomEntry("first");
  storage.fails = true;
  assertThrows(() => session.appendCustomEntry("second"), Error, "no room");
  assertThrows(() => session.branchWithSummary(null, "x"), Error, "no room");
  assertEquals([session.getLeafId(), session.getEntries().length], [first, 1]);
  storage.fails = false;
  const second = session.appendCustomEntry("second");
  assertEquals(idsOf(session.getBranch()), [first, second]);
});

Deno.test({
  name: "a disk that takes only a part of a record leaves the file as it was",
  ignore: isWindows,
  async fn() {
    await using dir = await tempDir();
    const script = await dir.write(
      "fill.ts",
      `import { SessionManager } from ${JSON.stringify(SESSION)};
       const session = await SessionManager.create(Deno.args[0], { sessionsDir: Deno.args[0] });
       const done = [];
       let failure = "";
       while (failure === "") {
         const leaf = session.getLeafId();
         try {
           done.push(session.appendCustomEntry("fill", "x".repeat(3000)));
         } catch (error) {
           failure = error.message;
           if (session.getLeafId() !== leaf) failure += " and the leaf moved";
         }
       }
       done.push(session.appendCustomEntry("small"));
       const path = session.getSessionFile();
       await session.close();
       console.log(JSON.stringify({ path, done, failure }));`,
    );
    // Files may not become larger than so many blocks of 512 or 1024 bytes.
    const config = decodeURIComponent(new URL("../deno.json", import.meta.url).pathname);
    const { stdout, stderr } = await new Deno.Command("sh", {
      args: [
        "-c",
        `trap '' XFSZ; ulimit -f 20; exec "$@"`,
        "sh",
        ...[Deno.execPath(), "run", "-A", "--no-code-cache", "--config", config, script, dir.path],
      ],
      env: { DENO_DIR: Deno.env.get("DENO_DIR") ?? "", NO_COLOR: "1" },
    }).output();
    const errors = new TextDecoder().decode(stderr);
    assertEquals(errors, "");
    const { path, done, failure } = JSON.parse(new TextDecoder().decode(stdout));
    assertMatch(failure, /^Session .* could not be written: [^ ].*[^d]$/);
    assert(done.length > 3);
    await using session = await SessionManager.open(path);
    assertEquals(session.check(), []);
    assertEquals(idsOf(session.getEntries()), done);
  },
});

Deno.test("a missing permission is named with the flag that gives it", async () => {
  await using dir = await tempDir();
  const path = await dir.write("s.jsonl", `${headerLine()}\n${userLine("a", null)}\n`);
  const script = await dir.write(
    "try.ts",
    `import { SessionManager } from ${JSON.stringify(SESSION)};
     const session = await SessionManager.open(Deno.args[0]).catch((error) => error.message);
     if (typeof session === "string") console.log(session);
     else {
       console.log(session.getEntries().length);
       try { session.appendCustomEntry("x"); } catch (error) { console.log(error.message); }
       await session.close();
     }`,
  );
  const run = async (permissions: string[]): Promise<string> =>
    (await runDeno(["run", script, path], { permissions: ["--no-prompt", ...permissions] })).stdout;
  assertEquals(await run([]), `${path} cannot be read: run with --allow-read=${path}\n`);
  assertEquals(
    await run([`--allow-read=${dir.path}`]),
    `1\n${path} cannot be written: run with --allow-write=${path}\n`,
  );
});

Deno.test("what is no file is refused before it is opened", async () => {
  await using dir = await tempDir();
  await assertRejects(
    () => SessionManager.open(dir.path),
    Error,
    `Session ${dir.path} is not a file`,
  );
  await assertRejects(
    () => SessionManager.open(dir.file("none.jsonl")),
    Error,
    `There is no session file ${dir.file("none.jsonl")}`,
  );
  if (isWindows) return;
  await new Deno.Command("mkfifo", { args: [dir.file("pipe")] }).output();
  await assertRejects(() => SessionManager.open(dir.file("pipe")), Error, "is not a file");
});

Deno.test("a session file is for its owner only", { ignore: isWindows }, async () => {
  await using dir = await tempDir();
  await using session = await SessionManager.create(dir.path, { sessionsDir: dir.file("kept") });
  session.appendCustomEntry("note");
  const { mode } = await Deno.stat(session.getSessionFile() ?? "");
  assertEquals((mode ?? 0) & 0o777, 0o600);
  assertEquals(((await Deno.stat(session.getSessionDir())).mode ?? 0) & 0o777, 0o700);
});

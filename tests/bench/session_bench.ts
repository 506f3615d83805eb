/**
 * What sessions cost, each beside the bare thing in the same run:
 *
 * - opening a session of 100 MB, with the tree of all its entries, beside reading the file and
 *   parsing each of its lines, in two ways: piece by piece, dropping what was parsed, and as a whole,
 *   keeping it;
 * - going on at the last entry, in files of 1 and 100 MB;
 * - the peak memory of processes that do so, beside an empty one;
 * - appending, beside stringifying and writing the same entries to an open file;
 * - branches and contexts of 25 000 and of 100 000 entries, by the entry.
 *
 * The files are in the page cache. Run it with `deno task bench`.
 *
 * @module
 */

import type { AgentMessage } from "../../src/messages.ts";
import { SessionManager } from "../../src/session/session.ts";
import { compare, report } from "./measure.ts";

const folder = await Deno.makeTempDir();
const encoder = new TextEncoder();

const CODE = "const rows = list.filter((row) => row.size > 2);\nif (rows.length > 0) {\n  " +
  'console.log(`found ${rows.length} "rows"`);\n}\n';

/** A turn: a question, an answer with a tool call, and a long result. */
function messageAt(index: number): AgentMessage {
  switch (index % 3) {
    case 0:
      return { role: "user", content: [{ type: "text", text: CODE.slice(0, 90) }], timestamp: 1 };
    case 1:
      return {
        role: "assistant",
        content: [
          { type: "text", text: CODE },
          {
            type: "toolCall",
            id: `call-${index}`,
            name: "write",
            arguments: { path: "a.ts", content: CODE.repeat(20) },
          },
        ],
        api: "messages",
        provider: "acme",
        model: "large",
        usage: {
          input: 100,
          output: 50,
          cacheRead: 0,
          cacheWrite: 0,
          totalTokens: 150,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
        },
        stopReason: "toolUse",
        timestamp: 1,
      };
    default:
      return {
        role: "toolResult",
        toolCallId: `call-${index - 1}`,
        toolName: "write",
        content: [{ type: "text", text: CODE.repeat(60) }],
        isError: false,
        timestamp: 1,
      };
  }
}

/** Writes a session of so many bytes, in the order of fields that agents use. */
async function writeSession(bytes: number): Promise<string> {
  const path = `${folder}/${bytes}.jsonl`;
  using file = await Deno.open(path, { write: true, create: true });
  const time = "2026-01-02T03:04:05.678Z";
  let pending = `${
    JSON.stringify({ type: "session", version: 3, id: "bench", timestamp: time, cwd: "/project" })
  }\n`;
  let parentId: string | null = null;
  for (let written = 0, index = 0; written < bytes; index++) {
    const id = index.toString(16).padStart(8, "0");
    const entry = { type: "message", id, parentId, timestamp: time, message: messageAt(index) };
    pending += `${JSON.stringify(entry)}\n`;
    parentId = id;
    if (pending.length > 1 << 20) {
      written += await file.write(encoder.encode(pending));
      pending = "";
    }
  }
  await file.write(encoder.encode(pending));
  return path;
}

/** Reads a file piece by piece and parses its lines. */
function parseEachLine(path: string): number {
  using file = Deno.openSync(path);
  const decoder = new TextDecoder();
  let buffer = new Uint8Array(1 << 20);
  let filled = 0;
  let count = 0;
  while (true) {
    const read = file.readSync(buffer.subarray(filled));
    if (read === null) return count;
    filled += read;
    const bytes = buffer.subarray(0, filled);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      JSON.parse(decoder.decode(bytes.subarray(start, end)));
      count++;
      start = end + 1;
    }
    buffer.copyWithin(0, start, filled);
    filled -= start;
    if (filled === buffer.length) {
      const larger = new Uint8Array(2 * buffer.length);
      larger.set(buffer);
      buffer = larger;
    }
  }
}

/** Reads a file as one text and keeps what its lines say. */
function parseWholeFile(path: string): number {
  const lines = Deno.readTextFileSync(path).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line)).length;
}

async function openWithTree(path: string): Promise<void> {
  await using session = await SessionManager.open(path);
  session.getBranchIds();
}

async function resume(path: string): Promise<void> {
  await using session = await SessionManager.open(path);
  if (session.getLeafEntry() === undefined) throw new Error("There is no last entry");
}

const small = await writeSession(1e6);
const large = await writeSession(100e6);
const path = large;

{
  const times = async (work: () => unknown, count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await work();
  };
  const each = await compare(
    (count) => times(() => parseEachLine(path), count),
    { open: (count) => times(() => openWithTree(path), count) },
    1,
    9,
  );
  report("open 100 MB, beside parsing line by line", each.baseline, each.figures.open, 0.3);
  const whole = await compare(
    (count) => times(() => parseWholeFile(path), count),
    { open: (count) => times(() => openWithTree(path), count) },
    1,
    5,
  );
  report("open 100 MB, beside parsing the whole text", whole.baseline, whole.figures.open, 0.3);

  for (const [name, file] of [["1 MB", small], ["100 MB", large]]) {
    const { figures } = await compare(
      (count) => times(() => Deno.readTextFileSync(small), count),
      { resume: (count) => times(() => resume(file), count) },
      20,
      15,
    );
    reportGoal(`go on at the last entry of ${name}`, figures.resume.nanoseconds / 1e6, 2, "ms");
  }
}

{
  const session = new URL("../../src/session/session.ts", import.meta.url).href;
  const before = `import { SessionManager } from ${JSON.stringify(session)};`;
  const open = `${before} const session = await SessionManager.open(Deno.args[0]);`;
  const huge = await writeSession(600e6);
  reportGoal("peak memory, nothing opened", await peak("", large), undefined, "MB");
  reportGoal(
    "peak memory, 100 MB opened",
    await peak(`${open} session.getBranchIds();`, large),
    130,
    "MB",
  );
  reportGoal(
    "peak memory, 600 MB opened",
    await peak(`${open} session.getBranchIds();`, huge),
    130,
    "MB",
  );
  const walk = `${open} for (const id of session.getBranchIds()) session.getEntry(id);`;
  reportGoal(
    "peak memory, 100 MB, each entry looked at once",
    await peak(walk, large),
    undefined,
    "MB",
  );
  await Deno.remove(huge);
}

{
  const COUNT = 10_000;
  const messages = Array.from({ length: COUNT }, (_, index) => messageAt(index));
  const { baseline, figures } = await compare(
    (times) => {
      for (let i = 0; i < times; i++) {
        const bare = `${folder}/bare`;
        {
          using file = Deno.openSync(bare, { append: true, create: true });
          for (const message of messages) {
            const base = { type: "message", id: "12345678", parentId: "12345678", timestamp: "" };
            file.writeSync(encoder.encode(`${JSON.stringify({ ...base, message })}\n`));
          }
        }
        Deno.removeSync(bare);
      }
    },
    {
      session: async (times) => {
        for (let i = 0; i < times; i++) {
          const session = await SessionManager.create(folder, { sessionsDir: folder });
          for (const message of messages) session.appendMessage(message);
          session.discard();
        }
      },
    },
    1,
    15,
  );
  report("10 000 appends, beside bare writes of the same entries", baseline, figures.session, 1.3);
}

{
  const sessions = [25_000, 100_000].map((count) => {
    const session = SessionManager.inMemory();
    for (let i = 0; i < count; i++) {
      session.appendMessage({ role: "user", content: `message ${i}`, timestamp: i });
    }
    return { count, session };
  });
  const work: Record<string, (session: SessionManager) => unknown> = {
    "getBranchIds": (session) => session.getBranchIds(),
    "getBranch": (session) => session.getBranch(),
    "buildSessionContext": (session) => session.buildSessionContext(),
    "getTree": (session) => session.getTree(),
  };
  for (const [name, run] of Object.entries(work)) {
    const [less, more] = sessions.map(({ count, session }) => (times: number) => {
      // As much work for both: the smaller one is done four times.
      for (let i = 0; i < times * (100_000 / count); i++) run(session);
    });
    const { baseline, figures } = await compare(less, { more }, 1, 9);
    // Trees are new each time: what that costs is up to the garbage collector.
    const goal = name === "getTree" ? undefined : 2;
    report(`${name}: 100 000 entries, beside 4 times 25 000`, baseline, figures.more, goal);
  }
}

await Deno.remove(folder, { recursive: true });

/** The most memory that a process had while it ran a program, in MB. */
async function peak(program: string, file: string): Promise<number> {
  const script = `${folder}/peak.ts`;
  const tell = `const status = Deno.readTextFileSync("/proc/self/status");
    console.log(/VmHWM:\\s*(\\d+)/.exec(status)?.[1] ?? "0");`;
  await Deno.writeTextFile(script, `${program}\n${tell}`);
  const config = decodeURIComponent(new URL("../../deno.json", import.meta.url).pathname);
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--config", config, script, file],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("The program failed");
  return Number(new TextDecoder().decode(stdout)) * 1024 / 1e6;
}

function reportGoal(what: string, value: number, goal: number | undefined, unit: string): void {
  const verdict = goal === undefined ? "" : `<= ${goal} ${unit} ${value <= goal ? "ok" : "MISSED"}`;
  console.log(`${what.padEnd(58)} ${`${value.toFixed(2)} ${unit}`.padStart(10)} ${verdict}`);
}

/**
 * Damaged session files: one rule for each kind of damage, and no file is changed because of it.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { SessionWarningKind } from "../src/session/warnings.ts";
import { SessionManager } from "../src/session/session.ts";
import { tempDir } from "./helpers.ts";
import {
  entryLine,
  headerLine,
  idsOf,
  textOfEntry,
  userLine,
  userMessage,
} from "./session_lines.ts";

/** A damaged file, and what is made of it. */
interface Case {
  /** The behaviour. */
  name: string;
  /** The bytes of the file. */
  file: string | Uint8Array;
  /** The entries that are read. */
  ids: string[];
  /** The branch of the last entry. Default: all entries. */
  branch?: string[];
  /** Kind and line of each warning. */
  warnings: [SessionWarningKind, number][];
}

const a = userLine("a", null);
const b = userLine("b", "a");
const c = userLine("c", "b");
const header = headerLine();

function lines(...all: string[]): string {
  return all.map((line) => `${line}\n`).join("");
}

function bytes(...parts: (string | number[])[]): Uint8Array {
  const encoder = new TextEncoder();
  return new Uint8Array(
    parts.flatMap((part) => typeof part === "string" ? [...encoder.encode(part)] : part),
  );
}

const CASES: Case[] = [
  {
    name: "a whole file gives no warning",
    file: lines(header, a, b, c),
    ids: ["a", "b", "c"],
    warnings: [],
  },
  {
    name: "a torn last line is passed over",
    file: lines(header, a, b) + c.slice(0, -20),
    ids: ["a", "b"],
    warnings: [["torn", 4]],
  },
  {
    name: "a torn last line that ends with a brace is passed over",
    file: lines(header, a, b) + c.slice(0, -1),
    ids: ["a", "b"],
    warnings: [["torn", 4]],
  },
  {
    name: "a last line without a line feed is read if it is whole",
    file: lines(header, a) + b,
    ids: ["a", "b"],
    warnings: [],
  },
  {
    name: "two records on one line are both read",
    file: lines(header, a, b + c, userLine("d", "c")),
    ids: ["a", "b", "c", "d"],
    warnings: [["welded", 3]],
  },
  {
    name: "two records on the last line are both read",
    file: lines(header, a, b + c),
    ids: ["a", "b", "c"],
    warnings: [["welded", 3]],
  },
  {
    name: "a record behind a torn one on the same line is read",
    file: lines(header, a, b.slice(0, 60) + userLine("c", "a"), userLine("d", "c")),
    ids: ["a", "c", "d"],
    warnings: [["welded", 3]],
  },
  {
    name: "a record behind one that was torn in a nested block is read, and the block is not",
    file: lines(
      header,
      a,
      '{"type":"message","id":"x","parentId":"a","message":{"content":[' +
        `{"type":"toolCall","id":"call","name":"bash","arguments":{}},{"type":"te${b}`,
    ),
    ids: ["a", "b"],
    warnings: [["welded", 3]],
  },
  {
    name: "records are split where a text holds braces and quotes",
    file: lines(header, userLine("a", null, '}{"type":"message"} \\" {') + b),
    ids: ["a", "b"],
    warnings: [["welded", 2]],
  },
  {
    name: "a line of garbage is passed over, and the history before it stays",
    file: lines(header, a, "not json at all", c),
    ids: ["a", "c"],
    warnings: [["garbage", 3], ["orphan", 4]],
  },
  {
    name: "JSON that is no object is passed over",
    file: lines(header, a, '"text"', "7", "[1]", "null", b),
    ids: ["a", "b"],
    warnings: [["not-an-entry", 3], ["not-an-entry", 4], ["not-an-entry", 5], ["not-an-entry", 6]],
  },
  {
    name: "an object without id or type is passed over",
    file: lines(header, a, '{"type":"note"}', '{"id":"x"}', b),
    ids: ["a", "b"],
    warnings: [["not-an-entry", 3], ["not-an-entry", 4]],
  },
  {
    name: "blank lines are passed over without a word",
    file: lines(header, "", a, "   ", "\t", b),
    ids: ["a", "b"],
    warnings: [],
  },
  {
    name: "zero bytes in front of a record do not hide it",
    file: bytes(lines(header, a), [0, 0, 0, 0], lines(b)),
    ids: ["a", "b"],
    warnings: [["welded", 3]],
  },
  {
    name: "lines that end with CR LF are read",
    file: lines(header, a, b).replaceAll("\n", "\r\n"),
    ids: ["a", "b"],
    warnings: [["crlf", 0]],
  },
  {
    name: "a byte order mark is passed over",
    file: bytes([0xef, 0xbb, 0xbf], lines(header, a)),
    ids: ["a"],
    warnings: [["bom", 1]],
  },
  {
    name: "bytes that are no UTF-8 read as U+FFFD",
    file: bytes(lines(header), a.slice(0, 90), [0xff], a.slice(90), "\n", lines(b)),
    ids: ["a", "b"],
    warnings: [["invalid-utf8", 2]],
  },
  {
    name: "a missing header is not made up",
    file: lines(a, b),
    ids: ["a", "b"],
    warnings: [["no-header", 1]],
  },
  {
    name: "a header on the second line counts",
    file: lines(a, header, b),
    ids: ["a", "b"],
    warnings: [["late-header", 2]],
  },
  {
    name: "a second header does not count",
    file: lines(header, a, headerLine({ id: "s2" }), b),
    ids: ["a", "b"],
    warnings: [["second-header", 3]],
  },
  {
    name: "a torn header in front of entries leaves the entries",
    file: lines(header.slice(0, 40), a, b),
    ids: ["a", "b"],
    warnings: [["garbage", 1], ["no-header", 1]],
  },
  { name: "an empty file is an empty session", file: "", ids: [], warnings: [["empty", 0]] },
  {
    name: "a file of blank lines is an empty session",
    file: "\n\r\n  \n",
    ids: [],
    warnings: [["crlf", 0], ["empty", 0]],
  },
  {
    name: "a file with nothing but a torn header is an empty session",
    file: header.slice(0, 40),
    ids: [],
    warnings: [["torn", 1], ["empty", 0]],
  },
  {
    name: "an orphan hangs on the entry before it",
    file: lines(header, a, userLine("b", "lost"), c),
    ids: ["a", "b", "c"],
    warnings: [["orphan", 3]],
  },
  {
    name: "an orphan on the first line begins a tree",
    file: lines(header, userLine("a", "lost"), b),
    ids: ["a", "b"],
    warnings: [["orphan", 2]],
  },
  {
    name: "an entry that does not tell its parent hangs on the entry before it",
    file: lines(header, a, '{"type":"custom","id":"b","customType":"x"}', c),
    ids: ["a", "b", "c"],
    warnings: [["orphan", 3]],
  },
  {
    name: "a parent may stand below its child",
    file: lines(header, userLine("b", "a"), a, c),
    ids: ["b", "a", "c"],
    branch: ["a", "b", "c"],
    warnings: [],
  },
  {
    name: "an entry that comes after itself begins a tree",
    file: lines(header, userLine("a", "a"), b),
    ids: ["a", "b"],
    warnings: [["cycle", 2]],
  },
  {
    name: "a ring of entries is cut at its first one",
    file: lines(header, userLine("a", "c"), b, c, userLine("d", "b")),
    ids: ["a", "b", "c", "d"],
    branch: ["a", "b", "d"],
    warnings: [["cycle", 2]],
  },
  {
    name: "two rings are both cut",
    file: lines(
      header,
      userLine("a", "b"),
      userLine("b", "a"),
      userLine("c", "d"),
      userLine("d", "c"),
      userLine("e", "d"),
    ),
    ids: ["a", "b", "c", "d", "e"],
    branch: ["c", "d", "e"],
    warnings: [["cycle", 2], ["cycle", 4]],
  },
  {
    name: "of entries with the same id the first counts",
    file: lines(header, a, b, userLine("a", "b", "other"), c),
    ids: ["a", "b", "c"],
    warnings: [["duplicate-id", 4]],
  },
  {
    name: "a file that was appended to itself goes on at its last entry",
    file: lines(header, a, b, header, a, b),
    ids: ["a", "b"],
    warnings: [["second-header", 4], ["duplicate-id", 5], ["duplicate-id", 6]],
  },
];

for (const { name, file, ids, branch, warnings } of CASES) {
  Deno.test(name, async () => {
    await using dir = await tempDir();
    const path = dir.file("s.jsonl");
    await Deno.writeFile(path, typeof file === "string" ? bytes(file) : file);
    const told: unknown[] = [];
    await using session = await SessionManager.open(path, {
      onWarning: (warning) => told.push(warning),
    });
    assertEquals(session.getLeafId(), (branch ?? ids).at(-1) ?? null, "before all is read");
    assertEquals(idsOf(session.getEntries()), ids);
    assertEquals(idsOf(session.getBranch()), branch ?? ids);
    assertEquals(session.getLeafId(), (branch ?? ids).at(-1) ?? null, "after all was read");
    const found = session.getWarnings();
    assertEquals(found.map(({ kind, line }) => [kind, line]), warnings);
    assertEquals(told, found);
    for (const { line, message } of found) {
      if (line > 0) assertStringIncludes(message, `ine ${line}`);
    }
    // What is handed out hangs together, whatever the lines say.
    session.getBranch().forEach((entry, step, all) =>
      assertEquals(entry.parentId, all[step - 1]?.id ?? null)
    );
    assertEquals(session.check().map(({ kind, line }) => [kind, line]), warnings);
  });

  Deno.test(`appending after: ${name}`, async () => {
    await using dir = await tempDir();
    const path = dir.file("s.jsonl");
    const before = typeof file === "string" ? bytes(file) : file;
    await Deno.writeFile(path, before);
    const session = await SessionManager.open(path);
    const first = session.appendMessage(userMessage("first"));
    const second = session.appendMessage(userMessage("second"));
    await session.close();

    const after = await Deno.readFile(path);
    assertEquals(after.subarray(0, before.length), before, "what was there is as it was");
    const added = new TextDecoder().decode(after.subarray(before.length));
    const isOpenEnded = before.length > 0 && before.at(-1) !== 10;
    assertEquals(added.startsWith("\n"), isOpenEnded, "a line of its own");
    const records = added.trim().split("\n").map((line) => JSON.parse(line));
    const isEmpty = ids.length === 0;
    assertEquals(
      records.map(({ type, id }) => type === "session" ? type : id),
      isEmpty ? ["session", first, second] : [first, second],
    );

    await using again = await SessionManager.open(path);
    assertEquals(idsOf(again.getEntries()), [...ids, first, second]);
    assertEquals(idsOf(again.getBranch()), [...branch ?? ids, first, second]);
  });
}

Deno.test("texts with line separators, half letters and control characters come back identical", async () => {
  await using dir = await tempDir();
  const texts = [
    "a\u2028b\u2029c\u0085d\u000be\u000cf",
    "half an emoji \ud83d",
    "\ude00 the other half",
    "\u0000 and </script>",
    "\ufeff a mark, \ufffd and \uffff",
    "x".repeat(1 << 20),
  ];
  const session = await SessionManager.create(dir.path, { sessionsDir: dir.path });
  for (const text of texts) session.appendMessage(userMessage(text));
  const path = session.getSessionFile() ?? "";
  await session.close();

  const file = new TextDecoder("utf-8", { fatal: true }).decode(await Deno.readFile(path));
  assertStringIncludes(file, "half an emoji \\ud83d");
  await using again = await SessionManager.open(path);
  assertEquals(again.getEntries().map(textOfEntry), texts);
  assertEquals(again.check(), []);
});

Deno.test("line separators that stand raw in a file end no line", async () => {
  await using dir = await tempDir();
  const text = "a\u2028b\u2029c\u0085d";
  const path = await dir.write("s.jsonl", lines(header, userLine("a", null, text), b));
  await using session = await SessionManager.open(path);
  assertEquals(textOfEntry(session.getEntry("a")), text);
  assertEquals(session.check(), []);
});

Deno.test("a tool call without arguments gets none, and a text for a result becomes a block", async () => {
  await using dir = await tempDir();
  const call = { type: "toolCall", id: "t1", name: "bash", arguments: null };
  const result = { role: "toolResult", toolCallId: "t1", toolName: "bash", content: "out" };
  const path = await dir.write(
    "s.jsonl",
    lines(
      header,
      entryLine("message", "a", null, { message: { role: "assistant", content: [call] } }),
      entryLine("message", "b", "a", { message: result }),
      entryLine("message", "c", "b", { message: { role: "assistant", content: null } }),
    ),
  );
  await using session = await SessionManager.open(path);
  const [first, second, third] = session.getEntries().map(textOfEntry);
  assertEquals(first, [{ ...call, arguments: {} }]);
  assertEquals(second, [{ type: "text", text: "out" }]);
  assertEquals(third, []);
});

Deno.test("two records that were welded where nobody looks are found when the line is read", async () => {
  await using dir = await tempDir();
  // Both ends of the line look right, and nothing in the file comes after `c`.
  const path = await dir.write("s.jsonl", lines(header, a, b + c, userLine("d", "b")));
  await using session = await SessionManager.open(path);
  assertEquals(session.getWarnings(), []);
  assertEquals(idsOf(session.getBranch()), ["a", "b", "d"]);
  assertEquals(session.getWarnings().map(({ kind, line }) => [kind, line]), [["welded", 3]]);
  assertEquals(session.getEntry("c")?.parentId, "b");
  assertEquals(session.getLeafId(), "d");
});

Deno.test("a file that does not tell its working directory gets the one that is named", async () => {
  await using dir = await tempDir();
  const path = await dir.write("some_name.jsonl", lines(a));
  await using session = await SessionManager.open(path, { cwd: "/here" });
  assertEquals([session.getCwd(), session.getSessionId()], ["/here", "name"]);
  assertEquals(session.getHeader(), null);
});

Deno.test("checking reads every line, without being asked for an entry", async () => {
  await using dir = await tempDir();
  const path = await dir.write("s.jsonl", lines(header, a, b + c, userLine("d", "b")));
  await using session = await SessionManager.open(path);
  assertEquals(session.check().map(({ kind }) => kind), ["welded"]);
});

Deno.test("reading a damaged file does not change it", async () => {
  await using dir = await tempDir();
  const text = lines(header, "garbage", a, b + c) + "{torn";
  const path = await dir.write("s.jsonl", text);
  const { mtime } = await Deno.stat(path);
  const session = await SessionManager.open(path);
  session.getTree();
  session.check();
  await session.flush();
  await session.close();
  assertEquals(await Deno.readTextFile(path), text);
  assertEquals((await Deno.stat(path)).mtime, mtime);
});

Deno.test("a line made of nested beginnings does not keep the reader busy", async () => {
  await using dir = await tempDir();
  const evil = '{"type":"'.repeat(200_000);
  const path = await dir.write("s.jsonl", lines(header, a, evil, b));
  await using session = await SessionManager.open(path);
  assertEquals(idsOf(session.getEntries()), ["a", "b"]);
  assertEquals(session.getWarnings().map(({ kind }) => kind), ["garbage"]);
});

Deno.test("JSON nested deeper than calls can be is read", async () => {
  await using dir = await tempDir();
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  const line = `{"type":"custom","id":"a","parentId":null,"timestamp":"${"x"}","data":${deep}}`;
  const path = await dir.write("s.jsonl", lines(header, line));
  await using session = await SessionManager.open(path);
  assert(Object.isFrozen(session.getEntry("a")));
});

const FOREIGN: Record<string, string> = {
  "a text": "Dear diary,\ntoday I wrote no JSON.\n",
  "JSON that is not one object a line": '{\n  "name": "x"\n}\n',
  "a transcript with other names for id and parent":
    '{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"hi"}}\n',
  "a rollout of records with a payload":
    '{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x"}}\n',
  "events of other types that have an id and a parent":
    '{"type":"session.start","id":"e1","parentId":null,"timestamp":"x","data":{}}\n',
  "a list of messages": '[{"role":"user","content":"hi"}]\n',
};

for (const [what, text] of Object.entries(FOREIGN)) {
  Deno.test(`${what} is refused with one sentence`, async () => {
    await using dir = await tempDir();
    const path = await dir.write("other.jsonl", text);
    const error = await assertRejects(() => SessionManager.open(path), Error);
    assertEquals(
      error.message,
      `${path} is not a session: it has neither a session header nor entries of a session`,
    );
    assertEquals(await Deno.readTextFile(path), text);
  });
}

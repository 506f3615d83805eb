/**
 * Sessions of any size: what is read when, and lines at every place of a chunk.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { denoSessionFiles } from "../src/deno/session_files.ts";
import { MAX_LINE, visitLines } from "../src/session/lines.ts";
import { MemoryStorage } from "../src/session/memory_storage.ts";
import { SessionManager } from "../src/session/session.ts";
import type { SessionFiles, SessionStorage } from "../src/session_storage.ts";
import { tempDir } from "./helpers.ts";
import { seededRandom } from "./random.ts";
import { headerLine, idsOf, textOfEntry, userLine } from "./session_lines.ts";

const CHUNK = 1 << 18;

function linesOf(bytes: Uint8Array): { text: string; position: number; isTerminated: boolean }[] {
  const lines: ReturnType<typeof linesOf> = [];
  const decoder = new TextDecoder();
  const count = visitLines(
    new MemoryStorage(bytes),
    (chunk, start, end, position, isTerminated) =>
      lines.push({ text: decoder.decode(chunk.subarray(start, end)), position, isTerminated }),
  );
  assertEquals(count, bytes.length);
  return lines;
}

Deno.test("lines are cut at line feeds, wherever these stand in a chunk", () => {
  const random = seededRandom(3);
  const encoder = new TextEncoder();
  for (let round = 0; round < 40; round++) {
    const texts: string[] = [];
    for (let size = 0; size < 2.5 * CHUNK;) {
      const kind = random();
      const length = kind < 0.2
        ? Math.floor(random() * 4)
        : kind < 0.9
        ? Math.floor(random() * 50_000)
        // So that this line ends at a chunk, or next to it.
        : Math.max(0, CHUNK - (size % CHUNK) - 2 + Math.floor(random() * 4));
      texts.push("x".repeat(length));
      size += length + 1;
    }
    const isTerminated = random() < 0.5;
    const bytes = encoder.encode(texts.join("\n") + (isTerminated ? "\n" : "z"));
    if (!isTerminated) texts.push(`${texts.pop()}z`);
    let position = 0;
    const expected = texts.map((text, i) => {
      const line = { text, position, isTerminated: isTerminated || i < texts.length - 1 };
      position += text.length + 1;
      return line;
    });
    assertEquals(linesOf(bytes), expected);
  }
});

Deno.test("nothing, a line feed and a lone letter are no line, an empty line and a line", () => {
  const encoder = new TextEncoder();
  assertEquals(linesOf(new Uint8Array(0)), []);
  assertEquals(linesOf(encoder.encode("\n")), [{ text: "", position: 0, isTerminated: true }]);
  assertEquals(linesOf(encoder.encode("x")), [{ text: "x", position: 0, isTerminated: false }]);
});

/** Session files that count the bytes which are read. */
function countingFiles(): { files: SessionFiles; count: () => number } {
  let bytes = 0;
  const open = (path: string): SessionStorage => {
    const storage = denoSessionFiles.open(path);
    const read = storage.read.bind(storage);
    storage.read = (buffer, position) => {
      const count = read(buffer, position);
      bytes += count;
      return count;
    };
    return storage;
  };
  return { files: { ...denoSessionFiles, open }, count: () => bytes };
}

Deno.test("going on at the last entry reads both ends of a file only", async () => {
  await using dir = await tempDir();
  const lines = [headerLine()];
  for (let i = 0; i < 2000; i++) {
    lines.push(userLine(`e${i}`, i === 0 ? null : `e${i - 1}`, "x".repeat(5000)));
  }
  const path = await dir.write("s.jsonl", `${lines.join("\n")}\n`);
  const { size } = await Deno.stat(path);
  const { files, count } = countingFiles();
  await using session = await SessionManager.open(path, { files });
  assertEquals([session.getLeafId(), session.getLeafEntry()?.id], ["e1999", "e1999"]);
  assertEquals([session.getSessionId(), session.getCwd()], ["s1", "/project"]);
  assert(count() < 50_000, `${count()} bytes of ${size}`);

  // The first question about the tree reads the file once, an entry not much more than itself.
  assertEquals(session.getBranchIds().length, 2000);
  const indexed = count();
  assert(indexed < size + 50_000, `${indexed} bytes of ${size}`);
  assertEquals(session.getEntry("e7")?.parentId, "e6");
  assert(count() - indexed < 10_000, `${count() - indexed} bytes for an entry`);
  const one = count();
  session.getEntry("e7");
  assertEquals(count(), one, "an entry is parsed once");
  session.getBranch();
  assert(count() - one < 1.1 * size, "a branch reads each entry once");
});

Deno.test("a last line that is longer than what is read at first is found", async () => {
  await using dir = await tempDir();
  for (const length of [16_000, 16_384, 70_000, 3_000_000]) {
    const lines = [headerLine(), userLine("a", null), userLine("b", "a", "y".repeat(length))];
    const path = await dir.write(`${length}.jsonl`, `${lines.join("\n")}\n`);
    const { files, count } = countingFiles();
    await using session = await SessionManager.open(path, { files });
    assertEquals(session.getLeafEntry()?.parentId, "a");
    assert(count() < 6 * length + 50_000, `${count()} bytes for ${length}`);
  }
});

/** A session of long lines that are made when they are read: no disk has to hold them. */
class EndlessStorage extends MemoryStorage {
  static readonly LINE = 4 << 20;
  readonly #line: Uint8Array;
  readonly #count: number;

  constructor(count: number) {
    super(encode(`${headerLine()}\n${userLine("00000000", null)}\n`));
    this.#count = count;
    const frame = userLine("00000001", "00000000", "").length + 1;
    const text = "x".repeat(EndlessStorage.LINE - frame);
    this.#line = encode(`${userLine("00000001", "00000000", text)}\n`);
  }

  override size(): number {
    return super.size() + this.#count * EndlessStorage.LINE;
  }

  override read(buffer: Uint8Array, position: number): number {
    const head = super.size();
    if (position < head) return super.read(buffer, position);
    const record = Math.floor((position - head) / EndlessStorage.LINE);
    if (record >= this.#count) return 0;
    // The digits of both ids.
    this.#line.set(encode(String(record + 1).padStart(8, "0")), '{"type":"message","id":"'.length);
    const parentAt = '{"type":"message","id":"00000001","parentId":"'.length;
    this.#line.set(encode(String(record).padStart(8, "0")), parentAt);
    const from = (position - head) % EndlessStorage.LINE;
    const count = Math.min(buffer.length, EndlessStorage.LINE - from);
    buffer.set(this.#line.subarray(from, from + count));
    const isFull = count === buffer.length;
    return isFull ? count : count + this.read(buffer.subarray(count), position + count);
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("a file that is longer than the longest text opens", async () => {
  const storage = new EndlessStorage(140);
  assert(storage.size() > 2 ** 29);
  const files = { ...denoSessionFiles, exists: () => true, open: () => storage };
  await using session = await SessionManager.open("/huge.jsonl", { files });
  assertEquals(session.getLeafId(), "00000140");
  assertEquals(session.getBranchIds().length, 141);
  const text = textOfEntry(session.getEntry("00000003"));
  assert(typeof text === "string" && text.length > 4_000_000 && !/[^x]/.test(text));
  assertEquals(session.getWarnings(), []);
});

/** A session with a line of many letters in its middle, which are made when they are read. */
class LongLineStorage extends MemoryStorage {
  readonly #before: Uint8Array;
  readonly #length: number;

  constructor(before: string, length: number, after: string) {
    super(encode(after));
    this.#before = encode(before);
    this.#length = length;
  }

  override size(): number {
    return this.#before.length + this.#length + super.size();
  }

  override read(buffer: Uint8Array, position: number): number {
    const holeEnd = this.#before.length + this.#length;
    const before = this.#before.subarray(position);
    if (before.length > 0) {
      const count = Math.min(before.length, buffer.length);
      buffer.set(before.subarray(0, count));
      if (count === buffer.length) return count;
      return count + this.read(buffer.subarray(count), position + count);
    }
    if (position >= holeEnd) return super.read(buffer, position - holeEnd);
    const count = Math.min(buffer.length, holeEnd - position);
    buffer.fill(120, 0, count);
    return count === buffer.length ? count : count + this.read(buffer.subarray(count), holeEnd);
  }
}

Deno.test("a line that is too long is passed over, whole", async () => {
  const storage = new LongLineStorage(
    `${headerLine()}\n${userLine("a", null)}\n`,
    MAX_LINE + 1_000_000,
    `\n${userLine("b", "a")}\n${userLine("c", "b")}\n`,
  );
  const files = { ...denoSessionFiles, exists: () => true, open: () => storage };
  await using session = await SessionManager.open("/long.jsonl", { files });
  assertEquals(idsOf(session.getEntries()), ["a", "b", "c"]);
  assertEquals(session.getWarnings().map(({ kind, line }) => [kind, line]), [["too-long", 3]]);
});

Deno.test("what was parsed is kept up to 32 MiB, and read again beyond that", async () => {
  await using dir = await tempDir();
  const length = 3 << 20;
  const lines = [headerLine()];
  for (let i = 0; i < 13; i++) {
    lines.push(userLine(`e${i}`, i === 0 ? null : `e${i - 1}`, "x".repeat(length)));
  }
  const path = await dir.write("s.jsonl", `${lines.join("\n")}\n`);
  const { files, count } = countingFiles();
  await using session = await SessionManager.open(path, { files });
  const costOf = (id: string): number => {
    const before = count();
    assertEquals(session.getEntry(id)?.id, id);
    return count() - before;
  };
  for (let i = 0; i < 13; i++) assert(costOf(`e${i}`) >= length || i === 12);
  assertEquals(costOf("e12"), 0);
  assertEquals(costOf("e5"), 0);
  assert(costOf("e0") >= length);
  assertEquals(costOf("e0"), 0);
});

Deno.test("branches are as long as they like", () => {
  const session = SessionManager.inMemory();
  for (let i = 0; i < 20_000; i++) session.appendCustomEntry("n", i);
  assertEquals(session.getBranch().length, 20_000);
  let depth = 0;
  for (let nodes = session.getTree(); nodes.length > 0; nodes = nodes[0].children) depth++;
  assertEquals(depth, 20_000);
  assertEquals(session.buildSessionContext().messages, []);
});

import { assertEquals } from "@std/assert";
import { lineBatchesOf, linesOf } from "../src/cli/lines.ts";

const encoder = new TextEncoder();

/** The bytes in pieces of a size, so that every place of a cut is tried. */
function pieces(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  const parts = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
  return ReadableStream.from(parts);
}

Deno.test("lines end at LF only, wherever the pieces of the stream end", async () => {
  const text = "\ufeffa\u2028b\r\n\nü€\u{1f600}\u0085x\rlast";
  for (let size = 1; size < 30; size++) {
    const lines = await Array.fromAsync(linesOf(pieces(encoder.encode(text), size)));
    assertEquals(lines, ["a\u2028b", "", "ü€\u{1f600}\u0085x\rlast"], `pieces of ${size}`);
  }
});

Deno.test("bytes that are no text are told apart from the mark that stands for them", async () => {
  const bytes = new Uint8Array([
    ...encoder.encode("a\nmark \ufffd and \ufffd\n"),
    0x62,
    0xff,
    ...encoder.encode("\nlast \ufffd\n"),
  ]);
  for (let size = 1; size < 40; size++) {
    const told: number[] = [];
    const batches = lineBatchesOf(pieces(bytes, size), undefined, (line) => void told.push(line));
    const lines = (await Array.fromAsync(batches)).flat();
    assertEquals(lines, ["a", "mark \ufffd and \ufffd", "b\ufffd", "last \ufffd"]);
    // In one large piece the other marked lines may be under suspicion too.
    assertEquals(told.includes(3), true, `pieces of ${size}`);
    if (size === 1) assertEquals(told, [3]);
  }
});

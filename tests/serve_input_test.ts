/**
 * Reading one document from whatever comes in on standard input.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { readDocument, type ReadLimits } from "../src/cli/serve_input.ts";

const LIMITS: ReadLimits = { firstMs: 5_000, wholeMs: 5_000, maxBytes: 1_000 };
const encoder = new TextEncoder();

/** A stream of pieces; it stays open unless it is to end. */
function streamOf(
  pieces: readonly (string | Uint8Array)[],
  ends = true,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) {
        controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
      }
      if (ends) controller.close();
    },
  });
}

function utf16(text: string, isLittle: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(i * 2, text.charCodeAt(i), isLittle);
  return bytes;
}

const bytesOf = (text: string): Uint8Array[] =>
  [...encoder.encode(text)].map((b) => Uint8Array.of(b));
const text = '{"a":"é}\\"{","b":[{"c":1}]}';
const value = JSON.parse(text);

const READABLE: readonly [string, readonly (string | Uint8Array)[], boolean][] = [
  ["in one piece", [text], true],
  ["with a line end", [`${text}\n`], true],
  ["with blanks around it", [` \r\n\t${text} \n\n`], true],
  ["over several lines", [JSON.stringify(value, null, 2)], true],
  ["byte by byte", bytesOf(text), true],
  ["without an end", [text], false],
  ["byte by byte, without an end", bytesOf(text), false],
  ["with a byte order mark", [`\ufeff${text}`], true],
  ["with a byte order mark, byte by byte", bytesOf(`\ufeff${text}`), true],
  ["as UTF-16", [utf16(`\ufeff${text}`, true)], true],
  ["as UTF-16, the other way round", [utf16(`\ufeff${text}`, false)], true],
  ["as UTF-16 without a mark", [utf16(text, true)], true],
  ["as UTF-16 without a mark, the other way round", [utf16(text, false)], false],
];

for (const [name, pieces, ends] of READABLE) {
  Deno.test(`a document is read ${name}`, async () => {
    assertEquals(await readDocument(streamOf(pieces, ends), LIMITS), { value });
  });
}

const FAULTY: readonly [string, readonly (string | Uint8Array)[], RegExp][] = [
  ["nothing", [], /nothing came in/],
  ["blanks", [" \n\n  \n"], /nothing came in/],
  ["one blank", [" "], /nothing came in/],
  ["a text", ["hello there"], /not a JSON object/],
  ["a list", ["[1, 2]"], /not a JSON object/],
  ["a number", ["7"], /not a JSON object/],
  ["a document that is cut off", ['{"a": "b'], /cut off/],
  ["an opening brace", ["{"], /cut off/],
  ["no JSON", ["{'a': 1}"], /not JSON/],
  ["brackets that do not match", ['{"a":[}]'], /not JSON|cut off/],
  ["two documents", [`${text}${text}`], /more than one/],
  ["two documents on two lines", [`${text}\n${text}\n`], /more than one/],
  ["bytes that are no text", [Uint8Array.of(0x7b, 0x22, 0xff, 0xc0, 0x22, 0x7d)], /neither UTF-8/],
  ["too much", [`{"a":"${"x".repeat(2_000)}"}`], /larger than 1000 bytes/],
];

for (const [name, pieces, fault] of FAULTY) {
  Deno.test(`${name}: said what is wrong`, async () => {
    const document = await readDocument(streamOf(pieces), LIMITS);
    assert(document.fault !== undefined && fault.test(document.fault), JSON.stringify(document));
  });
}

Deno.test("nothing, and a document that stops in the middle, are not waited for without end", async () => {
  const limits = { ...LIMITS, firstMs: 5, wholeMs: 20 };
  const nothing = await readDocument(streamOf([], false), limits);
  assertEquals(nothing.fault, "nothing came in on standard input");
  const half = await readDocument(streamOf(['{"a":'], false), limits);
  assert(half.fault?.includes("cut off"), half.fault);
});

Deno.test("twenty megabytes are read, wherever they are cut", async () => {
  const large = JSON.stringify({ text: "é{".repeat(6_000_000) });
  const bytes = encoder.encode(large);
  assert(bytes.length > 17_000_000);
  const pieces = [];
  for (let at = 0; at < bytes.length; at += 65_537) pieces.push(bytes.subarray(at, at + 65_537));
  const document = await readDocument(streamOf(pieces), { ...LIMITS, maxBytes: 64 << 20 });
  assertEquals("value" in document && (document.value as { text: string }).text.length, 12_000_000);
});

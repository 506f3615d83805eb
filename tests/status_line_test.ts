import { assert, assertEquals } from "@std/assert";
import { eastAsianWidth } from "npm:get-east-asian-width@1.7.0";
import { formatStatusLine } from "../src/ui/status_line.ts";
import { pick, seededRandom } from "./random.ts";

const WIDE_ENOUGH = 1_000_000;
// deno-lint-ignore no-control-regex -- colours are what this is about
const SGR = /\x1b\[[0-9;:]*m/g;

Deno.test("the order is by key, by code unit", () => {
  const statuses = {
    b: "b",
    a: "a",
    A: "A",
    ä: "ä",
    10: "10",
    2: "2",
    "": "empty",
    "😀": "s",
    "ﬀ": "f",
  };
  const line = "empty 10 2 A a b ä s f";
  assertEquals(formatStatusLine(statuses, 80), line);
  assertEquals(formatStatusLine(new Map(Object.entries(statuses).reverse()), 80), line);
});

Deno.test("line breaks, tabs and runs of blanks become one blank, ends are trimmed", () => {
  const cases: [string, string][] = [
    ["a\tb\r\nc   d", "a b c d"],
    ["  a  ", "a"],
    ["\n\ta\r", "a"],
    ["\x1b[31m a \x1b[0m", "\x1b[31ma\x1b[0m"],
    ["a \x1b[31m b\x1b[0m", "a \x1b[31mb\x1b[0m"],
  ];
  for (const [text, shown] of cases) assertEquals(formatStatusLine({ key: text }, 80), shown);
});

Deno.test("texts with nothing to see take no place", () => {
  const nothing = [
    "",
    "   ",
    "\r\n\t",
    "\x1b[31m\x1b[0m",
    "\x1b[31m  ",
    "\x1b]0;title\x07",
    undefined,
  ];
  for (const text of nothing) {
    assertEquals(formatStatusLine({ a: text, b: "b", c: text, d: "d", e: text }, 80), "b d");
    assertEquals(formatStatusLine({ a: text }, 80), "");
  }
  assertEquals(formatStatusLine({}, 80), "");
});

Deno.test("a number is shown as a text, other values are no status", () => {
  const odd = { a: 7, b: null, c: { text: "x" }, d: ["y"], e: true, f: "end" };
  const statuses = odd as unknown as Record<string, string>;
  assertEquals(formatStatusLine(statuses, 80), "7 end");
});

Deno.test("colours are kept and closed, other escape sequences are dropped", () => {
  const cases: [string, string][] = [
    ["\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"],
    ["\x1b[31mred\x1b[m", "\x1b[31mred\x1b[m"],
    ["\x1b[31mred", "\x1b[31mred\x1b[0m"],
    ["\x1b[38;5;0mdark", "\x1b[38;5;0mdark\x1b[0m"],
    ["a\x1b[2Kb\x1b]0;t\x07c\x9b5md", "abcd"],
    ["bell\x07", "bell\\x07"],
    ["\u202etxt", "\\u202etxt"],
  ];
  for (const [text, shown] of cases) assertEquals(formatStatusLine({ key: text }, 80), shown);
  assertEquals(formatStatusLine({ a: "\x1b[1mbold", b: "plain" }, 80), "\x1b[1mbold\x1b[0m plain");
});

Deno.test("the line is cut by cells to the width, between characters, with an ellipsis", () => {
  const cases: [string, number, string][] = [
    ["abcdef", 6, "abcdef"],
    ["abcdef", 5, "abcd…"],
    ["abcdef", 1, "…"],
    ["a", 1, "a"],
    ["abcdef", 5.9, "abcd…"],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["👨‍👩‍👧‍👦x", 3, "👨‍👩‍👧‍👦x"],
    ["👨‍👩‍👧‍👦x", 2, "…"],
    ["🇩🇪🇫🇷", 3, "🇩🇪…"],
    ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
    ["\x1b[31mabc\x1b[0m", 3, "\x1b[31mabc\x1b[0m"],
    ["\x1b[31mabcd\x1b[0m", 3, "\x1b[31mab…\x1b[0m"],
    ["\x1b[31mab\x1b[0mcd", 3, "\x1b[31mab\x1b[0m…"],
    ["abc\x1b[31md", 3, "ab…"],
  ];
  for (const [text, width, line] of cases) {
    assertEquals(formatStatusLine({ key: text }, width), line, JSON.stringify([text, width]));
  }
});

Deno.test("without a width there is no line", () => {
  for (const width of [0, -1, 0.5 - 1, NaN]) {
    assertEquals(formatStatusLine({ a: "text" }, width), "");
  }
  assertEquals(formatStatusLine({ a: "text" }, Infinity), "text");
});

Deno.test("ten thousand characters are cut like any other text", () => {
  assertEquals(formatStatusLine({ a: "x".repeat(10_000), b: "y" }, 20), "x".repeat(19) + "…");
});

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Cells of a text, counted in another way than the status line does: a grapheme by its widest part. */
function cells(text: string): number {
  return Array.from(segmenter.segment(text)).reduce((sum, { segment }) => {
    if (/^[\p{Mn}\p{Default_Ignorable_Code_Point}]+$/u.test(segment)) return sum;
    if (/[\ufe0f\p{Regional_Indicator}]/u.test(segment)) return sum + 2;
    return sum + Math.max(...Array.from(segment, (part) => eastAsianWidth(part.codePointAt(0)!)));
  }, 0);
}

Deno.test("whatever the statuses: never too wide, no half character, colour closed", () => {
  const random = seededRandom(42);
  const parts = [
    ..."ab  \t\r\n é",
    "日",
    "ＡＢ",
    "e\u0301",
    "👨‍👩‍👧‍👦",
    "👍🏽",
    "🇩🇪",
    "🇫",
    "❤️",
    "1️⃣",
    "\u200b",
    "\u202e",
    "\x1b[31m",
    "\x1b[1;38;5;9m",
    "\x1b[39m",
    "\x1b[0m",
    "\x1b[2K",
    "\x1b]0;t\x07",
    "\x1b",
    "\x07",
    "ﷺ",
    "한",
  ];
  for (let round = 0; round < 5_000; round++) {
    const statuses: Record<string, string> = {};
    for (let count = 0; count < 3; count++) {
      const length = Math.floor(random() * 10);
      statuses[pick(random, ["a", "b", "ä"])] = Array.from(
        { length },
        () => pick(random, parts),
      ).join("");
    }
    // A colour code between two code points keeps a terminal from joining them.
    const pieces = formatStatusLine(statuses, WIDE_ENOUGH).split(SGR);
    const full = pieces.join("");
    const borders = new Set<number>([full.length]);
    let start = 0;
    for (const piece of pieces) {
      for (const { index } of segmenter.segment(piece)) borders.add(start + index);
      start += piece.length;
    }
    for (const width of [0, 1, 2, 3, 7, 20, 80]) {
      const line = formatStatusLine(statuses, width);
      const seen = line.replaceAll(SGR, "");
      const context = JSON.stringify([statuses, width, line]);
      assert(cells(seen) <= width, `too wide: ${context}`);
      assert(!/[\r\n\t]| {2}|^ | $/.test(seen), `blanks: ${context}`);
      const lastColour = line.match(SGR)?.at(-1);
      assert(
        lastColour === undefined || ["\x1b[0m", "\x1b[m"].includes(lastColour),
        `open: ${context}`,
      );
      if (seen === full || width === 0) continue;
      assert(seen.endsWith("…"), `no ellipsis: ${context}`);
      const kept = seen.slice(0, -1);
      assert(full.startsWith(kept) && borders.has(kept.length), `half a character: ${context}`);
    }
  }
});

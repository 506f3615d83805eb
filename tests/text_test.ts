import { assert, assertEquals } from "@std/assert";
import { keepColours, visibleText } from "../src/ui/text.ts";
import { pick, seededRandom } from "./random.ts";

Deno.test("visibleText shows control, direction and zero-width characters escaped", () => {
  const cases: [string, string][] = [
    ["plain text, ünïcode 日本", "plain text, ünïcode 日本"],
    ["a\nb\r\tc", "a\\nb\\r\\tc"],
    ["\x00\x07\x1b[31m\x7f", "\\x00\\x07\\x1b[31m\\x7f"],
    ["\x9b31m", "\\x9b31m"],
    ["rm \u202eslx.txt\u2066", "rm \\u202eslx.txt\\u2066"],
    ["a\u200bb\ufeffc\u2028", "a\\u200bb\\ufeffc\\u2028"],
    ["a\u00adb", "a\\xadb"],
    ["hidden\u{e0041}", "hidden\\u{e0041}"],
    ["half \ud83d pair", "half \\ud83d pair"],
    ["\u3164", "\\u3164"],
    ["a\u200db", "a\\u200db"],
    ["e\u0301", "e\u0301"],
    ["👨‍👩‍👧‍👦 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣", "👨‍👩‍👧‍👦 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣"],
    ["می\u200cخواهم", "می\u200cخواهم"],
  ];
  for (const [text, shown] of cases) assertEquals(visibleText(text), shown);
});

Deno.test("keepColours keeps SGR and takes every other escape sequence out", () => {
  const cases: [string, string][] = [
    ["\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"],
    ["\x1b[38;5;242mx\x1b[39m \x1b[4:3my", "\x1b[38;5;242mx\x1b[39m \x1b[4:3my"],
    ["a\x1b[2Kb\x1b[1;1Hc", "abc"],
    ["\x1b[>4;2ma\x1b[?25lb", "ab"],
    ["\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"],
    ["\x1bPq#0\x1b\\a\x1b_x\x1b\\b\x1b^y\x1b\\c\x1bXz\x1b\\", "abc"],
    ["\x9b31ma\x9d0;t\x9cb\x90q\x9cc\x85", "abc"],
    ["\x1bca\x1b(Bb\x1b7c", "abc"],
    ["a\x1b]52;c;never ended", "a"],
    ["a\x1b]0;t\x1b[31mb", "a\x1b[31mb"],
    ["a\x1b", "a"],
    ["a\x1b[31", "a"],
    ["\x1b\x1b[31m[31m", "\x1b[31m[31m"],
    ["one\r\ntwo\tthree\n", "one\ntwo\tthree\n"],
    ["bell\x07 back\rward \u202e", "bell\\x07 back\\rward \\u202e"],
    ["", ""],
  ];
  for (const [text, kept] of cases) assertEquals(keepColours(text), kept, JSON.stringify(text));
});

Deno.test("whatever the text, nothing but SGR reaches a terminal", () => {
  const random = seededRandom(7);
  const parts = [
    ..."\x00\x07\x08\n\r\t\x1b\x1b\x1b[[]P_^X;;0123m?>HJ\\\x7f\x80\x90\x9b\x9c\x9d\x9e",
    ..."ab é日\u200b\u202e\u2028",
    "\x1b[31m",
    "\x1b[0m",
    "\x1b]0;",
    "👨‍👩‍👧‍👦",
    "\ud83d",
  ];
  // deno-lint-ignore no-control-regex -- the colours that may stay
  const sgr = /\x1b\[[0-9;:]*m/g;
  // deno-lint-ignore no-control-regex -- what must not be left
  const dangerous = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u2028]/;
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: Math.floor(random() * 12) }, () => pick(random, parts)).join(
      "",
    );
    assert(!dangerous.test(keepColours(text).replaceAll(sgr, "")), JSON.stringify(text));
    assert(!dangerous.test(visibleText(text).replace(/[\n\t]/, "\0")), JSON.stringify(text));
  }
});

Deno.test("hostile texts are cleaned in linear time", () => {
  // Quadratic work on a megabyte would not end within the patience of anybody.
  for (const part of ["\x1b]", "\x9d", "\x1b[", "\x1b[1;", "\x1bP0", "\u200b", "\x1b "]) {
    const text = part.repeat(100_000);
    keepColours(text);
    visibleText(text);
  }
});

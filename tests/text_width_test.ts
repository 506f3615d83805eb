import { assertEquals } from "@std/assert";
import { eastAsianWidth } from "npm:get-east-asian-width@1.7.0";
import { graphemes, isWide, textWidth } from "../src/ui/text_width.ts";

Deno.test("the wide code points are those of get-east-asian-width, all of them", () => {
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    if (isWide(codePoint) !== (eastAsianWidth(codePoint) === 2)) {
      assertEquals(isWide(codePoint), !isWide(codePoint), `U+${codePoint.toString(16)}`);
    }
  }
});

Deno.test("the width of a text is the sum of the cells of what is seen", () => {
  const cases: [string, number][] = [
    ["", 0],
    ["abc ~", 5],
    ["ä", 1],
    ["e\u0301", 1],
    ["日本語", 6],
    ["ＡＢ", 4],
    ["ｱ", 1],
    ["한국", 4],
    ["\u1112\u1161\u11ab", 2],
    ["か\u3099", 2],
    ["क्षि", 3],
    ["👩", 2],
    ["👨‍👩‍👧‍👦", 2],
    ["👍🏽", 2],
    ["✌🏽", 2],
    ["❤️", 2],
    ["❤", 1],
    ["1️⃣", 2],
    ["🇩🇪🇫🇷", 4],
    ["🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2],
    ["©", 1],
    ["ﷺ", 1],
    ["a\u200bb", 2],
    ["\u00ad", 1],
    ["…", 1],
  ];
  for (const [text, width] of cases) assertEquals(textWidth(text), width, JSON.stringify(text));
});

Deno.test("a text is taken apart between visible characters only", () => {
  assertEquals(graphemes("ab"), ["a", "b"]);
  assertEquals(graphemes("e\u0301👨‍👩‍👧‍👦🇩🇪\r\n"), ["e\u0301", "👨‍👩‍👧‍👦", "🇩🇪", "\r\n"]);
});

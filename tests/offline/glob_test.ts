/** @module The stand-in for `globToRegExp` of `@std/path/posix`. */

import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import { globToRegExp } from "./std/path/glob_to_regexp.ts";

const GLOBS: [glob: string, matching: string[], others: string[]][] = [
  ["*.ts", ["a.ts", ".ts", "a.ts/"], ["a/b.ts", "a.tsx", "ats"]],
  ["a?c", ["abc", "a/c"], ["ac", "abbc"]],
  ["**/*.ts", ["a.ts", "a/b.ts", "a/b/c.ts"], ["a.js"]],
  ["a/**", ["a/", "a/b", "a/b/c"], ["b/a", "ab"]],
  ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/xb", "ab"]],
  ["a**", ["a", "abc"], ["a/b"]],
  ["***", ["abc"], ["a/b"]],
  ["{a,bc}.ts", ["a.ts", "bc.ts"], ["b.ts", "{a,bc}.ts"]],
  ["{a/b,c}/d", ["a/b/d", "c/d"], ["a/d"]],
  ["{a,b", ["{a,b"], ["a"]],
  ["[a-c]x", ["ax", "cx"], ["dx", "[a-c]x"]],
  ["[!a-c]x", ["dx"], ["ax"]],
  ["[^a]x", ["^x", "ax"], ["bx"]],
  ["[[:digit:]_]", ["7", "_"], ["a"]],
  ["[a", ["[a"], ["a"]],
  ["[/]", ["[/]"], ["/"]],
  ["\\*.ts", ["*.ts"], ["a.ts"]],
  ["a\\", ["a\\"], ["a"]],
  ["a.b+(c)|d$^", ["a.b+(c)|d$^"], ["axb+(c)|d$^", "a.bc"]],
  ["a//b/", ["a/b", "a//b", "a/b/"], ["ab"]],
  ["", [], ["", "a"]],
];
for (const [glob, matching, others] of GLOBS) {
  Deno.test(`globToRegExp: ${JSON.stringify(glob)}`, () => {
    const pattern = globToRegExp(glob, { extended: false });
    for (const path of matching) assert(pattern.test(path), `${pattern} should match ${path}`);
    for (const path of others) {
      assertFalse(pattern.test(path), `${pattern} should not match ${path}`);
    }
  });
}

Deno.test("globToRegExp: without globstar, two stars are one", () => {
  const pattern = globToRegExp("a/**", { extended: false, globstar: false });
  assertEquals([pattern.test("a/b"), pattern.test("a/b/c")], [true, false]);
});

Deno.test("globToRegExp: upper and lower case alike, if asked for", () => {
  assert(globToRegExp("*.TS", { extended: false, caseInsensitive: true }).test("a.ts"));
  assertFalse(globToRegExp("*.TS", { extended: false }).test("a.ts"));
});

Deno.test("globToRegExp: extended patterns are refused rather than read wrongly", () => {
  assertThrows(() => globToRegExp("+(a|b)"), Error, "extended: false");
});

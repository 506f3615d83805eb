import { assert, assertEquals, assertMatch } from "@std/assert";
import { diffTexts } from "../src/deno/tools/line_diff.ts";
import { pick, seededRandom } from "./random.ts";

/** Applies a unified diff, the way `patch` does, and insists on every line of it. */
function applyDiff(before: string, diff: string): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const lines = diff.split("\n").slice(0, -1);
  assertEquals(lines.splice(0, 2), ["--- a.txt", "+++ a.txt"]);
  const result: string[] = [];
  let used = 0;
  for (let at = 0; at < lines.length;) {
    const head = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(lines[at++]);
    assert(head !== null, `no head of a hunk in line ${at}`);
    const [oldStart, oldCount, newStart, newCount] = head.slice(1).map(Number);
    const begin = oldCount === 0 ? oldStart : oldStart - 1;
    result.push(...old.slice(used, begin));
    used = begin;
    assertEquals(result.length, newCount === 0 ? newStart : newStart - 1);
    const size = result.length;
    while (at < lines.length && !lines[at].startsWith("@@")) {
      const isLast = lines[at + 1]?.startsWith("\\") ?? false;
      const line = lines[at].slice(1) + (isLast ? "" : "\n");
      if (lines[at][0] !== "+") assertEquals(old[used++], line);
      if (lines[at][0] !== "-") result.push(line);
      at += isLast ? 2 : 1;
    }
    assertEquals([used - begin, result.length - size], [oldCount, newCount]);
  }
  return [...result, ...old.slice(used)].join("");
}

const HEAD = "--- a.txt\n+++ a.txt\n";

const ROWS: [name: string, before: string, after: string, diff: string, first?: number][] = [
  ["the same text", "a\n", "a\n", ""],
  ["a new text", "", "a\nb\n", `${HEAD}@@ -0,0 +1,2 @@\n+a\n+b\n`, 1],
  ["a text that goes", "a\n", "", `${HEAD}@@ -1,1 +0,0 @@\n-a\n`, 1],
  [
    "a line that is replaced",
    "a\nb\nc\n",
    "a\nx\nc\n",
    `${HEAD}@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n`,
    2,
  ],
  [
    "a line feed that comes at the end",
    "a\nb",
    "a\nb\n",
    `${HEAD}@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n`,
    2,
  ],
  [
    "carriage returns are part of the line",
    "a\r\n",
    "a\n",
    `${HEAD}@@ -1,1 +1,1 @@\n-a\r\n+a\n`,
    1,
  ],
  [
    "changes that are far apart get a hunk each",
    "x\n1\n2\n3\n4\n5\n6\n7\ny\n",
    "X\n1\n2\n3\n4\n5\n6\n7\nY\n",
    `${HEAD}@@ -1,4 +1,4 @@\n-x\n+X\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-y\n+Y\n`,
    1,
  ],
  [
    "changes whose surroundings touch share a hunk",
    "x\n1\n2\n3\n4\n5\n6\ny\n",
    "X\n1\n2\n3\n4\n5\n6\nY\n",
    `${HEAD}@@ -1,8 +1,8 @@\n-x\n+X\n 1\n 2\n 3\n 4\n 5\n 6\n-y\n+Y\n`,
    1,
  ],
  [
    "lines that stay between two changes are not repeated",
    "a\nsame\nb\n",
    "A\nsame\nB\n",
    `${HEAD}@@ -1,3 +1,3 @@\n-a\n+A\n same\n-b\n+B\n`,
    1,
  ],
];
for (const [name, before, after, diff, firstChangedLine] of ROWS) {
  Deno.test(`diff: ${name}`, () => {
    assertEquals(diffTexts(before, after, "a.txt"), { diff, firstChangedLine });
  });
}

Deno.test("diff: applied to the old text it gives the new one, for many random texts", () => {
  const random = seededRandom(7);
  const makeText = (): string => {
    const lines = Array.from(
      { length: Math.floor(random() * 40) },
      () => pick(random, "abc".split("")),
    );
    return lines.join("\n") + pick(random, ["", "\n"]);
  };
  for (let round = 0; round < 3000; round++) {
    const before = makeText();
    const after = round % 2 === 0
      ? makeText()
      : before.replace(/a\n/, pick(random, ["", "x\ny\n"]));
    const { diff } = diffTexts(before, after, "a.txt");
    if (diff === "") assertEquals(after, before);
    else assertEquals(applyDiff(before, diff), after, JSON.stringify([before, after]));
  }
});

Deno.test("diff: it is as short as it can be, for few changes in a long text", () => {
  const lines = Array.from({ length: 5000 }, (_, at) => `line ${at}\n`);
  const changed = lines.map((line, at) => at % 500 === 100 ? `new ${line}` : line);
  changed.splice(3000, 1);
  const { diff } = diffTexts(lines.join(""), changed.join(""), "a.txt");
  assertEquals(diff.match(/^\+(?!\+)/gm)?.length, 10);
  assertEquals(diff.match(/^-(?!-)/gm)?.length, 11);
  assertEquals(applyDiff(lines.join(""), diff), changed.join(""));
});

Deno.test("diff: where everything differs, everything counts as replaced", () => {
  const before = Array.from({ length: 1000 }, (_, at) => `${at % 7}\n`).join("");
  const after = Array.from({ length: 1000 }, (_, at) => `${at % 5} x\n`).join("");
  const { diff } = diffTexts(before, after, "a.txt");
  assertEquals(applyDiff(before, diff), after);
});

Deno.test("diff: a very long one is cut between hunks, and says so", () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `${at} ${"x".repeat(100)}\n`);
  const changed = lines.map((line, at) => at % 100 === 0 ? `new ${line}` : line);
  const { diff } = diffTexts(lines.join(""), changed.join(""), "a.txt");
  assert(diff.length < 52 * 1024, `${diff.length}`);
  assertMatch(diff, /\n\[… the rest of the difference is left out: .* …\]\n$/);
  const whole = diff.slice(0, diff.lastIndexOf("[…"));
  assert(applyDiff(lines.join(""), whole).startsWith("new 0 "));
});

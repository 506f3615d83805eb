/**
 * The tables of the README say what the code says.
 *
 * Under `## Events` stands a table with the columns `Event` and `Fold`: names of events in
 * backticks, several in one row if they share it, and the fold in backticks. Under `## Errors` stand
 * a table with the column `Load error` and one with the column `Block`: a kind in backticks each.
 * Other columns are free.
 *
 * @module
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { EVENT_POLICIES } from "../src/events/policy.ts";
import type { HookBlockKind, HookLoadErrorKind } from "../src/errors.ts";

/** The compiler holds both lists against the types: no kind is missing, none is made up. */
const LOAD_ERROR_KINDS: Readonly<Record<HookLoadErrorKind, true>> = {
  "path": true,
  "not-found": true,
  "permission": true,
  "not-a-module": true,
  "syntax": true,
  "import": true,
  "no-default-export": true,
  "factory": true,
  "timeout": true,
};
const BLOCK_KINDS: Readonly<Record<HookBlockKind, true>> = {
  policy: true,
  fault: true,
  timeout: true,
};

type Row = Readonly<Record<string, string>>;

/** The text between a heading of the second level and the next one. */
function readSection(markdown: string, heading: string): string {
  const [, ...sections] = `\n${markdown}`.split(/^## /m);
  const section = sections.find((text) => text.split("\n")[0].trim() === heading);
  if (section === undefined) throw new Error(`There is no heading "## ${heading}"`);
  return section;
}

/** The rows of the table that has the column, each cell under the name of its column. */
function readTable(section: string, column: string): Row[] {
  const lines = section.split("\n");
  const cellsOf = (line: string): string[] =>
    // A bar in a cell is written `\|`.
    line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim());
  const start = lines.findIndex((line, index) =>
    /^\|[\s:|-]+\|$/.test(lines[index + 1]?.trim() ?? "") && cellsOf(line).includes(column)
  );
  if (start < 0) throw new Error(`There is no table with a column "${column}"`);
  const header = cellsOf(lines[start]);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.trim().startsWith("|"));
  return rows.slice(0, end < 0 ? undefined : end).map((line) => {
    const cells = cellsOf(line);
    return Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ""]));
  });
}

/** The texts in backticks. */
function readCodes(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
}

/** What a table says about each name in a column; a name that stands there twice is an error. */
function readNames(rows: Row[], column: string, other?: string): Record<string, string> {
  const names: Record<string, string> = {};
  for (const row of rows) {
    const codes = readCodes(row[column]);
    assert(codes.length > 0, `a row without a name in backticks: ${JSON.stringify(row)}`);
    for (const code of codes) {
      assert(!(code in names), `${code} stands in the table twice`);
      names[code] = other === undefined ? "" : readCodes(row[other] ?? "").join(" ");
    }
  }
  return names;
}

const readme = await Deno.readTextFile(new URL("../README.md", import.meta.url)).catch(() => "");

Deno.test("the README lists every event with its fold, and no other", () => {
  const rows = readTable(readSection(readme, "Events"), "Event");
  const folds = Object.entries(EVENT_POLICIES).map(([name, { fold }]) => [name, fold]);
  assertEquals(readNames(rows, "Event", "Fold"), Object.fromEntries(folds));
});

Deno.test("the README lists every kind of load error and of block, and no other", () => {
  const section = readSection(readme, "Errors");
  const kinds = (column: string): string[] =>
    Object.keys(readNames(readTable(section, column), column)).sort();
  assertEquals(kinds("Load error"), Object.keys(LOAD_ERROR_KINDS).sort());
  assertEquals(kinds("Block"), Object.keys(BLOCK_KINDS).sort());
});

Deno.test("the reader of tables finds rows, names and repetitions", () => {
  const markdown = [
    "# Title",
    "## One",
    "| Event | Fold |",
    "|---|---|",
    "| `wrong` | `last` |",
    "## Events",
    "Text | with a bar.",
    "",
    "| Event | When | Fold |",
    "| :--- | --- | ---: |",
    "| `a`, `b` | any \\| all | `last` wins |",
    "| `session.c` | | `ignore` |",
    "",
    "| `d` | not in the table | `last` |",
  ].join("\n");
  const rows = readTable(readSection(markdown, "Events"), "Event");
  assertEquals(readNames(rows, "Event", "Fold"), { a: "last", b: "last", "session.c": "ignore" });
  assertThrows(() => readNames([...rows, ...rows], "Event"), Error, "twice");
  assertThrows(() => readSection(markdown, "Errors"), Error, "## Errors");
  assertThrows(() => readTable("no table", "Event"), Error, '"Event"');
});

/**
 * Stand-in for the inner part of `@std/assert` that shows how two texts differ, line by line.
 *
 * @module
 */

/** Unchanged lines shown around a change. */
const CONTEXT = 3;

/** Above this many pairs of lines the exact comparison would take too long. */
const MAX_PAIRS = 4_000_000;

type Line = { mark: " " | "-" | "+"; text: string };

/** The two texts as one list of lines: `-` is what was there, `+` what was expected. */
export function describeDifference(actual: string, expected: string): string {
  const lines = compareLines(actual.split("\n"), expected.split("\n"));
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((line) => line.mark !== " ")
  );
  const shown: string[] = [];
  lines.forEach((line, index) => {
    if (near[index]) shown.push(`${line.mark}   ${line.text}`);
    else if (index === 0 || near[index - 1]) shown.push("    …");
  });
  return `    [Diff] -Actual / +Expected\n\n\n${shown.join("\n")}\n`;
}

function compareLines(actual: string[], expected: string[]): Line[] {
  let start = 0;
  while (start < actual.length && actual[start] === expected[start]) start++;
  let end = 0;
  while (
    end < Math.min(actual.length, expected.length) - start &&
    actual[actual.length - 1 - end] === expected[expected.length - 1 - end]
  ) end++;
  const same = (text: string): Line => ({ mark: " ", text });
  return [
    ...actual.slice(0, start).map(same),
    ...compareMiddle(
      actual.slice(start, actual.length - end),
      expected.slice(start, expected.length - end),
    ),
    ...actual.slice(actual.length - end).map(same),
  ];
}

/** Longest common list of lines, by the usual table. */
function compareMiddle(actual: string[], expected: string[]): Line[] {
  const lines: Line[] = [];
  let row = 0;
  let column = 0;
  if (actual.length * expected.length <= MAX_PAIRS) {
    const width = expected.length + 1;
    const table = new Uint32Array((actual.length + 1) * width);
    for (let r = actual.length - 1; r >= 0; r--) {
      for (let c = expected.length - 1; c >= 0; c--) {
        table[r * width + c] = actual[r] === expected[c]
          ? table[(r + 1) * width + c + 1] + 1
          : Math.max(table[(r + 1) * width + c], table[r * width + c + 1]);
      }
    }
    while (row < actual.length && column < expected.length) {
      if (actual[row] === expected[column]) {
        lines.push({ mark: " ", text: actual[row++] });
        column++;
      } else if (table[(row + 1) * width + column] >= table[row * width + column + 1]) {
        lines.push({ mark: "-", text: actual[row++] });
      } else {
        lines.push({ mark: "+", text: expected[column++] });
      }
    }
  }
  while (row < actual.length) lines.push({ mark: "-", text: actual[row++] });
  while (column < expected.length) lines.push({ mark: "+", text: expected[column++] });
  return lines;
}

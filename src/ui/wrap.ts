/**
 * Breaks text into lines that fit, by the cells that its characters take.
 *
 * @module
 */

import { graphemes, textWidth } from "./text_width.ts";

/**
 * Breaks a text. Line breaks in it stay; a line that is too long is broken at the last blank that
 * fits, or between characters if there is none.
 *
 * @param text A text without escape sequences.
 * @param width Cells of a line, at least 1; a character that is wider stands alone.
 */
export function wrapText(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(1, width)));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = graphemes(line);
  while (rest.length > 0) {
    let cells = 0;
    let end = 0;
    while (end < rest.length && (cells += textWidth(rest[end])) <= width) end++;
    if (end === rest.length) break;
    const blank = rest.lastIndexOf(" ", end);
    const cut = blank > 0 ? blank : Math.max(1, end);
    lines.push(rest.slice(0, cut).join(""));
    rest = rest.slice(blank > 0 ? cut + 1 : cut);
  }
  return rest.length > 0 || lines.length === 0 ? [...lines, rest.join("")] : lines;
}

/**
 * Cuts a text to a width, with `…` where something is missing.
 *
 * @param text A text on one line, without escape sequences.
 * @param width Cells, at least 1.
 */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let cut = "";
  let room = width - 1;
  for (const grapheme of graphemes(text)) {
    room -= textWidth(grapheme);
    if (room < 0) break;
    cut += grapheme;
  }
  return `${cut}…`;
}

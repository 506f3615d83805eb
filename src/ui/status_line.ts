/**
 * The one line in which hooks show their status.
 *
 * @module
 */

import { type ColouredPiece, splitColours } from "./text.ts";
import { graphemes, textWidth } from "./text_width.ts";

const ELLIPSIS = "…";
const RESET = "\x1b[0m";

/**
 * Puts the status texts of all hooks into one line.
 *
 * Order is by key, by code unit, so it is the same on every machine. In each text line breaks,
 * tabs and runs of blanks become one blank, the ends are trimmed, colours (SGR) are kept and closed,
 * other escape sequences go, and what cannot be seen is shown escaped. Texts with nothing to see
 * take no place. The rest is joined by one blank and cut to the width, between characters, with `…`.
 *
 * @param statuses Text by key, as hooks have set it with `ctx.ui.setStatus`.
 * @param width Cells of the terminal. With 0 or less, or not a number, there is no line.
 * @returns One line whose visible width is at most `width`; `""` if there is nothing to show.
 *
 * @example
 * ```ts
 * import { formatStatusLine } from "./status_line.ts";
 *
 * formatStatusLine({ b: "ready", a: "3  files" }, 80); // "3 files ready"
 * formatStatusLine({ a: "日本語" }, 4); // "日…"
 * ```
 */
export function formatStatusLine(
  statuses:
    | ReadonlyMap<string, string | undefined>
    | Readonly<Record<string, string | undefined>>,
  width: number,
): string {
  if (!(width > 0)) return "";
  const texts = new Map(statuses instanceof Map ? statuses : Object.entries(statuses));
  const line: ColouredPiece[] = [];
  for (const key of [...texts.keys()].sort()) {
    const pieces = cleanStatus(texts.get(key));
    if (pieces.length === 0) continue;
    if (line.length > 0) line.push({ isColour: false, text: " " });
    line.push(...pieces);
  }
  return fitToWidth(line, width);
}

/** The pieces of one status, tidied; none if there is nothing to see. */
function cleanStatus(status: unknown): ColouredPiece[] {
  // Hooks are often plain JavaScript: a number is a text that somebody forgot to convert.
  const text = typeof status === "number" ? String(status) : status;
  if (typeof text !== "string") return [];

  const pieces: ColouredPiece[] = [];
  let afterBlank = true;
  let lastBlank: ColouredPiece | undefined;
  for (const piece of splitColours(text.replace(/[\r\n\t]/g, " "))) {
    if (piece.isColour) {
      pieces.push(piece);
      continue;
    }
    // Colour codes between two blanks do not make them two: they are one on the screen.
    for (const part of piece.text.split(/( +)/)) {
      const isBlank = part.startsWith(" ");
      if (part === "" || (isBlank && afterBlank)) continue;
      const shown = { isColour: false, text: isBlank ? " " : part };
      pieces.push(shown);
      afterBlank = isBlank;
      if (isBlank) lastBlank = shown;
    }
  }
  const trimmed = afterBlank ? pieces.filter((piece) => piece !== lastBlank) : pieces;
  return trimmed.some((piece) => !piece.isColour) ? withColourClosed(trimmed) : [];
}

/** Ends the colour, unless the last colour code does. */
function withColourClosed(pieces: ColouredPiece[]): ColouredPiece[] {
  const last = pieces.findLast((piece) => piece.isColour);
  // deno-lint-ignore no-control-regex -- this is the escape sequence that ends all colours
  if (last === undefined || /^\x1b\[0*m$/.test(last.text)) return pieces;
  return [...pieces, { isColour: true, text: RESET }];
}

function fitToWidth(line: ColouredPiece[], width: number): string {
  const fullWidth = line.reduce(
    (sum, piece) => sum + (piece.isColour ? 0 : textWidth(piece.text)),
    0,
  );
  if (fullWidth <= width) return line.map((piece) => piece.text).join("");

  const kept: ColouredPiece[] = [];
  let room = Math.floor(width) - textWidth(ELLIPSIS);
  for (const piece of line) {
    if (piece.isColour) {
      kept.push(piece);
      continue;
    }
    for (const grapheme of graphemes(piece.text)) {
      room -= textWidth(grapheme);
      if (room < 0) break;
      kept.push({ isColour: false, text: grapheme });
    }
    if (room < 0) break;
  }
  kept.push({ isColour: false, text: ELLIPSIS });
  return withColourClosed(kept).map((piece) => piece.text).join("");
}

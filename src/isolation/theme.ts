/**
 * A theme as a table of texts: what stands before and behind a coloured word. A hook colours its
 * texts by itself then, without asking anybody.
 *
 * @module
 */

import type { Theme, ThemeBackground, ThemeColor } from "../ports.ts";

/** By colour or weight, what stands before and behind a text. */
export type ThemeTable = Record<string, [before: string, behind: string]>;

const COLORS: readonly ThemeColor[] = [
  "accent",
  "border",
  "borderAccent",
  "borderMuted",
  "customMessageLabel",
  "customMessageText",
  "dim",
  "error",
  "muted",
  "success",
  "text",
  "toolOutput",
  "toolTitle",
  "warning",
];

const BACKGROUNDS: readonly ThemeBackground[] = [
  "customMessageBg",
  "selectedBg",
  "toolErrorBg",
  "toolPendingBg",
  "toolSuccessBg",
  "userMessageBg",
];

const WEIGHTS = ["bold", "italic", "underline", "strikethrough", "inverse"] as const;

/** A word that no theme writes by itself. */
const PROBE = "\u2042";

/**
 * Finds out how a theme writes.
 *
 * @param theme The theme.
 */
export function themeTable(theme: Theme): ThemeTable {
  const table: ThemeTable = {};
  const probe = (key: string, draw: () => string): void => {
    let parts: string[] = [];
    try {
      parts = String(draw()).split(PROBE);
    } catch {
      // A theme that does not know a colour writes without it.
    }
    if (parts.length === 2 && parts.join("") !== "") table[key] = [parts[0], parts[1]];
  };
  for (const color of COLORS) probe(`fg ${color}`, () => theme.fg(color, PROBE));
  for (const color of BACKGROUNDS) probe(`bg ${color}`, () => theme.bg(color, PROBE));
  for (const weight of WEIGHTS) probe(weight, () => theme[weight](PROBE));
  return table;
}

/**
 * A theme that writes as a table says.
 *
 * @param table Tells the table at the moment of use.
 */
export function themeOf(table: () => ThemeTable): Theme {
  const draw = (key: string, text: string): string => {
    const [before, behind] = table()[key] ?? ["", ""];
    return `${before}${text}${behind}`;
  };
  return Object.freeze<Theme>({
    fg: (color, text) => draw(`fg ${color}`, text),
    bg: (color, text) => draw(`bg ${color}`, text),
    bold: (text) => draw("bold", text),
    italic: (text) => draw("italic", text),
    underline: (text) => draw("underline", text),
    strikethrough: (text) => draw("strikethrough", text),
    inverse: (text) => draw("inverse", text),
  });
}

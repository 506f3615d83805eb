/**
 * Colours for what hooks draw on a terminal.
 *
 * @module
 */

import type { Theme, ThemeBackground, ThemeColor } from "../../mod.ts";

const COLOURS: Readonly<Record<ThemeColor, number>> = {
  accent: 36,
  border: 90,
  borderAccent: 36,
  borderMuted: 90,
  customMessageLabel: 35,
  customMessageText: 39,
  dim: 90,
  error: 31,
  muted: 90,
  success: 32,
  text: 39,
  toolOutput: 39,
  toolTitle: 36,
  warning: 33,
};

const BACKGROUNDS: Readonly<Record<ThemeBackground, number>> = {
  customMessageBg: 45,
  selectedBg: 100,
  toolErrorBg: 41,
  toolPendingBg: 100,
  toolSuccessBg: 42,
  userMessageBg: 100,
};

/** Colours that every terminal has. */
export const colourTheme: Theme = Object.freeze<Theme>({
  fg: (colour, text) => mark(COLOURS[colour] ?? 39, 39, text),
  bg: (colour, text) => mark(BACKGROUNDS[colour] ?? 49, 49, text),
  bold: (text) => mark(1, 22, text),
  italic: (text) => mark(3, 23, text),
  underline: (text) => mark(4, 24, text),
  strikethrough: (text) => mark(9, 29, text),
  inverse: (text) => mark(7, 27, text),
});

function mark(start: number, end: number, text: string): string {
  return `\x1b[${start}m${text}\x1b[${end}m`;
}

/**
 * Values as people read them on a terminal: on one line, harmless, not too long.
 *
 * @module
 */

import { visibleText } from "../../mod.ts";

/**
 * A value on one line.
 *
 * @param value Anything; a text stands as it is, other values as JSON.
 * @param maxLength Where it is cut.
 */
export function shown(value: unknown, maxLength = 500): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  return visibleText(text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`);
}

/**
 * Text of several lines, each of them harmless.
 *
 * @param text The text.
 */
export function shownLines(text: string): string {
  return text.split("\n").map(visibleText).join("\n");
}

/**
 * A number with its noun.
 *
 * @param number How many.
 * @param one The noun for one of them.
 * @param many The noun for others. Default: with an `s`.
 */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

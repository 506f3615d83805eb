/**
 * A text that a person writes, with a cursor. It knows keys and lines, and no terminal.
 *
 * @module
 */

import type { Key } from "./keys.ts";
import { visibleText } from "./text.ts";
import { graphemes, textWidth } from "./text_width.ts";

/** What the text looks like on a screen. */
export interface EditorView {
  /** The lines. */
  lines: string[];
  /** The line of the cursor, from 0. */
  row: number;
  /** The cell of the cursor, from 0. */
  column: number;
}

/** The text. */
export class TextEditor {
  #before: string[] = [];
  #after: string[] = [];

  /** @param text What stands there at first; the cursor is at its end. */
  constructor(text = "") {
    this.set(text);
  }

  /** The text. */
  get text(): string {
    return [...this.#before, ...this.#after].join("");
  }

  /** The text before the cursor. */
  get beforeCursor(): string {
    return this.#before.join("");
  }

  /** Replaces the text; the cursor is at its end. */
  set(text: string): void {
    this.#before = graphemes(text);
    this.#after = [];
  }

  /** Puts something in at the cursor. */
  insert(text: string): void {
    this.#before = graphemes(this.beforeCursor + text);
  }

  /**
   * Does what a key means.
   *
   * @param key The key.
   * @returns Whether it means something here.
   */
  onKey({ name, text }: Key): boolean {
    const before = this.#before;
    const after = this.#after;
    switch (name) {
      case "text":
      case "paste":
        this.insert(text);
        return true;
      case "newline":
        this.insert("\n");
        return true;
      case "backspace":
        before.pop();
        return true;
      case "delete":
        after.shift();
        return true;
      case "left":
        if (before.length > 0) after.unshift(before.pop()!);
        return true;
      case "right":
        if (after.length > 0) before.push(after.shift()!);
        return true;
      case "home":
      case "ctrl+a":
        this.#after = [...before, ...after];
        this.#before = [];
        return true;
      case "end":
      case "ctrl+e":
        this.#before = [...before, ...after];
        this.#after = [];
        return true;
      case "ctrl+u":
        this.#before = [];
        return true;
      case "ctrl+k":
        this.#after = [];
        return true;
      case "ctrl+w":
        this.#before = graphemes(this.beforeCursor.replace(/\S+\s*$/, ""));
        return true;
    }
    return false;
  }

  /**
   * Draws the text. Control characters are made visible, also those that were pasted.
   *
   * @param width Cells of a line.
   */
  render(width: number): EditorView {
    const lines = [""];
    let cells = 0;
    let cursor = { row: 0, column: 0 };
    const put = (grapheme: string) => {
      if (grapheme === "\n") {
        lines.push("");
        cells = 0;
        return;
      }
      const shown = visibleText(grapheme);
      const size = textWidth(shown);
      if (cells + size > width && cells > 0) {
        lines.push("");
        cells = 0;
      }
      lines[lines.length - 1] += shown;
      cells += size;
    };
    this.#before.forEach(put);
    cursor = { row: lines.length - 1, column: cells };
    if (cells >= width) {
      lines.push("");
      cells = 0;
      cursor = { row: lines.length - 1, column: 0 };
    }
    this.#after.forEach(put);
    return { lines, ...cursor };
  }
}

/**
 * Questions on a terminal: what they show and what keys mean to them. They know no terminal.
 *
 * Nothing is chosen beforehand that could allow something: `confirm` begins with No, `select` with
 * nothing, and Enter alone does not choose.
 *
 * @module
 */

import type { Key } from "./keys.ts";
import { visibleText } from "./text.ts";
import { TextEditor } from "./text_editor.ts";
import { cutText } from "./wrap.ts";

/** What a dialog shows. */
export interface DialogView {
  /** The lines, none wider than the screen. */
  lines: string[];
  /** Where the cursor is; absent, it is hidden. */
  cursor?: { row: number; column: number };
}

/** A question on screen. */
export interface Dialog<T> {
  /**
   * Draws the question.
   *
   * @param width Cells of the screen.
   */
  render(width: number): DialogView;
  /**
   * Takes a key.
   *
   * @param key The key.
   * @returns The answer, in a list, once there is one.
   */
  onKey(key: Key): [T] | undefined;
}

/** The most options on screen at a time. */
const MAX_OPTIONS = 10;

function isCancel({ name }: Key): boolean {
  return name === "escape" || name === "ctrl+c";
}

/**
 * Lets a person choose with arrows, Tab or digits, and Enter.
 *
 * @param options What there is.
 */
export function selectDialog(options: readonly string[]): Dialog<string | undefined> {
  let chosen = -1;
  const move = (by: number) => {
    if (options.length === 0) return;
    chosen = chosen < 0 && by < 0 ? options.length - 1 : chosen + by;
    chosen = (chosen + options.length) % options.length;
  };
  return {
    render(width) {
      const start = Math.max(0, Math.min(chosen - MAX_OPTIONS + 2, options.length - MAX_OPTIONS));
      const shown = options.slice(start, start + MAX_OPTIONS);
      const lines = shown.map((option, index) => {
        const mark = start + index === chosen ? "❯" : " ";
        return cutText(`${mark} ${start + index + 1}. ${visibleText(option)}`, width);
      });
      const rest = options.length - start - shown.length;
      if (rest > 0) lines.push(cutText(`  … ${rest} more`, width));
      if (options.length === 0) lines.push(cutText("  There is nothing to choose from.", width));
      return { lines: [...lines, cutText("↑↓ choose · Enter · Esc cancels", width)] };
    },
    onKey(key) {
      if (isCancel(key)) return [undefined];
      if (key.name === "enter") return chosen >= 0 ? [options[chosen]] : undefined;
      if (key.name === "down" || key.name === "tab") move(1);
      else if (key.name === "up") move(-1);
      else if (key.name === "text" && /^[1-9]$/.test(key.text)) {
        if (Number(key.text) <= options.length) chosen = Number(key.text) - 1;
      }
    },
  };
}

/** Asks yes or no. A letter only moves the choice, so that stray typing allows nothing. */
export function confirmDialog(): Dialog<boolean> {
  let isYes = false;
  return {
    render(width) {
      const [no, yes] = isYes ? ["  No", "❯ Yes"] : ["❯ No", "  Yes"];
      return {
        lines: [
          cutText(no, width),
          cutText(yes, width),
          cutText("↑↓ or y/n choose · Enter · Esc cancels", width),
        ],
      };
    },
    onKey(key) {
      if (isCancel(key)) return [false];
      if (key.name === "enter") return [isYes];
      if (["up", "down", "left", "right", "tab"].includes(key.name)) isYes = !isYes;
      else if (key.name === "text" && /^[yY]$/.test(key.text)) isYes = true;
      else if (key.name === "text" && /^[nN]$/.test(key.text)) isYes = false;
    },
  };
}

/**
 * Asks for a text.
 *
 * @param setup The hint, the text to begin with, and whether it may have several lines.
 */
export function textDialog(
  setup: { placeholder?: string; prefill?: string; isLong?: boolean },
): Dialog<string | undefined> & { editor: TextEditor } {
  const { placeholder = "", prefill = "", isLong = false } = setup;
  const editor = new TextEditor(prefill);
  const help = isLong
    ? "Enter is done · Ctrl+J new line · Ctrl+G editor · Esc cancels"
    : "Enter is done · Esc cancels";
  return {
    editor,
    render(width) {
      if (editor.text === "" && placeholder !== "") {
        const lines = [cutText(`> ${visibleText(placeholder)}`, width), cutText(help, width)];
        return { lines, cursor: { row: 0, column: Math.min(2, width - 1) } };
      }
      const { lines, row, column } = editor.render(Math.max(1, width - 3));
      const shown = lines.map((line, index) => `${index === 0 ? ">" : " "} ${line}`);
      return {
        lines: [...shown.map((line) => cutText(line, width)), cutText(help, width)],
        cursor: { row, column: Math.min(column + 2, width - 1) },
      };
    },
    onKey(key) {
      if (isCancel(key)) return [undefined];
      if (key.name === "enter") return [editor.text];
      if (key.name === "newline" && !isLong) return [editor.text];
      const isPaste = key.name === "paste" && !isLong;
      editor.onKey(isPaste ? { ...key, text: key.text.replaceAll("\n", " ") } : key);
    },
  };
}

/**
 * The user interface of a host without one: nobody can answer, so every question answers itself.
 *
 * @module
 */

import type { HookUIContext, Theme } from "../ports.ts";

const NO_UI_CONTEXTS = new WeakSet<HookUIContext>();

/** A theme without colours: every function returns its text. */
export const plainTheme: Theme = Object.freeze<Theme>({
  fg: (_color, text) => text,
  bg: (_color, text) => text,
  bold: (text) => text,
  italic: (text) => text,
  underline: (text) => text,
  strikethrough: (text) => text,
  inverse: (text) => text,
});

/**
 * Makes a user interface in which nobody answers: `select`, `input`, `editor` and `custom` give
 * `undefined`, `confirm` gives `false`, all at once; the rest does nothing.
 */
export function createNoOpUIContext(): HookUIContext {
  const ui: HookUIContext = Object.freeze<HookUIContext>({
    select: () => Promise.resolve(undefined),
    confirm: () => Promise.resolve(false),
    input: () => Promise.resolve(undefined),
    editor: () => Promise.resolve(undefined),
    custom: () => Promise.resolve(undefined),
    notify: () => {},
    setStatus: () => {},
    setEditorText: () => {},
    getEditorText: () => "",
    theme: plainTheme,
  });
  NO_UI_CONTEXTS.add(ui);
  return ui;
}

/**
 * Tells whether a user interface is one in which nobody answers.
 *
 * @param ui Any user interface.
 */
export function isNoOpUIContext(ui: HookUIContext): boolean {
  return NO_UI_CONTEXTS.has(ui);
}

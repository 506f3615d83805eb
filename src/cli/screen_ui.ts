/**
 * Questions, notices and the status line of hooks, on a terminal.
 *
 * The question itself is written as text that stays, whole and with everything visible that would
 * act or hide; only the choices are drawn and redrawn below it.
 *
 * @module
 */

import {
  type Component,
  type CustomComponentFactory,
  formatStatusLine,
  type HookUIContext,
  type Theme,
  visibleText,
} from "../../mod.ts";
import {
  confirmDialog,
  type Dialog,
  type DialogView,
  selectDialog,
  textDialog,
} from "../ui/dialogs.ts";
import type { Key } from "../ui/keys.ts";
import { keepColours } from "../ui/text.ts";
import { wrapText } from "../ui/wrap.ts";
import type { Screen } from "./screen.ts";
import type { Style } from "./terminal.ts";

/** What hooks need of the program that owns the screen. */
export interface ScreenOwner {
  /** The screen. */
  readonly screen: Screen;
  /** Colours. */
  readonly style: Style;
  /** Lets a person write a text in their own editor; `undefined` if there is none. */
  edit(text: string): Promise<string | undefined>;
  /** The text of the prompt. */
  promptText: string;
}

interface OpenDialog {
  render(width: number): DialogView;
  onKey(key: Key): boolean;
}

/** The user interface, and the dialog that is open. */
export class ScreenUI implements HookUIContext {
  readonly theme: Theme;
  readonly #owner: ScreenOwner;
  readonly #statuses = new Map<string, string>();
  #dialog: OpenDialog | undefined;

  /**
   * @param owner The program that owns the screen.
   * @param theme Colours for hooks.
   */
  constructor(owner: ScreenOwner, theme: Theme) {
    this.#owner = owner;
    this.theme = theme;
  }

  /** Draws the open dialog, `undefined` if there is none. */
  render(width: number): DialogView | undefined {
    return this.#dialog?.render(width);
  }

  /** Gives a key to the open dialog; says whether there is one. */
  onKey(key: Key): boolean {
    if (this.#dialog === undefined) return false;
    this.#dialog.onKey(key);
    this.#owner.screen.redraw();
    return true;
  }

  /** The status line. */
  statusLine(width: number): string {
    return formatStatusLine(this.#statuses, width);
  }

  select(
    title: string,
    options: string[],
    how?: { signal?: AbortSignal },
  ): Promise<string | undefined> {
    return this.#ask(title, "", selectDialog(options), undefined, how?.signal);
  }

  confirm(title: string, message: string, how?: { signal?: AbortSignal }): Promise<boolean> {
    return this.#ask(title, message, confirmDialog(), false, how?.signal);
  }

  input(
    title: string,
    placeholder?: string,
    how?: { signal?: AbortSignal },
  ): Promise<string | undefined> {
    return this.#ask(title, "", textDialog({ placeholder }), undefined, how?.signal);
  }

  editor(
    title: string,
    prefill?: string,
    how?: { signal?: AbortSignal },
  ): Promise<string | undefined> {
    const dialog = textDialog({ prefill, isLong: true });
    const onKey = dialog.onKey.bind(dialog);
    return this.#ask(
      title,
      "",
      {
        render: dialog.render.bind(dialog),
        onKey: (key) => {
          if (key.name !== "ctrl+g") return onKey(key);
          this.#owner.edit(dialog.editor.text).then((text) => {
            if (text !== undefined) dialog.editor.set(text);
            this.#owner.screen.redraw();
          });
        },
      },
      undefined,
      how?.signal,
    );
  }

  notify(message: string, type: "info" | "warning" | "error" = "info"): void {
    const { style, screen } = this.#owner;
    const mark = { info: style.cyan("•"), warning: style.yellow("!"), error: style.red("✗") }[type];
    // Each line by itself: what could act is shown, colours stay.
    const lines = String(message).split("\n").map(keepColours);
    screen.print(`${mark ?? "•"} ${lines.join("\n  ")}`);
  }

  setStatus(key: string, text: string | undefined): void {
    if (text === undefined) this.#statuses.delete(key);
    else this.#statuses.set(key, text);
    this.#owner.screen.redraw();
  }

  setEditorText(text: string): void {
    this.#owner.promptText = text;
    this.#owner.screen.redraw();
  }

  getEditorText(): string {
    return this.#owner.promptText;
  }

  async custom<T>(factory: CustomComponentFactory<T>): Promise<T | undefined> {
    const { screen } = this.#owner;
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    const tui = { requestRender: () => screen.redraw() };
    const component = await factory(tui, this.theme, resolve);
    this.#dialog = {
      render: (width) => ({ lines: safeLines(component, width) }),
      onKey: (key) => {
        if (key.name === "ctrl+c") resolve(undefined);
        else component.handleInput?.(key.raw ?? key.text);
        return true;
      },
    };
    screen.redraw();
    try {
      return await promise;
    } finally {
      this.#dialog = undefined;
      component.dispose?.();
      screen.redraw();
    }
  }

  async #ask<T>(
    title: string,
    message: string,
    dialog: Dialog<T>,
    cancelled: T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    if (signal?.aborted) return cancelled;
    const { screen, style } = this.#owner;
    const { promise, resolve } = Promise.withResolvers<T>();
    const width = Math.max(10, screen.width - 2);
    const lines = [
      ...wrapText(visibleText(String(title)), width).map((line) => style.bold(line)),
      ...message === "" ? [] : wrapText(visibleText(String(message)), width),
    ];
    screen.print(lines.map((line, index) => `${index === 0 ? "?" : " "} ${line}`).join("\n"));
    this.#dialog = {
      render: (width) => dialog.render(width),
      onKey: (key) => {
        const answer = dialog.onKey(key);
        if (answer !== undefined) resolve(answer[0]);
        return true;
      },
    };
    const cancel = () => resolve(cancelled);
    signal?.addEventListener("abort", cancel, { once: true });
    screen.redraw();
    try {
      const answer = await promise;
      this.#dialog = undefined;
      screen.print(style.dim(`  ${answerText(answer)}`));
      return answer;
    } finally {
      this.#dialog = undefined;
      signal?.removeEventListener("abort", cancel);
      screen.redraw();
    }
  }
}

function answerText(answer: unknown): string {
  if (answer === undefined) return "cancelled";
  if (typeof answer === "boolean") return answer ? "yes" : "no";
  return visibleText(String(answer));
}

/** A component that fails to draw must not take the terminal with it. */
function safeLines(component: Component, width: number): string[] {
  try {
    return component.render(width).map((line) => keepColours(String(line)));
  } catch (error) {
    return [visibleText(`The component cannot be drawn: ${error}`)];
  }
}

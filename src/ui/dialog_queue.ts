/**
 * One question on screen at a time.
 *
 * @module
 */

import type { HookUIContext } from "../ports.ts";
import { isNoOpUIContext } from "./no_ui.ts";

/**
 * Makes the questions of a user interface wait for each other.
 *
 * `select`, `confirm`, `input`, `editor` and `custom` are shown in the order in which they were
 * asked, one at a time, and every promise settles: with the person's answer, with the error of a
 * dialog that failed (the next one is shown then), or, when the question's `signal` fires, at once
 * with `undefined` or `false`. A signal takes back its own question only, shown or still waiting;
 * if the host leaves such a dialog on screen, the next one is shown all the same.
 *
 * Everything else (`notify`, `setStatus`, `setEditorText`, `getEditorText`, `theme`) passes through
 * without waiting. A custom component that waits for another question waits for itself.
 *
 * @param ui The user interface of a host. One in which nobody answers is returned as it is.
 */
export function queueDialogs(ui: HookUIContext): HookUIContext {
  if (isNoOpUIContext(ui)) return ui;
  const queue = new DialogQueue();
  const queued: HookUIContext = {
    select: (title, options, dialog) =>
      queue.ask(() => ui.select(title, options, dialog), undefined, dialog?.signal),
    confirm: (title, message, dialog) =>
      queue.ask(() => ui.confirm(title, message, dialog), false, dialog?.signal),
    input: (title, placeholder, dialog) =>
      queue.ask(() => ui.input(title, placeholder, dialog), undefined, dialog?.signal),
    editor: (title, prefill, dialog) =>
      queue.ask(() => ui.editor(title, prefill, dialog), undefined, dialog?.signal),
    custom: (factory) =>
      queue.ask((fail) => {
        const watchedFactory: typeof factory = (tui, theme, done) => {
          const component = Promise.try(factory, tui, theme, done);
          // A host may overlook that there is no component, and would never answer.
          component.catch(fail);
          return component;
        };
        return ui.custom(watchedFactory);
      }, undefined),
    notify: (message, type) => ui.notify(message, type),
    setStatus: (key, text) => ui.setStatus(key, text),
    setEditorText: (text) => ui.setEditorText(text),
    getEditorText: () => ui.getEditorText(),
    get theme() {
      return ui.theme;
    },
  };
  return Object.freeze(queued);
}

/** Shows a dialog. It may also call `fail`, which ends it with an error. */
type ShowDialog<T> = (fail: (error: unknown) => void) => Promise<T>;

class DialogQueue {
  readonly #waiting: (() => void)[] = [];
  #isShowing = false;

  ask<T, C>(show: ShowDialog<T>, cancelled: C, signal?: AbortSignal): Promise<T | C> {
    if (signal?.aborted) return Promise.resolve(cancelled);
    const { promise, resolve, reject } = Promise.withResolvers<T | C>();
    let isSettled = false;
    let isShown = false;

    /** The first end counts; what a dialog says after that is nobody's business. */
    const settle = (answer: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      signal?.removeEventListener("abort", onAbort);
      answer();
      if (isShown) {
        this.#isShowing = false;
        this.#showNext();
      } else {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
      }
    };
    const onAbort = (): void => settle(() => resolve(cancelled));
    const fail = (error: unknown): void => settle(() => reject(error));
    const start = (): void => {
      isShown = true;
      try {
        Promise.resolve(show(fail)).then((answer) => settle(() => resolve(answer)), fail);
      } catch (error) {
        fail(error);
      }
    };

    signal?.addEventListener("abort", onAbort, { once: true });
    this.#waiting.push(start);
    this.#showNext();
    return promise;
  }

  #showNext(): void {
    if (this.#isShowing) return;
    const start = this.#waiting.shift();
    if (start === undefined) return;
    this.#isShowing = true;
    start();
  }
}

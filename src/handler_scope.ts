/**
 * What bounds one handler: the clock of its time limit and the signal of its call.
 *
 * @module
 */

import { HookAbortError, HookTimeoutError } from "./errors.ts";
import type { CustomComponentFactory, DialogOptions, HookUIContext } from "./ports.ts";

/**
 * Waits for a handler no longer than it may take. While one of its questions is open the clock
 * stands still: a person may think as long as they like. When the wait ends early, the handler's
 * open questions are closed.
 */
export class HandlerScope {
  readonly #hookPath: string;
  readonly #event: string;
  readonly #limitMs: number;
  readonly #signal: AbortSignal | undefined;
  readonly #ended = new AbortController();
  #remainingMs: number;
  #startedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #openQuestions = 0;
  #giveUp: ((error: Error) => void) | undefined;
  #bound: { host: HookUIContext; own: HookUIContext } | undefined;

  /**
   * @param hookPath The hook whose handler it is.
   * @param event The event it handles.
   * @param limitMs Its time limit in milliseconds, `0` for none.
   * @param signal The signal of the call, if it has one.
   */
  constructor(hookPath: string, event: string, limitMs: number, signal: AbortSignal | undefined) {
    this.#hookPath = hookPath;
    this.#event = event;
    this.#limitMs = limitMs;
    this.#remainingMs = limitMs;
    this.#signal = signal;
  }

  /**
   * Waits for the answer.
   *
   * @param answer What the handler returned.
   * @param onLate Gets what the handler throws after the time limit has passed.
   * @throws {HookTimeoutError} When the limit has passed.
   * @throws {HookAbortError} When the signal fires.
   */
  wait(answer: PromiseLike<unknown>, onLate: (thrown: unknown) => void): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onAbort = (): void => {
      const text = `Aborted while waiting for hook "${this.#hookPath}" (${this.#event})`;
      this.#end(new HookAbortError(text, this.#hookPath, { cause: this.#signal?.reason }));
    };
    this.#giveUp = reject;
    // Through a promise of its own, since a thenable of a hook may keep no promise's rules.
    Promise.resolve(answer).then(resolve, (thrown) => {
      if (this.#giveUp !== undefined) reject(thrown);
      else if (this.#signal?.aborted !== true) onLate(thrown);
    });
    this.#signal?.addEventListener("abort", onAbort, { once: true });
    if (this.#signal?.aborted) onAbort();
    else this.#run();
    return promise.finally(() => {
      this.#giveUp = undefined;
      this.#pause();
      this.#signal?.removeEventListener("abort", onAbort);
    });
  }

  /**
   * The user interface for this handler.
   *
   * @param ui The user interface of the host.
   */
  bind(ui: HookUIContext): HookUIContext {
    if (this.#bound?.host !== ui) this.#bound = { host: ui, own: this.#makeUI(ui) };
    return this.#bound.own;
  }

  #makeUI(ui: HookUIContext): HookUIContext {
    const ask = async <T>(question: (signal: AbortSignal) => Promise<T>, own?: DialogOptions) => {
      const signals = [own?.signal, this.#signal, this.#ended.signal];
      const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
      this.#pause();
      this.#openQuestions++;
      try {
        return await question(signal);
      } finally {
        this.#openQuestions--;
        if (this.#giveUp !== undefined) this.#run();
      }
    };
    return Object.freeze<HookUIContext>({
      select: (title, options, dialog) =>
        ask((signal) => ui.select(title, options, { ...dialog, signal }), dialog),
      confirm: (title, message, dialog) =>
        ask((signal) => ui.confirm(title, message, { ...dialog, signal }), dialog),
      input: (title, placeholder, dialog) =>
        ask((signal) => ui.input(title, placeholder, { ...dialog, signal }), dialog),
      editor: (title, prefill, dialog) =>
        ask((signal) => ui.editor(title, prefill, { ...dialog, signal }), dialog),
      custom: <T>(factory: CustomComponentFactory<T>) =>
        ask((signal) => ui.custom<T | undefined>(closedBy(signal, factory))),
      notify: (message, type) => ui.notify(message, type),
      setStatus: (key, text) => ui.setStatus(key, text),
      setEditorText: (text) => ui.setEditorText(text),
      getEditorText: () => ui.getEditorText(),
      get theme() {
        return ui.theme;
      },
    });
  }

  #run(): void {
    if (this.#limitMs <= 0 || this.#openQuestions > 0 || this.#timer !== undefined) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(
      () => this.#end(new HookTimeoutError(this.#hookPath, this.#event, this.#limitMs)),
      this.#remainingMs,
    );
  }

  #pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#remainingMs -= performance.now() - this.#startedAt;
  }

  #end(error: Error): void {
    const giveUp = this.#giveUp;
    this.#giveUp = undefined;
    giveUp?.(error);
    this.#ended.abort(error);
  }
}

/** A component that goes away when the signal fires, or is not even made if it has fired. */
function closedBy<T>(
  signal: AbortSignal,
  factory: CustomComponentFactory<T>,
): CustomComponentFactory<T | undefined> {
  return (tui, theme, done) => {
    signal.throwIfAborted();
    signal.addEventListener("abort", () => done(undefined), { once: true });
    return factory(tui, theme, done);
  };
}

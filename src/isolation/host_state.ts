/**
 * What a hook's process has to be told before it is asked something: only what has changed since it
 * was told last.
 *
 * @module
 */

import { thrownText } from "../errors.ts";
import { isSame } from "../message_loan.ts";
import type { Theme } from "../ports.ts";
import type { HookContext } from "../types.ts";
import { listChange } from "./lists.ts";
import type { HostState } from "./messages.ts";
import { themeTable } from "./theme.ts";
import { pack } from "./values.ts";

/** Keeps what one process has been told. */
export class ToldState {
  readonly #followsSession: boolean;
  readonly #told = new Map<keyof HostState, string>();
  #entries: readonly unknown[] = [];
  #models: readonly unknown[] = [];
  #theme: Theme | undefined;

  /** @param followsSession Whether the hook looks at the session. */
  constructor(followsSession: boolean) {
    this.#followsSession = followsSession;
  }

  /**
   * What has changed.
   *
   * @param ctx The context that the hook is asked with.
   * @param bound Whether a session is bound to the hook.
   * @returns `undefined` if nothing has.
   */
  change(ctx: HookContext | undefined, bound: HostState["bound"]): HostState | undefined {
    const state: HostState = {};
    this.#note(state, "bound", bound);
    if (ctx !== undefined) this.#look(state, ctx);
    return Object.keys(state).length === 0 ? undefined : state;
  }

  #look(state: HostState, ctx: HookContext): void {
    this.#note(state, "cwd", ctx.cwd);
    this.#note(state, "hasUI", ctx.hasUI);
    this.#note(state, "isIdle", seen(() => ctx.isIdle(), true));
    this.#note(state, "hasQueuedMessages", seen(() => ctx.hasQueuedMessages(), false));
    this.#note(state, "editorText", seen(() => String(ctx.ui.getEditorText()), ""));
    this.#note(state, "model", pack(withoutKeys(seen(() => ctx.model, undefined)) ?? null));
    this.#lookAtModels(state, ctx);
    const theme = seen(() => ctx.ui.theme, undefined);
    if (theme !== undefined && theme !== this.#theme) {
      this.#theme = theme;
      this.#note(state, "theme", themeTable(theme));
    }
    if (this.#followsSession) this.#lookAtSession(state, ctx);
  }

  #lookAtModels(state: HostState, ctx: HookContext): void {
    const models: readonly object[] = seen(() => ctx.modelRegistry.getAll(), []);
    const isAsBefore = models.length === this.#models.length &&
      models.every((model, place) => isSame(this.#models[place], model));
    if (isAsBefore) return;
    this.#models = models;
    this.#note(state, "models", pack(models.map(withoutKeys)));
  }

  #lookAtSession(state: HostState, ctx: HookContext): void {
    try {
      const session = ctx.sessionManager;
      const facts = pack({
        cwd: session.getCwd(),
        sessionDir: session.getSessionDir(),
        sessionId: session.getSessionId(),
        sessionFile: session.getSessionFile(),
        sessionName: session.getSessionName(),
        leafId: session.getLeafId(),
        header: session.getHeader(),
        usage: session.getUsageStatistics(),
      });
      const entries = session.getEntries();
      const change = listChange(
        this.#entries,
        entries,
        (before, after) => before === after || isSame(before, after),
      );
      this.#note(state, "session", facts as Record<string, unknown>);
      if (change === undefined) return;
      this.#entries = entries;
      state.entries = { keep: change.keep, add: change.add.map((entry) => pack(entry)) };
    } catch (thrown) {
      this.#note(state, "session", `The session cannot be read: ${thrownText(thrown)}`);
    }
  }

  #note<K extends keyof HostState>(state: HostState, key: K, value: HostState[K]): void {
    const text = JSON.stringify(value);
    if (this.#told.get(key) === text) return;
    this.#told.set(key, text);
    state[key] = value;
  }
}

/** Headers of a model may hold a key. */
function withoutKeys(model: object | undefined): object | undefined {
  if (model === undefined || !("headers" in model)) return model;
  const { headers: _, ...rest } = model;
  return rest;
}

/** What a host cannot tell is told as if it were not offered. */
function seen<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

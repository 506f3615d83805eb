/**
 * The host as the process of an isolated hook knows it: what is read at once comes from what the
 * host has told last, everything else is a question to it.
 *
 * @module
 */

import type { SharedServices } from "../api.ts";
import type { ContextBinding } from "../context.ts";
import { frozenCopy } from "../copy.ts";
import type { SessionEntry } from "../entries.ts";
import type { LoadedHook } from "../hook.ts";
import type { HookUIContext, Model, ModelRegistry, ReadonlySessionManager } from "../ports.ts";
import type { ExecResult, HookLogger, NewSessionOptions } from "../types.ts";
import { applyListChange } from "./lists.ts";
import type { ASK_METHODS, ChildMessage, HostState, TELL_METHODS } from "./messages.ts";
import { ReplicaSession, type SessionFacts } from "./replica.ts";
import { themeOf, type ThemeTable } from "./theme.ts";
import { packThrown, unpackThrown } from "./thrown.ts";
import { pack, unpack } from "./values.ts";

/** A question that has no answer yet. */
interface OpenQuestion {
  resolve(value: unknown): void;
  reject(thrown: unknown): void;
}

/** Lines of a log that are passed on in one period; a hook that writes more is cut short. */
const MAX_LOG_LINES = 1000;
const LOG_PERIOD_MS = 10_000;

const REFUSED_CUSTOM = "ctx.ui.custom cannot be used by an isolated hook: a component draws and " +
  "reads keys in the host's process. Use select, confirm, input or editor";

/** Asks the host, and keeps what it has told. */
export class ChildHost {
  readonly #send: (message: ChildMessage) => void;
  readonly #questions = new Map<number, OpenQuestion>();
  readonly #setups = new Map<number, NonNullable<NewSessionOptions["setup"]>>();
  readonly #logged = { lines: 0, since: 0 };
  #state: HostState = {};
  #entries: SessionEntry[] = [];
  #session: ReplicaSession | undefined;
  #models: Model[] = [];
  #model: Model | undefined;
  #seq = 0;
  /** Whether `ctx.modelRegistry.getApiKey` is granted. */
  mayReadKeys = false;

  /** @param send Sends a message to the host. */
  constructor(send: (message: ChildMessage) => void) {
    this.#send = send;
  }

  /**
   * Takes in what the host tells.
   *
   * @param state What has changed.
   * @param hook Is bound as the host is.
   */
  learn(state: HostState | undefined, hook: LoadedHook): void {
    if (state === undefined) return;
    this.#state = { ...this.#state, ...state };
    if (state.entries !== undefined) {
      const add = state.entries.add.map((entry) => frozenCopy(unpack(entry)));
      this.#entries = applyListChange(this.#entries, { keep: state.entries.keep, add });
    }
    if (state.entries !== undefined || state.session !== undefined) this.#session = undefined;
    if (state.model !== undefined) this.#model = frozenCopy(unpack(state.model)) as Model;
    if (state.models !== undefined) this.#models = frozenCopy(unpack(state.models)) as Model[];
    if (state.cwd !== undefined) hook.setCwd?.(state.cwd);
    if (state.bound === undefined) return;
    if (state.bound.sendMessage) {
      hook.setSendMessageHandler((message, options) =>
        this.tell("sendMessage", [message, options])
      );
    }
    if (state.bound.appendEntry) {
      hook.setAppendEntryHandler((type, data) => this.tell("appendEntry", [type, data]));
    }
  }

  /**
   * Asks the host.
   *
   * @param method What.
   * @param args With what.
   * @param call The call that asks; without one the host takes its newest context.
   * @param signal Takes the question back.
   */
  ask(
    method: typeof ASK_METHODS[number],
    args: unknown[],
    call: string | undefined,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const seq = ++this.#seq;
    return this.#ask(seq, method, args, call, signal);
  }

  async #ask(
    seq: number,
    method: typeof ASK_METHODS[number],
    args: unknown[],
    call: string | undefined,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const packed = args.map((value) => pack(value, { refuse: true }));
    this.#questions.set(seq, { resolve, reject });
    this.#send({ t: "ask", seq, call, method, args: packed });
    const cancel = (): void => this.#send({ t: "cancel", seq });
    if (signal?.aborted) cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** The host has answered. */
  answered(seq: number, value: unknown, thrown: unknown): void {
    const question = this.#questions.get(seq);
    this.#questions.delete(seq);
    if (thrown === undefined) question?.resolve(value === undefined ? undefined : unpack(value));
    else question?.reject(unpackThrown(thrown));
  }

  /** The `setup` of a `newSession` that the host is busy with. */
  setupOf(seq: number): NonNullable<NewSessionOptions["setup"]> | undefined {
    return this.#setups.get(seq);
  }

  /**
   * Tells the host, without waiting.
   *
   * @param method What.
   * @param args With what.
   * @param call The call that tells.
   */
  tell(method: typeof TELL_METHODS[number], args: unknown[], call?: string): void {
    this.#send({
      t: "tell",
      call,
      method,
      args: args.map((value) => pack(value, { refuse: true })),
    });
  }

  /** `pi.exec`, where the host runs commands. */
  readonly exec: SharedServices["exec"] = async (command, args = [], cwd, options = {}) => {
    const { signal, ...rest } = options;
    return await this.ask("exec", [command, [...args], cwd, rest], undefined, signal) as ExecResult;
  };

  /** The colours of the host. */
  get theme(): ThemeTable {
    return this.#state.theme ?? {};
  }

  /** The log of the host. */
  get logger(): HookLogger {
    const write = (level: keyof HookLogger) => (message: string, data?: unknown) => {
      const now = Date.now();
      const logged = this.#logged;
      if (now - logged.since > LOG_PERIOD_MS) {
        if (logged.lines > MAX_LOG_LINES) {
          this.#log("warn", `${logged.lines - MAX_LOG_LINES} lines of the log were left out`);
        }
        logged.since = now;
        logged.lines = 0;
      }
      if (++logged.lines <= MAX_LOG_LINES) this.#log(level, String(message), data);
      else if (logged.lines === MAX_LOG_LINES + 1) {
        this.#log("warn", `more than ${MAX_LOG_LINES} lines of log: the rest is left out`);
      }
    };
    return {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
    };
  }

  #log(level: keyof HookLogger, message: string, data?: unknown): void {
    this.#send({ t: "tell", method: "log", args: [level, message.slice(0, 8192), pack(data)] });
  }

  /**
   * What the contexts of a call are made of.
   *
   * @param call The call.
   */
  bindingOf(call: string): ContextBinding {
    const state = (): HostState => this.#state;
    return {
      ui: this.#uiOf(call),
      get hasUI() {
        return state().hasUI === true;
      },
      get cwd() {
        return state().cwd ?? "";
      },
      sessionManager: this.#liveSession,
      modelRegistry: this.#registryOf(call),
      getModel: () => this.#model ?? undefined,
      isIdle: () => state().isIdle ?? true,
      abort: () => this.tell("abort", [], call),
      hasQueuedMessages: () => state().hasQueuedMessages ?? false,
      waitForIdle: async () => void await this.ask("waitForIdle", [], call),
      newSession: async (options) => await this.#newSession(options, call) as never,
      branch: async (entryId) => await this.ask("branch", [entryId], call) as never,
      navigateTree: async (targetId, options) =>
        await this.ask("navigateTree", [targetId, options], call) as never,
    };
  }

  async #newSession(options: NewSessionOptions | undefined, call: string): Promise<unknown> {
    const { setup, parentSession } = options ?? {};
    const seq = ++this.#seq;
    if (setup !== undefined) this.#setups.set(seq, setup);
    try {
      const args = [{ parentSession, hasSetup: setup !== undefined }];
      return await this.#ask(seq, "newSession", args, call);
    } finally {
      this.#setups.delete(seq);
    }
  }

  #uiOf(call: string): HookUIContext {
    const { editorText = "" } = this.#state;
    let written = editorText;
    return Object.freeze<HookUIContext>({
      select: async (title, options, dialog) =>
        await this.ask("select", [title, options], call, dialog?.signal) as string | undefined,
      confirm: async (title, message, dialog) =>
        await this.ask("confirm", [title, message], call, dialog?.signal) as boolean,
      input: async (title, placeholder, dialog) =>
        await this.ask("input", [title, placeholder], call, dialog?.signal) as string | undefined,
      editor: async (title, prefill, dialog) =>
        await this.ask("editor", [title, prefill], call, dialog?.signal) as string | undefined,
      notify: (message, type) => this.tell("notify", [message, type], call),
      setStatus: (key, text) => this.tell("setStatus", [key, text], call),
      custom: () => Promise.reject(new Error(REFUSED_CUSTOM)),
      setEditorText: (text) => {
        written = this.#state.editorText = String(text);
        this.tell("setEditorText", [text], call);
      },
      getEditorText: () => this.#state.editorText ?? written,
      theme: themeOf(() => this.theme),
    });
  }

  /** Always the session that the host has told last. */
  readonly #liveSession: ReadonlySessionManager = Object.freeze<ReadonlySessionManager>({
    getCwd: () => this.#replica().getCwd(),
    getSessionDir: () => this.#replica().getSessionDir(),
    getSessionId: () => this.#replica().getSessionId(),
    getSessionFile: () => this.#replica().getSessionFile(),
    getSessionName: () => this.#replica().getSessionName(),
    getLeafId: () => this.#replica().getLeafId(),
    getLeafEntry: () => this.#replica().getLeafEntry(),
    getEntry: (id) => this.#replica().getEntry(id),
    getLabel: (id) => this.#replica().getLabel(id),
    getBranch: (fromId) => this.#replica().getBranch(fromId),
    getHeader: () => this.#replica().getHeader(),
    getEntries: () => this.#replica().getEntries(),
    getTree: () => this.#replica().getTree(),
    getUsageStatistics: () => this.#replica().getUsageStatistics(),
  });

  #replica(): ReplicaSession {
    if (this.#session !== undefined) return this.#session;
    const { session } = this.#state;
    if (typeof session === "string") throw new Error(session);
    if (session === undefined) {
      throw new Error("The host has not told about its session: name ctx.sessionManager in full");
    }
    const facts = frozenCopy(unpack(structuredClone(session))) as SessionFacts;
    return this.#session = new ReplicaSession(facts, this.#entries);
  }

  #registryOf(call: string): ModelRegistry {
    return Object.freeze<ModelRegistry>({
      getAll: () => this.#models.slice(),
      getAvailable: async () => await this.ask("getAvailable", [], call) as Model[],
      find: (provider, modelId) =>
        this.#models.find((one) => one.provider === provider && one.id === modelId),
      getApiKey: async (model) => {
        if (this.mayReadKeys) return await this.ask("getApiKey", [model], call) as string;
        throw new Error(
          "An isolated hook gets the keys of models only if they are granted: " +
            "ask for them with // @permission keys",
        );
      },
    });
  }

  /** Says that something failed outside of any call. */
  failedLate(thrown: unknown): void {
    const packed = packThrown(thrown, pack) as { message?: string; stack?: string };
    this.#log(
      "error",
      `it failed late: ${packed.stack ?? packed.message ?? JSON.stringify(packed)}`,
    );
  }
}

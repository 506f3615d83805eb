/**
 * The object that the factory of one hook receives, and the `LoadedHook` that it fills.
 *
 * @module
 */

import { ownCopy } from "./copy.ts";
import { describeValue, thrownText } from "./errors.ts";
import type { HookMessageInput } from "./events/agent.ts";
import { checkHookMessage, checkJson, type FieldCheck } from "./events/checks.ts";
import { HOOK_EVENT_NAMES, isHookEventName } from "./events/policy.ts";
import {
  type AppendEntryHandler,
  type HookSource,
  type LoadedHook,
  registrationsChanged,
  type SendMessageHandler,
  type StoredHandler,
} from "./hook.ts";
import { nearest } from "./nearest.ts";
import type {
  ExecFunction,
  ExecOptions,
  ExecResult,
  HookAPI,
  HookCommandOptions,
  HookLogger,
  HookMessageRenderer,
  SendMessageOptions,
} from "./types.ts";

/** What all hooks of a load share. */
export interface SharedServices {
  /** Runs commands. */
  exec(
    command: string,
    args: readonly string[] | undefined,
    cwd: string,
    options?: ExecOptions,
  ): Promise<ExecResult>;
  /** The log of the host. */
  logger: HookLogger;
  /** The module `@sinclair/typebox`, if the host passes it. */
  typebox: unknown;
  /** Everything that `mod.ts` exports. */
  namespace: Readonly<Record<string, unknown>>;
}

/** What a session has bound to a hook; outlives a reload. */
interface BoundSession {
  sendMessage: SendMessageHandler | undefined;
  appendEntry: AppendEntryHandler | undefined;
  cwd: string;
}

/** A hook, and what a session has bound to it. */
export interface HookHandle {
  /** The hook as the runner sees it. */
  readonly hook: LoadedHook;
  /** Registers one version of its file; the first one, or one after a change. */
  open(services: SharedServices): HookVersion;
}

/** One version of a hook's file. */
export interface HookVersion {
  /** What its factory receives. */
  readonly api: HookAPI;
  /** Event names it used that do not exist, as sentences. */
  readonly unknownEvents: readonly string[];
  /** Whether it has registered anything. */
  isEmpty(): boolean;
  /** Puts it in the place of the version before. */
  commit(): void;
  /** Gives it up: it can no longer register or send anything. */
  close(): void;
}

/**
 * Makes a hook without handlers.
 *
 * @param identity Its path, as given and as found, and where it was found.
 * @param cwd Where `pi.exec` starts.
 */
export function createHook(
  identity: { path: string; resolvedPath: string; source?: HookSource },
  cwd: string,
): HookHandle {
  const bound: BoundSession = { sendMessage: undefined, appendEntry: undefined, cwd };
  const hook: LoadedHook = {
    ...identity,
    handlers: new Map(),
    messageRenderers: new Map(),
    commands: new Map(),
    setSendMessageHandler: (handler) => {
      bound.sendMessage = handler;
    },
    setAppendEntryHandler: (handler) => {
      bound.appendEntry = handler;
    },
    setCwd: (folder) => {
      bound.cwd = folder;
    },
  };
  let current: RegistrationAPI | undefined;
  return {
    hook,
    open(services: SharedServices): HookVersion {
      const api = new RegistrationAPI(hook.path, bound, services);
      return {
        api,
        unknownEvents: api.unknownEvents,
        isEmpty: () => api.handlers.size + api.messageRenderers.size + api.commands.size === 0,
        commit(): void {
          current?.close();
          current = api;
          hook.handlers = api.handlers;
          hook.messageRenderers = api.messageRenderers;
          hook.commands = api.commands;
          api.finishLoading();
          registrationsChanged();
        },
        close: () => api.close(),
      };
    },
  };
}

class RegistrationAPI implements HookAPI {
  readonly handlers: LoadedHook["handlers"] = new Map();
  readonly messageRenderers: LoadedHook["messageRenderers"] = new Map();
  readonly commands: LoadedHook["commands"] = new Map();
  readonly unknownEvents: string[] = [];
  readonly exec: ExecFunction;
  readonly logger: HookLogger;
  readonly pi: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #bound: BoundSession;
  readonly #typebox: unknown;
  #state: "loading" | "loaded" | "closed" = "loading";

  constructor(path: string, bound: BoundSession, services: SharedServices) {
    this.#path = path;
    this.#bound = bound;
    this.#typebox = services.typebox;
    this.exec = (command, args, options) => services.exec(command, args, bound.cwd, options);
    this.logger = services.logger;
    this.pi = services.namespace;
    // Bound, so that a hook may take the API apart: `const { on, sendMessage } = pi`.
    this.on = this.on.bind(this);
    this.sendMessage = this.sendMessage.bind(this);
    this.appendEntry = this.appendEntry.bind(this);
    this.registerMessageRenderer = this.registerMessageRenderer.bind(this);
    this.registerCommand = this.registerCommand.bind(this);
  }

  get typebox(): unknown {
    if (this.#typebox !== undefined) return this.#typebox;
    throw new Error(
      'This host does not pass typebox: write import { Type } from "npm:@sinclair/typebox"',
    );
  }

  finishLoading(): void {
    this.#state = "loaded";
  }

  close(): void {
    this.#state = "closed";
  }

  on(event: string, handler: unknown): void {
    this.#assertOpen();
    if (typeof event !== "string") {
      throw new TypeError(`pi.on needs the name of an event, not ${describeValue(event)}`);
    }
    if (typeof handler !== "function") {
      throw new TypeError(`pi.on("${event}") needs a function, not ${describeValue(handler)}`);
    }
    if (!isHookEventName(event)) this.#noteUnknown(event);
    const handlers = this.handlers.get(event) ?? [];
    this.handlers.set(event, [...handlers, handler as StoredHandler]);
    registrationsChanged();
  }

  sendMessage<T>(message: HookMessageInput<T>, options?: SendMessageOptions): void {
    this.#assertOpen();
    const { sendMessage } = this.#bound;
    if (sendMessage === undefined || this.#state === "loading") throw notReady("sendMessage");
    void sendMessage(taken("sendMessage", "message", message, checkHookMessage), options);
  }

  appendEntry(customType: string, data?: unknown): void {
    this.#assertOpen();
    const { appendEntry } = this.#bound;
    if (appendEntry === undefined || this.#state === "loading") throw notReady("appendEntry");
    if (typeof customType !== "string" || customType === "") {
      const got = describeValue(customType);
      throw new TypeError(`pi.appendEntry needs the name of a kind of entry, not ${got}`);
    }
    appendEntry(customType, taken("appendEntry", "data", data, checkJson));
  }

  registerMessageRenderer<T>(customType: string, renderer: HookMessageRenderer<T>): void {
    this.#assertOpen();
    if (typeof customType !== "string") {
      const got = describeValue(customType);
      throw new TypeError(`pi.registerMessageRenderer needs the type of a message, not ${got}`);
    }
    if (typeof renderer !== "function") {
      const got = describeValue(renderer);
      throw new TypeError(`pi.registerMessageRenderer needs a function, not ${got}`);
    }
    this.messageRenderers.set(customType, renderer as HookMessageRenderer);
  }

  registerCommand(name: string, options: HookCommandOptions): void {
    this.#assertOpen();
    if (typeof name !== "string" || !/^[^\s/]\S*$/.test(name)) {
      const got = describeValue(name);
      throw new TypeError(`A command needs a name without blanks and leading slash, not ${got}`);
    }
    if (typeof options?.handler !== "function") {
      const got = describeValue(options?.handler);
      throw new TypeError(`pi.registerCommand("${name}") needs a handler, not ${got}`);
    }
    // The handler by name, since it may be a method of a class.
    this.commands.set(name, { ...options, name, handler: options.handler });
  }

  #noteUnknown(event: string): void {
    const guess = nearest(event, HOOK_EVENT_NAMES);
    const hint = guess === undefined ? "." : `, did you mean "${guess}"?`;
    const text = `There is no event "${event}"${hint} Its handler will never run.`;
    this.unknownEvents.push(text);
    if (this.#state === "loaded") this.logger.warn(`${this.#path}: ${text}`);
  }

  #assertOpen(): void {
    if (this.#state !== "closed") return;
    throw new Error(
      `This version of hook "${this.#path}" is no longer loaded, it cannot register or send`,
    );
  }
}

function notReady(name: string): Error {
  return new Error(
    `pi.${name} is not available during load: there is no session yet, call it from a handler`,
  );
}

/** What a hook hands in is stored as JSON and outlives the call: it is checked and copied first. */
function taken<T>(method: string, what: string, value: T, check: FieldCheck): T {
  let own: unknown;
  try {
    own = ownCopy(value);
  } catch (thrown) {
    const text = `pi.${method}: the ${what} cannot be copied: ${thrownText(thrown)}`;
    throw new TypeError(text, { cause: thrown });
  }
  const fault = check(own);
  if (fault !== undefined) throw new TypeError(`pi.${method}: the ${what} ${fault}`);
  return own as T;
}

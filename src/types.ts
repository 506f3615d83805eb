/**
 * What the author of a hook sees: the API object, the contexts, commands, renderers.
 *
 * The ports that a host fills (user interface, session, models, tools) are in `ports.ts`.
 *
 * @module
 */

import type { HookMessageInput } from "./events/agent.ts";
import type { HookEventMap, HookEventName } from "./events/map.ts";
import type { HookMessage } from "./messages.ts";
import type {
  Component,
  HookUIContext,
  Model,
  ModelRegistry,
  ReadonlySessionManager,
  Theme,
  WritableSession,
} from "./ports.ts";

/**
 * A function that handles an event. It may be synchronous or asynchronous; the next handler waits
 * for it.
 *
 * Contract: `event` must not be changed. A handler that throws is reported and skipped, except for
 * `tool_call`, where it blocks the tool. There is no time limit unless the host sets one.
 *
 * @typeParam E The event.
 * @typeParam R What it may answer; `undefined` where answers are ignored.
 */
export type HookHandler<E, R = undefined> = (
  event: E,
  ctx: HookContext,
) => Promise<R | void> | R | void;

/** The handler type that belongs to the name of an event. */
export type HookHandlerOf<N extends HookEventName> = HookHandler<
  HookEventMap[N]["event"],
  HookEventMap[N]["result"]
>;

/**
 * The default export of a hook file. It gets the API once, when the hook is loaded, and registers
 * handlers, commands and renderers. If it is asynchronous it is awaited before the first event.
 */
export type HookFactory = (pi: HookAPI) => void | Promise<void>;

/** How a message of a hook is delivered. */
export interface SendMessageOptions {
  /** Start the agent if it is idle. Default `false`: the message waits for the next prompt. */
  triggerTurn?: boolean;
  /**
   * While the agent works: `steer` (the default) puts the message in after the running tools,
   * `followUp` when the agent would stop.
   */
  deliverAs?: "steer" | "followUp";
}

/** How a command is run by `pi.exec`. */
export interface ExecOptions {
  /** Working directory; a relative one starts from the session's. Default: the session's. */
  cwd?: string;
  /** Time limit in milliseconds; none if absent, zero, negative or not a number. */
  timeout?: number;
  /** Stops the command. A signal that has fired already starts nothing. */
  signal?: AbortSignal;
  /** Environment variables to set; `undefined` takes one away. The rest is inherited. */
  env?: Record<string, string | undefined>;
  /** Text or bytes for the command's standard input. Default: there is none. */
  stdin?: string | Uint8Array;
  /** How many bytes of each output to keep, at least 1024. Default 16 MiB. */
  maxBuffer?: number;
}

/** What a command did. */
export interface ExecResult {
  /** What it wrote to standard output, as UTF-8; invalid bytes become U+FFFD. */
  stdout: string;
  /** What it wrote to standard error, or why it could not be started. */
  stderr: string;
  /**
   * Exit code. 124: stopped by the time limit. 130: stopped by the signal. 127: not found.
   * 126: not executable. 128 + n: ended by signal n of somebody else.
   */
  code: number;
  /** Whether the time limit or the signal stopped it. */
  killed: boolean;
  /** Present when an output was longer than `maxBuffer`: the true sizes in bytes. */
  truncated?: { stdoutBytes: number; stderrBytes: number };
}

/** Runs a command; see `execCommand`. */
export type ExecFunction = (
  command: string,
  args?: readonly string[],
  options?: ExecOptions,
) => Promise<ExecResult>;

/** Writes to the log of the host, never to standard output. */
export interface HookLogger {
  /** For the author of the hook. */
  debug(message: string, data?: unknown): void;
  /** For whoever wonders what happened. */
  info(message: string, data?: unknown): void;
  /** Something is odd. */
  warn(message: string, data?: unknown): void;
  /** Something failed. */
  error(message: string, data?: unknown): void;
}

/** How a renderer shall draw. */
export interface HookMessageRenderOptions {
  /** Whether the person wants to see all of it. */
  expanded: boolean;
}

/**
 * Draws a message of a hook. `undefined`, or a throw, gives the default form.
 *
 * @typeParam T The type of the message's `details`.
 */
export type HookMessageRenderer<T = unknown> = (
  message: HookMessage<T>,
  options: HookMessageRenderOptions,
  theme: Theme,
) => Component | undefined;

/** What a slash command does. */
export type HookCommandHandler = (args: string, ctx: HookCommandContext) => Promise<void> | void;

/** A slash command as a hook registers it. */
export interface HookCommandOptions {
  /** One line for listings. */
  description?: string;
  /** What it does. `args` is the text after the name, `""` if there is none. */
  handler: HookCommandHandler;
}

/** A slash command that a hook has registered. */
export interface RegisteredCommand extends HookCommandOptions {
  /** Its name, without the slash. */
  name: string;
}

/**
 * What a factory gets. All registration functions may also be called later; a handler that is
 * registered while an event is being handled takes part from the next event on.
 *
 * @example A hook that keeps `rm -rf` away
 * ```ts
 * import type { HookAPI } from "@pi-hooks/core";
 *
 * export default function gate(pi: HookAPI): void {
 *   pi.on("tool_call", (event) => {
 *     if (String(event.input.command ?? "").includes("rm -rf")) {
 *       return { block: true, reason: "no rm -rf" };
 *     }
 *   });
 * }
 * ```
 */
export interface HookAPI {
  /**
   * Registers a handler. Handlers run in the order of registration, hooks in the order of the list.
   *
   * @throws {TypeError} If `handler` is not a function.
   */
  on<N extends HookEventName>(event: N, handler: HookHandlerOf<N>): void;
  /**
   * Puts a message into the conversation, stored and read by the model. Delivery happens later;
   * failures reach the host's error listeners.
   *
   * @throws {Error} `not available during load` before a session is there.
   */
  sendMessage<T = unknown>(message: HookMessageInput<T>, options?: SendMessageOptions): void;
  /**
   * Keeps data in the session. The model does not see it.
   *
   * @throws {Error} `not available during load` before a session is there.
   */
  appendEntry<T = unknown>(customType: string, data?: T): void;
  /** Sets the renderer of a kind of message. Among hooks the one loaded first wins. */
  registerMessageRenderer<T = unknown>(customType: string, renderer: HookMessageRenderer<T>): void;
  /**
   * Registers a slash command. Among hooks the one loaded first wins.
   *
   * @throws {TypeError} If the name is empty, holds a blank or begins with a slash.
   */
  registerCommand(name: string, options: HookCommandOptions): void;
  /**
   * Runs a program without a shell: arguments arrive byte for byte.
   *
   * @throws {Deno.errors.NotCapable} If Deno may not run it; the text names the flag to add.
   */
  exec: ExecFunction;
  /** Writes to the log of the host. */
  readonly logger: HookLogger;
  /**
   * The module `@sinclair/typebox`, if the host passes it.
   *
   * @throws {Error} If the host does not; import `npm:@sinclair/typebox` then.
   */
  readonly typebox: unknown;
  /** Everything that `mod.ts` exports. */
  readonly pi: Readonly<Record<string, unknown>>;
}

/** What a handler gets beside the event. Frozen; made once for all handlers of an event. */
export interface HookContext {
  /** Questions and notices for the person. */
  readonly ui: HookUIContext;
  /** Whether a person can answer. Without one, questions answer themselves with "no". */
  readonly hasUI: boolean;
  /** Working directory of the session. */
  readonly cwd: string;
  /** The session, for reading. */
  readonly sessionManager: ReadonlySessionManager;
  /** The models and their keys. */
  readonly modelRegistry: ModelRegistry;
  /** The current model, read at the moment of use. */
  readonly model: Model | undefined;
  /** Whether the agent is doing nothing. */
  isIdle(): boolean;
  /** Stops the agent; does not wait for it. */
  abort(): void;
  /** Whether messages wait for the agent. */
  hasQueuedMessages(): boolean;
}

/** Whether a hook or a person has stopped a change of the session. */
export interface CancellableResult {
  /** `true`: nothing has changed. */
  cancelled: boolean;
}

/** How a new session begins. */
export interface NewSessionOptions {
  /** Path of the session that it comes from. */
  parentSession?: string;
  /** Fills the new session before anybody hears of it; what it appends is in the first request. */
  setup?: (sessionManager: WritableSession) => Promise<void> | void;
}

/**
 * What the handler of a slash command gets. The functions that wait for the agent or replace the
 * session are only here: inside an event they would wait for themselves.
 */
export interface HookCommandContext extends HookContext {
  /** Waits until the agent has finished. */
  waitForIdle(): Promise<void>;
  /** Starts a new session. */
  newSession(options?: NewSessionOptions): Promise<CancellableResult>;
  /** Makes a new session from a user message of this one. */
  branch(entryId: string): Promise<CancellableResult>;
  /** Goes to another place in the tree of this session. */
  navigateTree(targetId: string, options?: { summarize?: boolean }): Promise<CancellableResult>;
}

/**
 * What a host gives to a runner: options when it is made, functions when it is bound.
 *
 * @module
 */

import type { ContextBinding } from "./context.ts";
import type { HookEventName } from "./events/map.ts";
import type { HandlerObserver } from "./handler_record.ts";
import type { AppendEntryHandler, SendMessageHandler } from "./hook.ts";
import type { HookUIContext, Model, ModelRegistry, ReadonlySessionManager } from "./ports.ts";
import type { CancellableResult, NewSessionOptions } from "./types.ts";
import { queueDialogs } from "./ui/dialog_queue.ts";
import { isNoOpUIContext } from "./ui/no_ui.ts";

/** Options of a runner. */
export interface HookRunnerOptions {
  /** Gets one record for each handler and event. Without it nothing is measured. */
  observer?: HandlerObserver;
  /**
   * Time limit of a handler in milliseconds, one for all events or one an event; the clock stands
   * still while a question of the handler is open. Default: none, and 2000 for
   * `session_shutdown`, which one number for all events can only shorten.
   */
  handlerTimeoutMs?: number | Partial<Record<HookEventName, number>>;
}

/** What a host binds to a runner. What is left out goes back to its default. */
export interface HookRunnerBinding {
  /** The current model. */
  getModel?: () => Model | undefined;
  /** Delivers `pi.sendMessage`. Default: each message is a `HookError`. */
  sendMessageHandler?: SendMessageHandler;
  /** Delivers `pi.appendEntry`. Default: each entry is a `HookError`. */
  appendEntryHandler?: AppendEntryHandler;
  /** Starts a new session. Default: refuses with a sentence. */
  newSessionHandler?: (options?: NewSessionOptions) => Promise<CancellableResult>;
  /** Makes a new session from a user message. Default: refuses with a sentence. */
  branchHandler?: (entryId: string) => Promise<CancellableResult>;
  /** Goes to another place in the tree. Default: refuses with a sentence. */
  navigateTreeHandler?: (
    targetId: string,
    options?: { summarize?: boolean },
  ) => Promise<CancellableResult>;
  /** Whether the agent is doing nothing. Default: `true`. */
  isIdle?: () => boolean;
  /** Waits until the agent has finished. Default: at once. */
  waitForIdle?: () => Promise<void>;
  /** Stops the agent. Default: nothing. */
  abort?: () => void;
  /** Whether messages wait for the agent. Default: `false`. */
  hasQueuedMessages?: () => boolean;
  /** Working directory of the session. Default: what it was. */
  cwd?: string;
  /** The session. Default: what it was. */
  sessionManager?: ReadonlySessionManager;
  /** The models. Default: what they were. */
  modelRegistry?: ModelRegistry;
  /** Questions and notices. Default: nobody can answer. `hasUI` follows from it. */
  uiContext?: HookUIContext;
}

/** Options of one event. */
export interface EmitOptions {
  /** Ends the wait for handlers; the promise then rejects with an `AbortError`. */
  signal?: AbortSignal;
}

/**
 * The signal of an event: its own, or the one of the call, or one that fires when either does. An
 * event from outside may hold anything as signal; what is none is left out.
 *
 * @param event The event.
 * @param options The options of the call.
 */
export function signalOf(event: object, options: EmitOptions | undefined): AbortSignal | undefined {
  const own = "signal" in event && event.signal instanceof AbortSignal ? event.signal : undefined;
  const given = options?.signal;
  return own === undefined || given === undefined ? own ?? given : AbortSignal.any([own, given]);
}

/**
 * The host as contexts see it.
 *
 * @param binding What the host offers; for what it leaves out see {@linkcode HookRunnerBinding}.
 * @param before What stays as it was if the host does not say it anew.
 * @param uiContext Questions and notices.
 */
export function bindContext(
  binding: HookRunnerBinding,
  before: Pick<ContextBinding, "cwd" | "sessionManager" | "modelRegistry">,
  uiContext: HookUIContext,
): ContextBinding {
  return {
    ui: queuedOnce(uiContext),
    hasUI: !isNoOpUIContext(uiContext),
    cwd: binding.cwd ?? before.cwd,
    sessionManager: binding.sessionManager ?? before.sessionManager,
    modelRegistry: binding.modelRegistry ?? before.modelRegistry,
    getModel: binding.getModel ?? (() => undefined),
    isIdle: binding.isIdle ?? (() => true),
    abort: binding.abort ?? (() => {}),
    hasQueuedMessages: binding.hasQueuedMessages ?? (() => false),
    waitForIdle: binding.waitForIdle ?? (() => Promise.resolve()),
    newSession: binding.newSessionHandler ?? (() => refuse("start a new session")),
    branch: binding.branchHandler ?? (() => refuse("branch")),
    navigateTree: binding.navigateTreeHandler ?? (() => refuse("walk through the session")),
  };
}

/** One queue for each user interface: it has one screen, however often a runner is bound to it. */
const QUEUED = new WeakMap<HookUIContext, HookUIContext>();

function queuedOnce(ui: HookUIContext): HookUIContext {
  let queued = QUEUED.get(ui);
  if (queued === undefined) QUEUED.set(ui, queued = queueDialogs(ui));
  return queued;
}

/** Saying "not cancelled" without having done anything would be a lie. */
function refuse(what: string): Promise<never> {
  return Promise.reject(new Error(`Cannot ${what}: this host does not offer it`));
}

/**
 * The context object that handlers and commands get.
 *
 * It holds nothing of its own: every getter asks the runner's binding, so a context that a hook
 * kept from before a session switch acts on the session that is current now. Having no own fields
 * also makes it cheap to freeze, and getters on the prototype cost nothing a dispatch.
 *
 * @module
 */

import type { HookUIContext, Model, ModelRegistry, ReadonlySessionManager } from "./ports.ts";
import type {
  CancellableResult,
  HookCommandContext,
  HookContext,
  NewSessionOptions,
} from "./types.ts";

/** What a context is made from: the host, as the runner knows it. */
export interface ContextBinding {
  /** Questions and notices. */
  readonly ui: HookUIContext;
  /** Whether a person can answer. */
  readonly hasUI: boolean;
  /** Working directory of the session. */
  readonly cwd: string;
  /** The session. */
  readonly sessionManager: ReadonlySessionManager;
  /** The models. */
  readonly modelRegistry: ModelRegistry;
  /** The current model. */
  readonly getModel: () => Model | undefined;
  /** Whether the agent is doing nothing. */
  readonly isIdle: () => boolean;
  /** Stops the agent. */
  readonly abort: () => void;
  /** Whether messages wait for the agent. */
  readonly hasQueuedMessages: () => boolean;
  /** Waits until the agent has finished. */
  readonly waitForIdle: () => Promise<void>;
  /** Starts a new session. */
  readonly newSession: (options?: NewSessionOptions) => Promise<CancellableResult>;
  /** Makes a new session from a user message. */
  readonly branch: (entryId: string) => Promise<CancellableResult>;
  /** Goes to another place in the tree. */
  readonly navigateTree: (
    targetId: string,
    options?: { summarize?: boolean },
  ) => Promise<CancellableResult>;
}

/** Context of an event. */
export class EventContext implements HookContext {
  readonly #binding: () => ContextBinding;
  readonly #ui: (() => HookUIContext) | undefined;

  /**
   * @param binding Gives the host as it is now.
   * @param ui Questions of one handler, where its time limit or its signal has to be heeded.
   */
  constructor(binding: () => ContextBinding, ui?: () => HookUIContext) {
    this.#binding = binding;
    this.#ui = ui;
    if (new.target === EventContext) Object.freeze(this);
  }

  get ui(): HookUIContext {
    return this.#ui?.() ?? this.#binding().ui;
  }
  get hasUI(): boolean {
    return this.#binding().hasUI;
  }
  get cwd(): string {
    return this.#binding().cwd;
  }
  get sessionManager(): ReadonlySessionManager {
    return this.#binding().sessionManager;
  }
  get modelRegistry(): ModelRegistry {
    return this.#binding().modelRegistry;
  }
  get model(): Model | undefined {
    return this.#binding().getModel();
  }
  // Getters that return a function, so that a hook may take them apart: `const { abort } = ctx`.
  get isIdle(): () => boolean {
    return () => this.#binding().isIdle();
  }
  get abort(): () => void {
    return () => this.#binding().abort();
  }
  get hasQueuedMessages(): () => boolean {
    return () => this.#binding().hasQueuedMessages();
  }
}

/** Context of a slash command. */
export class CommandContext extends EventContext implements HookCommandContext {
  readonly #binding: () => ContextBinding;

  /** @param binding Gives the host as it is now. */
  constructor(binding: () => ContextBinding) {
    super(binding);
    this.#binding = binding;
    Object.freeze(this);
  }

  get waitForIdle(): () => Promise<void> {
    return () => this.#binding().waitForIdle();
  }
  get newSession(): (options?: NewSessionOptions) => Promise<CancellableResult> {
    return (options) => this.#binding().newSession(options);
  }
  get branch(): (entryId: string) => Promise<CancellableResult> {
    return (entryId) => this.#binding().branch(entryId);
  }
  get navigateTree(): (
    targetId: string,
    options?: { summarize?: boolean },
  ) => Promise<CancellableResult> {
    return (targetId, options) => this.#binding().navigateTree(targetId, options);
  }
}

/**
 * `HookRunner`: knows the hooks and the host, and puts events through the handlers.
 *
 * @module
 */

import { CommandContext, type ContextBinding } from "./context.ts";
import { frozenCopy, shownAs } from "./copy.ts";
import type { Dispatch } from "./dispatch.ts";
import { type HookError, hookErrorFrom } from "./errors.ts";
import type { BeforeAgentStartEventResult } from "./events/agent.ts";
import type { HookEventName, HookEventOf, HookResultOf } from "./events/map.ts";
import type { ToolCallEvent, ToolCallEventResult } from "./events/tool.ts";
import { Dispatcher, NOTHING, refuseToEmit } from "./dispatcher.ts";
import type { LoadedHook } from "./hook.ts";
import { bindHooks } from "./hook_binding.ts";
import { HookListeners, type HookWarning } from "./listeners.ts";
import type { AgentMessage, ImageContent } from "./messages.ts";
import { emptyModelRegistry, emptySessionManager } from "./no_host.ts";
import type { HookUIContext, ModelRegistry, ReadonlySessionManager } from "./ports.ts";
import {
  bindContext,
  type EmitOptions,
  type HookRunnerBinding,
  type HookRunnerOptions,
  signalOf,
} from "./runner_options.ts";
import {
  ALLOWED,
  decisionOf,
  toolCallAnswer,
  type ToolCallDecision,
  toolCallSnapshot,
} from "./tool_decision.ts";
import type { HookCommandContext, HookMessageRenderer, RegisteredCommand } from "./types.ts";
import { createNoOpUIContext } from "./ui/no_ui.ts";

/** The events that go through `HookRunner.emit`; the others have methods of their own. */
export type GeneralEventName = Exclude<
  HookEventName,
  "tool_call" | "context" | "before_agent_start"
>;

/**
 * Runs the handlers of hooks: hooks in the order of the list, handlers in the order of their
 * registration, each waiting for the one before.
 *
 * @example
 * ```ts
 * import { HookRunner, loadHooks } from "@pi-hooks/core";
 *
 * const { hooks } = await loadHooks([], ".");
 * const runner = new HookRunner(hooks, ".");
 * runner.onError((error) => console.error(error.hookPath, error.error));
 * await runner.emit({ type: "session_start" });
 * ```
 */
export class HookRunner {
  readonly #hooks: LoadedHook[];
  readonly #dispatcher: Dispatcher;
  readonly #listeners = new HookListeners();
  #binding: ContextBinding;
  #uiContext: HookUIContext;

  /**
   * Makes a runner. Until `initialize` is called nobody can be asked and no session is bound.
   *
   * @param hooks The hooks, kept by reference: one that is pushed later takes part, and is bound to
   * the session by the next `initialize`.
   * @param cwd Working directory of the session.
   * @param sessionManager The session. Default: one without entries.
   * @param modelRegistry The models. Default: none.
   * @param options Observer and time limits.
   */
  constructor(
    hooks: LoadedHook[],
    cwd: string,
    sessionManager: ReadonlySessionManager = emptySessionManager(cwd),
    modelRegistry: ModelRegistry = emptyModelRegistry(),
    options: HookRunnerOptions = {},
  ) {
    this.#hooks = hooks;
    this.#uiContext = createNoOpUIContext();
    this.#binding = bindContext({}, { cwd, sessionManager, modelRegistry }, this.#uiContext);
    this.#dispatcher = new Dispatcher(hooks, () => this.#binding, this.#listeners, options);
  }

  /**
   * Binds the runner to its host. May be called again, after a session switch for example; what
   * is left out then goes back to its default.
   *
   * @param binding What the host offers.
   */
  initialize(binding: HookRunnerBinding = {}): void {
    this.#uiContext = binding.uiContext ?? createNoOpUIContext();
    this.#binding = bindContext(binding, this.#binding, this.#uiContext);
    bindHooks(this.#hooks, this.#binding.cwd, binding, (error) => this.emitError(error));
  }

  /**
   * Puts an event through its handlers. `tool_call`, `context` and `before_agent_start` have
   * methods of their own, and the compiler refuses them here.
   *
   * @param event The event.
   * @param options The signal of the call. A `signal` of the event itself counts too.
   * @returns The folded answer, `undefined` if there is none.
   * @throws {HookAbortError} If the signal fires; as a rejection, like every error here.
   */
  emit<N extends GeneralEventName>(
    event: HookEventOf<N> & { type: N },
    options?: EmitOptions,
  ): Promise<HookResultOf<N> | undefined> {
    const plan = this.#dispatcher.handlers.of(event.type);
    if (plan === undefined || plan.policy.emitter !== undefined) return refuseToEmit(event.type);
    if (plan.handlers.length === 0) return NOTHING;
    const { sideBySideMs } = plan.policy;
    if (sideBySideMs !== undefined) {
      return this.#dispatcher.runSideBySide(plan, event, sideBySideMs, options?.signal);
    }
    const signal = signalOf(event, options);
    const shown = shownAs(plan.policy.shows, event);
    return this.#dispatcher.run(plan, shown, signal, NOTHING, answerOf<HookResultOf<N>>);
  }

  /**
   * Asks the hooks about a tool call, and returns their answer as it is. A host that only wants
   * to know whether the tool may run uses {@linkcode HookRunner.decideToolCall}.
   *
   * @param event The call. Handlers see a deep-frozen copy of its input.
   * @param options The signal of the call.
   * @returns The last answer, or the first one that blocks.
   * @throws What a handler threw: the tool must not run then.
   */
  emitToolCall(
    event: ToolCallEvent,
    options?: EmitOptions,
  ): Promise<ToolCallEventResult | undefined> {
    const plan = this.#dispatcher.handlers.of("tool_call");
    if (plan === undefined || plan.handlers.length === 0) return NOTHING;
    const shown = toolCallSnapshot(event);
    return this.#dispatcher.run(plan, shown, options?.signal, NOTHING, toolCallAnswer);
  }

  /**
   * Asks the hooks whether a tool call may run. A hook that fails blocks.
   *
   * @param event The call. Handlers see a deep-frozen copy of its input.
   * @param options The signal of the call.
   * @throws {HookAbortError} If the signal fires; nothing else.
   */
  decideToolCall(event: ToolCallEvent, options?: EmitOptions): Promise<ToolCallDecision> {
    const plan = this.#dispatcher.handlers.of("tool_call");
    if (plan === undefined || plan.handlers.length === 0) return ALLOWED;
    const shown = toolCallSnapshot(event);
    return this.#dispatcher.run(plan, shown, options?.signal, ALLOWED, decisionOf);
  }

  /**
   * Lets the hooks change what the model reads in its next call.
   *
   * @param messages The messages. Neither the list nor a message of it is changed.
   * @param options The signal of the call.
   * @returns The same list if no handler answered, else a new one.
   */
  emitContext(messages: AgentMessage[], options?: EmitOptions): Promise<AgentMessage[]> {
    const plan = this.#dispatcher.handlers.of("context");
    const unchanged = Promise.resolve(messages);
    if (plan === undefined || plan.handlers.length === 0) return unchanged;
    const event = { type: "context", messages };
    return this.#dispatcher.run(
      plan,
      event,
      options?.signal,
      unchanged,
      (dispatch) => answerOf<{ messages: AgentMessage[] }>(dispatch)?.messages ?? messages,
    );
  }

  /**
   * Lets the hooks add a message to a prompt.
   *
   * @param prompt The prompt.
   * @param images Pictures that came with it.
   * @param options The signal of the call.
   * @returns The first answer with a message.
   */
  emitBeforeAgentStart(
    prompt: string,
    images?: ImageContent[],
    options?: EmitOptions,
  ): Promise<BeforeAgentStartEventResult | undefined> {
    const plan = this.#dispatcher.handlers.of("before_agent_start");
    if (plan === undefined || plan.handlers.length === 0) return NOTHING;
    const event = Object.freeze({ type: "before_agent_start", prompt, images: frozenCopy(images) });
    return this.#dispatcher.run(
      plan,
      event,
      options?.signal,
      NOTHING,
      answerOf<BeforeAgentStartEventResult>,
    );
  }

  /**
   * Whether some hook handles an event.
   *
   * @param name The event.
   */
  hasHandlers(name: HookEventName): boolean {
    return (this.#dispatcher.handlers.of(name)?.handlers.length ?? 0) > 0;
  }

  /** Whether some hook handles `tool_call` or `tool_result`; one comparison a call. */
  hasToolHandlers(): boolean {
    return this.#dispatcher.handlers.hasToolHandlers;
  }

  /**
   * A slash command; of the hooks that have it, the one loaded first.
   *
   * @param name Its name, without the slash.
   */
  getCommand(name: string): RegisteredCommand | undefined {
    return this.#hooks.find((hook) => hook.commands.has(name))?.commands.get(name);
  }

  /** All slash commands of all hooks, also those that another hook hides. */
  getRegisteredCommands(): RegisteredCommand[] {
    return this.#hooks.flatMap((hook) => [...hook.commands.values()]);
  }

  /**
   * Runs a slash command. What it throws is reported to the error listeners.
   *
   * @param name Its name, without the slash.
   * @param args The text after the name.
   * @returns Whether there is such a command.
   */
  async runCommand(name: string, args = ""): Promise<boolean> {
    const hook = this.#hooks.find((one) => one.commands.has(name));
    const command = hook?.commands.get(name);
    if (hook === undefined || command === undefined) return false;
    try {
      await command.handler(args, this.createCommandContext());
    } catch (thrown) {
      this.emitError(hookErrorFrom(hook.path, `command:${name}`, thrown));
    }
    return true;
  }

  /**
   * The renderer of a kind of message; of the hooks that have it, the one loaded first.
   *
   * @param customType The kind of message.
   */
  getMessageRenderer(customType: string): HookMessageRenderer | undefined {
    return this.#hooks.find((hook) => hook.messageRenderers.has(customType))
      ?.messageRenderers.get(customType);
  }

  /** The hooks, in order. */
  getHooks(): readonly LoadedHook[] {
    return this.#hooks;
  }

  /** The paths of the hooks, as they were given, in order. */
  getHookPaths(): string[] {
    return this.#hooks.map((hook) => hook.path);
  }

  /** A context for a slash command. */
  createCommandContext(): HookCommandContext {
    return new CommandContext(() => this.#binding);
  }

  /** The user interface that the host has bound. */
  getUIContext(): HookUIContext {
    return this.#uiContext;
  }

  /** Whether a person can answer. */
  getHasUI(): boolean {
    return this.#binding.hasUI;
  }

  /**
   * Listens to handlers that fail. While nobody listens, failures go to the console's error output.
   *
   * @param listener Gets each failure. If it throws, the other listeners are told, once.
   * @returns Stops listening.
   */
  onError(listener: (error: HookError) => void): () => boolean {
    return this.#listeners.onError(listener);
  }

  /**
   * Listens to what is odd about hooks: answers that are not understood or that gave way to
   * others. While nobody listens, warnings go to the console's error output.
   *
   * @param listener Gets each warning, once for each hook and matter.
   * @returns Stops listening.
   */
  onWarning(listener: (warning: HookWarning) => void): () => boolean {
    return this.#listeners.onWarning(listener);
  }

  /**
   * Reports a failure to the listeners.
   *
   * @param error The failure.
   */
  emitError(error: HookError): void {
    this.#listeners.emitError(error);
  }
}

function answerOf<T>(dispatch: Dispatch | undefined): T | undefined {
  return dispatch?.answer as T | undefined;
}

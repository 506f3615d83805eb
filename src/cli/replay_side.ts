/**
 * One set of hooks on its way through recorded sessions. No tool is ever run here: what a tool has
 * given back is what was recorded.
 *
 * @module
 */

import {
  type HookBlockKind,
  HookRunner,
  type HookUIContext,
  type LoadedHook,
  type ToolCallEvent,
  type ToolResultEvent,
} from "../../mod.ts";

/** A handler that failed. */
export interface ReplayFault {
  /** The hook. */
  hookPath: string;
  /** The event. */
  event: string;
  /** What went wrong. */
  error: string;
}

/** What a set of hooks makes of a call. */
export interface CallOutcome {
  /** Whether the tool would have run. */
  outcome: "allowed" | "blocked";
  /** Why not. */
  reason?: string;
  /** The hook that blocked. */
  hookPath?: string;
  /** Whether that was a decision, a fault or a time limit. */
  kind?: HookBlockKind;
  /** Handlers that failed. */
  errors: ReplayFault[];
}

/** What a set of hooks makes of a result. */
export interface ResultOutcome {
  /** Whether the model would have read something else. */
  outcome: "unchanged" | "changed";
  /** What it would have read. */
  content?: unknown;
  /** The structured data there would have been. */
  details?: unknown;
  /** The hooks whose answers counted. */
  changedBy?: string[];
  /** Handlers that failed. */
  errors: ReplayFault[];
}

/** How to bind hooks for a replay. */
export interface ReplayBinding {
  /** The folder that the hooks are told, until a session says another one. */
  cwd: string;
  /** Who answers questions; nobody, if absent. */
  ui?: HookUIContext;
  /** Time limit of a handler in milliseconds. */
  timeoutMs?: number;
  /** Hears what is odd about the hooks. */
  onWarning(hookPath: string, event: string, warning: string): void;
}

/** A set of hooks. */
export class ReplaySide {
  readonly #runner: HookRunner;
  readonly #binding: ReplayBinding;
  /** Calls that these hooks have blocked: their tools have not run, so nothing comes back. */
  readonly #blocked = new Set<string>();
  #errors: ReplayFault[] = [];
  #changedBy: string[] = [];
  #isOpen = false;
  #cwd: string;

  /**
   * @param hooks The hooks.
   * @param binding Who answers, and who listens.
   */
  constructor(hooks: LoadedHook[], binding: ReplayBinding) {
    this.#binding = binding;
    this.#cwd = binding.cwd;
    const handlesResults = hooks.some(({ handlers }) => handlers.has("tool_result"));
    this.#runner = new HookRunner(hooks, binding.cwd, undefined, undefined, {
      handlerTimeoutMs: binding.timeoutMs,
      ...handlesResults && {
        observer: ({ event, outcome, superseded, hookPath }) => {
          if (event === "tool_result" && outcome === "answered" && !superseded) {
            this.#changedBy.push(hookPath);
          }
        },
      },
    });
    this.#runner.onError(({ hookPath, event, error }) => {
      this.#errors.push({ hookPath, event, error });
    });
    this.#runner.onWarning(({ hookPath, event, warning }) => {
      binding.onWarning(hookPath, event, warning);
    });
    this.#bind();
  }

  #bind(): void {
    this.#runner.initialize({
      cwd: this.#cwd,
      uiContext: this.#binding.ui,
      // What hooks say and keep would go into the session, and a recorded one stays as it is.
      sendMessageHandler: () => {},
      appendEntryHandler: () => {},
    });
  }

  /**
   * Tells the hooks that a session begins, or goes on in another folder.
   *
   * @param cwd The folder, if it is known.
   * @returns Handlers that failed.
   */
  async begin(cwd: string | undefined): Promise<ReplayFault[]> {
    if (cwd !== undefined && cwd !== this.#cwd) {
      this.#cwd = cwd;
      this.#bind();
    }
    if (!this.#isOpen) {
      this.#isOpen = true;
      await this.#runner.emit({ type: "session_start" });
    }
    return this.#takeErrors();
  }

  /**
   * Tells the hooks that the session is over.
   *
   * @returns Handlers that failed.
   */
  async end(): Promise<ReplayFault[]> {
    if (this.#isOpen) await this.#runner.emit({ type: "session_shutdown" });
    this.#isOpen = false;
    this.#blocked.clear();
    this.#cwd = this.#binding.cwd;
    this.#bind();
    return this.#takeErrors();
  }

  /**
   * Tells the hooks what a person has asked.
   *
   * @param text The prompt.
   * @returns Handlers that failed.
   */
  async prompt(text: string): Promise<ReplayFault[]> {
    await this.#runner.emitBeforeAgentStart(text);
    return this.#takeErrors();
  }

  /**
   * Asks the hooks about a call.
   *
   * @param events The call as hooks see it; several, if it touches several files.
   */
  async call(events: readonly ToolCallEvent[]): Promise<CallOutcome> {
    for (const event of events) {
      const decision = await this.#runner.decideToolCall(event);
      if (!decision.blocked) continue;
      this.#blocked.add(event.toolCallId);
      const { reason, hookPath, kind } = decision;
      const errors = this.#takeErrors();
      if (kind !== "policy") errors.push({ hookPath, event: "tool_call", error: reason });
      return { outcome: "blocked", reason, hookPath, kind, errors };
    }
    this.#blocked.delete(events[0].toolCallId);
    return { outcome: "allowed", errors: this.#takeErrors() };
  }

  /**
   * Shows the hooks what a tool has given back.
   *
   * @param event The result.
   * @returns `undefined` if these hooks have blocked the call.
   */
  async result(event: ToolResultEvent): Promise<ResultOutcome | undefined> {
    if (this.#blocked.has(event.toolCallId)) return undefined;
    this.#changedBy = [];
    const answer = await this.#runner.emit(event);
    const errors = this.#takeErrors();
    // What hooks make of a failure does not reach the model.
    if (answer === undefined || event.isError === true) return { outcome: "unchanged", errors };
    const content = answer.content ?? event.content;
    const details = "details" in answer ? answer.details : event.details;
    if (isSame(content, event.content) && isSame(details, event.details)) {
      return { outcome: "unchanged", errors };
    }
    return { outcome: "changed", content, details, changedBy: this.#changedBy, errors };
  }

  #takeErrors(): ReplayFault[] {
    const errors = this.#errors;
    if (errors.length > 0) this.#errors = [];
    return errors;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

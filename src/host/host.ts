/**
 * `HookHost`: the smallest complete agent. It owns a session, tools and hooks, reaches a model
 * through a port, and every event happens because something real has happened.
 *
 * @module
 */

import type { HookMessageInput } from "../events/agent.ts";
import type { AgentMessage, ImageContent } from "../messages.ts";
import { HookRunner } from "../runner.ts";
import type { BranchResult } from "../session/flows.ts";
import { readonlyView } from "../session/readonly_view.ts";
import { SessionManager } from "../session/session.ts";
import type { NavigateResult } from "../session/tree_flow.ts";
import type { CancellableResult, NewSessionOptions, SendMessageOptions } from "../types.ts";
import { endHost, endOnSignals } from "./ending.ts";
import { bindRunner } from "./binding.ts";
import type { HookHostOptions, HostTool } from "./host_options.ts";
import { makeParts } from "./host_parts.ts";
import { customMessage, preparePrompt, runCommand, userMessage } from "./prompts.ts";
import { RunDesk } from "./run_desk.ts";
import type { RunParts } from "./run_parts.ts";
import { type CompactResult, SessionFlows } from "./session_flows.ts";

/**
 * A small complete agent: prompts go to the model, its tool calls through hooks to the tools, and
 * what is said into the session.
 *
 * Events come one after the other, each awaited. One prompt gives `before_agent_start`,
 * `agent_start`, for each turn `turn_start`, `context`, `tool_call` and `tool_result` for each tool
 * call, `turn_end`, and in the end `agent_end`. The tool calls of one answer run together.
 *
 * What would wait for itself fails at once with a sentence: `prompt`, `waitForIdle` and the flows of
 * the session, called from inside a handler or a tool while the agent waits for that. Known by
 * where the call comes from, so work that a handler has started without waiting for it counts as
 * the handler as long as the handler runs.
 *
 * @example
 * ```ts
 * import { HookHost, scriptedModel } from "@pi-hooks/core";
 *
 * const host = new HookHost({ model: scriptedModel(["Hello!"]) });
 * await host.prompt("Hi");
 * console.log(host.messages.map(({ role }) => role)); // [ "user", "assistant" ]
 * await host.shutdown();
 * ```
 */
export class HookHost {
  /** Runs the handlers of the hooks. */
  readonly runner: HookRunner;
  readonly #parts: RunParts;
  readonly #flows: SessionFlows;
  readonly #runs: RunDesk;
  #started: Promise<unknown> | undefined;
  #ended: Promise<void> | undefined;

  /**
   * Makes a host. Nothing happens before `start` or the first prompt.
   *
   * @param options The model, hooks, tools, session, and what is switched on.
   * @throws {TypeError} If an option makes no sense.
   */
  constructor(options: HookHostOptions) {
    const session = options.session ?? SessionManager.inMemory(options.cwd);
    const { hooks = [], modelRegistry } = options;
    const view = readonlyView(session);
    this.runner = new HookRunner(hooks, session.getCwd(), view, modelRegistry, options.runner);
    const { parts, flowHost } = makeParts(options, session, this.runner, {
      stopAgent: () => this.#runs.stop(),
      bind: () => bindRunner(this, options),
    });
    this.#parts = parts;
    this.#flows = new SessionFlows(flowHost);
    this.#runs = new RunDesk(parts, () => this.#flows.settled);
    bindRunner(this, options);
  }

  /** The session. It is the same object whichever session is current. */
  get session(): SessionManager {
    return this.#parts.transcript.session;
  }

  /** The conversation, as the next request begins with it before hooks change it. */
  get messages(): readonly AgentMessage[] {
    return [...this.#parts.transcript.messages];
  }

  /** The tools, with hooks around them. */
  get tools(): readonly HostTool[] {
    return this.#parts.tools;
  }

  /** Whether the agent is doing nothing. */
  isIdle(): boolean {
    return this.#runs.isIdle;
  }

  /** Whether messages wait for the agent. */
  hasQueuedMessages(): boolean {
    return this.#runs.hasQueuedMessages;
  }

  /** Tells hooks that the program has started, once. Everything else does it too, if need be. */
  async start(): Promise<void> {
    await this.#enter("start");
  }

  async #enter(call: string): Promise<void> {
    this.#parts.guard.refuse(call);
    if (this.#ended !== undefined) {
      throw new Error(`${call} comes too late: this host has been shut down`);
    }
    this.#started ??= this.#start();
    await this.#started;
  }

  async #start(): Promise<void> {
    await this.#parts.guard.load();
    const { events } = this.#parts;
    await this.#flows.exclusively((signal) => events.tell({ type: "session_start" }, signal));
  }

  /**
   * Gives the agent a prompt, and waits until it has finished. A text like `/name args` runs the
   * slash command `name`, if a hook has one; that is possible while the agent works.
   *
   * What goes wrong with the model is no error here: it is in the conversation, as an assistant
   * message with the stop reason `error`.
   *
   * @param text The prompt.
   * @param images Pictures that come with it.
   * @throws {Error} If the agent is working, the host has been shut down, or the session cannot be
   * written.
   */
  async prompt(text: string, images?: ImageContent[]): Promise<void> {
    await this.#enter("prompt");
    if (await runCommand(this.runner, text)) return;
    if (!this.isIdle()) {
      throw new Error(
        "The agent is working: wait for it with waitForIdle, or let the text wait with steer or " +
          "followUp",
      );
    }
    await this.#runs.start((signal) => preparePrompt(this.#parts, text, images, signal));
  }

  /**
   * Lets a text of the person reach the working agent after the running tools. An idle agent reads
   * it with the next prompt.
   *
   * @param text The text.
   * @param images Pictures that come with it.
   */
  steer(text: string, images?: ImageContent[]): void {
    this.#runs.deliver(userMessage(text, images, this.#parts.clock.now()), { deliverAs: "steer" });
  }

  /**
   * Lets a text of the person reach the working agent when it would stop. An idle agent reads it
   * with the next prompt.
   *
   * @param text The text.
   * @param images Pictures that come with it.
   */
  followUp(text: string, images?: ImageContent[]): void {
    this.#runs.deliver(userMessage(text, images, this.#parts.clock.now()), {
      deliverAs: "followUp",
    });
  }

  /**
   * Delivers a message of a hook, as `pi.sendMessage` does.
   *
   * While the agent works it waits: `steer` until the running tools are done, `followUp` until the
   * agent would stop. One message is taken at a time. If the agent is stopped before that, the
   * message is in the conversation for the next prompt. While the agent is idle, `triggerTurn`
   * starts it; otherwise the message is in the conversation at once. From `agent_end` on the agent
   * counts as idle.
   *
   * @param message The message.
   * @param options How it is delivered.
   * @throws {Error} If it cannot be stored.
   */
  sendMessage(message: HookMessageInput, options?: SendMessageOptions): void {
    this.#runs.deliver(customMessage(message, this.#parts.clock.now()), options);
  }

  /** Stops the agent and a flow that is going on; does not wait for them. */
  abort(): void {
    this.#runs.abort();
    this.#flows.abort();
  }

  /**
   * Waits until the agent has finished, and all runs that messages have asked for.
   *
   * @throws {Error} If it is called from inside something that the agent waits for.
   */
  async waitForIdle(): Promise<void> {
    this.#parts.guard.refuse("waitForIdle");
    await this.#runs.waitForIdle();
  }

  /**
   * Starts a new session, kept in the same place as this one. The agent is stopped.
   *
   * @param options Its parent, and a function that fills it before anybody hears of it.
   * @throws What `setup` throws: the old session is current then, and no file is left behind.
   */
  async newSession(options?: NewSessionOptions): Promise<CancellableResult> {
    await this.#enter("newSession");
    return await this.#flows.newSession(options);
  }

  /**
   * Goes on in the session of another file. The agent is stopped.
   *
   * @param path The file.
   * @throws {Error} If it cannot be read or is no session; the old session is current then.
   */
  async switchSession(path: string): Promise<CancellableResult> {
    await this.#enter("switchSession");
    return await this.#flows.switchSession(path);
  }

  /**
   * Copies the session into a new file and goes on there.
   *
   * @throws {Error} If the session is not stored.
   */
  async fork(): Promise<CancellableResult> {
    await this.#enter("fork");
    return await this.#flows.fork();
  }

  /**
   * Makes a new session of what came before a user message, and goes on there. The agent is stopped.
   *
   * @param entryId The user message.
   * @throws {Error} If the entry is none of a user message.
   */
  async branch(entryId: string): Promise<BranchResult> {
    await this.#enter("branch");
    return await this.#flows.branch(entryId);
  }

  /**
   * Goes to another place in the tree of the session. The agent is stopped. The text of a user
   * message that was chosen is put into the prompt of the person, if that is empty.
   *
   * @param targetId The entry.
   * @param options Whether the model summarises what is left behind. Default `false`.
   * @throws {Error} If there is no such entry.
   */
  async navigateTree(
    targetId: string,
    options?: { summarize?: boolean },
  ): Promise<NavigateResult> {
    await this.#enter("navigateTree");
    const result = await this.#flows.navigateTree(targetId, options);
    const ui = this.runner.getUIContext();
    if (result.editorText !== undefined && ui.getEditorText() === "") {
      ui.setEditorText(result.editorText);
    }
    return result;
  }

  /**
   * Replaces the older part of the conversation by a summary. The agent is stopped.
   *
   * @param customInstructions What the summary shall look at.
   * @throws {Error} If there is nothing to compact, or the model fails.
   */
  async compact(customInstructions?: string): Promise<CompactResult> {
    await this.#enter("compact");
    return await this.#flows.compact(customInstructions);
  }

  /**
   * Ends everything, once: stops the agent, tells hooks `session_shutdown`, which may take two
   * seconds in all, and closes the session. Afterwards hooks reach nothing any more.
   */
  shutdown(): Promise<void> {
    if (this.#ended === undefined) this.abort();
    this.#ended ??= endHost(this.#parts, this.#runs, this.#flows);
    return this.#ended;
  }

  /**
   * Shuts down when the program ends: on SIGINT, SIGTERM and SIGHUP, with the exit status 130, 143
   * and 129, and when there is nothing left to do. A second signal does not wait any more.
   *
   * @returns Stops listening.
   */
  handleSignals(): () => void {
    return endOnSignals(() => this.shutdown(), this.runner);
  }
}

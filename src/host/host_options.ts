/**
 * What a host is made of, and what may be switched on.
 *
 * @module
 */

import type { CompactionSettings } from "../entries.ts";
import type { Rule } from "../events/agent.ts";
import type { LoadedHook } from "../hook.ts";
import type { AgentMessage, ToolCall } from "../messages.ts";
import type { AgentTool, AgentToolResult, HookUIContext, Model, ModelRegistry } from "../ports.ts";
import type { HookRunnerOptions } from "../runner_options.ts";
import type { SessionManager } from "../session/session.ts";
import type { ModelPort } from "../session/model_port.ts";
import type { HostClock } from "./clock.ts";
import type { TodoSettings } from "./todo_reminder.ts";

/** A tool, and whether it may run beside others. */
export interface HostTool extends AgentTool {
  /** `exclusive`: it runs alone, in the order of the calls. Default `shared`. */
  concurrency?: "shared" | "exclusive";
}

/** Something that is going on, for whoever shows it. */
export type HostProgress =
  | { type: "text"; text: string }
  | { type: "message"; message: AgentMessage }
  | { type: "tool_start"; call: ToolCall }
  | { type: "tool_update"; call: ToolCall; partial: AgentToolResult };

/** How calls of the model that failed are tried again. */
export interface RetrySettings {
  /** How often. Default 3. */
  maxRetries?: number;
  /** The wait before the first retry, doubled with each, in milliseconds. Default 2000. */
  baseDelayMs?: number;
  /** The longest wait, in milliseconds. Default 60 000. */
  maxDelayMs?: number;
  /**
   * Whether trying again may help. Gets what the model port threw, or its message with the stop
   * reason `error`. Default: a `ModelError` of the kind `retryable`.
   */
  isRetryable?: (failure: unknown) => boolean;
}

/**
 * When conversations are compacted by themselves. It happens before a turn, and the agent goes on
 * afterwards whatever `autoContinue` says.
 */
export interface AutoCompactionSettings extends Partial<CompactionSettings> {
  /** What the model can read, in tokens. Default: the `contextWindow` of the current model. */
  contextWindow?: number;
  /** After so many refusals in a row the person is told. Default 3. */
  refusalsBeforeNote?: number;
}

/** Options of a host. */
export interface HookHostOptions {
  /** Reaches the model. */
  model: ModelPort;
  /** The hooks. Default: none. */
  hooks?: LoadedHook[];
  /** The tools. Default: none. */
  tools?: readonly HostTool[];
  /** The session to begin with. Default: a new one in memory. */
  session?: SessionManager;
  /** Working directory of that new session. Default `.`. */
  cwd?: string;
  /** Questions and notices. Default: nobody can answer. */
  uiContext?: HookUIContext;
  /** The models, for hooks. Default: none. */
  modelRegistry?: ModelRegistry;
  /** The current model, for hooks. Default: none. */
  getModel?: () => Model | undefined;
  /** Observer and time limits of the runner. */
  runner?: HookRunnerOptions;
  /** What tools get as their fifth argument. */
  toolContext?: unknown;
  /** Tries failed calls of the model again. Default: never. */
  retry?: RetrySettings;
  /**
   * How conversations are compacted. Given, it also happens by itself when the conversation
   * passes the threshold or is too long for the model, unless `enabled` is `false`.
   */
  compaction?: AutoCompactionSettings;
  /** Reminds the agent of open tasks. Default: never. */
  todos?: TodoSettings;
  /** Rules that watch what the model says. Default: none. */
  rules?: readonly Rule[];
  /** Hears what is going on. What it throws is reported to the error listeners. */
  onProgress?: (progress: HostProgress) => void;
  /** Time. Default: the machine's. */
  clock?: HostClock;
  /**
   * How long tools and handlers may take to end after an abort, in milliseconds. Then nobody waits
   * for them any more. Default 2000.
   */
  abortGraceMs?: number;
}

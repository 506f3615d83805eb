/**
 * Puts hooks before and after a tool, without the tool or its caller noticing.
 *
 * @module
 */

import {
  HookAbortError,
  HookBlockedError,
  hookErrorFrom,
  isThrown,
  thrownText,
  UNKNOWN_HOOK,
} from "./errors.ts";
import type { ToolResultEvent, ToolResultEventResult } from "./events/tool.ts";
import type { AgentTool, AgentToolResult, AgentToolUpdate } from "./ports.ts";
import type { HookRunner } from "./runner.ts";
import { mirrorProperties } from "./tool_mirror.ts";

/**
 * Which runner a guarded `execute` asks, so that wrapping twice does not ask twice. The function is
 * the key and not the wrapper, so that a copy of a wrapper counts as wrapped too.
 */
const RUNNERS = new WeakMap<object, HookRunner>();

/**
 * A tool with hooks around it. Everything but `execute` is the tool's own, live: properties,
 * getters, methods, symbols; assignments reach the tool.
 *
 * `execute` asks `tool_call`, runs the tool, and tells `tool_result`:
 *
 * - blocked: the tool does not run, a {@linkcode HookBlockedError} with the reason is thrown, and
 *   there is no `tool_result`. An error thrown by a handler blocks too and is thrown on as it is;
 * - success: overrides of `content` and `details` are applied, other fields stay; without an
 *   override the tool's own result object is returned;
 * - failure: answers are ignored and the tool's error is thrown on, the same object.
 *
 * @example
 * ```ts
 * import { type AgentTool, HookRunner, HookToolWrapper } from "@pi-hooks/core";
 *
 * const echo: AgentTool = {
 *   name: "echo",
 *   description: "Gives its text back",
 *   parameters: {},
 *   execute: (_id, params) =>
 *     Promise.resolve({ content: [{ type: "text", text: String(params.text) }] }),
 * };
 * const guarded = new HookToolWrapper(echo, new HookRunner([], "."));
 * await guarded.execute("call-1", { text: "hello" });
 * ```
 */
export class HookToolWrapper<P = Record<string, unknown>, D = unknown> implements AgentTool<P, D> {
  declare readonly name: string;
  declare readonly label?: string;
  declare readonly description: string;
  declare readonly parameters: unknown;
  /** Runs the tool between its hooks. Bound, so that a copy of the wrapper stays guarded. */
  readonly execute: AgentTool<P, D>["execute"];

  /**
   * Puts hooks around a tool.
   *
   * @param tool The tool.
   * @param runner Asks the hooks.
   */
  constructor(tool: AgentTool<P, D>, runner: HookRunner) {
    this.execute = (toolCallId, params, signal, onUpdate, context) => {
      if (!runner.hasToolHandlers()) {
        return tool.execute(toolCallId, params, signal, onUpdate, context);
      }
      return executeWithHooks(tool, runner, { toolCallId, params, signal, onUpdate, context });
    };
    RUNNERS.set(this.execute, runner);
    mirrorProperties(tool, this);
  }
}

/**
 * Wraps a list of tools. A tool that this runner already stands around is left as it is.
 *
 * @param tools The tools.
 * @param runner Asks the hooks.
 * @returns A new list.
 */
export function wrapTools<T extends AgentTool>(tools: readonly T[], runner: HookRunner): T[] {
  return tools.map((tool) =>
    RUNNERS.get(tool.execute) === runner
      ? tool
      : new HookToolWrapper(tool, runner) as AgentTool as T
  );
}

/** One call of a tool. */
interface Call<P, D> {
  toolCallId: string;
  params: P;
  signal: AbortSignal | undefined;
  onUpdate: AgentToolUpdate<D> | undefined;
  context: unknown;
}

async function executeWithHooks<P, D>(
  tool: AgentTool<P, D>,
  runner: HookRunner,
  call: Call<P, D>,
): Promise<AgentToolResult<D>> {
  await askHooks(tool, runner, call);
  let result: AgentToolResult<D>;
  try {
    const { toolCallId, params, signal, onUpdate, context } = call;
    result = await tool.execute(toolCallId, params, signal, onUpdate, context);
  } catch (thrown) {
    await tellFailure(tool, runner, call, thrown);
    throw thrown;
  }
  return await applyOverrides(tool, runner, call, result);
}

/** Throws unless the tool may run. */
async function askHooks<P, D>(
  tool: AgentTool<P, D>,
  runner: HookRunner,
  call: Call<P, D>,
): Promise<void> {
  const { toolCallId, params, signal } = call;
  if (runner.hasHandlers("tool_call")) {
    const input = params as Record<string, unknown>;
    const event = { type: "tool_call" as const, toolName: tool.name, toolCallId, input };
    const decision = await runner.decideToolCall(event, { signal });
    if (decision.blocked) {
      const { reason, hookPath, kind, thrown } = decision;
      if (kind === "fault" && thrown !== undefined && isThrown(thrown[0], Error)) throw thrown[0];
      throw new HookBlockedError(reason, hookPath, kind, thrown && { cause: thrown[0] });
    }
  }
  // The hooks may have taken minutes; the person may have given up meanwhile.
  if (signal?.aborted) {
    const text = `Aborted before tool "${tool.name}" ran`;
    throw new HookAbortError(text, undefined, { cause: signal.reason });
  }
}

/** Lets the hooks change what the tool gave back. */
async function applyOverrides<P, D>(
  tool: AgentTool<P, D>,
  runner: HookRunner,
  call: Call<P, D>,
  result: AgentToolResult<D>,
): Promise<AgentToolResult<D>> {
  if (!runner.hasHandlers("tool_result")) return result;
  let overrides: ToolResultEventResult | undefined;
  try {
    const event = resultEvent(tool, call, result?.content ?? [], result?.details, false);
    if (result?.isWarning !== undefined) event.isWarning = result.isWarning;
    overrides = await runner.emit(event, { signal: call.signal });
  } catch (thrown) {
    // What hooks were about to hide must not slip out because somebody lost patience.
    if (call.signal?.aborted) throw thrown;
    runner.emitError(hookErrorFrom(UNKNOWN_HOOK, "tool_result", thrown));
  }
  if (overrides === undefined) return result;
  const patch: Partial<Pick<ToolResultEventResult, "content" | "details">> = {};
  if (overrides.content !== undefined) patch.content = overrides.content;
  if (overrides.details !== undefined) patch.details = overrides.details;
  return Object.keys(patch).length === 0 ? result : patched(result, patch);
}

/** The result with some fields replaced; as properties of its own, whatever its class defines. */
function patched<R>(result: R, patch: object): R {
  const isObject = typeof result === "object" && result !== null;
  const prototype: object = isObject ? Object.getPrototypeOf(result) : Object.prototype;
  const fields = Object.getOwnPropertyDescriptors(isObject ? { ...result, ...patch } : patch);
  return Object.create(prototype, fields);
}

/** Tells the hooks that the tool failed. */
async function tellFailure<P, D>(
  tool: AgentTool<P, D>,
  runner: HookRunner,
  call: Call<P, D>,
  thrown: unknown,
): Promise<void> {
  if (!runner.hasHandlers("tool_result")) return;
  const text = typeof thrown === "string" ? thrown : thrownText(thrown);
  const event = resultEvent(tool, call, [{ type: "text", text }], undefined, true);
  const told = runner.emit(event).catch((fault) => {
    runner.emitError(hookErrorFrom(UNKNOWN_HOOK, "tool_result", fault));
  });
  // Answers have no effect here, so an aborted call does not wait for slow handlers.
  await untilAborted(told, call.signal);
}

async function untilAborted(
  work: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal === undefined) return void await work;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) resolve();
  await Promise.race([work, promise]);
  signal.removeEventListener("abort", stop);
}

function resultEvent<P, D>(
  tool: AgentTool<P, D>,
  call: Call<P, D>,
  content: ToolResultEvent["content"],
  details: unknown,
  isError: boolean,
): ToolResultEvent {
  const { toolCallId, params } = call;
  const input = params as Record<string, unknown>;
  return { type: "tool_result", toolName: tool.name, toolCallId, input, content, details, isError };
}

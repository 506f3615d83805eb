/**
 * Runs the tool calls of one answer of the model.
 *
 * @module
 */

import { hookErrorFrom, isThrown, thrownText } from "../errors.ts";
import { checkContent, checkJson } from "../events/checks.ts";
import type { ToolCall, ToolResultMessage } from "../messages.ts";
import { nearest } from "../nearest.ts";
import type { AgentToolResult } from "../ports.ts";
import { interrupted } from "../session/llm_messages.ts";
import { checkArguments } from "../tool_arguments.ts";
import { endedInTime } from "./clock.ts";
import type { HostTool } from "./host_options.ts";
import type { RunParts } from "./run_parts.ts";

/**
 * Runs the calls together; a tool that is `exclusive` waits for those before it, and those after it
 * wait for it. Nothing here throws: every call has its result, which may say what went wrong.
 *
 * A call of a tool that does not exist, or with arguments that do not fit, never reaches hooks.
 *
 * @param parts The host.
 * @param calls The calls, in order.
 * @param signal The signal of the run.
 * @param onResult Gets the results in the order of the calls, each as soon as it can.
 */
export async function runToolCalls(
  parts: RunParts,
  calls: readonly ToolCall[],
  signal: AbortSignal,
  onResult: (result: ToolResultMessage) => void,
): Promise<ToolResultMessage[]> {
  const running: Promise<ToolResultMessage>[] = [];
  let exclusive: Promise<unknown> = Promise.resolve();
  for (const call of calls) {
    const tool = parts.tools.find(({ name }) => name === call.name);
    const isAlone = tool?.concurrency === "exclusive";
    const before = isAlone ? Promise.all(running) : exclusive;
    const result = before.then(() => runToolCall(parts, tool, call, signal));
    running.push(result);
    if (isAlone) exclusive = result;
  }
  const results: ToolResultMessage[] = [];
  for (const result of running) {
    results.push(await result);
    onResult(results[results.length - 1]);
  }
  return results;
}

async function runToolCall(
  parts: RunParts,
  tool: HostTool | undefined,
  call: ToolCall,
  signal: AbortSignal,
): Promise<ToolResultMessage> {
  const fail = (text: string): ToolResultMessage => ({
    ...resultOf(call, { content: [{ type: "text", text }] }, parts.clock.now()),
    isError: true,
  });
  if (signal.aborted) return interrupted(call, parts.clock.now());
  if (tool === undefined) return fail(unknownTool(parts.tools, call.name));
  const check = checkArguments(tool, call.arguments);
  if (!check.ok) return fail(check.fault);
  parts.report({ type: "tool_start", call });
  try {
    const ended = await execute(parts, tool, call, signal);
    if (ended === undefined) return interrupted(call, parts.clock.now());
    const { result } = ended;
    const fault = checkContent(result?.content);
    if (fault !== undefined) return fail(`The tool gave back a content that ${fault}`);
    return resultOf(call, storable(parts, tool, result), parts.clock.now());
  } catch (thrown) {
    const isInterrupted = signal.aborted && isThrown(thrown, Error) && thrown.name === "AbortError";
    if (isInterrupted) return interrupted(call, parts.clock.now());
    return fail(typeof thrown === "string" ? thrown : thrownText(thrown));
  }
}

/** Runs a tool between its hooks. `undefined`: it did not end in time after an abort. */
async function execute(
  parts: RunParts,
  tool: HostTool,
  call: ToolCall,
  signal: AbortSignal,
): Promise<{ result: AgentToolResult } | undefined> {
  let ended: { result: AgentToolResult } | undefined;
  const work = parts.guard.run(`the tool ${tool.name}`, async () => {
    const result = await tool.execute(
      call.id,
      call.arguments,
      signal,
      (partial) => parts.report({ type: "tool_update", call, partial }),
      parts.options.toolContext,
    );
    ended = { result };
  });
  await endedInTime(work, signal, parts.graceMs);
  return ended;
}

/** A tool is a stranger's code: details that no session can hold are left out, and reported. */
function storable(parts: RunParts, tool: HostTool, result: AgentToolResult): AgentToolResult {
  const fault = checkJson(result.details);
  if (fault === undefined) return result;
  const error = new TypeError(`The details of the tool ${JSON.stringify(tool.name)} ${fault}`);
  parts.runner.emitError(hookErrorFrom("(host)", "tool_result", error));
  return { ...result, details: undefined };
}

function resultOf(
  call: ToolCall,
  { content, details, isWarning }: AgentToolResult,
  timestamp: number,
): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content,
    ...(details !== undefined && { details }),
    isError: false,
    ...(isWarning !== undefined && { isWarning }),
    attribution: "agent",
    timestamp,
  };
}

function unknownTool(tools: readonly HostTool[], name: string): string {
  const names = tools.map((tool) => tool.name);
  const near = nearest(name, names);
  const hint = near === undefined
    ? `the tools are: ${names.join(", ") || "none"}`
    : `did you mean ${JSON.stringify(near)}?`;
  return `There is no tool ${JSON.stringify(name)}; ${hint}`;
}

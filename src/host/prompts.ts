/**
 * What a run begins with: the words of the person, and what hooks add to them.
 *
 * @module
 */

import type { HookMessageInput } from "../events/agent.ts";
import type { AgentMessage, CustomMessage, ImageContent, UserMessage } from "../messages.ts";
import type { HookRunner } from "../runner.ts";
import type { RunParts } from "./run_parts.ts";

/**
 * A message of the person.
 *
 * @param text What they wrote.
 * @param images Pictures that come with it.
 * @param timestamp When, in milliseconds since 1970.
 */
export function userMessage(
  text: string,
  images: readonly ImageContent[] | undefined,
  timestamp: number,
): UserMessage {
  const content = [{ type: "text" as const, text }, ...images ?? []];
  return { role: "user", content, attribution: "user", timestamp };
}

/**
 * A message of a hook.
 *
 * @param input The message as the hook hands it in.
 * @param timestamp When, in milliseconds since 1970.
 */
export function customMessage(input: HookMessageInput, timestamp: number): CustomMessage {
  const { customType, content, display, details, attribution = "agent" } = input;
  return {
    role: "custom",
    customType,
    content,
    display: display ?? true,
    ...(details !== undefined && { details }),
    attribution,
    timestamp,
  };
}

/**
 * Makes room if need be, and asks the hooks what they add to a prompt.
 *
 * @param parts The host.
 * @param text The prompt.
 * @param images Pictures that come with it.
 * @param signal The signal of the run.
 * @returns The messages that the run begins with.
 * @throws {HookAbortError} When the signal fires: the prompt is not in the conversation then.
 */
export async function preparePrompt(
  parts: RunParts,
  text: string,
  images: ImageContent[] | undefined,
  signal: AbortSignal,
): Promise<AgentMessage[]> {
  parts.todos.restart();
  await parts.autoCompaction.runIfDue(signal);
  const answer = await parts.guard.run(
    "a handler of before_agent_start",
    () => parts.runner.emitBeforeAgentStart(text, images, { signal }),
  );
  const prompt = userMessage(text, images, parts.clock.now());
  if (answer?.message === undefined) return [prompt];
  // What a hook adds to a prompt was caused by whoever wrote the prompt.
  const added = customMessage({ attribution: "user", ...answer.message }, parts.clock.now());
  return [prompt, added];
}

/**
 * Runs the slash command that a text names.
 *
 * @param runner Knows the commands.
 * @param text `/name args`: the name goes up to the first blank, the rest is passed as it is.
 * @returns Whether there is such a command.
 */
export async function runCommand(runner: HookRunner, text: string): Promise<boolean> {
  if (!text.startsWith("/")) return false;
  const end = text.indexOf(" ");
  const name = end < 0 ? text.slice(1) : text.slice(1, end);
  return await runner.runCommand(name, end < 0 ? "" : text.slice(end + 1));
}

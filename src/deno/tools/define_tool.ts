/**
 * What all tools have in common: arguments are checked, a call that was given up does not begin.
 *
 * @module
 */

import type { KnownToolName, KnownTools } from "../../events/tool.ts";
import type { AgentTool, AgentToolResult } from "../../ports.ts";
import { checkArguments } from "../../tool_arguments.ts";
import { TOOL_DESCRIPTIONS } from "./descriptions.ts";

/** How tools are made. */
export interface CreateToolsOptions {
  /** What `~` stands for. Default: the home folder of the person. */
  home?: string;
  /** Time limit of a `bash` command that asks for none, in seconds. Default: no limit. */
  bashTimeoutSeconds?: number;
}

/** Where and how a tool works. */
export interface ToolSettings extends CreateToolsOptions {
  /** The folder that relative paths start from. */
  cwd: string;
}

/** What a tool answers. */
export type ToolAnswer<N extends KnownToolName> = AgentToolResult<KnownTools[N]["details"]>;

/** A tool of this name, with its own arguments and details. */
export type KnownTool<N extends KnownToolName> = AgentTool<
  KnownTools[N]["input"],
  KnownTools[N]["details"]
>;

/**
 * What a tool does. The arguments fit its schema.
 *
 * @throws {Error} If it fails; the message is what the model reads.
 */
export type ToolRun<N extends KnownToolName> = (
  params: KnownTools[N]["input"],
  settings: ToolSettings,
  signal: AbortSignal | undefined,
) => Promise<ToolAnswer<N>>;

/**
 * Makes a tool.
 *
 * @typeParam N Its name.
 * @param name Its name.
 * @param settings Where and how it works.
 * @param load Gives what it does, when it is called.
 */
export function defineTool<N extends KnownToolName>(
  name: N,
  settings: ToolSettings,
  load: () => Promise<ToolRun<N>>,
): KnownTool<N> {
  const { label, description, properties, required } = TOOL_DESCRIPTIONS[name];
  // An argument that is not known is an error, not a wish that is silently not granted.
  const parameters = { type: "object", properties, required, additionalProperties: false };
  return {
    name,
    label,
    description,
    parameters,
    async execute(_toolCallId, params, signal): Promise<ToolAnswer<N>> {
      const check = checkArguments({ name, parameters }, params);
      if (!check.ok) throw new Error(check.fault);
      const run = await load();
      checkSignal(signal, name);
      return await run(params, settings, signal);
    },
  };
}

/**
 * Ends a tool whose call was given up.
 *
 * @param signal The signal of the call.
 * @param name The tool.
 * @throws {DOMException} Named `AbortError`, if the signal has fired.
 */
export function checkSignal(signal: AbortSignal | undefined, name: KnownToolName): void {
  if (signal?.aborted) throw new DOMException(`The call of ${name} was aborted`, "AbortError");
}

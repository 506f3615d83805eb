/**
 * What the tests of ready-made hooks share: the hook through the real loader, a tool with a result
 * that the test chooses, and the wrapper around it.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { LoadedHook } from "../../src/hook.ts";
import { loadHooks } from "../../src/loader.ts";
import type { AgentTool, AgentToolResult } from "../../src/ports.ts";
import type { HookRunner } from "../../src/runner.ts";
import { HookToolWrapper } from "../../src/tool_wrapper.ts";

/**
 * The path of a ready-made hook.
 *
 * @param name Its file name without the suffix.
 */
export function readyMadePath(name: string): string {
  return decodeURIComponent(new URL(`../../hooks/${name}.ts`, import.meta.url).pathname);
}

/** Whether hooks run in processes of their own; see `tests/isolation_ready_made_test.ts`. */
export const IS_ISOLATED = Deno.env.get("PI_HOOKS_TEST_ISOLATE") === "1";

/**
 * Loads hook files, and fails if one of them does not load without a remark.
 *
 * @param paths The files.
 */
export async function loadFiles(...paths: string[]): Promise<LoadedHook[]> {
  const { hooks, errors, warnings } = await loadHooks(paths, Deno.cwd(), {
    isolate: IS_ISOLATED,
    permissions: "asked",
  });
  assertEquals(errors, []);
  assertEquals(warnings, []);
  return hooks;
}

/**
 * Makes a tool that gives back what the test chooses; a function is called for each run.
 *
 * @param name Its name.
 * @param result What it gives back, or throws.
 */
export function toolGiving(
  name: string,
  result: AgentToolResult | (() => AgentToolResult),
): AgentTool {
  return {
    name,
    description: "Gives back what the test chooses",
    parameters: { type: "object" },
    execute: async () => await Promise.resolve(typeof result === "function" ? result() : result),
  };
}

/**
 * Runs a tool once through the wrapper.
 *
 * @param tool The tool.
 * @param runner Asks the hooks.
 * @param input The arguments.
 */
export function runWrapped(
  tool: AgentTool,
  runner: HookRunner,
  input: Record<string, unknown> = {},
): Promise<AgentToolResult> {
  return new HookToolWrapper(tool, runner).execute("call-1", input);
}

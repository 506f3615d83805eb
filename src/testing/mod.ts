/**
 * Tests hooks without an agent: a host whose person, programs and model answer by script, and in
 * which everything that nobody has expected fails the test.
 *
 * @example A guard
 * ```ts
 * import { createTestHost } from "@pi-hooks/core/testing";
 *
 * await using host = await createTestHost((pi) => {
 *   pi.on("tool_call", async (event, ctx) => {
 *     const isAllowed = await ctx.ui.confirm("Run it?", String(event.input.command));
 *     if (!isAllowed) return { block: true, reason: "the person said no" };
 *   });
 * }, { ui: { confirm: false } });
 *
 * const verdict = await host.toolCall("bash", { command: "rm -rf build" });
 * if (verdict.reason !== "the person said no") throw new Error("not blocked");
 * if (host.dialogs[0].message !== "rm -rf build") throw new Error("the command was not shown");
 * ```
 *
 * @module
 */

export { createTestHost, type TestHookSource, type TestHostOptions } from "./create_test_host.ts";
export { TestHost, type TestLogLine, type TestToolCall, type TestToolResult } from "./test_host.ts";
export { UnexpectedError } from "./script.ts";
export type { TestExecCall, TestPrograms } from "./test_programs.ts";
export type { TestAnswer, TestAnswers, TestDialog, TestNotice } from "./test_ui.ts";

/**
 * What a hook finds when it imports the package of the agent that it was written for: everything
 * that `mod.ts` exports, and the names under which those packages export the same things.
 *
 * @module
 */

import { isToolCall, isToolResult, type KnownToolName } from "./events/tool.ts";
import type { ToolResultEvent, ToolResultEventOf } from "./events/tool.ts";

export * from "../mod.ts";
export { isToolCall as isToolCallEventType };

/** A guard for the results of one tool. */
type ToolResultGuard<N extends KnownToolName> = (
  event: ToolResultEvent,
) => event is ToolResultEventOf<N>;

function guardFor<N extends KnownToolName>(name: N): ToolResultGuard<N> {
  return (event): event is ToolResultEventOf<N> => isToolResult(name, event);
}

/** Whether a result is one of `bash`. */
export const isBashToolResult: ToolResultGuard<"bash"> = guardFor("bash");
/** Whether a result is one of `read`. */
export const isReadToolResult: ToolResultGuard<"read"> = guardFor("read");
/** Whether a result is one of `edit`. */
export const isEditToolResult: ToolResultGuard<"edit"> = guardFor("edit");
/** Whether a result is one of `write`. */
export const isWriteToolResult: ToolResultGuard<"write"> = guardFor("write");
/** Whether a result is one of `grep`. */
export const isGrepToolResult: ToolResultGuard<"grep"> = guardFor("grep");
/** Whether a result is one of `find`. */
export const isFindToolResult: ToolResultGuard<"find"> = guardFor("find");

/**
 * The tool `write`.
 *
 * @module
 */

import { changeFile, replaceFile } from "./atomic_write.ts";
import type { ToolAnswer, ToolRun } from "./define_tool.ts";
import { placeOf, resolvePath } from "./tool_path.ts";

/** Writes a whole file. */
export const runWrite: ToolRun<"write"> = ({ path, content }, settings, signal) =>
  changeFile(resolvePath(path, placeOf(settings)), async (target): Promise<ToolAnswer<"write">> => {
    const bytes = await replaceFile(target, content, { tool: "write", signal });
    return { content: [{ type: "text", text: `Wrote ${bytes} bytes to ${path}` }] };
  });

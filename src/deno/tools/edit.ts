/**
 * The tool `edit`.
 *
 * @module
 */

import type { KnownTools } from "../../events/tool.ts";
import type { EditToolDetails } from "../../events/tool_details.ts";
import { changeFile, replaceFile } from "./atomic_write.ts";
import { checkSignal, type ToolAnswer, type ToolRun } from "./define_tool.ts";
import { diffTexts } from "./line_diff.ts";
import { type Replacement, replaceTexts } from "./replacements.ts";
import { readWholeText } from "./text_file.ts";
import { placeOf, resolvePath } from "./tool_path.ts";

const BYTE_ORDER_MARK = "\uFEFF";

/** Replaces parts of a file. */
export const runEdit: ToolRun<"edit"> = async (params, settings, signal) => {
  const replacements = listReplacements(params);
  const path = resolvePath(params.path, placeOf(settings));
  return await changeFile(path, async (target): Promise<ToolAnswer<"edit">> => {
    const text = await readWholeText(target, signal);
    checkSignal(signal, "edit");
    const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
    const before = text.slice(mark.length);
    const after = replaceTexts(before, replacements);
    await replaceFile(target, mark + after, { tool: "edit", signal });
    const { diff, firstChangedLine } = diffTexts(before, after, params.path);
    const details: EditToolDetails = { diff };
    if (firstChangedLine !== undefined) details.firstChangedLine = firstChangedLine;
    const places = replacements.length === 1 ? "1 place" : `${replacements.length} places`;
    const answer = `Changed ${params.path} in ${places}, first in line ${firstChangedLine}`;
    return { content: [{ type: "text", text: answer }], details };
  });
};

/** Both spellings of the arguments as one list. */
function listReplacements(input: KnownTools["edit"]["input"]): readonly Replacement[] {
  const { oldText, newText, edits } = input;
  const hasPair = oldText !== undefined || newText !== undefined;
  if (edits !== undefined && hasPair) {
    throw new Error("Give either oldText and newText, or edits, not both");
  }
  if (edits !== undefined) {
    if (edits.length === 0) throw new Error("edits is empty: there is nothing to replace");
    return edits;
  }
  if (oldText === undefined || newText === undefined) {
    const missing = oldText === undefined ? "oldText" : "newText";
    throw new Error(
      hasPair ? `${missing} is missing` : "Give oldText and newText, or a list of edits",
    );
  }
  return [{ oldText, newText }];
}

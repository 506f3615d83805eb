/**
 * The tool `find`.
 *
 * @module
 */

import type { KnownTools } from "../../events/tool.ts";
import type { FindToolDetails } from "../../events/tool_details.ts";
import { joinPath } from "../files.ts";
import type { ToolAnswer, ToolSettings } from "./define_tool.ts";
import { createGlobFilter } from "./glob_filter.ts";
import { BoundedLines, MAX_BYTES } from "./output_limit.ts";
import { isFolder, placeOf, requireAnything, resolvePath, showPath } from "./tool_path.ts";
import { walkFiles } from "./walk_files.ts";

const DEFAULT_LIMIT = 1000;

/**
 * Finds files and folders by a glob.
 *
 * @param params The glob, and where to look.
 * @param settings Where relative paths start.
 * @param signal Ends the search with an error.
 * @throws {Error} If the folder or the glob cannot be used.
 */
export async function runFind(
  { pattern, path = ".", limit = DEFAULT_LIMIT }: KnownTools["find"]["input"],
  settings: ToolSettings,
  signal: AbortSignal | undefined,
): Promise<ToolAnswer<"find">> {
  const place = placeOf(settings);
  const scope = resolvePath(path, place);
  if (!(await requireAnything(scope)).isDirectory) {
    throw new Error(`${JSON.stringify(scope)} is not a folder: path is the folder to search`);
  }
  const filter = await createGlobFilter(pattern);
  const root = joinPath(scope, filter.folder);
  const lines = new BoundedLines();
  const files: string[] = [];
  let hasMore = false;
  let unreadable = 0;
  const onUnreadable = (): void => void unreadable++;
  const walk = { tool: "find", signal, maxDepth: filter.maxDepth, onUnreadable } as const;
  if (await isFolder(root)) {
    for await (const { relative, kind } of walkFiles(root, walk)) {
      if (!filter.matches(relative)) continue;
      const shown = showPath(joinPath(root, relative), place.cwd);
      const file = kind === "folder" ? `${shown}/` : shown;
      hasMore = files.length === limit || !lines.push(file);
      if (hasMore) break;
      files.push(file);
    }
  }
  const notes: string[] = [];
  if (lines.isFull) notes.push(`Cut at ${MAX_BYTES / 1024} kB: make the glob narrower`);
  else if (hasMore) {
    notes.push(`There are more than ${limit}: make the glob narrower or limit larger`);
  }
  if (unreadable > 0) notes.push(`Folders that cannot be read: ${unreadable}`);
  const details: FindToolDetails = { scopePath: scope, fileCount: files.length, files };
  if (hasMore) details.truncated = true;
  if (hasMore && !lines.isFull) details.resultLimitReached = limit;
  const text = lines.text(notes, `Nothing matches ${pattern}`);
  return { content: [{ type: "text", text }], details };
}

/**
 * Walks through a folder in a fixed order.
 *
 * @module
 */

import type { KnownToolName } from "../../events/tool.ts";
import { checkSignal } from "./define_tool.ts";
import { explainFileError, requirePermission } from "./tool_path.ts";

/** Folders that nobody means when searching, unless the search begins in them. */
const SKIPPED_FOLDERS = [".git", "node_modules"];

/** Something that was met on the way. */
export interface WalkedEntry {
  /** Its path from where the walk began, with `/`. */
  relative: string;
  /** What it is. Links are not followed; `other` is a pipe, a socket or a device. */
  kind: "file" | "folder" | "link" | "other";
}

/** How to walk. */
export interface WalkOptions {
  /** The tool, for its messages. */
  tool: KnownToolName;
  /** Ends the walk with an error. */
  signal: AbortSignal | undefined;
  /** How many folders deep to go; 0 stays in the first one. Default: no limit. */
  maxDepth?: number;
  /** Gets the folders that cannot be read, from where the walk began. */
  onUnreadable?: (relative: string) => void;
}

/**
 * Everything below a folder, but for what is in `.git` and `node_modules`, sorted by path as the
 * code units of `folder/` and `file` say, each folder right before what is in it.
 *
 * @param root An absolute path.
 * @param options How to walk.
 * @throws {Error} If the folder itself cannot be read, or the signal fires.
 */
export async function* walkFiles(root: string, options: WalkOptions): AsyncGenerator<WalkedEntry> {
  const { tool, signal, maxDepth = Infinity, onUnreadable } = options;
  requirePermission("read", root);
  const stack: WalkedEntry[][] = [
    await readEntries(root, "").catch((error) => {
      throw explainFileError(error, "read", root);
    }),
  ];
  while (stack.length > 0) {
    checkSignal(signal, tool);
    const entry = stack[stack.length - 1].pop();
    if (entry === undefined) {
      stack.pop();
      continue;
    }
    yield entry;
    if (entry.kind !== "folder" || stack.length > maxDepth) continue;
    try {
      stack.push(await readEntries(`${root}/${entry.relative}`, `${entry.relative}/`));
    } catch (error) {
      // Somebody else may have removed it meanwhile.
      if (!(error instanceof Deno.errors.NotFound)) onUnreadable?.(entry.relative);
    }
  }
}

/** The entries of a folder, the first one last, for a stack. */
async function readEntries(folder: string, prefix: string): Promise<WalkedEntry[]> {
  const entries: (WalkedEntry & { order: string })[] = [];
  for await (const { name, isDirectory, isFile, isSymlink } of Deno.readDir(folder)) {
    if (isDirectory && SKIPPED_FOLDERS.includes(name)) continue;
    const kind = isSymlink ? "link" : isDirectory ? "folder" : isFile ? "file" : "other";
    entries.push({ relative: prefix + name, kind, order: isDirectory ? `${name}/` : name });
  }
  return entries.sort((a, b) => a.order < b.order ? 1 : -1);
}

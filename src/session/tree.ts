/**
 * The entries of a session as a tree.
 *
 * @module
 */

import type { SessionEntry, SessionTreeNode } from "../entries.ts";
import { NO_RECORD } from "./record_index.ts";

/**
 * Builds the tree. No recursion: a conversation is one long branch.
 *
 * @param entries All entries, in the order of the file.
 * @param parents The position of the entry before each one.
 * @param labels The names that a person gave, by entry.
 * @returns The roots, in the order of the file. Children are sorted by time, oldest first.
 */
export function buildTree(
  entries: readonly SessionEntry[],
  parents: readonly number[],
  labels: ReadonlyMap<string, string>,
): SessionTreeNode[] {
  const nodes = entries.map((entry): SessionTreeNode => {
    const label = labels.get(entry.id);
    return label === undefined ? { entry, children: [] } : { entry, children: [], label };
  });
  const roots: SessionTreeNode[] = [];
  nodes.forEach((node, record) => {
    const parent = parents[record];
    (parent === NO_RECORD ? roots : nodes[parent].children).push(node);
  });
  for (const { children } of nodes) {
    if (children.length > 1) children.sort((a, b) => timeOf(a) - timeOf(b));
  }
  return roots;
}

function timeOf({ entry }: SessionTreeNode): number {
  return Date.parse(entry.timestamp) || 0;
}

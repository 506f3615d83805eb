/**
 * Makes a forest of entries whose parents stand elsewhere, are lost, or run in rings.
 *
 * @module
 */

import { NO_RECORD, type RecordIndex } from "./record_index.ts";
import type { WarningList } from "./warnings.ts";

/** An entry whose parent was not known when it was read. */
export interface OpenLink {
  /** The entry. */
  record: number;
  /** The name of its parent. */
  parentId: string;
}

/**
 * Finds the parents that stand below their children, puts orphans after the entry before them, and
 * cuts rings. Afterwards every way from entry to parent ends.
 *
 * @param index Is completed.
 * @param open Its entries without a parent.
 * @param warnings Gets what was wrong.
 */
export function closeParentLinks(
  index: RecordIndex,
  open: readonly OpenLink[],
  warnings: WarningList,
): void {
  let looksForward = false;
  for (const { record, parentId } of open) {
    const parent = index.find(parentId);
    if (parent !== NO_RECORD) {
      index.parents[record] = parent;
      looksForward = true;
    } else {
      // The line of the parent is lost, most likely just above: the history before it is not.
      index.parents[record] = record - 1;
      warnOrphan(index, record, `comes after entry ${parentId}, which is not there`, warnings);
    }
  }
  if (looksForward) cutRings(index, warnings);
}

/**
 * Tells of an entry that was put after the one before it in the file.
 *
 * @param index Holds it.
 * @param record The entry.
 * @param problem What it says of its parent.
 * @param warnings Gets the warning.
 */
export function warnOrphan(
  { ids, lines }: RecordIndex,
  record: number,
  problem: string,
  warnings: WarningList,
): void {
  const mend = record === 0 ? "it begins a tree" : `it is put after entry ${ids[record - 1]}`;
  const message = `Line ${lines[record]}: entry ${ids[record]} ${problem}; ${mend}.`;
  warnings.add("orphan", lines[record], message);
}

/** Only an entry whose parent stands below it can be in a ring. Takes one look at each entry. */
function cutRings({ parents, ids, lines }: RecordIndex, warnings: WarningList): void {
  const UNSEEN = 0, DONE = -1;
  const seenIn = new Int32Array(parents.length);
  for (let record = 0; record < parents.length; record++) {
    const walk = record + 1;
    let step = record;
    while (step !== NO_RECORD && seenIn[step] === UNSEEN) {
      seenIn[step] = walk;
      step = parents[step];
    }
    if (step !== NO_RECORD && seenIn[step] === walk) {
      let first = step;
      for (let other = parents[step]; other !== step; other = parents[other]) {
        first = Math.min(first, other);
      }
      parents[first] = NO_RECORD;
      const text = `Line ${lines[first]}: entry ${
        ids[first]
      } comes after itself; it begins a tree.`;
      warnings.add("cycle", lines[first], text);
    }
    for (step = record; step !== NO_RECORD && seenIn[step] === walk; step = parents[step]) {
      seenIn[step] = DONE;
    }
  }
}

/**
 * Long lists that cross once and then as changes: conversations and sessions mostly grow at the end.
 *
 * @module
 */

/** How a list differs from the one before: so many stay at the beginning, then others follow. */
export interface ListChange {
  /** How many stay. */
  keep: number;
  /** What follows them. */
  add: unknown[];
}

/**
 * What must be told about a list.
 *
 * @param before The list as the other side has it.
 * @param after The list now.
 * @param isSame Whether an item is still what it was.
 * @returns `undefined` if nothing has changed.
 */
export function listChange<T>(
  before: readonly T[],
  after: readonly T[],
  isSame: (before: T, after: T) => boolean,
): ListChange | undefined {
  let keep = 0;
  const most = Math.min(before.length, after.length);
  while (keep < most && isSame(before[keep], after[keep])) keep++;
  if (keep === before.length && keep === after.length) return undefined;
  return { keep, add: after.slice(keep) };
}

/**
 * Applies a change.
 *
 * @param list The list before.
 * @param change What was told.
 * @throws {RangeError} If the change is about another list.
 */
export function applyListChange<T>(list: readonly T[], { keep, add }: ListChange): T[] {
  if (keep > list.length) {
    throw new RangeError(`${keep} items should stay, there are ${list.length}`);
  }
  return [...list.slice(0, keep), ...add as T[]];
}

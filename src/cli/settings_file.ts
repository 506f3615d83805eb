/**
 * Changes a file of settings with care: what it is about to become is shown, the former one is kept,
 * and nobody ever sees half of it.
 *
 * @module
 */

/** A change to a file; `undefined` stands for no file. */
export interface FileChange {
  /** The file. */
  path: string;
  /** What it holds. */
  before: string | undefined;
  /** What it is to hold. */
  after: string | undefined;
  /** The whole file is ours, so that nobody needs the former one. */
  isOwn?: true;
}

/**
 * Reads a file.
 *
 * @param path The file.
 * @returns `undefined` if there is none.
 */
export function readOrNothing(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Shows a change as lines with `-` and `+`.
 *
 * @param change The change.
 */
export function diffText({ path, before, after }: FileChange): string {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (
    end < old.length - start && end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  ) end++;
  const around = (lines: string[]) => lines.map((line) => `  ${line}`);
  return [
    `--- ${before === undefined ? "(no file)" : path}`,
    `+++ ${after === undefined ? "(no file)" : path}`,
    ...around(old.slice(Math.max(0, start - 2), start)),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
    ...around(now.slice(now.length - end, now.length - end + 2)),
    "",
  ].join("\n");
}

/**
 * Carries a change out. A link is followed, so that it stays one.
 *
 * @param change The change.
 * @returns The copy of the former file, if there was one.
 */
export function applyChange({ path, before, after, isOwn }: FileChange): string | undefined {
  const target = before === undefined ? path : Deno.realPathSync(path);
  const folder = target.slice(0, target.lastIndexOf("/"));
  let backup: string | undefined;
  if (before !== undefined && !isOwn) {
    const time = new Date().toISOString().replaceAll(/[-:]|\..*/g, "");
    backup = `${target}.${time}.bak`;
    Deno.copyFileSync(target, backup);
  }
  if (after === undefined) {
    Deno.removeSync(target);
    return backup;
  }
  Deno.mkdirSync(folder, { recursive: true });
  const mode = before === undefined ? undefined : Deno.statSync(target).mode ?? undefined;
  const draft = `${target}.${crypto.randomUUID().slice(0, 8)}.tmp`;
  Deno.writeTextFileSync(draft, after, { createNew: true, mode });
  Deno.renameSync(draft, target);
  return backup;
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  return text.replace(/\n$/, "").split("\n");
}

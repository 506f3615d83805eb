/**
 * The tool `grep`.
 *
 * @module
 */

import type { KnownTools } from "../../events/tool.ts";
import type { GrepToolDetails } from "../../events/tool_details.ts";
import { joinPath } from "../files.ts";
import { checkSignal, type ToolAnswer, type ToolSettings } from "./define_tool.ts";
import { createGlobFilter } from "./glob_filter.ts";
import { createLineSearch, cutLine, type LineMatch, type LineSearch } from "./line_search.ts";
import { BoundedLines, MAX_BYTES } from "./output_limit.ts";
import { isBinary } from "./text_file.ts";
import { TimeLimitError } from "./computing_limit.ts";
import { isFolder, placeOf, requireAnything, resolvePath, showPath } from "./tool_path.ts";
import { walkFiles } from "./walk_files.ts";

const DEFAULT_LIMIT = 100;

/** Larger files are data rather than something that was written. */
const MAX_FILE_BYTES = 5 * 1024 * 1024;

type GrepInput = KnownTools["grep"]["input"];

/**
 * Searches files for a pattern.
 *
 * @param input What to search for, and where.
 * @param settings Where relative paths start.
 * @param signal Ends the search with an error.
 * @throws {Error} If it cannot be searched, or takes too long.
 */
export async function runGrep(
  input: GrepInput,
  settings: ToolSettings,
  signal: AbortSignal | undefined,
): Promise<ToolAnswer<"grep">> {
  const place = placeOf(settings);
  const scope = resolvePath(input.path ?? ".", place);
  const info = await requireAnything(scope);
  const search = await createLineSearch(input.pattern, input);
  const run = new GrepRun(search, input, place.cwd, signal);
  if (info.isDirectory) await run.searchFolder(scope, input.glob);
  else await run.searchNamedFile(scope, info);
  const details = { scopePath: scope, ...run.details() };
  return { content: [{ type: "text", text: run.text() }], details };
}

/** One search: what was found so far, and what was left out. */
class GrepRun {
  readonly #search: LineSearch;
  readonly #context: number;
  readonly #limit: number;
  readonly #cwd: string;
  readonly #signal: AbortSignal | undefined;
  readonly #lines = new BoundedLines();
  readonly #fileMatches: { path: string; count: number }[] = [];
  #matchCount = 0;
  #hasMore = false;
  #hasCutLines = false;
  #unreadable = 0;
  #huge = 0;

  constructor(
    search: LineSearch,
    { context = 0, limit = DEFAULT_LIMIT }: GrepInput,
    cwd: string,
    signal: AbortSignal | undefined,
  ) {
    this.#search = search;
    this.#context = context;
    this.#limit = limit;
    this.#cwd = cwd;
    this.#signal = signal;
  }

  /** Searches the files below a folder, all or those that a glob means. */
  async searchFolder(scope: string, glob: string | undefined): Promise<void> {
    const filter = glob === undefined ? undefined : await createGlobFilter(glob);
    const root = joinPath(scope, filter?.folder ?? "");
    if (root !== scope && !await isFolder(root)) return;
    const onUnreadable = (): void => void this.#unreadable++;
    const { maxDepth } = filter ?? {};
    const walk = { tool: "grep", signal: this.#signal, maxDepth, onUnreadable } as const;
    for await (const { relative, kind } of walkFiles(root, walk)) {
      if (kind !== "file" || filter?.matches(relative) === false) continue;
      const path = joinPath(root, relative);
      try {
        const { size } = await Deno.stat(path);
        if (size > MAX_FILE_BYTES) this.#huge++;
        else this.#searchBytes(path, await Deno.readFile(path, { signal: this.#signal }));
      } catch (error) {
        if (!(error instanceof Deno.errors.PermissionDenied)) {
          // Somebody else may have removed it meanwhile.
          if (error instanceof Deno.errors.NotFound) continue;
          throw error;
        }
        this.#unreadable++;
      }
      if (this.#isFull) return;
    }
  }

  /** Searches a file that was asked for by name, so that nothing may be left out silently. */
  async searchNamedFile(path: string, info: Deno.FileInfo): Promise<void> {
    const subject = JSON.stringify(path);
    if (!info.isFile) throw new Error(`${subject} is a pipe, a socket or a device, not a file`);
    if (info.size > MAX_FILE_BYTES) {
      throw new Error(`${subject} has ${info.size} bytes, too many: search it with bash and grep`);
    }
    const bytes = await Deno.readFile(path, { signal: this.#signal });
    if (isBinary(bytes)) throw new Error(`${subject} is a binary file: search it with bash`);
    this.#searchBytes(path, bytes);
  }

  get #isFull(): boolean {
    return this.#hasMore || this.#lines.isFull;
  }

  #searchBytes(path: string, bytes: Uint8Array): void {
    checkSignal(this.#signal, "grep");
    if (isBinary(bytes)) return;
    const text = new TextDecoder().decode(bytes);
    if (!this.#search.mayBeIn(text)) return;
    const lines = text.split(/\r?\n/);
    if (lines[lines.length - 1] === "") lines.pop();
    const room = this.#limit - this.#matchCount;
    // One more than there is room for tells whether there are more.
    const matches = this.#findMatches(path, lines, room + 1);
    if (matches.length > room) this.#hasMore = true;
    this.#addMatches(showPath(path, this.#cwd), lines, matches.slice(0, room));
  }

  #findMatches(path: string, lines: string[], limit: number): LineMatch[] {
    try {
      return this.#search.find(lines, limit);
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error;
      throw new Error(
        `The pattern was given up in ${JSON.stringify(path)}: ${error.message}. Use a simpler ` +
          "one, without a repetition inside of a repetition, or leave the file out by glob",
        { cause: error },
      );
    }
  }

  #addMatches(path: string, lines: string[], matches: LineMatch[]): void {
    const context = this.#context;
    let shownUntil = 0;
    let count = 0;
    for (const [position, { index, column }] of matches.entries()) {
      const start = Math.max(shownUntil, index - context);
      const next = matches[position + 1]?.index ?? lines.length;
      const end = Math.min(lines.length, next, index + context + 1);
      const block: string[] = [];
      const isApart = start > shownUntil || position === 0;
      if (context > 0 && isApart && this.#matchCount + count > 0) block.push("--");
      for (let at = start; at < end; at++) {
        const { text, isCut } = cutLine(lines[at], at === index ? column : 0);
        if (isCut) this.#hasCutLines = true;
        block.push(at === index ? `${path}:${at + 1}: ${text}` : `${path}-${at + 1}- ${text}`);
      }
      if (!this.#lines.push(...block)) break;
      shownUntil = end;
      count++;
    }
    if (count === 0) return;
    this.#matchCount += count;
    this.#fileMatches.push({ path, count });
  }

  /** What the model reads. */
  text(): string {
    const notes: string[] = [];
    if (this.#hasMore) {
      notes.push(`There are more than ${this.#limit} matches: search for less or raise limit`);
    }
    if (this.#lines.isFull) notes.push(`Cut at ${MAX_BYTES / 1024} kB: search for less`);
    if (this.#hasCutLines) notes.push("Very long lines are cut");
    if (this.#huge > 0) notes.push(`Files over 5 MB that were not searched: ${this.#huge}`);
    if (this.#unreadable > 0) {
      notes.push(`Files or folders that cannot be read: ${this.#unreadable}`);
    }
    return this.#lines.text(notes, "No matches");
  }

  /** What programs read. */
  details(): GrepToolDetails {
    const fileMatches = this.#fileMatches;
    const details: GrepToolDetails = {
      matchCount: this.#matchCount,
      fileCount: fileMatches.length,
      files: fileMatches.map(({ path }) => path),
      fileMatches,
    };
    if (this.#hasMore) details.matchLimitReached = this.#limit;
    if (this.#hasCutLines) details.linesTruncated = true;
    if (this.#isFull) details.truncated = true;
    return details;
  }
}

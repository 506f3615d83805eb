/**
 * What was found wrong in a session file, and what was made of it.
 *
 * @module
 */

/**
 * What is wrong in a session file. Each kind has one rule:
 *
 * - `empty`: there are no entries; the session begins here.
 * - `no-header`: the entries are read; a header is not made up.
 * - `late-header`: a header that is not the first line counts all the same.
 * - `second-header`: only the first header counts.
 * - `unknown-version`: the file is read as version 3 and never written to.
 * - `torn`: the last line is incomplete; it stays, and the next entry begins on a line of its own.
 * - `welded`: several records stand on one line; each of them is read.
 * - `garbage`: the line is no JSON; it stays and is passed over.
 * - `not-an-entry`: the line is JSON but no entry; it stays and is passed over.
 * - `too-long`: the line is longer than 128 MiB; it stays and is passed over.
 * - `duplicate-id`: only the first entry of that name counts.
 * - `orphan`: the entry before this one is missing; it hangs on the one before it in the file.
 * - `cycle`: entries come after themselves; the first of them in the file begins a tree.
 * - `invalid-utf8`: bytes that are no UTF-8 are read as U+FFFD.
 * - `bom`: the file begins with a byte order mark, which is passed over.
 * - `crlf`: lines end with CR LF, which is read like LF.
 * - `leaf-not-kept`: where the session was left could not be written down.
 */
export type SessionWarningKind =
  | "empty"
  | "no-header"
  | "late-header"
  | "second-header"
  | "unknown-version"
  | "torn"
  | "welded"
  | "garbage"
  | "not-an-entry"
  | "too-long"
  | "duplicate-id"
  | "orphan"
  | "cycle"
  | "invalid-utf8"
  | "bom"
  | "crlf"
  | "leaf-not-kept";

/** Something that was found wrong in a session file. The file is never changed because of it. */
export interface SessionWarning {
  /** What is wrong. */
  kind: SessionWarningKind;
  /** The line, counted from 1; 0 for the file as a whole. */
  line: number;
  /** What is wrong and what was made of it, one sentence that names the line. */
  message: string;
}

/** More than these are of no use to anybody. */
const MAX_WARNINGS = 1000;

/** Keeps warnings, each once, and tells somebody about new ones. */
export class WarningList {
  readonly #warnings: SessionWarning[] = [];
  readonly #known = new Set<string>();
  readonly #tell: ((warning: SessionWarning) => void) | undefined;

  /**
   * @param tell Gets each new warning.
   */
  constructor(tell?: (warning: SessionWarning) => void) {
    this.#tell = tell;
  }

  /** All of them, in the order in which they were found; the first thousand, to be exact. */
  get all(): SessionWarning[] {
    return this.#warnings.map((warning) => ({ ...warning }));
  }

  /** Adds a warning, unless the same kind is known for this line. */
  add(kind: SessionWarningKind, line: number, message: string): void {
    const key = `${kind} ${line}`;
    if (this.#known.has(key) || this.#warnings.length >= MAX_WARNINGS) return;
    this.#known.add(key);
    const warning = { kind, line, message };
    this.#warnings.push(warning);
    this.#tell?.({ ...warning });
  }
}

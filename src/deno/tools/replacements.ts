/**
 * Finds the places of a text that are to be replaced, and replaces them.
 *
 * @module
 */

/** A replacement: the old text has to stand in the file exactly once. */
export interface Replacement {
  /** What stands there. */
  oldText: string;
  /** What shall stand there. */
  newText: string;
}

/** How many places a message names. */
const MAX_NAMED_PLACES = 5;

/** A part of the text, with what it becomes. */
type Change = { start: number; end: number; newText: string; position: number };

/**
 * Replaces parts of a text. All old texts are looked for in the text as it was, so that their order
 * does not matter. In a text whose lines end in CRLF, old texts are found with LF as well, and new
 * ones get the line ends of the text around them; everything else stays byte for byte.
 *
 * @param text The text.
 * @param replacements What to replace.
 * @returns The new text.
 * @throws {Error} If an old text is empty, is not there, is there more than once, or overlaps with
 * another one, or if nothing would change. The message is for the model.
 */
export function replaceTexts(text: string, replacements: readonly Replacement[]): string {
  const hasCrlf = text.includes("\r\n");
  const source = hasCrlf ? new NormalizedText(text) : undefined;
  const searched = source?.text ?? text;
  const changes = replacements.map((replacement, position): Change => {
    const oldText = hasCrlf ? withLineFeeds(replacement.oldText) : replacement.oldText;
    const subject = replacements.length === 1 ? "oldText" : `edits[${position}].oldText`;
    const start = findOnce(searched, oldText, subject);
    const end = start + oldText.length;
    if (source === undefined) return { start, end, newText: replacement.newText, position };
    return {
      start: source.originalIndex(start),
      end: source.originalIndex(end),
      newText: withLineFeeds(replacement.newText).replaceAll("\n", source.lineEndAt(start, end)),
      position,
    };
  }).sort((a, b) => a.start - b.start);

  let result = "";
  let done = 0;
  let previous: Change | undefined;
  for (const change of changes) {
    if (previous !== undefined && change.start < done) {
      const names = [previous.position, change.position].sort((a, b) => a - b)
        .map((position) => `edits[${position}]`);
      throw new Error(`${names.join(" and ")} overlap: make one edit of them`);
    }
    result += text.slice(done, change.start) + change.newText;
    done = change.end;
    previous = change;
  }
  result += text.slice(done);
  if (result === text) throw new Error("Nothing would change: the new text is the old text");
  return result;
}

function withLineFeeds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** A text with LF for CRLF, that knows where everything stood. */
class NormalizedText {
  readonly text: string;
  readonly #original: string;
  /** Where the line feeds stand in `text` that had a carriage return before them, in order. */
  readonly #removed: number[] = [];

  constructor(original: string) {
    this.#original = original;
    this.text = withLineFeeds(original);
    for (let at = original.indexOf("\r\n"); at >= 0; at = original.indexOf("\r\n", at + 2)) {
      this.#removed.push(at - this.#removed.length);
    }
  }

  /** The place in the original text; of a line end, the carriage return. */
  originalIndex(index: number): number {
    let low = 0;
    let high = this.#removed.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#removed[middle] < index) low = middle + 1;
      else high = middle;
    }
    return index + low;
  }

  /** How lines end: in the part, or if it is within a line, at the next line end. */
  lineEndAt(start: number, end: number): string {
    const within = this.text.slice(start, end).indexOf("\n");
    const next = within >= 0 ? start + within : this.text.indexOf("\n", end);
    const at = next >= 0 ? next : this.text.lastIndexOf("\n", start);
    return this.#original[this.originalIndex(at)] === "\r" ? "\r\n" : "\n";
  }
}

/** The one place where the old text stands. */
function findOnce(text: string, oldText: string, subject: string): number {
  if (oldText === "") {
    throw new Error(`${subject} is empty: write the text to replace, or use write for a new file`);
  }
  const places: number[] = [];
  let count = 0;
  for (let at = text.indexOf(oldText); at >= 0; at = text.indexOf(oldText, at + 1)) {
    if (count < MAX_NAMED_PLACES) places.push(at);
    count++;
  }
  if (count === 1) return places[0];
  if (count === 0) throw new Error(`${subject} is not in the file. ${hintFor(text, oldText)}`);
  const lines = places.map((place) => lineOf(text, place)).join(", ");
  const more = count > places.length ? ", …" : "";
  throw new Error(
    `${subject} is in the file ${count} times (lines ${lines}${more}): add lines before or after ` +
      "it until it is there once",
  );
}

/** The number of the line in which a place lies, from 1. */
function lineOf(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** Why a text may not have been found: blanks that differ, or a line that does. */
function hintFor(text: string, oldText: string): string {
  const lines = text.split("\n").map(withoutBlanks);
  const wanted = oldText.replace(/^\n+|\n+$/g, "").split("\n").map(withoutBlanks);
  const best = { line: -1, length: 0 };
  for (let line = 0; line < lines.length; line++) {
    if (lines[line] !== wanted[0] || wanted[0] === "") continue;
    let length = 1;
    while (length < wanted.length && lines[line + length] === wanted[length]) length++;
    if (length > best.length) Object.assign(best, { line, length });
    if (length === wanted.length) break;
  }
  if (best.length === 0) return "Read the file again: it may have changed";
  const first = best.line + 1;
  if (best.length === wanted.length) {
    const last = first + best.length - 1;
    const where = last === first ? `line ${first} differs` : `lines ${first} to ${last} differ`;
    return `Blanks count: ${where} from it only in blanks`;
  }
  const differing = text.split("\n")[best.line + best.length];
  const found = differing === undefined
    ? "then the file ends"
    : `then line ${first + best.length} is ${JSON.stringify(differing.slice(0, 200))}`;
  return `It begins like line ${first}, ${found}`;
}

function withoutBlanks(line: string): string {
  return line.replace(/\s+/g, "");
}

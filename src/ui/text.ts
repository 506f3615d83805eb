/**
 * Makes text from hooks, tools and models harmless for a terminal.
 *
 * @module
 */

/** A piece of text, or a sequence that sets colour and weight (SGR). */
export interface ColouredPiece {
  /** Whether this is such a sequence, which takes no place. */
  isColour: boolean;
  /** The piece. */
  text: string;
}

/**
 * Everything that a terminal may take for an instruction: string sequences (OSC, DCS and their
 * kin) up to their end, control sequences (CSI), short sequences, and what is left of broken ones.
 * Each part excludes what begins the next one, so that the time stays linear.
 */
const ESCAPE_SEQUENCES = new RegExp(
  [
    String
      .raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)?`,
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?`,
    String.raw`\x1b[ -/]*[0-~]?`,
    String.raw`[\x80-\x9f]`,
  ].join("|"),
  "g",
);

// deno-lint-ignore no-control-regex -- escape sequences are what is looked for
const SGR = /^\x1b\[[0-9;:]*m$/;

/**
 * What a reader cannot see or what changes how the rest is read: control characters, line
 * separators, marks of direction, zero-width characters, half surrogate pairs.
 */
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;

/** Scripts in which a zero-width joiner or non-joiner between letters is a matter of spelling. */
const JOINING_SCRIPTS = [
  "Arabic",
  "Bengali",
  "Devanagari",
  "Gujarati",
  "Gurmukhi",
  "Kannada",
  "Khmer",
  "Malayalam",
  "Mongolian",
  "Myanmar",
  "Oriya",
  "Sinhala",
  "Syriac",
  "Tamil",
  "Telugu",
].map((script) => String.raw`\p{Script=${script}}`).join("");

let unseenOrFine: RegExp | undefined;

/**
 * Unseen characters, after the places where they belong: emoji and the spelling of words. Made when
 * it is needed, since collecting all emoji takes as long as starting Deno.
 */
function unseenOrFineRegExp(): RegExp {
  return unseenOrFine ??= new RegExp(
    String
      .raw`(?<fine>\p{RGI_Emoji}|\p{Emoji}[\ufe0e\ufe0f]|[${JOINING_SCRIPTS}][\u200c\u200d])|${UNSEEN}`,
    "gv",
  );
}

/**
 * Shows what would otherwise act or hide: `\n`, `\t`, `\x1b`, `\u202e`, `\u{e0041}`. Use it for
 * texts that a person decides on, such as a command to allow.
 *
 * Zero-width characters stay where they belong: inside emoji, and between letters of scripts whose
 * spelling needs them. Everything else in the text is unchanged.
 *
 * @param text Any text.
 * @returns The text, safe to write to a terminal, on one line.
 *
 * @example
 * ```ts
 * import { visibleText } from "./text.ts";
 *
 * visibleText("rm -rf /\r\x1b[2Kls"); // "rm -rf /\\r\\x1b[2Kls"
 * ```
 */
export function visibleText(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  return text.replace(unseenOrFineRegExp(), (match: string, fine: string | undefined) => {
    return fine === undefined ? escaped(match) : fine;
  });
}

/**
 * Keeps colour and weight (SGR sequences) and takes every other escape sequence out, with what it
 * carries: titles, links, cursor movements, C1 controls. Line breaks and tabs stay; what else
 * cannot be seen is shown as `visibleText` shows it.
 *
 * @param text Any text.
 * @returns The text, safe to write to a terminal.
 */
export function keepColours(text: string): string {
  return splitColours(text).map((piece) => piece.text).join("");
}

/**
 * Takes a text apart into what is seen and what colours it, as `keepColours` leaves it.
 *
 * @param text Any text.
 * @returns The pieces, in order, none of them empty.
 */
export function splitColours(text: string): ColouredPiece[] {
  const pieces: ColouredPiece[] = [];
  let seen = "";
  const addSeen = (): void => {
    const parts = seen.replaceAll("\r\n", "\n").split(/([\n\t])/);
    const shown = parts.map((part) => /^[\n\t]$/.test(part) ? part : visibleText(part)).join("");
    if (shown !== "") pieces.push({ isColour: false, text: shown });
    seen = "";
  };
  let end = 0;
  for (const match of text.matchAll(ESCAPE_SEQUENCES)) {
    // What stands on both sides of a sequence that goes may be one character then.
    seen += text.slice(end, match.index);
    end = match.index + match[0].length;
    if (!SGR.test(match[0])) continue;
    addSeen();
    pieces.push({ isColour: true, text: match[0] });
  }
  seen += text.slice(end);
  addSeen();
  return pieces;
}

function escaped(character: string): string {
  const short = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\u{${hex}}`;
}

/**
 * Arguments of tools as foreign agents write them: objects, JSON in a text, lists of words.
 *
 * @module
 */

/** Arguments by name. */
export type Arguments = Record<string, unknown>;

/**
 * Whether a value is an object with named fields.
 *
 * @param value Anything.
 */
export function isRecord(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Makes arguments of what an agent sent.
 *
 * @param raw An object, JSON text of one, a list of words, any other text, or nothing.
 * @param mainField The field that a bare text or list of words stands for.
 * @returns The arguments; an object that was sent is handed on as it is.
 */
export function readArguments(raw: unknown, mainField: string): Arguments {
  if (isRecord(raw)) return raw;
  if (raw === undefined || raw === null) return {};
  if (typeof raw === "string") {
    const parsed = parseJson(raw);
    if (isRecord(parsed)) return parsed;
    if (Array.isArray(parsed)) return { [mainField]: parsed };
    return raw.trim() === "" ? {} : { [mainField]: raw };
  }
  return { [mainField]: raw };
}

/**
 * Parses a text as JSON.
 *
 * @param text The text.
 * @returns The value, `undefined` if the text is no JSON.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Writes a command as one line of shell. A list of words is joined, each word quoted where a shell
 * would read it differently.
 *
 * @param command A text, or a list of words.
 * @returns The line; what is neither is handed back as it is.
 */
export function commandLine(command: unknown): unknown {
  if (!Array.isArray(command)) return command;
  return command.map((word) => shellWord(typeof word === "string" ? word : JSON.stringify(word)))
    .join(" ");
}

/**
 * Quotes a word for a POSIX shell, if it needs it.
 *
 * @param word The word.
 */
export function shellWord(word: string | undefined): string {
  if (word === undefined || word === "") return "''";
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

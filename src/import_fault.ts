/**
 * Reads what Deno says when an import fails.
 *
 * Nearly every failure is the same `TypeError` with the same code; only the text tells a missing
 * file from a syntax error or a missing permission, and it may carry colour codes.
 *
 * @module
 */

import { permissionFlag } from "./deno/permissions.ts";
import { type HookLoadErrorKind, thrownText } from "./errors.ts";

/** Why an import failed. */
export interface ImportFault {
  /** The kind of failure. */
  kind: HookLoadErrorKind;
  /** What Deno says, without colours, with the place and with what to do about it. */
  text: string;
  /** Whether a mapping of packages or suffixes might help. */
  isResolution: boolean;
  /** The import that a module does not offer, where that is what is wrong. */
  missingExport?: MissingExport;
}

/** A name that is imported from a module which does not export it. */
export interface MissingExport {
  /** The module, as it is written in the import. */
  specifier: string;
  /** The name. */
  name: string;
  /** The URL of the importing module. */
  importer: string;
}

/** A failure on the way of one entry of the list. */
export class LoadFault extends Error {
  /** The kind of failure. */
  readonly kind: HookLoadErrorKind;

  /**
   * Makes the fault.
   *
   * @param kind The kind of failure.
   * @param text What a person reads.
   * @param cause What was thrown, if something was.
   */
  constructor(kind: HookLoadErrorKind, text: string, cause?: unknown) {
    super(text, { cause });
    this.kind = kind;
  }
}

// deno-lint-ignore no-control-regex -- colour codes are control characters
const COLOUR_REGEXP = /\x1b\[[0-9;]*m/g;

const MISSING_EXPORT_REGEXP =
  /^The requested module '([^']+)' does not provide an export named '([\w$]+)' at (\S+):\d+:\d+$/;

/** The compiler puts the place behind what it says; what a module throws has none there. */
const COMPILER_PLACE_REGEXP = / at (?:file|https?):\S+:\d+:\d+$/;

const STACK_PLACE_REGEXP = /^ +at .*?((?:file|https?):\/\/\S+?:\d+:\d+)\)?$/;

const OWN_MODULES = new URL("./", import.meta.url).href;

/** How texts begin or what they contain, with what it means. The first row that fits counts. */
const ROWS: readonly { match: RegExp; kind: HookLoadErrorKind; isResolution?: boolean }[] = [
  { match: /^Requires (read|import|net|env|run|sys|ffi|write) access/, kind: "permission" },
  { match: /^Deno may not /, kind: "permission" },
  { match: /Permission denied \(os error 13\)/, kind: "permission" },
  { match: /^(SyntaxError: |The module's source code could not be parsed)/, kind: "syntax" },
  { match: /^Module not found/, kind: "import", isResolution: true },
  {
    match: /^(Import "|Relative import path|Loading unprepared module)/,
    kind: "import",
    isResolution: true,
  },
  { match: /Maybe add a '\.\w+' extension|--sloppy-imports/, kind: "import", isResolution: true },
  { match: /ERR_UNSUPPORTED_DIR_IMPORT/, kind: "import", isResolution: true },
];

/**
 * Classifies what an import threw.
 *
 * @param thrown What was caught.
 */
export function importFault(thrown: unknown): ImportFault {
  const plain = thrownText(thrown).replace(COLOUR_REGEXP, "").trim();
  if (!isResolverError(thrown)) return evaluationFault(thrown, plain);
  const text = plain.replace(/^Error: /, "");
  const row = ROWS.find(({ match }) => match.test(text));
  return {
    kind: row?.kind ?? "import",
    text: withPaths(withAdvice(text)),
    isResolution: row?.isResolution ?? false,
  };
}

/** The module was found and failed while it ran; what it threw may be anything. */
function evaluationFault(thrown: unknown, text: string): ImportFault {
  if (errorOf(thrown) instanceof SyntaxError && COMPILER_PLACE_REGEXP.test(text)) {
    const missing = MISSING_EXPORT_REGEXP.exec(text);
    if (missing === null) return { kind: "syntax", text: withPaths(text), isResolution: false };
    const [, specifier, name, importer] = missing;
    const advice = /^[A-Z]/.test(name) ? `; a type is imported with "import type { ${name} }"` : "";
    return {
      kind: "import",
      text: withPaths(text) + advice,
      isResolution: false,
      missingExport: { specifier, name, importer },
    };
  }
  return {
    kind: isNotCapable(thrown) ? "permission" : "import",
    text: `the module threw while it was evaluated: ${thrownFault(thrown)}`,
    isResolution: false,
  };
}

/**
 * The text of what a hook threw, with the place where it did, and with what to do about it.
 *
 * @param thrown What was caught.
 */
export function thrownFault(thrown: unknown): string {
  const text = thrownText(thrown).replace(COLOUR_REGEXP, "");
  return withPaths(withAdvice(text) + placeOf(thrown));
}

/**
 * Whether Deno has refused something that the code of a hook wanted.
 *
 * @param thrown What was caught.
 */
export function isNotCapable(thrown: unknown): boolean {
  return errorOf(thrown, "name") === "NotCapable";
}

function isResolverError(thrown: unknown): boolean {
  return errorOf(thrown) instanceof TypeError &&
    errorOf(thrown, "code") === "ERR_MODULE_NOT_FOUND";
}

/** An error, or a property of it; `undefined` for what is no error and for what will not tell. */
function errorOf(thrown: unknown, property?: string): unknown {
  try {
    if (!(thrown instanceof Error)) return undefined;
    return property === undefined ? thrown : Reflect.get(thrown, property);
  } catch {
    // A proxy or a getter may refuse even this question.
    return undefined;
  }
}

/** Says what to do, where that can be known. */
function withAdvice(text: string): string {
  if (/^(module|exports|require) is not defined$/.test(text)) {
    return `${text} (a file that uses require or module.exports has to be called .cjs)`;
  }
  // Deno names what is needed, but not the whole of the flag.
  return text.replace(
    /(access to "(.+?)", run) again with the --allow-(\w+) flag/,
    (_, before: string, value: string, name: string) =>
      `${before} with ${permissionFlag(name, value)}`,
  );
}

/** The line of the hook that threw, above the loader's on the stack and perhaps below the API's. */
function placeOf(thrown: unknown): string {
  const stack = errorOf(thrown, "stack");
  if (typeof stack !== "string") return "";
  for (const line of stack.split("\n")) {
    const place = STACK_PLACE_REGEXP.exec(line)?.[1];
    if (place?.startsWith(`${OWN_MODULES}loader`)) break;
    if (place !== undefined && !place.startsWith(OWN_MODULES)) return `\n    at ${place}`;
  }
  return "";
}

/** Paths instead of `file:` URLs, and without the mark of a version: what a person can open. */
function withPaths(text: string): string {
  return text.replace(/file:\/\/(\/[^\s"]*)/g, (_, path: string) => {
    const plain = path.replace(/\?v=\d+/, "").replace(/^\/(?=[A-Za-z]:\/)/, "");
    try {
      return decodeURIComponent(plain);
    } catch {
      return plain;
    }
  });
}

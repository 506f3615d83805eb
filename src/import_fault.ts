/**
 * Reads what Deno says when an import fails.
 *
 * Nearly every failure is the same `TypeError` with the same code; only the text tells a missing
 * file from a syntax error or a missing permission, and it may carry colour codes.
 *
 * @module
 */

import { type HookLoadErrorKind, thrownText } from "./errors.ts";

/** Why an import failed. */
export interface ImportFault {
  /** The kind of failure. */
  kind: HookLoadErrorKind;
  /** What Deno says, without colours, and what to do about it. */
  text: string;
  /** Whether a mapping of packages or suffixes might help. */
  isResolution: boolean;
  /** The import that a module does not offer, where that is what is wrong. */
  missingExport?: { specifier: string; name: string };
}

// deno-lint-ignore no-control-regex -- colour codes are control characters
const COLOUR_REGEXP = /\x1b\[[0-9;]*m/g;

const MISSING_EXPORT_REGEXP =
  /^The requested module '([^']+)' does not provide an export named '(\w+)'/;

/** How texts begin or what they contain, with what it means. The first row that fits counts. */
const ROWS: readonly { match: RegExp; kind: HookLoadErrorKind; isResolution?: boolean }[] = [
  { match: /^Requires (read|import|net|env|run|sys|ffi|write) access/, kind: "permission" },
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
  const text = thrownText(thrown).replace(COLOUR_REGEXP, "").trim();
  if (!isResolverError(thrown)) return evaluationFault(thrown, text);
  const row = ROWS.find(({ match }) => match.test(text));
  const kind = row?.kind ?? "import";
  const advice = kind === "permission" ? permissionAdvice(text) : "";
  return { kind, text: `${text}${advice}`, isResolution: row?.isResolution ?? false };
}

/** The module was found and failed while it ran; what it threw may be anything. */
function evaluationFault(thrown: unknown, text: string): ImportFault {
  const isNotCapable = thrown instanceof Error && thrown.name === "NotCapable";
  if (isNotCapable) return { kind: "permission", text, isResolution: false };
  const missing = MISSING_EXPORT_REGEXP.exec(text);
  if (thrown instanceof SyntaxError && missing !== null) {
    const missingExport = { specifier: missing[1], name: missing[2] };
    return { kind: "import", text, isResolution: false, missingExport };
  }
  if (thrown instanceof SyntaxError) return { kind: "syntax", text, isResolution: false };
  const prefix = "the module threw while it was evaluated: ";
  return { kind: "import", text: `${prefix}${text}`, isResolution: false };
}

function isResolverError(thrown: unknown): boolean {
  return thrown instanceof TypeError &&
    (thrown as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND";
}

/** The exact flag, where Deno names the path but not the form of the flag. */
function permissionAdvice(text: string): string {
  const asked = /^Requires (read|import|net) access to "([^"]+)"/.exec(text);
  return asked === null ? "" : ` (--allow-${asked[1]}=${asked[2]})`;
}

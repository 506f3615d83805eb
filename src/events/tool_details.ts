/**
 * The `details` of the results of known tools.
 *
 * @module
 */

/** How a long output was cut, where a tool says so. */
export interface OutputMeta {
  /** What was left out. */
  truncation?: {
    direction: "head" | "tail";
    truncatedBy: "lines" | "bytes";
    totalLines: number;
    totalBytes: number;
    outputLines: number;
    outputBytes: number;
    maxBytes?: number;
    shownRange?: { start: number; end: number };
    artifactId?: string;
    nextOffset?: number;
  };
  /** Where the output came from. */
  source?: { type: "path" | "url" | "internal"; value: string };
  /** What compilers and linters say. */
  diagnostics?: { summary: string; messages: string[] };
  /** Limits that were reached. */
  limits?: {
    matchLimit?: unknown;
    resultLimit?: unknown;
    headLimit?: unknown;
    columnTruncated?: unknown;
  };
}

/** `details` of the tool `bash`. */
export interface BashToolDetails {
  /** How the output was cut. */
  meta?: OutputMeta;
  /** The time limit of the command, in seconds. */
  timeoutSeconds?: number;
  /** The exit code, where the tool reports it. */
  exitCode?: number;
  /** State of a command that runs in the background. */
  async?: { state: "running" | "completed" | "failed"; jobId: string; type: "bash" };
}

/** `details` of the tool `read`. */
export interface ReadToolDetails {
  /** Whether a file or a page was read. */
  kind?: "file" | "url";
  /** How the text was cut. */
  truncation?: unknown;
  /** Whether the path was a folder. */
  isDirectory?: boolean;
  /** The path that was read. */
  resolvedPath?: string;
  /** The path asked for and the one found, where they differ. */
  suffixResolution?: { from: string; to: string };
  /** The address asked for. */
  url?: string;
  /** The address after redirects. */
  finalUrl?: string;
  /** The media type. */
  contentType?: string;
  /** How the page was turned into text. */
  method?: string;
  /** Remarks. */
  notes?: string[];
  /** How the output was cut. */
  meta?: OutputMeta;
}

/** `details` of the tool `edit`. */
export interface EditToolDetails {
  /** The change as a unified diff. */
  diff: string;
  /** The first line that changed, from 1. */
  firstChangedLine?: number;
  /** What compilers and linters say. */
  diagnostics?: unknown;
  /** The kind of change. */
  op?: string;
  /** The new path of a moved file. */
  move?: string;
  /** How the output was cut. */
  meta?: OutputMeta;
  /** One result a file, where several were changed. */
  perFileResults?: unknown[];
}

/** `details` of the tool `write`. */
export interface WriteToolDetails {
  /** What compilers and linters say. */
  diagnostics?: unknown;
  /** How the output was cut. */
  meta?: OutputMeta;
}

/** `details` of the tools `grep` and `find`. */
export interface SearchToolDetails {
  /** How the output was cut. */
  truncation?: unknown;
  /** The limit of results that was reached. */
  resultLimitReached?: number;
  /** How the output was cut. */
  meta?: OutputMeta;
  /** Where was searched. */
  scopePath?: string;
  /** How many files. */
  fileCount?: number;
  /** Which files. */
  files?: string[];
  /** Whether something was left out. */
  truncated?: boolean;
  /** What went wrong. */
  error?: string;
}

/** `details` of the tool `grep`. */
export interface GrepToolDetails extends SearchToolDetails {
  /** The limit of matches that was reached. */
  matchLimitReached?: number;
  /** Whether long lines were cut. */
  linesTruncated?: boolean;
  /** How many matches. */
  matchCount?: number;
  /** Matches a file. */
  fileMatches?: { path: string; count: number }[];
}

/** `details` of the tool `find`. */
export type FindToolDetails = SearchToolDetails;

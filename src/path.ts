/**
 * From what stands in a list of hooks to a file path or a module specifier. Pure: the working
 * directory, the home folder and the kind of system are arguments.
 *
 * @module
 */

import { isAbsolute as isAbsolutePosix } from "@std/path/posix/is-absolute";
import { resolve as resolvePosix } from "@std/path/posix/resolve";
import { toFileUrl as toFileUrlPosix } from "@std/path/posix/to-file-url";
import { fromFileUrl as fromFileUrlPosix } from "@std/path/posix/from-file-url";
import { isAbsolute as isAbsoluteWindows } from "@std/path/windows/is-absolute";
import { resolve as resolveWindows } from "@std/path/windows/resolve";
import { toFileUrl as toFileUrlWindows } from "@std/path/windows/to-file-url";
import { fromFileUrl as fromFileUrlWindows } from "@std/path/windows/from-file-url";
import { describeValue } from "./errors.ts";

/** Where a path is resolved. */
export interface PathSurroundings {
  /** What relative paths start from: absolute, or empty if it is not known. */
  readonly cwd: string;
  /** What `~` stands for, if it is known. */
  readonly home: string | undefined;
  /** Whether paths are those of Windows. */
  readonly isWindows: boolean;
}

/** What an entry of a list of hooks stands for. */
export type HookLocation =
  /** A file: its absolute path. */
  | { kind: "file"; path: string }
  /** A module on the net: its specifier. */
  | { kind: "remote"; specifier: string }
  /** Nothing that could be loaded, and why; perhaps because the home folder is not known. */
  | { kind: "fault"; fault: string; needsHome?: true };

const SCHEME_REGEXP = /^(?:(file)|https?|jsr|npm):/i;

/**
 * Finds out what an entry stands for.
 *
 * Absolute paths stay as they are; `~` and `~/…` start from the home folder; anything else starts
 * from `cwd`. `file:` URLs, `https:`, `jsr:` and `npm:` specifiers are known. The exact characters
 * of the entry count: nothing is trimmed, no blanks or accents are "corrected".
 *
 * @param entry What stands in the list.
 * @param around Where it stands.
 */
export function locateHook(entry: unknown, around: PathSurroundings): HookLocation {
  if (typeof entry !== "string") {
    return fault(`a hook is named by its path, a text, not by ${describeValue(entry)}`);
  }
  if (entry.trim() === "") return fault("the path is empty");
  if (entry.includes("\0")) return fault("the path contains a NUL byte, which no file name can");
  const scheme = SCHEME_REGEXP.exec(entry);
  if (scheme === null) return locatePath(entry, around);
  return scheme[1] === undefined ? locateRemote(entry) : locateFileUrl(entry, around);
}

function locateRemote(entry: string): HookLocation {
  try {
    return { kind: "remote", specifier: new URL(entry).href };
  } catch (error) {
    return fault(`the URL cannot be read: ${(error as Error).message}`);
  }
}

function locateFileUrl(entry: string, around: PathSurroundings): HookLocation {
  const { isWindows } = around;
  try {
    const url = new URL(entry);
    if (!/^file:\//i.test(entry)) {
      return fault("a file: URL holds a whole path, as in file:///folder/hook.ts");
    }
    if (url.host !== "" && !isWindows) {
      return fault(`the URL names a file of another computer, "${url.host}"`);
    }
    const path = isWindows ? fromFileUrlWindows(url) : fromFileUrlPosix(url);
    if (path.includes("\0")) return fault("the URL contains a NUL byte");
    return locatePath(path, around);
  } catch (error) {
    return fault(`the URL cannot be read: ${(error as Error).message}`);
  }
}

function locatePath(entry: string, around: PathSurroundings): HookLocation {
  const { isWindows } = around;
  if (isWindows ? isFullWindowsPath(entry) : isAbsolutePosix(entry)) {
    return { kind: "file", path: isWindows ? plainWindowsPath(entry) : entry };
  }
  const slash = isWindows ? /[/\\]/ : /\//;
  const [first, ...rest] = entry.split(slash);
  if (first === "~") return locateInHome(rest.join("/"), around);
  if (first.startsWith("~") && rest.length > 0) {
    return fault(
      `"${first}" is not looked up: write the home folder of that person in full, ` +
        `or "./${entry}" for a folder of that name`,
    );
  }
  // Read only now: looking it up may take time.
  const { cwd } = around;
  if (cwd === "") {
    return fault("the path is relative, and the folder that it starts from is not known");
  }
  return { kind: "file", path: resolvePath(isWindows, cwd, entry) };
}

function locateInHome(rest: string, { cwd, home, isWindows }: PathSurroundings): HookLocation {
  const isFull = home !== undefined &&
    (isWindows ? isAbsoluteWindows(home) : isAbsolutePosix(home));
  if (!isFull && (home === undefined || cwd === "")) {
    const variable = isWindows ? "USERPROFILE" : "HOME";
    const text = `the home folder is not known: set ${variable} and run with ` +
      `--allow-env=${variable}, or write the path in full`;
    return { kind: "fault", fault: text, needsHome: true };
  }
  // What follows the tilde is below the home folder, also if it begins with more slashes.
  return { kind: "file", path: resolvePath(isWindows, cwd, home, `./${rest}`) };
}

function resolvePath(isWindows: boolean, ...parts: string[]): string {
  return isWindows ? plainWindowsPath(resolveWindows(...parts)) : resolvePosix(...parts);
}

/** With a drive or a server; `\\x.ts` still depends on the current drive. */
function isFullWindowsPath(path: string): boolean {
  return isAbsoluteWindows(path) && /^(?:[a-z]:|[/\\]{2})/i.test(path);
}

/** One spelling for one path: backslashes, a capital drive letter, no `\\?\` before it. */
function plainWindowsPath(path: string): string {
  const short = path.replace(/^[/\\]{2}\?[/\\]UNC[/\\]/i, "\\\\").replace(/^[/\\]{2}\?[/\\]/, "");
  return resolveWindows(short).replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}

/**
 * The `file:` URL of a path, with every character that means something in a URL encoded, so that
 * folders named `c#`, `100%` or `what?` work.
 *
 * @param path An absolute path.
 * @param isWindows Whether it is a path of Windows.
 */
export function fileUrlOf(path: string, isWindows: boolean): string {
  // Most paths have nothing to encode, and a URL object takes longer than all the rest.
  if (!isWindows && /^(?:\/\.?[\w-][\w.-]*)+$/.test(path)) return `file://${path}`;
  return (isWindows ? toFileUrlWindows(path) : toFileUrlPosix(path)).href;
}

const MODULE_SUFFIX_REGEXP = /\.(?:(?<!\.d\.)[mc]?ts|[mc]?js|tsx|jsx)$/i;
const DECLARATION_SUFFIX_REGEXP = /\.d\.[mc]?ts$/i;

/**
 * Says why a file of this name is not imported, `undefined` if it may be. Deno would run a shell
 * script as JavaScript if it happens to parse, so the name decides before the content.
 *
 * @param path A path.
 */
export function moduleNameFault(path: string): string | undefined {
  if (MODULE_SUFFIX_REGEXP.test(path)) return undefined;
  if (DECLARATION_SUFFIX_REGEXP.test(path)) {
    return "a .d.ts file only declares types, there is nothing to run";
  }
  return "not a JavaScript or TypeScript module (.ts .mts .cts .js .mjs .cjs .tsx .jsx); " +
    "a shell-style hook is run from a module: " +
    'pi.on("tool_call", async () => { const { code } = await pi.exec("sh", ["./hook.sh"]); … })';
}

function fault(text: string): HookLocation {
  return { kind: "fault", fault: text };
}

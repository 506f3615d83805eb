/**
 * A ready-made hook that keeps the agent's tools from changing files that are nobody's business but
 * the person's: secrets, keys, what git and package managers keep for themselves. Reading is not
 * its matter.
 *
 * It compares whole names in a path, never parts of names: `.env` and `src/../.env` are protected,
 * `.environment.md` is not. Before it compares, it takes `..` out and follows symbolic links, also
 * such as lead to a file that does not exist yet. The case of letters makes no difference, on any
 * system: `.ENV` is the same file as `.env` on half of all disks, and as secret on the others.
 *
 * It looks at every tool with a writing word in its name (`write`, `Edit`, `apply_patch`,
 * `notebook_edit`, `mcp__fs__write_file`, `str_replace_based_edit_tool` …), at all usual field names
 * (`path`, `file_path`, `filePath`, `edits[].path` …) and into the text of patches.
 *
 * | the call | what happens |
 * |---|---|
 * | names a protected path, directly or through links | blocked |
 * | names no path (`edit` without `path`) | passes: there is nothing to judge, and the tool refuses it |
 * | has a path that is no text (`{ path: ["a"] }`) | blocked: what it would write cannot be told |
 * | a path leads where this process may not look | blocked, and the reason says so |
 *
 * In shell commands it sees the plain forms: `> .env`, `tee .env`, `cp x .env`, `mv`, `rm`, `touch`,
 * `truncate`, `sed -i`, `dd of=…`, also after `cd`, behind `sudo` and in `bash -c`. What it cannot
 * see there: names that the shell makes up (`> $FILE`, `> .e*`), substitutions, scripts and
 * programs that write by themselves (`python x.py`, `git checkout`, `npm install`), and hard links.
 * Take `permission-gate` beside it for commands that destroy.
 *
 * The file stands alone, so a copy of it runs in every agent that has these hooks.
 *
 * @example With folders of one's own
 * ```ts
 * import { createProtectedPaths } from "@pi-hooks/core/hooks/protected-paths";
 *
 * export default createProtectedPaths({
 *   protect: ["migrations/", "/srv/data", "*.lock"],
 *   allow: ["node_modules/my-package", ".env.test"],
 * });
 * ```
 *
 * In a process of its own it needs to see where links lead, and where home is:
 *
 * @permission read env=HOME,USERPROFILE
 *
 * @module
 */

import type { HookAPI, HookContext, ToolCallEventResult } from "../mod.ts";

/** What {@linkcode createProtectedPaths} can be told. */
export interface ProtectedPathsOptions {
  /**
   * What to protect beside {@linkcode DEFAULT_PROTECTED}.
   *
   * A pattern is one name or several with `/` between them. It stands for everything of that name
   * at any depth, and for what is inside; with a slash at its end, only for what is inside. One
   * that begins with `/` or a drive (`C:/`) stands for that one place. `*` means any characters of
   * one name.
   */
  protect?: readonly string[];
  /**
   * Exceptions, in the same form, beside {@linkcode DEFAULT_ALLOWED}. An exception counts where it
   * covers all the names that the protecting pattern covers: `.env.test` does not open
   * `.git/.env.test`, and `node_modules` opens all of `node_modules`.
   */
  allow?: readonly string[];
}

/** What is protected by default. */
export const DEFAULT_PROTECTED: readonly string[] = [
  // Secrets.
  ".env",
  ".env.*",
  ".envrc",
  ".npmrc",
  ".pypirc",
  ".netrc",
  ".pgpass",
  ".htpasswd",
  ".git-credentials",
  ".ssh",
  ".gnupg",
  ".aws",
  ".kube",
  ".docker/config.json",
  // Private keys.
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  // What other programs keep for themselves. `git~1` is the short name of `.git` on Windows.
  ".git",
  "git~1",
  ".hg",
  ".svn",
  "node_modules/",
];

/** The exceptions that hold by default: files that only show what the real one looks like. */
export const DEFAULT_ALLOWED: readonly string[] = [
  ".env.example",
  ".env.sample",
  ".env.template",
  ".env.dist",
];

// ---------------------------------------------------------------------------------------------
// Names and patterns

/** A pattern, divided into names. */
interface Pattern {
  text: string;
  names: RegExp[];
  /** Whether it begins at the root. */
  isAbsolute: boolean;
  /** Whether it stands only for what is inside. */
  isInside: boolean;
}

/** Compiled options. */
interface Rules {
  protect: Pattern[];
  allow: Pattern[];
}

const DRIVE = /^[A-Za-z]:(?=[\\/]|$)/;
const MAX_PATH = 10_000;

function compile(option: string, text: unknown, ignoreCase: boolean): Pattern {
  if (typeof text !== "string" || !/[^\s\\/*.]/.test(text) || text.startsWith("~")) {
    throw new TypeError(
      `protected-paths: "${option}" takes names and paths such as ".env", "secrets/" or ` +
        `"/srv/data", not ${JSON.stringify(text) ?? String(text)}`,
    );
  }
  const path = text.trim().replaceAll("\\", "/");
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  return {
    text,
    isAbsolute: path.startsWith("/") || DRIVE.test(path),
    isInside: path.endsWith("/"),
    names: names.map((name) => {
      const parts = (ignoreCase ? fold(name) : name).split(/\*+/);
      const source = parts.map((part) => part.replace(/[^\w]/g, "\\$&")).join("[^]*");
      return new RegExp(`^${source}$`);
    }),
  };
}

/**
 * What several file systems take for the same name: letters of another case or composition, names
 * with invisible characters, with dots or blanks at the end, with the name of a stream.
 */
function fold(name: string): string {
  return name.normalize("NFC").replace(/\p{Default_Ignorable_Code_Point}/gu, "").toLowerCase()
    .replace(/(?<=[^]):[^]*$/, "").replace(/[.\s]+$/, "");
}

/** Where a pattern fits into the names of a path: from the first name to behind the last. */
function* fits(pattern: Pattern, names: readonly string[]): Generator<[number, number]> {
  const { length } = pattern.names;
  const last = names.length - length - (pattern.isInside ? 1 : 0);
  for (let start = 0; start <= (pattern.isAbsolute ? Math.min(0, last) : last); start++) {
    if (pattern.names.every((name, index) => name.test(names[start + index]))) {
      yield [start, start + length];
    }
  }
}

/** The pattern that protects a path, given as the names in it. */
function protecting(names: readonly string[], rules: Rules): string | undefined {
  const folded = names.map(fold);
  const own = IS_CASE_BLIND ? folded : names;
  const exceptions = rules.allow.flatMap((pattern) => [...fits(pattern, own)]);
  for (const pattern of rules.protect) {
    for (const [start, end] of fits(pattern, folded)) {
      if (!exceptions.some(([from, to]) => from <= start && to >= end)) return pattern.text;
    }
  }
}

function compileRules(options: ProtectedPathsOptions): Rules {
  const compileAll = (option: string, given: readonly string[], ignoreCase: boolean): Pattern[] =>
    [...given].map((text) => compile(option, text, ignoreCase));
  return {
    protect: compileAll("protect", [...DEFAULT_PROTECTED, ...options.protect ?? []], true),
    // An exception must not open more than it says: only blind disks make it blind.
    allow: compileAll("allow", [...DEFAULT_ALLOWED, ...options.allow ?? []], IS_CASE_BLIND),
  };
}

/** Divides a path into names and takes `.` and `..` out. */
function namesOf(path: string, separator: RegExp): string[] {
  const names: string[] = [];
  for (const name of path.split(separator)) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names;
}

/** Whether a path begins at the root of a file system. */
function isAbsolute(path: string): boolean {
  return path.startsWith("/") || (IS_WINDOWS && (path.startsWith("\\") || DRIVE.test(path)));
}

/** Whether a path begins in the home folder. */
function isAtHome(path: string): boolean {
  return /^~(?=[\\/]|$)/.test(path);
}

/** A path that begins in `folder`, unless it begins elsewhere by itself. */
function inFolder(folder: string, path: string): string {
  return folder === "" || isAbsolute(path) || isAtHome(path) ? path : `${folder}/${path}`;
}

/** What a path may mean to a tool: some take addresses, some take an `@` off its beginning. */
function readings(path: string): string[] {
  const trimmed = path.trim();
  const found = [path, trimmed];
  if (trimmed.startsWith("@")) found.push(trimmed.slice(1));
  if (/^file:/i.test(trimmed)) {
    try {
      found.push(decodeURIComponent(new URL(trimmed).pathname).replace(/^\/(?=[A-Za-z]:)/, ""));
    } catch {
      // No address; the other readings stand.
    }
  }
  return [...new Set(found)].filter((reading) => reading !== "");
}

/**
 * Says which pattern protects a path, by its names alone: links are not followed.
 *
 * @param path A path, with `/` or `\`.
 * @param options What to protect and allow beside the defaults.
 * @param cwd The folder that a relative path begins in.
 * @returns The pattern, or `undefined` if the path is free.
 *
 * @example
 * ```ts
 * import { protectingPattern } from "@pi-hooks/core/hooks/protected-paths";
 *
 * if (protectingPattern("src/../.ENV") !== ".env") throw new Error("not seen");
 * if (protectingPattern("docs/.environment.md") !== undefined) throw new Error("only a name like it");
 * ```
 */
export function protectingPattern(
  path: string,
  options: ProtectedPathsOptions = {},
  cwd = "",
): string | undefined {
  return protectingByName(path, compileRules(options), cwd);
}

function protectingByName(path: string, rules: Rules, cwd: string): string | undefined {
  for (const reading of readings(path)) {
    const full = DRIVE.test(reading) ? reading : inFolder(cwd, reading);
    // On Unix a backslash may be a part of a name, on Windows it never is. Neither is to help.
    for (const separator of [/\//, /[\\/]/]) {
      const pattern = protecting(namesOf(full, separator), rules);
      if (pattern !== undefined) return pattern;
    }
  }
}

// ---------------------------------------------------------------------------------------------
// The system: which one it is, and where links lead

/** What is used of the platform, where it is there. */
interface Platform {
  Deno?: {
    build: { os: string };
    cwd(): string;
    env: { get(name: string): string | undefined };
    permissions: {
      querySync(
        descriptor: { name: "read"; path: string } | { name: "env"; variable: string },
      ): { state: string };
    };
  };
  process?: {
    platform?: string;
    env?: Record<string, string | undefined>;
    cwd?(): string;
  };
}

const PLATFORM: Platform = globalThis as unknown as Platform;
const DENO = PLATFORM.Deno;
const SYSTEM = DENO?.build.os ?? PLATFORM.process?.platform ?? "";
const IS_WINDOWS = SYSTEM === "windows" || SYSTEM === "win32";
const IS_CASE_BLIND = IS_WINDOWS || SYSTEM === "darwin";
const MAX_LINKS = 40;
/** What is written there is gone or shown. Deno lets only who may do everything look at them. */
const STREAM = /^\/dev\/(?:null|zero|full|tty|std(?:in|out|err))$/;

/** Whether a file may be looked at; asking never makes Deno ask a person. */
function mayRead(path: string): boolean {
  return DENO === undefined ||
    DENO.permissions.querySync({ name: "read", path }).state === "granted";
}

function homeFolder(): string | undefined {
  for (const variable of ["HOME", "USERPROFILE"]) {
    if (DENO === undefined) {
      const home = PLATFORM.process?.env?.[variable];
      if (home) return home;
    } else if (DENO.permissions.querySync({ name: "env", variable }).state === "granted") {
      const home = DENO.env.get(variable);
      if (home) return home;
    }
  }
}

/** The folder that relative paths begin in, as an absolute path if that can be told. */
function workingFolder(cwd: unknown): string {
  const given = typeof cwd === "string" ? cwd : "";
  if (isAbsolute(given)) return given;
  try {
    return inFolder(DENO?.cwd() ?? PLATFORM.process?.cwd?.() ?? "", given || ".");
  } catch {
    return given;
  }
}

/** A path whose end cannot be told. */
class UnsureError extends Error {}

/**
 * Follows the links in a path, name by name, so that `..` behind a link means what it means to the
 * system, and so that a link to a file that does not exist is seen too.
 */
async function followLinks(path: string, cwd: string): Promise<string[]> {
  const { readlink } = await import("node:fs/promises");
  const separator = IS_WINDOWS ? /[\\/]/ : /\//;
  let full = inFolder(cwd, path);
  if (isAtHome(path)) {
    const home = homeFolder();
    if (home === undefined) {
      throw new UnsureError("the home folder is not known (--allow-env=HOME)");
    }
    full = home + path.slice(1);
  }
  if (!isAbsolute(full)) throw new UnsureError("the working folder is not known (--allow-read)");
  if (IS_WINDOWS && /^[\\/]{2}/.test(full)) return namesOf(full, separator);
  if (STREAM.test(full)) return namesOf(full, separator);
  const isReadable = mayRead(full);
  const drive = IS_WINDOWS ? DRIVE.exec(full)?.[0] ?? "" : "";
  const waiting = full.slice(drive.length).split(separator).reverse();
  let names: string[] = [];
  let links = 0;
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      names.pop();
      continue;
    }
    const here = `${drive}/${[...names, name].join("/")}`;
    if (!mayRead(here)) {
      // A folder above those that may be read is taken as it is.
      if (!isReadable || links > 0) {
        throw new UnsureError(`"${here}" may not be read (--allow-read)`);
      }
      names.push(name);
      continue;
    }
    const target = await readlink(here).catch(notALink);
    if (target === undefined) {
      names.push(name);
      continue;
    }
    if (++links > MAX_LINKS) throw new UnsureError("its links go round in a circle");
    if (isAbsolute(target)) names = [];
    const steps = (IS_WINDOWS ? target.replace(DRIVE, "") : target).split(separator);
    for (const step of steps.reverse()) waiting.push(step);
  }
  return drive === "" ? names : [drive, ...names];
}

/** What `readlink` says of a file that is no link, or that does not exist. */
function notALink(error: unknown): undefined {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "EINVAL" || code === "UNKNOWN" || code === "ENOENT" || code === "ENOTDIR") return;
  throw new UnsureError(error instanceof Error ? error.message : String(error));
}

// ---------------------------------------------------------------------------------------------
// What a call writes

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

const WRITING_TOOLS = names(
  "write edit multiedit create update replace patch apply insert append delete remove rm unlink " +
    "move mv rename copy cp save modify rewrite overwrite put touch mkdir download export truncate " +
    "trash editor",
);
const SHELL_TOOLS = names(
  "bash sh zsh fish shell terminal console exec execute run powershell pwsh cmd command commands",
);

// Field names without `_`, `-` and capital letters.
const ONE_PATH = names(
  "path filepath filename targetfile targetpath notebookpath absolutepath relativepath uri fspath " +
    "outputpath outputfile outfile oldpath newpath sourcepath destinationpath destpath frompath " +
    "topath",
);
const MANY_PATHS = names("paths files filepaths filenames targets");
/** Fields that hold a path, or something else. */
const PERHAPS_PATH = names(
  "file target from to source src destination dest directory dir folder move moveto rename " +
    "renameto output oldname newname",
);
const PATCH_TEXT = names("input patch patchtext diff command changes");
const FILE_TEXT = names(
  "content contents text filetext oldtext newtext oldstring newstring oldstr newstr data body value",
);
const MAX_VALUES = 10_000;
const MAX_PATHS = 5000;
const MAX_DEPTH = 8;

/** What a call would write. */
export interface WrittenPaths {
  /** The paths, as they are given. */
  paths: string[];
  /** What cannot be judged, in words: a path that is no text. */
  problems: string[];
}

/**
 * Finds the paths that a tool call would write to, whichever agent it comes from. It never throws.
 *
 * @param toolName The tool.
 * @param input Its arguments.
 * @returns Nothing in both lists if the tool writes nothing, or names no path.
 *
 * @example
 * ```ts
 * import { writtenPaths } from "@pi-hooks/core/hooks/protected-paths";
 *
 * const { paths } = writtenPaths("bash", { command: "echo A=1 | tee -a .env > log" });
 * if (paths.join() !== "log,.env") throw new Error(paths.join());
 * if (writtenPaths("read", { path: ".env" }).paths.length > 0) throw new Error("reading is free");
 * ```
 */
export function writtenPaths(toolName: unknown, input: unknown): WrittenPaths {
  const found: WrittenPaths = { paths: [], problems: [] };
  if (typeof toolName !== "string" || typeof input !== "object" || input === null) return found;
  const words = (toolName.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [])
    .map((word) => word.toLowerCase());
  if (words.some((word) => WRITING_TOOLS.has(word))) {
    if (!isViewing(words, input)) collect(input, found, { left: MAX_VALUES }, 0);
  } else if (words.some((word) => SHELL_TOOLS.has(word))) {
    for (const text of shellTexts(input)) {
      if (text.includes("*** Begin Patch")) add(found.paths, patchedPaths(text));
      add(found.paths, shellWrites(text));
    }
  }
  if (found.paths.length > MAX_PATHS) {
    found.problems.push(`it names ${found.paths.length} files, too many to look at`);
    found.paths.length = MAX_PATHS;
  }
  found.paths = [...new Set(found.paths)].filter((path) => path !== "");
  return found;
}

function add(list: string[], more: readonly string[]): void {
  for (const item of more) list.push(item);
}

function fieldName(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

/** Whether a call asks an editor tool (`str_replace_based_edit_tool`) only to show a file. */
function isViewing(words: readonly string[], input: object): boolean {
  return (words.includes("editor") || words.includes("tool")) &&
    "command" in input && input.command === "view";
}

function collect(
  value: object,
  found: WrittenPaths,
  budget: { left: number },
  depth: number,
): void {
  if (depth > MAX_DEPTH || budget.left <= 0) {
    found.problems.push("the arguments are too large to look through");
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    budget.left--;
    const name = Array.isArray(value) ? "" : fieldName(key);
    if (item === null || item === undefined || FILE_TEXT.has(name)) continue;
    if (ONE_PATH.has(name)) {
      if (typeof item === "string") found.paths.push(item);
      else found.problems.push(`"${key}" is not text`);
    } else if (typeof item === "string") {
      if (PERHAPS_PATH.has(name) || MANY_PATHS.has(name)) found.paths.push(item);
      if (PATCH_TEXT.has(name)) add(found.paths, patchedPaths(item));
    } else if (Array.isArray(item) && (MANY_PATHS.has(name) || PATCH_TEXT.has(name))) {
      for (const part of item) {
        if (typeof part === "string") {
          add(found.paths, PATCH_TEXT.has(name) ? patchedPaths(part) : [part]);
        } else if (typeof part === "object" && part !== null) {
          collect(part, found, budget, depth + 1);
        } else if (part !== null && part !== undefined) {
          found.problems.push(`"${key}" holds something that is not text`);
        }
      }
    } else if (typeof item === "object") {
      // `{ files: { "a.ts": "…" } }`
      if (MANY_PATHS.has(name) || name === "changes") add(found.paths, Object.keys(item));
      collect(item, found, budget, depth + 1);
    }
    if (budget.left <= 0) return;
  }
}

/** The files that a patch changes, in the forms that agents use. One line may be a path itself. */
function patchedPaths(text: string): string[] {
  const lines = text.split(/\r?\n/);
  const paths: string[] = lines.length === 1 && text.length <= MAX_PATH ? [text] : [];
  for (const [index, line] of lines.entries()) {
    const header = /^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to): ?([^]*)$/.exec(line) ??
      /^(?:rename|copy) (?:from|to) ([^]*)$/.exec(line) ??
      /^\s*\[([^\]#]+)#\w*\]/.exec(line);
    if (header !== null) paths.push(header[1].trim());
    else if (line.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ")) {
      add(paths, [diffPath(line), diffPath(lines[index + 1])]);
    }
  }
  return paths;
}

/** The path in a line of a unified diff. */
function diffPath(line: string): string {
  let path = line.slice(4).split("\t", 1)[0].trim();
  if (path.startsWith('"')) {
    path = path.replace(/^"|"$/g, "").replace(
      /\\(?:([0-7]{3})|([^]))/g,
      (_all, octal?: string, letter = "") =>
        octal === undefined ? letter : String.fromCharCode(parseInt(octal, 8)),
    );
  }
  return path === "/dev/null" ? "" : path.replace(/^[ab]\//, "");
}

// ---------------------------------------------------------------------------------------------
// Shell commands, in their plain forms

/** The texts that a shell tool is to run. A list of words is written as text. */
function shellTexts(input: object): string[] {
  const texts: string[] = [];
  for (const [key, value] of Object.entries(input)) {
    if (!/^(?:command|cmd|commands|script|commandline|shellcommand)$/.test(fieldName(key))) {
      continue;
    }
    if (typeof value === "string") texts.push(value);
    else if (Array.isArray(value)) {
      const words = value.map((word) => typeof word === "string" ? word : "");
      if (fieldName(key) === "commands") add(texts, words);
      else texts.push(words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" "));
    }
  }
  return texts;
}

const PREFIXES = names(
  "sudo doas env command builtin exec nohup time nice if then elif else while until do ! {",
);
const ALL_OPERANDS = names(
  "tee touch truncate rm unlink rmdir shred mv " +
    "set-content add-content clear-content out-file new-item remove-item",
);
const LAST_OPERAND = names("cp mv install ln rsync");
const SHELLS = names("sh bash dash zsh ksh");
const MAX_SHELL_DEPTH = 5;

/** The files that a shell command writes, as far as they stand there. */
function shellWrites(text: string, depth = 0): string[] {
  const paths: string[] = [];
  // The folder that `cd` went to, at each depth of brackets.
  const folders = [""];
  const write = (path: string): void =>
    void paths.push(inFolder(folders[folders.length - 1], path));
  for (const { words, targets, brackets } of simpleCommands(text)) {
    while (folders.length <= brackets) folders.push(folders[folders.length - 1]);
    folders.length = brackets + 1;
    targets.forEach(write);
    const command = withoutPrefixes(words);
    const name = command[0]?.slice(command[0].lastIndexOf("/") + 1).toLowerCase() ?? "";
    const rest = command.slice(1);
    const end = rest.indexOf("--");
    const operands = rest.filter((word, index) =>
      !word.startsWith("-") || (end >= 0 && index > end)
    );
    if (name === "cd" || name === "pushd") {
      const to = rest[0] === "-" ? "" : inFolder(folders[brackets], operands[0] ?? "~");
      if (to.length <= MAX_PATH) folders[brackets] = to;
    } else if (SHELLS.has(name) && rest.some((word) => /^-[a-z]*c$/.test(word))) {
      const script = depth < MAX_SHELL_DEPTH ? shellWrites(operands[0] ?? "", depth + 1) : [];
      script.forEach(write);
    } else if (name === "eval" && depth < MAX_SHELL_DEPTH) {
      shellWrites(rest.join(" "), depth + 1).forEach(write);
    } else if (name === "dd") {
      for (const word of rest) if (word.startsWith("of=")) write(word.slice(3));
    } else if (name === "sed" || name === "perl") editedInPlace(rest).forEach(write);
    if (ALL_OPERANDS.has(name)) operands.forEach(write);
    if (LAST_OPERAND.has(name)) copiedTo(operands, rest).forEach(write);
  }
  return paths;
}

/** Takes away what stands before the name of a command. */
function withoutPrefixes(words: readonly string[]): readonly string[] {
  let at = 0;
  for (let isOption = false; at < words.length; at++) {
    const word = words[at];
    if (PREFIXES.has(word)) isOption = true;
    else if (isOption && /^-[ugpChDRTn]$/.test(word)) at++;
    else if (!/^[A-Za-z_]\w*=/.test(word) && !(isOption && word.startsWith("-"))) break;
  }
  return words.slice(at);
}

/** Where `cp` and its kin write: to the last operand, or into it. */
function copiedTo(operands: readonly string[], words: readonly string[]): string[] {
  const option = words.findIndex((word) => /^(?:-t|--target-directory)$/.test(word));
  const target = option >= 0 ? words[option + 1] : operands.at(-1);
  if (target === undefined || operands.length < 2) return [];
  const isFolder = option >= 0 || /(?:^|\/)\.{0,2}$/.test(target);
  if (!isFolder) return [target, `${target}/_`];
  return operands.filter((operand) => operand !== target).map((source) => {
    const path = source.replace(/\/$/, "");
    return `${target}/${path.slice(path.lastIndexOf("/") + 1)}`;
  });
}

/** The files of `sed -i` and `perl -i`: not the program, which holds slashes too. */
function editedInPlace(words: readonly string[]): string[] {
  if (!words.some((word) => /^(?:-[A-Za-z]*i|--in-place)/.test(word))) return [];
  const files: string[] = [];
  let hasProgram = words.some((word) => /^--(?:expression|file)=/.test(word));
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (/^(?:-[A-Za-z]*[ef]|--expression|--file)$/.test(word)) {
      hasProgram = true;
      at++;
    } else if (word !== "" && !word.startsWith("-")) files.push(word);
  }
  return hasProgram ? files : files.slice(1);
}

/** A command without its redirects, and the files that they write to. */
interface SimpleCommand {
  words: string[];
  targets: string[];
  /** In how many brackets it stands. */
  brackets: number;
}

/** Divides shell text into commands and words. Bodies of here-documents and remarks are left out. */
function simpleCommands(text: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [{ words: [], targets: [], brackets: 0 }];
  const delimiters: { word: string; stripTabs: boolean }[] = [];
  let word: string | undefined;
  let brackets = 0;
  let role: "word" | "target" | "input" | "delimiter" | "tabbed" = "word";
  const endWord = (): void => {
    if (word === undefined) return;
    const command = commands[commands.length - 1];
    if (role === "word") command.words.push(word);
    else if (role === "target") command.targets.push(word);
    else if (role !== "input") delimiters.push({ word, stripTabs: role === "tabbed" });
    word = undefined;
    role = "word";
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") {
      at++;
      if (text[at] !== "\n") word = (word ?? "") + (text[at] ?? "");
    } else if (character === "'" || character === '"') {
      const end = quoteEnd(text, at);
      const inside = text.slice(at + 1, end);
      word = (word ?? "") +
        (character === "'" ? inside : inside.replace(/\\([\\"$`\n])/g, (_all, c) => c.trim()));
      at = end;
    } else if (character === "#" && word === undefined) {
      const end = text.indexOf("\n", at);
      at = (end < 0 ? text.length : end) - 1;
    } else if (character === "<" || character === ">" || text.startsWith("&>", at)) {
      const operator = /(?:&>>?|<<<|<<-?|<>|<&?|>>|>\||>&|>)/y;
      operator.lastIndex = at;
      const found = operator.exec(text)?.[0] ?? character;
      // Digits before the sign are a number of a stream, and no word.
      if (word !== undefined && /^\d+$/.test(word)) word = undefined;
      endWord();
      at += found.length - 1;
      if (found === "<<") role = "delimiter";
      else if (found === "<<-") role = "tabbed";
      else role = found.includes(">") ? "target" : "input";
    } else if (character === "\n") {
      endWord();
      commands.push({ words: [], targets: [], brackets });
      for (const delimiter of delimiters.splice(0)) at = bodyEnd(text, at, delimiter);
    } else if (";&|()`".includes(character)) {
      endWord();
      role = "word";
      if (character === "(") brackets++;
      if (character === ")") brackets = Math.max(0, brackets - 1);
      commands.push({ words: [], targets: [], brackets });
    } else if (/\s/.test(character)) endWord();
    else word = (word ?? "") + character;
  }
  endWord();
  return commands;
}

function quoteEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === text[start]) return at;
    if (text[at] === "\\" && text[start] === '"') at++;
  }
  return text.length;
}

/** The line feed before the end of a here-document, seen from the one before its beginning. */
function bodyEnd(
  text: string,
  start: number,
  { word, stripTabs }: { word: string; stripTabs: boolean },
): number {
  for (let at = start + 1; at < text.length;) {
    let next = text.indexOf("\n", at);
    if (next < 0) next = text.length;
    const line = text.slice(at, next).replace(/\r$/, "");
    if ((stripTabs ? line.replace(/^\t+/, "") : line) === word) return next;
    at = next + 1;
  }
  return text.length;
}

// ---------------------------------------------------------------------------------------------
// The gate

/** Makes every character visible that a terminal would hide, or take as an order. */
function visible(text: string): string {
  return text.slice(0, 500).replace(
    /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu,
    (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      return `<U+${code}>`;
    },
  );
}

/** Why a path may not be written; `undefined` if it may. */
async function objection(path: string, rules: Rules, cwd: string): Promise<string | undefined> {
  const shown = `"${visible(path)}"`;
  if (path.length > MAX_PATH) return `${shown} is too long to be judged`;
  const named = protectingByName(path, rules, cwd);
  if (named !== undefined) return `${shown} is protected (${named})`;
  for (const reading of readings(path)) {
    const full = inFolder(cwd, reading);
    // Some tools take `..` out of a path before the system sees it, some do not.
    const plain = isAbsolute(full) && !IS_WINDOWS ? `/${namesOf(full, /\//).join("/")}` : full;
    for (const candidate of new Set([full, plain])) {
      try {
        const names = await followLinks(candidate, cwd);
        const pattern = protecting(names, rules);
        if (pattern === undefined) continue;
        return `${shown} leads to "${
          visible(`/${names.join("/")}`)
        }", which is protected (${pattern})`;
      } catch (error) {
        if (!(error instanceof UnsureError)) throw error;
        return `it cannot be told where ${shown} leads: ${visible(error.message)}`;
      }
    }
  }
}

async function judge(
  paths: readonly string[],
  problems: readonly string[],
  rules: Rules,
  ctx: HookContext,
): Promise<ToolCallEventResult | undefined> {
  let why = problems.length > 0 ? `it cannot be told what is written: ${problems[0]}` : undefined;
  const cwd = workingFolder(ctx.cwd);
  for (const path of paths) why ??= await objection(path, rules, cwd);
  if (why === undefined) return undefined;
  const reason = `protected-paths: ${why}. Leave it, or ask the person to change it.`;
  if (ctx.hasUI) ctx.ui.notify(reason, "warning");
  return { block: true, reason };
}

/**
 * Makes the hook with paths of one's own beside the defaults.
 *
 * @param options What to protect, and what not.
 * @returns The default export of a hook file.
 * @throws {TypeError} If a pattern is empty, no text, or begins with `~`.
 *
 * @example A project whose migrations are written by hand
 * ```ts
 * import { createProtectedPaths } from "@pi-hooks/core/hooks/protected-paths";
 *
 * export default createProtectedPaths({ protect: ["db/migrations/"] });
 * ```
 */
export function createProtectedPaths(options: ProtectedPathsOptions = {}): (pi: HookAPI) => void {
  const rules = compileRules(options);
  return (pi: HookAPI): void => {
    pi.on("tool_call", (event, ctx) => {
      const { paths, problems } = writtenPaths(event.toolName, event.input);
      if (paths.length === 0 && problems.length === 0) return undefined;
      return judge(paths, problems, rules, ctx);
    });
  };
}

/**
 * The hook with the default paths.
 *
 * @param pi The API of the agent.
 */
export default function protectedPaths(pi: HookAPI): void {
  createProtectedPaths()(pi);
}

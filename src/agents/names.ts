/**
 * The tools of foreign agents under the names that hooks know.
 *
 * A guard for `bash` and `command` has to fire for `Bash`, `run_shell_command` and `Shell` too. This
 * is the one table that says which foreign name means which tool and field; everything that
 * translates tool calls reads it.
 *
 * @module
 */

import { type Arguments, commandLine, isRecord, readArguments } from "./arguments.ts";
import { holdsPatch, type TouchedFile, touchedFiles } from "./patch.ts";

/** An agent whose tool calls can be translated. */
export type AgentName =
  | "claude"
  | "gemini"
  | "codex"
  | "copilot"
  | "cursor"
  | "opencode"
  | "cline"
  | "pi"
  | "omp"
  | "xcsh";

/** One tool that hooks know. */
export interface ToolNames {
  /** Its name for hooks. */
  tool: string;
  /** Its names at foreign agents. Case, `_`, `-` and blanks do not count. */
  names: readonly string[];
  /** For each field that hooks know, its names at foreign agents, the likeliest first. */
  fields: Readonly<Record<string, readonly string[]>>;
}

const PATH = ["file_path", "filePath", "absolute_path", "target_file", "path", "filename"];
const FOLDER = ["path", "dir_path", "dirPath", "directory", "target_directory"];

/** The table. */
export const TOOL_NAMES: readonly ToolNames[] = [
  {
    tool: "bash",
    names: [
      "Bash",
      "Shell",
      "PowerShell",
      "run_shell_command",
      "exec_command",
      "shell_command",
      "local_shell",
      "container.exec",
      "execute_command",
      "run_command",
      "run_terminal_cmd",
      "run_in_terminal",
      "terminal",
      "write_bash",
      "write_powershell",
      "write_stdin",
    ],
    fields: {
      command: ["command", "cmd", "script", "commandLine", "input", "chars"],
      timeout: ["timeout"],
    },
  },
  {
    tool: "read",
    names: ["Read", "read_file", "read_many_files", "view", "view_image", "view_file", "cat"],
    fields: { path: PATH, offset: ["offset", "start_line"], limit: ["limit"] },
  },
  {
    tool: "write",
    names: ["Write", "write_file", "write_to_file", "create", "create_file", "new_file"],
    fields: { path: PATH, content: ["content", "file_text", "contents", "text"] },
  },
  {
    tool: "edit",
    names: [
      "Edit",
      "MultiEdit",
      "edit_file",
      "replace",
      "replace_in_file",
      "str_replace",
      "str_replace_editor",
      "search_replace",
      "apply_patch",
      "NotebookEdit",
      "multi_edit",
    ],
    fields: {
      path: [...PATH, "notebook_path"],
      oldText: ["old_string", "oldString", "old_str", "oldText"],
      newText: ["new_string", "newString", "new_str", "newText", "new_source"],
      edits: ["edits"],
    },
  },
  {
    tool: "grep",
    names: ["Grep", "grep_search", "search_file_content", "search_files", "rg", "ripgrep"],
    fields: {
      pattern: ["pattern", "query", "regex"],
      path: FOLDER,
      glob: ["glob", "include_pattern", "include", "file_pattern"],
      ignoreCase: ["-i", "ignoreCase", "case_insensitive"],
    },
  },
  {
    tool: "find",
    names: ["Glob", "find", "file_search", "glob_file_search", "find_files"],
    fields: { pattern: ["pattern", "glob_pattern", "query"], path: FOLDER },
  },
  {
    tool: "ls",
    names: ["LS", "list_directory", "list_dir", "list_files"],
    fields: { path: FOLDER },
  },
];

/** Agents that call the fields by the same names as hooks do, where two names are there. */
const OWN_NAMES_FIRST: ReadonlySet<string> = new Set(["copilot", "pi", "omp", "xcsh", "cline"]);

/** Agents whose time limits are in milliseconds; hooks know seconds. */
const MILLISECONDS: ReadonlySet<string> = new Set(["claude", "opencode"]);

/** A tool call as hooks see it. */
export interface PiToolCall {
  /** The tool, under the name that hooks know. */
  toolName: string;
  /** The arguments, under the names that hooks know; other fields keep theirs. */
  input: Arguments;
  /** The call as the agent sent it. */
  original: {
    /** The agent's name of the tool. */
    toolName: string;
    /** The agent's arguments, untouched: also a text, where the agent sends one. */
    input: unknown;
  };
}

const BY_NAME: ReadonlyMap<string, ToolNames> = new Map(
  TOOL_NAMES.flatMap((row) => [row.tool, ...row.names].map((name) => [plainName(name), row])),
);

/** A name without what agents write differently. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, "");
}

/**
 * The name that hooks know a tool by.
 *
 * @param name The agent's name of the tool.
 * @returns The agent's own name if the table does not have it: MCP tools, and tools that only this
 * agent has.
 */
export function toPiToolName(name: string): string {
  return BY_NAME.get(plainName(name))?.tool ?? name;
}

/**
 * Translates a tool call. Of a patch over several files this is the call as a whole, with all
 * `paths`; a guard is better served by {@linkcode toPiToolCalls}, which has one call for each file.
 *
 * @param agent The agent.
 * @param name Its name of the tool.
 * @param args Its arguments: an object, JSON text, a text, a list of words.
 */
export function toPiToolCall(agent: AgentName, name: string, args: unknown): PiToolCall {
  const original = { toolName: name, input: args };
  const row = BY_NAME.get(plainName(name));
  if (row === undefined) return { toolName: name, input: readArguments(args, "input"), original };
  if (isPatchTool(name)) {
    const patch = patchText(args);
    const paths = touchedFiles(patch).map(({ path }) => path);
    const path = paths.length > 0 ? { path: paths[0] } : {};
    return { toolName: "edit", input: { ...path, paths, patch }, original };
  }
  const mainField = row.tool === "bash" ? "command" : "path";
  const input = renameFields(agent, row, readArguments(args, mainField));
  if (row.tool === "bash") settleCommand(agent, input);
  if (row.tool === "edit" && input.path === undefined) settleAnchoredPath(input);
  if (Array.isArray(input.edits)) {
    input.edits = input.edits.map((edit) => isRecord(edit) ? renameFields(agent, row, edit) : edit);
  }
  return { toolName: row.tool, input, original };
}

/**
 * Translates a tool call into what a guard has to be asked: one call, or one for each file where
 * the tool touches several. If one of them is blocked, the whole call is.
 *
 * @param agent The agent.
 * @param name Its name of the tool.
 * @param args Its arguments.
 * @returns At least one call.
 */
export function toPiToolCalls(agent: AgentName, name: string, args: unknown): PiToolCall[] {
  const call = toPiToolCall(agent, name, args);
  const { input, original } = call;
  if (isPatchTool(name)) {
    const files = touchedFiles(String(input.patch));
    return files.length === 0 ? [call] : files.map((file) => callFor(file, input, original));
  }
  if (call.toolName === "bash" && typeof input.command === "string" && holdsPatch(input.command)) {
    const patch = input.command;
    const files = touchedFiles(patch);
    const shared = { paths: files.map(({ path }) => path), patch };
    return [call, ...files.map((file) => callFor(file, shared, original))];
  }
  const many = [input.paths, input.include].find(Array.isArray);
  if (call.toolName === "read" && input.path === undefined && many !== undefined) {
    return many.length === 0
      ? [call]
      : many.map((path) => ({ ...call, input: { ...input, path } }));
  }
  return [call];
}

/** The table as lines for people: the tool, its foreign names, its fields. */
export function namesTable(): string {
  return TOOL_NAMES.map(({ tool, names, fields }) => {
    const lines = Object.entries(fields).map(([field, foreign]) => {
      const others = foreign.filter((name) => name !== field);
      return `    ${field.padEnd(10)} ${others.length === 0 ? "(the same)" : others.join(", ")}`;
    });
    return [`${tool.padEnd(6)} ${names.join(", ")}`, ...lines].join("\n");
  }).join("\n");
}

function isPatchTool(name: string): boolean {
  return plainName(name) === "applypatch";
}

/** Agents hand the patch over as a text, or in a field of one of several names. */
function patchText(args: unknown): string {
  const fields = readArguments(args, "patch");
  for (const name of ["command", "patch", "input", "patchText", "patch_text"]) {
    const value = fields[name];
    if (typeof value === "string") return value;
    // As words of a command: ["apply_patch", "*** Begin Patch…"].
    if (Array.isArray(value)) return value.filter((word) => typeof word === "string").join("\n");
  }
  return "";
}

function callFor(
  file: TouchedFile,
  shared: Arguments,
  original: PiToolCall["original"],
): PiToolCall {
  const { path, content } = file;
  return file.change === "add"
    ? { toolName: "write", input: { ...shared, path, content: content ?? "" }, original }
    : { toolName: "edit", input: { ...shared, path }, original };
}

/** The same fields under the names that hooks know. Never through assignment: `__proto__`. */
function renameFields(agent: AgentName, row: ToolNames, args: Arguments): Arguments {
  const taken = new Map<string, string>();
  for (const [field, foreign] of Object.entries(row.fields)) {
    const order = OWN_NAMES_FIRST.has(agent) ? [field, ...foreign] : foreign;
    const found = order.find((name) => Object.hasOwn(args, name) && args[name] !== undefined);
    if (found !== undefined) taken.set(found, field);
  }
  const known = new Set(taken.values());
  return Object.fromEntries(
    Object.entries(args)
      // A second name for a field that another name has already filled must not overwrite it.
      .filter(([name]) => taken.has(name) || !known.has(name))
      .map(([name, value]) => [taken.get(name) ?? name, value]),
  );
}

/** An edit by line anchors names its file in the text: `[src/a.ts#1A2B]`. */
function settleAnchoredPath(input: Arguments): void {
  const anchor = typeof input.input === "string" ? /^\[([^\]#\n]+)#/m.exec(input.input) : null;
  if (anchor !== null) input.path = anchor[1];
}

/** A command is one line of shell, and its time limit is in seconds. */
function settleCommand(agent: AgentName, input: Arguments): void {
  if (isRecord(input.action) && input.command === undefined) input.command = input.action.command;
  if (input.command !== undefined) input.command = commandLine(input.command);
  if (MILLISECONDS.has(agent) && typeof input.timeout === "number") input.timeout /= 1000;
}

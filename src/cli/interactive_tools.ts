/**
 * Runs tools that a person names, through the hooks.
 *
 * @module
 */

import { HookBlockedError } from "../../mod.ts";
import { nearest } from "../nearest.ts";
import type { Workbench } from "./interactive_commands.ts";
import { shown, shownLines } from "./show.ts";

/** The arguments that stand behind a tool's name, in their order; the last one takes the rest. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  bash: ["command"],
  read: ["path"],
  write: ["path", "content"],
  grep: ["pattern", "path"],
  find: ["pattern", "path"],
};

const MAX_LINES = 200;
let calls = 0;

/** What a line asks for: a tool and its arguments. */
export interface ToolLine {
  /** The tool. */
  toolName: string;
  /** Its arguments. */
  input: Record<string, unknown>;
}

/**
 * Reads `!command`, `@tool arguments` or `@tool {"as":"JSON"}`.
 *
 * @param line The line.
 * @throws {Error} If the arguments cannot be read.
 */
export function parseToolLine(line: string): ToolLine {
  if (line.startsWith("!")) return { toolName: "bash", input: { command: line.slice(1).trim() } };
  const [, toolName, rest] = /^@(\S*)\s*([^]*)$/.exec(line)!;
  if (rest.startsWith("{")) {
    const input: unknown = JSON.parse(rest);
    return { toolName, input: Object(input) };
  }
  const fields = FIELDS[toolName] ?? [];
  if (fields.length === 0 && rest !== "") {
    throw new Error(`The arguments of ${toolName} are JSON: @${toolName} {"path":"…"}`);
  }
  const input: Record<string, unknown> = {};
  let left = rest;
  fields.forEach((field, index) => {
    if (left === "") return;
    const isLast = index === fields.length - 1;
    const [, word, more] = isLast ? [, left, ""] : /^(\S+)\s*([^]*)$/.exec(left)!;
    input[field] = word;
    left = more ?? "";
  });
  return { toolName, input };
}

/**
 * Runs what a line asks for.
 *
 * @param line The line.
 * @param workbench Where it is shown.
 */
export async function runToolLine(line: string, workbench: Workbench): Promise<void> {
  const { style, host } = workbench;
  const toolName = line.startsWith("!") ? "bash" : /^@(\S*)/.exec(line)![1];
  const tool = host.tools.find(({ name }) => name === toolName);
  if (tool === undefined) {
    const names = host.tools.map(({ name }) => name);
    const near = nearest(toolName, names);
    const hint = near === undefined ? `there are: ${names.join(", ")}` : `did you mean @${near}?`;
    throw new Error(`There is no tool "${toolName}"; ${hint}`);
  }
  const { input } = parseToolLine(line);
  try {
    const { content } = await tool.execute(`call-${++calls}`, input, workbench.signal);
    const text = content.map((block) => block.type === "text" ? block.text : `[${block.type}]`);
    const lines = shownLines(text.join("\n").trimEnd()).split("\n");
    const rest = lines.length - MAX_LINES;
    workbench.print(
      [...lines.slice(0, MAX_LINES), ...rest > 0 ? [style.dim(`… ${rest} more lines`)] : []]
        .join("\n"),
    );
  } catch (error) {
    if (!(error instanceof HookBlockedError)) throw error;
    const { hookPath, kind, message } = error;
    workbench.print(`${style.red("✗ blocked")} by ${shown(hookPath)} (${kind}): ${shown(message)}`);
  }
}

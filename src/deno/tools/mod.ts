/**
 * Tools of a coding agent that really work on the files and programs of this machine. What a tool
 * does is loaded when it is called for the first time.
 *
 * @module
 */

import type { AgentTool } from "../../ports.ts";
import { type CreateToolsOptions, defineTool, type KnownTool } from "./define_tool.ts";

export type { CreateToolsOptions, KnownTool } from "./define_tool.ts";

/**
 * Makes the tools `bash`, `read`, `write`, `edit`, `grep` and `find`, in this order.
 *
 * They check their arguments, honour their signal, and throw an `Error` whose message is what the
 * model reads. Relative paths start from `cwd`; nothing keeps a tool inside of it, that is the task
 * of hooks: put them around the tools with `wrapTools` before an agent gets them.
 *
 * @param cwd The working directory.
 * @param options Home folder and time limit.
 *
 * @example
 * ```ts
 * import { createTools } from "@pi-hooks/core";
 *
 * const folder = await Deno.makeTempDir();
 * const [bash] = createTools(folder);
 * const { content } = await bash.execute("call-1", { command: "echo hello" });
 * if (content[0].type !== "text" || content[0].text !== "hello") throw new Error("unexpected");
 * await Deno.remove(folder);
 * ```
 */
export function createTools(cwd: string, options: CreateToolsOptions = {}): AgentTool[] {
  return [
    createBashTool(cwd, options),
    createReadTool(cwd, options),
    createWriteTool(cwd, options),
    createEditTool(cwd, options),
    createGrepTool(cwd, options),
    createFindTool(cwd, options),
  ];
}

/**
 * Makes the tool that runs a shell command, in `bash`, or in `sh` where there is no `bash`.
 *
 * **Output.** First everything from standard output, then, from a new line on, everything from
 * standard error: the two come through two pipes, and their order in time is not known. Of more
 * than 2000 lines or 50 kB the beginning and the end are kept. Standard input is empty.
 *
 * **Failure.** An exit code that is not 0, the time limit and the signal are errors; the message
 * holds the output and, as its last line, what happened.
 *
 * @param cwd The folder in which commands run.
 * @param options The time limit.
 */
export function createBashTool(cwd: string, options: CreateToolsOptions = {}): KnownTool<"bash"> {
  return defineTool("bash", { ...options, cwd }, async () => (await import("./bash.ts")).runBash);
}

/**
 * Makes the tool that reads a file: text by lines, pictures (PNG, JPEG, GIF, WebP) as a picture.
 *
 * At most 2000 lines or 50 kB come at once; a note at the end says how to go on. Other binary
 * files, folders and devices are errors.
 *
 * @param cwd The folder that relative paths start from.
 * @param options The home folder.
 */
export function createReadTool(cwd: string, options: CreateToolsOptions = {}): KnownTool<"read"> {
  return defineTool("read", { ...options, cwd }, async () => (await import("./read.ts")).runRead);
}

/**
 * Makes the tool that writes a whole file.
 *
 * The file is replaced in one step, keeps its mode, and is reached through a link; folders that are
 * missing are made.
 *
 * @param cwd The folder that relative paths start from.
 * @param options The home folder.
 */
export function createWriteTool(cwd: string, options: CreateToolsOptions = {}): KnownTool<"write"> {
  return defineTool(
    "write",
    { ...options, cwd },
    async () => (await import("./write.ts")).runWrite,
  );
}

/**
 * Makes the tool that replaces parts of a file.
 *
 * Each old text has to stand in the file exactly once. Several edits are all made or none. CRLF,
 * the byte order mark and the mode of the file stay. `details.diff` is a unified diff.
 *
 * @param cwd The folder that relative paths start from.
 * @param options The home folder.
 */
export function createEditTool(cwd: string, options: CreateToolsOptions = {}): KnownTool<"edit"> {
  return defineTool("edit", { ...options, cwd }, async () => (await import("./edit.ts")).runEdit);
}

/**
 * Makes the tool that searches files for a pattern, line by line.
 *
 * An answer line is `path:line: text`, one of the context `path-line- text`. Links, binary files,
 * files over 5 MB, `.git` and `node_modules` are left out when a folder is searched. A pattern that
 * takes longer than two seconds for one file is an error.
 *
 * @param cwd The folder that relative paths start from.
 * @param options The home folder.
 */
export function createGrepTool(cwd: string, options: CreateToolsOptions = {}): KnownTool<"grep"> {
  return defineTool("grep", { ...options, cwd }, async () => (await import("./grep.ts")).runGrep);
}

/**
 * Makes the tool that finds files and folders by a glob.
 *
 * The paths are sorted, start from the working directory where they are inside of it, and end with
 * `/` for folders. Links are named and not followed; `.git` and `node_modules` are left out.
 *
 * @param cwd The folder that relative paths start from.
 * @param options The home folder.
 */
export function createFindTool(cwd: string, options: CreateToolsOptions = {}): KnownTool<"find"> {
  return defineTool("find", { ...options, cwd }, async () => (await import("./find.ts")).runFind);
}

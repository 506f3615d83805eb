/**
 * Runs a program without a shell, with limits on its time and its output.
 *
 * @module
 */

import type { ExecOptions, ExecResult } from "../types.ts";
import { NOT_FOUND, notStarted, startFailure } from "./exec_failure.ts";
import { missingPermission } from "./permissions.ts";
import { ABORTED, superviseChild } from "./supervise_child.ts";

/**
 * Runs a program and waits until it has ended and its outputs are closed.
 *
 * There is no shell: every argument arrives byte for byte, and `$`, `*`, `;` mean nothing. Standard
 * input is empty unless `options.stdin` is given; a program that does not read it is no error.
 *
 * **It does not throw because of the program.** A program that cannot be started gives code 127
 * (no such program) or 126 (it is there but cannot be executed, the working directory is missing,
 * an argument holds a NUL byte or is too long), and `stderr` names program, working directory and
 * cause. So `if (result.code !== 0)` is enough.
 *
 * **Stopping.** When the time limit passes or the signal fires, the program and everything it
 * started (its process group) get SIGTERM and, one second later, SIGKILL. The call returns within
 * that second even if somebody still holds the outputs open; `code` is 124 for the time limit and
 * 130 for the signal, `killed` is `true`, and what was written so far is kept. A signal that has
 * fired before starts nothing. Two limits: a process that made a session of its own is not in the
 * group; and where Deno may run only some programs (`--allow-run=git`), and on Windows, there is no
 * group, so only the program itself is stopped.
 *
 * **Outputs** are decoded as UTF-8, each as one stream: invalid bytes become U+FFFD; NUL bytes and
 * carriage returns are kept; nothing is trimmed. Of an output longer than `maxBuffer` the beginning
 * and the end are kept, with a line between them that says how much is missing, and `truncated`
 * holds the true sizes.
 *
 * @param command The program: a name that is looked up in `PATH`, or a path.
 * @param args Its arguments; numbers and booleans are written as text. Default: none.
 * @param cwd Working directory; a relative `options.cwd` starts from it.
 * @param options Limits, environment, input.
 * @throws {Deno.errors.NotCapable} If Deno may not run the program; the text names the flag to add.
 * @throws {TypeError} If `args` is not an array, or holds something that is no text.
 *
 * @example
 * ```ts ignore
 * import { execCommand } from "./exec.ts";
 *
 * const status = await execCommand("git", ["status", "--short"], "/work", { timeout: 5_000 });
 * if (status.code !== 0) console.error(status.stderr);
 * ```
 */
export async function execCommand(
  command: string,
  args: readonly string[] | undefined,
  cwd: string,
  options: ExecOptions = {},
): Promise<ExecResult> {
  const argv = argumentTexts(args);
  const directory = options.cwd ? resolveFrom(cwd, options.cwd) : cwd;
  if (options.signal?.aborted) {
    return { ...notStarted(ABORTED, command, directory, "it was aborted before"), killed: true };
  }
  if (command === "") return notStarted(NOT_FOUND, command, directory, "the command is empty");

  // A relative path of a program is looked for in the working directory, so that one is asked for.
  const file = command.includes("/") ? resolveFrom(directory, command) : command;
  const missing = missingPermission({ name: "run", command: file });
  if (missing !== undefined) {
    throw new Deno.errors.NotCapable(
      `Deno may not run ${JSON.stringify(command)}: add ${missing} to the deno command`,
    );
  }
  const hasGroup = Deno.build.os !== "windows" && missingPermission({ name: "run" }) === undefined;
  const commandOptions: Deno.CommandOptions = {
    args: argv,
    cwd: directory,
    ...environment(options.env),
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    detached: hasGroup,
  };
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(command, commandOptions).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) {
      const problem = `Deno may not run ${JSON.stringify(command)}: ${error.message}`;
      throw new Deno.errors.NotCapable(problem, { cause: error });
    }
    return startFailure(command, file, directory, error);
  }
  return await superviseChild(child, hasGroup, options);
}

function argumentTexts(args: readonly unknown[] | undefined): string[] {
  if (args === undefined || args === null) return [];
  if (!Array.isArray(args)) {
    throw new TypeError("The arguments of exec must be an array of texts, one for each argument");
  }
  return args.map((arg, index) => {
    if (typeof arg === "string") return arg;
    if (["number", "bigint", "boolean"].includes(typeof arg)) return String(arg);
    const kind = arg === null ? "null" : typeof arg;
    throw new TypeError(`Argument ${index} of exec must be a text, not ${kind}`);
  });
}

/** The part of the options for `Deno.Command` that sets and takes away variables. */
function environment(
  env: Record<string, string | undefined> | undefined,
): { env?: Record<string, string>; clearEnv?: boolean } {
  if (env === undefined) return {};
  const removed = Object.keys(env).filter((name) => env[name] === undefined);
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined) set[name] = String(value);
  }
  if (removed.length === 0) return { env: set };

  // Deno can only add to the inherited variables, so those that stay have to be listed.
  const missing = missingPermission({ name: "env" });
  if (missing !== undefined) {
    throw new Deno.errors.NotCapable(
      `Taking ${removed.join(", ")} out of the environment of a command means listing all other ` +
        `variables, which Deno may not read: add ${missing} to the deno command`,
    );
  }
  const inherited = Deno.env.toObject();
  for (const name of removed) delete inherited[name];
  return { env: { ...inherited, ...set }, clearEnv: true };
}

/** The system resolves `..` itself, and correctly where a folder of the path is a link. */
function resolveFrom(base: string, path: string): string {
  const isAbsolute = Deno.build.os === "windows"
    ? /^([A-Za-z]:)?[\\/]/.test(path)
    : path.startsWith("/");
  return isAbsolute || base === "" ? path : `${base}/${path}`;
}

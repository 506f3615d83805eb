/**
 * The tool `bash`.
 *
 * @module
 */

import type { BashToolDetails } from "../../events/tool_details.ts";
import type { ExecResult } from "../../types.ts";
import { execCommand } from "../exec.ts";
import { NOT_FOUND } from "../exec_failure.ts";
import { ABORTED } from "../supervise_child.ts";
import type { ToolAnswer, ToolSettings } from "./define_tool.ts";
import { byteLength, type CutText, keepHeadAndTail } from "./output_limit.ts";
import { placeOf } from "./tool_path.ts";

/** The shell of this machine, once it is known. */
let knownShell: string | undefined;

/**
 * Runs a shell command.
 *
 * @param params The command and its time limit.
 * @param settings Where it runs.
 * @param signal Stops it.
 * @throws {Error} If it fails; the message holds its output.
 */
export async function runBash(
  { command, timeout }: { command: string; timeout?: number },
  settings: ToolSettings,
  signal: AbortSignal | undefined,
): Promise<ToolAnswer<"bash">> {
  const { cwd } = placeOf(settings);
  const seconds = timeout ?? settings.bashTimeoutSeconds ?? 0;
  const shell = await findShell(cwd);
  const limits = { timeout: seconds * 1000, signal };
  const result = await execCommand(shell, ["-c", command], cwd, limits);
  const { text, truncation } = mergeOutputs(result);
  const failure = explainFailure(result, seconds);
  if (failure !== undefined) throw new Error(text === "" ? failure : `${text}\n\n${failure}`);
  const details: BashToolDetails = { exitCode: result.code };
  if (seconds > 0) details.timeoutSeconds = seconds;
  if (truncation !== undefined) details.meta = { truncation };
  return { content: [{ type: "text", text: text === "" ? "(no output)" : text }], details };
}

/** Asks the system rather than `PATH`, which only it knows how to read. */
async function findShell(cwd: string): Promise<string> {
  if (knownShell !== undefined) return knownShell;
  try {
    const { code } = await execCommand("bash", ["-c", ":"], cwd);
    if (code === 0) knownShell = "bash";
    if (code === NOT_FOUND) knownShell = "sh";
    return knownShell ?? "bash";
  } catch (error) {
    // Deno may run some programs only, and bash is none of them.
    if (error instanceof Deno.errors.NotCapable) return "sh";
    throw error;
  }
}

function mergeOutputs({ stdout, stderr, truncated }: ExecResult): CutText {
  const needsBreak = stdout !== "" && stderr !== "" && !stdout.endsWith("\n");
  const merged = stdout + (needsBreak ? "\n" : "") + stderr;
  const text = merged.endsWith("\n") ? merged.slice(0, -1) : merged;
  if (truncated === undefined) return keepHeadAndTail(text);
  // What was dropped on the way in lies in the middle, which is left out here anyway.
  return keepHeadAndTail(
    text,
    Math.max(truncated.stdoutBytes + truncated.stderrBytes, byteLength(text)),
  );
}

function explainFailure({ killed, code }: ExecResult, seconds: number): string | undefined {
  if (killed) {
    return code === ABORTED ? "Command aborted" : `Command timed out after ${seconds} seconds`;
  }
  return code === 0 ? undefined : `Command exited with code ${code}`;
}

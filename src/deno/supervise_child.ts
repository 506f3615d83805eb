/**
 * Looks after a running child process: reads its outputs, feeds its input, stops it in time.
 *
 * @module
 */

import type { ExecOptions, ExecResult } from "../types.ts";
import { OutputCapture } from "./output_capture.ts";

/** The exit code that is reported when the time limit has passed, as shells do it. */
export const TIMED_OUT = 124;

/** The exit code that is reported when the signal has fired, as shells do it for Ctrl-C. */
export const ABORTED = 130;

/** How long a program may clean up between SIGTERM and SIGKILL, in milliseconds. */
const GRACE_MS = 1000;

/** How often a stopped group is looked at to see whether it is gone, in milliseconds. */
const GROUP_CHECK_MS = 20;

/** The longest time that `setTimeout` can wait; it fires at once when asked for more. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const DEFAULT_MAX_BUFFER = 16 * 1024 * 1024;
const SMALLEST_MAX_BUFFER = 1024;

/** Above this the decoded text would come near the longest string that the engine can hold. */
const LARGEST_MAX_BUFFER = 256 * 1024 * 1024;

/**
 * Waits for a child and its outputs, or stops it when the time limit passes or the signal fires.
 *
 * @param child A child whose outputs are piped.
 * @param hasGroup Whether the child leads a process group of its own.
 * @param options The limits, and the input if the child's is piped.
 */
export async function superviseChild(
  child: Deno.ChildProcess,
  hasGroup: boolean,
  options: ExecOptions,
): Promise<ExecResult> {
  const stdout = capture(child.stdout, options.maxBuffer);
  const stderr = capture(child.stderr, options.maxBuffer);
  const input = options.stdin === undefined ? undefined : feed(child.stdin, options.stdin);
  const ended = Promise.all([child.status, stdout.closed, stderr.closed]);
  const stop = stopCondition(options.timeout, options.signal);

  const stopCode = await Promise.race([ended.then(() => undefined), stop.reached]);
  stop.dispose();
  if (stopCode !== undefined) {
    await stopChild(child, hasGroup, ended);
    await Promise.all([stdout.cancel(), stderr.cancel()]);
  }
  // The child is gone, and its end of the input with it; only a stranger could still hold that.
  if (input !== undefined) await settlesWithin(input, GRACE_MS);

  // A child that not even SIGKILL ends (it hangs in the kernel) must not hang the caller too.
  const isGone = await settlesWithin(child.status, GRACE_MS);
  if (!isGone) child.unref();
  const result: ExecResult = {
    stdout: stdout.kept.text(),
    stderr: stderr.kept.text(),
    code: stopCode ?? (await child.status).code,
    killed: stopCode !== undefined,
  };
  if (stdout.kept.isTruncated || stderr.kept.isTruncated) {
    result.truncated = {
      stdoutBytes: stdout.kept.byteCount,
      stderrBytes: stderr.kept.byteCount,
    };
  }
  return result;
}

interface Capture {
  kept: OutputCapture;
  /** Fulfilled at the end of the stream or after `cancel`. */
  closed: Promise<void>;
  /** Stops reading, even if somebody holds the other end open. */
  cancel(): Promise<void>;
}

function capture(stream: ReadableStream<Uint8Array>, maxBuffer: number | undefined): Capture {
  const wanted = Number.isFinite(maxBuffer) ? Math.floor(Number(maxBuffer)) : DEFAULT_MAX_BUFFER;
  const kept = new OutputCapture(
    Math.min(Math.max(wanted, SMALLEST_MAX_BUFFER), LARGEST_MAX_BUFFER),
  );
  const reader = stream.getReader();
  const readAll = async (): Promise<void> => {
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        kept.push(part.value);
      }
    } catch {
      // A broken pipe ends the output like any other end; what was read so far counts.
    }
  };
  return { kept, closed: readAll(), cancel: () => reader.cancel().catch(() => {}) };
}

async function feed(
  stream: WritableStream<Uint8Array>,
  input: string | Uint8Array,
): Promise<void> {
  const writer = stream.getWriter();
  // Some writers report a failure through this promise too; nobody else would look at it.
  writer.closed.catch(() => {});
  try {
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
    if (bytes.length > 0) await writer.write(bytes);
    await writer.close();
  } catch {
    // The program ended or closed its input before it had read everything: that is its right.
  }
}

interface StopCondition {
  /** Fulfilled with the exit code to report, when the time limit passes or the signal fires. */
  reached: Promise<number>;
  dispose(): void;
}

function stopCondition(
  timeout: number | undefined,
  signal: AbortSignal | undefined,
): StopCondition {
  const { promise: reached, resolve } = Promise.withResolvers<number>();
  const onAbort = (): void => resolve(ABORTED);
  signal?.addEventListener("abort", onAbort, { once: true });
  const hasLimit = typeof timeout === "number" && timeout > 0;
  const timer = hasLimit
    ? setTimeout(() => resolve(TIMED_OUT), Math.min(timeout, MAX_TIMER_MS))
    : undefined;
  const dispose = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  return { reached, dispose };
}

/** SIGTERM, up to one second of grace, SIGKILL. */
async function stopChild(
  child: Deno.ChildProcess,
  hasGroup: boolean,
  ended: Promise<unknown>,
): Promise<void> {
  const start = performance.now();
  const graceLeft = (): number => GRACE_MS - (performance.now() - start);
  sendSignal(child, hasGroup, "SIGTERM");
  // A process that is stopped (SIGSTOP) hears of SIGTERM only when it goes on.
  sendSignal(child, hasGroup, "SIGCONT");
  const isOver = await settlesWithin(ended, GRACE_MS);
  // Members of the group that hold none of the outputs may still be cleaning up.
  while (isOver && hasGroup && graceLeft() > 0) {
    if (!sendSignal(child, hasGroup, "SIGCONT")) return;
    await new Promise((resolve) => setTimeout(resolve, GROUP_CHECK_MS));
  }
  sendSignal(child, hasGroup, "SIGKILL");
}

/** @returns Whether there was somebody to get the signal. */
function sendSignal(child: Deno.ChildProcess, hasGroup: boolean, signal: Deno.Signal): boolean {
  try {
    if (hasGroup) Deno.kill(-child.pid, signal);
    else if (Deno.build.os !== "windows" || signal !== "SIGCONT") child.kill(signal);
    return true;
  } catch {
    return false;
  }
}

/** Waits for a promise, but not longer than the limit, and leaves no timer behind. */
async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limitMs);
  try {
    return await Promise.race([promise.then(() => true, () => true), over]);
  } finally {
    clearTimeout(timer);
  }
}

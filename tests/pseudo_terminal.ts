/**
 * Runs the command line on a pseudo-terminal, which `script` of util-linux makes.
 *
 * @module
 */

import { CLI } from "./command_line.ts";
import type { TempDir } from "./helpers.ts";

/** A program on a terminal. */
export interface TerminalRun extends AsyncDisposable {
  /** Types keys, once what it waits for has come. */
  type(keys: string): Promise<void>;
  /**
   * Waits until a text has been written since the last wait.
   *
   * @param text The text, without colours and cursor movements.
   * @returns Everything that was written since the last wait, up to and with the text.
   */
  until(text: string): Promise<string>;
  /**
   * Waits until the program has ended by itself.
   *
   * @returns Its exit code, all bytes that were written, and whether the terminal was left as it
   * was found.
   */
  end(): Promise<{ code: number; raw: string; isRestored: boolean }>;
}

const LIMIT_MS = 30_000;

/** Is written when the program has ended. */
const ENDED = "the program has ended";

/**
 * Starts it.
 *
 * @param dir The folder; its home is `home` in it.
 * @param args The arguments.
 * @param size Cells and lines.
 * @param env Variables to set.
 */
export function runOnTerminal(
  dir: TempDir,
  args: readonly string[],
  size: { columns: number; rows: number } = { columns: 80, rows: 24 },
  env: Record<string, string> = {},
): TerminalRun {
  const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
  const command = [Deno.execPath(), "run", "-A", CLI, ...args].map(quote).join(" ");
  const line = `stty cols ${size.columns} rows ${size.rows}; ${command}; code=$?; ` +
    `echo ${ENDED}; stty -a | grep -o -- '-\\?icanon'; exit $code`;
  const child = new Deno.Command("script", {
    args: ["--quiet", "--return", "--command", line, "/dev/null"],
    cwd: dir.path,
    env: {
      HOME: dir.file("home"),
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      TERM: "xterm-256color",
      NO_COLOR: "1",
      ...env,
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  let raw = "";
  let seen = 0;
  let wake = Promise.withResolvers<void>();
  let isOver = false;
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      raw += text;
      wake.resolve();
    }
    isOver = true;
    wake.resolve();
  })();
  const close = async () => {
    await writer.close().catch(() => {});
    const [{ code }] = await Promise.all([child.status, reading]);
    clearTimeout(timer);
    return { code };
  };
  const until = async (text: string) => {
    for (;;) {
      const shown = plain(raw).slice(seen);
      const at = shown.indexOf(text);
      if (at >= 0) {
        seen += at + text.length;
        return shown.slice(0, at + text.length);
      }
      if (isOver) throw new Error(`"${text}" never came. There is:\n${shown}`);
      await wake.promise;
      wake = Promise.withResolvers();
    }
  };
  return {
    until,
    type: (keys) => writer.write(new TextEncoder().encode(keys)),
    async end() {
      // The end of the input would end the program too.
      await until(ENDED);
      const { code } = await close();
      return { code, raw, isRestored: /(?<!-)icanon/.test(raw.slice(raw.lastIndexOf(ENDED))) };
    },
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      await close();
    },
  };
}

/** The text without what moves the cursor, colours or clears. */
function plain(raw: string): string {
  // deno-lint-ignore no-control-regex -- these are the sequences that screens are made of
  return raw.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r", "");
}

/**
 * Where the command line reads from and writes to.
 *
 * Standard output carries answers and nothing else. Whatever a hook prints, by whatever means, goes
 * to standard error, from before the first hook is loaded until the process ends.
 *
 * @module
 */

/** Reads and writes for a command. */
export interface Terminal {
  /** What comes in. */
  readonly input: ReadableStream<Uint8Array>;
  /** Whether a person sits before the input. */
  readonly isInteractive: boolean;
  /** Writes an answer; resolves when it is out. */
  write(text: string): Promise<void>;
  /** Tells people something, as one line. */
  tell(text: string): void;
  /** Colours for what people read: on standard output, and on standard error. */
  readonly style: { readonly out: Style; readonly err: Style };
}

/** Marks text for people; without colours every function returns its text. */
export interface Style {
  /** Stands out. */
  bold(text: string): string;
  /** Steps back. */
  dim(text: string): string;
  /** Something went wrong or was stopped. */
  red(text: string): string;
  /** Something is fine. */
  green(text: string): string;
  /** Something wants attention. */
  yellow(text: string): string;
  /** A name. */
  cyan(text: string): string;
}

/**
 * Makes the marks for text.
 *
 * @param hasColours Whether they colour.
 */
export function styleFor(hasColours: boolean): Style {
  const mark = (start: number, end: number) => (text: string) =>
    hasColours ? `\x1b[${start}m${text}\x1b[${end}m` : text;
  return {
    bold: mark(1, 22),
    dim: mark(2, 22),
    red: mark(31, 39),
    green: mark(32, 39),
    yellow: mark(33, 39),
    cyan: mark(36, 39),
  };
}

/**
 * The terminal of the process. From here on standard output is only reachable through it.
 *
 * @param hasColours Whether colours are wanted at all.
 */
export function processTerminal(hasColours: boolean): Terminal {
  const write = takeStandardOutput();
  const wants = hasColours && !Deno.noColor;
  return {
    input: Deno.stdin.readable,
    isInteractive: Deno.stdin.isTerminal(),
    write,
    tell: (text) => writeFully(new TextEncoder().encode(`${text}\n`)),
    style: {
      out: styleFor(wants && Deno.stdout.isTerminal()),
      err: styleFor(wants && Deno.stderr.isTerminal()),
    },
  };
}

/** The other end of standard output was closed: nobody wants the answers any more. */
export class ClosedOutputError extends Error {
  /** Always `"ClosedOutputError"`. */
  override readonly name = "ClosedOutputError";
}

/** Turns every other way to standard output towards standard error, and keeps the one. */
function takeStandardOutput(): (text: string) => Promise<void> {
  const write = Deno.stdout.write.bind(Deno.stdout);
  const { stdout, stderr } = Deno;
  stdout.write = (data) => stderr.write(data);
  stdout.writeSync = (data) => stderr.writeSync(data);
  Object.defineProperty(stdout, "writable", { get: () => stderr.writable });
  for (const name of ["log", "info", "debug", "dir", "table"] as const) {
    console[name] = (...data: unknown[]) => console.error(...data);
  }
  return async (text) => {
    let left = new TextEncoder().encode(text);
    try {
      while (left.length > 0) left = left.subarray(await write(left));
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) throw new ClosedOutputError();
      throw error;
    }
  };
}

function writeFully(data: Uint8Array): void {
  try {
    while (data.length > 0) data = data.subarray(Deno.stderr.writeSync(data));
  } catch {
    // Nobody reads what people are told; the answers still count.
  }
}

/**
 * Answers for a process whose hooks keep it so busy that no timer fires any more.
 *
 * A loop that never ends in a hook stops everything on its thread, also the time limit. So the
 * clock that counts is on a thread of its own. When it has run out, that thread writes the answer
 * and ends the process: with the right exit code where a system library can be called, else by a
 * signal, which agents read as a failure of the hook.
 *
 * @module
 */

/** What to write and how to end. */
export interface LastWords {
  /** Goes to standard output. */
  stdout: string;
  /** Goes to standard error. */
  stderr: string;
  /** The exit code. */
  code: number;
}

/** A clock that ends the process. */
export interface Watchdog {
  /** Says what it would write from now on. */
  setLastWords(words: LastWords): void;
  /** Stops it. */
  stop(): void;
}

/** Runs in a worker: what it needs is in its first message. */
const SOURCE = `
let words, answerTo;
self.onmessage = ({ data }) => {
  words = data.words;
  answerTo ??= data.answerTo;
  if (data.limitMs !== undefined) setTimeout(bark, data.limitMs);
};
function bark() {
  const encoder = new TextEncoder();
  const write = (stream, text) => {
    let bytes = encoder.encode(text);
    try {
      while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
    } catch {}
  };
  try {
    const options = { write: true };
    write(answerTo === undefined ? Deno.stdout : Deno.openSync(answerTo, options), words.stdout);
  } catch {}
  write(Deno.stderr, words.stderr);
  const exit = { _exit: { parameters: ["i32"], result: "void" } };
  const library = { linux: "libc.so.6", darwin: "libSystem.dylib", windows: "ucrtbase.dll" };
  try {
    Deno.dlopen(library[Deno.build.os] ?? "libc.so", exit).symbols._exit(words.code);
  } catch {}
  Deno.kill(Deno.pid, "SIGKILL");
}
`;

/**
 * Starts the clock.
 *
 * @param limitMs After so many milliseconds the process ends.
 * @param words What is written then.
 * @param answerTo The file that stands in for standard output, if one does.
 */
export function startWatchdog(limitMs: number, words: LastWords, answerTo?: string): Watchdog {
  const url = `data:application/javascript,${encodeURIComponent(SOURCE)}`;
  const worker = new Worker(url, { type: "module", name: "pi-hooks watchdog" });
  worker.postMessage({ limitMs, words, answerTo });
  return {
    setLastWords: (next) => worker.postMessage({ words: next }),
    stop: () => worker.terminate(),
  };
}

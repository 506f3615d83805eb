/**
 * What the process of a hook writes to its outputs, as lines for people.
 *
 * @module
 */

const MAX_LINE = 2000;
const MAX_LINES = 1000;
const PERIOD_MS = 10_000;

/**
 * Reads to the end whatever is written, and passes on what can still be read by people.
 *
 * @param stream An output.
 * @param onLine Gets each line, long ones in pieces, of a flood only the beginning.
 */
export function readLines(
  stream: ReadableStream<Uint8Array>,
  onLine: (line: string) => void,
): { done: Promise<void> } {
  let rest = "";
  let count = 0;
  let since = performance.now();
  const pass = (line: string): void => {
    const now = performance.now();
    if (now - since > PERIOD_MS) {
      if (count > MAX_LINES) onLine(`… ${count - MAX_LINES} lines were left out`);
      [count, since] = [0, now];
    }
    count++;
    if (count <= MAX_LINES) onLine(line.slice(0, MAX_LINE));
    else if (count === MAX_LINES + 1) {
      onLine(`… more than ${MAX_LINES} lines: the rest is left out`);
    }
  };
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of stream) {
        // A line without an end is passed on in pieces, so that it takes no room.
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        if (rest.length > MAX_LINE) lines.push(rest.slice(0, MAX_LINE)), rest = "";
        lines.forEach(pass);
      }
    } catch {
      // The process is gone.
    }
    if (rest !== "") pass(rest);
  };
  return { done: read() };
}

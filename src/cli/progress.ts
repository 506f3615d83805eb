/**
 * A bar on standard error that says how far something is; nothing where no terminal is.
 *
 * @module
 */

const WIDTH = 24;
const INTERVAL_MS = 100;

/** The bar. */
export class Progress {
  readonly #total: number;
  readonly #isShown: boolean;
  #done = 0;
  #drawnAt = 0;
  #isDrawn = false;

  /**
   * @param total How much there is to do.
   * @param isShown Whether it is drawn at all. Default: if standard error is a terminal.
   */
  constructor(total: number, isShown = Deno.stderr.isTerminal()) {
    this.#total = total;
    this.#isShown = isShown && total > 0;
  }

  /**
   * Takes in that something is done.
   *
   * @param amount How much.
   * @param label What is being done.
   */
  add(amount: number, label: string): void {
    if (!this.#isShown) return;
    this.#done += amount;
    const now = performance.now();
    if (now - this.#drawnAt < INTERVAL_MS) return;
    this.#drawnAt = now;
    this.#isDrawn = true;
    write(`\r\x1b[2K${progressText(this.#done / this.#total, label)}`);
  }

  /** Takes the bar away. */
  clear(): void {
    if (this.#isDrawn) write("\r\x1b[2K");
    this.#isDrawn = false;
  }
}

/**
 * The text of the bar.
 *
 * @param share How much is done, from 0 to 1.
 * @param label What is being done.
 */
export function progressText(share: number, label: string): string {
  const part = Math.min(1, Math.max(0, share));
  const full = Math.round(part * WIDTH);
  const bar = "█".repeat(full) + "░".repeat(WIDTH - full);
  return `${bar} ${String(Math.floor(part * 100)).padStart(3)}% ${label}`;
}

function write(text: string): void {
  try {
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  } catch {
    // Nobody looks at it.
  }
}

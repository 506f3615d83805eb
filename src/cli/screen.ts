/**
 * A terminal with text that stays, and below it a few lines that change: the question or prompt,
 * and the status line. Nothing else writes to the terminal while it is open.
 *
 * @module
 */

import { type Key, KeyDecoder } from "../ui/keys.ts";
import { textWidth } from "../ui/text_width.ts";
import { splitColours } from "../ui/text.ts";

/** The lines that change. */
export interface LiveView {
  /** The lines, from top to bottom; colours are allowed. */
  lines: string[];
  /** Where the cursor is; absent, it is hidden. */
  cursor?: { row: number; column: number };
}

/** Where a screen reads and writes. */
export interface ScreenPort {
  /** Writes text; calls come out in their order. */
  write(text: string): void;
  /** Waits until everything is out. */
  flush(): Promise<void>;
  /** Cells and lines. */
  size(): { columns: number; rows: number };
  /** What the terminal sends; ends when it is closed. */
  read(): AsyncIterable<string>;
  /** Hands keys over one by one, or not any more. */
  setRaw(isRaw: boolean): void;
  /** Calls back when the size has changed; returns what stops it. */
  onResize(listener: () => void): () => void;
}

const PASTE_ON = "\x1b[?2004h";
const PASTE_OFF = "\x1b[?2004l";
const HIDE = "\x1b[?25l";
const SHOW = "\x1b[?25h";

/** The screen. */
export class Screen {
  readonly #port: ScreenPort;
  readonly #view: (width: number, rows: number) => LiveView;
  readonly #stopResize: () => void;
  #drawn: string[] = [];
  #cursorRow = 0;
  #cursorColumn = 0;
  #isOpen = true;
  /** What was to be written while somebody else had the terminal. */
  #held: string[] = [];

  /**
   * Opens the screen.
   *
   * @param port Where it reads and writes.
   * @param view Draws the lines that change.
   */
  constructor(port: ScreenPort, view: (width: number, rows: number) => LiveView) {
    this.#port = port;
    this.#view = view;
    port.setRaw(true);
    port.write(PASTE_ON);
    this.#stopResize = port.onResize(() => this.redraw());
  }

  /** The keys that are pressed, until the terminal is closed. */
  async *keys(): AsyncGenerator<Key> {
    const decoder = new KeyDecoder();
    for await (const input of this.#port.read()) yield* decoder.decode(input);
  }

  /** Cells of a line. */
  get width(): number {
    return Math.max(1, this.#port.size().columns || 80);
  }

  /**
   * Writes lines that stay.
   *
   * @param text The lines; whoever calls has made them harmless.
   */
  print(text: string): void {
    const lines = text.replaceAll("\n", "\r\n");
    if (!this.#isOpen) return void this.#held.push(lines);
    this.#port.write(`${this.#clearing()}${lines}\r\n`);
    this.#drawn = [];
    this.redraw();
  }

  /** Draws the lines that change anew. */
  redraw(): void {
    if (!this.#isOpen) return;
    const { columns, rows } = this.#port.size();
    const width = Math.max(1, columns || 80);
    const { lines, cursor } = this.#view(width, rows || 24);
    let text = `${this.#clearing()}${lines.join("\r\n")}`;
    this.#drawn = lines;
    this.#cursorRow = Math.max(0, lines.length - 1);
    // Behind the last character the cursor still stands on it.
    this.#cursorColumn = Math.max(0, cellsOf(lines.at(-1) ?? "") - 1);
    if (cursor !== undefined) {
      const up = this.#cursorRow - cursor.row;
      text += `\r${up > 0 ? `\x1b[${up}A` : ""}${
        cursor.column > 0 ? `\x1b[${cursor.column}C` : ""
      }`;
      this.#cursorRow = cursor.row;
      this.#cursorColumn = cursor.column;
    }
    this.#port.write(`${HIDE}${text}${cursor === undefined ? "" : SHOW}`);
  }

  /**
   * Gives the terminal away, and takes it back afterwards.
   *
   * @param use Uses the terminal.
   */
  async lend<T>(use: () => Promise<T>): Promise<T> {
    this.#port.write(`${this.#clearing()}${PASTE_OFF}${SHOW}`);
    this.#drawn = [];
    this.#isOpen = false;
    this.#port.setRaw(false);
    try {
      return await use();
    } finally {
      this.#isOpen = true;
      this.#port.setRaw(true);
      this.#port.write(PASTE_ON);
      const held = this.#held;
      this.#held = [];
      if (held.length > 0) this.print(held.join("\n"));
      this.redraw();
    }
  }

  /** Leaves the terminal as it was found. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#port.write(`${this.#clearing()}${PASTE_OFF}${SHOW}`);
    this.#isOpen = false;
    this.#stopResize();
    await this.#port.flush();
    this.#port.setRaw(false);
  }

  /** Goes to where the drawn lines begin, and takes them away. A narrower terminal has broken them. */
  #clearing(): string {
    if (this.#drawn.length === 0) return "\r\x1b[J";
    const { width } = this;
    const above = this.#drawn.slice(0, this.#cursorRow);
    let up = above.reduce((sum, line) => sum + Math.max(1, Math.ceil(cellsOf(line) / width)), 0);
    up += Math.floor(this.#cursorColumn / width);
    return `\r${up > 0 ? `\x1b[${up}A` : ""}\x1b[J`;
  }
}

function cellsOf(line: string): number {
  return splitColours(line).reduce(
    (sum, { isColour, text }) => sum + (isColour ? 0 : textWidth(text)),
    0,
  );
}

/**
 * The terminal of the process.
 *
 * @param write Writes to it.
 */
export function processScreenPort(write: (text: string) => Promise<void>): ScreenPort {
  let last = Promise.resolve();
  return {
    write: (text) => {
      // Whoever has closed the terminal does not read any more.
      last = last.then(() => write(text)).catch(() => {});
    },
    flush: () => last,
    size: () => {
      try {
        return Deno.consoleSize();
      } catch {
        return { columns: 80, rows: 24 };
      }
    },
    async *read() {
      const buffer = new Uint8Array(65536);
      const decoder = new TextDecoder();
      for (;;) {
        const count = await Deno.stdin.read(buffer);
        if (count === null) return;
        yield decoder.decode(buffer.subarray(0, count), { stream: true });
      }
    },
    setRaw: (isRaw) => Deno.stdin.setRaw(isRaw),
    onResize: (listener) => {
      if (Deno.build.os === "windows") return () => {};
      Deno.addSignalListener("SIGWINCH", listener);
      return () => Deno.removeSignalListener("SIGWINCH", listener);
    },
  };
}

/**
 * `pi-hooks run` on a terminal: a small agent in which hooks can be watched, whose tool calls a
 * person makes by hand.
 *
 * @module
 */

import {
  createTools,
  HookHost,
  ModelError,
  plainTheme,
  SessionManager,
  type Theme,
  visibleText,
} from "../../mod.ts";
import { nearest } from "../nearest.ts";
import type { Key } from "../ui/keys.ts";
import { TextEditor } from "../ui/text_editor.ts";
import { cutText } from "../ui/wrap.ts";
import { editInProgram } from "./external_editor.ts";
import { loadAsAsked, warningTo } from "./hooks.ts";
import { BUILT_INS, type Workbench } from "./interactive_commands.ts";
import { runToolLine } from "./interactive_tools.ts";
import { listText } from "./list.ts";
import type { ParsedOptions } from "./options.ts";
import { type LiveView, processScreenPort, Screen, type ScreenPort } from "./screen.ts";
import { ScreenUI } from "./screen_ui.ts";
import { shown } from "./show.ts";
import { colourTheme } from "./screen_theme.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Runs until the person quits.
 *
 * @param options The options of the command line.
 * @param terminal The terminal.
 */
export async function runInteractive(options: ParsedOptions, terminal: Terminal): Promise<number> {
  const loaded = await loadAsAsked(options, { tell: warningTo(terminal) });
  const hasColours = terminal.style.out.bold("x") !== "x";
  const session = new Interactive(
    terminal,
    processScreenPort(terminal.write),
    hasColours ? colourTheme : plainTheme,
  );
  return await session.run(loaded, options);
}

type Loaded = Awaited<ReturnType<typeof loadAsAsked>>;

class Interactive implements Workbench {
  readonly screen: Screen;
  readonly ui: ScreenUI;
  readonly #terminal: Terminal;
  readonly #prompt = new TextEditor();
  readonly #history: string[] = [];
  #historyAt = 0;
  /** Lines that were entered while something was going on. */
  #waiting: string[] = [];
  #host!: HookHost;
  #loaded!: Loaded;
  #working: AbortController | undefined;
  readonly #ending = Promise.withResolvers<number>();
  /** Somebody else reads the keys until then. */
  #lent: Promise<unknown> | undefined;
  wantsTrace = false;

  constructor(terminal: Terminal, port: ScreenPort, theme: Theme) {
    this.#terminal = terminal;
    this.ui = new ScreenUI(this, theme);
    this.screen = new Screen(port, (width, rows) => this.#view(width, rows));
  }

  get style() {
    return this.#terminal.style.out;
  }

  get host(): HookHost {
    return this.#host;
  }

  get loaded(): Loaded {
    return this.#loaded;
  }

  get promptText(): string {
    return this.#prompt.text;
  }

  set promptText(text: string) {
    this.#prompt.set(text);
  }

  get signal(): AbortSignal | undefined {
    return this.#working?.signal;
  }

  edit(text: string): Promise<string | undefined> {
    const edited = editInProgram(this.screen, text);
    this.#lent = edited;
    return edited;
  }

  readonly print = (text: string): void => this.screen.print(text);

  readonly quit = (): void => this.#ending.resolve(0);

  async run(loaded: Loaded, options: ParsedOptions): Promise<number> {
    this.#loaded = loaded;
    this.wantsTrace = options.has("trace");
    const restore = this.#takeOver();
    const ending = this.#ending;
    const signals = ["SIGTERM", "SIGHUP"] as const;
    const codes = { SIGTERM: 143, SIGHUP: 129 };
    const listeners = Deno.build.os === "windows" ? [] : signals.map((name) => {
      const listener = () => ending.resolve(codes[name]);
      Deno.addSignalListener(name, listener);
      return () => Deno.removeSignalListener(name, listener);
    });
    try {
      await this.#open(options);
      this.#readKeys().then(() => ending.resolve(0), (error) => ending.reject(error));
      const code = await ending.promise;
      this.#working?.abort();
      await this.#host.shutdown();
      return code === 0 && loaded.errors.length > 0 ? 1 : code;
    } finally {
      listeners.forEach((stop) => stop());
      await this.screen.close();
      restore();
    }
  }

  async #open(options: ParsedOptions): Promise<void> {
    const { cwd, hooks } = this.#loaded;
    this.print(listText(this.#loaded, this.style));
    this.print(this.style.dim(
      "!command runs bash, @tool arguments another tool, both through the hooks. /help shows more.",
    ));
    this.#host = new HookHost({
      hooks,
      tools: createTools(cwd),
      session: await SessionManager.create(cwd).catch(() => SessionManager.inMemory(cwd)),
      uiContext: this.ui,
      model: () => {
        throw new ModelError(
          "No model is connected: this terminal runs tools and commands by hand",
        );
      },
      runner: {
        handlerTimeoutMs: options.wholeNumber("timeout"),
        observer: ({ hookPath, event, outcome, milliseconds, error }) => {
          if (!this.wantsTrace) return;
          const text = `${visibleText(hookPath)} ${event}: ${outcome} ${
            milliseconds.toFixed(1)
          } ms`;
          this.print(this.style.dim(`  ${text}${error ? ` ${shown(error, 120)}` : ""}`));
        },
      },
    });
    this.#host.runner.onError(({ hookPath, event, error }) => {
      this.print(`${this.style.red("✗")} ${visibleText(hookPath)} (${event}): ${shown(error)}`);
    });
    this.#host.runner.onWarning(({ hookPath, event, warning }) => {
      this.print(
        `${this.style.yellow("!")} ${visibleText(hookPath)} (${event}): ${shown(warning)}`,
      );
    });
    this.#work(() => this.#host.start());
  }

  /** What hooks print goes above the prompt, and not over it. */
  #takeOver(): () => void {
    const before = { ...console };
    const { tell } = this.#terminal;
    const print = (...data: unknown[]) => {
      const texts = data.map((one) => typeof one === "string" ? one : Deno.inspect(one));
      this.print(this.style.dim(texts.join(" ").split("\n").map(visibleText).join("\n")));
    };
    for (const name of ["log", "info", "debug", "warn", "error", "dir", "table"] as const) {
      console[name] = print;
    }
    this.#terminal.tell = (text) => this.print(text);
    return () => {
      Object.assign(console, before);
      this.#terminal.tell = tell;
    };
  }

  async #readKeys(): Promise<void> {
    this.screen.redraw();
    for await (const key of this.screen.keys()) {
      if (!this.ui.onKey(key)) this.#onKey(key);
      this.screen.redraw();
      await this.#lent;
      this.#lent = undefined;
    }
  }

  #onKey(key: Key): void {
    if (key.name === "ctrl+c") {
      if (this.#working !== undefined) {
        this.#waiting = [];
        this.#working.abort();
        this.#host.abort();
      } else this.#prompt.set("");
    } else if (key.name === "ctrl+d" && this.#prompt.text === "") this.quit();
    else if (key.name === "enter") this.#enter();
    else if (key.name === "tab") this.#complete();
    else if (key.name === "up" || key.name === "down") this.#recall(key.name === "up" ? -1 : 1);
    else if (key.name === "ctrl+g") {
      this.#work(async () => {
        const text = await this.edit(this.#prompt.text);
        if (text !== undefined) this.#prompt.set(text);
      });
    } else this.#prompt.onKey(key);
  }

  #recall(by: number): void {
    this.#historyAt = Math.max(0, Math.min(this.#history.length, this.#historyAt + by));
    this.#prompt.set(this.#history[this.#historyAt] ?? "");
  }

  #enter(): void {
    const line = this.#prompt.text.trim();
    if (line === "") return;
    this.#prompt.set("");
    this.#history.push(line);
    this.#historyAt = this.#history.length;
    if (this.#working === undefined) this.#begin(line);
    else this.#waiting.push(line);
  }

  #begin(line: string): void {
    this.print(`${this.style.cyan(">")} ${shown(line, 2000)}`);
    this.#work(() => this.#do(line));
  }

  #work(job: () => Promise<unknown>): void {
    this.#working = new AbortController();
    job().catch((error) => {
      const text = error instanceof Error ? error.message : String(error);
      this.print(`${this.style.red("✗")} ${shown(text)}`);
    }).finally(() => {
      this.#working = undefined;
      const next = this.#waiting.shift();
      if (next !== undefined) this.#begin(next);
      this.screen.redraw();
    });
  }

  async #do(line: string): Promise<void> {
    if (line.startsWith("/")) return await this.#command(line.slice(1));
    if (/^[!@]/.test(line)) return await runToolLine(line, this);
    this.print(
      "No model is connected to this terminal, so nobody answers. !command runs bash through the " +
        "hooks, /help shows what else there is.",
    );
  }

  async #command(text: string): Promise<void> {
    const [, name, args] = /^(\S*)\s*([^]*)$/.exec(text)!;
    const builtIn = BUILT_INS.find((one) => one.name === name);
    if (builtIn !== undefined) return await builtIn.run(args, this);
    if (await this.#host.runner.runCommand(name, args)) return;
    const near = nearest(name, this.#names());
    const hint = near === undefined ? "; /help shows what there is" : `; did you mean /${near}?`;
    this.print(`${this.style.red("✗")} There is no command /${shown(name)}${hint}`);
  }

  #names(): string[] {
    const own = this.#host?.runner.getRegisteredCommands().map(({ name }) => name) ?? [];
    return [...new Set([...BUILT_INS.map(({ name }) => name), ...own])].sort();
  }

  #complete(): void {
    const word = /^\/(\S*)$/.exec(this.#prompt.text)?.[1];
    const tool = /^@(\S*)$/.exec(this.#prompt.text)?.[1];
    const mark = word === undefined ? "@" : "/";
    const prefix = word ?? tool;
    if (prefix === undefined) return;
    const all = word === undefined ? this.#host.tools.map(({ name }) => name) : this.#names();
    const fitting = all.filter((name) => name.startsWith(prefix));
    if (fitting.length === 1) this.#prompt.set(`${mark}${fitting[0]} `);
    else if (fitting.length > 1) this.print(this.style.dim(fitting.join("  ")));
  }

  #view(width: number, rows: number): LiveView {
    const status = this.ui.statusLine(width);
    const below = status === "" ? [] : [status];
    const room = Math.max(1, rows - below.length - 1);
    const dialog = this.ui.render(width);
    if (dialog !== undefined) return { ...dialog, lines: [...dialog.lines, ...below] };
    if (this.#working !== undefined && this.#prompt.text === "") {
      const waiting = this.#waiting.length === 0 ? "" : ` (${this.#waiting.length} waiting)`;
      const text = cutText(`… working, Ctrl+C stops it${waiting}`, width);
      return { lines: [this.style.dim(text), ...below] };
    }
    const { lines, row, column } = this.#prompt.render(Math.max(1, width - 3));
    const first = Math.max(0, row - room + 1);
    const shownLines = lines.slice(first, first + room)
      .map((line, index) => cutText(`${first + index === 0 ? ">" : " "} ${line}`, width));
    return {
      lines: [...shownLines, ...below],
      cursor: { row: row - first, column: Math.min(column + 2, width - 1) },
    };
  }
}

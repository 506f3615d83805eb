/**
 * `pi-hooks serve --jsonl`: the line protocol for agents in any language, with many requests in
 * flight, questions to the person, and programs that the agent may refuse.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import {
  execCommand,
  HOOK_EVENT_NAMES,
  HookAbortError,
  type HookError,
  HookRunner,
  type HookUIContext,
  type LoadHooksResult,
  plainTheme,
} from "../../mod.ts";
import { loadAsAsked } from "./hooks.ts";
import { linesOf } from "./lines.ts";
import type { ParsedOptions } from "./options.ts";
import { emitRequest, parseLine, type Request } from "./protocol.ts";
import type { Terminal } from "./terminal.ts";

/** The version of the protocol; a client that asks for another one is refused. */
export const PROTOCOL_VERSION = 1;

/** How long a handler may take, in milliseconds; the clock stops while a person is asked. */
const DEFAULT_LIMIT_MS = 25_000;

type Message = Record<string, unknown>;

/**
 * Serves until standard input ends.
 *
 * @param options The options.
 * @param terminal Where lines come from and go to.
 * @returns The exit code.
 */
export async function serveJsonl(options: ParsedOptions, terminal: Terminal): Promise<number> {
  const session = new JsonlSession(options, terminal);
  const loaded = await loadAsAsked(options, { exec: session.exec });
  session.start(loaded);
  for await (const line of linesOf(terminal.input)) {
    if (line.trim() !== "") session.take(line);
  }
  await session.end();
  return loaded.errors.length > 0 ? 1 : 0;
}

/** One client. */
class JsonlSession {
  readonly #terminal: Terminal;
  readonly #wantsTrace: boolean;
  readonly #limitMs: number;
  readonly #running = new Map<unknown, AbortController>();
  readonly #open = new Map<string, (answer: Message) => void>();
  readonly #pending = new Set<Promise<void>>();
  #loaded: LoadHooksResult & { cwd: string } = { hooks: [], errors: [], warnings: [], cwd: "" };
  #writing: Promise<void> = Promise.resolve();
  #lastQuestion = 0;
  #lastLine = 0;
  #canAsk = false;
  #execPolicy: "allow" | "deny" | "ask" = "allow";

  constructor(options: ParsedOptions, terminal: Terminal) {
    this.#terminal = terminal;
    this.#wantsTrace = options.has("trace");
    this.#limitMs = options.wholeNumber("timeout") ?? DEFAULT_LIMIT_MS;
  }

  /** Runs programs of hooks if the client lets it. */
  readonly exec: typeof execCommand = async (command, args, cwd, options) => {
    const mayRun = this.#execPolicy === "allow" || (this.#execPolicy === "ask" &&
      (await this.#ask("exec_request", { command, args, cwd })).allow === true);
    if (mayRun) return await execCommand(command, args, cwd, options);
    const stderr = `The program that runs these hooks does not allow to run "${command}"`;
    return { stdout: "", stderr, code: 126, killed: false };
  };

  /** The hooks are there. */
  start(loaded: LoadHooksResult & { cwd: string }): void {
    this.#loaded = loaded;
  }

  /** Takes a line. */
  take(line: string): void {
    this.#lastLine++;
    const control = controlOf(line);
    switch (control?.type) {
      case "hello":
        return this.#greet(control);
      case "cancel":
        return this.#running.get(control.id)?.abort();
      case "ui_response":
      case "exec_response":
        return this.#open.get(String(control.id))?.(control);
    }
    const work = this.#answer(line, this.#lastLine);
    this.#pending.add(work);
    work.finally(() => this.#pending.delete(work));
  }

  /** Nothing more comes in: open questions are cancelled, running requests are finished. */
  async end(): Promise<void> {
    this.#canAsk = false;
    for (const answer of this.#open.values()) answer({});
    await Promise.all(this.#pending);
    await this.#writing;
  }

  #greet({ id, protocol, ui, exec }: Message): void {
    if (protocol !== undefined && protocol !== PROTOCOL_VERSION) {
      const error = `There is no protocol ${protocol} here, only ${PROTOCOL_VERSION}`;
      return this.#write({ id, type: "hello", protocol: PROTOCOL_VERSION, error });
    }
    this.#canAsk = ui === true;
    if (exec === "allow" || exec === "deny" || exec === "ask") this.#execPolicy = exec;
    const { hooks, errors, warnings } = this.#loaded;
    this.#write({
      id,
      type: "hello",
      protocol: PROTOCOL_VERSION,
      name: "pi-hooks",
      version: config.version,
      events: HOOK_EVENT_NAMES,
      hooks: hooks.map(({ path, handlers }) => ({ path, events: [...handlers.keys()] })),
      errors: errors.map(({ path, kind, error }) => ({ path, kind, error })),
      warnings: warnings.map(({ path, warning }) => ({ path, warning })),
    });
  }

  async #answer(line: string, number: number): Promise<void> {
    const { request, fault, id: otherId } = parseLine(line);
    const id = request?.id ?? otherId ?? number;
    if (request === undefined) return this.#write({ id, error: fault });
    if (this.#running.has(id)) {
      return this.#write({ id, error: `Another request with this id is still running` });
    }
    const cancel = new AbortController();
    this.#running.set(id, cancel);
    try {
      this.#write({ id, type: request.type, ...await this.#emit(id, request, cancel.signal) });
    } catch (thrown) {
      // What is not answered with a result must not be taken for an agreement.
      const reason = thrown instanceof HookAbortError
        ? "The request was cancelled"
        : `An internal fault of pi-hooks: ${thrown instanceof Error ? thrown.message : thrown}`;
      const result = request.type === "tool_call" ? { block: true, reason, kind: "fault" } : null;
      this.#write({ id, type: request.type, result, errors: [], error: reason });
    } finally {
      this.#running.delete(id);
    }
  }

  async #emit(id: unknown, request: Request, signal: AbortSignal): Promise<Message> {
    const { hooks, errors: loadErrors, cwd } = this.#loaded;
    if (request.type === "tool_call" && loadErrors.length > 0) {
      const [{ path, error }] = loadErrors;
      const reason = `Hook "${path}" was not loaded: ${error}`;
      return { result: { block: true, reason, hookPath: path, kind: "fault" }, errors: [] };
    }
    const errors: Pick<HookError, "hookPath" | "event" | "error">[] = [];
    const trace: unknown[] = [];
    const runner = new HookRunner(hooks, cwd, undefined, undefined, {
      handlerTimeoutMs: this.#limitMs,
      ...(this.#wantsTrace && { observer: (record: unknown) => void trace.push(record) }),
    });
    runner.onError(({ hookPath, event, error }) => errors.push({ hookPath, event, error }));
    runner.onWarning((warning) => this.#write({ type: "warning", for: id, ...warning }));
    runner.initialize({
      uiContext: this.#canAsk ? this.#userInterface(id) : undefined,
      sendMessageHandler: (message, options) =>
        this.#write({ type: "send_message", message, options: options ?? {} }),
      appendEntryHandler: (customType, data) =>
        this.#write({ type: "append_entry", customType, data: data ?? null }),
    });
    const result = await emitRequest(runner, request, signal);
    return { result, errors, ...(this.#wantsTrace && { trace }) };
  }

  /** Puts a question to the client. */
  #ask(type: string, question: Message, signal?: AbortSignal): Promise<Message> {
    const id = `q${++this.#lastQuestion}`;
    const { promise, resolve } = Promise.withResolvers<Message>();
    const settle = (answer: Message) => {
      this.#open.delete(id);
      signal?.removeEventListener("abort", takeBack);
      resolve(answer);
    };
    const takeBack = () => {
      this.#write({ type: "ui_cancel", id });
      settle({});
    };
    this.#open.set(id, settle);
    signal?.addEventListener("abort", takeBack, { once: true });
    this.#write({ type, id, ...question });
    return promise;
  }

  #userInterface(id: unknown): HookUIContext {
    const ask = async (method: string, fields: Message, signal?: AbortSignal) =>
      (await this.#ask("ui_request", { for: id, method, ...fields }, signal)).value;
    const text = (value: unknown) => typeof value === "string" ? value : undefined;
    const tell = (method: string, fields: Message) =>
      this.#write({ type: "ui_notice", for: id, method, ...fields });
    return {
      select: async (title, options, dialog) => {
        const chosen = text(await ask("select", { title, options }, dialog?.signal));
        return chosen !== undefined && options.includes(chosen) ? chosen : undefined;
      },
      confirm: async (title, message, dialog) =>
        await ask("confirm", { title, message }, dialog?.signal) === true,
      input: async (title, placeholder, dialog) =>
        text(await ask("input", { title, placeholder }, dialog?.signal)),
      editor: async (title, prefill, dialog) =>
        text(await ask("editor", { title, prefill }, dialog?.signal)),
      notify: (message, level = "info") => tell("notify", { message, level }),
      setStatus: (key, value) => tell("setStatus", { key, text: value ?? null }),
      setEditorText: (value) => tell("setEditorText", { text: value }),
      custom: () => Promise.resolve(undefined),
      getEditorText: () => "",
      theme: plainTheme,
    };
  }

  /** One line after another, whoever writes. */
  #write(message: Message): void {
    const line = `${JSON.stringify(message)}\n`;
    this.#writing = this.#writing.then(() => this.#terminal.write(line));
    // Whoever waits for the queue hears of it; a closed reader needs no second word.
    this.#writing.catch(() => {});
  }
}

/** A line that is about the protocol and not an event. */
function controlOf(line: string): Message | undefined {
  if (!/"(hello|cancel|ui_response|exec_response)"/.test(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value as Message : undefined;
  } catch {
    return undefined;
  }
}

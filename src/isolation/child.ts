/**
 * The program that an isolated hook runs in: connects to the host, loads the hook as it would be
 * loaded there, and does what the host asks. It ends when the host does.
 *
 * Its arguments are the path of a socket and a word that proves whose child it is.
 *
 * @module
 */

import { createHook, type HookHandle, type SharedServices } from "../api.ts";
import { execCommand } from "../deno/exec.ts";
import { connectLink, exitProcess, programArguments } from "../deno/isolation_link.ts";
import { thrownText } from "../errors.ts";
import type { LoadedHook } from "../hook.ts";
import { LoadFault } from "../import_fault.ts";
import { doorNamespace } from "../loader_import.ts";
import { loadVersion } from "../loader_version.ts";
import { TimeLimit } from "../loader_limit.ts";
import { ChildCalls } from "./child_calls.ts";
import { ChildHost } from "./child_host.ts";
import { frameOf, FrameReader } from "./frames.ts";
import type { ChildMessage, HookTable, HostCall, HostMessage } from "./messages.ts";

// A hook may replace these; what it answers then is its own affair, how it is asked is not.
const { parse, stringify } = JSON;

/** A hook in this process. */
class HookProcess {
  readonly #send: (message: ChildMessage) => void;
  readonly #host: ChildHost;
  #handle: HookHandle | undefined;
  #calls: ChildCalls | undefined;
  #table = "";

  constructor(send: (message: ChildMessage) => void) {
    this.#send = send;
    this.#host = new ChildHost(send);
    const late = (event: Event, thrown: unknown): void => {
      event.preventDefault();
      this.#host.failedLate(thrown);
    };
    addEventListener("unhandledrejection", (event) => late(event, event.reason));
    addEventListener("error", (event) => late(event, event.error));
  }

  take(message: HostMessage): void {
    if (message.t === "load") return void this.#load(message);
    if (message.t === "ping") return this.#send({ t: "pong", n: message.n });
    const hook = this.#handle?.hook;
    if (hook === undefined || this.#calls === undefined) return;
    switch (message.t) {
      case "state":
        return this.#host.learn(message.state, hook);
      case "abort":
        return this.#calls.abort(message.signal);
      case "reply":
        this.#host.learn(message.state, hook);
        return this.#host.answered(message.seq, message.value, message.thrown);
      case "call":
        this.#host.learn(message.state, hook);
        this.#calls.learn(message.call);
        return void this.#answer(message.id, message.call);
    }
  }

  async #answer(id: string, call: HostCall): Promise<void> {
    const answer = await this.#calls!.answer(id, call);
    this.#tellTable();
    this.#send(answer);
  }

  async #load(message: HostMessage & { t: "load" }): Promise<void> {
    const { url, path, resolvedPath, cwd, timeoutMs } = message;
    this.#host.mayReadKeys = message.mayReadKeys;
    const plain = createHook({ path, resolvedPath }, cwd);
    const services: SharedServices = {
      exec: message.isHostExec ? this.#host.exec : execCommand,
      logger: this.#host.logger,
      typebox: undefined,
      namespace: message.needsDoor ? await doorNamespace() : unnamedDoor(),
    };
    this.#handle = this.#watched(plain);
    this.#calls = new ChildCalls(plain.hook, this.#host);
    try {
      using limit = new TimeLimit(timeoutMs);
      const module = url.startsWith("file:") ? { url, stamp: "" } : { url };
      const { unknownEvents, isEmpty } = await loadVersion(this.#handle, module, {
        services,
        limit,
      });
      const table = tableOf(plain.hook);
      this.#table = stringify(table);
      this.#send({ t: "ready", table, unknownEvents: [...unknownEvents], isEmpty: isEmpty() });
    } catch (thrown) {
      const kind = thrown instanceof LoadFault ? thrown.kind : "import";
      this.#send({ t: "failed", kind, text: thrownText(thrown) });
    }
  }

  /** The host has to hear at once of what is registered outside of a call. */
  #watched(handle: HookHandle): HookHandle {
    return {
      hook: handle.hook,
      open: (services) => {
        const version = handle.open(services);
        const { api } = version;
        for (const name of ["on", "registerCommand", "registerMessageRenderer"] as const) {
          const register: (...args: never[]) => void = api[name];
          Object.assign(api, {
            [name]: (...args: never[]): void => {
              register(...args);
              queueMicrotask(() => this.#tellTable());
            },
          });
        }
        return version;
      },
    };
  }

  #tellTable(): void {
    if (this.#table === "" || this.#handle === undefined) return;
    const table = tableOf(this.#handle.hook);
    const text = stringify(table);
    if (text === this.#table) return;
    this.#table = text;
    this.#send({ t: "table", table });
  }
}

function tableOf(hook: LoadedHook): HookTable {
  const handlers: Record<string, number> = {};
  for (const [name, list] of hook.handlers) handlers[name] = list.length;
  const commands = [...hook.commands.values()].map(({ name, description }) =>
    description === undefined ? { name } : { name, description: String(description) }
  );
  return { handlers, commands, renderers: [...hook.messageRenderers.keys()] };
}

/** Everything that `mod.ts` exports takes time to load, so it is loaded for those who name it. */
function unnamedDoor(): Readonly<Record<string, unknown>> {
  const refuse = (): never => {
    throw new Error("An isolated hook gets this only if its file names it in full: write pi.pi");
  };
  return new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse });
}

async function main(): Promise<void> {
  const [path, token] = programArguments();
  const link = await connectLink(path);
  const send = (message: ChildMessage): void => link.send(frameOf(stringify(message)));
  send({ t: "hello", token });
  const hook = new HookProcess(send);
  const reader = new FrameReader();
  for await (const bytes of link.bytes) {
    for (const text of reader.read(bytes)) hook.take(parse(text));
  }
  exitProcess(0);
}

await main();

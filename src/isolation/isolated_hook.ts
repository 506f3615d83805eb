/**
 * A hook whose handlers run in a process of their own. For the runner it is a hook like any other.
 *
 * What differs from a hook in the host's process, because it cannot be otherwise:
 *
 * - `ctx.ui.custom` is refused; renderers draw with a delay: the first time a message is drawn it has
 *   its default form.
 * - What a hook has just appended or sent shows in `ctx.sessionManager` when the host speaks to it
 *   the next time: after the next `await` of an answer, or at the next event.
 * - A hook sees the host as it was when it was asked; from a timer, as it was told last.
 * - `pi.appendEntry` and `pi.sendMessage` do not throw what the host throws; its log says it.
 * - `pi.typebox` is not there; `pi.pi` is, if the hook's file names it so.
 * - `ctx.modelRegistry.getApiKey` needs the permission `keys`; models come without their headers.
 * - Functions, promises and instances of classes do not cross: any use of such a value throws.
 * - Programs that a hook starts have the hook's environment, which is empty but for what is granted.
 * - In the `setup` of `newSession` the session manager has no `fork`, `newSession`, `setSessionFile`,
 *   `createBranchedSession` and `close`.
 * - State of a hook is lost when its process is started anew.
 *
 * What isolation does not stop: Deno compares paths as they are written, so a link that lies inside
 * of a granted folder leads wherever it leads; a granted program does whatever it can; a program
 * that made a session of its own is not ended with the hook.
 *
 * @module
 */

import { startIsolatedProcess } from "../deno/isolation_process.ts";
import type { IsolatedProcessOptions } from "../deno/isolation_process.ts";
import { thrownText } from "../errors.ts";
import { EVENT_POLICIES, isHookEventName } from "../events/policy.ts";
import { type LoadedHook, registrationsChanged, type StoredHandler } from "../hook.ts";
import { LoadFault } from "../import_fault.ts";
import type { HookMessage } from "../messages.ts";
import type { Component } from "../ports.ts";
import type { HookContext, HookLogger, HookMessageRenderer } from "../types.ts";
import { IsolationFault } from "./faults.ts";
import type { HostServices } from "./host_asks.ts";
import { HookSession, type LoadedTable } from "./host_session.ts";
import { handlerCounts, type HookTable, type HostMessage } from "./messages.ts";
import { pack } from "./values.ts";

/** How a hook is isolated. */
export interface IsolatedHookOptions {
  /** The hook, as the loader knows it. */
  identity: Pick<LoadedHook, "path" | "resolvedPath" | "source">;
  /** How its process is started. */
  process: Omit<IsolatedProcessOptions, "onLine">;
  /** What its process loads. */
  load: Omit<HostMessage & { t: "load" }, "t" | "path" | "resolvedPath">;
  /** How long a handler may take, in milliseconds; `0` for no limit. */
  limitMs: number;
  /** Whether it looks at the session. */
  followsSession: boolean;
  /** The log of the host. */
  logger: HookLogger;
  /** Runs commands in the place of the hook's process. */
  exec: HostServices["exec"];
}

/** How often a process that fails is started again in a row. */
const MAX_RESTARTS = 5;
const FIRST_DELAY_MS = 100;
/** Loading has its own limit inside; a loop in a module is not held up by that. */
const LOAD_GRACE_MS = 2000;

/** A hook in a process of its own. */
export class IsolatedHook {
  /** The hook for the runner. */
  readonly hook: LoadedHook;
  #options: IsolatedHookOptions;
  readonly #services: HostServices;
  readonly #ending = new Set<Promise<void>>();
  #session: HookSession | undefined;
  #starting: Promise<HookSession> | undefined;
  #failures = 0;
  #lastFault = "";
  #isOff = false;
  #isDisposed = false;
  #isOffSaid = false;

  private constructor(options: IsolatedHookOptions) {
    this.#options = options;
    const { identity, logger, exec, load: { mayReadKeys } } = options;
    this.#services = {
      hookPath: identity.path,
      logger,
      exec,
      mayReadKeys,
      sendMessage: undefined,
      appendEntry: undefined,
    };
    this.hook = {
      ...identity,
      handlers: new Map(),
      messageRenderers: new Map(),
      commands: new Map(),
      setSendMessageHandler: (handler) => {
        this.#services.sendMessage = handler;
        this.#session?.rebind();
      },
      setAppendEntryHandler: (handler) => {
        this.#services.appendEntry = handler;
        this.#session?.rebind();
      },
      dispose: () => this.dispose(),
    };
  }

  /**
   * Starts the process of a hook and loads the hook in it.
   *
   * @param options How.
   * @throws {LoadFault} If it does not load.
   */
  static async start(
    options: IsolatedHookOptions,
  ): Promise<{ isolated: IsolatedHook; table: LoadedTable }> {
    const isolated = new IsolatedHook(options);
    const { session, table } = await isolated.#begin(options);
    isolated.#session = session;
    isolated.#register(table.table);
    return { isolated, table };
  }

  /**
   * Loads it again in a new process. The old one goes on if that fails.
   *
   * @param options How, now.
   * @throws {LoadFault} If it does not load.
   */
  async reload(options: IsolatedHookOptions): Promise<LoadedTable> {
    const { session, table } = await this.#begin(options);
    const old = this.#session;
    this.#options = options;
    this.#session = session;
    this.#failures = 0;
    this.#isOff = this.#isOffSaid = false;
    this.#register(table.table);
    session.rebind();
    await old?.kill();
    return table;
  }

  /** Ends its process; it cannot be asked any more. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    const starting = await this.#starting?.catch(() => undefined);
    const session = this.#session ?? starting;
    this.#session = undefined;
    await session?.kill();
    await Promise.all(this.#ending);
  }

  async #begin(
    options: IsolatedHookOptions,
  ): Promise<{ session: HookSession; table: LoadedTable }> {
    const { identity: { path, resolvedPath }, logger, load } = options;
    let session: HookSession | undefined;
    try {
      const { process: program, token } = await startIsolatedProcess({
        ...options.process,
        onLine: (level, line) => logger[level](`${path}: ${line}`),
      });
      session = new HookSession(program, token, {
        services: this.#services,
        limitMs: options.limitMs,
        followsSession: options.followsSession,
        onTable: (table) => {
          if (this.#session === session) this.#register(table);
        },
        onAnswer: () => {
          this.#failures = 0;
        },
        onEnd: (fault) => {
          const end = program.kill().finally(() => this.#ending.delete(end));
          this.#ending.add(end);
          if (this.#session === session) this.#ended(fault);
        },
      });
    } catch (thrown) {
      throw new LoadFault("import", `its process cannot be started: ${thrownText(thrown)}`, thrown);
    }
    const stuck = setTimeout(
      () => session?.fail("does not react while it is loaded"),
      load.timeoutMs > 0 ? load.timeoutMs + LOAD_GRACE_MS : 2 ** 31 - 1,
    );
    try {
      const table = await session.load({ t: "load", path, resolvedPath, ...load });
      return { session, table };
    } catch (thrown) {
      await session.kill();
      throw thrown;
    } finally {
      clearTimeout(stuck);
    }
  }

  #ended(fault: string): void {
    this.#session = undefined;
    this.#lastFault = fault;
    if (!this.#isDisposed) {
      const { path } = this.hook;
      this.#services.logger.warn(`${path}: its isolated process ${fault}`);
    }
  }

  #register({ handlers, commands, renderers }: HookTable): void {
    const { hook } = this;
    hook.handlers = new Map();
    for (const [name, count] of handlerCounts({ handlers, commands, renderers })) {
      const list = Array.from({ length: count }, (_, index) => this.#handler(name, index));
      hook.handlers.set(name, list);
    }
    hook.commands = new Map(commands.map(({ name, description }) => [name, {
      name,
      ...description !== undefined && { description },
      handler: async (args, ctx) => {
        const session = this.#session ?? await this.#live();
        await session.command(name, args, ctx);
      },
    }]));
    hook.messageRenderers = new Map(renderers.map((name) => [name, this.#renderer(name)]));
    registrationsChanged();
  }

  #handler(name: string, index: number): StoredHandler {
    const isGate = isHookEventName(name) && EVENT_POLICIES[name].onThrow === "block";
    return (async (event: object, ctx: HookContext): Promise<unknown> => {
      if (this.#isOff && !isGate) {
        if (this.#isOffSaid) return undefined;
        this.#isOffSaid = true;
      }
      if (this.#session?.doubt !== undefined) await this.#session.doubt;
      const session = this.#session ?? await this.#live();
      return await session.event(name, index, event, ctx);
    }) as StoredHandler;
  }

  /** The process, started again if it has failed. */
  async #live(): Promise<HookSession> {
    const { path } = this.hook;
    if (this.#isDisposed) throw new IsolationFault(`Hook "${path}" is not loaded any more`);
    if (this.#session !== undefined) return this.#session;
    if (this.#failures >= MAX_RESTARTS) this.#isOff = true;
    if (this.#isOff) {
      throw new IsolationFault(
        `Hook "${path}" is off: its isolated process was started again ${MAX_RESTARTS} times and ` +
          `failed each time (it ${this.#lastFault}). Load the hook again when it is mended`,
      );
    }
    return await (this.#starting ??= this.#restart());
  }

  async #restart(): Promise<HookSession> {
    try {
      const delay = this.#failures === 0 ? 0 : FIRST_DELAY_MS * 2 ** (this.#failures - 1);
      this.#failures++;
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
      const { session, table } = await this.#begin(this.#options);
      if (session.isAlive) this.#session = session;
      this.#register(table.table);
      session.rebind();
      return session;
    } catch (thrown) {
      this.#lastFault = `did not load: ${thrownText(thrown)}`;
      const { path } = this.hook;
      throw new IsolationFault(
        `Hook "${path}": its isolated process could not be started again: ${thrownText(thrown)}`,
        { cause: thrown },
      );
    } finally {
      this.#starting = undefined;
    }
  }

  /** Lines come later than they are asked for, so a drawing is kept for the next time. */
  #renderer(name: string): HookMessageRenderer {
    return (message: HookMessage, { expanded }): Component => {
      const drawn = new Map<number, string[] | undefined>();
      return {
        invalidate: () => drawn.clear(),
        render: (width) => {
          if (!drawn.has(width)) {
            drawn.set(width, undefined);
            const call = { what: "render", name, message: pack(message), expanded, width } as const;
            void this.#session?.render(call).then((lines) => drawn.set(width, lines), () => {});
          }
          return drawn.get(width) ?? defaultLines(message);
        },
      };
    };
  }
}

function defaultLines({ content }: HookMessage): string[] {
  if (typeof content === "string") return content.split("\n");
  return content.flatMap((block) => block.type === "text" ? block.text.split("\n") : []);
}

/**
 * What the process of a hook asks of the host, done with the context of the call that asks.
 *
 * @module
 */

import type { SharedServices } from "../api.ts";
import type { HookMessageInput } from "../events/agent.ts";
import { checkHookMessage, checkJson } from "../events/checks.ts";
import type { AppendEntryHandler, SendMessageHandler } from "../hook.ts";
import type { Model, NotifyType, WritableSession } from "../ports.ts";
import type {
  ExecOptions,
  HookCommandContext,
  HookContext,
  HookLogger,
  SendMessageOptions,
} from "../types.ts";
import { argumentFault, type ASK_METHODS, ProtocolFault, type TELL_METHODS } from "./messages.ts";

/** The questions that a person answers, in their own time. */
export const DIALOGS: ReadonlySet<string> = new Set(["select", "confirm", "input", "editor"]);

/**
 * What did not cross has no place in what a hook says: its own side refuses it first.
 *
 * @param what The thing.
 * @throws {ProtocolFault} Always.
 */
export function refuseLost(what: string): never {
  throw new ProtocolFault(`${what} in a message`);
}

/** What the host offers to one hook. */
export interface HostServices {
  /** The hook. */
  readonly hookPath: string;
  /** The log. */
  readonly logger: HookLogger;
  /** Runs commands, if the host does that in the place of the hook's process. */
  readonly exec: SharedServices["exec"] | undefined;
  /** Whether the keys of models are granted. */
  readonly mayReadKeys: boolean;
  /** Delivers `pi.sendMessage`, if a session is bound. */
  sendMessage: SendMessageHandler | undefined;
  /** Delivers `pi.appendEntry`, if a session is bound. */
  appendEntry: AppendEntryHandler | undefined;
}

/**
 * Answers a question of a hook.
 *
 * @param method What it asks.
 * @param args With what, unpacked.
 * @param ctx The context of the call that asks; absent while the hook is loaded.
 * @param signal Fires when the question is taken back.
 * @param services What the host offers.
 * @param runSetup Runs the `setup` of a new session in the hook's process.
 * @throws {ProtocolFault} If nobody who follows the rules asks so.
 */
export async function answerAsk(
  method: typeof ASK_METHODS[number],
  args: readonly unknown[],
  ctx: HookContext | undefined,
  signal: AbortSignal,
  services: HostServices,
  runSetup: (session: WritableSession, ctx: HookContext) => Promise<void>,
): Promise<unknown> {
  assertArguments(method, args);
  const [first, second] = args;
  if (method === "exec") {
    if (services.exec === undefined) throw new ProtocolFault("it lets the host run a command");
    const options = { ...args[3] as ExecOptions, signal };
    return await services.exec(first as string, second as string[], args[2] as string, options);
  }
  if (ctx === undefined) throw new ProtocolFault("it asks before it was asked");
  const { ui } = ctx;
  switch (method) {
    case "select":
      return await ui.select(first as string, [...second as string[]], { signal });
    case "confirm":
      return await ui.confirm(first as string, second as string, { signal });
    case "input":
      return await ui.input(first as string, second as string | undefined, { signal });
    case "editor":
      return await ui.editor(first as string, second as string | undefined, { signal });
    case "getAvailable":
      return (await ctx.modelRegistry.getAvailable()).map(({ headers: _, ...model }) => model);
    case "getApiKey": {
      if (!services.mayReadKeys) throw new ProtocolFault("it asked for a key that it may not read");
      return await ctx.modelRegistry.getApiKey(modelOf(ctx, first as Model));
    }
  }
  if (!isCommandContext(ctx)) throw new ProtocolFault(`${method} was asked outside of a command`);
  switch (method) {
    case "waitForIdle":
      return await ctx.waitForIdle();
    case "branch":
      return await ctx.branch(first as string);
    case "navigateTree":
      return await ctx.navigateTree(first as string, second as { summarize?: boolean } | undefined);
    case "newSession": {
      const { parentSession, hasSetup } = first as { parentSession?: string; hasSetup?: boolean };
      return await ctx.newSession({
        ...parentSession !== undefined && { parentSession },
        ...hasSetup && { setup: (session) => runSetup(session, ctx) },
      });
    }
  }
}

/** The host's own object: what comes from the hook may say anything about where it is reached. */
function modelOf(ctx: HookContext, { provider, id }: Model): Model {
  const model = ctx.modelRegistry.find(String(provider), String(id));
  if (model === undefined) throw new Error(`There is no model ${provider}/${id}`);
  return model;
}

function isCommandContext(ctx: HookContext): ctx is HookCommandContext {
  return "newSession" in ctx;
}

/**
 * Does what a hook says without waiting.
 *
 * @param method What.
 * @param args With what, unpacked.
 * @param ctx The context of the call that says it, or the newest; absent before the first call.
 * @param services What the host offers.
 * @throws {ProtocolFault} If nobody who follows the rules says so.
 */
export function takeTell(
  method: typeof TELL_METHODS[number],
  args: readonly unknown[],
  ctx: HookContext | undefined,
  services: HostServices,
): void {
  assertArguments(method, args);
  const [first, second, third] = args;
  switch (method) {
    case "log": {
      const level = first as keyof HookLogger;
      const text = `${services.hookPath}: ${second}`;
      return third === undefined
        ? services.logger[level](text)
        : services.logger[level](text, third);
    }
    case "sendMessage": {
      const fault = checkHookMessage(first);
      if (fault !== undefined) throw new ProtocolFault(`the message that it sends ${fault}`);
      if (services.sendMessage === undefined) throw new ProtocolFault("it sends before it may");
      const sent = services.sendMessage(first as HookMessageInput, second as SendMessageOptions);
      return void Promise.resolve(sent).catch(() => {});
    }
    case "appendEntry": {
      const fault = checkJson(second);
      if (fault !== undefined) throw new ProtocolFault(`the data of its entry ${fault}`);
      if (services.appendEntry === undefined) throw new ProtocolFault("it appends before it may");
      return services.appendEntry(first as string, second);
    }
  }
  if (ctx === undefined) return;
  switch (method) {
    case "notify":
      return ctx.ui.notify(first as string, second as NotifyType | undefined);
    case "setStatus":
      return ctx.ui.setStatus(first as string, second as string | undefined);
    case "setEditorText":
      return ctx.ui.setEditorText(first as string);
    case "abort":
      return ctx.abort();
  }
}

function assertArguments(
  method: typeof ASK_METHODS[number] | typeof TELL_METHODS[number],
  args: readonly unknown[],
): void {
  const fault = argumentFault(method, args);
  if (fault !== undefined) throw new ProtocolFault(fault);
}

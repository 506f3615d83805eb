/**
 * `LoadedHook`: what the loader makes and the runner runs, and the one thing they share.
 *
 * @module
 */

import type { HookMessageInput } from "./events/agent.ts";
import type { HookMessageRenderer, RegisteredCommand, SendMessageOptions } from "./types.ts";

/** A handler as it is stored, whatever its event. */
export type StoredHandler = (event: never, ctx: never) => unknown;

/** Delivers `pi.sendMessage`. */
export type SendMessageHandler = (
  message: HookMessageInput,
  options?: SendMessageOptions,
) => void | Promise<void>;

/** Delivers `pi.appendEntry`. */
export type AppendEntryHandler = (customType: string, data?: unknown) => void;

/** Where a hook was found, for listings; it does not filter which events its handlers get. */
export interface HookSource {
  /** The provider that found it, or `configured`. */
  provider: string;
  /** Whether it belongs to the person or to the project. */
  level?: "user" | "project";
  /** The folder it was found in. */
  type?: "pre" | "post";
  /** The tool in its file name, `*` for every tool. */
  tool?: string;
}

/**
 * A hook that was loaded: data, and the functions that bind it to a session. A test or a host may
 * also make one by hand; after changing `handlers` by hand, call `registrationsChanged`.
 */
export interface LoadedHook {
  /** The path as it was given. */
  path: string;
  /** The real file path, or the `https:`, `jsr:` or `npm:` specifier. */
  resolvedPath: string;
  /** Where it was found. */
  source?: HookSource;
  /** Handlers by event, in order of registration. */
  handlers: Map<string, StoredHandler[]>;
  /** Renderers by message type. */
  messageRenderers: Map<string, HookMessageRenderer>;
  /** Commands by name. */
  commands: Map<string, RegisteredCommand>;
  /** Binds `pi.sendMessage`. Called by the runner. */
  setSendMessageHandler(handler: SendMessageHandler): void;
  /** Binds `pi.appendEntry`. Called by the runner. */
  setAppendEntryHandler(handler: AppendEntryHandler): void;
  /** Sets the folder that `pi.exec` starts from. Called by the runner; default: the loader's. */
  setCwd?(cwd: string): void;
  /** Ends what the hook runs in, if that is a process of its own. */
  dispose?(): Promise<void>;
}

let revision = 0;

/**
 * Tells all runners that the handlers of some hook have changed: their lists are made anew before
 * the next event. One number for all hooks, so that asking costs one comparison an event.
 */
export function registrationsChanged(): void {
  revision++;
}

/** The number of changes so far. */
export function registrationRevision(): number {
  return revision;
}

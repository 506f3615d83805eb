/**
 * The slash commands that the terminal brings along.
 *
 * @module
 */

import {
  type HookHost,
  type LoadHooksResult,
  reloadHook,
  type SessionEntry,
  SessionManager,
} from "../../mod.ts";
import { listText } from "./list.ts";
import { shown } from "./show.ts";
import type { ScreenUI } from "./screen_ui.ts";
import type { Style } from "./terminal.ts";

/** What commands may use. */
export interface Workbench {
  /** The agent. */
  readonly host: HookHost;
  /** Questions. */
  readonly ui: ScreenUI;
  /** Colours. */
  readonly style: Style;
  /** What was loaded. */
  readonly loaded: LoadHooksResult & { cwd: string };
  /** Fires when the person stops what is going on. */
  readonly signal: AbortSignal | undefined;
  /** Whether what becomes of every handler is shown. */
  wantsTrace: boolean;
  /** Writes lines that stay; whoever calls has made them harmless. */
  print(text: string): void;
  /** Ends the program. */
  quit(): void;
}

/** A command. */
export interface BuiltIn {
  /** Its name, without the slash. */
  name: string;
  /** What it does. */
  about: string;
  /** Does it. */
  run(args: string, workbench: Workbench): Promise<void>;
}

/** All of them. */
export const BUILT_INS: readonly BuiltIn[] = [
  { name: "help", about: "Show what there is", run: help },
  {
    name: "hooks",
    about: "Show what is loaded",
    run: async (_, { print, loaded, style }) => await print(listText(loaded, style)),
  },
  {
    name: "trace",
    about: "Show what becomes of every handler, or stop it",
    run: async (_, workbench) => {
      workbench.wantsTrace = !workbench.wantsTrace;
      await workbench.print(`Tracing is ${workbench.wantsTrace ? "on" : "off"}`);
    },
  },
  { name: "reload", about: "Load the hook files anew", run: reload },
  {
    name: "new",
    about: "Begin a new session",
    run: async (_, { host, print }) => print(cancelText(await host.newSession(), "A new session")),
  },
  { name: "resume", about: "Go on in another session of this folder", run: resume },
  { name: "branch", about: "Begin anew before a message of yours", run: branch },
  { name: "tree", about: "Go to another place of the session", run: tree },
  {
    name: "compact",
    about: "Replace the older part of the conversation by a summary",
    run: async (args, { host, print }) => {
      await host.compact(args || undefined);
      print("The conversation was compacted");
    },
  },
  { name: "quit", about: "End; Ctrl+D does the same", run: async (_, { quit }) => await quit() },
];

async function help(_: string, { print, host, style }: Workbench): Promise<void> {
  const own = host.runner.getRegisteredCommands().map(({ name, description = "" }) =>
    [`/${name}`, description] as const
  );
  const rows = [
    ["!command", "Run bash, through the hooks"] as const,
    ["@read path", "Run a tool, through the hooks; arguments may be JSON"] as const,
    ...BUILT_INS.map(({ name, about }) => [`/${name}`, about] as const),
    ...own,
  ];
  await print(
    rows.map(([name, about]) => `  ${style.cyan(shown(name).padEnd(14))} ${shown(about)}`)
      .join("\n"),
  );
}

async function reload(_: string, { loaded, print, style }: Workbench): Promise<void> {
  for (const hook of loaded.hooks) {
    const fault = await reloadHook(hook);
    print(
      fault === undefined
        ? `${style.green("✓")} ${shown(hook.path)}`
        : `${style.red("✗")} ${shown(hook.path)} goes on as it was: ${shown(fault.error)}`,
    );
  }
}

async function resume(_: string, { host, ui, print, loaded }: Workbench): Promise<void> {
  const sessions = (await SessionManager.list(loaded.cwd))
    .filter(({ path }) => path !== host.session.getSessionFile());
  if (sessions.length === 0) return print("There is no other session of this folder");
  const labels = sessions.map(({ path }, index) =>
    `${index + 1} ${path.slice(path.lastIndexOf("/") + 1)}`
  );
  const chosen = await ui.select("Which session?", labels);
  if (chosen === undefined) return;
  const { path } = sessions[labels.indexOf(chosen)];
  print(cancelText(await host.switchSession(path), "The session"));
}

async function branch(_: string, { host, ui, print }: Workbench): Promise<void> {
  const entry = await choose(
    ui,
    host.session.getBranch().filter((one) => one.type === "message" && one.message.role === "user"),
    "Before which message?",
  );
  if (entry === undefined) return print("There is no message of yours to branch from");
  print(cancelText(await host.branch(entry.id), "The branch"));
}

async function tree(_: string, { host, ui, print }: Workbench): Promise<void> {
  const entry = await choose(ui, host.session.getEntries(), "Where to?");
  if (entry === undefined) return print("There is no place to go to");
  print(cancelText(await host.navigateTree(entry.id), "The place"));
}

async function choose(
  ui: ScreenUI,
  entries: readonly SessionEntry[],
  title: string,
): Promise<SessionEntry | undefined> {
  if (entries.length === 0) return undefined;
  const labels = entries.map((entry, index) => `${index + 1} ${entryText(entry)}`);
  const chosen = await ui.select(title, labels);
  return chosen === undefined ? undefined : entries[labels.indexOf(chosen)];
}

function entryText(entry: SessionEntry): string {
  if (entry.type !== "message") return entry.type;
  const { message } = entry;
  const text = "content" in message ? message.content : "";
  return `${message.role}: ${shown(text, 60)}`;
}

function cancelText({ cancelled }: { cancelled: boolean }, what: string): string {
  return cancelled ? `${what} was refused by a hook` : `${what} is there`;
}

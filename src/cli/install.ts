/**
 * `pi-hooks install` and `uninstall`: puts hooks into the settings of an agent, and takes them out.
 *
 * @module
 */

import { agentNamed } from "../agents/agents.ts";
import {
  INSTALLABLE,
  type Level,
  opencodePlugin,
  settingsPlan,
  withoutHooks,
} from "../agents/settings.ts";
import { nearest } from "../nearest.ts";
import type { Command } from "./command.ts";
import type { ParsedOptions } from "./options.ts";
import { SHARED_OPTIONS, UsageError } from "./options.ts";
import { programWords, stubPath } from "./installed.ts";
import { ownFolder, tokenFile } from "./serve_token.ts";
import { applyChange, diffText, type FileChange, readOrNothing } from "./settings_file.ts";
import { stubScript } from "./stub.ts";
import type { Terminal } from "./terminal.ts";

const LEVEL_OPTIONS = [
  { name: "user", about: "For yourself, everywhere (the default)" },
  { name: "project", about: "For this project" },
  { name: "dry-run", about: "Show what would be written, and write nothing" },
];

/** The command that installs. */
export const installCommand: Command = {
  name: "install",
  summary: "Put hooks into the settings of a coding agent",
  usage: `pi-hooks install ${INSTALLABLE.join("|")} [--user|--project] --hook PATH …`,
  details: [
    "Shows what it changes, keeps what is there, and leaves a copy of each file it changes. The",
    "agent is told to treat a hook that fails as a no, where it can be told.",
  ],
  examples: [
    ["Guard Claude Code everywhere", "pi-hooks install claude --hook ./gate.ts"],
    ["Look first", "pi-hooks install codex --project --hook ./gate.ts --dry-run"],
    ["Take it out again", "pi-hooks uninstall claude"],
  ],
  options: [
    ...SHARED_OPTIONS,
    ...LEVEL_OPTIONS,
    { name: "ask", about: "Let the agent ask the person what hooks ask in a gate, where it can" },
    { name: "no-resident", about: "Start a process for each event; slower, and nothing stays" },
  ],
  run: (options, terminal) => change(options, terminal, false),
};

/** The command that takes out. */
export const uninstallCommand: Command = {
  name: "uninstall",
  summary: "Take hooks out of the settings of a coding agent",
  usage: `pi-hooks uninstall ${INSTALLABLE.join("|")} [--user|--project]`,
  details: ["Takes out what install has put in, and nothing else."],
  examples: [
    ["For yourself", "pi-hooks uninstall claude"],
    ["For this project", "pi-hooks uninstall claude --project"],
    ["Look first", "pi-hooks uninstall claude --dry-run"],
  ],
  options: [...SHARED_OPTIONS, ...LEVEL_OPTIONS],
  run: (options, terminal) => change(options, terminal, true),
};

async function change(
  options: ParsedOptions,
  terminal: Terminal,
  takesOut: boolean,
): Promise<number> {
  const name = options.positionals[0] ?? "";
  if (!INSTALLABLE.includes(name) || options.positionals.length > 1) {
    const near = nearest(name, INSTALLABLE);
    const hint = near === undefined ? "" : `. Did you mean ${near}?`;
    throw new UsageError(`Name one agent: ${INSTALLABLE.join(", ")}${hint}`);
  }
  if (options.has("user") && options.has("project")) {
    throw new UsageError("--user and --project cannot both be given");
  }
  const level: Level = options.has("project") ? "project" : "user";
  const cwd = Deno.realPathSync(options.value("cwd") ?? Deno.cwd());
  const hooks = options.values("hook").map((path) => hookFile(path, cwd));
  if (!takesOut && hooks.length === 0) throw new UsageError("install needs --hook PATH");
  const place = { agent: name, level, cwd };
  const changes = takesOut ? removals(place) : additions(place, hooks, options);
  const real = changes.filter(({ before, after }) => before !== after);
  if (real.length === 0) {
    terminal.tell(takesOut ? "There is nothing of ours to take out." : "All is there already.");
    return 0;
  }
  for (const one of real) await terminal.write(diffText(one));
  if (options.has("dry-run")) return 0;
  for (const one of real) {
    const backup = applyChange(one);
    if (backup !== undefined) terminal.tell(`The former ${one.path} is kept as ${backup}`);
  }
  if (!takesOut) {
    for (const hint of settingsPlan(name, level, "").hints) terminal.tell(hint);
    terminal.tell("See whether it works: pi-hooks doctor");
  }
  return 0;
}

/** Where something is installed. */
interface InstallPlace {
  agent: string;
  level: Level;
  cwd: string;
}

function rootOf({ level, cwd }: InstallPlace): string {
  if (level === "project") return cwd;
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  if (!home) throw new UsageError("There is no HOME; use --project");
  return home;
}

/** The hooks have to be found from wherever the agent starts them. */
function hookFile(path: string, cwd: string): string {
  if (/^[a-z]{2,}:/i.test(path)) return path;
  const expanded = path.startsWith("~/") ? `${Deno.env.get("HOME") ?? "~"}${path.slice(1)}` : path;
  try {
    return Deno.realPathSync(expanded.startsWith("/") ? expanded : `${cwd}/${expanded}`);
  } catch {
    throw new UsageError(`There is no hook ${path}`);
  }
}

function additions(place: InstallPlace, hooks: string[], options: ParsedOptions): FileChange[] {
  const { agent, level, cwd } = place;
  const stub = stubPath(agent, level, cwd);
  const plan = settingsPlan(agent, level, stub);
  const path = `${rootOf(place)}/${plan.path}`;
  if (plan.form.kind === "link") return hooks.map((hook) => bridgeFile(path, hook));
  const dialect = agentNamed(agent)!;
  const timeout = options.value("timeout");
  const hookOptions = [
    "--no-discovery",
    ...hooks.flatMap((hook) => ["--hook", hook]),
    ...timeout === undefined ? [] : ["--timeout", timeout],
  ];
  const script = stubScript({
    agent: dialect,
    program: programWords(),
    hookOptions,
    mayAsk: options.has("ask"),
    socket: options.has("no-resident") ? undefined : stub.replace(/\.sh$/, ".sock"),
    tokenFile: tokenFile(),
  });
  const before = readOrNothing(path);
  const after = plan.form.kind === "plugin"
    ? opencodePlugin(stub)
    : jsonText(plan.form.merge(parseSettings(path, before), isOwnEntry));
  const isPlugin = plan.form.kind === "plugin";
  return [
    { path: stub, before: readOrNothing(stub), after: script, isOwn: true },
    { path, before, after, ...(isPlugin && { isOwn: true }) },
  ];
}

function removals(place: InstallPlace): FileChange[] {
  const { agent, level, cwd } = place;
  const stub = stubPath(agent, level, cwd);
  const plan = settingsPlan(agent, level, stub);
  const path = `${rootOf(place)}/${plan.path}`;
  if (plan.form.kind === "link") return bridgesIn(path);
  const before = readOrNothing(path);
  const own = { after: undefined, isOwn: true } as const;
  const script: FileChange = { path: stub, before: readOrNothing(stub), ...own };
  if (before === undefined) return [script];
  if (plan.form.kind === "plugin") return [{ path, before, ...own }, script];
  const settings = withoutHooks(parseSettings(path, before), isOwnEntry);
  const isEmpty = Object.keys(settings).every((key) => key === "version");
  const isSame = JSON.stringify(settings) === JSON.stringify(parseSettings(path, before));
  const after = isSame ? before : isEmpty ? undefined : jsonText(settings);
  return [{ path, before, after }, script];
}

const BRIDGE = "// Made by: pi-hooks install";

/** Agents that load hook files themselves get a file that leads to the hook. */
function bridgeFile(folder: string, hook: string): FileChange {
  const name = hook.split(/[\\/]/).at(-1)!.replace(/\.[^.]*$/, "");
  const path = `${folder}/${name}.ts`;
  const before = readOrNothing(path);
  if (before !== undefined && !before.startsWith(BRIDGE)) {
    throw new UsageError(`${path} is there already, and it is not ours`);
  }
  const target = JSON.stringify(hook.startsWith("/") ? `file://${encodeURI(hook)}` : hook);
  return { path, before, after: `${BRIDGE}\nexport { default } from ${target};\n`, isOwn: true };
}

function bridgesIn(folder: string): FileChange[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`)
      .map((path): FileChange => ({
        path,
        before: readOrNothing(path),
        after: undefined,
        isOwn: true,
      }))
      .filter(({ before }) => before?.startsWith(BRIDGE));
  } catch {
    return [];
  }
}

/** An entry is ours if its command starts a script of ours. */
function isOwnEntry(entry: unknown): boolean {
  return JSON.stringify(entry).includes(JSON.stringify(`${ownFolder()}/stubs/`).slice(1, -1));
}

function parseSettings(path: string, text: string | undefined): Record<string, unknown> {
  if (text === undefined || text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch (error) {
    throw new UsageError(`${path} is not JSON, so it is left alone: ${(error as Error).message}`);
  }
  throw new UsageError(`${path} is not a JSON object, so it is left alone`);
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

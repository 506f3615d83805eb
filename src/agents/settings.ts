/**
 * Where agents keep their hooks, and what has to stand there.
 *
 * @module
 */

import { shellWord } from "./arguments.ts";
import { agentNamed } from "./agents.ts";
import type { JsonObject } from "./dialect.ts";

/** For the person everywhere, or for one project. */
export type Level = "user" | "project";

/** One place where something is written. */
export interface SettingsPlan {
  /** The file, from the home folder or from the project. */
  path: string;
  /** How it comes about. */
  form:
    | { kind: "json"; merge(before: JsonObject, isOwn: (entry: unknown) => boolean): JsonObject }
    | { kind: "plugin" }
    | { kind: "link" };
  /** What else the person has to know or to do. */
  hints: readonly string[];
}

/** How long agents wait, in seconds: longer than the hooks have. */
const WAIT_SECONDS = 30;

/** The end of a session is cut short by agents that are told nothing. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  claude: [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "PreCompact",
  ],
  gemini: ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd"],
  codex: ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop", "PreCompact"],
  copilot: [
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "userPromptSubmitted",
    "sessionStart",
    "sessionEnd",
    "agentStop",
  ],
  cursor: [
    "preToolUse",
    "postToolUse",
    "beforeSubmitPrompt",
    "sessionStart",
    "sessionEnd",
    "stop",
  ],
};

/** Files of settings, by agent: the one of the person, the one of a project. */
const FILES: Readonly<Record<string, Readonly<Record<Level, string>>>> = {
  claude: { user: ".claude/settings.json", project: ".claude/settings.json" },
  gemini: { user: ".gemini/settings.json", project: ".gemini/settings.json" },
  codex: { user: ".codex/hooks.json", project: ".codex/hooks.json" },
  copilot: { user: ".copilot/hooks/pi-hooks.json", project: ".github/hooks/pi-hooks.json" },
  cursor: { user: ".cursor/hooks.json", project: ".cursor/hooks.json" },
  opencode: {
    user: ".config/opencode/plugin/pi-hooks.js",
    project: ".opencode/plugin/pi-hooks.js",
  },
  pi: { user: ".pi/agent/extensions", project: ".pi/extensions" },
  omp: { user: ".omp/agent/hooks/pre", project: ".omp/hooks/pre" },
  xcsh: { user: ".xcsh/agent/hooks/pre", project: ".xcsh/hooks/pre" },
};

const HINTS: Readonly<Record<string, readonly string[]>> = {
  claude: [
    "Copilot CLI runs the hooks of a project's .claude/settings.json too; it is recognised.",
  ],
  gemini: ["Hooks of a project did not run when this was tried; --user does."],
  codex: [
    "Codex runs a hook only after you have trusted it: start codex, open /hooks, and trust these.",
    "Until then it skips them without a word.",
  ],
  copilot: ["Hooks of a repository load only in a folder that Copilot trusts."],
  cursor: ["Written from Cursor's documentation; it was not tried."],
  opencode: ["The plugin needs the resident process; it starts it, and blocks tools without it."],
  pi: ["pi loads the hook itself."],
  omp: ["oh-my-pi loads the hook itself."],
  xcsh: ["xcsh loads the hook itself."],
};

/** The agents that something can be installed for. */
export const INSTALLABLE: readonly string[] = Object.keys(FILES);

/**
 * What has to be written for an agent.
 *
 * @param agent Its name.
 * @param level For whom.
 * @param stub The script that the agent shall start.
 */
export function settingsPlan(agent: string, level: Level, stub: string): SettingsPlan {
  const path = FILES[agent][level];
  const hints = HINTS[agent].filter((hint) => agent !== "gemini" || level === "project" || !hint);
  if (agent === "opencode") return { path, form: { kind: "plugin" }, hints };
  if (EVENTS[agent] === undefined) return { path, form: { kind: "link" }, hints };
  return {
    path,
    hints,
    form: {
      kind: "json",
      merge: (before, isOwn) =>
        mergeHooks(agent, before, isOwn, (event) => command(agent, event, stub)),
    },
  };
}

/** A script that is missing must not look like one that has no objection. */
function command(agent: string, event: string, stub: string): string {
  const isGate = agentNamed(agent)?.events[event]?.event === "tool_call";
  return `sh ${shellWord(stub)} ${event}${isGate ? " || exit 2" : ""}`;
}

/** The entry of an event, in the agent's form. */
function entryFor(agent: string, event: string, line: string): JsonObject {
  const isGate = agentNamed(agent)?.events[event]?.event === "tool_call";
  const isTool = /tool/i.test(event);
  switch (agent) {
    case "copilot":
      return { type: "command", bash: line, timeoutSec: WAIT_SECONDS };
    case "cursor":
      return { command: line, timeout: WAIT_SECONDS, ...(isGate && { failClosed: true }) };
    default: {
      const timeout = agent === "gemini" ? WAIT_SECONDS * 1000 : WAIT_SECONDS;
      const name = agent === "gemini" ? { name: `pi-hooks ${event}` } : {};
      const onFailure = agent === "claude" && isGate ? { onFailure: "block" } : {};
      const hook = { type: "command", ...name, command: line, timeout, ...onFailure };
      return { ...(isTool && { matcher: "*" }), hooks: [hook] };
    }
  }
}

/** Takes entries of ours away, and puts the new ones in; everything else stays. */
function mergeHooks(
  agent: string,
  before: JsonObject,
  isOwn: (entry: unknown) => boolean,
  lineFor: ((event: string) => string) | undefined,
): JsonObject {
  const hooks: JsonObject = { ...(isObject(before.hooks) ? before.hooks : {}) };
  for (const [event, entries] of Object.entries(hooks)) {
    if (!Array.isArray(entries)) continue;
    const kept = entries.filter((entry) => !isOwn(entry));
    if (kept.length > 0) hooks[event] = kept;
    else if (entries.length > 0) delete hooks[event];
  }
  for (const event of lineFor === undefined ? [] : EVENTS[agent]) {
    const others = Array.isArray(hooks[event]) ? hooks[event] : [];
    hooks[event] = [...others, entryFor(agent, event, lineFor!(event))];
  }
  const needsVersion = (agent === "copilot" || agent === "cursor") && before.version === undefined;
  const after: JsonObject = { ...(needsVersion && { version: 1 }), ...before, hooks };
  if (Object.keys(hooks).length === 0) delete after.hooks;
  return after;
}

/**
 * Takes everything of ours out of an agent's settings.
 *
 * @param before The settings.
 * @param isOwn Whether an entry is ours.
 */
export function withoutHooks(before: JsonObject, isOwn: (entry: unknown) => boolean): JsonObject {
  return mergeHooks("", before, isOwn, undefined);
}

/**
 * Lists the command lines in settings, whatever their form.
 *
 * @param settings The settings.
 */
export function commandLines(settings: JsonObject): { event: string; line: string }[] {
  const found: { event: string; line: string }[] = [];
  const hooks = isObject(settings.hooks) ? settings.hooks : {};
  for (const [event, entries] of Object.entries(hooks)) {
    for (const entry of Array.isArray(entries) ? entries : []) {
      const list = isObject(entry) && Array.isArray(entry.hooks) ? entry.hooks : [entry];
      for (const hook of list.filter(isObject)) {
        const line = hook.command ?? hook.bash;
        if (typeof line === "string") found.push({ event, line });
      }
    }
  }
  return found;
}

/**
 * The plugin for OpenCode.
 *
 * @param stub The script that answers.
 */
export function opencodePlugin(stub: string): string {
  return `// Asks the hooks of pi-hooks about tools. Made by: pi-hooks install
import { spawn } from "node:child_process";

const STUB = ${JSON.stringify(stub)};

function ask(event, payload) {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", [STUB, event], { stdio: ["pipe", "pipe", "pipe"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), ${WAIT_SECONDS}_000);
    let out = "";
    let err = "";
    child.stdout.on("data", (data) => out += data);
    child.stderr.on("data", (data) => err += data);
    child.stdin.on("error", () => {});
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code !== 0) return reject(new Error(err.trim() || "pi-hooks gave no answer"));
      try {
        resolve(out.trim() === "" ? {} : JSON.parse(out));
      } catch {
        reject(new Error("pi-hooks gave an answer that is no JSON"));
      }
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

export const PiHooks = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const hook = "tool.execute.before";
    const answer = await ask(hook, { hook, input, output, directory });
    // Whatever is thrown here is what the model reads in place of a result.
    if (answer.block) throw new Error(answer.reason);
  },
  "chat.message": async (input, output) => {
    const hook = "chat.message";
    const answer = await ask(hook, { hook, input, output, directory }).catch(() => ({}));
    const part = output.parts.find(({ type }) => type === "text");
    if (typeof answer.context === "string" && part) part.text += "\\n\\n" + answer.context;
  },
  "tool.execute.after": async (input, output) => {
    const hook = "tool.execute.after";
    const answer = await ask(hook, { hook, input, output, directory }).catch(() => ({}));
    if (typeof answer.output !== "string") return;
    if (Array.isArray(output.content)) output.content = [{ type: "text", text: answer.output }];
    else output.output = answer.output;
  },
});
`;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * `pi-hooks doctor`: what is installed where, whether it really works, and what agents skip without
 * a word.
 *
 * @module
 */

import { agentNamed, AGENTS } from "../agents/agents.ts";
import type { Agent } from "../agents/dialect.ts";
import { commandLines, INSTALLABLE, type Level, settingsPlan } from "../agents/settings.ts";
import type { Command } from "./command.ts";
import { stubPath } from "./installed.ts";
import type { ParsedOptions } from "./options.ts";
import { SHARED_OPTIONS } from "./options.ts";
import { ownFolder } from "./serve_token.ts";
import { readOrNothing } from "./settings_file.ts";
import type { Terminal } from "./terminal.ts";

/** How long a probe may take, in milliseconds. */
const PROBE_MS = 60_000;

/** The command. */
export const doctorCommand: Command = {
  name: "doctor",
  summary: "Show what is installed for which agent, and whether it works",
  usage: "pi-hooks doctor [AGENT …]",
  details: [
    "Each installed command line is started as the agent would start it, once with a harmless call",
    "and once with a payload that is cut off, which must not pass. Exit code 1 if something is wrong.",
  ],
  examples: [
    ["All agents", "pi-hooks doctor"],
    ["One agent", "pi-hooks doctor claude"],
    ["For a program", "pi-hooks doctor --json"],
  ],
  options: SHARED_OPTIONS,
  run: examine,
};

/** What was found in one place. */
interface Finding {
  agent: string;
  level: Level;
  path: string;
  works: boolean;
  remarks: string[];
}

async function examine(options: ParsedOptions, terminal: Terminal): Promise<number> {
  const cwd = Deno.realPathSync(options.value("cwd") ?? Deno.cwd());
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE") ?? "";
  const wanted = options.positionals.length === 0 ? INSTALLABLE : options.positionals;
  const findings: Finding[] = [];
  for (const agent of INSTALLABLE.filter((name) => wanted.includes(name))) {
    for (const level of ["user", "project"] as const) {
      const root = level === "user" ? home : cwd;
      const finding = await examinePlace(agent, level, root, cwd);
      if (finding !== undefined) findings.push(finding);
    }
  }
  if (options.has("json")) await terminal.write(`${JSON.stringify(findings)}\n`);
  else await terminal.write(reportText(findings, terminal));
  return findings.every(({ works }) => works) ? 0 : 1;
}

async function examinePlace(
  agent: string,
  level: Level,
  root: string,
  cwd: string,
): Promise<Finding | undefined> {
  const stub = stubPath(agent, level, cwd);
  const plan = settingsPlan(agent, level, stub);
  const path = `${root}/${plan.path}`;
  const traps = AGENTS.find(({ name }) => name === agent)?.traps ?? [];
  const remarks = [...plan.hints, ...traps];
  if (plan.form.kind === "link") {
    const files = bridgesIn(path);
    if (files.length === 0) return undefined;
    const gone = files.filter(({ target }) => !isThere(target));
    for (const { target } of gone) remarks.unshift(`FAULT the hook is gone: ${target}`);
    return { agent, level, path, works: gone.length === 0, remarks };
  }
  const text = readOrNothing(path);
  if (text === undefined) return undefined;
  const dialect = agentNamed(agent)!;
  const gate = gateOf(dialect);
  const lines = plan.form.kind === "plugin"
    ? text.includes(stub) ? [`sh '${stub}' ${gate}`] : []
    : ownLines(text, gate);
  if (lines === undefined) {
    return {
      agent,
      level,
      path,
      works: false,
      remarks: ["FAULT the file is not JSON", ...remarks],
    };
  }
  if (lines.length === 0) return undefined;
  const faults: string[] = [];
  for (const line of lines) faults.push(...await probe(dialect, gate, line, cwd));
  return { agent, level, path, works: faults.length === 0, remarks: [...faults, ...remarks] };
}

/** The event that is tried: the first one before a tool. */
function gateOf({ events }: Agent): string {
  return Object.keys(events).find((name) => events[name].event === "tool_call")!;
}

function ownLines(text: string, gate: string): string[] | undefined {
  try {
    return commandLines(JSON.parse(text))
      .filter(({ event, line }) => event === gate && line.includes(`${ownFolder()}/stubs/`))
      .map(({ line }) => line);
  } catch {
    return undefined;
  }
}

/** Starts a command line as the agent would. */
async function probe(agent: Agent, gate: string, line: string, cwd: string): Promise<string[]> {
  const harmless = await run(line, JSON.stringify(harmlessPayload(agent, gate, cwd)), cwd);
  const faults: string[] = [];
  if (harmless.code !== 0) {
    faults.push(`FAULT a harmless call ended with exit code ${harmless.code}: ${harmless.stderr}`);
  } else if (!isJson(harmless.stdout)) {
    faults.push(`FAULT a harmless call was not answered with JSON: ${harmless.stdout}`);
  } else if (harmless.stdout.includes("This is a fault")) {
    faults.push(`FAULT hooks cannot be asked: ${harmless.stdout}`);
  }
  const torn = await run(line, '{"hook_event_name":"', cwd);
  if (torn.code === 0 && !torn.stdout.includes("This is a fault")) {
    faults.push(`FAULT a payload that is cut off passes: ${torn.stdout}`);
  }
  return faults;
}

function harmlessPayload(agent: Agent, gate: string, cwd: string): Record<string, unknown> {
  const args = { command: "echo pi-hooks" };
  if (agent.name === "opencode") {
    const input = { tool: "bash", sessionID: "pi-hooks-doctor", callID: "probe" };
    return { hook: gate, input, output: { args }, directory: cwd };
  }
  if (agent.name === "copilot") {
    return { sessionId: "pi-hooks-doctor", timestamp: 0, cwd, toolName: "bash", toolArgs: args };
  }
  return {
    session_id: "pi-hooks-doctor",
    conversation_id: "pi-hooks-doctor",
    cwd,
    hook_event_name: gate,
    tool_name: agent.name === "gemini" ? "run_shell_command" : "Bash",
    tool_input: args,
  };
}

async function run(
  line: string,
  stdin: string,
  cwd: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = new Deno.Command("sh", {
    args: ["-c", line],
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(PROBE_MS),
  }).spawn();
  const writer = child.stdin.getWriter();
  const writing = writer.write(new TextEncoder().encode(stdin)).then(() => writer.close());
  const [output] = await Promise.all([child.output(), writing.catch(() => {})]);
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  return { code: output.code, stdout: text(output.stdout), stderr: text(output.stderr) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function bridgesIn(folder: string): { path: string; target: string }[] {
  try {
    return [...Deno.readDirSync(folder)].flatMap(({ name }) => {
      const path = `${folder}/${name}`;
      const [, target] = /^\/\/ Made by: pi-hooks install\nexport .* from "(.*)";/
        .exec(readOrNothing(path) ?? "") ?? [];
      return target === undefined ? [] : [{ path, target }];
    });
  } catch {
    return [];
  }
}

function isThere(target: string): boolean {
  if (!target.startsWith("file://")) return true;
  try {
    return Deno.statSync(new URL(target)).isFile;
  } catch {
    return false;
  }
}

function reportText(findings: Finding[], terminal: Terminal): string {
  const { bold, dim, red, green } = terminal.style.out;
  if (findings.length === 0) return "Nothing is installed. Start with: pi-hooks install claude\n";
  return findings.map(({ agent, level, path, works, remarks }) =>
    [
      `${works ? green("ok") : red("not ok")}  ${bold(agent)} (${level})  ${dim(path)}`,
      ...remarks.map((remark) => `    ${remark.startsWith("FAULT") ? red(remark) : dim(remark)}`),
      "",
    ].join("\n")
  ).join("\n");
}

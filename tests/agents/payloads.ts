/**
 * Payloads of agents, cut down to the fields that matter, and the ways to ask about them.
 *
 * @module
 */

import { agentNamed } from "../../src/agents/agents.ts";
import { answerPayload, type AnswerSetup } from "../../src/agents/answer.ts";
import type { AgentAnswer } from "../../src/agents/dialect.ts";
import type { LoadedHook } from "../../src/hook.ts";
import type { Left } from "./reading.ts";

type Fields = Record<string, unknown>;

/** The payload of an event before a tool. */
export interface GatePayload {
  /** The agent. */
  agent: string;
  /** The event. */
  event: string;
  /** What the agent would send about a shell command. */
  shell(command: string): Fields;
  /** What it would send about writing a file, if it does. */
  write?(path: string): Fields;
}

const CLAUDE = { session_id: "s1", transcript_path: "/no/s1.jsonl", cwd: "/no" };
const CODEX = { ...CLAUDE, turn_id: "t1", model: "m", permission_mode: "default" };
const GEMINI = { ...CLAUDE, timestamp: "2026-12-01T04:18:47.845Z" };
const COPILOT = { sessionId: "s1", timestamp: 1796099659587, cwd: "/no" };
const COPILOT_CLAUDE = { session_id: "s1", timestamp: "2026-12-01T04:36:35.254Z", cwd: "/no" };
const CURSOR = { conversation_id: "c1", generation_id: "g1", workspace_roots: ["/no"] };

/** Every event before a tool, of every agent. */
export const GATES: readonly GatePayload[] = [
  ...["PreToolUse", "PermissionRequest"].map((event): GatePayload => ({
    agent: "claude",
    event,
    shell: (command) => ({
      ...CLAUDE,
      hook_event_name: event,
      tool_name: "Bash",
      tool_input: { command, description: "d" },
      ...(event === "PreToolUse" && { tool_use_id: "u1" }),
    }),
    write: (path) => ({
      ...CLAUDE,
      hook_event_name: event,
      tool_name: "Write",
      tool_input: { file_path: path, content: "x" },
    }),
  })),
  ...["PreToolUse", "PermissionRequest"].map((event): GatePayload => ({
    agent: "codex",
    event,
    shell: (command) => ({
      ...CODEX,
      hook_event_name: event,
      tool_name: "Bash",
      tool_input: { command },
      tool_use_id: "u1",
    }),
    write: (path) => ({
      ...CODEX,
      hook_event_name: event,
      tool_name: "apply_patch",
      tool_input: {
        command: `*** Begin Patch\n*** Update File: ok.txt\n@@\n-a\n+b\n` +
          `*** Add File: ${path}\n+x\n*** End Patch`,
      },
    }),
  })),
  {
    agent: "gemini",
    event: "BeforeTool",
    shell: (command) => ({
      ...GEMINI,
      hook_event_name: "BeforeTool",
      tool_name: "run_shell_command",
      tool_input: { command },
    }),
    write: (path) => ({
      ...GEMINI,
      hook_event_name: "BeforeTool",
      tool_name: "write_file",
      tool_input: { file_path: path, content: "x" },
    }),
  },
  {
    agent: "copilot",
    event: "preToolUse",
    shell: (command) => ({ ...COPILOT, toolName: "bash", toolArgs: { command } }),
    write: (path) => ({ ...COPILOT, toolName: "create", toolArgs: { path, file_text: "x" } }),
  },
  {
    agent: "copilot",
    event: "preToolUse",
    shell: (command) => ({ ...COPILOT, toolName: "bash", toolArgs: JSON.stringify({ command }) }),
  },
  {
    agent: "copilot",
    event: "permissionRequest",
    shell: (command) => ({
      ...COPILOT,
      hookName: "permissionRequest",
      toolName: "bash",
      toolInput: { command },
    }),
  },
  {
    agent: "copilot",
    event: "PreToolUse",
    shell: (command) => ({
      ...COPILOT_CLAUDE,
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command },
    }),
    write: (path) => ({
      ...COPILOT_CLAUDE,
      hook_event_name: "PreToolUse",
      tool_name: "Write",
      tool_input: { path, file_text: "x" },
    }),
  },
  {
    agent: "cursor",
    event: "preToolUse",
    shell: (command) => ({
      ...CURSOR,
      hook_event_name: "preToolUse",
      tool_name: "Shell",
      tool_input: JSON.stringify({ command }),
      tool_use_id: "u1",
    }),
    write: (path) => ({
      ...CURSOR,
      hook_event_name: "preToolUse",
      tool_name: "Write",
      tool_input: { file_path: path },
    }),
  },
  {
    agent: "cursor",
    event: "beforeShellExecution",
    shell: (command) => ({ ...CURSOR, hook_event_name: "beforeShellExecution", command, cwd: "" }),
  },
];

/**
 * Asks hooks about a payload, as `serve --as` does.
 *
 * @param agent The agent that the command line names.
 * @param payload The payload.
 * @param hooks The hooks.
 * @param setup What is different from the usual.
 */
export function ask(
  agent: string,
  payload: unknown,
  hooks: LoadedHook[],
  setup: Partial<AnswerSetup> = {},
): Promise<AgentAnswer> {
  return answerPayload(payload, {
    agent: agentNamed(agent)!,
    mayAsk: false,
    deadline: performance.now() + 20_000,
    hooks: Promise.resolve({ hooks, faults: [], warnings: [] }),
    placeOf: ({ sessionId }) => ({ cwd: "/project", sessionId }),
    ...setup,
  });
}

/** What a process would leave behind for an answer. */
export function leftBy({ output, exitCode, complaints }: AgentAnswer): Left {
  return {
    stdout: output === undefined ? "" : `${JSON.stringify(output)}\n`,
    stderr: complaints.join("\n"),
    code: exitCode,
  };
}

/**
 * Foreign tool calls under the names that hooks know.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import {
  type AgentName,
  namesTable,
  TOOL_NAMES,
  toPiToolCall,
  toPiToolCalls,
} from "../../src/agents/names.ts";
import { hook, makeRunner } from "../helpers.ts";

type Row = [agent: AgentName, name: string, args: unknown, tool: string, input: unknown];

const CALLS: readonly Row[] = [
  ["claude", "Bash", { command: "ls", timeout: 5000 }, "bash", { command: "ls", timeout: 5 }],
  ["claude", "Read", { file_path: "/a", limit: 3 }, "read", { path: "/a", limit: 3 }],
  ["claude", "Write", { file_path: "/a", content: "x" }, "write", { path: "/a", content: "x" }],
  [
    "claude",
    "Edit",
    { file_path: "/a", old_string: "x", new_string: "y", replace_all: false },
    "edit",
    { path: "/a", oldText: "x", newText: "y", replace_all: false },
  ],
  [
    "claude",
    "MultiEdit",
    { file_path: "/a", edits: [{ old_string: "x", new_string: "y" }] },
    "edit",
    { path: "/a", edits: [{ oldText: "x", newText: "y" }] },
  ],
  ["claude", "NotebookEdit", { notebook_path: "/n" }, "edit", { path: "/n" }],
  ["claude", "Grep", { pattern: "x", "-i": true }, "grep", { pattern: "x", ignoreCase: true }],
  ["claude", "Glob", { pattern: "*.ts", path: "src" }, "find", { pattern: "*.ts", path: "src" }],
  ["claude", "PowerShell", { command: "dir" }, "bash", { command: "dir" }],
  ["gemini", "run_shell_command", { command: "ls" }, "bash", { command: "ls" }],
  ["gemini", "read_file", { absolute_path: "/a" }, "read", { path: "/a" }],
  ["gemini", "replace", { file_path: "/a", old_string: "x" }, "edit", { path: "/a", oldText: "x" }],
  ["gemini", "search_file_content", { pattern: "x" }, "grep", { pattern: "x" }],
  ["gemini", "list_directory", { dir_path: "src" }, "ls", { path: "src" }],
  ["codex", "exec_command", { cmd: "ls", workdir: "/w" }, "bash", { command: "ls", workdir: "/w" }],
  ["codex", "shell", { command: ["rm", "-rf", "a b"] }, "bash", { command: "rm -rf 'a b'" }],
  ["codex", "local_shell", { action: { command: ["ls"] } }, "bash", {
    action: { command: ["ls"] },
    command: "ls",
  }],
  ["codex", "write_stdin", { session_id: 1, chars: "rm x\n" }, "bash", {
    session_id: 1,
    command: "rm x\n",
  }],
  ["copilot", "view", '{"path":"/a"}', "read", { path: "/a" }],
  ["copilot", "create", { path: "/a", file_text: "x" }, "write", { path: "/a", content: "x" }],
  ["copilot", "edit", { path: "/a", old_str: "x", new_str: "y" }, "edit", {
    path: "/a",
    oldText: "x",
    newText: "y",
  }],
  ["cursor", "Shell", '{"command":"ls"}', "bash", { command: "ls" }],
  ["cline", "write_to_file", { path: "/a", content: "x" }, "write", { path: "/a", content: "x" }],
  ["cline", "execute_command", { command: "ls" }, "bash", { command: "ls" }],
  ["opencode", "edit", { filePath: "/a", oldString: "x" }, "edit", { path: "/a", oldText: "x" }],
  ["omp", "edit", { input: "[src/a.ts#1A2B]\n+x" }, "edit", {
    input: "[src/a.ts#1A2B]\n+x",
    path: "src/a.ts",
  }],
  ["pi", "bash", { command: "ls", timeout: 5 }, "bash", { command: "ls", timeout: 5 }],
  ["claude", "mcp__loc__say", { text: "hi" }, "mcp__loc__say", { text: "hi" }],
  ["gemini", "mcp_loc_read", { file_path: "/a" }, "mcp_loc_read", { file_path: "/a" }],
  ["claude", "AskUserQuestion", null, "AskUserQuestion", {}],
  ["claude", "Bash", "rm -rf x", "bash", { command: "rm -rf x" }],
  ["claude", "Bash", ["rm", ""], "bash", { command: "rm ''" }],
  ["claude", "Task", 7, "Task", { input: 7 }],
];

for (const [agent, name, args, tool, input] of CALLS) {
  Deno.test(`${agent}: ${name} ${JSON.stringify(args)} is ${tool}`, () => {
    const call = toPiToolCall(agent, name, args);
    assertEquals(call, { toolName: tool, input, original: { toolName: name, input: args } });
  });
}

Deno.test("the arguments of the agent are not changed, and nothing is written through __proto__", () => {
  const args = JSON.parse('{"__proto__":{"command":"ls"},"cmd":["a b"],"timeout":1000}');
  const before = JSON.stringify(args);
  const { input } = toPiToolCall("claude", "Bash", args);
  assertEquals(JSON.stringify(args), before);
  assertEquals(input.command, "'a b'");
  assertEquals(Object.getPrototypeOf(input), Object.prototype);
});

Deno.test("where a field comes under two names, the one that the agent reads counts", () => {
  const args = { file_path: ".env", path: "ok.txt" };
  assertEquals(toPiToolCall("claude", "Write", args).input, { path: ".env" });
  assertEquals(toPiToolCall("copilot", "create", args).input.path, "ok.txt");
});

const PATCH = [
  "*** Begin Patch",
  "*** Add File: new.txt",
  "+one",
  "+two",
  "*** Update File: a.txt",
  "*** Move to: b.txt",
  "@@",
  "-x",
  "+*** Delete File: not-this.txt",
  "*** Delete File: c.txt",
  "*** End Patch",
].join("\n");

Deno.test("a patch is one call for each file it touches, whichever way it comes", () => {
  const ways: [string, unknown][] = [
    ["apply_patch", { command: PATCH }],
    ["apply_patch", PATCH],
    ["ApplyPatch", { input: PATCH.replaceAll("\n", "\r\n") }],
    ["apply_patch", { command: ["apply_patch", PATCH] }],
  ];
  for (const [name, args] of ways) {
    const calls = toPiToolCalls("codex", name, args);
    assertEquals(calls.map(({ toolName, input }) => [toolName, input.path, input.content]), [
      ["write", "new.txt", "one\ntwo\n"],
      ["edit", "a.txt", undefined],
      ["edit", "b.txt", undefined],
      ["edit", "c.txt", undefined],
    ]);
    const paths = ["new.txt", "a.txt", "b.txt", "c.txt"];
    for (const { input } of calls) assertEquals(input.paths, paths);
    assertEquals(toPiToolCall("codex", name, args).input.paths, paths);
  }
});

Deno.test("a patch that hides in a shell command is asked about as well", () => {
  const command = `cd /x && apply_patch <<'EOF'\n${PATCH}\nEOF`;
  const calls = toPiToolCalls("codex", "Bash", { command });
  assertEquals(calls.map(({ toolName }) => toolName), ["bash", "write", "edit", "edit", "edit"]);
  assertEquals(calls[0].input, { command });
});

Deno.test("reading many files is one call for each of them", () => {
  const calls = toPiToolCalls("gemini", "read_many_files", { include: ["a", ".env"] });
  assertEquals(calls.map(({ toolName, input }) => [toolName, input.path]), [
    ["read", "a"],
    ["read", ".env"],
  ]);
});

Deno.test("no name stands for two tools", () => {
  const names = TOOL_NAMES.flatMap(({ tool, names }) => [tool, ...names])
    .map((name) => name.toLowerCase().replaceAll(/[\s_-]/g, ""));
  const unique = TOOL_NAMES.map(({ tool, names }) =>
    new Set([tool, ...names].map((name) => name.toLowerCase().replaceAll(/[\s_-]/g, ""))).size
  ).reduce((sum, size) => sum + size, 0);
  assertEquals(new Set(names).size, unique);
});

Deno.test("the printed table has every name", () => {
  const table = namesTable();
  for (const { tool, names } of TOOL_NAMES) {
    for (const name of [tool, ...names]) assert(table.includes(name), name);
  }
});

Deno.test("a hook reads the agent's own names in event.original, and cannot change them", async () => {
  const seen: unknown[] = [];
  const { runner } = makeRunner([hook("/h.ts", {
    tool_call: (event) => {
      seen.push(event.original, Object.isFrozen(event.original?.input));
    },
  })]);
  const call = toPiToolCall("claude", "Bash", { command: "ls" });
  await runner.decideToolCall({ type: "tool_call", toolCallId: "c1", ...call });
  await runner.decideToolCall({
    type: "tool_call",
    toolCallId: "c2",
    toolName: "bash",
    input: {},
  });
  assertEquals(seen, [{ toolName: "Bash", input: { command: "ls" } }, true, undefined, true]);
});

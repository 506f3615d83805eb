/**
 * Everything that is not a gate: results, prompts, sessions, stops, odd payloads.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { AGENTS } from "../../src/agents/agents.ts";
import { describeAgent } from "../../src/agents/describe.ts";
import type { LoadedHook } from "../../src/hook.ts";
import { hook, hookFrom } from "../helpers.ts";
import { loadFiles, readyMadePath } from "../hooks/ready_made.ts";
import { ask } from "./payloads.ts";

const SECRET = "API_KEY=sk-live-abcdef0123456789abcdef";
const KEPT = "API_KEY=[REDACTED]";

const redacting = () => loadFiles(readyMadePath("redact-secrets"));

type Fields = Record<string, unknown>;

/** A result with a secret, and the answer that takes it out. */
const RESULTS: readonly [name: string, agent: string, payload: Fields, answer: Fields][] = [
  [
    "a command",
    "claude",
    {
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: "env" },
      tool_response: { stdout: SECRET, stderr: "", interrupted: false, isImage: false },
    },
    {
      hookSpecificOutput: {
        hookEventName: "PostToolUse",
        updatedToolOutput: { stdout: KEPT, stderr: "", interrupted: false, isImage: false },
      },
    },
  ],
  [
    "a file",
    "claude",
    {
      hook_event_name: "PostToolUse",
      tool_name: "Read",
      tool_input: { file_path: "/a" },
      tool_response: { type: "text", file: { filePath: "/a", content: SECRET, numLines: 1 } },
    },
    {
      hookSpecificOutput: {
        hookEventName: "PostToolUse",
        updatedToolOutput: { type: "text", file: { filePath: "/a", content: KEPT, numLines: 1 } },
      },
    },
  ],
  [
    "a search",
    "claude",
    {
      hook_event_name: "PostToolUse",
      tool_name: "Grep",
      tool_input: { pattern: "KEY" },
      tool_response: { mode: "content", numFiles: 0, filenames: [], content: SECRET, numLines: 1 },
    },
    {
      hookSpecificOutput: {
        hookEventName: "PostToolUse",
        updatedToolOutput: {
          mode: "content",
          numFiles: 0,
          filenames: [],
          content: KEPT,
          numLines: 1,
        },
      },
    },
  ],
  [
    "a changed file",
    "claude",
    {
      hook_event_name: "PostToolUse",
      tool_name: "Edit",
      tool_input: { file_path: "/a" },
      tool_response: { filePath: "/a", originalFile: SECRET, structuredPatch: [] },
    },
    {
      hookSpecificOutput: {
        hookEventName: "PostToolUse",
        updatedToolOutput: { filePath: "/a", originalFile: KEPT, structuredPatch: [] },
      },
    },
  ],
  [
    "an MCP tool",
    "claude",
    {
      hook_event_name: "PostToolUse",
      tool_name: "mcp__loc__say",
      tool_input: {},
      tool_response: [{ type: "text", text: SECRET }],
    },
    { hookSpecificOutput: { hookEventName: "PostToolUse", updatedMCPToolOutput: KEPT } },
  ],
  [
    "a command",
    "codex",
    {
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: "env" },
      tool_response: `${SECRET}\n`,
    },
    { decision: "block", reason: `${KEPT}\n` },
  ],
  [
    "a command",
    "gemini",
    {
      hook_event_name: "AfterTool",
      tool_name: "run_shell_command",
      tool_input: { command: "env" },
      tool_response: { llmContent: SECRET, returnDisplay: SECRET },
    },
    { decision: "deny", reason: KEPT },
  ],
  [
    "an MCP tool",
    "gemini",
    {
      hook_event_name: "AfterTool",
      tool_name: "mcp_loc_say",
      tool_input: {},
      tool_response: { llmContent: [{ text: SECRET }, { text: "more" }] },
    },
    { decision: "deny", reason: `${KEPT}\nmore` },
  ],
  [
    "a command",
    "copilot",
    {
      sessionId: "s",
      toolName: "bash",
      toolArgs: { command: "env" },
      toolResult: { resultType: "success", textResultForLlm: SECRET },
    },
    { modifiedResult: { resultType: "success", textResultForLlm: KEPT } },
  ],
  [
    "an MCP tool",
    "cursor",
    {
      hook_event_name: "postToolUse",
      tool_name: "MCP:loc:say",
      tool_input: {},
      tool_output: SECRET,
    },
    { updated_mcp_tool_output: KEPT },
  ],
];

for (const [name, agent, payload, answer] of RESULTS) {
  Deno.test(`${agent}: a secret in the result of ${name} is taken out, in the agent's form`, async () => {
    assertEquals((await ask(agent, payload, await redacting())).output, answer);
  });

  Deno.test(`${agent}: a result of ${name} without a secret stays`, async () => {
    const harmless = JSON.parse(JSON.stringify(payload).replaceAll(SECRET, "hello"));
    assertEquals(await ask(agent, harmless, await redacting()), {
      output: {},
      exitCode: 0,
      complaints: [],
    });
  });
}

Deno.test("where a result cannot be replaced, the answer and standard error say so", async () => {
  const cases: [string, Fields][] = [
    ["claude", {
      hook_event_name: "PostToolUseFailure",
      tool_name: "Bash",
      tool_input: { command: "env" },
      error: `Exit code 3\n${SECRET}`,
    }],
    ["cursor", {
      hook_event_name: "afterShellExecution",
      command: "env",
      output: SECRET,
    }],
  ];
  for (const [agent, payload] of cases) {
    const { output, exitCode, complaints } = await ask(agent, payload, await redacting());
    assertEquals(exitCode, 0);
    assertStringIncludes(complaints.join("\n"), "cannot replace this result");
    if (agent === "claude") {
      assertStringIncludes(String(output?.systemMessage), "cannot replace this result");
    }
  }
});

Deno.test("a failed tool is one for hooks, and a result that says nothing about it is neither", async () => {
  const seen: unknown[] = [];
  const looking = hook("/look.ts", {
    tool_result: ({ isError, toolName, input, content, details }) => {
      seen.push([toolName, input, content, details, isError]);
    },
  });
  await ask("claude", {
    hook_event_name: "PostToolUseFailure",
    tool_name: "Bash",
    tool_input: { command: "false" },
    error: "Exit code 1",
  }, [looking]);
  await ask("codex", {
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "false" },
    tool_response: "",
  }, [looking]);
  assertEquals(seen, [
    ["bash", { command: "false" }, [{ type: "text", text: "Exit code 1" }], "Exit code 1", true],
    ["bash", { command: "false" }, [{ type: "text", text: "" }], "", undefined],
  ]);
});

/** The prompt events, and the answer that adds a context. */
const PROMPTS: readonly [agent: string, payload: Fields, answer: (text: string) => Fields][] = [
  ["claude", { hook_event_name: "UserPromptSubmit", prompt: "go" }, (additionalContext) => ({
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext },
  })],
  ["codex", { hook_event_name: "UserPromptSubmit", prompt: "go" }, (additionalContext) => ({
    hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext },
  })],
  ["gemini", { hook_event_name: "BeforeAgent", prompt: "go" }, (additionalContext) => ({
    hookSpecificOutput: { hookEventName: "BeforeAgent", additionalContext },
  })],
  ["copilot", { sessionId: "s", prompt: "go" }, (additionalContext) => ({ additionalContext })],
  ["cursor", { hook_event_name: "beforeSubmitPrompt", prompt: "go" }, (text) => ({
    continue: true,
    additional_context: text,
  })],
];

for (const [agent, payload, answer] of PROMPTS) {
  Deno.test(`${agent}: a message of a hook becomes context of the prompt`, async () => {
    const adding = hook("/add.ts", {
      before_agent_start: ({ prompt }) => ({
        message: { customType: "note", content: `about ${prompt}`, display: true },
      }),
    });
    assertEquals((await ask(agent, payload, [adding])).output, answer("about go"));
  });
}

/** A hook that wants to go on each time the agent stops. */
function goingOn(): LoadedHook {
  return hookFrom((pi) => {
    pi.on("agent_end", () => {
      pi.sendMessage({ customType: "todo", content: "go on", display: true }, {
        triggerTurn: true,
      });
    });
  }, "/go-on.ts");
}

/** The stop events: the first, a later one, and the answer to the first. */
const STOPS: readonly [agent: string, first: Fields, later: Fields, answer: Fields][] = [
  ["claude", { hook_event_name: "Stop", stop_hook_active: false }, { stop_hook_active: true }, {
    decision: "block",
    reason: "go on",
  }],
  ["codex", { hook_event_name: "Stop", stop_hook_active: false }, { stop_hook_active: true }, {
    decision: "block",
    reason: "go on",
  }],
  ["gemini", { hook_event_name: "AfterAgent" }, { stop_hook_active: true }, {
    decision: "deny",
    reason: "go on",
  }],
  ["copilot", { sessionId: "s", stopReason: "end_turn" }, { stop_hook_active: true }, {
    decision: "block",
    reason: "go on",
  }],
  ["cursor", { hook_event_name: "stop", loop_count: 0 }, { loop_count: 1 }, {
    followup_message: "go on",
  }],
];

for (const [agent, first, later, answer] of STOPS) {
  Deno.test(`${agent}: a hook can make the agent go on once, and then it may stop`, async () => {
    assertEquals((await ask(agent, first, [goingOn()])).output, answer);
    const again = await ask(agent, { ...first, ...later }, [goingOn()]);
    assertEquals([again.exitCode, again.output?.decision, again.output?.followup_message], [
      0,
      undefined,
      undefined,
    ]);
    assertStringIncludes(again.complaints.join(), "left to stop");
  });

  Deno.test(`${agent}: a hook that fails or hangs never keeps the agent from stopping`, async () => {
    for (
      const handler of [() => new Promise(() => {}), () => {
        throw new Error("broken");
      }]
    ) {
      const broken = hook("/broken.ts", { agent_end: handler });
      const setup = { deadline: performance.now() + 5 };
      const answer = await ask(agent, first, [broken], setup);
      assertEquals([answer.exitCode, answer.output?.decision], [0, undefined]);
      assertStringIncludes(answer.complaints.join(), "/broken.ts");
    }
  });
}

Deno.test("a hook can cancel the compaction where the agent lets it", async () => {
  const keeping = hook("/keep.ts", { session_before_compact: () => ({ cancel: true }) });
  const payload = { hook_event_name: "PreCompact", trigger: "manual" };
  assertEquals((await ask("claude", payload, [keeping])).output?.decision, "block");
  assertEquals((await ask("codex", payload, [keeping])).output?.continue, false);
});

Deno.test("hooks that were not loaded matter at gates only", async () => {
  const hooks = Promise.resolve({ hooks: [], faults: ["it was not loaded"], warnings: [] });
  for (const agent of AGENTS) {
    for (const [name, row] of Object.entries(agent.events)) {
      if (row.event === "tool_call") continue;
      const payload = { hook_event_name: name, tool_name: "Bash", tool_input: {}, hook: name };
      const { exitCode, output } = await ask(agent.name, payload, [], { hooks });
      assertEquals([exitCode, output], [0, row.silence === null ? undefined : row.silence ?? {}]);
    }
  }
});

Deno.test("an event that no table has is passed over, unless it is about a tool yet to run", async () => {
  const guard = hook("/guard.ts", { tool_call: () => ({ block: true, reason: "no" }) });
  const other = await ask("claude", { hook_event_name: "NewEvent", toString: 1 }, [guard]);
  assertEquals([other.exitCode, other.output], [0, {}]);
  const gate = await ask("claude", {
    hook_event_name: "PreNewTool",
    tool_name: "Bash",
    tool_input: { command: "ls" },
  }, [guard]);
  assertEquals([gate.exitCode, gate.complaints], [2, ["no"]]);
  const inherited = await ask("claude", { hook_event_name: "toString" }, [guard]);
  assertEquals(inherited.exitCode, 0);
});

Deno.test("a hook sees session, folder and the agent's own words", async () => {
  const seen: unknown[] = [];
  const looking = hook("/look.ts", {
    tool_call: ({ toolCallId, original }, { cwd, hasUI, sessionManager }) => {
      seen.push(toolCallId, original, cwd, hasUI, sessionManager.getSessionId());
      seen.push(sessionManager.getSessionFile(), sessionManager.getBranch());
    },
  });
  await ask("claude", {
    session_id: "s1",
    transcript_path: "/no/such.jsonl",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: "u1",
  }, [looking]);
  assertEquals(seen, [
    "u1",
    { toolName: "Bash", input: { command: "ls" } },
    "/project",
    false,
    "s1",
    undefined,
    [],
  ]);
});

Deno.test("an input that a hook wants to change closes the gate, and says so", async () => {
  const changing = hook("/change.ts", { tool_call: () => ({ input: { command: "ls" } }) });
  const { output } = await ask("claude", {
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "rm -rf x" },
  }, [changing]);
  assertStringIncludes(JSON.stringify(output), "/change.ts");
  assertStringIncludes(JSON.stringify(output), "deny");
});

Deno.test("the description of an agent has each of its events and each exit code", () => {
  for (const agent of AGENTS) {
    const text = describeAgent(agent);
    for (const [name, row] of Object.entries(agent.events)) {
      assert(text.includes(name), `${agent.name} ${name}`);
      if (row.deny) assert(text.includes(JSON.stringify(row.deny("<reason>"))), name);
    }
    for (const [code] of agent.exitCodes) assert(text.includes(`  ${code} `), code);
  }
});

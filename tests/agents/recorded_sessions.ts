/**
 * Small recorded sessions of every agent, made of the shapes that these agents write: a prompt, a
 * shell call with its result, a file that is read, and a shell call that nothing came back from.
 *
 * @module
 */

const TIME = "2026-01-01T00:00:00.000Z";

function lines(...records: unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

function piMessages(hasIds: boolean): unknown[] {
  const messages = [
    { role: "user", content: [{ type: "text", text: "clean up" }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "on it" },
        { type: "toolCall", id: "c1", name: "bash", arguments: { command: "rm -rf build" } },
        { type: "toolCall", id: "c2", name: "read", arguments: { path: "a.txt" } },
      ],
    },
    {
      role: "toolResult",
      toolCallId: "c1",
      toolName: "bash",
      content: [{ type: "text", text: "gone" }],
      isError: false,
    },
    {
      role: "toolResult",
      toolCallId: "c2",
      toolName: "read",
      content: "API_KEY=abc",
      details: { lines: 1 },
      isError: false,
    },
    {
      role: "assistant",
      content: [{ type: "toolCall", id: "c3", name: "bash", arguments: { command: "ls" } }],
      stopReason: "aborted",
    },
  ];
  return messages.map((message, index) => ({
    type: "message",
    timestamp: TIME,
    ...hasIds && { id: `m${index}`, parentId: index === 0 ? null : `m${index - 1}` },
    message,
  }));
}

const HEADER = { type: "session", id: "0198-uuid", timestamp: TIME, cwd: "/project" };

/** The sessions, by what is recognised. */
export const RECORDED_SESSIONS: Readonly<Record<string, string>> = {
  "pi v1": lines(HEADER, ...piMessages(false)),
  "pi v2": lines({ ...HEADER, version: 2 }, ...piMessages(true)),
  "pi v3": lines(
    { ...HEADER, version: 3 },
    { type: "model_change", id: "x", parentId: null, timestamp: TIME },
    ...piMessages(true),
  ),
  "oh-my-pi v3": lines(
    { type: "title", v: 1, title: "", updatedAt: TIME, pad: "   " },
    { ...HEADER, version: 3 },
    ...piMessages(true),
  ),
  "xcsh v3": lines({ ...HEADER, version: 3, id: "0123456789abcdef" }, ...piMessages(true)),
  "Claude Code": lines(
    { type: "queue-operation", operation: "enqueue", sessionId: "s", timestamp: TIME },
    {
      type: "user",
      uuid: "u1",
      parentUuid: null,
      sessionId: "s",
      cwd: "/project",
      message: { role: "user", content: "clean up" },
    },
    ...["Bash", "Read"].map((name, index) => ({
      type: "assistant",
      uuid: `a${index}`,
      parentUuid: "u1",
      sessionId: "s",
      cwd: "/project",
      message: {
        role: "assistant",
        content: [{
          type: "tool_use",
          id: `c${index + 1}`,
          name,
          input: index === 0 ? { command: "rm -rf build" } : { file_path: "a.txt" },
        }],
      },
    })),
    ...["gone", "API_KEY=abc"].map((text, index) => ({
      type: "user",
      uuid: `r${index}`,
      sessionId: "s",
      toolUseResult: { stdout: text, stderr: "" },
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: `c${index + 1}`, content: text }],
      },
    })),
    ...[1, 2].map((time) => ({
      // Recorded twice: the second time it has grown.
      type: "assistant",
      uuid: `b${time}`,
      sessionId: "s",
      message: {
        role: "assistant",
        content: [{ type: "tool_use", id: "c3", name: "Bash", input: { command: "ls" } }],
      },
    })),
  ),
  "Codex": lines(
    { timestamp: TIME, type: "session_meta", payload: { id: "s", cwd: "/project" } },
    { timestamp: TIME, type: "event_msg", payload: { type: "user_message", message: "clean up" } },
    {
      type: "response_item",
      payload: {
        type: "function_call",
        name: "shell",
        arguments: JSON.stringify({ command: ["rm", "-rf", "build"] }),
        call_id: "c1",
      },
    },
    {
      type: "response_item",
      payload: {
        type: "function_call_output",
        call_id: "c1",
        output: JSON.stringify({ output: "gone", metadata: { exit_code: 0 } }),
      },
    },
    {
      type: "response_item",
      payload: {
        type: "function_call",
        name: "read_file",
        arguments: JSON.stringify({ file_path: "a.txt" }),
        call_id: "c2",
      },
    },
    {
      type: "response_item",
      payload: {
        type: "function_call_output",
        call_id: "c2",
        output: [{ type: "input_text", text: "API_KEY=abc" }],
      },
    },
    {
      type: "response_item",
      payload: { type: "local_shell_call", call_id: "c3", action: { command: ["ls"] } },
    },
  ),
  "Gemini CLI": lines(
    { sessionId: "s", projectHash: "0", startTime: TIME, lastUpdated: TIME, kind: "main" },
    { id: "m1", timestamp: TIME, type: "user", content: [{ text: "clean up" }] },
    { id: "m2", timestamp: TIME, type: "gemini", content: "" },
    ...[false, true].map((isOver) => ({
      // Recorded again when the results are there.
      id: "m2",
      timestamp: TIME,
      type: "gemini",
      content: "",
      toolCalls: [
        geminiCall("c1", "run_shell_command", { command: "rm -rf build" }, isOver && "gone"),
        geminiCall("c2", "read_file", { file_path: "a.txt" }, isOver && "API_KEY=abc"),
        geminiCall("c3", "run_shell_command", { command: "ls" }, false),
      ],
    })),
    { $set: { lastUpdated: TIME } },
    { $rewindTo: "m1" },
  ),
  "Copilot CLI": lines(
    { type: "session.start", id: "e0", data: { sessionId: "s", context: { cwd: "/project" } } },
    { type: "user.message", id: "e1", data: { content: "clean up" } },
    ...[
      ["c1", "bash", { command: "rm -rf build" }] as const,
      ["c2", "view", { path: "a.txt" }] as const,
      ["c3", "bash", { command: "ls" }] as const,
    ].map(([toolCallId, toolName, args]) => ({
      type: "tool.execution_start",
      id: toolCallId,
      data: { toolCallId, toolName, arguments: args },
    })),
    ...["gone", "API_KEY=abc"].map((content, index) => ({
      type: "tool.execution_complete",
      id: `r${index}`,
      data: { toolCallId: `c${index + 1}`, success: true, result: { content } },
    })),
  ),
};

function geminiCall(id: string, name: string, args: unknown, output: string | false): unknown {
  if (output === false) return { id, name, args, status: "executing" };
  const result = [{ functionResponse: { id, name, response: { output } } }];
  return { id, name, args, status: "success", result };
}

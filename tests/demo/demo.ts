/**
 * The demonstration: a recorded little session goes through the ready-made hooks, with real tools
 * in a folder of its own, and a person reads what each hook did to each call.
 *
 * @module
 */

import {
  type AgentMessage,
  type AgentTool,
  createTools,
  emptySessionManager,
  type HandlerRecord,
  HookRunner,
  loadHooks,
  wrapTools,
  type WritableSession,
} from "../../mod.ts";
import { styleFor } from "../../src/cli/terminal.ts";

const HOOKS = ["permission-gate", "protected-paths", "redact-secrets", "context-filter", "handoff"];
const FILES = {
  "README.md": "# A little project\n",
  "build/output.js": "console.log('built');\n",
  ".env": "API_KEY=do-not-touch\n",
  "config.yaml": "name: demo\nport: 8080\napi_key: 9f8e7d6c5b4a39281706f5e4d3c2b1a0\n" +
    "database: postgres://app:correct-horse@db.example.com/app\n",
};

const style = styleFor(!Deno.noColor && Deno.stdout.isTerminal());
const { bold, dim, red, green, yellow, cyan } = style;

/** A line of the recorded session. */
interface Step {
  say: string;
  type: "tool_call" | "context" | "command";
  toolName: string;
  toolCallId: string;
  input: Record<string, unknown>;
  messages: AgentMessage[];
  name: string;
  args: string;
}

const folder = await Deno.makeTempDir({ prefix: "pi-hooks-demo-" });
try {
  for (const [path, content] of Object.entries(FILES)) {
    const file = `${folder}/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(file, content);
  }
  await play();
} finally {
  await Deno.remove(folder, { recursive: true });
}

async function play(): Promise<void> {
  const paths = HOOKS.map((name) => new URL(`../../hooks/${name}.ts`, import.meta.url).href);
  const { hooks, errors } = await loadHooks(paths, folder);
  for (const { path, error } of errors) console.log(red(`${path}: ${error}`));
  for (const hook of hooks) hook.path = nameOf(hook.path);

  let records: HandlerRecord[] = [];
  const runner = new HookRunner(hooks, folder, undefined, undefined, {
    observer: (record) => records.push(record),
  });
  const started: AgentMessage[] = [];
  runner.initialize({
    newSessionHandler: async (options) => {
      const session = { ...emptySessionManager(folder), appendMessage: take(started) };
      await options?.setup?.(session as WritableSession);
      return { cancelled: false };
    },
  });
  const tools = wrapTools(createTools(folder), runner);

  console.log(bold(`Hooks: ${runner.getHookPaths().join(", ")}`));
  console.log(dim("Nobody can be asked here, so what would be a question is a block.\n"));
  const recording = await Deno.readTextFile(new URL("session.jsonl", import.meta.url));
  for (const [position, line] of recording.trim().split("\n").entries()) {
    const step = JSON.parse(line) as Step;
    records = [];
    console.log(`${bold(`${position + 1}. ${step.say}`)}`);
    if (step.type === "tool_call") await playToolCall(step, tools);
    if (step.type === "context") await playContext(step, runner);
    if (step.type === "command") await playCommand(step, runner, started);
    for (const record of records) console.log(recordLine(record));
    console.log();
  }
}

async function playToolCall(step: Step, tools: readonly AgentTool[]): Promise<void> {
  const tool = tools.find(({ name }) => name === step.toolName)!;
  console.log(`   ${cyan(step.toolName)} ${Object.values(step.input)[0]}`);
  try {
    const { content } = await tool.execute(step.toolCallId, step.input);
    const text = content.map((block) => block.type === "text" ? block.text : "(image)").join("\n");
    console.log(green("   ✓ ran"));
    for (const line of text.trimEnd().split("\n").slice(0, 8)) console.log(dim(`     ${line}`));
  } catch (error) {
    console.log(`   ${red("✗ did not run:")} ${(error as Error).message}`);
  }
}

async function playContext(step: Step, runner: HookRunner): Promise<void> {
  const messages = await runner.emitContext(step.messages);
  console.log(green(`   ✓ the model reads ${messages.length} of ${step.messages.length} messages`));
  for (const message of step.messages) {
    const isKept = messages.includes(message);
    const label = message.role === "custom" ? `custom/${message.customType}` : message.role;
    console.log(isKept ? dim(`     ${label}`) : yellow(`     ${label} was left out`));
  }
}

async function playCommand(
  step: Step,
  runner: HookRunner,
  started: readonly AgentMessage[],
): Promise<void> {
  await runner.runCommand(step.name, step.args);
  console.log(green(`   ✓ a new session begins with ${started.length} message`));
  for (const message of started) {
    const content = message.role === "user" ? message.content : [];
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    for (const block of blocks) {
      if (!("text" in block)) continue;
      for (const line of block.text.trimEnd().split("\n")) console.log(dim(`     ${line}`));
    }
  }
}

function recordLine({ hookPath, event, outcome, milliseconds }: HandlerRecord): string {
  const words = {
    "passed": dim("had nothing to say"),
    "answered": yellow("changed it"),
    "blocked": red("blocked it"),
    "cancelled": red("cancelled it"),
    "threw": red("failed"),
    "timed-out": red("was too slow"),
    "aborted": red("was aborted"),
    "rejected-answer": red("answered nonsense"),
    "not-run": dim("was not asked any more"),
  };
  const time = outcome === "not-run" ? "" : dim(` ${milliseconds.toFixed(1)} ms`);
  return `   ${hookPath.padEnd(16)} ${dim(event.padEnd(12))} ${words[outcome]}${time}`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.ts$/, "");
}

function take(messages: AgentMessage[]): (message: AgentMessage) => string {
  return (message) => `entry-${messages.push(message)}`;
}

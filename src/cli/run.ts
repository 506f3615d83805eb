/**
 * `pi-hooks run`: events on standard input, answers on standard output.
 *
 * @module
 */

import type { Command } from "./command.ts";
import { loadHookSet, tellLoadFaults } from "./hooks.ts";
import { linesOf } from "./lines.ts";
import { writeList } from "./list.ts";
import type { ParsedOptions } from "./options.ts";
import { SHARED_OPTIONS, UsageError } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** The command. */
export const runCommand: Command = {
  name: "run",
  summary: "Run hooks on events from standard input, without an agent",
  usage: "pi-hooks [run] --hook PATH … < events.jsonl",
  details: [
    "Each line of the input is an event, each line of the output its answer, in the same order:",
    "",
    '  {"type":"tool_call","toolName":"bash","toolCallId":"c1","input":{"command":"ls"}}',
    '  {"id":1,"type":"tool_call","result":null,"errors":[]}',
    "",
    'An "id" comes back as it was. With "execute":true a tool call of bash, read, write, edit,',
    "grep or find really runs, between its hooks.",
    "",
    "On a terminal you are the agent: !command runs bash and @read path another tool, through the",
    "hooks, /name runs their commands, and they ask you. Tab completes, /help shows the rest.",
  ],
  examples: [
    ["Try a hook by hand", "pi-hooks --hook ./gate.ts"],
    [
      "Ask a hook about a command",
      `echo '{"type":"tool_call","toolName":"bash","toolCallId":"c1","input":{"command":"rm -rf /"}}' | pi-hooks --hook ./gate.ts`,
    ],
    ["Follow every handler", "pi-hooks --hook ./gate.ts --hook ./log.ts --trace < events.jsonl"],
  ],
  options: [
    ...SHARED_OPTIONS,
    { name: "list", about: "Show what is loaded, and stop" },
  ],
  run: runHooks,
};

async function runHooks(options: ParsedOptions, terminal: Terminal): Promise<number> {
  if (options.positionals.length > 0) {
    throw new UsageError(
      `"${
        options.positionals[0]
      }" is not understood; events come in on standard input, hooks with --hook`,
    );
  }
  if (terminal.isInteractive && Deno.stdout.isTerminal() && !options.has("list")) {
    const { runInteractive } = await import("./interactive.ts");
    return await runInteractive(options, terminal);
  }
  const hooks = await loadHookSet(options, terminal);
  const exitCode = hooks.loaded.errors.length > 0 ? 1 : 0;
  if (options.has("list") || terminal.isInteractive) {
    await writeList(hooks.loaded, options.has("json"), terminal);
    return exitCode;
  }
  tellLoadFaults(hooks.loaded, terminal);
  const { ProtocolSession } = await import("./protocol.ts");
  const session = new ProtocolSession(hooks, options.has("trace"));
  let number = 0;
  for await (const line of linesOf(terminal.input)) {
    number++;
    if (line.trim() === "") continue;
    await terminal.write(`${JSON.stringify(await session.answer(line, number))}\n`);
  }
  return exitCode;
}

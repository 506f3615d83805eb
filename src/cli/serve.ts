/**
 * `pi-hooks serve`: hooks for programs that ask, each in its own language.
 *
 * @module
 */

import { AGENTS } from "../agents/agents.ts";
import { nearest } from "../nearest.ts";
import type { Command } from "./command.ts";
import type { ParsedOptions } from "./options.ts";
import { SHARED_OPTIONS, UsageError } from "./options.ts";
import { agentFor, serveAgent } from "./serve_agent.ts";
import type { Terminal } from "./terminal.ts";

const NAMES = AGENTS.map(({ name }) => name);

/** The command. */
export const serveCommand: Command = {
  name: "serve",
  summary: "Answer a coding agent's own hook calls with the hooks of this project",
  usage: `pi-hooks serve --as ${NAMES.join("|")} --hook PATH …, or serve --jsonl --hook PATH …`,
  details: [
    "The agent runs this command as one of its hooks: its payload comes in on standard input, and",
    "the answer goes out in its own form and exit code. A hook that fails, hangs or is not loaded",
    "closes the gate. --describe shows what each agent can be told, and its exit codes.",
  ],
  examples: [
    ["Guard Claude Code", "pi-hooks serve --as claude --hook ./gate.ts"],
    ["See what Codex can be told", "pi-hooks serve --as codex --describe"],
    ["See which foreign tool is which", "pi-hooks serve --names"],
  ],
  options: [
    ...SHARED_OPTIONS,
    { name: "as", value: "AGENT", about: `Speak its language: ${NAMES.join(", ")}` },
    { name: "event", value: "NAME", about: "The agent's event, for payloads that cannot be read" },
    { name: "ask", about: "Let the agent ask the person what hooks ask in a gate, where it can" },
    { name: "answer-to", value: "FILE", about: "Write the answer there, such as /dev/fd/3" },
    { name: "jsonl", about: "Speak the line protocol instead, for agents in any language" },
    { name: "schema", about: "With --jsonl: show its lines as a JSON Schema, and stop" },
    { name: "http", value: "ADDRESS", about: "Stay and answer over HTTP, such as 127.0.0.1:8123" },
    { name: "socket", value: "PATH", about: "Stay and answer on a Unix socket" },
    { name: "status", about: "With --http or --socket: show whether it runs, and what it has" },
    { name: "stop", about: "With --http or --socket: stop it" },
    { name: "describe", about: "Show what the agent can and cannot be told, and stop" },
    { name: "names", about: "Show the names of foreign tools, and stop" },
  ],
  run: serve,
};

async function serve(options: ParsedOptions, terminal: Terminal): Promise<number> {
  if (options.positionals.length > 0) {
    throw new UsageError(`"${options.positionals[0]}" is not understood; agents go with --as`);
  }
  if (options.has("names")) {
    const { namesTable } = await import("../agents/names.ts");
    await terminal.write(`${namesTable()}\n`);
    return 0;
  }
  if (options.has("jsonl")) {
    if (options.has("schema")) {
      const { jsonlSchema } = await import("./serve_jsonl_schema.ts");
      await terminal.write(`${JSON.stringify(jsonlSchema(), null, 2)}\n`);
      return 0;
    }
    const { serveJsonl } = await import("./serve_jsonl.ts");
    return await serveJsonl(options, terminal);
  }
  if (options.has("http") || options.has("socket")) {
    if (options.has("status") || options.has("stop")) {
      const { askResident } = await import("./serve_client.ts");
      return await askResident(options, terminal);
    }
    const { serveResident } = await import("./serve_http.ts");
    return await serveResident(options, terminal);
  }
  const name = options.value("as");
  if (name === undefined) {
    throw new UsageError(`serve needs --jsonl, or --as with one of: ${NAMES.join(", ")}`);
  }
  const agent = agentFor(name);
  if (agent === undefined) {
    const near = nearest(name, NAMES);
    const hint = near === undefined ? "" : `. Did you mean ${near}?`;
    throw new UsageError(`There is no agent "${name}"; there are: ${NAMES.join(", ")}${hint}`);
  }
  if (options.has("describe")) {
    const { describeAgent, describeEvents } = await import("../agents/describe.ts");
    await terminal.write(
      options.has("json")
        ? `${JSON.stringify(describeEvents(agent), null, 2)}\n`
        : describeAgent(agent),
    );
    return 0;
  }
  const event = options.value("event");
  if (event !== undefined && !Object.hasOwn(agent.events, event)) {
    const known = Object.keys(agent.events);
    const near = nearest(event, known);
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    throw new UsageError(`${agent.title} has no event "${event}"${hint}`);
  }
  if (terminal.isInteractive) {
    throw new UsageError("serve --as reads a payload on standard input, which is a terminal here");
  }
  return await serveAgent(agent, options, terminal);
}

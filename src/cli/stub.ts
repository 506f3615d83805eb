/**
 * The script that an agent starts for each of its events. It asks the resident process with `curl`,
 * which takes a few milliseconds; where that is down or there is no `curl`, it starts it, and lets a
 * process of its own evaluate the event.
 *
 * @module
 */

import type { Agent } from "../agents/dialect.ts";
import { shellWord } from "../agents/arguments.ts";

/** What a script needs to know. */
export interface StubSetup {
  /** The agent. */
  agent: Agent;
  /** The command that starts this program, word by word. */
  program: readonly string[];
  /** The options that say which hooks are asked. */
  hookOptions: readonly string[];
  /** Whether questions of hooks may become the agent's own. */
  mayAsk: boolean;
  /** The socket of the resident process, `undefined` to do without one. */
  socket?: string;
  /** The file of its token. */
  tokenFile: string;
}

/** `curl` could not connect: the payload has not been touched. */
const NOT_CONNECTED = 7;

/** Longer than the hooks may take, shorter than agents wait, in seconds. */
const CURL_SECONDS = 28;

/**
 * Writes the script. It takes the event as its argument.
 *
 * @param setup What it needs to know.
 */
export function stubScript(setup: StubSetup): string {
  const { agent, program, hookOptions, mayAsk, socket, tokenFile } = setup;
  const words = (list: readonly string[]) => list.map(shellWord).join(" ");
  const gates = Object.keys(agent.events).filter((name) =>
    agent.events[name].event === "tool_call"
  );
  const quiet = Object.entries(agent.events).filter(([, { silence }]) => silence)
    .map(([name, { silence }]) => `    ${name}) echo ${shellWord(JSON.stringify(silence))} ;;`);
  const none = Object.keys(agent.events).filter((name) => agent.events[name].silence === null);
  const serve = [...program, "serve"];
  const ask = mayAsk ? ["--ask"] : [];
  const query = mayAsk ? "&ask" : "";
  const lines = [
    "#!/bin/sh",
    `# Asks the hooks of pi-hooks about an event of ${agent.title}. Made by: pi-hooks install`,
    "event=$1",
    "",
    "# What cannot be answered is no before a tool, and nothing elsewhere.",
    "fail() {",
    '  echo "pi-hooks: $1" >&2',
    "  case $event in",
    `    ${gates.join("|")}) exit 2 ;;`,
    ...quiet.filter((line) => !gates.some((gate) => line.startsWith(`    ${gate})`))),
    ...none.length > 0 ? [`    ${none.join("|")}) ;;`] : [],
    "    *) echo '{}' ;;",
    "  esac",
    "  exit 0",
    "}",
    "",
    "# Standard output is for the answer alone, so everything else is sent to standard error.",
    "evaluate() {",
    `  answer=$(${words([...serve, "--as", agent.name, ...hookOptions, ...ask])} \\`,
    '    --event "$event" --answer-to /dev/fd/3 3>&1 >&2) || fail "the hooks could not be asked"',
    `  [ -z "$answer" ] || printf '%s\\n' "$answer"`,
    "  exit 0",
    "}",
    "",
    ...socket === undefined ? [] : [
      `if [ -r ${shellWord(tokenFile)} ] && command -v curl >/dev/null 2>&1; then`,
      `  curl -sS -f -m ${CURL_SECONDS} -H Expect: -H @${shellWord(tokenFile)} -X POST -T - \\`,
      `    --unix-socket ${shellWord(socket)} \\`,
      `    "http://localhost/hook/${agent.name}?event=$event${query}" 2>/dev/null`,
      "  code=$?",
      "  [ $code = 0 ] && exit 0",
      `  [ $code = ${NOT_CONNECTED} ] || fail "the resident process gave no answer (curl: $code)"`,
      "fi",
      `nohup ${words([...serve, "--socket", socket, ...hookOptions])} \\`,
      "  </dev/null >/dev/null 2>&1 &",
    ],
    "evaluate",
    "",
  ];
  return lines.join("\n");
}

/**
 * `pi-hooks serve --as AGENT`: one payload comes in, one answer goes out.
 *
 * @module
 */

import { answerPayload } from "../agents/answer.ts";
import { agentNamed } from "../agents/agents.ts";
import type { Agent, AgentAnswer, EventRow } from "../agents/dialect.ts";
import { refusal } from "../agents/judge.ts";
import { visibleText } from "../ui/text.ts";
import { sendChildOutputToStandardError } from "./child_output.ts";
import type { ParsedOptions } from "./options.ts";
import { baseFolder, chosenHooks, loadServedHooks } from "./serve_hooks.ts";
import { placeOf } from "./serve_place.ts";
import { readDocument } from "./serve_input.ts";
import { type LastWords, startWatchdog } from "./serve_watchdog.ts";
import { ClosedOutputError, type Terminal } from "./terminal.ts";

/** How long an answer may take, in milliseconds; agents wait for 30 s and more. */
export const DEFAULT_LIMIT_MS = 25_000;

/** The clock that cannot be held up runs a little longer than the one that can. */
const GRACE_MS = 1_000;

/**
 * Answers one payload.
 *
 * @param agent The agent that the command line names.
 * @param options The options.
 * @param terminal Where the payload comes from, and the answer goes to.
 * @returns The exit code, as the agent reads it.
 */
export async function serveAgent(
  agent: Agent,
  options: ParsedOptions,
  terminal: Terminal,
): Promise<number> {
  sendChildOutputToStandardError();
  const limitMs = options.wholeNumber("timeout") ?? DEFAULT_LIMIT_MS;
  const deadline = performance.now() + limitMs;
  const named = options.value("event");
  const row = named === undefined ? undefined : agent.events[named];
  const busy = (of: Agent, at?: EventRow): LastWords =>
    lastWords(refusal(of, at, `A hook kept the process busy for over ${limitMs} ms`));
  const answerTo = options.value("answer-to");
  const watchdog = startWatchdog(limitMs + GRACE_MS, busy(agent, row), answerTo);
  let leaving: LastWords | undefined = leaveWords(agent, row);
  // A hook that ends the process would leave an empty answer, which is none for most agents.
  addEventListener("unload", () => leaving && writeLastWords(leaving, answerTo));
  const base = baseFolder(options, agent.projectVariables);
  const hooks = loadServedHooks(chosenHooks(options, base));
  // It is awaited later, if at all.
  hooks.catch(() => {});
  let answer: AgentAnswer;
  try {
    const document = await readDocument(terminal.input);
    answer = document.fault !== undefined
      ? refusal(agent, row, `The payload cannot be read: ${document.fault}`)
      : await answerPayload(document.value, {
        agent,
        eventName: named,
        isCopilot: Deno.env.get("COPILOT_CLI") === "1",
        mayAsk: options.has("ask"),
        deadline,
        hooks,
        placeOf: (event, warnings) => placeOf(event, base, warnings),
        onRead: (of, at) => {
          watchdog.setLastWords(busy(of, at));
          leaving = leaveWords(of, at);
        },
      });
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    answer = refusal(agent, row, `An internal fault of pi-hooks: ${text}`);
  }
  watchdog.stop();
  leaving = undefined;
  return await writeAnswer(answer, terminal, answerTo);
}

function leaveWords(agent: Agent, row?: EventRow): LastWords {
  return lastWords(refusal(agent, row, "A hook ended the process"));
}

/** Writes at once, since there is no later. */
function writeLastWords({ stdout, stderr, code }: LastWords, path: string | undefined): void {
  const write = (writeSync: (data: Uint8Array) => number, text: string) => {
    let left = new TextEncoder().encode(text);
    while (left.length > 0) left = left.subarray(writeSync(left));
  };
  write((data) => Deno.stderr.writeSync(data), stderr);
  if (path === undefined) {
    // The method of the object itself leads to standard error by now.
    const { writeSync } = Object.getPrototypeOf(Deno.stdout);
    write((data) => writeSync.call(Deno.stdout, data), stdout);
  } else {
    using file = Deno.openSync(path, { write: true });
    write((data) => file.writeSync(data), stdout);
  }
  Deno.exitCode = code;
}

/** The answer as it would be written. */
function lastWords({ output, exitCode, complaints }: AgentAnswer): LastWords {
  return {
    stdout: output === undefined ? "" : `${JSON.stringify(output)}\n`,
    stderr: complaints.map((line) => `${visibleText(line)}\n`).join(""),
    code: exitCode,
  };
}

async function writeAnswer(
  answer: AgentAnswer,
  terminal: Terminal,
  path: string | undefined,
): Promise<number> {
  const { stdout, code } = lastWords(answer);
  for (const line of answer.complaints) terminal.tell(visibleText(line));
  if (path !== undefined) {
    await Deno.writeTextFile(path, stdout, { create: false });
    return code;
  }
  try {
    if (stdout !== "") await terminal.write(stdout);
  } catch (error) {
    if (error instanceof ClosedOutputError) return 0;
    throw error;
  }
  return code;
}

/** One agent by its name on the command line, in any case. */
export function agentFor(name: string): Agent | undefined {
  return agentNamed(name.toLowerCase());
}

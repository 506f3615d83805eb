/**
 * `pi-hooks replay`: what hooks would have done in sessions that were recorded.
 *
 * @module
 */

import type { LoadedHook } from "../../mod.ts";
import type { Command } from "./command.ts";
import { loadAsAsked, tellLoadFaults, warningTo } from "./hooks.ts";
import { type ParsedOptions, SHARED_OPTIONS, UsageError } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** The command. */
export const replayCommand: Command = {
  name: "replay",
  summary: "Say what hooks would have done in recorded sessions, without running any tool",
  usage: "pi-hooks replay --hook PATH … SESSION…",
  details: [
    "SESSION is a file, a folder (all its .jsonl files) or a glob. Sessions of pi, oh-my-pi, xcsh,",
    "Claude Code, Codex, Gemini CLI and Copilot CLI are recognised by what is in them. No tool runs:",
    "`tool_result` gets what was recorded. Hooks hear of session_start, before_agent_start,",
    "tool_call, tool_result and session_shutdown, under the names of pi (see --names). Questions are",
    "answered as if nobody was there, and pi.exec runs nothing. With --hook only those hooks take",
    "part, else those that are found here; never those of a recorded folder.",
  ],
  examples: [
    ["What would a guard have blocked?", "pi-hooks replay --hook ./gate.ts ~/.pi/agent/sessions"],
    [
      "Where do two versions decide differently?",
      "pi-hooks replay --hook ./gate.ts --diff ./gate-new.ts ~/.claude/projects",
    ],
    [
      "In CI: no call of these may be blocked",
      "pi-hooks replay --hook ./gate.ts --fail-on block,error 'fixtures/**/*.jsonl'",
    ],
  ],
  options: [
    ...SHARED_OPTIONS,
    {
      name: "diff",
      value: "OTHER_HOOK",
      about: "Show only where this hook in place of --hook decides differently",
    },
    {
      name: "fail-on",
      value: "block|error|change",
      isRepeatable: true,
      about: "Exit with 1 on a block, a failing hook, a changed result or a difference",
    },
    { name: "answer", value: "yes|no", about: "Answer all questions of the hooks" },
    { name: "names", about: "Show the names of tools and fields of the agents, and stop" },
  ],
  run: replay,
};

async function replay(options: ParsedOptions, terminal: Terminal): Promise<number> {
  if (options.has("names")) {
    const { namesTable } = await import("../agents/names.ts");
    await terminal.write(`${namesTable()}\n`);
    return 0;
  }
  if (options.positionals.length === 0) {
    throw new UsageError("Which sessions? Name files, folders or globs");
  }
  const failOn = options.choices("fail-on", ["block", "error", "change"]);
  const answer = options.choices("answer", ["yes", "no"]).at(0);
  const paths = options.values("hook");
  const other = options.value("diff");
  if (other !== undefined && paths.length === 0) {
    throw new UsageError("--diff needs a --hook to compare with");
  }
  const loaded = await loadAsAsked(options, {
    isAlone: paths.length > 0,
    exec: refuseToRun,
    tell: warningTo(terminal),
  });
  tellLoadFaults(loaded, terminal);
  let hasFailedToLoad = loaded.errors.length > 0;
  const sides: LoadedHook[][] = [loaded.hooks];
  if (other !== undefined) {
    const second = await loadAsAsked(options, {
      isAlone: true,
      paths: [other],
      exec: refuseToRun,
    });
    tellLoadFaults(second, terminal);
    hasFailedToLoad ||= second.errors.length > 0;
    sides.push(second.hooks);
  }
  const { replayFiles } = await import("./replay_run.ts");
  const totals = await replayFiles(sides, { options, terminal, answer, cwd: loaded.cwd });
  const isMet = failOn.some((what) =>
    what === "block"
      ? totals.blocked > 0
      : what === "error"
      ? totals.errors > 0
      : totals.changed + totals.different > 0
  );
  if (hasFailedToLoad || isMet) return 1;
  return totals.faults > 0 ? 3 : 0;
}

/** A hook that commits, formats or deletes must not do it again for a session of last year. */
function refuseToRun(command: string) {
  const stderr = `"${command}" was not run: a replay runs no programs`;
  return Promise.resolve({ stdout: "", stderr, code: 126, killed: false });
}

/**
 * Everything that must hold before a change is good, one step after another: format, lint, types,
 * documentation, tests, examples, and whether the package could be published.
 *
 * `deno task test` runs it. A step that fails shows its output and the next one still runs. The last
 * line is `N passed, N failed`: the tests of the steps that run tests, and one for each other step.
 * The exit code is 1 if anything failed.
 *
 * @module
 */

import { stripVTControlCharacters } from "node:util";

/** A command of `deno`, and what it proves. */
export type Step = {
  /** A few words for the list a person reads. */
  name: string;
  /** The arguments of `deno`. */
  args: string[];
  /** The step runs tests: they are counted one by one, and none at all is a failure. */
  countsTests?: true;
  /**
   * Into how many processes the test files are split, as many at a time as there are processors.
   * Processes, and not threads: tests change the environment and the working directory of theirs.
   */
  shards?: number;
};

/** How a step, or all of them, came out. */
export type Tally = { passed: number; failed: number };

/** Nothing here takes nearly as long; it ends a run that hangs. In milliseconds. */
const STEP_LIMIT_MS = 15 * 60 * 1000;

/** The entry points are those of `deno.json`, so that a new one cannot be forgotten here. */
function readEntryPoints(configText: string): string[] {
  const config: unknown = JSON.parse(configText);
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = isRecord(config) && isRecord(config.exports) ? config.exports : {};
  const files = Object.values(entries).filter((file) => typeof file === "string");
  if (files.length === 0) throw new Error("deno.json names no exports: nothing to document");
  return files;
}

/** All steps, in the order in which they run: the quick ones first. */
export function listSteps(configText: string): Step[] {
  const sanitizers = ["--sanitize-ops", "--sanitize-resources"];
  return [
    { name: "format", args: ["fmt", "--check"] },
    { name: "lint", args: ["lint"] },
    { name: "types, with the code in comments", args: ["check", "--doc", "."] },
    { name: "types of the code in the README", args: ["check", "--doc-only", "README.md"] },
    { name: "documentation", args: ["doc", "--lint", ...readEntryPoints(configText)] },
    // The step before has checked the types of the tests too. Hundreds of tests start and kill real
    // processes; one that loses a race on a busy machine may show once more that it can pass.
    {
      name: "tests",
      args: ["test", "-A", "--no-check", "--retry=1", ...sanitizers],
      countsTests: true,
      shards: 8,
    },
    {
      name: "examples in the README and in comments",
      args: ["test", "-A", "--doc", ...sanitizers, "README.md", "mod.ts", "src/", "hooks/"],
      countsTests: true,
    },
    { name: "could be published", args: ["publish", "--dry-run", "--allow-dirty"] },
  ];
}

/**
 * Reads the last summary that `deno test` printed, such as `ok | 3 passed (1 step) | 0 failed (9ms)`.
 * Returns `undefined` if there is none, which means that no test ran.
 */
export function readTally(output: string): Tally | undefined {
  const summary = /^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed/gm;
  const last = [...stripVTControlCharacters(output).matchAll(summary)].at(-1);
  return last && { passed: Number(last[1]), failed: Number(last[2]) };
}

/** The outcomes of the processes of one step, as one. */
function addUp(step: Step, outcomes: readonly Outcome[]): Tally & { note: string } {
  const parts = outcomes.map(({ success, stdout }) => judge(step, success, stdout));
  const passed = parts.reduce((sum, part) => sum + part.passed, 0);
  const failed = parts.reduce((sum, part) => sum + part.failed, 0);
  if (parts.length === 1) return parts[0];
  return { passed, failed, note: `${passed} passed, ${failed} failed` };
}

/** What a step contributes: see {@link Step.countsTests}. */
export function judge(step: Step, success: boolean, stdout: string): Tally & { note: string } {
  if (!step.countsTests) {
    return { passed: success ? 1 : 0, failed: success ? 0 : 1, note: "" };
  }
  const tally = readTally(stdout) ?? { passed: 0, failed: 0 };
  if (tally.passed + tally.failed === 0) {
    return { passed: 0, failed: 1, note: "no test ran" };
  }
  // The runner may fail beside its tests, for example over a type error in one of the files.
  const failed = success ? tally.failed : Math.max(1, tally.failed);
  return { passed: tally.passed, failed, note: `${tally.passed} passed, ${failed} failed` };
}

/** Where to run, and where to write. */
export type RunOptions = {
  /** The folder of the project. */
  cwd: string | URL;
  /** Takes the text for the reader, piece by piece. */
  write: (text: string) => void;
  /** Whether to write, and let `deno` write, in colour. */
  colour: boolean;
};

/** Runs the steps one after another and tells the reader about each. */
export async function runSteps(steps: Step[], options: RunOptions): Promise<Tally> {
  const total: Tally = { passed: 0, failed: 0 };
  const width = Math.max(...steps.map((step) => step.name.length));
  const paint = (code: number, text: string): string =>
    options.colour ? `\x1b[${code}m${text}\x1b[0m` : text;
  for (const step of steps) {
    options.write(`${step.name.padEnd(width)}  `);
    const start = performance.now();
    const outcomes = await runShards(step, options);
    const seconds = `${((performance.now() - start) / 1000).toFixed(1)} s`.padStart(7);
    const { passed, failed, note } = addUp(step, outcomes);
    const word = failed === 0 ? paint(32, "ok    ") : paint(31, "FAILED");
    options.write(`${word} ${seconds}${note && `  ${note}`}\n`);
    if (failed > 0) {
      const output = outcomes.map((outcome) => outcome.output.trimEnd()).join("\n");
      options.write(`\n${paint(2, `$ deno ${step.args.join(" ")}`)}\n${output}\n\n`);
    }
    total.passed += passed;
    total.failed += failed;
  }
  return total;
}

/** What one process of a step did. */
type Outcome = { success: boolean; stdout: string; output: string };

/** Runs a step, in as many processes as it is split into. */
async function runShards({ args, shards }: Step, options: RunOptions): Promise<Outcome[]> {
  if (shards === undefined) return [await runDeno(args, options)];
  const outcomes: Outcome[] = [];
  let next = 1;
  const work = async (): Promise<void> => {
    while (next <= shards) {
      const shard = next++;
      outcomes[shard - 1] = await runDeno([...args, `--shard=${shard}/${shards}`], options);
    }
  };
  await Promise.all(Array.from({ length: navigator.hardwareConcurrency }, work));
  return outcomes;
}

async function runDeno(args: string[], options: RunOptions): Promise<Outcome> {
  const result = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: options.cwd,
    env: options.colour ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" },
    stdin: "null",
    signal: AbortSignal.timeout(STEP_LIMIT_MS),
  }).output();
  const decoder = new TextDecoder();
  const stdout = decoder.decode(result.stdout);
  const stderr = decoder.decode(result.stderr);
  const ending = result.signal === null
    ? ""
    : `\nended by ${result.signal} (a step may take ${STEP_LIMIT_MS / 60_000} minutes)`;
  return { success: result.success, stdout, output: `${stdout}\n${stderr}${ending}` };
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const total = await runSteps(listSteps(await Deno.readTextFile(new URL("deno.json", root))), {
    cwd: root,
    colour: Deno.stdout.isTerminal() && !Deno.noColor,
    write: (text) => Deno.stdout.writeSync(new TextEncoder().encode(text)),
  });
  console.log(`${total.passed} passed, ${total.failed} failed`);
  Deno.exitCode = total.failed === 0 ? 0 : 1;
}

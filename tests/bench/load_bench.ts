/**
 * What loading costs, each beside the bare thing, in child processes that take turns:
 *
 * - 100 hook files through `loadHooks`, beside a loop that imports the same files one by one and
 *   calls their factories;
 * - a process that loads one hook and answers one event, beside an empty one.
 *
 * Deno's cache is warm. Run it with `deno task bench`.
 *
 * @module
 */

import { median, report } from "./measure.ts";

const HOOKS = 100;
const ROUNDS = 21;
const ROOT = new URL("../../", import.meta.url);

const folder = await Deno.makeTempDir();
const config = decodeURIComponent(new URL("deno.json", ROOT).pathname);
const door = new URL("mod.ts", ROOT).href;
const paths = Array.from({ length: HOOKS }, (_, index) => `${folder}/hook_${index}.ts`);

/** About as long as a small guard is. */
function hookText(index: number): string {
  return `import type { HookAPI } from "@pi-hooks/core";

interface Rule { word: string; reason: string }
const RULES: Rule[] = [{ word: "word-${index}", reason: "rule ${index} forbids this" }];

export default function (pi: HookAPI): void {
  pi.on("tool_call", (event) => {
    const command = String(event.input.command ?? "");
    const rule: Rule | undefined = RULES.find(({ word }) => command.includes(word));
    if (rule !== undefined) return { block: true, reason: rule.reason };
  });
}
`;
}

/** Both import the same modules before the clock starts, so that only the loading differs. */
function loadScript(load: string): string {
  return `import { loadHooks } from ${JSON.stringify(door)};
const paths = ${JSON.stringify(paths)};
const pi = { on: () => {} };
void [loadHooks, pi];
const start = performance.now();
${load}
console.log(performance.now() - start);
`;
}

const SCRIPTS = {
  "ours_100.ts": loadScript(`const { hooks } = await loadHooks(paths, "/");
if (hooks.length !== paths.length) throw new Error("some hooks were not loaded");`),
  "bare_100.ts": loadScript(`for (const path of paths) {
  const { default: factory } = await import("file://" + path);
  await factory(pi);
}`),
  "ours_1.ts": `import { HookRunner, loadHooks } from ${JSON.stringify(door)};
const { hooks } = await loadHooks([${JSON.stringify(paths[0])}], "/");
const call = { type: "tool_call", toolName: "bash", toolCallId: "1" } as const;
const runner = new HookRunner(hooks, "/");
const answer = await runner.emitToolCall({ ...call, input: { command: "word-0" } });
if (answer?.block !== true) throw new Error("not blocked");
`,
  "door.ts": `import ${JSON.stringify(door)};\n`,
  "empty.ts": "",
};

type ScriptName = keyof typeof SCRIPTS;

/** Runs a script; gives what it printed and how long the whole process took, in milliseconds. */
async function run(script: ScriptName): Promise<{ printed: number; whole: number }> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--config", config, `${folder}/${script}`],
    stdin: "null",
    stderr: "inherit",
  });
  const start = performance.now();
  const { success, stdout } = await command.output();
  const whole = performance.now() - start;
  if (!success) throw new Error(`${script} failed`);
  return { printed: Number(new TextDecoder().decode(stdout)), whole };
}

/** Lets scripts take turns, and compares each with the first one. */
async function takeTurns(
  what: "printed" | "whole",
  [baseline, ...others]: [ScriptName, ...ScriptName[]],
): Promise<{ base: number; of(script: ScriptName): { nanoseconds: number; ratio: number } }> {
  const costs = new Map<ScriptName, number[]>();
  for (let round = -2; round < ROUNDS; round++) {
    for (const script of [baseline, ...others]) {
      const cost = (await run(script))[what] * 1e6;
      if (round >= 0) costs.set(script, [...costs.get(script) ?? [], cost]);
    }
  }
  const costsOf = (script: ScriptName): number[] => costs.get(script) ?? [];
  return {
    base: median(costsOf(baseline)),
    of: (script) => ({
      nanoseconds: median(costsOf(script)),
      ratio: median(costsOf(script).map((cost, round) => cost / costsOf(baseline)[round])),
    }),
  };
}

try {
  for (const [index, path] of paths.entries()) await Deno.writeTextFile(path, hookText(index));
  for (const [name, text] of Object.entries(SCRIPTS)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  const hundred = await takeTurns("printed", ["bare_100.ts", "ours_100.ts"]);
  report(`load ${HOOKS} hooks, beside bare imports`, hundred.base, hundred.of("ours_100.ts"), 1.15);
  const one = await takeTurns("whole", ["empty.ts", "door.ts", "ours_1.ts"]);
  report("load 1 hook and answer, beside an empty process", one.base, one.of("ours_1.ts"), 1.5);
  report("only import mod.ts, beside an empty process", one.base, one.of("door.ts"));
} finally {
  await Deno.remove(folder, { recursive: true });
}

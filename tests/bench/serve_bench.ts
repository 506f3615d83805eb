/**
 * What an event of an agent costs, by way of asking: `deno run -A tests/bench/serve_bench.ts`.
 * Everything is measured in turns in one run, and shown as a ratio to what it is compared with.
 *
 * @module
 */

import { agentNamed } from "../../src/agents/agents.ts";
import { stubScript } from "../../src/cli/stub.ts";

const CLI = decodeURIComponent(new URL("../../cli.ts", import.meta.url).pathname);
const ROUNDS = Number(Deno.args[0] ?? 15);

const PAYLOAD = JSON.stringify({
  session_id: "bench",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
});

const root = await Deno.makeTempDir();
const env = { PI_HOOKS_HOME: `${root}/own` };
const file = (name: string, text: string): string => {
  Deno.writeTextFileSync(`${root}/${name}`, text);
  return `${root}/${name}`;
};
const hook = file(
  "gate.ts",
  `export default (pi) => pi.on("tool_call", ({ input }) => {
    if (/rm -rf/.test(input.command)) return { block: true, reason: "no" };
  });`,
);
const socket = `${root}/s.sock`;
const tokenFile = `${root}/own/token`;
const hookOptions = ["--no-discovery", "--hook", hook];
const program = [Deno.execPath(), "run", "-A", CLI];
const agent = agentNamed("claude")!;
const stub = file(
  "stub.sh",
  stubScript({ agent, program, hookOptions, mayAsk: false, socket, tokenFile }),
);
const empty = file("empty.ts", "Deno.exit(0);");
const python = file("gate.py", "import json,sys\njson.load(sys.stdin)\nprint('{}')\n");
const node = file(
  "gate.mjs",
  `let s = ""; process.stdin.on("data", (d) => s += d).on("end", () => { JSON.parse(s); console.log("{}"); });`,
);

async function spawned(command: string, args: string[]): Promise<void> {
  const child = new Deno.Command(command, {
    args,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(PAYLOAD)).then(() => writer.close()).catch(() => {});
  await child.output();
}

const resident = (address: string[]) =>
  new Deno.Command(program[0], {
    args: [...program.slice(1), "serve", ...address, ...hookOptions],
    env,
    stdout: "piped",
    stderr: "null",
  }).spawn();
const bySocket = resident(["--socket", socket]);
const byHttp = resident(["--http", "127.0.0.1:0"]);
const saidBy = async (child: Deno.ChildProcess): Promise<string> => {
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return new TextDecoder().decode(value).trim().replace("listening on ", "");
};
await saidBy(bySocket);
const url = `${await saidBy(byHttp)}/hook/claude`;
const authorization = Deno.readTextFileSync(tokenFile).split(": ")[1].trim();
const curlArgs = [
  ...["-sS", "-f", "-H", "Expect:", "-H", `@${tokenFile}`, "-X", "POST", "-T", "-"],
  ...["--unix-socket", socket, "http://localhost/hook/claude?event=PreToolUse"],
];

const contenders: Record<string, () => Promise<unknown>> = {
  "sh -c true": () => spawned("sh", ["-c", "true"]),
  "empty deno run": () => spawned(program[0], ["run", "-A", empty]),
  "serve, spawned": () =>
    spawned(program[0], [...program.slice(1), "serve", "--as", "claude", ...hookOptions]),
  "curl alone": () => spawned("curl", curlArgs),
  "stub": () => spawned("sh", [stub, "PreToolUse"]),
  "HTTP": () =>
    fetch(url, { method: "POST", body: PAYLOAD, headers: { authorization } }).then((r) => r.text()),
  "hook in Python": () => spawned("python3", [python]),
  "hook in Node": () => spawned("node", [node]),
};
const times: Record<string, number[]> = {};
for (let round = -2; round < ROUNDS; round++) {
  for (const [name, work] of Object.entries(contenders)) {
    const start = performance.now();
    await work().catch(() => {});
    if (round >= 0) (times[name] ??= []).push(performance.now() - start);
  }
}
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1];
const ratio = (name: string, to: string): string =>
  (median(times[name].map((time, i) => time / times[to][i]))).toFixed(2);
console.log("| what | median | to `sh -c true` |\n| --- | --- | --- |");
for (const name of Object.keys(contenders)) {
  console.log(`| ${name} | ${median(times[name]).toFixed(2)} ms | ${ratio(name, "sh -c true")} |`);
}
console.log(`\nserve, spawned : empty deno run = ${ratio("serve, spawned", "empty deno run")}`);
console.log(`stub : curl alone = ${ratio("stub", "curl alone")}`);
for (const child of [bySocket, byHttp]) {
  child.kill();
  await child.status;
}
await Deno.remove(root, { recursive: true });

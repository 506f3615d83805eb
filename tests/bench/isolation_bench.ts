/**
 * What isolation costs: the start of processes, a round trip beside a bare ping-pong of two Deno
 * processes over pipes and beside a hook in the host's process, a conversation that grows, memory.
 *
 * @module
 */

import { HookRunner, loadHooks, type LoadHooksOptions } from "../../mod.ts";
import type { LoadedHook } from "../../src/hook.ts";
import type { AgentMessage } from "../../src/messages.ts";
import { compare, type Contender, median, report } from "./measure.ts";

const GATE = `export default (pi) => pi.on("tool_call", (event) => {
  if (String(event.input.command).includes("rm -rf")) return { block: true, reason: "no" };
});`;
const FILTER = `export default (pi) => pi.on("context", (event) => ({
  messages: event.messages.filter((message) => message.role !== "custom"),
}));`;
/** Gives back each line that it reads, as the simplest protocol would. */
const PING_PONG = `const decoder = new TextDecoder(), encoder = new TextEncoder();
let rest = "";
const writer = Deno.stdout.writable.getWriter();
for await (const bytes of Deno.stdin.readable) {
  const lines = (rest + decoder.decode(bytes, { stream: true })).split("\\n");
  rest = lines.pop();
  for (const line of lines) {
    JSON.parse(line);
    await writer.write(encoder.encode('{"id":1}\\n'));
  }
}`;

const folder = await Deno.makeTempDir({ prefix: "pi-hooks-bench-" });
const ISOLATED: LoadHooksOptions = { isolate: true };

async function load(text: string, count: number, options: LoadHooksOptions): Promise<LoadedHook[]> {
  const paths = [];
  for (let n = 0; n < count; n++) {
    const path = `${folder}/h${n}-${text.length}.ts`;
    await Deno.writeTextFile(path, text);
    paths.push(path);
  }
  const { hooks, errors } = await loadHooks(paths, folder, options);
  if (errors.length > 0) throw new Error(errors[0].error);
  return hooks;
}

async function end(hooks: readonly LoadedHook[]): Promise<void> {
  await Promise.all(hooks.map((hook) => hook.dispose?.()));
}

/** Two processes and a pair of pipes. */
class PingPong {
  readonly #child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--no-prompt", `${folder}/ping_pong.ts`],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  readonly #writer = this.#child.stdin.getWriter();
  readonly #reader = this.#child.stdout.getReader();
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  async ask(value: unknown): Promise<void> {
    await this.#writer.write(this.#encoder.encode(`${JSON.stringify(value)}\n`));
    let text = "";
    while (!text.endsWith("\n")) {
      text += this.#decoder.decode((await this.#reader.read()).value, { stream: true });
    }
    JSON.parse(text);
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#reader.cancel();
    await this.#child.status;
  }
}

async function roundTrips(): Promise<void> {
  const isolated = await load(GATE, 1, ISOLATED);
  const near = await load(GATE, 1, {});
  await Deno.writeTextFile(`${folder}/ping_pong.ts`, PING_PONG);
  const bare = new PingPong();
  const asking = (hooks: LoadedHook[], command: string): Contender => {
    const runner = new HookRunner(hooks, folder);
    return async (times) => {
      for (let i = 0; i < times; i++) {
        const input = { command };
        await runner.emitToolCall({
          type: "tool_call",
          toolName: "bash",
          toolCallId: `${i}`,
          input,
        });
      }
    };
  };
  for (const [name, size] of [["200 B", 100], ["10 kB", 9_900]] as const) {
    const command = "x".repeat(size);
    const pinging: Contender = async (times) => {
      for (let i = 0; i < times; i++) {
        const input = { command };
        await bare.ask({ type: "tool_call", toolName: "bash", toolCallId: `${i}`, input });
      }
    };
    const contenders = { isolated: asking(isolated, command), near: asking(near, command) };
    const { baseline, figures } = await compare(pinging, contenders, 300, 15);
    report(`tool_call of ${name}, beside bare pipes`, baseline, figures.isolated, 1.3);
    report(`the same in the host's process, beside bare pipes`, baseline, figures.near);
  }
  await bare.close();
  await end(isolated);
}

async function starts(): Promise<void> {
  for (const count of [1, 10, 50]) {
    const costs = [];
    for (let round = 0; round < (count > 10 ? 3 : 5); round++) {
      const start = performance.now();
      const hooks = await load(GATE, count, ISOLATED);
      costs.push(performance.now() - start);
      await end(hooks);
    }
    const ms = median(costs);
    console.log(
      `start ${count} isolated hooks: ${ms.toFixed(0)} ms, ${(ms / count).toFixed(1)} ms each`,
    );
  }
}

/** A conversation of a person and an agent, of so many bytes. */
function conversation(bytes: number): AgentMessage[] {
  const text = "A line of text as it stands in files. ".repeat(100);
  return Array.from({ length: Math.ceil(bytes / text.length) }, (_, n): AgentMessage => ({
    role: "user",
    content: [{ type: "text", text: `${n} ${text}` }],
    timestamp: n,
  }));
}

async function growing(): Promise<void> {
  const firsts: number[] = [];
  const tenths: number[] = [];
  for (let round = 0; round < 5; round++) {
    const hooks = await load(FILTER, 1, ISOLATED);
    const runner = new HookRunner(hooks, folder);
    await runner.emitContext([]);
    const messages = conversation(2e6);
    for (let call = 1; call <= 10; call++) {
      const start = performance.now();
      const got = await runner.emitContext(messages);
      const cost = performance.now() - start;
      if (got.length !== messages.length) throw new Error("messages were lost");
      if (call === 1) firsts.push(cost);
      if (call === 10) tenths.push(cost);
      messages.push(...conversation(3000));
    }
    await end(hooks);
  }
  const [first, tenth] = [median(firsts), median(tenths)];
  const ratio = median(tenths.map((cost, round) => cost / firsts[round]));
  const figure = { nanoseconds: tenth * 1e6, ratio };
  report("the tenth context of 2 MB, beside the first", first * 1e6, figure, 0.1);
}

async function memory(): Promise<void> {
  const hooks = await load(
    `export default (pi) => pi.on("tool_call", () => ({ block: true, reason: String(Deno.pid) }));`,
    1,
    ISOLATED,
  );
  const runner = new HookRunner(hooks, folder);
  const answer = await runner.emitToolCall({
    type: "tool_call",
    toolName: "bash",
    toolCallId: "1",
    input: {},
  });
  try {
    const text = await Deno.readTextFile(`/proc/${answer?.reason}/smaps_rollup`);
    const kilobytes = (name: string): string =>
      (Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1]) / 1024).toFixed(1);
    console.log(
      `memory of a process: ${kilobytes("Rss")} MiB, ${kilobytes("Pss")} MiB of its own share`,
    );
  } catch {
    console.log("memory of a process: this system does not tell");
  }
  await end(hooks);
}

try {
  await starts();
  await roundTrips();
  await growing();
  await memory();
} finally {
  await Deno.remove(folder, { recursive: true });
}

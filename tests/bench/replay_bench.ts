/**
 * What a replay costs, beside reading the same files, parsing their lines and calling one function
 * for each call. Run it with `deno task bench replay`.
 *
 * @module
 */

import { loadHooks } from "../../mod.ts";
import { FileReplay, type ReplayListener } from "../../src/cli/replay_file.ts";
import { ReplaySide } from "../../src/cli/replay_side.ts";

const SIZE = 100 << 20;
const ROUNDS = 5;
/** How often the bare cost a replay may take. */
const LIMIT = 1.5;

const encoder = new TextEncoder();

/** Sessions in the shape of pi: what people ask, what models say, calls with results of all sizes. */
async function writeSession(path: string, bytes: number): Promise<number> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const writer = file.writable.getWriter();
  let written = 0;
  let calls = 0;
  const put = async (record: object) => {
    const line = encoder.encode(`${JSON.stringify(record)}\n`);
    written += line.length;
    await writer.write(line);
  };
  await put({ type: "session", version: 3, id: "bench", timestamp: "t", cwd: "/project" });
  const usage = { input: 1000, output: 50, cacheRead: 0, cacheWrite: 0, totalTokens: 1050 };
  while (written < bytes) {
    const id = `call-${calls++}`;
    const command = `grep -rn "name${calls}" src/folder${calls % 50} | head -${calls % 40}`;
    const text = `src/folder/file.ts:${calls}: const name = "value";\n`.repeat(1 + calls % 60);
    await put({
      type: "message",
      id: `a${calls}`,
      parentId: `r${calls - 1}`,
      message: {
        role: "assistant",
        content: [
          { type: "text", text: "I look where the name is used, and then change the file." },
          { type: "toolCall", id, name: "bash", arguments: { command, timeout: 30 } },
        ],
        usage,
        stopReason: "toolUse",
      },
    });
    const content = [{ type: "text", text }];
    await put({
      type: "message",
      id: `r${calls}`,
      parentId: `a${calls}`,
      message: { role: "toolResult", toolCallId: id, toolName: "bash", content, isError: false },
    });
  }
  await writer.close();
  return calls;
}

type Handler = (event: { toolName: string; input: { command?: unknown } }) => unknown;
const handler: Handler = ({ toolName, input }) =>
  toolName === "bash" && String(input.command).includes("rm -rf") ? { block: true } : undefined;

async function bare(path: string): Promise<number> {
  let calls = 0;
  const file = await Deno.open(path);
  let rest = "";
  for await (const piece of file.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const { message } = JSON.parse(line);
      if (message?.role !== "assistant") continue;
      for (const block of message.content) {
        if (block.type !== "toolCall") continue;
        calls++;
        handler({ toolName: block.name, input: block.arguments });
      }
    }
  }
  return calls;
}

const listener: ReplayListener = { onCall() {}, onResult() {}, onErrors() {} };

const folder = await Deno.makeTempDir({ prefix: "pi-hooks-bench-" });
try {
  const path = `${folder}/session.jsonl`;
  const calls = await writeSession(path, SIZE);
  const hookPath = `${folder}/gate.ts`;
  await Deno.writeTextFile(
    hookPath,
    `export default (pi) => pi.on("tool_call", ${handler.toString()});`,
  );
  const { hooks, errors } = await loadHooks([hookPath], folder);
  if (errors.length > 0) throw new Error(errors[0].error);
  const side = new ReplaySide(hooks, { cwd: folder, onWarning() {} });

  const ratios: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const start = performance.now();
    const found = await bare(path);
    const middle = performance.now();
    const report = await new FileReplay(path, [side], listener).run(path);
    const end = performance.now();
    if (found !== calls || report.calls !== calls || report.results !== calls) {
      throw new Error(`Not all calls were seen: ${calls}, ${found}, ${report.calls}`);
    }
    const ratio = (end - middle) / (middle - start);
    if (round < 0) continue;
    ratios.push(ratio);
    console.log(
      `bare ${(middle - start).toFixed(0)} ms, replay ${(end - middle).toFixed(0)} ms: ${
        ratio.toFixed(2)
      }×`,
    );
  }
  const median = ratios.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)];
  console.log(`${calls} calls in ${SIZE >> 20} MB: ${median.toFixed(2)}× (at most ${LIMIT}×)`);
  if (median > LIMIT) Deno.exit(1);
} finally {
  await Deno.remove(folder, { recursive: true });
}

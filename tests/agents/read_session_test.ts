import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readSession, type SessionItem } from "../../src/agents/sessions/read_session.ts";
import type { SessionStep } from "../../src/agents/sessions/step.ts";
import { RECORDED_SESSIONS } from "./recorded_sessions.ts";

async function read(text: string): Promise<SessionItem[]> {
  const items: SessionItem[] = [];
  const batches = ReadableStream.from([text.split("\n")]);
  for await (const some of readSession(batches)) items.push(...some);
  return items;
}

function stepsOf(items: SessionItem[]): SessionStep[] {
  return items.flatMap((item) => item.kind === "step" ? [item.step] : []);
}

function faultsOf(items: SessionItem[]): string[] {
  return items.flatMap((item) => item.kind === "fault" ? [`${item.line}: ${item.text}`] : []);
}

function formatOf(items: SessionItem[]): string | undefined {
  return items.flatMap((item) => item.kind === "format" ? [item.reader.format] : [])[0];
}

const PI_HEADER = '{"type":"session","version":3,"id":"s1","timestamp":"t","cwd":"/tmp"}';

function piCall(id: string, command: string): string {
  const content = [{ type: "toolCall", id, name: "bash", arguments: { command } }];
  return JSON.stringify({ type: "message", id, message: { role: "assistant", content } });
}

for (const [format, text] of Object.entries(RECORDED_SESSIONS)) {
  Deno.test(`a session of ${format} is recognised, with all its calls and results`, async () => {
    const items = await read(text);
    assertEquals(formatOf(items), format);
    assertEquals(faultsOf(items), []);
    const steps = stepsOf(items);
    const ids = (kind: string) => steps.flatMap((step) => step.kind === kind ? [step] : []);
    assertEquals(ids("prompt"), [{ kind: "prompt", text: "clean up" }]);
    const calls = steps.filter((step) => step.kind === "call");
    assertEquals(calls.map(({ id }) => id), ["c1", "c2", "c3"]);
    const results = steps.filter((step) => step.kind === "result");
    assertEquals(results.map(({ id }) => id), ["c1", "c2"]);
    assertStringIncludes(JSON.stringify(results[1].content), "API_KEY=abc");
    const [start] = steps.filter((step) => step.kind === "session");
    if (format !== "Gemini CLI") assertEquals(start.cwd, "/project");
  });
}

Deno.test("the content decides what a file is: other files are refused with one sentence", async () => {
  for (
    const text of [
      '{"name":"x","version":"1.0.0"}\n',
      '{"level":"info","msg":"a"}\n{"level":"info","msg":"b"}\n',
      "time,level\n1,info\n".repeat(100),
    ]
  ) {
    const items = await read(text);
    assertEquals(formatOf(items), undefined);
    const faults = faultsOf(items);
    assertStringIncludes(faults[faults.length - 1], "no session of an agent");
    assert(faults.length <= 52, "a file that is no session floods the report");
  }
});

Deno.test("damaged lines are reported with their number, the others are read", async () => {
  const [a, b, c] = ["a", "b", "c"].map((id) => piCall(id, id));
  for (
    const [text, ids, faults] of [
      [`${PI_HEADER}\n${a}\nnot json\n${b}\n`, ["a", "b"], ["3: not JSON"]],
      [`${PI_HEADER}\n${a}\n${b.slice(0, -20)}`, ["a"], ["3: not JSON"]],
      [`${PI_HEADER}\n${a}${b}\n${c}\n`, ["a", "b", "c"], ["2: 2 records on one line"]],
      [`${PI_HEADER}\n\n  \n${a}\n"text"\n7\n[]\nnull\n`, ["a"], []],
      [`${a}\n${PI_HEADER}\n`, ["a"], []],
      [PI_HEADER.slice(0, 30), [], ["1: not JSON"]],
    ] as const
  ) {
    const items = await read(text);
    const calls = stepsOf(items).flatMap((step) => step.kind === "call" ? [step.id] : []);
    assertEquals(calls, [...ids], text);
    const found = faultsOf(items);
    assertEquals(found.length, faults.length, text);
    faults.forEach((fault, index) => assertStringIncludes(found[index], fault));
  }
});

Deno.test("a text that looks like a seam between records is left alone", async () => {
  const line = piCall("a", 'echo "}{"');
  const items = await read(`${PI_HEADER}\n${line}${line.replaceAll('"a"', '"b"')}\n`);
  assertEquals(stepsOf(items).filter(({ kind }) => kind === "call").length, 2);
});

Deno.test("a newer version is read with a warning, unknown kinds of records are counted", async () => {
  const items = await read(
    `${PI_HEADER.replace("3", "99")}\n{"type":"quantum_state","id":"q"}\n${piCall("a", "ls")}\n`,
  );
  assertEquals(formatOf(items), "pi v99");
  const [warning] = items.filter((item) => item.kind === "warning");
  assertStringIncludes(warning.text, "version 99");
  assertEquals(items.at(-1), { kind: "end", known: 2, unknown: 1 });
});

Deno.test("failures are told as far as the agent says", async () => {
  const codex = (output: string) =>
    read(
      `${JSON.stringify({ type: "session_meta", payload: { id: "s" } })}\n${
        JSON.stringify({
          type: "response_item",
          payload: { type: "function_call_output", call_id: "c", output },
        })
      }\n`,
    );
  for (
    const [output, isError] of [
      ["Process exited with code 3\nOutput:\nbad", true],
      ["Process exited with code 0\nOutput:\nProcess exited with code 3", false],
      ['{"output":"x","metadata":{"exit_code":1}}', true],
      ["Exit code: 0\nWall time: 0 seconds\nOutput:\nok", false],
      ["whatever", undefined],
    ] as const
  ) {
    const [, result] = stepsOf(await codex(output));
    assert(result.kind === "result");
    assertEquals(result.isError, isError, output);
  }
});

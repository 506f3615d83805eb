/**
 * Foreign results in the form that hooks know.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { toPiToolResult } from "../../src/agents/results.ts";

const text = (value: string): unknown[] => [{ type: "text", text: value }];
const picture = { type: "image", data: "QQ==", mimeType: "image/png" };

const SHAPES: readonly [string, unknown, unknown, boolean | undefined][] = [
  ["nothing", undefined, [], undefined],
  ["null", null, [], undefined],
  ["a number", 0, text("0"), undefined],
  ["no blocks", [], [], undefined],
  ["a text", "out\n", text("out\n"), undefined],
  ["both outputs", { stdout: "a", stderr: "b" }, text("a\nb"), undefined],
  ["one output", { stdout: "", stderr: "b" }, text("b"), undefined],
  ["a read file", { type: "text", file: { filePath: "/a", content: "x" } }, text("x"), undefined],
  ["a read picture", { type: "image", file: { base64: "QQ==", type: "image/png" } }, [
    picture,
  ], undefined],
  ["a search", { mode: "content", content: "b:1", filenames: [] }, text("b:1"), undefined],
  ["a list of files", { filenames: ["a", "b"], numFiles: 2 }, text("a\nb"), undefined],
  [
    "a changed file",
    { filePath: "/a", content: "x", structuredPatch: [] },
    text('{"filePath":"/a","content":"x","structuredPatch":[]}'),
    undefined,
  ],
  ["a success", { filePath: "/a", success: true }, text('{"filePath":"/a","success":true}'), false],
  ["a failure", { result: "no", success: false }, text("no"), true],
  ["llmContent", { llmContent: "x", returnDisplay: "y" }, text("x"), undefined],
  ["llmContent of parts", { llmContent: [{ text: "x" }, { inlineData: picture }] }, [
    ...text("x"),
    picture,
  ], undefined],
  ["llmContent of one part", { llmContent: { text: "x" } }, text("x"), undefined],
  ["llmContent with an error", { llmContent: "x", error: { message: "m" } }, text("x"), true],
  ["textResultForLlm", { resultType: "success", textResultForLlm: "x" }, text("x"), false],
  ["text_result_for_llm", { result_type: "failure", text_result_for_llm: "x" }, text("x"), true],
  ["MCP", { content: [{ type: "text", text: "x" }], isError: true }, text("x"), true],
  [
    "a block in another dialect",
    [{
      type: "image",
      source: { type: "base64", data: "QQ==", media_type: "image/png" },
    }],
    [picture],
    undefined,
  ],
  ["blocks that are none", [1, null, { a: 1 }, "s"], [
    ...text("1"),
    ...text("null"),
    ...text('{"a":1}'),
    ...text("s"),
  ], undefined],
  [
    "a title and an output",
    { title: "t", output: "x", metadata: { exit: 3 } },
    text("x"),
    undefined,
  ],
  ["an unknown object", { a: 1 }, text('{"a":1}'), undefined],
];

for (const [name, raw, content, isError] of SHAPES) {
  Deno.test(`result: ${name}`, () => {
    const expected = isError === undefined
      ? { content, details: raw }
      : { content, details: raw, isError };
    assertEquals(toPiToolResult("claude", raw), expected as ReturnType<typeof toPiToolResult>);
  });
}

Deno.test("an event that means failure says so, whatever the result looks like", () => {
  assertEquals(toPiToolResult("claude", "Exit code 3", true).isError, true);
});

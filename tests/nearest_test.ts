import { assertEquals } from "@std/assert";
import { nearest } from "../src/nearest.ts";

const NAMES = [
  "tool_call",
  "tool_result",
  "turn_start",
  "turn_end",
  "context",
  "session.compacting",
];

Deno.test("a slip finds the word that was meant", () => {
  const table: [string, string][] = [
    ["tool_cal", "tool_call"],
    ["tool_calll", "tool_call"],
    ["tool_clal", "tool_call"],
    ["Tool_Call", "tool_call"],
    ["toolcall", "tool_call"],
    ["tool-result", "tool_result"],
    ["turn_strat", "turn_start"],
    ["session_compacting", "session.compacting"],
    ["contxt", "context"],
  ];
  for (const [word, meant] of table) assertEquals(nearest(word, NAMES), meant, word);
});

Deno.test("what is near to nothing finds nothing", () => {
  for (const word of ["", "x", "before_tool", "PreToolUse", "stop"]) {
    assertEquals(nearest(word, NAMES), undefined, word);
  }
  assertEquals(nearest("tool_call", []), undefined);
});

Deno.test("of words that are equally near the first is taken", () => {
  assertEquals(nearest("turn_", ["turn_a", "turn_b"]), "turn_a");
});

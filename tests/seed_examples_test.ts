/**
 * The examples that hook authors start from, unchanged: they compile, load, and do what they say.
 *
 * They import their types from `@f5-sales-demo/xcsh/hooks`, as hooks in the field do.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { HookBlockedError } from "../src/errors.ts";
import type { AgentMessage, ImageContent } from "../src/messages.ts";
import { emptySessionManager } from "../src/no_host.ts";
import type { AgentToolResult, WritableSession } from "../src/ports.ts";
import { echoTool, fakeUI, makeRunner, runDeno, textOf } from "./helpers.ts";
import { loadFiles, runWrapped, toolGiving } from "./hooks/ready_made.ts";

const EXAMPLES = ["module", "block", "redact", "filter", "handoff"] as const;

function example(name: typeof EXAMPLES[number]): string {
  return decodeURIComponent(new URL(`fixtures/seed/${name}.ts`, import.meta.url).pathname);
}

Deno.test("the examples compile unchanged under strict, without any and without a cast", async () => {
  const { code, stderr } = await runDeno(["check", ...EXAMPLES.map(example)]);
  assertEquals(code, 0, stderr);
  for (const name of EXAMPLES) {
    const text = await Deno.readTextFile(example(name));
    assert(!/\bany\b|\bas \w|@ts-/.test(text), `${name} was changed to compile`);
    assert(text.includes('import type { HookAPI } from "@f5-sales-demo/xcsh/hooks";'), name);
  }
});

Deno.test("the examples load together, without a remark", async () => {
  const hooks = await loadFiles(...EXAMPLES.map(example));
  assertEquals(hooks.map(({ path }) => path), EXAMPLES.map(example));
  const { runner } = makeRunner(hooks);
  for (const name of ["tool_call", "tool_result", "context"] as const) {
    assert(runner.hasHandlers(name), name);
  }
  assertEquals(runner.getRegisteredCommands().map(({ name }) => name), ["handoff"]);
});

Deno.test("the first example blocks rm -rf in bash, with its reason, and nothing else", async () => {
  const { runner } = makeRunner(await loadFiles(example("module")));
  const bash = echoTool("bash");
  const error = await assertRejects(
    () => runWrapped(bash, runner, { command: "rm -rf /tmp/x" }),
    HookBlockedError,
    "blocked by policy",
  );
  assertEquals([error.kind, error.hookPath], ["policy", example("module")]);
  assertEquals(bash.runs, []);
  await runWrapped(bash, runner, { command: "ls" });
  await runWrapped(bash, runner, {});
  const read = echoTool("read");
  await runWrapped(read, runner, { command: "rm -rf /tmp/x" });
  assertEquals([bash.runs.length, read.runs.length], [2, 1]);
});

Deno.test("the blocking example blocks where no person can be asked", async () => {
  const { runner } = makeRunner(await loadFiles(example("block")));
  const bash = echoTool("bash");
  await assertRejects(
    () => runWrapped(bash, runner, { command: "rm -rf x" }),
    HookBlockedError,
    "rm -rf blocked (no UI)",
  );
  assertEquals(bash.runs, []);
});

Deno.test("the blocking example asks the person, who decides", async () => {
  for (const allowed of [false, true]) {
    const ui = fakeUI({ confirm: allowed });
    const { runner } = makeRunner(await loadFiles(example("block")), { ui });
    const bash = echoTool("bash");
    const run = () => runWrapped(bash, runner, { command: "sudo rm -rf x" });
    if (allowed) await run();
    else await assertRejects(run, HookBlockedError, "user denied command");
    assertEquals(bash.runs.length, allowed ? 1 : 0);
    assertEquals(ui.dialogs.map(({ kind, args }) => [kind, ...args]), [
      ["confirm", "Dangerous command", "Allow: sudo rm -rf x"],
    ]);
  }
});

Deno.test("the blocking example asks nobody about harmless commands and other tools", async () => {
  const ui = fakeUI();
  const { runner } = makeRunner(await loadFiles(example("block")), { ui });
  await runWrapped(echoTool("bash"), runner, { command: "rm x" });
  await runWrapped(echoTool("write"), runner, { command: "rm -rf x" });
  assertEquals(ui.dialogs, []);
});

Deno.test("the redacting example changes the text blocks of read, and keeps the rest", async () => {
  const { runner, errors } = makeRunner(await loadFiles(example("redact")));
  const image: ImageContent = { type: "image", data: "QUJD", mimeType: "image/png" };
  const given: AgentToolResult = {
    content: [{ type: "text", text: "A=1\nAPI_KEY=abc;def\nAPI_KEY=x y" }, image],
    details: { resolvedPath: "/project/.env" },
  };
  assertEquals(await runWrapped(toolGiving("read", given), runner), {
    content: [{ type: "text", text: "A=1\nAPI_KEY=[REDACTED]\nAPI_KEY=[REDACTED] y" }, image],
    details: { resolvedPath: "/project/.env" },
  });
  assertStrictEquals(await runWrapped(toolGiving("bash", given), runner), given);
  assertEquals(errors, []);
});

Deno.test("the redacting example leaves a failed read to its error", async () => {
  const { runner, records } = makeRunner(await loadFiles(example("redact")), { observed: true });
  const failure = new Error("cannot read API_KEY=abc");
  const tool = toolGiving("read", () => {
    throw failure;
  });
  assertStrictEquals(await assertRejects(() => runWrapped(tool, runner)), failure);
  assertEquals(records.map(({ event, outcome }) => [event, outcome]), [["tool_result", "passed"]]);
});

Deno.test("the filtering example drops debug-only messages for one call of the model", async () => {
  const { runner } = makeRunner(await loadFiles(example("filter")));
  const message = (customType: string): AgentMessage => ({
    role: "custom",
    customType,
    content: "text",
    display: true,
    timestamp: 1,
  });
  const user: AgentMessage = { role: "user", content: "hello", timestamp: 1 };
  const messages = [user, message("debug-only"), message("note")];
  assertEquals(await runner.emitContext(messages), [user, message("note")]);
  assertEquals(messages.length, 3);
});

Deno.test("the handoff example waits, then starts a session whose parent is this one", async () => {
  const steps: unknown[] = [];
  const appended: AgentMessage[] = [];
  const fresh: Pick<WritableSession, "appendMessage"> = {
    appendMessage: (message) => `e${appended.push(message)}`,
  };
  const { runner } = makeRunner(await loadFiles(example("handoff")), {
    sessionManager: { ...emptySessionManager("/project"), getSessionFile: () => "/s/old.jsonl" },
    waitForIdle: async () => void await Promise.resolve(steps.push("waitForIdle")),
    newSessionHandler: async (options) => {
      steps.push(["newSession", options?.parentSession]);
      await options?.setup?.(fresh as WritableSession);
      return { cancelled: false };
    },
  });
  const command = runner.getCommand("handoff");
  assertEquals(command?.description, "Create a new session with setup message");
  const before = Date.now();
  await command?.handler("", runner.createCommandContext());
  assertEquals(steps, ["waitForIdle", ["newSession", "/s/old.jsonl"]]);
  assertEquals(appended.length, 1);
  const [message] = appended;
  assert(message.role === "user" && typeof message.content !== "string");
  assertEquals(textOf({ content: message.content }), "Continue from prior session summary.");
  assert(message.timestamp >= before);
});

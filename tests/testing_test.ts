import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { HookFactory } from "@pi-hooks/core";
import { createTestHost, UnexpectedError } from "@pi-hooks/core/testing";
import { runDeno, tempDir } from "./helpers.ts";

const asksBeforeRm: HookFactory = (pi) => {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash" || !/\brm\b/.test(String(event.input.command))) return;
    if (!ctx.hasUI) return { block: true, reason: "nobody to ask" };
    const isAllowed = await ctx.ui.confirm("Delete?", String(event.input.command));
    if (!isAllowed) return { block: true, reason: "the person said no" };
  });
};

Deno.test("toolCall gives the verdict, its reason and what became of every handler", async () => {
  await using host = await createTestHost([asksBeforeRm, (pi) => pi.on("tool_call", () => {})]);
  const blocked = await host.toolCall("bash", { command: "rm -rf x" });
  assertEquals([blocked.blocked, blocked.reason, blocked.kind], [true, "nobody to ask", "policy"]);
  assertEquals(blocked.hookPath, "test-hook-1");
  assertEquals(blocked.trace.map(({ outcome }) => outcome), ["blocked", "not-run"]);
  const allowed = await host.toolCall("bash", { command: "ls" });
  assertEquals([allowed.blocked, allowed.reason], [false, undefined]);
  assertEquals(allowed.trace.map(({ outcome }) => outcome), ["passed", "passed"]);
});

Deno.test("the person answers by script: a value, a list in order, or a function", async () => {
  for (
    const [confirm, expected] of [
      [true, [false, false]],
      [[true, false], [false, true]],
      [(dialog: { message?: string }) => dialog.message === "rm b", [true, false]],
    ] as const
  ) {
    await using host = await createTestHost(asksBeforeRm, { ui: { confirm } });
    const verdicts = [
      await host.toolCall("bash", { command: "rm a" }),
      await host.toolCall("bash", { command: "rm b" }),
    ];
    assertEquals(verdicts.map(({ blocked }) => blocked), [...expected]);
    assertEquals(host.dialogs.map(({ title, message }) => [title, message]), [
      ["Delete?", "rm a"],
      ["Delete?", "rm b"],
    ]);
  }
});

Deno.test("a question that nobody has expected fails the test, even if the hook catches it", async () => {
  const host = await createTestHost((pi) => {
    pi.on("tool_call", async (_event, ctx) => {
      await ctx.ui.input("Why?").catch(() => {});
    });
  }, { ui: { confirm: true } });
  const error = await assertRejects(() => host.toolCall("bash"), UnexpectedError);
  assertStringIncludes(error.message, 'input "Why?"');
  await host.close();
});

Deno.test("a list of answers must be asked for to its end, and no further", async () => {
  const host = await createTestHost(asksBeforeRm, { ui: { confirm: [true] } });
  await host.toolCall("bash", { command: "rm a" });
  const rm = () => host.toolCall("bash", { command: "rm b" });
  assertStringIncludes((await assertRejects(rm, UnexpectedError)).message, "has none");
  await host.close();
  const unasked = await createTestHost(asksBeforeRm, { ui: { confirm: [true] } });
  const error = await assertRejects(() => unasked.close(), UnexpectedError);
  assertStringIncludes(error.message, "confirm: true");
});

Deno.test("an answer that is no option fails the test", async () => {
  const host = await createTestHost((pi) => {
    pi.on("tool_call", async (_event, ctx) => {
      await ctx.ui.select("Which?", ["a", "b"]);
    });
  }, { ui: { select: "c" } });
  const error = await assertRejects(() => host.toolCall("bash"), UnexpectedError);
  assertStringIncludes(error.message, '"c" is no option');
  await host.close();
});

Deno.test("notices, status texts and the text of the prompt are kept", async () => {
  await using host = await createTestHost((pi) => {
    pi.on("session_start", (_event, ctx) => {
      ctx.ui.notify("hello", "warning");
      ctx.ui.setStatus("a", "one");
      ctx.ui.setStatus("b", "two");
      ctx.ui.setStatus("a", undefined);
      ctx.ui.setEditorText("draft");
      pi.logger.info(ctx.ui.getEditorText(), 7);
    });
  }, { ui: {} });
  assertEquals(host.notices, [{ message: "hello", type: "warning" }]);
  assertEquals([...host.statuses], [["b", "two"]]);
  assertEquals(host.logs, [{ level: "info", message: "draft", data: 7 }]);
});

Deno.test("programs answer by script and are never run", async () => {
  const runsGit: HookFactory = (pi) => {
    pi.on("tool_call", async () => {
      const { stdout, code, killed } = await pi.exec("git", ["status"], { timeout: 5 });
      return { block: true, reason: JSON.stringify({ stdout, code, killed }) };
    });
  };
  for (
    const [outcome, reason] of [
      ["clean\n", { stdout: "clean\n", code: 0, killed: false }],
      [{ code: 1 }, { stdout: "", code: 1, killed: false }],
    ] as const
  ) {
    await using host = await createTestHost(runsGit, {
      cwd: "/project",
      exec: ({ command }) => command === "git" ? outcome : undefined,
    });
    assertEquals((await host.toolCall("bash")).reason, JSON.stringify(reason));
    assertEquals(host.execCalls, [
      { command: "git", args: ["status"], cwd: "/project", options: { timeout: 5 } },
    ]);
  }
  for (const exec of [undefined, () => undefined]) {
    const host = await createTestHost(runsGit, { exec });
    const error = await assertRejects(() => host.toolCall("bash"), UnexpectedError);
    assertStringIncludes(error.message, "git status");
    await host.close();
  }
});

Deno.test("toolResult gives what the model reads; what hooks make of a failure does not count", async () => {
  await using host = await createTestHost((pi) => {
    pi.on("tool_result", (event) => ({
      content: event.content.map((one) =>
        one.type === "text" ? { ...one, text: one.text.replace("secret", "***") } : one
      ),
      details: { was: event.details, path: event.input.path },
    }));
  });
  const result = await host.toolResult("read", { content: "a secret", details: 1 }, { path: "x" });
  assertEquals([result.text, result.details, result.isChanged], [
    "a ***",
    { was: 1, path: "x" },
    true,
  ]);
  const failed = await host.toolResult("read", { content: "a secret", isError: true });
  assertEquals([failed.text, failed.details, failed.isChanged], ["a secret", undefined, false]);
});

Deno.test("context, prompts and other events go through the hooks", async () => {
  await using host = await createTestHost((pi) => {
    pi.on("context", (event) => ({ messages: event.messages.slice(1) }));
    pi.on("before_agent_start", (event) => ({
      message: { customType: "note", content: event.prompt, display: true },
    }));
    pi.on("session_before_switch", (event) => ({ cancel: event.reason === "new" }));
  });
  const messages = [1, 2].map((timestamp) => ({
    role: "user" as const,
    content: "x",
    timestamp,
  }));
  assertEquals(await host.context(messages), messages.slice(1));
  assertEquals((await host.beforeAgentStart("hi"))?.content, "hi");
  const { answer, trace } = await host.emit("session_before_switch");
  assertEquals([answer?.cancel, trace[0].outcome], [true, "cancelled"]);
  const other = await host.emit("session_before_switch", { reason: "resume" });
  assertEquals(other.answer?.cancel, false);
});

Deno.test("a command reaches sessions and messages, and its failure fails the test", async () => {
  await using host = await createTestHost((pi) => {
    pi.registerCommand("again", {
      handler: async (args, ctx) => {
        if (args === "") throw new Error("what again?");
        await ctx.newSession({
          setup: (session) =>
            void session.appendMessage({ role: "user", content: args, timestamp: 7 }),
        });
      },
    });
    pi.registerCommand("say", {
      handler: (args) => {
        pi.sendMessage({ customType: "say", content: args, display: true });
        return Promise.resolve();
      },
    });
  }, { now: 42 });
  await host.command("again", "fix it");
  assertEquals(host.messages, [{ role: "user", content: "fix it", timestamp: 7 }]);
  await host.command("say", "hello");
  const said = host.messages[1];
  assertEquals([said.role, said.timestamp], ["custom", 42]);
  await assertRejects(() => host.command("again"), Error, "what again?");
  await assertRejects(() => host.command("agian"), Error, "did you mean /again?");
});

Deno.test("a whole prompt runs with a scripted model", async () => {
  const seen: string[] = [];
  await using host = await createTestHost((pi) => {
    for (const name of ["agent_start", "turn_end", "agent_end"] as const) {
      pi.on(name, () => void seen.push(name));
    }
  }, { model: ["Hello!"] });
  await host.host.prompt("Hi");
  assertEquals(seen, ["agent_start", "turn_end", "agent_end"]);
  assertEquals(host.messages.map(({ role }) => role), ["user", "assistant"]);
});

Deno.test("hooks come from files too, and one that does not load says why", async () => {
  await using dir = await tempDir();
  const path = await dir.write(
    "gate.ts",
    `export default (pi) => pi.on("tool_call", () => ({ block: true, reason: "file" }));`,
  );
  for (const source of [path, new URL(`file://${path}`), "gate.ts"]) {
    await using host = await createTestHost(source, { cwd: dir.path });
    assertEquals((await host.toolCall("bash")).reason, "file");
  }
  await assertRejects(() => createTestHost(dir.file("none.ts")), Error, "does not load");
});

Deno.test("handlers that fail are kept, and hooks hear the end", async () => {
  const seen: string[] = [];
  {
    await using host = await createTestHost((pi) => {
      pi.on("session_shutdown", () => void seen.push("end"));
      pi.on("turn_start", () => {
        throw new Error("ouch");
      });
    });
    await host.emit("turn_start");
    assertEquals(host.errors.map(({ event, error }) => [event, error]), [["turn_start", "ouch"]]);
    assertEquals(seen, []);
  }
  assertEquals(seen, ["end"]);
});

Deno.test("a test that leaks through a hook fails under the sanitizers, one that does not passes", async () => {
  await using dir = await tempDir();
  const test = (body: string) =>
    `import { createTestHost } from "@pi-hooks/core/testing";
    Deno.test("it", async () => {
      await using host = await createTestHost((pi) => { pi.on("tool_call", () => { ${body} }); });
      await host.toolCall("bash", {});
    });`;
  for (const [body, code] of [["", 0], ["setTimeout(() => {}, 1e6);", 1]] as const) {
    const file = await dir.write(`leak_${code}_test.ts`, test(body));
    const result = await runDeno(["test", file], { permissions: ["-A"] });
    assertEquals(result.code, code, result.stdout + result.stderr);
  }
});

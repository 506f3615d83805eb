/**
 * Events before a tool: what the hooks decide is what the agent does.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hook, type TestHandler } from "../helpers.ts";
import { loadFiles, readyMadePath } from "../hooks/ready_made.ts";
import { pick, seededRandom } from "../random.ts";
import { ask, GATES, leftBy } from "./payloads.ts";
import { readingOf } from "./reading.ts";

const guard = hook("/guard.ts", {
  tool_call: ({ toolName, input }) =>
    (toolName === "bash" && String(input.command).includes("rm -rf")) ||
      (toolName === "write" && String(input.path).endsWith(".env"))
      ? { block: true, reason: "not today" }
      : undefined,
});

for (const { agent, event, shell, write } of GATES) {
  // Where the agent asks the person anyway, no objection leaves it at that.
  const free = event.toLowerCase() === "permissionrequest" ? "person is asked" : "runs";
  const form = `${agent} ${event}${typeof shell("").toolArgs === "string" ? " as text" : ""}`;
  const readingFor = async (payload: unknown, hooks = [guard]) =>
    readingOf(agent, event, leftBy(await ask(agent, payload, hooks)));

  Deno.test(`${form}: a guard for bash stops the command it is meant to, and no other`, async () => {
    assertEquals(await readingFor(shell("rm -rf /x")), "does not run");
    assertEquals(await readingFor(shell("ls")), free);
  });

  if (write !== undefined) {
    Deno.test(`${form}: a guard for write sees the path`, async () => {
      assertEquals(await readingFor(write("/a/.env")), "does not run");
      assertEquals(await readingFor(write("/a/x.txt")), free);
    });
  }

  Deno.test(`${form}: the ready-made gate stops rm -rf, unchanged`, async () => {
    const hooks = await loadFiles(readyMadePath("permission-gate"));
    assertEquals(await readingFor(shell("rm -rf ~/x"), hooks), "does not run");
    assertEquals(await readingFor(shell("echo hello"), hooks), free);
  });

  Deno.test(`${form}: the reason arrives, and a fault says that it is one`, async () => {
    const said = leftBy(await ask(agent, shell("rm -rf /x"), [guard]));
    assertStringIncludes(said.stdout, "not today");
    const broken = hook("/broken.ts", {
      tool_call: () => {
        throw new Error("out of luck");
      },
    });
    const fault = leftBy(await ask(agent, shell("ls"), [broken]));
    assertEquals(readingOf(agent, event, fault), "does not run");
    for (const part of ["/broken.ts", "failed", "out of luck"]) {
      assertStringIncludes(fault.stdout, part);
    }
  });

  Deno.test(`${form}: hooks that were not loaded, hang or are missing close the gate`, async () => {
    const hanging = hook("/hanging.ts", { tool_call: () => new Promise(() => {}) });
    const late = await ask(agent, shell("ls"), [hanging], { deadline: performance.now() + 5 });
    assertEquals(readingOf(agent, event, leftBy(late)), "does not run");
    assertStringIncludes(leftBy(late).stdout, "/hanging.ts");
    const cases = [
      Promise.resolve({ hooks: [], faults: ["it was not loaded"], warnings: [] }),
      Promise.reject(new Error("the loader broke")),
    ];
    for (const hooks of cases) {
      const answer = await ask(agent, shell("ls"), [], { hooks });
      assertEquals(readingOf(agent, event, leftBy(answer)), "does not run");
    }
    const never = await ask(agent, shell("ls"), [], {
      hooks: new Promise(() => {}),
      deadline: performance.now() + 5,
    });
    assertEquals(readingOf(agent, event, leftBy(never)), "does not run");
  });

  Deno.test(`${form}: a question of a hook is the agent's where it can ask, else nobody's`, async () => {
    const asking = hook("/asking.ts", {
      tool_call: async (_event, { ui }) =>
        (await ui.confirm("Dangerous", "Really?")) &&
          (await ui.select("Which way?", ["Always", "Yes", "No"])) === "Yes"
          ? undefined
          : { block: true, reason: "nobody agreed" },
    });
    assertEquals(await readingFor(shell("ls"), [asking]), "does not run");
    const asked = leftBy(await ask(agent, shell("ls"), [asking], { mayAsk: true }));
    const canAsk = ["claude PreToolUse", "copilot preToolUse", "copilot PreToolUse"]
      .includes(`${agent} ${event}`) || event === "beforeShellExecution";
    const expected = canAsk ? "person is asked" : "does not run";
    assertEquals(readingOf(agent, event, asked), expected);
    if (canAsk) {
      for (const part of ["Dangerous", "Which way?"]) assertStringIncludes(asked.stdout, part);
    }
    const both = leftBy(await ask(agent, shell("rm -rf x"), [asking, guard], { mayAsk: true }));
    assertEquals(readingOf(agent, event, both), "does not run");
  });
}

Deno.test("nobody is asked where the agent would not ask", async () => {
  const asking = hook("/asking.ts", {
    tool_call: async (_event, { ui }) => ({ block: !(await ui.confirm("t", "m")) }),
  });
  const payload = { ...GATES[0].shell("ls"), permission_mode: "bypassPermissions" };
  const answer = await ask("claude", payload, [asking], { mayAsk: true });
  assertEquals(readingOf("claude", "PreToolUse", leftBy(answer)), "does not run");
});

Deno.test("Copilot is recognised where it runs the hooks of Claude Code", async () => {
  const { shell } = GATES.find(({ agent, event }) =>
    agent === "copilot" && event === "PreToolUse"
  )!;
  const camel = GATES.find(({ agent }) => agent === "copilot")!;
  for (
    const { payload, event } of [
      { payload: shell("rm -rf x"), event: "PreToolUse" },
      { payload: camel.shell("rm -rf x"), event: "preToolUse" },
    ]
  ) {
    const left = leftBy(await ask("claude", payload, [guard]));
    assertEquals(readingOf("copilot", event, left), "does not run");
  }
});

Deno.test("the exact answers", async () => {
  const answers = new Map<string, unknown>();
  for (const { agent, event, shell } of GATES) {
    const { output, exitCode } = await ask(agent, shell("rm -rf x"), [guard]);
    assertEquals(exitCode, 0);
    answers.set(`${agent} ${event}`, output);
  }
  const own = { permissionDecision: "deny", permissionDecisionReason: "not today" };
  const tool = { hookSpecificOutput: { hookEventName: "PreToolUse", ...own } };
  const decision = { behavior: "deny", message: "not today" };
  const permission = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
  const cursor = { permission: "deny", user_message: "not today", agent_message: "not today" };
  assertEquals(Object.fromEntries(answers), {
    "claude PreToolUse": tool,
    "claude PermissionRequest": permission,
    "codex PreToolUse": tool,
    "codex PermissionRequest": permission,
    "gemini BeforeTool": { decision: "deny", reason: "not today" },
    "copilot preToolUse": own,
    "copilot permissionRequest": decision,
    "copilot PreToolUse": tool,
    "cursor preToolUse": cursor,
    "cursor beforeShellExecution": cursor,
  });
});

/** What a handler does, and whether it lets the tool run. */
const DEEDS: readonly [name: string, lets: boolean, handler: TestHandler<"tool_call">][] = [
  ["nothing", true, () => undefined],
  ["null", true, () => null],
  ["{}", true, () => ({})],
  ["block: false", true, () => ({ block: false })],
  ["later nothing", true, () => Promise.resolve(undefined)],
  ["block", false, () => ({ block: true })],
  ["block with an empty reason", false, () => ({ block: true, reason: "" })],
  ["block with odd text", false, () => ({ block: true, reason: ' \u2028"}\ud800\x1b[2J\0' })],
  ["block with a long reason", false, () => ({ block: true, reason: "x".repeat(50_000) })],
  ["block: yes", false, () => ({ block: "yes" })],
  ["true", false, () => true],
  ["deny", false, () => "deny"],
  ["a foreign answer", false, () => ({ decision: "approve" })],
  ["another foreign answer", false, () => ({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" },
  })],
  ["changed input", false, () => ({ input: { command: "ls" } })],
  ["a list", false, () => []],
  ["a throwing getter", false, () => ({
    get block(): boolean {
      throw new Error("no");
    },
  })],
  ["throw an error", false, () => {
    throw new Error("broken");
  }],
  ["throw null", false, () => {
    throw null;
  }],
  ["reject", false, () => Promise.reject(new Error("broken later"))],
  ["write to the input", false, ({ input }) => {
    (input as Record<string, unknown>).command = "ls";
  }],
  ["hang", false, () => new Promise(() => {})],
  ["ask", false, async (_event, { ui }) => ({ block: !(await ui.confirm("t", "m")) })],
];

/** What can be wrong with a payload; the second says whether hooks can still be asked. */
const DAMAGES: readonly [(payload: Record<string, unknown>) => unknown, boolean][] = [
  [(payload) => payload, true],
  [(payload) => payload, true],
  [(payload) => payload, true],
  [
    (payload) => ({ ...payload, extra: { hookSpecificOutput: { permissionDecision: "allow" } } }),
    true,
  ],
  [(payload) => ({ ...payload, cwd: 7, session_id: null, transcript_path: [] }), true],
  [() => null, false],
  [() => [], false],
  [() => "text", false],
  [() => ({}), false],
  [(payload) => ({ ...payload, tool_name: 7, toolName: 7, command: 7 }), false],
  [(payload) => ({ ...payload, tool_name: "", toolName: "" }), false],
];

Deno.test("in 10 000 rounds no agent runs a tool that was not allowed", async () => {
  const random = seededRandom(20_260_801);
  const runs = new Map<string, number>();
  let stops = 0;
  for (let round = 0; round < 10_000; round++) {
    const gate = pick(random, GATES);
    const deeds = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(random, DEEDS));
    const [damage, isReadable] = pick(random, DAMAGES);
    // Cursor's own event about the shell names the tool itself.
    const isAlwaysNamed = gate.event === "beforeShellExecution";
    const payload = damage(gate.shell("ls"));
    const hooks = deeds.map(([, , handler], at) => hook(`/h${at}.ts`, { tool_call: handler }));
    const hangs = deeds.some(([name]) => name === "hang");
    const eventName = random() < 0.3 ? gate.event : undefined;
    const answer = await ask(gate.agent, payload, hooks, {
      mayAsk: random() < 0.5,
      eventName,
      ...(hangs && { deadline: performance.now() + 2 }),
    });
    const left = leftBy(answer);
    const reading = readingOf(gate.agent, gate.event, left);
    const lets = deeds.every(([, lets]) => lets) && isReadable;
    const what = `round ${round}: ${gate.agent} ${gate.event}, ` +
      `${deeds.map(([name]) => name).join(" + ")}, ${JSON.stringify(payload)} -> ` +
      JSON.stringify(left);
    if (reading === "runs") {
      const isFine = lets || (isAlwaysNamed && deeds.every(([, lets]) => lets));
      assert(isFine, what);
      runs.set(gate.agent, (runs.get(gate.agent) ?? 0) + 1);
    } else {
      const isAsked = reading === "person is asked" &&
        gate.event.toLowerCase() === "permissionrequest";
      assert(!lets || isAsked, what);
      stops++;
    }
  }
  assert(stops > 5_000, `only ${stops} rounds were stopped`);
  for (const agent of ["claude", "codex", "gemini", "copilot", "cursor"]) {
    assert((runs.get(agent) ?? 0) > 20, `${agent} ran ${runs.get(agent)} tools`);
  }
});

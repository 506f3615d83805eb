/**
 * The files that `pi-hooks init` writes.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };

/**
 * A hook that asks before a command removes something for good.
 *
 * @param name Its name, with dashes.
 */
export function hookSource(name: string): string {
  return `${importLine("type { HookAPI }", "@pi-hooks/core")}

/** Asks before a shell command that removes files without a question. */
export default function ${camelCase(name)}(pi: HookAPI): void {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return;
    const command = String(event.input.command ?? "");
    if (!/\\brm\\s+-\\w*[rf]/.test(command)) return;

    if (!ctx.hasUI) return { block: true, reason: "rm -rf: nobody to ask" };
    const isAllowed = await ctx.ui.confirm("Remove for good?", command);
    if (!isAllowed) return { block: true, reason: "rm -rf: not allowed" };
  });
}
`;
}

/**
 * A test of that hook.
 *
 * @param name Its name, with dashes.
 */
export function testSource(name: string): string {
  const hook = camelCase(name);
  return `${importLine("{ assertEquals }", "@std/assert")}
${importLine("{ createTestHost }", "@pi-hooks/core/testing")}
${importLine(hook, `./${name}.ts`)}

Deno.test("harmless commands run without a question", async () => {
  await using host = await createTestHost(${hook}, { ui: {} });
  const { blocked } = await host.toolCall("bash", { command: "ls -la" });
  assertEquals(blocked, false);
});

Deno.test("the person sees the command and decides", async () => {
  const ui = { confirm: [true, false] };
  await using host = await createTestHost(${hook}, { ui });
  const first = await host.toolCall("bash", { command: "rm -rf build" });
  const second = await host.toolCall("bash", { command: "rm -rf src" });
  assertEquals([first.blocked, second.blocked], [false, true]);
  assertEquals(host.dialogs[1].message, "rm -rf src");
});

Deno.test("where nobody can be asked, the command is blocked", async () => {
  await using host = await createTestHost(${hook});
  const { reason } = await host.toolCall("bash", { command: "rm -rf build" });
  assertEquals(reason, "rm -rf: nobody to ask");
});
`;
}

/** A configuration that says where the modules are. */
export function denoConfig(): string {
  const { name, version, imports } = config;
  return `${
    JSON.stringify(
      {
        imports: {
          [name]: `jsr:${name}@^${version}`,
          "@std/assert": imports["@std/assert"],
        },
      },
      null,
      2,
    )
  }\n`;
}

/** How the tests are run: a checkout knows where its own modules are. */
export function testCommand(): string {
  const config = new URL("../../deno.json", import.meta.url);
  return config.protocol === "file:"
    ? `deno test --config ${decodeURIComponent(config.pathname)}`
    : "deno test";
}

function importLine(names: string, specifier: string): string {
  return `import ${names} from "${specifier}";`;
}

function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

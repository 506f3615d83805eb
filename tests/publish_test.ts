/**
 * What would be published: the right files and no others, without complaint, and so that it works
 * for somebody who has nothing but Deno.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { copy } from "@std/fs/copy";
import { walk } from "@std/fs/walk";
import { join } from "@std/path/posix/join";
import { stripVTControlCharacters } from "node:util";
import { startRegistry } from "./loopback_registry.ts";

const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

/** A folder that is gone at the end of an `await using` block. */
async function makeFolder(): Promise<{ path: string } & AsyncDisposable> {
  // Deno knows modules by their real path, and temporary folders are often behind a link.
  const path = await Deno.realPath(await Deno.makeTempDir());
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

type Outcome = { code: number; stdout: string; stderr: string };

/** Runs `deno` with nothing from outside but what is given. */
async function deno(
  args: string[],
  cwd: string,
  options: { env?: Record<string, string>; stdin?: string } = {},
): Promise<Outcome> {
  const env = { NO_COLOR: "1", HOME: cwd, PATH: Deno.env.get("PATH") ?? "", ...options.env };
  const command = new Deno.Command(Deno.execPath(), {
    args,
    cwd,
    env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  const child = command.spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(options.stdin ?? ""));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return {
    code,
    stdout: decoder.decode(stdout),
    stderr: stripVTControlCharacters(decoder.decode(stderr)),
  };
}

/** A copy of the project with things beside the source that nobody should get. */
async function copyProject(target: string): Promise<void> {
  for await (const entry of Deno.readDir(ROOT)) {
    // Without `.gitignore`, nothing but the list in deno.json keeps anything back.
    if ([".git", ".gitignore", "node_modules", "coverage"].includes(entry.name)) continue;
    await copy(join(ROOT, entry.name), join(target, entry.name));
  }
  for (const file of [".env", "src/.env", "hooks/.env.local", "deno.lock", "src/notes.md"]) {
    await Deno.writeTextFile(join(target, file), "SECRET=1\n");
  }
}

/** The files that should be published, as paths below the project. */
async function listExpected(root: string): Promise<string[]> {
  const files = ["LICENSE", "README.md", "cli.ts", "deno.json", "mod.ts"];
  for (const folder of ["src", "hooks"]) {
    for await (const entry of walk(join(root, folder), { exts: [".ts"], includeDirs: false })) {
      files.push(entry.path.slice(root.length + 1));
    }
  }
  return files.sort();
}

Deno.test("the publish dry run is clean and holds the source, no tests, vendor/ or .env", async () => {
  await using project = await makeFolder();
  await copyProject(project.path);
  const { code, stdout, stderr } = await deno(
    ["publish", "--dry-run", "--allow-dirty"],
    project.path,
  );
  const output = `${stdout}\n${stderr}`;
  assertEquals(code, 0, output);

  const listed = [...output.matchAll(/^ +file:\/\/(\S+) \([\d.]+\w+\)$/gm)]
    .map(([, path]) => decodeURIComponent(path).slice(project.path.length + 1)).sort();
  assertEquals(listed, await listExpected(project.path));

  // A loader of hooks imports what it is told to: Deno cannot know what, and says so.
  const complaints = [...output.matchAll(/^(?:error|warning).*$/gim)].map(([line]) => line);
  const allowed = "warning[unanalyzable-dynamic-import]: unable to analyze dynamic import";
  assertEquals(complaints.filter((line) => line !== allowed), []);
});

const HOOK = `
import type { HookAPI } from "jsr:@pi-hooks/core";

export default function (pi: HookAPI): void {
  pi.on("tool_call", (event) => {
    if (event.toolName === "bash") return { block: true, reason: "no shell today" };
  });
}
`;

/** Written for an agent: it takes a value from the package of that agent. */
const HOST_HOOK = `
import { isToolCallEventType } from "@mariozechner/pi-coding-agent";
import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";

export default function (pi: HookAPI): void {
  pi.on("tool_call", (event) => {
    if (isToolCallEventType("read", event)) return { block: true, reason: event.input.path };
  });
}
`;

const USER = `
import { HookRunner, loadHooks } from "jsr:@pi-hooks/core";

const { hooks, errors } = await loadHooks(["./x.ts", "./y.ts"], Deno.cwd());
const runner = new HookRunner(hooks, Deno.cwd());
const bash = await runner.emitToolCall({
  type: "tool_call", toolName: "bash", toolCallId: "c1", input: { command: "ls" },
});
const read = await runner.emitToolCall({
  type: "tool_call", toolName: "read", toolCallId: "c2", input: { path: "a.txt" },
});
console.log(JSON.stringify({ errors, reasons: [bash?.reason, read?.reason] }));
`;

Deno.test("the published package works from an empty folder with an empty cache", async (test) => {
  await using project = await makeFolder();
  await copyProject(project.path);
  await using registry = startRegistry(join(ROOT, "vendor"));
  const env = { JSR_URL: registry.url };
  const token = ["--token", "for-loopback-only", "--no-provenance"];
  const upload = await deno(["publish", "--allow-dirty", "--no-check", ...token], project.path, {
    env: { ...env, DENO_DIR: join(project.path, "cache") },
  });
  assertEquals(upload.code, 0, upload.stderr);
  assertEquals(registry.published.length, 1);
  const [{ name, files, exports }] = registry.published;
  assertEquals(name, "@pi-hooks/core");
  assertEquals([...files.keys()].map((path) => path.slice(1)).sort(), await listExpected(ROOT));

  await using user = await makeFolder();
  const away = { ...env, DENO_DIR: join(user.path, "cache") };
  await Deno.writeTextFile(join(user.path, "x.ts"), HOOK);
  await Deno.writeTextFile(join(user.path, "y.ts"), HOST_HOOK);
  await Deno.writeTextFile(join(user.path, "main.ts"), USER);

  await test.step("no import depends on the project's own map of names", () => {
    for (const [path, bytes] of files) {
      if (!path.endsWith(".ts")) continue;
      const own = /^(?:import|export|\}) .*from "(@(?:std|pi-hooks|f5-sales-demo)\/[^"]+)"/m;
      const code = new TextDecoder().decode(bytes);
      assertEquals(own.exec(code)?.[1], undefined, path);
    }
  });

  await test.step("a program imports it, and hooks that were written for an agent load", async () => {
    const { code, stdout, stderr } = await deno(["run", "-A", "main.ts"], user.path, { env: away });
    assertEquals(code, 0, stderr);
    assertEquals(JSON.parse(stdout), { errors: [], reasons: ["no shell today", "a.txt"] });
  });

  await test.step("types and examples reach the author of a hook", async () => {
    const { code, stderr } = await deno(["check", "x.ts", "main.ts"], user.path, { env: away });
    assertEquals(code, 0, stderr);
  });

  await test.step("a hook runs in a process of its own", async () => {
    const program = `import { HookRunner, loadHooks } from "jsr:@pi-hooks/core";
      const { hooks, errors } = await loadHooks(["./apart.ts"], Deno.cwd(), { isolate: true });
      const runner = new HookRunner(hooks, Deno.cwd());
      const event = { type: "tool_call", toolName: "bash", toolCallId: "1", input: {} } as const;
      console.log(JSON.stringify([errors, await runner.emitToolCall(event)]));
      await hooks[0]?.dispose?.();`;
    const hook = `import { HookRunner } from "@pi-hooks/core";
      export default (pi) => pi.on("tool_call", async () => {
        const elsewhere = "jsr:@std/" + "fs@1/walk";
        const got = await import(elsewhere).catch((error) => error.name);
        return { block: true, reason: [typeof HookRunner, Deno.args.length, got].join() };
      });`;
    await Deno.writeTextFile(join(user.path, "apart.ts"), hook);
    await Deno.writeTextFile(join(user.path, "isolate.ts"), program);
    const { code, stdout, stderr } = await deno(["run", "-A", "isolate.ts"], user.path, {
      env: away,
    });
    assertEquals(code, 0, stderr);
    assertEquals(JSON.parse(stdout), [[], { block: true, reason: "function,2,TypeError" }]);
  });

  await test.step("every entry point can be imported", async () => {
    const specifiers = Object.keys(exports).map((key) => `jsr:@pi-hooks/core${key.slice(1)}`);
    assert(specifiers.length > 2);
    const program = specifiers.map((one) => `await import(${JSON.stringify(one)});`).join("\n");
    await Deno.writeTextFile(join(user.path, "all.ts"), program);
    const { code, stderr } = await deno(["run", "-A", "all.ts"], user.path, { env: away });
    assertEquals(code, 0, stderr);
  });

  await test.step("the command line runs a hook on an event", async () => {
    const event = {
      id: 7,
      type: "tool_call",
      toolName: "bash",
      toolCallId: "c1",
      input: { command: "ls" },
    };
    const { code, stdout, stderr } = await deno(
      ["run", "-A", "jsr:@pi-hooks/core/cli", "--hook", "./x.ts", "--no-discovery"],
      user.path,
      { env: away, stdin: `${JSON.stringify(event)}\n` },
    );
    assertEquals(code, 0, stderr);
    const answer = JSON.parse(stdout);
    assertEquals(answer.id, 7);
    assertEquals(answer.type, "tool_call");
    assertEquals(answer.errors, []);
    assertEquals(answer.result.block, true);
    assertEquals(answer.result.reason, "no shell today");
    assertEquals(answer.result.kind, "policy");
    assertStringIncludes(answer.result.hookPath, "x.ts");
  });

  await test.step("nothing was asked for that is not there", () => {
    assertEquals(registry.missing, []);
  });
});

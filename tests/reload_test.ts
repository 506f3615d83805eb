/**
 * Loading a hook again after a change.
 *
 * What a reload needs stays in the process, and an operation of Deno with it; hence no sanitizer of
 * operations here.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import * as door from "../mod.ts";
import type { LoadedHook } from "../src/hook.ts";
import { loadHooks, type LoadHooksOptions, reloadHook } from "../src/loader.ts";
import type { HookAPI } from "../src/types.ts";
import { makeRunner, type TempDir, tempDir } from "./helpers.ts";

const isWindows = Deno.build.os === "windows";
const CALL = { type: "tool_call", toolName: "bash", toolCallId: "1", input: {} } as const;

function reloadTest(name: string, fn: (dir: TempDir) => Promise<void>, ignore = false): void {
  Deno.test({
    name,
    ignore,
    sanitizeOps: false,
    fn: async () => {
      await using dir = await tempDir();
      await fn(dir);
    },
  });
}

/** A hook that blocks with a reason. */
function guard(reason: string): string {
  return `export default function (pi) {
  pi.on("tool_call", () => ({ block: true, reason: ${JSON.stringify(reason)} }));
}
`;
}

async function load(path: string, options?: LoadHooksOptions): Promise<LoadedHook> {
  const { hooks, errors } = await loadHooks([path], "/", options);
  assertEquals(errors, []);
  return hooks[0];
}

async function reload(hook: LoadedHook): Promise<void> {
  const error = await reloadHook(hook);
  assertEquals(error, undefined);
}

async function reasonOf(...hooks: LoadedHook[]): Promise<string | undefined> {
  return (await makeRunner(hooks).runner.emitToolCall(CALL))?.reason;
}

reloadTest(
  "a reload sees a change in the file of the hook, as often as there is one",
  async (dir) => {
    const path = await dir.write("hook.ts", guard("first"));
    const hook = await load(path);
    const { runner } = makeRunner([hook]);
    for (const reason of ["second", "third", "fourth"]) {
      await dir.write("hook.ts", guard(reason));
      await reload(hook);
      // The same runner: nobody has to be told.
      assertEquals((await runner.emitToolCall(CALL))?.reason, reason);
    }
  },
);

reloadTest("a reload sees changes in imported files at any depth", async (dir) => {
  const importers: [string, string][] = [
    ["hook.ts", "./a/one.js"],
    ["a/one.ts", "../b/two"],
    ["b/two.ts", "./three.ts"],
  ];
  for (const [file, specifier] of importers) {
    const text = file === "hook.ts"
      ? `import { reason } from "${specifier}";
        export default (pi: any) => pi.on("tool_call", () => ({ block: true, reason: reason() }));`
      : `export { reason } from "${specifier}";`;
    await dir.write(file, text);
  }
  const deepest = (reason: string): Promise<string> =>
    dir.write("b/three.ts", `export function reason(): string { return "${reason}"; }`);
  await deepest("first");
  const hook = await load(dir.file("hook.ts"));
  assertEquals(await reasonOf(hook), "first");
  for (const reason of ["second", "third"]) {
    await deepest(reason);
    await reload(hook);
    assertEquals(await reasonOf(hook), reason);
  }
});

reloadTest("a reload sees a change behind an import() in a handler", async (dir) => {
  await dir.write("late.ts", `export const reason = "first";`);
  const hook = await load(
    await dir.write(
      "hook.ts",
      `export default (pi: any) => pi.on("tool_call", async () => {
        const { reason } = await import("./late.ts");
        return { block: true, reason };
      });`,
    ),
  );
  assertEquals(await reasonOf(hook), "first");
  await dir.write("late.ts", `export const reason = "second";`);
  await reload(hook);
  assertEquals(await reasonOf(hook), "second");
});

reloadTest("no handler, command or renderer of the old version is left", async (dir) => {
  const path = await dir.write(
    "hook.ts",
    `export default (pi) => {
      pi.on("tool_call", () => ({ block: true, reason: "old" }));
      pi.on("turn_start", () => {});
      pi.on("turn_end", () => {});
      pi.registerCommand("old", { handler() {} });
      pi.registerCommand("both", { description: "old", handler() {} });
      pi.registerMessageRenderer("old", () => undefined);
    };`,
  );
  const hook = await load(path);
  const { runner } = makeRunner([hook]);
  await dir.write(
    "hook.ts",
    `export default (pi) => {
      pi.on("turn_end", () => {});
      pi.registerCommand("both", { description: "new", handler() {} });
    };`,
  );
  await reload(hook);
  assertEquals([...hook.handlers.keys()], ["turn_end"]);
  assertEquals(hook.handlers.get("turn_end")?.length, 1);
  assertEquals(await runner.emitToolCall(CALL), undefined);
  assertEquals(runner.hasHandlers("turn_start"), false);
  assertEquals(runner.getCommand("old"), undefined);
  assertEquals(runner.getCommand("both")?.description, "new");
  assertEquals(runner.getMessageRenderer("old"), undefined);
});

reloadTest("a hook keeps its place among the others", async (dir) => {
  const paths = await Promise.all(
    ["a", "b", "c"].map((name) =>
      dir.write(
        `${name}.ts`,
        `export default (pi) => pi.on("turn_start", () => void globalThis.ran.push("${name}"));`,
      )
    ),
  );
  const { hooks } = await loadHooks(paths, dir.path);
  const { runner } = makeRunner(hooks);
  await reload(hooks[1]);
  const shared = globalThis as { ran?: string[] };
  shared.ran = [];
  await runner.emit({ type: "turn_start", turnIndex: 0, timestamp: 0 });
  assertEquals(shared.ran, ["a", "b", "c"]);
});

reloadTest("a reload that fails says why, and the old version goes on guarding", async (dir) => {
  const hook = await load(await dir.write("hook.ts", guard("old")), { timeoutMs: 1000 });
  const table: [string, string, string][] = [
    [`export default function (`, "syntax", "hook.ts:1:"],
    [`import "./none.ts"; export default () => {};`, "import", "./none.ts"],
    [`throw new Error("top");`, "import", "top"],
    [`export const x = 1;`, "no-default-export", "it has none"],
    [
      `export default (pi) => { pi.on("turn_start", () => {}); throw new Error("half"); };`,
      "factory",
      "half",
    ],
    [`export default (pi) => pi.on("tool_call", "gate");`, "factory", "needs a function"],
    [`export default () => new Promise(() => {});`, "timeout", "within 1000 ms"],
  ];
  for (const [text, kind, shown] of table) {
    await dir.write("hook.ts", text);
    const error = await reloadHook(hook);
    assertEquals([error?.path, error?.kind], [hook.path, kind], text);
    assertStringIncludes(error?.error ?? "", shown);
    assert(!error?.error.includes("?v="), error?.error);
    assertEquals([await reasonOf(hook), [...hook.handlers.keys()]], ["old", ["tool_call"]]);
  }
  await Deno.remove(hook.path);
  assertEquals((await reloadHook(hook))?.kind, "not-found");
  await Deno.mkdir(hook.path);
  assertEquals((await reloadHook(hook))?.kind, "not-a-module");
  assertEquals(await reasonOf(hook), "old");

  await Deno.remove(hook.path);
  await dir.write("hook.ts", guard("mended"));
  await reload(hook);
  assertEquals(await reasonOf(hook), "mended");
});

/** Loads a hook that leaves its API where the test finds it. */
async function loadWithApi(path: string): Promise<{ hook: LoadedHook; pi: () => HookAPI }> {
  const hook = await load(path);
  return { hook, pi: () => (globalThis as unknown as { api: HookAPI }).api };
}

const LEAVES_API = `export default (pi) => {
  globalThis.api = pi;
  pi.on("tool_call", () => {});
};`;

reloadTest(
  "the API of the old version is closed, that of the new one is bound to the session",
  async (dir) => {
    const { hook, pi } = await loadWithApi(await dir.write("hook.ts", LEAVES_API));
    const sent: unknown[] = [];
    const { errors } = makeRunner([hook], {
      sendMessageHandler: (message) => void sent.push(message.content),
      appendEntryHandler: (type) => void sent.push(type),
    });
    const old = pi();
    old.sendMessage({ customType: "x", content: "by the old one", display: true });
    await reload(hook);
    const uses: (() => void)[] = [
      () => old.on("tool_call", () => ({ block: true })),
      () => old.sendMessage({ customType: "x", content: "too late", display: true }),
      () => old.appendEntry("too late"),
      () => old.registerCommand("x", { handler() {} }),
      () => old.registerMessageRenderer("x", () => undefined),
    ];
    for (const use of uses) {
      const error = assertThrows(use, Error);
      assertStringIncludes(error.message, `"${hook.path}" is no longer loaded`);
    }
    assert(pi() !== old);
    pi().sendMessage({ customType: "x", content: "by the new one", display: true });
    pi().appendEntry("entry of the new one");
    assertEquals(sent, ["by the old one", "by the new one", "entry of the new one"]);
    assertEquals([errors, hook.handlers.get("tool_call")?.length], [[], 1]);
  },
);

reloadTest("a version that failed can register nothing afterwards", async (dir) => {
  const { hook, pi } = await loadWithApi(await dir.write("hook.ts", LEAVES_API));
  await dir.write("hook.ts", `${LEAVES_API.replace("pi.on(", "throw 1; pi.on(")}`);
  assertEquals((await reloadHook(hook))?.kind, "factory");
  assertThrows(() => pi().on("turn_start", () => {}), Error, "is no longer loaded");
});

reloadTest("what comes from the package itself stays the same instance", async (dir) => {
  const url = new URL("../mod.ts", import.meta.url).href;
  const hook = await load(
    await dir.write(
      "hook.ts",
      `import { isToolCall } from "@mariozechner/pi-coding-agent";
      import { HookRunner } from ${JSON.stringify(url)};
      import { loadHooks, HookAPI } from "@f5-sales-demo/xcsh/hooks";
      export default (pi: HookAPI) => {
        globalThis.fromPackage = [isToolCall, HookRunner, loadHooks];
        pi.on("tool_call", () => {});
      };`,
    ),
  );
  const instances = (): unknown => (globalThis as { fromPackage?: unknown }).fromPackage;
  const expected = [door.isToolCall, door.HookRunner, door.loadHooks];
  assertEquals(instances(), expected);
  for (let i = 0; i < 2; i++) {
    await reload(hook);
    assertEquals(instances(), expected);
  }
});

reloadTest("of two hooks that share a helper, the one loaded again sees it anew", async (dir) => {
  await dir.write("helper.ts", `export const reason: string = "old";`);
  const [a, b] = await Promise.all(["a", "b"].map((name) =>
    dir.write(
      `${name}.ts`,
      `import { reason } from "./helper.ts";
      export default (pi: any) => pi.on("tool_call", () => ({ block: true, reason }));`,
    )
  ));
  const { hooks } = await loadHooks([a, b], dir.path);
  await dir.write("helper.ts", `export const reason: string = "new";`);
  await reload(hooks[0]);
  assertEquals([await reasonOf(hooks[0]), await reasonOf(hooks[1])], ["new", "old"]);
  await reload(hooks[1]);
  assertEquals([await reasonOf(hooks[0]), await reasonOf(hooks[1])], ["new", "new"]);
});

reloadTest("two reloads at the same time leave one version", async (dir) => {
  const path = await dir.write("hook.ts", guard("first"));
  const hook = await load(path);
  await dir.write("hook.ts", guard("second"));
  assertEquals(await Promise.all([reloadHook(hook), reloadHook(hook)]), [undefined, undefined]);
  assertEquals(hook.handlers.get("tool_call")?.length, 1);
  assertEquals(await reasonOf(hook), "second");
});

reloadTest("a reload writes what looks odd to the log of the host", async (dir) => {
  const lines: string[] = [];
  const quiet = (): void => {};
  const logger = {
    debug: quiet,
    info: quiet,
    error: quiet,
    warn: (line: string) => void lines.push(line),
  };
  const hook = await load(await dir.write("hook.ts", guard("x")), { logger });
  await dir.write("hook.ts", `export default (pi) => pi.on("tool_cal", () => {});`);
  await reload(hook);
  await dir.write("hook.ts", `export default () => {};`);
  await reload(hook);
  assertEquals(lines, [
    `${hook.path}: There is no event "tool_cal", did you mean "tool_call"? ` +
    "Its handler will never run.",
    `${hook.path}: It registered nothing: no handler, no command, no renderer.`,
  ]);
});

reloadTest("a link that leads to another file now is followed", async (dir) => {
  const [one, two] = [await dir.write("1.ts", guard("1")), await dir.write("2.ts", guard("2"))];
  const link = dir.file("current.ts");
  await Deno.symlink(one, link);
  const hook = await load(link);
  await Deno.remove(link);
  await Deno.symlink(two, link);
  await reload(hook);
  assertEquals([await reasonOf(hook), hook.path, hook.resolvedPath], ["2", link, two]);
}, isWindows);

reloadTest("what changes while hooks are loaded is an error of its own entry", async (dir) => {
  const gone = await dir.write("gone.ts", guard("gone"));
  const folder = await dir.write("folder.ts", guard("folder"));
  const broken = await dir.write("broken.ts", guard("broken"));
  const first = await dir.write(
    "first.ts",
    `export default (pi) => {
      Deno.removeSync(${JSON.stringify(gone)});
      Deno.removeSync(${JSON.stringify(folder)});
      Deno.mkdirSync(${JSON.stringify(folder)});
      Deno.writeTextFileSync(${JSON.stringify(broken)}, "export default (");
      pi.on("tool_call", () => {});
    };`,
  );
  const last = await dir.write("last.ts", guard("last"));
  const { hooks, errors } = await loadHooks([first, gone, folder, broken, last], dir.path);
  assertEquals(hooks.map(({ path }) => path), [first, last]);
  assertEquals(errors.map(({ path, kind }) => [path, kind]), [
    [gone, "import"],
    [folder, "import"],
    [broken, "syntax"],
  ]);
  assertStringIncludes(errors[0].error, gone);
});

// Loading the same list once more

reloadTest("a file that has changed is read again by the next loadHooks", async (dir) => {
  const path = await dir.write("hook.ts", guard("first"));
  const first = await load(path);
  await dir.write("hook.ts", guard("second, and longer"));
  const second = await load(path);
  assertEquals([await reasonOf(first), await reasonOf(second)], ["first", "second, and longer"]);
});

reloadTest("a file that has not changed keeps what its module remembers", async (dir) => {
  const path = await dir.write(
    "hook.ts",
    `let loads = 0;
    export default (pi) => {
      const reason = String(++loads);
      pi.on("tool_call", () => ({ block: true, reason }));
    };`,
  );
  const reasons = [await reasonOf(await load(path)), await reasonOf(await load(path))];
  assertEquals(reasons, ["1", "2"]);
});

reloadTest("a hook that could not be loaded can be, once it is mended", async (dir) => {
  const path = await dir.write("hook.ts", "export default function (");
  assertEquals((await loadHooks([path], dir.path)).errors.length, 1);
  await dir.write("hook.ts", guard("mended"));
  assertEquals(await reasonOf(await load(path)), "mended");

  // The hook itself stays as it is: what it imports was missing.
  const other = await dir.write(
    "other.ts",
    `import { reason } from "./later.ts";
    export default (pi: any) => pi.on("tool_call", () => ({ block: true, reason }));`,
  );
  assertEquals((await loadHooks([other], dir.path)).errors.length, 1);
  await dir.write("later.ts", `export const reason = "there now";`);
  assertEquals(await reasonOf(await load(other)), "there now");
});

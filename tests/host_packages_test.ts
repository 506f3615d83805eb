/**
 * What hooks may import: the packages of the agents that they were written for, local files in the
 * spellings of other tools, packages beside them.
 *
 * The mapping stays in the process once it is installed, and an operation of Deno with it; hence no
 * sanitizer of operations here.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import * as door from "../mod.ts";
import * as surface from "../src/host_surface.ts";
import type { HookLoadError } from "../src/errors.ts";
import type { LoadedHook } from "../src/hook.ts";
import { loadHooks } from "../src/loader.ts";
import { HOST_PACKAGES } from "../src/loader_packages.ts";
import { makeRunner, runDeno, type TempDir, tempDir } from "./helpers.ts";
import { importMapOfStd } from "./std_import_map.ts";

const isWindows = Deno.build.os === "windows";

function packageTest(name: string, fn: (dir: TempDir) => Promise<void>, ignore = false): void {
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

/** Loads a hook of this text, which must load without a word. */
async function load(dir: TempDir, text: string, name = "hook.ts"): Promise<LoadedHook> {
  const { hooks, errors, warnings } = await loadHooks([await dir.write(name, text)], dir.path);
  assertEquals([...errors, ...warnings], []);
  return hooks[0];
}

/** Loads a hook of this text, which must not load. */
async function fail(dir: TempDir, text: string, name = "hook.ts"): Promise<HookLoadError> {
  const { hooks, errors } = await loadHooks([await dir.write(name, text)], dir.path);
  assertEquals(hooks, []);
  return errors[0];
}

/** Loads a hook that imports like this, and gives what it computes from the imports. */
async function valueOf(
  dir: TempDir,
  imports: string,
  value: string,
  name?: string,
): Promise<unknown> {
  const hook = await load(
    dir,
    `${imports}
    export default (pi: any): void => {
      globalThis.valueOfTest = ${value};
      pi.on("tool_call", () => {});
    };`,
    name,
  );
  assertEquals(hook.handlers.size, 1);
  return (globalThis as { valueOfTest?: unknown }).valueOfTest;
}

// Packages of agents

for (const name of HOST_PACKAGES) {
  packageTest(`a value from ${name} is the very one of this package`, async (dir) => {
    const value = await valueOf(dir, `import { isToolCall } from "${name}";`, "isToolCall");
    assert(value === door.isToolCall);
  });
}

packageTest(
  "the packages offer the names under which agents export the same things",
  async (dir) => {
    const names = [
      "isToolCallEventType",
      "isBashToolResult",
      "isReadToolResult",
      "isEditToolResult",
      "isWriteToolResult",
      "isGrepToolResult",
      "isFindToolResult",
    ] as const;
    const list = names.join(", ");
    const values = await valueOf(
      dir,
      `import { ${list} } from "@mariozechner/pi-coding-agent";`,
      `[${list}]`,
    );
    assertEquals(values, names.map((name) => surface[name]));
  },
);

packageTest("isToolCallEventType tells the calls of one tool", async (dir) => {
  const hook = await load(
    dir,
    `import { isToolCallEventType } from "@mariozechner/pi-coding-agent";
    export default function (pi) {
      pi.on("tool_call", (e) => {
        if (isToolCallEventType("bash", e)) return { block: true, reason: e.input.command };
      });
    }`,
  );
  const { runner } = makeRunner([hook]);
  const call = { type: "tool_call", toolCallId: "1", input: { command: "ls" } } as const;
  assertEquals((await runner.emitToolCall({ ...call, toolName: "bash" }))?.reason, "ls");
  assertEquals(await runner.emitToolCall({ ...call, toolName: "read" }), undefined);
});

packageTest(
  "a namespace import and an import() inside the hook find the packages too",
  async (dir) => {
    const value = await valueOf(
      dir,
      `import * as host from "@oh-my-pi/pi-coding-agent/hooks";
    const later = await import("@earendil-works/pi-coding-agent");`,
      "[host.isToolCall, later.isToolCall]",
    );
    assertEquals(value, [door.isToolCall, door.isToolCall]);
  },
);

packageTest("the files that a hook imports find the packages too", async (dir) => {
  await dir.write("deep/a.ts", `export * from "./b.ts";`);
  await dir.write("deep/b.ts", `export { isToolCall } from "@f5-sales-demo/xcsh";`);
  const value = await valueOf(dir, `import { isToolCall } from "./deep/a.ts";`, "isToolCall");
  assert(value === door.isToolCall);
});

// Types imported like values

packageTest("types that are imported without the word type do not matter", async (dir) => {
  const imports = [
    `import { HookAPI } from "@f5-sales-demo/xcsh/hooks";`,
    `import { HookAPI, HookContext, ToolCallEvent } from "@mariozechner/pi-coding-agent";`,
    `import { isToolCall, HookAPI } from "@mariozechner/pi-coding-agent";`,
    `import { HookAPI as API, type ToolResultEvent } from "@oh-my-pi/pi-coding-agent";`,
    `import { type HookAPI } from "@earendil-works/pi-coding-agent";`,
    `import type { HookAPI } from "no-such-package";`,
    `import { HookAPI } from "@f5-sales-demo/xcsh";
    import { SomethingThatOnlyOneAgentHas } from "@f5-sales-demo/xcsh/hooks";`,
    `import HookAPI, { reason, Options, More } from "./both.ts";`,
    `import { Options } from "./deeper/again.js";`,
  ];
  await dir.write(
    "both.ts",
    `export interface Options { x: number }
    export type More = string;
    export const reason = "r";
    export default class HookAPI {}`,
  );
  await dir.write(
    "deeper/again.ts",
    `import { More, Options } from "../both";
    export type { Options };
    const more: More = "";
    export { more };`,
  );
  for (const [index, text] of imports.entries()) {
    assertEquals(await valueOf(dir, text, `${index}`, `hook${index}.ts`), index);
  }
});

packageTest(
  "a type that is used like a value after all says so as soon as it is used",
  async (dir) => {
    const uses = [
      "new Options()",
      "Options()",
      "Options.level",
      `"x" in Options`,
      "class extends Options {}",
    ];
    await dir.write("types.ts", `export interface Options { level: number }`);
    for (const [index, use] of uses.entries()) {
      const error = await fail(
        dir,
        `import { Options } from "./types.ts";
      export default () => { void (${use}); };`,
        `hook${index}.ts`,
      );
      assertEquals(error.kind, "factory", use);
      assertStringIncludes(error.error, '"Options" is only a type here', use);
    }
  },
);

packageTest(
  "a function that a package does not have stays a load error with name and place",
  async (dir) => {
    for (const specifier of ["@f5-sales-demo/xcsh", "./helper.ts"]) {
      await dir.write("helper.ts", "export const x = 1;");
      const error = await fail(
        dir,
        `import { noSuchFunction } from "${specifier}";
      export default () => noSuchFunction();`,
      );
      assertEquals(error.kind, "import");
      assertStringIncludes(error.error, `'${specifier}'`);
      assertStringIncludes(error.error, "does not provide an export named 'noSuchFunction'");
      assertStringIncludes(error.error, `${dir.file("hook.ts")}:1:10`);
    }
  },
);

packageTest(
  "a default import from an agent's package is a load error that says it has none",
  async (dir) => {
    const error = await fail(
      dir,
      `import host, { HookAPI } from "@f5-sales-demo/xcsh";
    export default (pi: HookAPI) => host;`,
    );
    assertEquals(error.kind, "import");
    assertStringIncludes(error.error, "does not provide an export named 'default'");
  },
);

// Local files

packageTest("local files are found as other tools spell them", async (dir) => {
  const files = [
    "x.ts",
    "y.tsx",
    "z.mts",
    "constants.ts",
    "folder/index.ts",
    "module/mod.ts",
    "plain.js",
    "hooks/index.ts",
    "dotted.name.ts",
    "data.json.ts",
  ];
  for (const file of files) await dir.write(file, `export const value = "${file}";`);
  const table: [string, string][] = [
    ["../x", "x.ts"],
    ["../constants", "constants.ts"],
    ["../x.js", "x.ts"],
    ["../y.jsx", "y.tsx"],
    ["../y", "y.tsx"],
    ["../z.mjs", "z.mts"],
    ["../folder", "folder/index.ts"],
    ["../folder/", "folder/index.ts"],
    ["../module", "module/mod.ts"],
    ["../plain", "plain.js"],
    ["../dotted.name", "dotted.name.ts"],
    ["../data.json", "data.json.ts"],
    [".", "hooks/index.ts"],
    ["./", "hooks/index.ts"],
    [dir.file("x.js"), "x.ts"],
    [`file://${dir.file("x")}`, "x.ts"],
  ];
  for (const [index, [specifier, file]] of table.entries()) {
    const value = await valueOf(
      dir,
      `import { value } from "${specifier}";`,
      "value",
      `hooks/hook${index}.ts`,
    );
    assertEquals(value, file, specifier);
  }
});

packageTest("a file of exactly the name that is written wins", async (dir) => {
  await dir.write("x.ts", `export const value = "x.ts";`);
  await dir.write("x.js", `export const value = "x.js";`);
  await dir.write("y", `export const value = "y";`);
  await dir.write("y.ts", `export const value = "y.ts";`);
  assertEquals(await valueOf(dir, `import { value } from "./x.js";`, "value", "a.ts"), "x.js");
  assertEquals(await valueOf(dir, `import { value } from "./y";`, "value", "b.ts"), "y");
});

packageTest("local files are found in folders with # ? % and blanks", async (dir) => {
  for (const folder of ["x#y", "50%", "a b", ...isWindows ? [] : ["q?r"]]) {
    await dir.write(`${folder}/helper.ts`, `export const value = ${JSON.stringify(folder)};`);
    const value = await valueOf(
      dir,
      `import { value } from "./helper.js";`,
      "value",
      `${folder}/hook.ts`,
    );
    assertEquals(value, folder);
  }
});

packageTest(
  "a local file that is missing names specifier, importing file, and what was tried",
  async (dir) => {
    await dir.write("helper.ts", `import "./none.js";`);
    const error = await fail(dir, `import "./helper.ts"; export default () => {};`);
    assertEquals(error.kind, "import");
    assertStringIncludes(error.error, 'Cannot find "./none.js"');
    assertStringIncludes(error.error, `imported from ${dir.file("helper.ts")}`);
    assertStringIncludes(error.error, "there is no such file, and none with .ts");
  },
);

packageTest("JSON is imported beside a mapped import", async (dir) => {
  await dir.write("data.json", `{ "level": 3 }`);
  const value = await valueOf(
    dir,
    `import data from "./data.json" with { type: "json" };
    import { isToolCall } from "@mariozechner/pi-coding-agent";`,
    "[data.level, typeof isToolCall]",
  );
  assertEquals(value, [3, "function"]);
});

packageTest("hooks of one load share the helpers that they import", async (dir) => {
  await dir.write("shared.ts", `export const seen: string[] = [];`);
  const paths = await Promise.all(["a", "b"].map((name) =>
    dir.write(
      `${name}.ts`,
      `import { seen } from "./shared.js";
      export default (pi: any) => {
        seen.push("${name}");
        pi.on("tool_call", () => ({ block: true, reason: seen.join() }));
      };`,
    )
  ));
  const { hooks } = await loadHooks(paths, dir.path);
  const { runner } = makeRunner(hooks);
  const call = { type: "tool_call", toolName: "bash", toolCallId: "1", input: {} } as const;
  assertEquals((await runner.emitToolCall(call))?.reason, "a,b");
});

// Builtins and packages

packageTest("modules of Node are found with and without the scheme", async (dir) => {
  const value = await valueOf(
    dir,
    `import fs from "fs";
    import { spawn } from "child_process";
    import { join } from "node:path";
    import { isToolCall } from "@mariozechner/pi-coding-agent";`,
    `[typeof fs.readFileSync, typeof spawn, typeof join, typeof isToolCall]`,
  );
  assertEquals(value, ["function", "function", "function", "function"]);
});

packageTest("an unknown package names specifier and file, and says what to write", async (dir) => {
  const table: [string, string][] = [
    ["no-such-yaml", 'write "npm:no-such-yaml@<version>"'],
    ["@no-such/typebox/compiler", 'write "npm:@no-such/typebox@<version>/compiler"'],
    ["no-such/part.js", 'write "npm:no-such@<version>/part.js"'],
  ];
  for (const [specifier, advice] of table) {
    const error = await fail(dir, `import x from "${specifier}"; export default () => x;`);
    assertEquals(error.kind, "import");
    assertStringIncludes(error.error, `Cannot find package "${specifier}"`);
    assertStringIncludes(error.error, `imported from ${dir.file("hook.ts")}`);
    assertStringIncludes(error.error, advice);
    assert(!/file:|\?v=/.test(error.error), error.error);
  }
});

/** Writes a package into `node_modules` in a folder of the temp folder. */
async function addPackage(
  dir: TempDir,
  name: string,
  manifest: Record<string, unknown> | undefined,
  files: Record<string, string>,
  folder = "",
): Promise<void> {
  const root = `${folder}node_modules/${name}`;
  if (manifest !== undefined) await dir.write(`${root}/package.json`, JSON.stringify(manifest));
  for (const [file, text] of Object.entries(files)) await dir.write(`${root}/${file}`, text);
}

packageTest(
  "packages beside the hook, or above it, are found by the rules of Node for import",
  async (dir) => {
    const say = (text: string): string => `export const value = ${JSON.stringify(text)};`;
    await addPackage(dir, "only-import", {
      type: "module",
      imports: { "#inside": { browser: "./no.js", node: "./inside.js" } },
      exports: {
        ".": { import: "./main.js" },
        "./part": { import: "./part.js" },
        "./all/*": { require: "./no.cjs", default: "./all/*.js" },
        "./all/secret/*": null,
      },
    }, {
      "main.js": `export { value } from "#inside";`,
      "part.js": say("only-import/part"),
      "all/one.js": say("only-import/all/one"),
      "all/secret/x.js": say("secret"),
      "inside.js": say("only-import"),
    });
    await addPackage(dir, "sugar", { type: "module", exports: "./s.js" }, { "s.js": say("sugar") });
    await addPackage(dir, "list", { type: "module", exports: [{ browser: "./b.js" }, "./l.js"] }, {
      "l.js": say("list"),
    });
    await addPackage(dir, "@scope/name", { type: "module", main: "lib/main.js" }, {
      "lib/main.js": `export { value } from "nested";`,
      "lib/other.js": say("@scope/name/lib/other"),
    });
    await addPackage(dir, "nested", { type: "module", main: "./n" }, { "n.js": say("nested") });
    await addPackage(dir, "bare", undefined, { "index.js": say("bare") });
    await addPackage(dir, "typed", { type: "module", exports: { default: "./t.ts" } }, {
      "t.ts": `export const value: string = "typed";`,
    });
    await addPackage(dir, "nearer", { type: "module" }, { "index.js": say("far") });
    await addPackage(dir, "nearer", { type: "module" }, { "index.js": say("near") }, "deep/");
    const table: [string, string][] = [
      ["only-import", "only-import"],
      ["only-import/part", "only-import/part"],
      ["only-import/all/one", "only-import/all/one"],
      ["sugar", "sugar"],
      ["list", "list"],
      ["@scope/name", "nested"],
      ["@scope/name/lib/other", "@scope/name/lib/other"],
      ["@scope/name/lib/other.js", "@scope/name/lib/other"],
      ["bare", "bare"],
      ["typed", "typed"],
      ["nearer", "near"],
    ];
    for (const [index, [specifier, expected]] of table.entries()) {
      const value = await valueOf(
        dir,
        `import { value } from "${specifier}";`,
        "value",
        `deep/hooks/hook${index}.ts`,
      );
      assertEquals(value, expected, specifier);
    }
  },
);

packageTest("a package for require gives its parts by name and as a whole", async (dir) => {
  await addPackage(dir, "common", { main: "main.js" }, {
    "main.js": `const other = require("other");
    exports.part = "part of common, " + other();
    exports.default = "not this";
    exports["odd name"] = 1;`,
  });
  await addPackage(dir, "other", { type: "commonjs" }, {
    "index.js": `module.exports = () => "other"; module.exports.extra = "extra";`,
  });
  await addPackage(dir, "dotted", { main: "main.cjs", type: "module" }, {
    "main.cjs": `exports.part = "part of dotted";`,
  });
  const value = await valueOf(
    dir,
    `import common, { part, "odd name" as odd } from "common";
    import other, { extra } from "other";
    import dotted from "dotted";`,
    `[common.part, part, odd, other(), extra, dotted.part]`,
  );
  const part = "part of common, other";
  assertEquals(value, [part, part, 1, "other", "extra", "part of dotted"]);
});

packageTest(
  "types of packages do not matter either, and the package stays one instance",
  async (dir) => {
    await addPackage(dir, "esm", { type: "module" }, {
      "index.js": `export * from "./state.js";`,
      "state.js": `export const state = {};`,
    });
    await addPackage(dir, "cjs", {}, { "index.js": `exports.state = {};` });
    for (const name of ["esm", "cjs"]) {
      const plain = await valueOf(dir, `import { state } from "${name}";`, "state", `${name}.ts`);
      for (const types of ["Static", "Static, More", "Other"]) {
        const imports = `import { state, ${types} } from "${name}";`;
        const value = await valueOf(dir, imports, "state", `${name}-${types}.ts`);
        assert(value === plain, types);
      }
    }
  },
);

packageTest("a missing export that could be a type says how types are imported", async (dir) => {
  const error = await fail(
    dir,
    `import { NoSuchType } from "node:path"; export default () => {};`,
  );
  assertStringIncludes(error.error, 'with "import type { NoSuchType }"');
});

packageTest("packages work in folders with # ? % and blanks", async (dir) => {
  for (const folder of ["x#y", "50%", "a b", ...isWindows ? [] : ["q?r"]]) {
    const place = `${folder}/`;
    await addPackage(dir, "esm", { type: "module" }, { "index.js": "export const a = 1;" }, place);
    await addPackage(dir, "cjs", {}, { "index.js": "exports.b = 2;" }, place);
    const value = await valueOf(
      dir,
      `import { a } from "esm"; import { b } from "cjs";`,
      "a + b",
      `${folder}/hook.ts`,
    );
    assertEquals(value, 3);
  }
});

packageTest(
  "a part that a package does not offer is an error that names package and part",
  async (dir) => {
    await addPackage(dir, "closed", {
      type: "module",
      exports: { ".": "./a.js", "./up": "../x.js" },
    }, {
      "a.js": "export const a = 1;",
      "b.js": "export const b = 1;",
    });
    for (const part of ["closed/b.js", "closed/up", "closed/none"]) {
      const error = await fail(dir, `import { b } from "${part}"; export default () => b;`);
      assertEquals(error.kind, "import");
      assertStringIncludes(error.error, `does not offer "${part}" for import`);
      assertStringIncludes(error.error, dir.file("node_modules/closed"));
    }
  },
);

packageTest(
  "a name inside of a package that it does not have is an error of its own",
  async (dir) => {
    const error = await fail(dir, `import x from "#inside"; export default () => x;`);
    assertEquals(error.kind, "import");
    assertStringIncludes(error.error, 'Cannot find "#inside"');
    assertStringIncludes(error.error, 'under "imports" in the package.json');
  },
);

packageTest("a damaged package description does not hide the package", async (dir) => {
  await dir.write("node_modules/damaged/package.json", "{");
  await dir.write("node_modules/damaged/index.js", `export const value = "there";`);
  assertEquals(await valueOf(dir, `import { value } from "damaged";`, "value"), "there");
});

// Others are left alone

packageTest("imports that do not come from hook files are untouched", async (dir) => {
  await load(
    dir,
    `import { isToolCall } from "@mariozechner/pi-coding-agent";
    export default (pi) => { isToolCall; pi.on("tool_call", () => {}); };`,
  );
  const outside = await dir.write(
    "outside.ts",
    `export const bare = () => import("@mariozechner/pi-coding-agent" as string);
    export const local = () => import("./hook.js" as string);`,
  );
  const { bare, local } = await import(`file://${outside}`);
  await assertRejects(bare, TypeError, "@mariozechner/pi-coding-agent");
  await assertRejects(local, TypeError, "hook.js");
});

for (
  const [name, config] of [["with the project's configuration", false], [
    "with no configuration",
    true,
  ]]
) {
  Deno.test(`each first hook of a process finds what it imports, ${name}`, async () => {
    const texts = [
      `import { isToolCallEventType as value } from "@f5-sales-demo/xcsh";`,
      `import { isToolCall as value, HookAPI } from "@f5-sales-demo/xcsh/hooks";`,
      `import { isBashToolResult as value } from "@mariozechner/pi-coding-agent";`,
      `import { value } from "./helper";`,
      `import { value, Type } from "./helper.ts";`,
      `import { readFileSync as value } from "fs";`,
      `import { value } from "beside";`,
    ];
    await using dir = await tempDir();
    await dir.write("helper.ts", `export function value(): void {}\nexport type Type = string;`);
    await addPackage(dir, "beside", { type: "module" }, {
      "index.js": "export const value = () => {};",
    });
    const host = await dir.write(
      "host.ts",
      `import { loadHooks } from ${JSON.stringify(new URL("../mod.ts", import.meta.url).href)};
      const { hooks, errors } = await loadHooks(Deno.args, "/");
      console.log(hooks.length, JSON.stringify(errors));`,
    );
    const map = await dir.write("import_map.json", importMapOfStd());
    for (const [index, text] of texts.entries()) {
      const hook = await dir.write(
        `hook${index}.ts`,
        `${text}
        export default (pi: any) => {
          if (typeof value !== "function") throw new Error("not a function");
          pi.on("tool_call", () => {});
        };`,
      );
      const { stdout, stderr } = await runDeno(
        ["run", ...config ? [`--import-map=${map}`] : [], host, hook],
        config ? { config: null } : {},
      );
      assertEquals([text, stdout.trim()], [text, "1 []"], stderr);
    }
  });
}

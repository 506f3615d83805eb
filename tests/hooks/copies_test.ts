/**
 * Ready-made hooks are used by copy too, far from this project and in other runtimes.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { runDeno, tempDir } from "../helpers.ts";

const HOOKS = new URL("../../hooks/", import.meta.url);

Deno.test("a copy of each ready-made hook loads alone, without configuration and permissions", async () => {
  await using dir = await tempDir();
  const names: string[] = [];
  for await (const { name } of Deno.readDir(HOOKS)) {
    if (!name.endsWith(".ts")) continue;
    names.push(name);
    await dir.write(name, await Deno.readTextFile(new URL(name, HOOKS)));
  }
  assert(names.length >= 3);
  const script = await dir.write(
    "load_all.ts",
    names.map((name, index) => `import hook${index} from "./${name}";\n`).join("") +
      `let registered = 0;
const pi = { on: () => registered++, registerCommand: () => registered++ };
for (const hook of [${names.map((_, index) => `hook${index}`)}]) {
  const before = registered;
  hook(pi);
  console.log(registered > before);
}
`,
  );
  const { code, stdout, stderr } = await runDeno(["run", "--no-check", script], {
    config: null,
    cwd: dir.path,
    permissions: [],
  });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertEquals(stdout, "true\n".repeat(names.length));
});

Deno.test("hooks that need no files use nothing that only one runtime has", async () => {
  for (const name of ["context-filter", "handoff", "redact-secrets"]) {
    const code = (await Deno.readTextFile(new URL(`${name}.ts`, HOOKS)))
      .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    const used = code.match(/(?<![\w.\\])(?:Deno|Bun|process|Buffer|require|__dirname)\b[.(]/g);
    assertEquals(used, null, name);
  }
});

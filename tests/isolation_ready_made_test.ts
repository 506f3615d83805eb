/**
 * The ready-made hooks and the examples that hook authors start from run in processes of their own,
 * with the permissions in their heads: their tests are run once more that way.
 *
 * @module
 */

import { assertEquals, assertMatch } from "@std/assert";
import { runDeno, tempDir } from "./helpers.ts";

const ROOT = decodeURIComponent(new URL("../", import.meta.url).pathname);

/** The settings of the project, for tests whose hooks go on running at the end of each test. */
async function settings(folder: string): Promise<string> {
  const { imports, compilerOptions } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const absolute = Object.entries<string>(imports).map(([name, target]) => [
    name,
    target.startsWith("./") ? ROOT + target.slice(2) : target,
  ]);
  await Deno.symlink(`${ROOT}vendor`, `${folder}/vendor`);
  const path = `${folder}/deno.json`;
  const own = {
    imports: Object.fromEntries(absolute),
    compilerOptions,
    vendor: true,
    lock: false,
    test: { sanitizeOps: false, sanitizeResources: false },
  };
  await Deno.writeTextFile(path, JSON.stringify(own));
  return path;
}

const FILES: readonly [name: string, file: string, least: number][] = [
  ["the examples", "tests/seed_examples_test.ts", 10],
  ["context-filter", "tests/hooks/context_filter_test.ts", 6],
  ["handoff", "tests/hooks/handoff_test.ts", 9],
  ["permission-gate", "tests/hooks/permission_gate_test.ts", 40],
  ["protected-paths", "tests/hooks/protected_paths_test.ts", 30],
  ["redact-secrets", "tests/hooks/redact_secrets_test.ts", 20],
];

for (const [name, file, least] of FILES) {
  Deno.test(`isolated hooks pass the tests that they pass in the host's process: ${name}`, async () => {
    await using dir = await tempDir();
    const { code, stdout, stderr } = await runDeno(
      ["test", "--no-check", ROOT + file],
      {
        permissions: ["-A"],
        config: await settings(dir.path),
        env: { PI_HOOKS_TEST_ISOLATE: "1" },
        limitMs: 240_000,
      },
    );
    assertEquals(code, 0, stdout + stderr);
    assertMatch(stdout, / \d+ passed .*\| 0 failed/);
    const passed = Number(/ (\d+) passed /.exec(stdout)?.[1]);
    assertEquals(passed >= least, true, `${passed} tests, at least ${least} were expected`);
  });
}

/** @module The set-up for machines without JSR: what it lays, leaves and takes away. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { setUp } from "./setup.ts";

const isOnline = (): Promise<boolean> => Promise.resolve(true);
const isOffline = (): Promise<boolean> => Promise.resolve(false);
const neverAsked = (): Promise<boolean> => {
  throw new Error("JSR was asked");
};

/** An empty project folder that is gone at the end of the block. */
async function makeProject(): Promise<{ root: URL } & AsyncDisposable> {
  const folder = await Deno.makeTempDir();
  const root = new URL(`file://${folder}/`);
  return {
    root,
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

async function listFiles(folder: URL): Promise<string[]> {
  const files: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (!entry.isDirectory) files.push(entry.name);
      else {
        const inside = await listFiles(new URL(`${entry.name}/`, folder));
        files.push(...inside.map((file) => `${entry.name}/${file}`));
      }
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files.sort();
}

async function layRealPackage(root: URL, name: string): Promise<URL> {
  const index = new URL(`vendor/jsr.io/@std/${name}/meta.json`, root);
  await Deno.mkdir(new URL("./", index), { recursive: true });
  await Deno.writeTextFile(index, `{"scope":"std","name":"${name}","versions":{"1.0.0":{}}}`);
  return index;
}

Deno.test("without JSR the stand-ins are laid, every file of code marked as one", async () => {
  await using project = await makeProject();
  const { text } = await setUp({ root: project.root, isReachable: isOffline });
  assertMatch(text, /^setup: JSR does not answer, stand-ins in vendor\/ .* laid \(\d+ files\)$/);
  const vendor = new URL("vendor/jsr.io/@std/", project.root);
  const code = (await listFiles(vendor)).filter((file) => file.endsWith(".ts"));
  assert(code.length > 30, `${code.length} files`);
  for (const file of code) {
    const [first] = (await Deno.readTextFile(new URL(file, vendor))).split("\n");
    assertMatch(first, /^\/\/ A stand-in for @std\/[a-z]+, .* Not the real package\.$/, file);
  }
});

Deno.test("a second set-up writes nothing, a changed stand-in is written anew", async () => {
  await using project = await makeProject();
  await setUp({ root: project.root, isReachable: isOffline });
  const again = await setUp({ root: project.root, isReachable: isOffline });
  assertStringIncludes(again.text, "are up to date");
  const file = new URL("vendor/jsr.io/@std/assert/1.1.999/mod.ts", project.root);
  const before = await Deno.readTextFile(file);
  await Deno.writeTextFile(file, "something older");
  const mended = await setUp({ root: project.root, isReachable: isOffline });
  assertStringIncludes(mended.text, "laid (1 files)");
  assertEquals(await Deno.readTextFile(file), before);
});

Deno.test("a real vendor/ is left alone, and JSR is not even asked", async () => {
  await using project = await makeProject();
  for (const name of ["assert", "fs", "path", "testing"]) await layRealPackage(project.root, name);
  const before = await listFiles(project.root);
  const { text } = await setUp({ root: project.root, isReachable: neverAsked });
  assertStringIncludes(text, "nothing to do");
  assertEquals(await listFiles(project.root), before);
});

Deno.test("a real package beside missing ones is left alone", async () => {
  await using project = await makeProject();
  const index = await layRealPackage(project.root, "path");
  const before = await Deno.readTextFile(index);
  const { text } = await setUp({ root: project.root, isReachable: isOffline });
  assertStringIncludes(text, "for @std/assert, @std/fs, @std/testing laid");
  assertEquals(await Deno.readTextFile(index), before);
});

Deno.test("when JSR answers again the stand-ins go, and the real packages stay", async () => {
  await using project = await makeProject();
  await layRealPackage(project.root, "path");
  await setUp({ root: project.root, isReachable: isOffline });
  const { text } = await setUp({ root: project.root, isReachable: isOnline });
  assertEquals(
    text,
    "setup: JSR answers, stand-ins removed from vendor/ (assert, fs, testing)",
  );
  assertEquals(await listFiles(project.root), ["vendor/jsr.io/@std/path/meta.json"]);
});

Deno.test("where JSR answers and nothing is there yet, nothing is written", async () => {
  await using project = await makeProject();
  const { text } = await setUp({ root: project.root, isReachable: isOnline });
  assertEquals(text, "setup: JSR answers, Deno fetches @std itself");
  assertEquals(await listFiles(project.root), []);
});

Deno.test("every stand-in can be imported by its name, by the plain commands", async () => {
  const code = `
    import "@std/assert";
    import "@std/assert/equal";
    import { exists } from "@std/fs";
    import { ensureDir } from "@std/fs/ensure-dir";
    import { join } from "@std/path";
    import { resolve } from "@std/path/posix/resolve";
    import { toFileUrl } from "@std/path/windows/to-file-url";
    import { spy } from "@std/testing/mock";
    import { FakeTime } from "@std/testing/time";
    import { assertType } from "@std/testing/types";
    console.log([exists, ensureDir, join, resolve, toFileUrl, spy, FakeTime, assertType].every(
      (one) => typeof one === "function"));`;
  await using project = await makeProject();
  await setUp({ root: project.root, isReachable: isOffline });
  await Deno.writeTextFile(new URL("main.ts", project.root), code);
  const config = new URL("../../deno.json", import.meta.url);
  await Deno.copyFile(config, new URL("deno.json", project.root));
  for (const args of [["check", "main.ts"], ["run", "main.ts"]]) {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args,
      cwd: project.root,
      env: { NO_COLOR: "1", DENO_DIR: new URL("cache/", project.root).pathname },
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    if (args[0] === "run") assertEquals(new TextDecoder().decode(stdout), "true\n");
  }
});

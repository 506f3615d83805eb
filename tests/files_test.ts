import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileKind, joinPath, readFolder, readText } from "../src/deno/files.ts";
import { tempDir } from "./helpers.ts";

const isWindows = Deno.build.os === "windows";

Deno.test({
  name: "a folder is read in the order of the file system, links as links",
  ignore: isWindows,
  fn: async () => {
    await using dir = await tempDir();
    for (const name of ["z", "b", "a", "10"]) await Deno.writeTextFile(`${dir.path}/${name}`, "");
    await Deno.mkdir(`${dir.path}/sub`);
    await Deno.symlink("a", `${dir.path}/link`);
    const look = readFolder(dir.path);
    assert(look.outcome === "found");
    assertEquals(
      look.value.map(({ name }) => name),
      Array.from(Deno.readDirSync(dir.path), ({ name }) => name),
    );
    const kinds = Object.fromEntries(look.value.map(({ name, kind }) => [name, kind]));
    assertEquals(kinds, {
      z: "file",
      b: "file",
      a: "file",
      10: "file",
      sub: "folder",
      link: "link",
    });
  },
});

Deno.test({
  name: "the kind of a file is that of what a link leads to",
  ignore: isWindows,
  fn: async () => {
    await using dir = await tempDir();
    await Deno.writeTextFile(`${dir.path}/file`, "");
    await Deno.symlink("file", `${dir.path}/to-file`);
    await Deno.symlink(".", `${dir.path}/to-folder`);
    await Deno.symlink("nowhere", `${dir.path}/to-nothing`);
    await Deno.symlink("loop", `${dir.path}/loop`);
    assertEquals(fileKind(`${dir.path}/to-file`), { outcome: "found", value: "file" });
    assertEquals(fileKind(`${dir.path}/to-folder`), { outcome: "found", value: "folder" });
    assertEquals(fileKind("/dev/null"), { outcome: "found", value: "other" });
    assertEquals(fileKind(`${dir.path}/to-nothing`), { outcome: "missing" });
    assertEquals(fileKind(`${dir.path}/loop`).outcome, "refused");
  },
});

Deno.test("what does not exist is missing, what is of another kind is refused with a reason", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(`${dir.path}/file`, "text");
  assertEquals(readText(`${dir.path}/file`), { outcome: "found", value: "text" });
  for (const read of [readFolder, fileKind, readText]) {
    assertEquals(read(`${dir.path}/gone`), { outcome: "missing" });
  }
  const look = readFolder(`${dir.path}/file`);
  assert(look.outcome === "refused");
  assertStringIncludes(look.reason, "directory");
});

Deno.test({
  name: "what Deno may not read is refused with the flag to add, without a question",
  permissions: { read: false },
  fn: () => {
    for (const read of [readFolder, fileKind, readText]) {
      assertEquals(read("/some/where"), {
        outcome: "refused",
        reason: "Deno may not read it: run with --allow-read=/some/where",
      });
    }
  },
});

Deno.test({
  name: "paths are put together as the system writes them",
  ignore: isWindows,
  fn: () => assertEquals(joinPath("/home/me/", ".xcsh", "hooks"), "/home/me/.xcsh/hooks"),
});

/** @module The stand-in for `@std/path` against Node's own functions. */

import { assertEquals, assertNotMatch, assertThrows } from "@std/assert";
import nodePath from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as posix from "./std/path/posix.ts";
import * as windows from "./std/path/windows.ts";

const POSIX_PATHS = [
  ..."a a/b a/b/ ./a ../a ../../a a/../b a/./b a//b a/b/.. / /a /a/b /a/b/ /a/../b /../a . .. ./ ../"
    .split(" "),
  ..."x.ts /d/x.ts x.d.ts .env /d/.env x. ... ..a a/.b.c x.ts/ C:\\a a\\b".split(" "),
  "",
  "a b/c d",
];

const WINDOWS_PATHS = [
  ..."a a\\b a/b a\\b\\ .\\a ..\\a a\\..\\b a\\.\\b a\\\\b \\a \\ / . .. ..\\..\\a x.ts .env"
    .split(" "),
  ..."C:\\ C:\\a C:\\a\\b C:/a/b C:\\a\\..\\b C:\\..\\a C:a C: c:\\A \\\\s\\d\\ \\\\s\\d\\a".split(
    " ",
  ),
  ..."\\\\s\\d\\a\\b //s/d/a C:\\d\\x.ts C:\\d\\.env".split(" "),
  "",
];

Deno.test("posix: each function says what Node's says", () => {
  for (const path of POSIX_PATHS) {
    for (const name of ["isAbsolute", "normalize", "extname", "resolve"] as const) {
      assertEquals(posix[name](path), nodePath.posix[name](path), `${name} ${path}`);
    }
    if (path !== "/") {
      assertEquals(posix.basename(path), nodePath.posix.basename(path), `basename ${path}`);
    }
    // The real @std drops every slash at the end of the folder, Node only one.
    if (!path.includes("//")) {
      assertEquals(posix.dirname(path), nodePath.posix.dirname(path), `dirname ${path}`);
    }
    for (const other of POSIX_PATHS) {
      for (const name of ["join", "resolve", "relative"] as const) {
        const text = `${name} ${path} ${other}`;
        assertEquals(posix[name](path, other), nodePath.posix[name](path, other), text);
      }
    }
  }
});

Deno.test("windows: each function that does not ask for the current folder says what Node's says", () => {
  const whole = WINDOWS_PATHS.filter((path) => path.startsWith("\\\\") || /^\w:[\\/]/.test(path));
  for (const path of WINDOWS_PATHS) {
    for (const name of ["isAbsolute", "normalize", "extname"] as const) {
      assertEquals(windows[name](path), nodePath.win32[name](path), `${name} ${path}`);
    }
    if (!/^(?:\w:)?[\\/]$/.test(path)) {
      assertEquals(windows.basename(path), nodePath.win32.basename(path), `basename ${path}`);
    }
    // The real @std drops a `/` at the end of the folder, Node does not.
    if (!path.includes("/")) {
      assertEquals(windows.dirname(path), nodePath.win32.dirname(path), `dirname ${path}`);
    }
    for (const other of WINDOWS_PATHS) {
      // A drive in the middle of a path: Node guards against it, the real @std does not.
      if (/^\w:/.test(other)) continue;
      const text = `${path} ${other}`;
      assertEquals(windows.join(path, other), nodePath.win32.join(path, other), `join ${text}`);
    }
  }
  for (const path of whole) {
    for (const other of whole) {
      const text = `${path} ${other}`;
      const relative = nodePath.win32.relative(path, other);
      assertEquals(windows.relative(path, other), relative, `relative ${text}`);
      assertEquals(windows.resolve(path, other), nodePath.win32.resolve(path, other), text);
    }
  }
});

Deno.test("a suffix is taken off the name, but never the whole name", () => {
  for (const module of [posix, windows]) {
    assertEquals(module.basename("/d/x.ts", ".ts"), "x");
    assertEquals(module.basename("/d/x.ts", ".js"), "x.ts");
    assertEquals(module.basename("/d/.ts", ".ts"), ".ts");
  }
});

Deno.test("posix: every path comes back from its URL, and Node reads the URL the same", () => {
  for (
    const path of ["/", "/a/b", "/a b", "/a#b?c", "/a%20b", "/ä/日本", "/a\\b", "/a\nb\tc", "/[x]"]
  ) {
    const url = posix.toFileUrl(path);
    assertEquals(posix.fromFileUrl(url), path);
    assertEquals(fileURLToPath(url), path);
    assertEquals(posix.fromFileUrl(pathToFileURL(path)), path);
  }
});

Deno.test("windows: every path comes back from its URL", () => {
  for (const path of ["C:\\", "C:\\a\\b", "C:\\a b#c?d%20e", "C:\\ä", "\\\\server\\share\\x"]) {
    assertEquals(windows.fromFileUrl(windows.toFileUrl(path)), path);
  }
  assertEquals(windows.toFileUrl("C:\\a b").href, "file:///C:/a%20b");
});

Deno.test("a relative path has no URL, and another URL has no path", () => {
  for (const module of [posix, windows]) {
    assertThrows(() => module.toFileUrl("a"), TypeError, "absolute");
    assertThrows(() => module.fromFileUrl("https://example.com/a"), TypeError, "file URL");
  }
});

Deno.test("the stand-ins for paths import nothing from Node, which would slow every start", async () => {
  for (const name of ["posix", "windows", "mod"]) {
    const source = new URL(`./std/path/${name}.ts`, import.meta.url);
    assertNotMatch(await Deno.readTextFile(source), /from "node:|\bprocess\b/);
  }
});

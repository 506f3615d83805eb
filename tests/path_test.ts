import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileUrlOf, locateHook, moduleNameFault, type PathSurroundings } from "../src/path.ts";

const POSIX: PathSurroundings = { cwd: "/work/project", home: "/home/ann", isWindows: false };
const WINDOWS: PathSurroundings = {
  cwd: "C:\\work\\project",
  home: "C:\\Users\\ann",
  isWindows: true,
};

/** The path that an entry leads to, or the whole answer if it leads to none. */
function pathOf(entry: unknown, around: PathSurroundings): unknown {
  const location = locateHook(entry, around);
  return location.kind === "file" ? location.path : location;
}

function faultOf(entry: unknown, around: PathSurroundings): string {
  const location = locateHook(entry, around);
  assert(location.kind === "fault", `${Deno.inspect(entry)} became ${Deno.inspect(location)}`);
  return location.fault;
}

function assertPaths(around: PathSurroundings, table: readonly [string, string][]): void {
  assertEquals(
    table.map(([entry]) => [entry, pathOf(entry, around)]),
    table.map(([entry, path]) => [entry, path]),
  );
}

Deno.test("an absolute path stays as it is", () => {
  assertPaths(POSIX, [
    ["/hooks/gate.ts", "/hooks/gate.ts"],
    ["/hooks/../x//gate.ts", "/hooks/../x//gate.ts"],
    ["/hooks/gate.ts ", "/hooks/gate.ts "],
    ["/c/Users/h.ts", "/c/Users/h.ts"],
    ["/caf\u0065\u0301/x.ts", "/caf\u0065\u0301/x.ts"],
    ["/a\u3000b/c\u00a0d.ts", "/a\u3000b/c\u00a0d.ts"],
  ]);
});

Deno.test("a tilde that is the first folder stands for the home folder", () => {
  assertPaths(POSIX, [
    ["~", "/home/ann"],
    ["~/", "/home/ann"],
    ["~/hooks/gate.ts", "/home/ann/hooks/gate.ts"],
    ["~/../bob/gate.ts", "/home/bob/gate.ts"],
  ]);
  assertPaths(WINDOWS, [
    ["~", "C:\\Users\\ann"],
    ["~/hooks/gate.ts", "C:\\Users\\ann\\hooks\\gate.ts"],
    ["~\\hooks\\gate.ts", "C:\\Users\\ann\\hooks\\gate.ts"],
  ]);
});

Deno.test("more slashes after the tilde do not lead out of the home folder", () => {
  assertPaths(POSIX, [["~//etc/gate.ts", "/home/ann/etc/gate.ts"]]);
  assertPaths(WINDOWS, [
    ["~\\\\server\\share\\gate.ts", "C:\\Users\\ann\\server\\share\\gate.ts"],
    ["~/D:/gate.ts", "C:\\Users\\ann\\D:\\gate.ts"],
  ]);
});

Deno.test("anything else starts from the working directory", () => {
  assertPaths(POSIX, [
    ["gate.ts", "/work/project/gate.ts"],
    ["./gate.ts", "/work/project/gate.ts"],
    ["../gate.ts", "/work/gate.ts"],
    [".", "/work/project"],
    [" gate.ts", "/work/project/ gate.ts"],
    ["node:fs", "/work/project/node:fs"],
    ["data:text/javascript,1", "/work/project/data:text/javascript,1"],
    ["filer:x.ts", "/work/project/filer:x.ts"],
  ]);
});

Deno.test("a tilde elsewhere is a character like any other", () => {
  assertPaths(POSIX, [
    ["~gate.ts", "/work/project/~gate.ts"],
    ["~~", "/work/project/~~"],
    ["hooks/~/gate.ts", "/work/project/hooks/~/gate.ts"],
    ["./~ann/gate.ts", "/work/project/~ann/gate.ts"],
    ["gate.ts~", "/work/project/gate.ts~"],
    ["/~/gate.ts", "/~/gate.ts"],
    ["~ann\\gate.ts", "/work/project/~ann\\gate.ts"],
  ]);
});

Deno.test("the home folder of somebody else is refused, with what to write instead", () => {
  for (const entry of ["~bob/gate.ts", "~bob/", "~root/.pi/x.ts", "~~/x.ts"]) {
    const text = faultOf(entry, POSIX);
    assertStringIncludes(text, `"${entry.split("/")[0]}" is not looked up`);
    assertStringIncludes(text, `"./${entry}"`);
  }
  assertStringIncludes(faultOf("~bob\\gate.ts", WINDOWS), '"~bob" is not looked up');
});

Deno.test("a home folder that is not known is said, with the variable and the flag", () => {
  const text = faultOf("~/gate.ts", { ...POSIX, home: undefined });
  assertEquals(
    text,
    "the home folder is not known: set HOME and run with --allow-env=HOME, " +
      "or write the path in full",
  );
  assertStringIncludes(faultOf("~\\x.ts", { ...WINDOWS, home: undefined }), "USERPROFILE");
});

Deno.test("a home folder that is relative starts from the working directory", () => {
  assertEquals(
    pathOf("~/gate.ts", { ...POSIX, home: "people/ann" }),
    "/work/project/people/ann/gate.ts",
  );
});

Deno.test("a relative path is refused when nobody knows where it starts, an absolute one is not", () => {
  const nowhere = { ...POSIX, cwd: "" };
  assertStringIncludes(faultOf("gate.ts", nowhere), "the folder that it starts from is not known");
  assertEquals(pathOf("/gate.ts", nowhere), "/gate.ts");
  assertEquals(pathOf("~/gate.ts", nowhere), "/home/ann/gate.ts");
  assertStringIncludes(faultOf("~/gate.ts", { ...nowhere, home: "people" }), "home folder");
  assertStringIncludes(faultOf("\\gate.ts", { ...WINDOWS, cwd: "" }), "not known");
});

Deno.test("a file: URL leads to its file, decoded", () => {
  assertPaths(POSIX, [
    ["file:///hooks/gate.ts", "/hooks/gate.ts"],
    ["FILE:///hooks/gate.ts", "/hooks/gate.ts"],
    ["file://localhost/hooks/gate.ts", "/hooks/gate.ts"],
    ["file:/hooks/gate.ts", "/hooks/gate.ts"],
    ["file:///My%20Drive/c%23/100%25/what%3F/gate.ts", "/My Drive/c#/100%/what?/gate.ts"],
    ["file:///hooks/gate.ts?v=1#part", "/hooks/gate.ts"],
    ["file:///caf%C3%A9/gate.ts", "/café/gate.ts"],
  ]);
});

Deno.test("a file: URL that names no file here is refused", () => {
  assertStringIncludes(faultOf("file:gate.ts", POSIX), "file:///folder/hook.ts");
  assertStringIncludes(faultOf("file:gate.ts", WINDOWS), "file:///folder/hook.ts");
  assertStringIncludes(faultOf("file://server/share/gate.ts", POSIX), 'another computer, "server"');
  assertStringIncludes(faultOf("file:///a%00.ts", POSIX), "NUL");
  assertStringIncludes(faultOf("file://[/gate.ts", POSIX), "the URL cannot be read");
});

Deno.test("what comes from the net keeps its specifier, in one spelling", () => {
  const table: [string, string][] = [
    ["https://example.com/gate.ts", "https://example.com/gate.ts"],
    ["HTTPS://EXAMPLE.com/Gate.ts", "https://example.com/Gate.ts"],
    ["http://localhost:8000/gate.ts", "http://localhost:8000/gate.ts"],
    ["jsr:@scope/name@1", "jsr:@scope/name@1"],
    ["npm:yaml@2", "npm:yaml@2"],
  ];
  for (const around of [POSIX, WINDOWS]) {
    for (const [entry, specifier] of table) {
      assertEquals(locateHook(entry, around), { kind: "remote", specifier });
    }
  }
  assertStringIncludes(faultOf("https://", POSIX), "the URL cannot be read");
});

Deno.test("an entry that is not a text is refused, and shown", () => {
  const table: [unknown, string][] = [
    [42, "42"],
    [null, "null"],
    [undefined, "undefined"],
    [{ path: "x" }, '{"path":"x"}'],
    [["a.ts"], '["a.ts"]'],
    [7n, "7n"],
    [Symbol("s"), "Symbol(s)"],
    [() => {}, "function"],
    [new URL("file:///a.ts"), '"file:///a.ts"'],
  ];
  for (const [entry, shown] of table) {
    assertStringIncludes(faultOf(entry, POSIX), "a hook is named by its path, a text, not by");
    assertStringIncludes(faultOf(entry, POSIX), shown);
  }
});

Deno.test("an empty or blank path, and one with a NUL byte, are refused", () => {
  for (const entry of ["", " ", "\t\n", "\u00a0\u3000"]) {
    assertEquals(faultOf(entry, POSIX), "the path is empty");
  }
  for (const entry of ["a\0.ts", "/a\0", "~/\0", "file:///\0"]) {
    assertStringIncludes(faultOf(entry, POSIX), "NUL");
  }
});

/** The spellings that go wrong most often, with what they mean on each kind of system. */
const SPELLINGS: readonly { entry: string; windows: string; posix: string }[] = [
  {
    entry: "C:\\Users\\A B\\h.ts",
    windows: "C:\\Users\\A B\\h.ts",
    posix: "/work/project/C:\\Users\\A B\\h.ts",
  },
  {
    entry: "c:/Users/A B/h.ts",
    windows: "C:\\Users\\A B\\h.ts",
    posix: "/work/project/c:/Users/A B/h.ts",
  },
  { entry: "C:h.ts", windows: "C:\\work\\project\\h.ts", posix: "/work/project/C:h.ts" },
  {
    entry: "\\\\server\\share\\h.ts",
    windows: "\\\\server\\share\\h.ts",
    posix: "/work/project/\\\\server\\share\\h.ts",
  },
  { entry: "\\\\?\\C:\\h.ts", windows: "C:\\h.ts", posix: "/work/project/\\\\?\\C:\\h.ts" },
  {
    entry: "\\\\?\\UNC\\server\\share\\h.ts",
    windows: "\\\\server\\share\\h.ts",
    posix: "/work/project/\\\\?\\UNC\\server\\share\\h.ts",
  },
  {
    entry: "file:///C:/Users/A%20B/h.ts",
    windows: "C:\\Users\\A B\\h.ts",
    posix: "/C:/Users/A B/h.ts",
  },
  { entry: "/c/Users/h.ts", windows: "C:\\c\\Users\\h.ts", posix: "/c/Users/h.ts" },
  {
    entry: "%USERPROFILE%\\h.ts",
    windows: "C:\\work\\project\\%USERPROFILE%\\h.ts",
    posix: "/work/project/%USERPROFILE%\\h.ts",
  },
  { entry: "~\\h.ts", windows: "C:\\Users\\ann\\h.ts", posix: "/work/project/~\\h.ts" },
  {
    entry: ".\\hooks\\h.ts",
    windows: "C:\\work\\project\\hooks\\h.ts",
    posix: "/work/project/.\\hooks\\h.ts",
  },
  {
    entry: "hooks/pre\\h.ts",
    windows: "C:\\work\\project\\hooks\\pre\\h.ts",
    posix: "/work/project/hooks/pre\\h.ts",
  },
];

Deno.test("every spelling of a path means one path on Windows, and a literal name elsewhere", () => {
  assertPaths(WINDOWS, SPELLINGS.map(({ entry, windows }) => [entry, windows]));
  assertPaths(POSIX, SPELLINGS.map(({ entry, posix }) => [entry, posix]));
});

Deno.test("on Windows, drive letters, slashes and URLs of one file have one spelling and one URL", () => {
  const spellings = [
    "C:\\Users\\A B\\h.ts",
    "c:\\Users\\A B\\h.ts",
    "c:/Users/A B/h.ts",
    "C:/Users/./A B/x/../h.ts",
    "file:///C:/Users/A%20B/h.ts",
    "file:///c:/Users/A%20B/h.ts",
    "\\\\?\\c:\\Users\\A B\\h.ts",
  ];
  const paths = spellings.map((entry) => pathOf(entry, WINDOWS));
  assertEquals([...new Set(paths)], ["C:\\Users\\A B\\h.ts"]);
  assertEquals(fileUrlOf("C:\\Users\\A B\\h.ts", true), "file:///C:/Users/A%20B/h.ts");
});

Deno.test("on Windows, a share has one spelling and its server stands in the URL", () => {
  const spellings = [
    "\\\\server\\share\\h.ts",
    "//server/share/h.ts",
    "file://server/share/h.ts",
    "\\\\?\\UNC\\server\\share\\h.ts",
  ];
  const paths = spellings.map((entry) => pathOf(entry, WINDOWS));
  assertEquals([...new Set(paths)], ["\\\\server\\share\\h.ts"]);
  assertEquals(fileUrlOf("\\\\server\\share\\h.ts", true), "file://server/share/h.ts");
});

Deno.test("every character of a path survives the way into a URL and back", () => {
  const paths = [
    "/plain/path-1/x_y.ts",
    "/.pi/hooks/x.ts",
    "/My Drive/x.ts",
    "/c#/x.ts",
    "/100%25/x.ts",
    "/50%/x.ts",
    "/what?/x.ts",
    "/a;b/[x]/x.ts",
    "/a'b\"c/$HOME/`x`.ts",
    "/-rf/x.ts",
    "/back\\slash/x.ts",
    "/日本語 🎉/x.ts",
    "/nb\u00a0sp/\u3000/x.ts",
    "/tab\tline\nfeed/x.ts",
    "/caf\u0065\u0301/caf\u00e9.ts",
    "/C:\\x.ts",
  ];
  for (const path of paths) {
    const url = fileUrlOf(path, false);
    assert(url.startsWith("file:///"), url);
    assertEquals(new URL(url).search + new URL(url).hash, "", url);
    assertEquals(pathOf(url, POSIX), path);
  }
});

Deno.test("only the suffixes of modules are imported, whatever their case", () => {
  for (const suffix of [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".tsx", ".jsx", ".TS"]) {
    assertEquals(moduleNameFault(`/hooks/gate${suffix}`), undefined);
  }
  for (const name of ["gate.sh", "gate.py", "gate", "gate.ts~", "gate.ts.bak", "x.JSON", ".ts/x"]) {
    assertStringIncludes(moduleNameFault(`/hooks/${name}`) ?? "", "not a JavaScript or TypeScript");
  }
});

Deno.test("a file of declarations is not imported", () => {
  for (const name of ["x.d.ts", "x.d.mts", "x.d.cts", "x.D.TS"]) {
    assertStringIncludes(moduleNameFault(`/hooks/${name}`) ?? "", "only declares types");
  }
  assertEquals(moduleNameFault("/hooks/d.ts"), undefined);
});

Deno.test("a shell-style hook is told that it is not a module, and how such hooks are run", () => {
  const text = moduleNameFault("/.claude/hooks/pre/bash.sh") ?? "";
  assertStringIncludes(text, "a shell-style hook is run from a module");
  assertStringIncludes(text, 'pi.exec("sh", ["./hook.sh"])');
});

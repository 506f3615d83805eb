/**
 * What a hook asks for in its head, what is dangerous about it, and the flags that come of it.
 *
 * @module
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  joinPermissions,
  mayImport,
  notGranted,
  permissionDangers,
  permissionFlags,
  placePermissions,
} from "../src/isolation/permission_grant.ts";
import {
  type HookPermissions,
  permissionText,
  readPermissionHead,
} from "../src/isolation/permission_head.ts";

const PLACE = { cwd: "/work/project", home: "/home/ann", hookFolder: "/home/ann/hooks" };

const HEADS: readonly [name: string, text: string, asked: HookPermissions][] = [
  ["nothing", "export default () => {};", {}],
  ["one permission", "// @permission run=git,gh\nexport {}", { run: ["git", "gh"] }],
  [
    "several in a line",
    "// @permission read=$CWD write=$CWD/.cache net=api.example.com:443 env=GITHUB_TOKEN\n",
    {
      read: ["$CWD"],
      write: ["$CWD/.cache"],
      net: ["api.example.com:443"],
      env: ["GITHUB_TOKEN"],
    },
  ],
  [
    "several lines, joined",
    "// @permission run=git\n// text\n// @permission run=gh,git",
    { run: ["git", "gh"] },
  ],
  ["all of a kind", "// @permission read env=A_*\n// @permission env", { read: true, env: true }],
  ["-A", "// @permission -A\n", { all: true }],
  ["ffi", "// @permission ffi\n", { ffi: true }],
  ["keys", "// @permission keys\n", { keys: true }],
  ["a block comment", "/**\n * What it does.\n *\n * @permission run=git\n */\n", { run: ["git"] }],
  ["a block comment in one line", "/* @permission run=git */ code()", { run: ["git"] }],
  ["behind a shebang", "#!/usr/bin/env deno\n\n// @permission sys=hostname\n", {
    sys: ["hostname"],
  }],
  ["behind a byte order mark", "\uFEFF// @permission sys=uid\n", { sys: ["uid"] }],
  ["CRLF", "// @permission run=git\r\n// @permission env=A\r\n", { run: ["git"], env: ["A"] }],
  ["not behind code", "const a = 1;\n// @permission -A\n", {}],
  ["not in a text", '"// @permission -A"\n', {}],
  ["not another word", "// @permissions -A\n// see @permissionless\n", {}],
  ["not in the middle of a sentence", "// It needs no @permission -A\n", {}],
];

for (const [name, text, asked] of HEADS) {
  Deno.test(`the head of a hook file: ${name}`, () => {
    assertEquals(readPermissionHead(text), { asked, faults: [] });
  });
}

const FAULTS: readonly [line: string, fault: string][] = [
  ["", "@permission names nothing: write @permission run=git"],
  ["rnu=git", '@permission rnu=git: there is no permission "rnu", "run"?'],
  ["run=", "@permission run=: a value is empty"],
  ["run=git,,gh", "@permission run=git,,gh: a value is empty"],
  ["env=A-B", '@permission env=A-B: "A-B" is none of env'],
  ["net=http://x", '@permission net=http://x: "http://x" is none of net'],
  [
    "read=$HOME",
    '@permission read=$HOME: "$HOME": only $CWD can stand at the beginning of a path',
  ],
  ["keys=openai", '@permission keys=openai: "keys" takes no value'],
  ["read=/a\u0000b", "@permission read=/a\u0000b: a value holds a control character"],
];

for (const [line, fault] of FAULTS) {
  Deno.test(`a head that is not understood is a fault: ${JSON.stringify(line)}`, () => {
    assertEquals(readPermissionHead(`// @permission ${line}\n`), { asked: {}, faults: [fault] });
  });
}

Deno.test("one wrong word does not hide the others", () => {
  const { asked, faults } = readPermissionHead("// @permission run=git zzzzzzz read=$CWD");
  assertEquals(asked, { run: ["git"], read: ["$CWD"] });
  assertEquals(faults.length, 1);
  assert(faults[0].includes("known are read, write"), faults[0]);
});

Deno.test("paths lead from the working folder, from home, and from the folder of the hook", () => {
  const placed = placePermissions({
    read: ["$CWD", "$CWD/a/../b", "~/x", "./data", "../up", "/abs//y/"],
    run: ["git", "./tool.sh", "~/bin/x"],
    env: ["HOME"],
    net: true,
  }, PLACE);
  assertEquals(placed, {
    read: [
      "/work/project",
      "/work/project/b",
      "/home/ann/x",
      "/home/ann/hooks/data",
      "/home/ann/up",
      "/abs/y",
    ],
    run: ["git", "/home/ann/hooks/tool.sh", "/home/ann/bin/x"],
    env: ["HOME"],
    net: true,
  });
});

Deno.test("what cannot be placed is refused", () => {
  assertThrows(
    () => placePermissions({ read: ["~/x"] }, { ...PLACE, home: undefined }),
    TypeError,
    "the home folder is not known",
  );
  assertThrows(() => placePermissions({ env: ["A B"] }, PLACE), TypeError, "none of env");
  const unknown = JSON.parse('{"fly":true}');
  assertThrows(() => placePermissions(unknown, PLACE), TypeError, 'no permission "fly"');
});

const DANGERS: readonly [asked: HookPermissions, word: string | undefined][] = [
  [{}, undefined],
  [{ run: ["git"], read: ["$CWD"], write: ["$CWD/.cache"], env: ["A"], net: true }, undefined],
  [{ all: true }, "-A"],
  [{ ffi: true }, "ffi"],
  [{ ffi: ["./x.so"] }, "ffi"],
  [{ run: true }, "run: it may start any program"],
  [{ run: ["git", "bash"] }, "run=bash"],
  [{ run: ["/bin/sh"] }, "run=/bin/sh"],
  [{ run: ["python3"] }, "run=python3"],
  [{ write: true }, "write: it may change every file"],
  [{ write: ["."] }, "write=/home/ann/hooks: it may change its own file"],
  [{ write: ["~"] }, "write=/home/ann: it may change its own file"],
  [{ write: ["/"] }, "write=/: it may change its own file"],
  [{ write: ["./data"] }, "write=/home/ann/hooks/data: it may change files of its own folder"],
  [{ read: true }, "read: it may read every file"],
  [{ read: ["/"] }, "read: it may read every file"],
  [{ env: true }, "env"],
  [{ import: ["npm"] }, "import"],
];

for (const [asked, word] of DANGERS) {
  Deno.test(`danger of "${permissionText(asked)}": ${word ?? "none"}`, () => {
    const dangers = permissionDangers(placePermissions(asked, PLACE), PLACE);
    assertEquals(dangers.length, word === undefined ? 0 : 1, dangers.join("\n"));
    if (word !== undefined) assert(dangers[0].startsWith(word), dangers[0]);
  });
}

Deno.test("the flags give what is granted and nothing else", () => {
  assertEquals(permissionFlags({}), []);
  assertEquals(permissionFlags({ all: true, run: ["git"] }), ["--allow-all"]);
  assertEquals(
    permissionFlags({
      read: ["/a,b", "/c"],
      run: ["git", "gh"],
      net: true,
      env: [],
      keys: true,
      import: ["npm", "jsr.io"],
    }),
    ["--allow-read=/c", "--allow-net", "--allow-run=git,gh", "--allow-import=jsr.io"],
  );
});

Deno.test("a path with a comma is not granted, since its flag would grant two other paths", () => {
  assertEquals(permissionFlags({ read: ["/a,/etc"], run: ["x,sh"] }), []);
});

Deno.test("code from the net is for those who have it granted by name", () => {
  assertEquals(mayImport({}, "npm"), false);
  assertEquals(mayImport({ import: ["npm"] }, "npm"), true);
  assertEquals(mayImport({ import: ["npm"] }, "remote"), false);
  assertEquals(mayImport({ import: ["jsr.io"] }, "remote"), true);
  assertEquals(mayImport({ all: true }, "remote"), true);
});

Deno.test("what is asked for and not granted is told", () => {
  const asked: HookPermissions = { run: ["git", "gh"], read: true, net: ["x.org"] };
  assertEquals(notGranted(asked, {}), "read net=x.org run=git,gh");
  assertEquals(notGranted(asked, { run: ["git"], net: true, read: ["/a"] }), "read run=gh");
  assertEquals(notGranted(asked, { all: true }), "");
  assertEquals(notGranted({ all: true }, { run: true }), "-A");
});

Deno.test("two lists of permissions add up", () => {
  assertEquals(
    joinPermissions({ run: ["a"], read: true }, { run: ["b", "a"], read: ["/x"], env: ["E"] }),
    { run: ["a", "b"], read: true, env: ["E"] },
  );
});

import { assertEquals } from "@std/assert";
import { missingPermission } from "../src/deno/permissions.ts";

const isWindows = Deno.build.os === "windows";

Deno.test({
  name: "a missing permission is named by the exact flag to add",
  // `none` holds for `querySync` too, so the real thing is asked.
  permissions: "none",
  fn: () => {
    const cases: [Deno.PermissionDescriptor, string][] = [
      [{ name: "read" }, "--allow-read"],
      [{ name: "read", path: "/hooks/gate.ts" }, "--allow-read=/hooks/gate.ts"],
      [
        { name: "read", path: new URL("file:///hooks/caf%C3%A9.ts") },
        "--allow-read=/hooks/café.ts",
      ],
      [{ name: "read", path: new URL("file:///50%/x.ts") }, "--allow-read=/50%/x.ts"],
      [{ name: "write", path: "/hooks/a,b/x,y.ts" }, "--allow-write=/hooks"],
      [{ name: "write", path: "/a,b" }, "--allow-write=/"],
      [{ name: "read", path: "C:\\a,b" }, isWindows ? "--allow-read=C:\\" : "--allow-read='C:\\'"],
      [{ name: "run", command: "/opt/a,b" }, "--allow-run"],
      [{ name: "env", variable: "HOME" }, "--allow-env=HOME"],
      [{ name: "env" }, "--allow-env"],
      [{ name: "run", command: "git" }, "--allow-run=git"],
      [{ name: "run" }, "--allow-run"],
      [{ name: "import", host: "jsr.io" }, "--allow-import=jsr.io"],
      [{ name: "net", host: "127.0.0.1:80" }, "--allow-net=127.0.0.1:80"],
      [{ name: "sys", kind: "homedir" }, "--allow-sys=homedir"],
      [{ name: "ffi", path: "/lib/x.so" }, "--allow-ffi=/lib/x.so"],
    ];
    for (const [descriptor, flag] of cases) assertEquals(missingPermission(descriptor), flag);
  },
});

Deno.test({
  name: "a value that a shell would take apart is quoted in the flag",
  ignore: isWindows,
  permissions: "none",
  fn: () => {
    const cases: [string, string][] = [
      ["/My Drive/x.ts", "--allow-read='/My Drive/x.ts'"],
      ["/a'b", String.raw`--allow-read='/a'\''b'`],
      ["/$HOME/x", "--allow-read='/$HOME/x'"],
      ["/c#/x", "--allow-read='/c#/x'"],
      ["/日本/x", "--allow-read=/日本/x"],
      ["/a\u3000b", "--allow-read='/a\u3000b'"],
    ];
    for (const [path, flag] of cases) assertEquals(missingPermission({ name: "read", path }), flag);
  },
});

Deno.test({
  name: "what Deno cannot be asked about counts as missing",
  permissions: "none",
  fn: () => assertEquals(missingPermission({ name: "read", path: "" }), "--allow-read="),
});

Deno.test({
  name: "a granted permission is not missing, and a folder covers what is in it",
  permissions: { read: ["/hooks"], env: ["HOME"] },
  fn: () => {
    assertEquals(missingPermission({ name: "read", path: "/hooks/sub/x.ts" }), undefined);
    assertEquals(missingPermission({ name: "env", variable: "HOME" }), undefined);
    assertEquals(missingPermission({ name: "env", variable: "PATH" }), "--allow-env=PATH");
    assertEquals(missingPermission({ name: "read", path: "/other" }), "--allow-read=/other");
  },
});

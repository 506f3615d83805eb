import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  disableProvider,
  enableProvider,
  registerProvider,
} from "../src/discovery/capabilities.ts";
import { discoverAndLoadHooks, discoverHooks } from "../src/discovery/discover.ts";
import { parseHookName } from "../src/discovery/hook_files.ts";
import type { HookItem } from "../src/discovery/hook_item.ts";

const isWindows = Deno.build.os === "windows";

/** A hook that registers one handler and, when it is imported, leaves a file beside itself. */
const HOOK = `
  Deno.writeTextFileSync(new URL(import.meta.url + ".was-imported"), "");
  export default function (pi) { pi.on("tool_call", () => ({ block: true, reason: "guard" })); }
`;
const GUARD = `export default function (pi) { pi.on("tool_call", () => ({ block: true })); }`;

interface Place {
  home: string;
  cwd: string;
  /** Writes a file; the path starts with `home/` or `cwd/`. */
  write(path: string, text?: string): Promise<string>;
}

async function inPlace(body: (place: Place) => Promise<void>): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "discovery test " }));
  const place: Place = {
    home: `${root}/home`,
    cwd: `${root}/cwd`,
    write: async (path, text = GUARD) => {
      const file = `${root}/${path}`;
      await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(file, text);
      return file;
    },
  };
  await Deno.mkdir(place.home);
  await Deno.mkdir(place.cwd);
  try {
    await body(place);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

function discoveryTest(name: string, body: (place: Place) => Promise<void>): void {
  Deno.test({ name: `discovery: ${name}`, ignore: isWindows, fn: () => inPlace(body) });
}

/** Paths without the folder that all of them are in. */
function short(place: Place, paths: readonly { path: string }[]): string[] {
  const root = place.cwd.slice(0, -"/cwd".length);
  return paths.map(({ path }) => path.replace(`${root}/`, ""));
}

discoveryTest("the providers look in their folders, highest priority first", async (place) => {
  const expected: [path: string, provider: string, level: string, type: string, tool: string][] = [
    ["cwd/.xcsh/hooks/pre/a.ts", "native", "project", "pre", "a"],
    ["cwd/.xcsh/hooks/post/b.ts", "native", "project", "post", "b"],
    ["cwd/.omp/hooks/pre/c.ts", "native", "project", "pre", "c"],
    ["cwd/.pi/hooks/post/d.ts", "native", "project", "post", "d"],
    ["home/.xcsh/agent/hooks/pre/e.ts", "native", "user", "pre", "e"],
    ["home/.xcsh/agent/hooks/post/f.ts", "native", "user", "post", "f"],
    ["home/.omp/agent/hooks/pre/g.ts", "native", "user", "pre", "g"],
    ["home/.pi/agent/hooks/pre/h.ts", "native", "user", "pre", "h"],
    ["home/.claude/hooks/pre/i.ts", "claude", "user", "pre", "i"],
    ["home/.claude/hooks/post/j.ts", "claude", "user", "post", "j"],
    ["cwd/.claude/hooks/pre/k.ts", "claude", "project", "pre", "k"],
    ["cwd/.claude/hooks/post/l.ts", "claude", "project", "post", "l"],
    ["home/plug/hooks/pre/m.ts", "plugins", "user", "pre", "m"],
    ["home/plug/hooks/post/n.ts", "plugins", "user", "post", "n"],
    ["home/.codex/hooks/pre-o.ts", "codex", "user", "pre", "o"],
    ["cwd/.codex/hooks/post-p.ts", "codex", "project", "post", "p"],
  ];
  for (const [path] of expected.toReversed()) await place.write(path);
  await place.write(
    "home/.xcsh/plugins/installed_plugins.json",
    JSON.stringify({ version: 2, plugins: { "p@m": [{ installPath: `${place.home}/plug` }] } }),
  );
  const { items, shadowed, untrusted, warnings } = await discoverHooks(place.cwd, place);
  const paths = short(place, items);
  assertEquals(
    items.map(({ provider, level, type, tool }, index) => [
      paths[index],
      provider,
      level,
      type,
      tool,
    ]),
    expected,
  );
  assertEquals([shadowed, untrusted, warnings], [[], [], []]);
});

discoveryTest("places that do not exist are silent", async (place) => {
  assertEquals(await discoverHooks(place.cwd, place), {
    items: [],
    shadowed: [],
    untrusted: [],
    warnings: [],
  });
  assertEquals(await discoverAndLoadHooks([], place.cwd, place), {
    hooks: [],
    errors: [],
    warnings: [],
  });
});

discoveryTest("folders above the project are not looked in", async (place) => {
  await place.write("cwd/.xcsh/hooks/pre/a.ts");
  await Deno.mkdir(`${place.cwd}/sub`);
  assertEquals((await discoverHooks(`${place.cwd}/sub`, place)).items, []);
});

discoveryTest(
  "the same type, tool and name: the first counts, the others name it",
  async (place) => {
    const first = await place.write("cwd/.xcsh/hooks/pre/bash.ts");
    const losers = [
      await place.write("home/.xcsh/agent/hooks/pre/bash.ts"),
      await place.write("cwd/.claude/hooks/pre/bash.ts"),
    ];
    await place.write("cwd/.claude/hooks/pre/bash.sh", "#!/bin/sh\nexit 2\n");
    await place.write("cwd/.claude/hooks/post/bash.ts");
    const { items, shadowed, warnings } = await discoverHooks(place.cwd, place);
    assertEquals(short(place, items).toSorted(), [
      "cwd/.claude/hooks/post/bash.ts",
      "cwd/.claude/hooks/pre/bash.sh",
      "cwd/.xcsh/hooks/pre/bash.ts",
    ]);
    assertEquals(
      shadowed.map(({ path, shadowed, shadowedBy }) => [path, shadowed, shadowedBy]),
      losers.map((path) => [path, true as const, first]),
    );
    assertEquals(
      warnings.map(({ path, kind }) => [path, kind]),
      losers.map((path) => [path, "shadowed"]),
    );
    for (const { warning } of warnings) assertStringIncludes(warning, first);
  },
);

Deno.test("discovery: the tool is the file name up to its last dot", () => {
  const cases: [string, string][] = [
    ["bash.ts", "bash"],
    ["bash.sh", "bash"],
    ["mcp.server.tool.ts", "mcp.server.tool"],
    ["noext", "noext"],
    ["README.md", "README"],
    ["*.ts", "*"],
    ["_all.ts", "*"],
    ["_all", "*"],
    ["日本.ts", "日本"],
    ["pre-bash.ts", "pre-bash"],
  ];
  for (const [name, tool] of cases) {
    assertEquals(parseHookName(name, "post"), { tool, type: "post" });
  }
});

Deno.test("discovery: in the folder of Codex the name also says pre or post", () => {
  const cases: [string, string, string][] = [
    ["pre-bash.ts", "pre", "bash"],
    ["post-bash.js", "post", "bash"],
    ["post-web-fetch.ts", "post", "web-fetch"],
    ["bash.ts", "pre", "bash"],
    ["pre-.ts", "pre", "pre-"],
    ["post-_all.ts", "post", "*"],
    ["postbash.ts", "pre", "postbash"],
  ];
  for (const [name, type, tool] of cases) {
    assertEquals(parseHookName(name, "in-name"), { tool, type: type as "pre" });
  }
});

discoveryTest("the order of the folder is kept, the same on every run", async (place) => {
  for (const name of ["z", "B", "a", "10", "2", "ä", "m", "x1", "x2", "c"]) {
    await place.write(`cwd/.xcsh/hooks/pre/${name}.ts`);
  }
  const folder = `${place.cwd}/.xcsh/hooks/pre`;
  const expected = Array.from(Deno.readDirSync(folder), ({ name }) => `${folder}/${name}`);
  for (let run = 0; run < 20; run++) {
    const { items } = await discoverHooks(place.cwd, place);
    assertEquals(items.map(({ path }) => path), expected);
  }
  const { hooks } = await discoverAndLoadHooks([], place.cwd, place);
  assertEquals(hooks.map(({ path }) => path), expected);
});

discoveryTest("what is no hook file is skipped, each with a warning", async (place) => {
  const folder = `${place.cwd}/.xcsh/hooks/pre`;
  const good = await place.write("cwd/.xcsh/hooks/pre/good.ts");
  const linked = await place.write("home/real.ts");
  await Deno.symlink(linked, `${folder}/link.ts`);
  await Deno.symlink(place.home, `${folder}/link-to-folder.ts`);
  await Deno.symlink("nowhere", `${folder}/gone.ts`);
  await place.write("cwd/.xcsh/hooks/pre/dir.ts/inner.ts");
  await new Deno.Command("mkfifo", { args: [`${folder}/pipe.ts`] }).output();
  using _socket = Deno.listen({ transport: "unix", path: `${folder}/socket.ts` });
  for (
    const name of [".DS_Store", ".hidden.ts", "types.d.ts", "guard.ts~", "guard.ts.bak", "a.swp"]
  ) {
    await place.write(`cwd/.xcsh/hooks/pre/${name}`);
  }
  const { items, warnings } = await discoverHooks(place.cwd, place);
  assertEquals(
    items.map(({ path }) => path).toSorted(),
    [`${folder}/gone.ts`, good, `${folder}/link.ts`],
  );
  const reasons = new Map(
    warnings.map(({ path, warning }) => [path.slice(folder.length + 1), warning]),
  );
  const expected: [string, string][] = [
    [".DS_Store", "hidden file"],
    [".hidden.ts", "hidden file"],
    ["a.swp", "backup of an editor"],
    ["dir.ts", "it is a folder"],
    ["guard.ts.bak", "backup of an editor"],
    ["guard.ts~", "backup of an editor"],
    ["link-to-folder.ts", "it is a folder"],
    ["pipe.ts", "a pipe, a socket or a device"],
    ["socket.ts", "a pipe, a socket or a device"],
    ["types.d.ts", "only declares types"],
  ];
  assertEquals([...reasons.keys()].toSorted(), expected.map(([name]) => name).toSorted());
  for (const [name, reason] of expected) assertStringIncludes(reasons.get(name) ?? "", reason);
  assert(warnings.every(({ kind }) => kind === "skipped"));

  const { hooks, errors } = await discoverAndLoadHooks([], place.cwd, place);
  assertEquals(hooks.map(({ path }) => path).toSorted(), [good, `${folder}/link.ts`]);
  assertEquals(errors.map(({ path, kind }) => [path, kind]), [[`${folder}/gone.ts`, "not-found"]]);
});

discoveryTest("each call reads the disk", async (place) => {
  assertEquals((await discoverHooks(place.cwd, place)).items, []);
  const file = await place.write("cwd/.xcsh/hooks/pre/a.ts");
  assertEquals((await discoverHooks(place.cwd, place)).items.map(({ path }) => path), [file]);
  await Deno.remove(file);
  assertEquals((await discoverHooks(place.cwd, place)).items, []);
});

discoveryTest("a project that is the home folder gives each hook once", async (place) => {
  await place.write("home/.claude/hooks/pre/a.ts");
  await place.write("home/.codex/hooks/pre-b.ts");
  const { items, shadowed } = await discoverHooks(place.home, place);
  assertEquals(items.map(({ tool, level }) => [tool, level]), [["a", "user"], ["b", "user"]]);
  assertEquals(shadowed, []);
});

discoveryTest("plugins: enabled ones count, odd entries are warnings", async (place) => {
  await place.write("home/one/hooks/pre/one.ts");
  await place.write("home/two/hooks/post/two.ts");
  await place.write("home/off/hooks/pre/off.ts");
  const registryFile = await place.write(
    "home/.xcsh/plugins/installed_plugins.json",
    JSON.stringify({
      version: 2,
      plugins: {
        "one@market": [{ scope: "user", installPath: `${place.home}/one`, version: "1" }],
        "two@market": [{ scope: "project", installPath: "~/two", version: "1" }],
        "off@market": [{ installPath: `${place.home}/off`, enabled: false }],
        "none@market": [{ scope: "user" }],
        "null@market": [null],
        "text@market": "oops",
        "gone@market": [{ installPath: `${place.home}/gone` }],
      },
    }),
  );
  const { items, warnings } = await discoverHooks(place.cwd, place);
  assertEquals(items.map(({ tool, level, provider }) => [tool, level, provider]), [
    ["one", "user", "plugins"],
    ["two", "project", "plugins"],
  ]);
  assertEquals(warnings.map(({ path, kind }) => [path, kind]), [
    [registryFile, "provider"],
    [registryFile, "provider"],
    [registryFile, "provider"],
  ]);
  assertEquals(
    warnings.map(({ warning }) => warning.match(/"(\w+)@market"/)?.[1]),
    ["none", "null", "text"],
  );
});

discoveryTest("plugins: a list that cannot be read is a warning", async (place) => {
  for (const [text, reason] of [["{", "is not JSON"], ["[]", "no object"], ["7", "no object"]]) {
    const path = await place.write("home/.xcsh/plugins/installed_plugins.json", text);
    const { warnings } = await discoverHooks(place.cwd, place);
    assertEquals(warnings.map((warning) => [warning.path, warning.kind]), [[path, "provider"]]);
    assertStringIncludes(warnings[0].warning, reason);
  }
});

discoveryTest("a provider can be disabled by id, or left out of one search", async (place) => {
  await place.write("cwd/.xcsh/hooks/pre/a.ts");
  await place.write("cwd/.claude/hooks/pre/b.ts");
  await place.write("cwd/.codex/hooks/c.ts");
  const tools = async (options = {}): Promise<string> => {
    const { items } = await discoverHooks(place.cwd, { ...place, ...options });
    return items.map(({ tool }) => tool).join("");
  };
  assertEquals(await tools(), "abc");
  assertEquals(await tools({ providers: ["codex", "native"] }), "ac");
  assertEquals(await tools({ excludeProviders: ["native"] }), "bc");
  disableProvider("claude");
  try {
    assertEquals(await tools(), "ac");
  } finally {
    enableProvider("claude");
  }
});

discoveryTest(
  "new providers register from outside; if they fail, the result says so",
  async (place) => {
    const path = await place.write("home/company/bash.ts");
    const own = await place.write("cwd/.xcsh/hooks/pre/bash.ts");
    const item: HookItem = { name: "bash.ts", path, type: "pre", tool: "bash", level: "user" };
    const invalid = { ...item, type: "during" as "pre" };
    registerProvider<HookItem>("hooks", {
      id: "company",
      displayName: "Company",
      description: "Hooks for everybody",
      priority: 200,
      load: () => ({ items: [invalid, item] }),
    });
    registerProvider<HookItem>("hooks", {
      id: "broken",
      displayName: "Broken",
      description: "Never works",
      priority: 1,
      load: () => Promise.reject(new Error("no network")),
    });
    try {
      const { hooks, warnings } = await discoverAndLoadHooks([], place.cwd, place);
      assertEquals(hooks.map((hook) => [hook.path, hook.source?.provider]), [[path, "company"]]);
      assertEquals(warnings, [
        {
          path,
          warning: "[Company] Skipped: Invalid type (must be 'pre' or 'post')",
          kind: "skipped",
        },
        { path: "broken", warning: "[Broken] Failed to load: no network", kind: "provider" },
        {
          path: own,
          warning: `Not loaded: "${path}" has the same type, tool and name and comes first.`,
          kind: "shadowed",
        },
      ]);
    } finally {
      disableProvider("company");
      disableProvider("broken");
    }
  },
);

discoveryTest("folder and tool in the name are for display, they filter nothing", async (place) => {
  const path = await place.write(
    "cwd/.xcsh/hooks/post/bash.ts",
    `export default function (pi) {
      pi.on("tool_call", () => {});
      pi.on("session_start", () => {});
    }`,
  );
  const { hooks } = await discoverAndLoadHooks([], place.cwd, place);
  assertEquals(hooks.map((hook) => [hook.path, [...hook.handlers.keys()], hook.source]), [
    [path, ["tool_call", "session_start"], {
      provider: "native",
      level: "project",
      type: "post",
      tool: "bash",
    }],
  ]);
});

discoveryTest(
  "discovered hooks come first, then the configured ones, each file once",
  async (place) => {
    const found = await place.write("cwd/.xcsh/hooks/pre/found.ts");
    const named = await place.write("cwd/named.ts");
    const mine = await place.write("home/mine.ts");
    await Deno.symlink(named, `${place.cwd}/alias.ts`);
    const configured = [
      "./named.ts",
      found,
      ".xcsh/hooks/pre/found.ts",
      "~/mine.ts",
      named,
      `file://${encodeURI(named)}`,
      "alias.ts",
    ];
    const { hooks, errors, warnings } = await discoverAndLoadHooks(configured, place.cwd, place);
    assertEquals(errors, []);
    assertEquals(hooks.map((hook) => [hook.path, hook.resolvedPath, hook.source?.provider]), [
      [found, found, "native"],
      ["./named.ts", named, "configured"],
      ["~/mine.ts", mine, "configured"],
    ]);
    assertEquals(warnings.map(({ path, kind }) => [path, kind]), [["alias.ts", "skipped"]]);
  },
);

discoveryTest("a shadowed hook that is also configured is loaded", async (place) => {
  const first = await place.write("cwd/.xcsh/hooks/pre/bash.ts");
  const second = await place.write("cwd/.claude/hooks/pre/bash.ts");
  const { hooks } = await discoverAndLoadHooks([second], place.cwd, place);
  assertEquals(hooks.map(({ path }) => path), [first, second]);
});

/** A project of strangers whose hooks leave traces, and a person with hooks of their own. */
async function strangersProject(place: Place): Promise<{ theirs: string[]; mine: string }> {
  return {
    theirs: [
      await place.write("cwd/.xcsh/hooks/pre/x.ts", HOOK),
      await place.write("cwd/.claude/hooks/pre/x.ts", HOOK),
    ],
    mine: await place.write("home/.xcsh/agent/hooks/pre/x.ts", HOOK),
  };
}

const wasImported = (path: string): boolean => {
  try {
    return Deno.statSync(`${path}.was-imported`).isFile;
  } catch {
    return false;
  }
};

discoveryTest("listing never imports", async (place) => {
  const { theirs, mine } = await strangersProject(place);
  for (const trustProject of [true, false, undefined]) {
    await discoverHooks(place.cwd, { ...place, trustProject });
  }
  assertEquals([...theirs, mine].filter(wasImported), []);
});

discoveryTest("an untrusted project's hooks are not imported, one warning each", async (place) => {
  const { theirs, mine } = await strangersProject(place);
  const options = { ...place, trustProject: false };
  const { hooks, errors, warnings } = await discoverAndLoadHooks([], place.cwd, options);
  assertEquals(
    warnings.map(({ path, kind }) => [path, kind]),
    theirs.map((path) => [path, "untrusted"]),
  );
  assertEquals([hooks.map(({ path }) => path), errors], [[mine], []]);
  assertEquals([...theirs, mine].filter(wasImported), [mine]);
});

discoveryTest("an untrusted hook does not take the place of the person's own", async (place) => {
  const { theirs, mine } = await strangersProject(place);
  const { items, shadowed, untrusted } = await discoverHooks(place.cwd, {
    ...place,
    trustProject: false,
  });
  assertEquals([items, shadowed, untrusted].map((list) => list.map(({ path }) => path)), [
    [mine],
    [],
    theirs,
  ]);
});

discoveryTest(
  "a hook that is named is loaded although its project is not trusted",
  async (place) => {
    const { theirs: [named, other], mine } = await strangersProject(place);
    const options = { ...place, trustProject: false };
    const { hooks } = await discoverAndLoadHooks([".xcsh/hooks/pre/x.ts"], place.cwd, options);
    assertEquals(hooks.map(({ resolvedPath }) => resolvedPath), [mine, named]);
    assertEquals(wasImported(other), false);
  },
);

discoveryTest("the library trusts a project unless it is told not to", async (place) => {
  const { theirs } = await strangersProject(place);
  const { hooks } = await discoverAndLoadHooks([], place.cwd, place);
  assertEquals(hooks.map(({ path }) => path), [theirs[0]]);
});

discoveryTest(
  "shell-style hooks are errors with their path, modules beside them load",
  async (place) => {
    const script = "#!/bin/bash\nexit 2\n";
    const shellHooks = [
      await place.write("cwd/.claude/hooks/pre/bash.sh", script),
      await place.write("cwd/.claude/hooks/post/fmt.py", "#!/usr/bin/env python3\n"),
      await place.write("cwd/.claude/hooks/pre/noext", script),
      await place.write("cwd/.xcsh/hooks/pre/crlf.sh", script.replaceAll("\n", "\r\n")),
      await place.write("cwd/.codex/hooks/pre-guard.sh", script),
    ];
    const module = await place.write("cwd/.xcsh/hooks/pre/bash.ts");
    const { hooks, errors } = await discoverAndLoadHooks([], place.cwd, place);
    assertEquals(hooks.map(({ path }) => path), [module]);
    assertEquals(errors.map(({ path }) => path).toSorted(), shellHooks.toSorted());
    for (const { kind, error } of errors) {
      assertEquals(kind, "not-a-module");
      assertStringIncludes(error, "shell-style hook");
    }
  },
);

discoveryTest("one bad entry never switches off the others", async (place) => {
  const found = await place.write("cwd/.xcsh/hooks/pre/good.ts");
  await place.write("cwd/.xcsh/hooks/pre/empty.ts", "");
  await place.write("cwd/.xcsh/hooks/pre/throws.ts", "throw new Error('at import');");
  const named = await place.write("cwd/named.ts");
  const bad = [42, null, { path: "x" }, "", " ", "/dev/null", "nul\u0000.ts", ".", undefined];
  const { hooks, errors } = await discoverAndLoadHooks([...bad, "named.ts"], place.cwd, place);
  assertEquals(hooks.map(({ resolvedPath }) => resolvedPath), [found, named]);
  assertEquals(errors.length, 2 + bad.length);
  assertEquals(errors.slice(2).map(({ path }) => path), [
    "42",
    "null",
    '{"path":"x"}',
    "",
    " ",
    "/dev/null",
    "nul\u0000.ts",
    ".",
    "undefined",
  ]);
});

discoveryTest("nothing is thrown, whatever is called a list or a folder", async (place) => {
  const notAList = 7 as unknown as string[];
  const { errors } = await discoverAndLoadHooks(notAList, place.cwd, place);
  assertEquals(errors.map(({ path, kind }) => [path, kind]), [["7", "path"]]);
  for (const cwd of ["", "~nobody/x", "a\0b", 7, null, undefined, `${place.cwd}/gone`]) {
    const options = { home: place.home, trustProject: false };
    const { hooks } = await discoverAndLoadHooks([], cwd as string, options);
    assertEquals(hooks, []);
  }
});

discoveryTest("a file where a folder should be is a warning", async (place) => {
  const path = await place.write("cwd/.xcsh/hooks/pre", "not a folder");
  const { warnings } = await discoverHooks(place.cwd, place);
  assertEquals(warnings.map((warning) => [warning.path, warning.kind]), [[path, "provider"]]);
});

const sourceUrl = (path: string): string => new URL(path, import.meta.url).href;

/** Runs discovery in a Deno process that has only the given flags. */
async function withFlags(place: Place, flags: string[], options: string): Promise<string> {
  const main = await place.write(
    "main.ts",
    `import ${JSON.stringify(sourceUrl("../mod.ts"))};
    import { discoverAndLoadHooks } from ${
      JSON.stringify(sourceUrl("../src/discovery/discover.ts"))
    };
    const { hooks, errors, warnings } =
      await discoverAndLoadHooks([], ${JSON.stringify(place.cwd)}, ${options});
    console.log(JSON.stringify({
      hooks: hooks.map((hook) => hook.path),
      errors: errors.map((error) => error.kind),
      warnings: warnings.map(({ path, warning }) => path + ": " + warning),
    }));`,
  );
  const config = new URL("../deno.json", import.meta.url).pathname;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--config", config, ...flags, main],
    stdin: "null",
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout);
}

discoveryTest(
  "without any permission there are warnings with the flags, no question",
  async (place) => {
    await place.write("cwd/.xcsh/hooks/pre/a.ts");
    const { hooks, errors, warnings } = JSON.parse(await withFlags(place, [], "{}"));
    assertEquals([hooks, errors], [[], []]);
    const folder = `${place.cwd}/.xcsh/hooks/pre`;
    assert(
      warnings.includes(
        `${folder}: Hooks in this folder are not found: Deno may not read it: run with ` +
          `--allow-read='${folder}'`,
      ),
      warnings.join("\n"),
    );
  },
);

discoveryTest("the home folder is looked in only if Deno may know it", async (place) => {
  const path = await place.write("home/.claude/hooks/pre/a.ts");
  const read = `--allow-read=${place.cwd},${place.home}`;
  const without = JSON.parse(await withFlags(place, [read], "{}"));
  assertEquals(without, { hooks: [], errors: [], warnings: [] });
  const named = JSON.parse(await withFlags(place, [read], JSON.stringify({ home: place.home })));
  assertEquals(named.hooks, [path]);
});

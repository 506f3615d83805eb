/**
 * How the source is laid out, and what may stand where.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { walk } from "@std/fs/walk";
import { join } from "@std/path/posix/join";
import { dirname } from "@std/path/posix/dirname";
import { basename } from "@std/path/posix/basename";
import { readFacts, type SourceFacts } from "./source_facts.ts";

/**
 * The rooms of the house, the foundation first. A file may import from its own room and from the
 * rooms before it in this list, never from those after it. A folder ends with `/`.
 */
const ROOMS: readonly { room: string; holds: readonly string[] }[] = [
  { room: "settings", holds: ["deno.json"] },
  {
    room: "basics",
    holds: [
      "src/errors.ts",
      "src/messages.ts",
      "src/entries.ts",
      "src/copy.ts",
      "src/message_loan.ts",
      "src/nearest.ts",
    ],
  },
  { room: "events", holds: ["src/events/"] },
  { room: "ports", holds: ["src/ports.ts", "src/session_storage.ts"] },
  { room: "types", holds: ["src/types.ts"] },
  { room: "hook", holds: ["src/hook.ts"] },
  { room: "path", holds: ["src/path.ts"] },
  { room: "ui", holds: ["src/ui/"] },
  { room: "tool arguments", holds: ["src/tool_arguments.ts"] },
  {
    room: "isolation",
    holds: [
      "src/isolation/frames.ts",
      "src/isolation/lists.ts",
      "src/isolation/messages.ts",
      "src/isolation/permission_grant.ts",
      "src/isolation/permission_head.ts",
      "src/isolation/recording.ts",
      "src/isolation/theme.ts",
      "src/isolation/thrown.ts",
      "src/isolation/values.ts",
    ],
  },
  { room: "deno", holds: ["src/deno/"] },
  { room: "api", holds: ["src/api.ts"] },
  {
    room: "loader",
    holds: [
      "src/import_fault.ts",
      "src/loader.ts",
      "src/loader_find.ts",
      "src/loader_import.ts",
      "src/loader_limit.ts",
      "src/loader_node_modules.ts",
      "src/loader_packages.ts",
      "src/loader_version.ts",
      "src/loader_options.ts",
      "src/isolation/faults.ts",
      "src/isolation/host_asks.ts",
      "src/isolation/host_call.ts",
      "src/isolation/host_channel.ts",
      "src/isolation/host_desk.ts",
      "src/isolation/host_session.ts",
      "src/isolation/host_state.ts",
      "src/isolation/isolate.ts",
      "src/isolation/isolated_hook.ts",
    ],
  },
  { room: "discovery", holds: ["src/discovery/"] },
  {
    room: "runner",
    holds: [
      "src/answers.ts",
      "src/context.ts",
      "src/dispatch.ts",
      "src/dispatch_plain.ts",
      "src/dispatcher.ts",
      "src/fold.ts",
      "src/handler_lists.ts",
      "src/handler_record.ts",
      "src/handler_scope.ts",
      "src/hook_binding.ts",
      "src/listeners.ts",
      "src/no_host.ts",
      "src/refused_write.ts",
      "src/runner.ts",
      "src/runner_options.ts",
      "src/tool_decision.ts",
      "src/tool_pairs.ts",
    ],
  },
  { room: "guard_process", holds: ["src/guard_process.ts"] },
  { room: "tool wrapper", holds: ["src/tool_wrapper.ts", "src/tool_mirror.ts"] },
  { room: "session", holds: ["src/session/"] },
  {
    room: "process of an isolated hook",
    holds: [
      "src/isolation/child.ts",
      "src/isolation/child_calls.ts",
      "src/isolation/child_host.ts",
      "src/isolation/replica.ts",
    ],
  },
  { room: "host", holds: ["src/host/"] },
  { room: "agents", holds: ["src/agents/"] },
  { room: "the door", holds: ["mod.ts"] },
  { room: "the door under other names", holds: ["src/host_surface.ts"] },
  { room: "testing", holds: ["src/testing/"] },
  { room: "command line", holds: ["src/cli/"] },
  { room: "program", holds: ["cli.ts"] },
];

/** Where the global `Deno` may be used: everything else gets what it needs handed in. */
const MAY_USE_DENO = ["src/deno/", "src/cli/", "cli.ts"];

/** The longest a file may be. */
const MAX_LINES = 320;

/**
 * A file longer than this needs a test: one that is called like it, one that imports it, or one that
 * `TESTED_BY` names.
 */
const UNTESTED_LINES = 40;

/** Tests, and the files or folders that they go through without importing them. */
const TESTED_BY: Readonly<Record<string, readonly string[]>> = {
  "tests/install_test.ts": [
    "src/agents/settings.ts",
    "src/cli/doctor.ts",
    "src/cli/installed.ts",
    "src/cli/settings_file.ts",
  ],
  "tests/serve_http_test.ts": [
    "src/cli/serve_client.ts",
    "src/cli/serve_files.ts",
    "src/cli/serve_thread.ts",
    "src/cli/serve_token.ts",
    "src/cli/serve_worker.ts",
    "src/cli/stub.ts",
  ],
  "tests/serve_jsonl_test.ts": ["src/cli/serve_jsonl_schema.ts"],
  "tests/serve_test.ts": [
    "src/cli/child_output.ts",
    "src/cli/serve_agent.ts",
    "src/cli/serve_hooks.ts",
    "src/cli/serve_place.ts",
    "src/cli/serve_watchdog.ts",
  ],
  "tests/agents/answer_test.ts": [
    "src/agents/claude.ts",
    "src/agents/codex.ts",
    "src/agents/copilot.ts",
    "src/agents/cursor.ts",
    "src/agents/describe.ts",
    "src/agents/dialect.ts",
    "src/agents/gemini.ts",
    "src/agents/hook_output.ts",
    "src/agents/judge.ts",
    "src/agents/matters.ts",
    "src/agents/opencode.ts",
    "src/agents/payload.ts",
  ],
  "tests/agents/gates_test.ts": ["src/agents/person.ts"],
  "tests/agents/names_test.ts": ["src/agents/arguments.ts", "src/agents/patch.ts"],
  "tests/exec_test.ts": [
    "src/deno/exec_failure.ts",
    "src/deno/output_capture.ts",
    "src/deno/supervise_child.ts",
  ],
  "tests/answers_test.ts": ["src/events/checks.ts", "src/events/fields.ts"],
  "tests/cli_test.ts": [
    "src/cli/command.ts",
    "src/cli/hooks.ts",
    "src/cli/lines.ts",
    "src/cli/list.ts",
    "src/cli/main.ts",
    "src/cli/options.ts",
    "src/cli/protocol.ts",
    "src/cli/run.ts",
    "src/cli/terminal.ts",
  ],
  "tests/cli_check_test.ts": ["src/cli/check.ts", "src/cli/type_check.ts"],
  "tests/cli_emit_test.ts": ["src/cli/describe.ts", "src/cli/input.ts", "src/cli/trace.ts"],
  "tests/compaction_test.ts": ["src/session/context_entries.ts"],
  "tests/cli_replay_test.ts": [
    "src/cli/progress.ts",
    "src/cli/replay.ts",
    "src/cli/replay_answers.ts",
    "src/cli/replay_file.ts",
    "src/cli/replay_files.ts",
    "src/cli/replay_report.ts",
    "src/cli/replay_run.ts",
    "src/cli/replay_side.ts",
  ],
  "tests/cli_trust_test.ts": [
    "src/cli/trust.ts",
    "src/cli/trust_command.ts",
    "src/cli/trust_files.ts",
    "src/cli/trust_store.ts",
  ],
  "tests/agents/read_session_test.ts": ["src/agents/sessions/"],
  "tests/testing_test.ts": ["src/testing/"],
  "tests/interactive_test.ts": [
    "src/cli/external_editor.ts",
    "src/cli/interactive_commands.ts",
    "src/cli/screen_theme.ts",
    "src/cli/screen_ui.ts",
  ],
  "tests/dialogs_test.ts": [
    "src/ui/keys.ts",
    "src/ui/text_editor.ts",
    "src/ui/wrap.ts",
  ],
  "tests/cli_init_test.ts": ["src/cli/init.ts", "src/cli/templates.ts"],
  "tests/discovery_test.ts": ["src/discovery/"],
  "tests/flows_test.ts": [
    "src/session/compaction_flow.ts",
    "src/session/flow_host.ts",
    "src/session/tree_flow.ts",
  ],
  "tests/host_test.ts": ["src/host/"],
  "tests/tools_test.ts": ["src/deno/tools/"],
  "tests/host_packages_test.ts": [
    "src/deno/module_files.ts",
    "src/loader_import.ts",
    "src/loader_node_modules.ts",
  ],
  "tests/loader_test.ts": [
    "src/deno/hook_file.ts",
    "src/import_fault.ts",
    "src/loader_find.ts",
    "src/loader_version.ts",
  ],
  "tests/runner_test.ts": [
    "src/context.ts",
    "src/dispatch.ts",
    "src/dispatch_plain.ts",
    "src/dispatcher.ts",
    "src/handler_lists.ts",
    "src/hook_binding.ts",
    "src/nearest.ts",
    "src/runner_options.ts",
  ],
  "tests/session_branch_test.ts": ["src/session/session_copy.ts", "src/session/session_opening.ts"],
  "tests/session_damage_test.ts": [
    "src/session/index_reading.ts",
    "src/session/parent_links.ts",
    "src/session/record_index.ts",
    "src/session/warnings.ts",
    "src/session/welded.ts",
  ],
  "tests/session_files_test.ts": [
    "src/session/listing.ts",
    "src/session/location.ts",
    "src/session_storage.ts",
  ],
  "tests/session_formats_test.ts": ["src/session/entry_shape.ts"],
  "tests/session_size_test.ts": [
    "src/session/entry_cache.ts",
    "src/session/glance.ts",
    "src/session/lines.ts",
    "src/session/memory_storage.ts",
    "src/session/record_reader.ts",
    "src/session/resume.ts",
  ],
  "tests/session_test.ts": [
    "src/session/line_buffer.ts",
    "src/session/open_session.ts",
    "src/session/readonly_view.ts",
    "src/session/records.ts",
    "src/session/session_reader.ts",
    "src/session/session_writer.ts",
    "src/session/tree.ts",
    "src/session/usage.ts",
  ],
  "tests/isolation_cli_test.ts": ["src/cli/hook_permissions.ts"],
  "tests/isolation_hostile_test.ts": [
    "src/deno/isolation_graph.ts",
    "src/deno/isolation_lines.ts",
    "src/deno/isolation_link.ts",
    "src/deno/isolation_process.ts",
    "src/isolation/",
  ],
  "tests/timeout_abort_test.ts": ["src/handler_scope.ts"],
  "tests/tool_wrapper_test.ts": [
    "src/refused_write.ts",
    "src/tool_decision.ts",
    "src/tool_mirror.ts",
  ],
  "tests/types_test.ts": [
    "src/events/tool_details.ts",
    "src/entries.ts",
    "src/events/agent.ts",
    "src/events/session.ts",
    "src/hook.ts",
    "src/messages.ts",
    "src/ports.ts",
    "src/types.ts",
  ],
};

/** Static imports of `node:` modules that are worth their start-up time. None is. */
const MAY_IMPORT_NODE: readonly string[] = [];

/** What a file may import from a later room with `import()`: hooks are handed the whole door. */
const MAY_REACH_UP: Readonly<Record<string, readonly string[]>> = {
  "src/loader_import.ts": ["mod.ts", "src/host_surface.ts"],
};

const ROOT = new URL("../", import.meta.url).pathname;

type SourceFile = { path: string; text: string; facts: SourceFacts };

/** The source below a folder; paths as seen from the folder of the project. */
async function readSources(folder: string, maxDepth = Infinity): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  const options = { exts: [".ts"], includeDirs: false, maxDepth };
  for await (const entry of walk(join(ROOT, folder), options)) {
    const text = await Deno.readTextFile(entry.path);
    const path = entry.path.slice(ROOT.length);
    files.push({ path, text, facts: readFacts(path, text) });
  }
  return files.sort((a, b) => a.path < b.path ? -1 : 1);
}

function fits(path: string, places: readonly string[]): boolean {
  return places.some((place) => place.endsWith("/") ? path.startsWith(place) : path === place);
}

/** The position of a file's room in the list, or -1. */
function roomOf(path: string): number {
  return ROOMS.findIndex(({ holds }) => fits(path, holds));
}

/** The file that a relative specifier means, as seen from the folder of the project. */
function target(from: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? join(dirname(from), specifier) : undefined;
}

/** Why a file may not import what it imports, one sentence each. */
function explainWrongImports({ path, facts }: Pick<SourceFile, "path" | "facts">): string[] {
  const own = roomOf(path);
  return facts.imports.flatMap(({ specifier, isDynamic }) => {
    const other = target(path, specifier);
    if (other === undefined) return [];
    if (isDynamic && MAY_REACH_UP[path]?.includes(other)) return [];
    const room = roomOf(other);
    if (room < 0) return [`${path} imports ${other}, which has no room in tests/layout_test.ts`];
    if (room <= own) return [];
    return [
      `${path} (${ROOMS[own].room}) imports ${other} (${ROOMS[room].room}), which comes after it`,
    ];
  });
}

function fail(problems: string[]): void {
  assert(problems.length === 0, `\n  ${problems.join("\n  ")}\n`);
}

const sources = [...await readSources("", 1), ...await readSources("src")];
const library = sources.filter(({ path }) => path.startsWith("src/"));
const hooks = await readSources("hooks");

Deno.test("every source file has a room", () => {
  fail(
    sources.filter(({ path }) => roomOf(path) < 0).map(({ path }) =>
      `${path} has no room: add it to ROOMS in tests/layout_test.ts, as early as its imports allow`
    ),
  );
});

Deno.test("every file that has a room exists", () => {
  const files = ROOMS.flatMap(({ holds }) => holds).filter((place) => !place.endsWith("/"));
  const missing = files.filter((file) =>
    file.endsWith(".ts") && !sources.some(({ path }) => path === file)
  );
  fail(missing.map((file) => `${file} is in ROOMS but does not exist`));
});

Deno.test("imports go one way", () => {
  fail(sources.filter(({ path }) => roomOf(path) >= 0).flatMap(explainWrongImports));
});

Deno.test("loader and runner know nothing of each other", () => {
  const apart = ["api", "loader", "discovery"];
  const users = ["runner", "tool wrapper"];
  const problems = sources.filter(({ path }) => users.includes(ROOMS[roomOf(path)]?.room))
    .flatMap(({ path, facts }) =>
      facts.imports.map(({ specifier }) => target(path, specifier))
        .filter((other) => other !== undefined && apart.includes(ROOMS[roomOf(other)]?.room))
        .map((other) => `${path} imports ${other}`)
    );
  fail(problems);
});

Deno.test("only the ports and the command line use Deno", () => {
  fail(
    sources.filter(({ path, facts }) => facts.denoNames.length > 0 && !fits(path, MAY_USE_DENO))
      .map(({ path, facts }) => `${path} uses ${facts.denoNames.join(", ")}`),
  );
});

Deno.test("only the loader imports what it computes", () => {
  fail(
    sources.filter(({ path, facts }) =>
      facts.computedImports.length > 0 && !/^src\/loader[^/]*\.ts$/.test(path)
    ).map(({ path, facts }) => `${path}: ${facts.computedImports.join(", ")}`),
  );
});

Deno.test("only the dispatch calls a handler", () => {
  const callers = sources.filter(({ facts }) => facts.handlerUses.length > 0);
  assertEquals(callers.map(({ path }) => path), ["src/dispatch.ts"]);
});

Deno.test("the library imports nothing but itself, narrow parts of @std, and npm packages lazily", () => {
  const problems = library.filter(({ path }) => !path.startsWith("src/cli/"))
    .flatMap(({ path, facts }) =>
      facts.imports.filter(({ specifier, isTypeOnly, isDynamic }) => {
        if (specifier.startsWith(".") || isTypeOnly) return false;
        if (specifier.startsWith("@std/path")) {
          return !/^@std\/path\/(posix|windows)\/[a-z-]+$/.test(specifier);
        }
        if (specifier.startsWith("@std/")) return !/^@std\/[a-z]+\/[a-z-]+$/.test(specifier);
        return !isDynamic;
      }).map(({ specifier }) => `${path} imports ${specifier}`)
    );
  fail(problems);
});

Deno.test("nothing imports a node: module or uses process at the start, which is slow", () => {
  const problems = sources.filter(({ path }) => !MAY_IMPORT_NODE.includes(path))
    .flatMap(({ path, facts }) => [
      ...facts.imports.filter((one) =>
        one.specifier.startsWith("node:") && !one.isDynamic && !one.isTypeOnly
      ).map(({ specifier }) => `${path} imports ${specifier}: use import() where it is needed`),
      ...facts.processUses > 0 ? [`${path} uses process`] : [],
    ]);
  fail(problems);
});

Deno.test("a ready-made hook imports types only, so that it runs anywhere as a copy", () => {
  assert(hooks.length > 0, "there is no hook in hooks/");
  const problems = hooks.flatMap(({ path, facts }) =>
    facts.imports.filter(({ isTypeOnly, isDynamic }) => !isTypeOnly && !isDynamic)
      .map(({ specifier }) => `${path} imports ${specifier} by value`)
  );
  fail(problems);
});

Deno.test("files in src/ are snake_case, files in hooks/ are kebab-case", () => {
  fail([
    ...library.filter(({ path }) => !/^[a-z0-9_]+\.ts$/.test(basename(path))),
    ...hooks.filter(({ path }) => !/^[a-z0-9-]+\.ts$/.test(basename(path))),
  ].map(({ path }) => path));
});

Deno.test(`no file in src/ is longer than ${MAX_LINES} lines`, () => {
  fail(
    library.map(({ path, text }) => ({ path, lines: text.trimEnd().split("\n").length }))
      .filter(({ lines }) => lines > MAX_LINES)
      .map(({ path, lines }) => `${path} has ${lines} lines: it asks to be two`),
  );
});

Deno.test("every source file of some length has a test", async () => {
  const tests = (await readSources("tests")).filter(({ path }) => path.endsWith("_test.ts"));
  const names = new Set(tests.map(({ path }) => basename(path)));
  const imported = new Set(
    tests.flatMap(({ path, facts }) =>
      facts.imports.map(({ specifier }) => target(path, specifier))
    ),
  );
  const table = Object.entries(TESTED_BY);
  const covered = table.flatMap(([, places]) => places);
  const bare = library.filter(({ path, text }) =>
    text.split("\n").length > UNTESTED_LINES && !imported.has(path) && !fits(path, covered) &&
    !names.has(`${basename(path, ".ts")}_test.ts`)
  );
  fail([
    ...bare.map(({ path }) =>
      `${path} has no tests/${basename(path, ".ts")}_test.ts: write it, ` +
      "or add the file in TESTED_BY to the test that goes through it"
    ),
    ...table.filter(([test]) => !tests.some(({ path }) => path === test))
      .map(([test]) => `TESTED_BY: no ${test}`),
    ...covered.filter((place) => !library.some(({ path }) => fits(path, [place])))
      .map((place) => `TESTED_BY: no ${place}`),
  ]);
});

Deno.test("the reader of sources sees what the rules are about, and not comments or strings", () => {
  const facts = readFacts(
    "x.ts",
    `
    // import "./comment.ts"; Deno.env; process.exit()
    import type { A } from "./a.ts";
    import { type B } from "./b.ts";
    export * from "./c.ts";
    export type { E } from "./e.ts";
    type F = import("./f.ts").F;
    const text = 'Deno.cwd() import("./text.ts") process.exit()';
    const lazy = await import("npm:lazy");
    const other = await import(text);
    globalThis.Deno.exit(process.pid);
    let child: Deno.ChildProcess;
    for (const stored of handlers) await stored.handler.run(event);
    handler.run.call(undefined, event);
    const { run } = handlers[0];
    const { run: other } = this.#runner;
    runner.run();
    `,
  );
  assertEquals(facts, {
    imports: [
      { specifier: "./a.ts", isTypeOnly: true, isDynamic: false },
      { specifier: "./b.ts", isTypeOnly: false, isDynamic: false },
      { specifier: "./c.ts", isTypeOnly: false, isDynamic: false },
      { specifier: "./e.ts", isTypeOnly: true, isDynamic: false },
      { specifier: "./f.ts", isTypeOnly: true, isDynamic: false },
      { specifier: "npm:lazy", isTypeOnly: false, isDynamic: true },
    ],
    computedImports: ["import(text)"],
    denoNames: ["globalThis.Deno", "Deno.ChildProcess"],
    handlerUses: ["stored.handler.run", "handler.run", "{ run } = handlers[0]"],
    processUses: 1,
  });
});

Deno.test("an import against the direction is found, also one of a type", () => {
  const facts = readFacts("x.ts", `import type { HookRunner } from "../runner.ts";`);
  assertEquals(explainWrongImports({ path: "src/events/x.ts", facts }), [
    "src/events/x.ts (events) imports src/runner.ts (runner), which comes after it",
  ]);
});

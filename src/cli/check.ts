/**
 * `pi-hooks check`: says whether hooks load, what they register, and what is odd about them.
 *
 * @module
 */

import type { Command } from "./command.ts";
import { loadHookSet } from "./hooks.ts";
import { listedHook, listText } from "./list.ts";
import { type ParsedOptions, SHARED_OPTIONS, UsageError } from "./options.ts";
import { count, shownLines } from "./show.ts";
import type { Terminal } from "./terminal.ts";
import type { TypeReport } from "./type_check.ts";

/** The command. */
export const checkCommand: Command = {
  name: "check",
  summary: "Load hooks and say what is wrong with them, for people and for CI",
  usage: "pi-hooks check --hook PATH … [--types] [--fail-on warning]",
  details: [
    "Shows the events, commands and renderers of every hook, what did not load and why, and what",
    "looks odd: events that do not exist, hooks that register nothing, files that are shadowed or",
    "skipped. Hooks that a project ships are named, but not imported until they are trusted.",
  ],
  examples: [
    ["Check a hook and its types", "pi-hooks check --hook ./gate.ts --types"],
    ["Check everything that would be loaded here", "pi-hooks check"],
    ["In CI", "pi-hooks check --no-discovery --hook ./gate.ts --types --fail-on warning --json"],
  ],
  options: [
    ...SHARED_OPTIONS,
    { name: "types", about: "Check the types of the hook files with `deno check`" },
    { name: "fail-on", value: "warning", about: "Exit with 1 if there is a warning" },
  ],
  run: check,
};

async function check(options: ParsedOptions, terminal: Terminal): Promise<number> {
  if (options.positionals.length > 0) {
    throw new UsageError(`"${options.positionals[0]}" is not understood; name hooks with --hook`);
  }
  const failsOnWarning = options.choices("fail-on", ["warning"]).length > 0;
  const { loaded, cwd } = await loadHookSet(options, terminal);
  const { hooks, errors, warnings } = loaded;
  let types: TypeReport[] | undefined;
  if (options.has("types")) {
    const { checkTypes } = await import("./type_check.ts");
    types = await checkTypes(hooks, cwd);
  }
  const typeFaults = types?.filter(({ isFine }) => !isFine).length ?? 0;
  const isFine = errors.length === 0 && typeFaults === 0 &&
    (!failsOnWarning || warnings.length === 0);
  if (options.has("json")) {
    const report = {
      isFine,
      hooks: hooks.map(listedHook),
      errors: errors.map(({ path, kind, error }) => ({ path, kind, error })),
      warnings,
      ...types && { types },
    };
    await terminal.write(`${JSON.stringify(report)}\n`);
  } else {
    const { bold, green, red } = terminal.style.out;
    const lines = (types ?? []).map(({ path, isFine, output }) =>
      isFine
        ? `${green("✓")} ${path}: types are fine`
        : `${red("✗")} ${bold(path)}\n${shownLines(output)}`
    );
    const summary = [
      count(hooks.length, "hook"),
      count(errors.length, "not loaded", "not loaded"),
      ...types ? [count(typeFaults, "with wrong types", "with wrong types")] : [],
      count(warnings.length, "warning"),
    ].join(", ");
    const mark = isFine ? green("✓") : red("✗");
    await terminal.write(
      [listText(loaded, terminal.style.out), ...lines, `${mark} ${summary}`, ""].join("\n"),
    );
  }
  return isFine ? 0 : 1;
}

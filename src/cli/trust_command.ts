/**
 * `pi-hooks trust` and `pi-hooks untrust`: the recorded choice for the hooks of a project.
 *
 * @module
 */

import type { Command } from "./command.ts";
import { isFolder } from "./serve_hooks.ts";
import { type ParsedOptions, SHARED_OPTIONS, UsageError } from "./options.ts";
import { count, shown } from "./show.ts";
import type { Terminal } from "./terminal.ts";
import { realFolder, trustOf } from "./trust.ts";
import { trustedFiles } from "./trust_files.ts";
import { readTrust, writeTrust } from "./trust_store.ts";

const WANTED = ["cwd", "json", "no-color", "help", "version"];
const OPTIONS = SHARED_OPTIONS.filter(({ name }) => WANTED.includes(name));

/** The command that says yes. */
export const trustCommand: Command = {
  name: "trust",
  summary: "Let the hooks that a project folder ships be loaded from now on",
  usage: "pi-hooks trust [DIR | list]",
  details: [
    "The choice holds for the hook files of the folder and for every file that they import, as they",
    "are now (SHA-256). If one changes, comes or goes, the folder is not trusted any more until you",
    "say so again. It is kept in ~/.pi-hooks/trust.json, or where PI_HOOKS_HOME says. Files that are",
    "named only at run time, and code from the net, cannot be covered; it is said if there are any.",
    "Nothing is imported by this command. --trust on other commands is for one run.",
  ],
  examples: [
    ["Trust the current folder", "pi-hooks trust"],
    ["See what is trusted, and what has changed", "pi-hooks trust list"],
    ["See first what there is", "pi-hooks check && pi-hooks trust"],
  ],
  options: OPTIONS,
  async run(options, terminal) {
    if (options.positionals[0] === "list" && options.positionals.length === 1) {
      return await list(options, terminal);
    }
    const folder = folderOf(options);
    const { hooks, hashes, unseen } = await trustedFiles(folder);
    if (hooks.length === 0) {
      throw new UsageError(`${folder} ships no hooks: there is nothing to trust`);
    }
    const records = await readTrust();
    records[folder] = { trustedAt: new Date().toISOString(), files: hashes };
    await writeTrust(records);
    if (options.has("json")) {
      await terminal.write(`${JSON.stringify({ folder, hooks, files: hashes, unseen })}\n`);
      return 0;
    }
    const { green, dim, yellow } = terminal.style.out;
    const files = Object.entries(hashes).map(([path, hash]) =>
      `  ${dim(hash.slice(0, 12))}  ${shown(path)}${
        hooks.includes(path) ? "" : dim("  (imported)")
      }`
    );
    await terminal.write([
      `${green("✓")} ${shown(folder)} is trusted: ${count(files.length, "file")}`,
      ...files,
      ...unseen.map((text) => `${yellow("!")} not covered: ${shown(text)}`),
      "",
    ].join("\n"));
    return 0;
  },
};

/** The command that takes it back. */
export const untrustCommand: Command = {
  name: "untrust",
  summary: "Take back that the hooks of a project folder may be loaded",
  usage: "pi-hooks untrust [DIR]",
  details: ["The folder need not exist any more."],
  examples: [
    ["No longer trust the current folder", "pi-hooks untrust"],
    ["Nor another one", "pi-hooks untrust ~/src/project"],
    ["See what is left", "pi-hooks trust list"],
  ],
  options: OPTIONS,
  async run(options, terminal) {
    const folder = folderOf(options, true);
    const records = await readTrust();
    const wasTrusted = Object.hasOwn(records, folder);
    if (wasTrusted) {
      delete records[folder];
      await writeTrust(records);
    }
    await terminal.write(
      options.has("json")
        ? `${JSON.stringify({ folder, wasTrusted })}\n`
        : `${shown(folder)} is ${wasTrusted ? "no longer" : "not"} trusted\n`,
    );
    return 0;
  },
};

async function list(options: ParsedOptions, terminal: Terminal): Promise<number> {
  const folders = [];
  for (const [folder, { trustedAt }] of Object.entries(await readTrust())) {
    const state = await trustOf(folder);
    const changes = state.kind === "changed" ? state.changes : [];
    folders.push({ folder, trustedAt, isTrusted: state.kind === "trusted", changes });
  }
  if (options.has("json")) {
    await terminal.write(`${JSON.stringify(folders)}\n`);
    return 0;
  }
  const { green, yellow, dim } = terminal.style.out;
  const lines = folders.flatMap(({ folder, trustedAt, isTrusted, changes }) => [
    `${isTrusted ? green("✓") : yellow("!")} ${shown(folder)} ${dim(shown(trustedAt))}`,
    ...changes.map((change) => `  ${shown(change)}`),
  ]);
  await terminal.write(`${(lines.length > 0 ? lines : ["No folder is trusted."]).join("\n")}\n`);
  return 0;
}

function folderOf(options: ParsedOptions, mayBeGone = false): string {
  const [given, ...rest] = options.positionals;
  if (rest.length > 0) throw new UsageError(`One folder at a time, not also "${rest[0]}"`);
  const folder = given ?? options.value("cwd") ?? Deno.cwd();
  if (!mayBeGone && !isFolder(folder)) throw new UsageError(`There is no folder "${folder}"`);
  return folder.startsWith("/") || isFolder(folder)
    ? realFolder(folder)
    : `${Deno.cwd()}/${folder}`;
}

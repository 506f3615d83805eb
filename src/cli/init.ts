/**
 * `pi-hooks init`: the files to begin a hook with.
 *
 * @module
 */

import type { Command } from "./command.ts";
import { fileFault, InputError } from "./input.ts";
import { SHARED_OPTIONS, UsageError } from "./options.ts";
import { shown } from "./show.ts";
import { denoConfig, hookSource, testCommand, testSource } from "./templates.ts";

const WANTED = ["cwd", "json", "no-color", "help", "version"];

/** The command. */
export const initCommand: Command = {
  name: "init",
  summary: "Write a hook, a test for it and a deno.json to begin with",
  usage: "pi-hooks init [NAME] [--cwd DIR]",
  details: [
    "NAME is made of small letters, digits and dashes; without one it is my-hook. What is already",
    "there stays as it is. Afterwards `deno test` tests the hook, and `pi-hooks check` looks at it.",
  ],
  examples: [
    ["A hook called my-hook, in this folder", "pi-hooks init"],
    ["Another one", "pi-hooks init protect-main"],
    ["In a folder of its own", "mkdir hooks && pi-hooks init no-secrets --cwd hooks"],
  ],
  options: SHARED_OPTIONS.filter(({ name }) => WANTED.includes(name)),
  async run(options, terminal) {
    const [name = "my-hook", ...rest] = options.positionals;
    if (rest.length > 0) throw new UsageError(`One hook at a time, not also "${rest[0]}"`);
    if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name)) {
      throw new UsageError(
        `"${name}" is no name for a hook: it takes small letters, digits and dashes, as in my-hook`,
      );
    }
    const folder = options.value("cwd") ?? ".";
    const files = {
      [`${name}.ts`]: hookSource(name),
      [`${name}_test.ts`]: testSource(name),
      "deno.json": denoConfig(),
    };
    const written: string[] = [];
    const kept: string[] = [];
    for (const [file, text] of Object.entries(files)) {
      const hasOther = file === "deno.json" && await exists(`${folder}/deno.jsonc`);
      const isNew = !hasOther && await writeNew(`${folder}/${file}`, text);
      (isNew ? written : kept).push(file);
    }
    if (options.has("json")) {
      await terminal.write(`${JSON.stringify({ written, kept })}\n`);
      return 0;
    }
    const { green, yellow, cyan, dim } = terminal.style.out;
    const at = folder === "." ? "." : folder.replace(/\/+$/, "");
    await terminal.write([
      ...written.map((file) => `${green("✓")} ${shown(`${at}/${file}`)}`),
      ...kept.map((file) =>
        `${yellow("!")} ${shown(`${at}/${file}`)} was there and stays as it is`
      ),
      ...kept.includes("deno.json")
        ? [dim(`  it needs: ${JSON.stringify(JSON.parse(denoConfig()).imports)}`)]
        : [],
      "",
      `Next: ${cyan(`${testCommand()} ${at}/${name}_test.ts`)}, then ${
        cyan(`pi-hooks check --hook ${at}/${name}.ts --types`)
      }`,
      "",
    ].join("\n"));
    return 0;
  },
};

/** Writes a file if there is none; never over one that somebody has made meanwhile. */
async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    await Deno.writeTextFile(path, text, { createNew: true });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw new InputError(`Cannot write ${path}: ${fileFault(error)}`);
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

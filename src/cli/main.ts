/**
 * From arguments to an exit code.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import { checkCommand } from "./check.ts";
import { type Command, helpText } from "./command.ts";
import { completionsCommand } from "./completions.ts";
import { doctorCommand } from "./doctor.ts";
import { emitCommand } from "./emit.ts";
import { initCommand } from "./init.ts";
import { InputError } from "./input.ts";
import { installCommand, uninstallCommand } from "./install.ts";
import { nearest } from "../nearest.ts";
import { parseOptions, UsageError } from "./options.ts";
import { replayCommand } from "./replay.ts";
import { runCommand } from "./run.ts";
import { serveCommand } from "./serve.ts";
import { ClosedOutputError, processTerminal, type Terminal } from "./terminal.ts";
import { trustCommand, untrustCommand } from "./trust_command.ts";

/** All commands; the first one is meant when none is named. */
const COMMANDS: readonly Command[] = [
  runCommand,
  checkCommand,
  emitCommand,
  replayCommand,
  serveCommand,
  trustCommand,
  untrustCommand,
  initCommand,
  completionsCommand(() => COMMANDS),
  installCommand,
  uninstallCommand,
  doctorCommand,
];

/**
 * Runs the command line.
 *
 * @param args The arguments.
 * @returns The exit code.
 */
export async function main(args: readonly string[]): Promise<number> {
  const terminal = processTerminal(!args.includes("--no-color"));
  watchLateFaults(terminal);
  try {
    return await runNamed(args, terminal);
  } catch (thrown) {
    if (thrown instanceof ClosedOutputError) return 0;
    if (thrown instanceof UsageError) {
      terminal.tell(`${terminal.style.err.red("error:")} ${thrown.message}`);
      terminal.tell("See pi-hooks --help");
      return 2;
    }
    if (thrown instanceof InputError) {
      terminal.tell(`${terminal.style.err.red("error:")} ${thrown.message}`);
      return 3;
    }
    const text = thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
    terminal.tell(`${terminal.style.err.red("internal fault:")} ${text}`);
    return 4;
  }
}

async function runNamed(args: readonly string[], terminal: Terminal): Promise<number> {
  const named = COMMANDS.find(({ name }) => name === args[0]);
  if (named === undefined) refuseSlip(args);
  const command = named ?? COMMANDS[0];
  const options = parseOptions(named === undefined ? args : args.slice(1), command.options);
  if (options.has("help")) {
    await terminal.write(helpText(command, COMMANDS, terminal.style.out));
    return 0;
  }
  if (options.has("version")) {
    await terminal.write(`pi-hooks ${config.version}\n`);
    return 0;
  }
  return await command.run(options, terminal);
}

/** Says which command was probably meant, if one is near. */
function refuseSlip(args: readonly string[]): void {
  const names = COMMANDS.map(({ name }) => name);
  const [first = "-"] = args;
  const meant = first.startsWith("-") ? undefined : nearest(first, names);
  if (meant !== undefined) {
    throw new UsageError(`There is no command "${first}". Did you mean ${meant}?`);
  }
}

/** A hook that fails in a timer or an unawaited promise does not take the answers with it. */
function watchLateFaults(terminal: Terminal): void {
  const tell = (event: Event, thrown: unknown) => {
    event.preventDefault();
    const text = thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
    terminal.tell(`${terminal.style.err.red("error:")} a hook failed late: ${text}`);
  };
  addEventListener("unhandledrejection", (event) => tell(event, event.reason));
  addEventListener("error", (event) => tell(event, event.error));
}

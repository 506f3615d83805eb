/**
 * From arguments to an exit code.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import { nearest } from "../nearest.ts";
import { type Command, helpText } from "./command.ts";
import { InputError } from "./input.ts";
import { parseOptions, UsageError } from "./options.ts";
import { ClosedOutputError, processTerminal, type Terminal } from "./terminal.ts";

/**
 * All commands by name; the first one is meant when none is named. Only the one that is wanted is
 * loaded: an agent starts this program for every tool call.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import("./run.ts")).runCommand,
  check: async () => (await import("./check.ts")).checkCommand,
  emit: async () => (await import("./emit.ts")).emitCommand,
  replay: async () => (await import("./replay.ts")).replayCommand,
  serve: async () => (await import("./serve.ts")).serveCommand,
  trust: async () => (await import("./trust_command.ts")).trustCommand,
  untrust: async () => (await import("./trust_command.ts")).untrustCommand,
  init: async () => (await import("./init.ts")).initCommand,
  completions: async () => {
    const { completionsCommand } = await import("./completions.ts");
    const others = Object.entries(COMMANDS).filter(([name]) => name !== "completions");
    const commands = await Promise.all(others.map(([, load]) => load()));
    const command: Command = completionsCommand(() => [...commands, command]);
    return command;
  },
  install: async () => (await import("./install.ts")).installCommand,
  uninstall: async () => (await import("./install.ts")).uninstallCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
};

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
  const [first] = args;
  const isNamed = first !== undefined && Object.hasOwn(COMMANDS, first);
  if (!isNamed) refuseSlip(args);
  const command = await COMMANDS[isNamed ? first : "run"]();
  const options = parseOptions(isNamed ? args.slice(1) : args, command.options);
  if (options.has("help")) {
    const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
    await terminal.write(helpText(command, commands, terminal.style.out));
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
  const names = Object.keys(COMMANDS);
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

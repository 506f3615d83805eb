/**
 * What a command is, and how it explains itself.
 *
 * @module
 */

import type { OptionSpec, ParsedOptions } from "./options.ts";
import type { Style, Terminal } from "./terminal.ts";

/** A command of the command line. */
export interface Command {
  /** Its name. */
  name: string;
  /** What it does, in one line. */
  summary: string;
  /** How it is called. */
  usage: string;
  /** What else there is to know, line by line. */
  details: readonly string[];
  /** Three examples: what for, and the command. */
  examples: readonly (readonly [string, string])[];
  /** Its options. */
  options: readonly OptionSpec[];
  /** Does it. */
  run(options: ParsedOptions, terminal: Terminal): Promise<number>;
}

/** The exit codes of all commands. */
export const EXIT_CODES: readonly (readonly [number, string])[] = [
  [0, "fine"],
  [1, "a hook failed to load, or what --fail-on names has happened"],
  [2, "wrong usage"],
  [3, "input that cannot be read"],
  [4, "an internal fault"],
  [130, "stopped by SIGINT (143: by SIGTERM)"],
];

/**
 * The help of a command.
 *
 * @param command The command.
 * @param others All commands, for the overview.
 * @param style Marks for the text.
 */
export function helpText(command: Command, others: readonly Command[], style: Style): string {
  const { bold, cyan, dim } = style;
  const options = command.options.map((option) => {
    const names = [option.name, ...option.aliases ?? []]
      .map((name) => (name.length === 1 ? `-${name}` : `--${name}`));
    const left = `${names.join(", ")}${option.value ? ` ${option.value}` : ""}`;
    return [left, option.about] as const;
  });
  const width = Math.max(...options.map(([left]) => left.length));
  return [
    `${bold("pi-hooks")}: hooks for coding agents`,
    "",
    command.summary,
    "",
    bold("Usage"),
    `  ${command.usage}`,
    "",
    ...command.details,
    "",
    bold("Examples"),
    ...command.examples.flatMap(([what, line]) => [`  ${dim(`# ${what}`)}`, `  ${cyan(line)}`]),
    "",
    bold("Options"),
    ...options.map(([left, about]) => `  ${left.padEnd(width)}  ${about}`),
    "",
    ...others.length > 1
      ? [
        bold("Commands"),
        ...others.map(({ name, summary }) => `  ${name.padEnd(12)}  ${summary}`),
        "",
      ]
      : [],
    bold("Exit codes"),
    ...EXIT_CODES.map(([code, meaning]) => `  ${String(code).padEnd(4)}${meaning}`),
    "",
  ].join("\n");
}

/**
 * Options of the command line: one table, from which parsing and help are made.
 *
 * @module
 */

import { nearest } from "../nearest.ts";

/** An option. */
export interface OptionSpec {
  /** Its name, without the dashes. */
  name: string;
  /** Other names for it; one letter for a short one. */
  aliases?: readonly string[];
  /** What stands behind it, as it is shown in the help; absent for a switch. */
  value?: string;
  /** Whether it may be given more than once. */
  isRepeatable?: boolean;
  /** What it does. */
  about: string;
}

/** The command line was used wrongly; exit code 2. */
export class UsageError extends Error {
  /** Always `"UsageError"`. */
  override readonly name = "UsageError";
}

/** What stood on the command line. */
export class ParsedOptions {
  /** What was no option. */
  readonly positionals: string[] = [];
  readonly #values = new Map<string, string[]>();

  /** Takes an option in. */
  add(spec: OptionSpec, value: string): void {
    const values = this.#values.get(spec.name) ?? [];
    if (values.length > 0 && spec.value !== undefined && !spec.isRepeatable) {
      throw new UsageError(`--${spec.name} can be given only once`);
    }
    this.#values.set(spec.name, [...values, value]);
  }

  /** Whether an option was given. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** The value of an option that was given once. */
  value(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  /** The values of an option that may be given more than once. */
  values(name: string): string[] {
    return this.#values.get(name) ?? [];
  }

  /**
   * The words of an option, given once with commas or several times.
   *
   * @param name The option.
   * @param known The words there are.
   * @throws {UsageError} If a word is none of them.
   */
  choices<T extends string>(name: string, known: readonly T[]): T[] {
    return this.values(name).flatMap((value) => value.split(",")).map((word) => {
      const found = known.find((one) => one === word.trim());
      if (found !== undefined) return found;
      const near = nearest(word, known);
      const hint = near === undefined ? "" : `. Did you mean ${near}?`;
      throw new UsageError(`--${name} takes ${known.join(", ")}, not "${word}"${hint}`);
    });
  }

  /**
   * The value of an option as a whole number.
   *
   * @throws {UsageError} If it is none.
   */
  wholeNumber(name: string): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (!/^\d+$/.test(value)) {
      throw new UsageError(`--${name} needs a whole number, not "${value}"`);
    }
    return Number(value);
  }
}

/** Options that every command has. */
export const SHARED_OPTIONS: readonly OptionSpec[] = [
  {
    name: "hook",
    aliases: ["extension", "e"],
    value: "PATH",
    isRepeatable: true,
    about: "Load this hook file; may be repeated",
  },
  { name: "cwd", value: "DIR", about: "Work in this folder (default: the current one)" },
  { name: "no-discovery", about: "Do not look for hooks in the folders of agents" },
  { name: "trust", about: "Load the hooks that this project folder ships, for this run" },
  {
    name: "isolate",
    about: "Run each hook in a process of its own, with the permissions its head asks for",
  },
  {
    name: "timeout",
    value: "MS",
    about: "Time limit of a handler (30000 with --isolate); stops while a person is asked",
  },
  { name: "json", about: "Write answers that a program can read" },
  { name: "trace", about: "Say what became of every handler" },
  { name: "log", value: "FILE", about: "Append what hooks log to this file" },
  { name: "no-color", about: "Write without colours (NO_COLOR does the same)" },
  { name: "help", aliases: ["h"], about: "Show this help" },
  { name: "version", about: "Show the version" },
];

/**
 * Reads the arguments of a command.
 *
 * @param args The arguments, without the command itself.
 * @param specs The options it has.
 * @throws {UsageError} If something is not understood; the text says what was probably meant.
 */
export function parseOptions(
  args: readonly string[],
  specs: readonly OptionSpec[],
): ParsedOptions {
  const byName = new Map<string, OptionSpec>();
  for (const spec of specs) {
    for (const name of [spec.name, ...spec.aliases ?? []]) byName.set(name, spec);
  }
  const parsed = new ParsedOptions();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === "--") {
      parsed.positionals.push(...args.slice(i + 1));
      break;
    }
    if (!arg.startsWith("-") || arg === "-") {
      parsed.positionals.push(arg);
      continue;
    }
    const [, dashes, name, inline] = /^(--?)([^=]*)(?:=(.*))?$/s.exec(arg)!;
    const spec = byName.get(name);
    if (spec === undefined || (dashes === "--") === (name.length === 1)) {
      throw new UsageError(`Unknown option ${dashes}${name}${guess(name, byName.keys())}`);
    }
    if (spec.value === undefined) {
      if (inline !== undefined) throw new UsageError(`${dashes}${name} takes no value`);
      parsed.add(spec, "");
      continue;
    }
    const value = inline ?? args[++i];
    if (value === undefined) throw new UsageError(`${dashes}${name} needs a ${spec.value}`);
    parsed.add(spec, value);
  }
  return parsed;
}

function guess(name: string, known: Iterable<string>): string {
  const near = nearest(name, [...known].filter((one) => one.length > 1));
  return near === undefined ? "" : `. Did you mean --${near}?`;
}

/**
 * `pi-hooks completions`: what a shell needs to complete commands and options. All of it is made of
 * the tables that the command line itself is read with.
 *
 * @module
 */

import { HOOK_EVENT_NAMES } from "../../mod.ts";
import type { Command } from "./command.ts";
import { type OptionSpec, SHARED_OPTIONS, UsageError } from "./options.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = typeof SHELLS[number];

/**
 * Makes the command.
 *
 * @param commands Gives all commands, this one too.
 */
export function completionsCommand(commands: () => readonly Command[]): Command {
  return {
    name: "completions",
    summary: "Write what a shell needs to complete commands and options",
    usage: "pi-hooks completions bash|zsh|fish",
    details: ["Commands, options, their values, events and files are completed."],
    examples: [
      ["bash", 'eval "$(pi-hooks completions bash)"'],
      ["zsh, in a folder of fpath", "pi-hooks completions zsh > ~/.zfunc/_pi-hooks"],
      ["fish", "pi-hooks completions fish > ~/.config/fish/completions/pi-hooks.fish"],
    ],
    options: SHARED_OPTIONS.filter(({ name }) => ["help", "version", "no-color"].includes(name)),
    async run(options, terminal) {
      const [given, ...rest] = options.positionals;
      const shell = SHELLS.find((one) => one === given);
      if (shell === undefined || rest.length > 0) {
        throw new UsageError(`Which shell? Name one of ${SHELLS.join(", ")}`);
      }
      await terminal.write(completionScript(shell, commands()));
      return 0;
    },
  };
}

/**
 * The script for a shell.
 *
 * @param shell The shell.
 * @param commands The commands; the first one is meant when none is named.
 */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  const write = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return write[shell](commands);
}

/** The words that may stand behind an option; `undefined` for files. */
function choicesOf({ value = "" }: OptionSpec): string[] | undefined {
  if (/^[a-z]+(?:\|[a-z]+)*$/.test(value)) return value.split("|");
  return /PATH|DIR|FILE|HOOK/.test(value) ? undefined : [];
}

/** The words that may stand behind a command; `undefined` for files. */
function argumentsOf({ name }: Command): readonly string[] | undefined {
  if (name === "emit") return HOOK_EVENT_NAMES;
  if (name === "completions") return SHELLS;
  return name === "check" || name === "run" ? [] : undefined;
}

function flagsOf({ name, aliases = [] }: OptionSpec): string[] {
  return [name, ...aliases].map((one) => one.length === 1 ? `-${one}` : `--${one}`);
}

function bashScript(commands: readonly Command[]): string {
  const [fallback] = commands;
  const files = '$(compgen -f -- "$cur")';
  const words = (list: readonly string[]) => `$(compgen -W ${quote(list.join(" "))} -- "$cur")`;
  const cases = commands.map((command) => {
    const values = command.options.filter(({ value }) => value !== undefined).map((option) => {
      const choices = choicesOf(option);
      const reply = choices === undefined ? files : words(choices);
      return `        ${flagsOf(option).join("|")}) COMPREPLY=(${reply}); return ;;`;
    });
    const rest = argumentsOf(command);
    return `    ${command.name})
      case $prev in
${values.join("\n")}
      esac
      if [[ $cur == -* ]]; then
        COMPREPLY=(${words(command.options.flatMap(flagsOf))})
      else
        COMPREPLY=(${rest === undefined ? files : words(rest)})
      fi ;;`;
  });
  const names = commands.map(({ name }) => name);
  return `# Completion of pi-hooks for bash
_pi_hooks() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local command=\${COMP_WORDS[1]}
  if [[ $COMP_CWORD -eq 1 && $cur != -* ]]; then
    COMPREPLY=(${words(names)})
    return
  fi
  case $command in
    ${names.join("|")}) ;;
    *) command=${fallback.name} ;;
  esac
  case $command in
${cases.join("\n")}
  esac
}
complete -o filenames -F _pi_hooks pi-hooks
`;
}

function zshScript(commands: readonly Command[]): string {
  const [fallback] = commands;
  const plain = (text: string) => text.replaceAll(/[[\]:\\]/g, "\\$&");
  const cases = commands.map((command) => {
    const options = command.options.flatMap((option) => {
      const choices = choicesOf(option);
      const action = choices === undefined ? "_files" : `(${choices.join(" ")})`;
      const value = option.value === undefined ? "" : `:${plain(option.value)}:${action}`;
      const again = option.isRepeatable ? "*" : "";
      return flagsOf(option).map((flag) =>
        quote(`${again}${flag}[${plain(option.about)}]${value}`)
      );
    });
    const rest = argumentsOf(command);
    const action = rest === undefined ? "_files" : `(${rest.join(" ")})`;
    return `    ${command.name}) _arguments ${options.join(" ")} ${
      quote(`*::argument:${action}`)
    } ;;`;
  });
  const names = commands.map(({ name, summary }) => quote(`${plain(name)}:${summary}`));
  return `#compdef pi-hooks
# Completion of pi-hooks for zsh
_pi_hooks() {
  local command=$words[2]
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    local -a commands=(${names.join(" ")})
    _describe command commands
    return
  fi
  case $command in
    ${commands.map(({ name }) => name).join("|")}) shift words; (( CURRENT-- )) ;;
    *) command=${fallback.name} ;;
  esac
  case $command in
${cases.join("\n")}
  esac
}
_pi_hooks "$@"
`;
}

function fishScript(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const lines = [
    "# Completion of pi-hooks for fish",
    "complete -c pi-hooks -f",
    ...commands.map(({ name, summary }) =>
      `complete -c pi-hooks -n "not __fish_seen_subcommand_from ${names}" -a ${name} -d ${
        quote(summary)
      }`
    ),
  ];
  for (const [index, command] of commands.entries()) {
    const seen = `__fish_seen_subcommand_from ${command.name}`;
    // The first command is meant when none is named.
    const when = index === 0 ? `${seen}; or not __fish_seen_subcommand_from ${names}` : seen;
    for (const option of command.options) {
      const choices = choicesOf(option);
      const flags = flagsOf(option).map((flag) =>
        flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`
      );
      const value = option.value === undefined
        ? ""
        : choices === undefined
        ? " -r -F"
        : ` -x -a ${quote(choices.join(" "))}`;
      lines.push(
        `complete -c pi-hooks -n "${when}" ${flags.join(" ")}${value} -d ${quote(option.about)}`,
      );
    }
    const rest = argumentsOf(command);
    if (rest === undefined) lines.push(`complete -c pi-hooks -n "${seen}" -F`);
    else if (rest.length > 0) {
      lines.push(`complete -c pi-hooks -n "${seen}" -a ${quote(rest.join(" "))}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

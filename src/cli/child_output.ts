/**
 * Keeps programs that hooks start away from standard output.
 *
 * A child process that inherits standard output would write into the middle of an answer. From now
 * on "inherit" means standard error for it. Programs that are started through `node:child_process`
 * are out of reach: for them the answer can be sent another way, see `--answer-to` of `serve`.
 *
 * @module
 */

/** The resource of standard error; Deno takes its number where the types know words only. */
const STANDARD_ERROR = 2 as unknown as "inherit";

/** Sends what children would write to an inherited standard output to standard error. */
export function sendChildOutputToStandardError(): void {
  const Original = Deno.Command;
  Deno.Command = class Command extends Original {
    readonly #command: string | URL;
    readonly #options: Deno.CommandOptions;

    constructor(command: string | URL, options: Deno.CommandOptions = {}) {
      super(
        command,
        options.stdout === "inherit" ? { ...options, stdout: STANDARD_ERROR } : options,
      );
      this.#command = command;
      this.#options = options;
    }

    override spawn(): Deno.ChildProcess {
      const { stdout = "inherit" } = this.#options;
      if (stdout !== "inherit") return super.spawn();
      return new Original(this.#command, { ...this.#options, stdout: STANDARD_ERROR }).spawn();
    }
  };
}

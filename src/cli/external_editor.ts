/**
 * Lets a person write a text in the program of their choice.
 *
 * @module
 */

import type { Screen } from "./screen.ts";

/**
 * Opens `$VISUAL` or `$EDITOR` with a text, and waits until it is closed.
 *
 * @param screen Is lent to the program.
 * @param text The text to begin with.
 * @returns The text as it was saved; `undefined` if there is no such program, or it fails.
 */
export async function editInProgram(screen: Screen, text: string): Promise<string | undefined> {
  const program = Deno.env.get("VISUAL") || Deno.env.get("EDITOR");
  if (!program) {
    screen.print("Set VISUAL or EDITOR to write in a program of your own.");
    return undefined;
  }
  const folder = await Deno.makeTempDir({ prefix: "pi-hooks-edit-" });
  const file = `${folder}/text.md`;
  try {
    await Deno.writeTextFile(file, text, { mode: 0o600 });
    const [command, ...args] = program.split(/\s+/);
    const { success } = await screen.lend(() =>
      new Deno.Command(command, {
        args: [...args, file],
        stdin: "inherit",
        stdout: "inherit",
        stderr: "inherit",
      }).output()
    );
    return success ? (await Deno.readTextFile(file)).replace(/\n$/, "") : undefined;
  } catch (error) {
    screen.print(`${program} cannot be started: ${(error as Error).message}`);
    return undefined;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

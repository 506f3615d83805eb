#!/usr/bin/env -S deno run -A
/**
 * The command line: runs hooks without an agent.
 *
 * ```sh
 * deno run -A cli.ts --hook ./x.ts < events.jsonl
 * ```
 *
 * @module
 */

import { main } from "./src/cli/main.ts";

// Ends the process in words: a hook that never finishes loading would turn the exit code into 1.
if (import.meta.main) Deno.exit(await main(Deno.args));

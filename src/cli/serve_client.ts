/**
 * Asks a resident process how it is, or stops it.
 *
 * @module
 */

import type { ParsedOptions } from "./options.ts";
import { addressOf } from "./serve_http.ts";
import { serviceToken } from "./serve_token.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Asks, and shows the answer.
 *
 * @param options The options: where, and `--status` or `--stop`.
 * @param terminal Where the answer goes.
 * @returns 0 if it answered, 1 if nobody did.
 */
export async function askResident(options: ParsedOptions, terminal: Terminal): Promise<number> {
  const address = addressOf(options);
  const headers = { authorization: `Bearer ${await serviceToken()}` };
  const [method, path] = options.has("stop") ? ["POST", "/stop"] : ["GET", "/status"];
  using client = "path" in address
    ? Deno.createHttpClient({ proxy: { transport: "unix", path: address.path } })
    : Deno.createHttpClient({});
  const host = "path" in address
    ? "localhost"
    : `${
      address.hostname.includes(":") ? `[${address.hostname}]` : address.hostname
    }:${address.port}`;
  let response: Response;
  try {
    const signal = AbortSignal.timeout(10_000);
    response = await fetch(`http://${host}${path}`, { method, headers, client, signal });
  } catch (error) {
    terminal.tell(`Nobody answers there: ${(error as Error).message}`);
    return 1;
  }
  await terminal.write(`${(await response.text()).trim()}\n`);
  return response.ok ? 0 : 1;
}

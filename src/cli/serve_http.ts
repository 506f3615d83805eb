/**
 * `pi-hooks serve --http` and `--socket`: a process that stays, with the hooks loaded once.
 *
 * @module
 */

import { agentNamed, AGENTS } from "../agents/agents.ts";
import type { Agent, AgentAnswer } from "../agents/dialect.ts";
import { refusal } from "../agents/judge.ts";
import type { ParsedOptions } from "./options.ts";
import { UsageError } from "./options.ts";
import { DEFAULT_LIMIT_MS } from "./serve_agent.ts";
import { baseFolder, chosenHooks } from "./serve_hooks.ts";
import { PAYLOAD_LIMITS, readDocument } from "./serve_input.ts";
import { HookThreads } from "./serve_thread.ts";
import { isSameToken, serviceToken } from "./serve_token.ts";
import type { Terminal } from "./terminal.ts";

/** Where a resident process listens. */
export type Address = { path: string } | { hostname: string; port: number };

/** How long hooks may take to hear that it is over, in milliseconds. */
const LEAVE_MS = 3_000;

/**
 * Reads the options that say where to listen.
 *
 * @param options The options.
 * @throws {UsageError} If it would not be this machine alone.
 */
export function addressOf(options: ParsedOptions): Address {
  const path = options.value("socket");
  if (path !== undefined) return { path };
  const given = options.value("http") ?? "";
  const [, hostname, port] = /^(127\.0\.0\.1|localhost|\[::1\]):(\d+)$/.exec(given) ?? [];
  if (hostname === undefined) {
    throw new UsageError(
      `--http needs an address of this machine, such as 127.0.0.1:8123, not "${given}"`,
    );
  }
  return { hostname: hostname.replace(/[[\]]/g, ""), port: Number(port) };
}

/**
 * Serves until it is stopped.
 *
 * @param options The options.
 * @param terminal Is told where it listens.
 * @returns The exit code.
 */
export async function serveResident(options: ParsedOptions, terminal: Terminal): Promise<number> {
  const address = addressOf(options);
  const token = await serviceToken();
  const base = baseFolder(options, []);
  const limitMs = options.wholeNumber("timeout") ?? DEFAULT_LIMIT_MS;
  const threads = new HookThreads(chosenHooks(options, base));
  const stopping = Promise.withResolvers<number>();
  const service = new Service(threads, token, limitMs, address, () => stopping.resolve(0));
  const signals = [["SIGINT", 130], ["SIGTERM", 143]] as const;
  for (const [signal, code] of signals) {
    Deno.addSignalListener(signal, () => stopping.resolve(code));
  }
  const listening = Promise.withResolvers<void>();
  const server = await listen(address, (request) => service.handle(request), listening.resolve);
  await listening.promise;
  const { faults, warnings } = await threads.state();
  for (const line of [...faults, ...warnings]) terminal.tell(line);
  const { addr } = server;
  await terminal.write(
    "hostname" in addr
      ? `listening on http://${
        addr.hostname.includes(":") ? `[${addr.hostname}]` : addr.hostname
      }` +
        `:${addr.port}\n`
      : `listening on ${(address as { path: string }).path}\n`,
  );
  const code = await stopping.promise;
  // Callers may keep their connections for later; only answers are waited for.
  void server.shutdown();
  await threads.leave(LEAVE_MS);
  await service.idle();
  if ("path" in address) await Deno.remove(address.path).catch(() => {});
  return code;
}

async function listen(
  address: Address,
  handler: (request: Request) => Promise<Response>,
  onListen: () => void,
): Promise<Deno.HttpServer<Deno.Addr>> {
  try {
    if (!("path" in address)) return Deno.serve({ ...address, onListen }, handler);
    await removeStaleSocket(address.path);
    const server = Deno.serve({ path: address.path, onListen }, handler);
    await Deno.chmod(address.path, 0o600);
    return server as Deno.HttpServer<Deno.Addr>;
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    const where = "path" in address ? address.path : `${address.hostname}:${address.port}`;
    throw new UsageError(`${where} is in use; is it running already? --status tells`);
  }
}

/** A socket that nobody listens on was left behind by a process that was killed. */
async function removeStaleSocket(path: string): Promise<void> {
  const info = await Deno.lstat(path).catch(() => undefined);
  if (info === undefined) return;
  if (!info.isSocket) throw new UsageError(`${path} is there, and it is not a socket`);
  try {
    (await Deno.connect({ transport: "unix", path })).close();
  } catch {
    await Deno.remove(path);
  }
}

/** Answers requests. */
class Service {
  readonly #threads: HookThreads;
  readonly #token: string;
  readonly #limitMs: number;
  readonly #address: Address;
  readonly #stop: () => void;
  readonly #started = Date.now();
  readonly #running = new Set<Promise<Response>>();
  #answered = 0;

  constructor(
    threads: HookThreads,
    token: string,
    limitMs: number,
    address: Address,
    stop: () => void,
  ) {
    this.#threads = threads;
    this.#token = token;
    this.#limitMs = limitMs;
    this.#address = address;
    this.#stop = stop;
  }

  /** Waits until every answer is made. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** Answers a request. */
  handle(request: Request): Promise<Response> {
    const work = this.#handle(request);
    this.#running.add(work);
    return work.finally(() => this.#running.delete(work));
  }

  async #handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    // Web pages reach this machine too: they have an origin, or a name that they made lead here.
    if (request.headers.has("origin") || !this.#isOwnHost(request.headers.get("host"))) {
      return textResponse(403, "This is not for web pages");
    }
    const [, area, name] = url.pathname.split("/");
    const agent = area === "hook" ? agentNamed(name ?? "") : undefined;
    const isKnown = isSameToken(request.headers.get("authorization"), this.#token);
    if (!isKnown) return refuseStranger(agent, url);
    if (agent !== undefined) {
      const response = await this.#answer(agent, request, url);
      // A caller that streams what it has may never end; it goes when it has its answer.
      if (!request.headers.has("content-length")) response.headers.set("connection", "close");
      return response;
    }
    if (url.pathname === "/status" && request.method === "GET") return await this.#status();
    if (url.pathname === "/stop" && request.method === "POST") {
      // After the answer is out.
      setTimeout(this.#stop, 0);
      return textResponse(200, "stopping");
    }
    const agents = AGENTS.map((one) => `/hook/${one.name}`).join(", ");
    return textResponse(404, `There are: ${agents}, /status, /stop`);
  }

  #isOwnHost(host: string | null): boolean {
    if ("path" in this.#address) return true;
    return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host ?? "");
  }

  async #answer(agent: Agent, request: Request, url: URL): Promise<Response> {
    if (!["POST", "PUT"].includes(request.method) || request.body === null) {
      return textResponse(405, "Payloads come with POST");
    }
    this.#answered++;
    const eventName = url.searchParams.get("event") ?? undefined;
    const row = eventName === undefined || !Object.hasOwn(agent.events, eventName)
      ? undefined
      : agent.events[eventName];
    const document = await readDocument(request.body, PAYLOAD_LIMITS);
    if (document.fault !== undefined) {
      return answerResponse(refusal(agent, row, `The payload cannot be read: ${document.fault}`));
    }
    const mayAsk = url.searchParams.has("ask");
    const { value: payload } = document;
    const limitMs = this.#limitMs;
    return answerResponse(
      await this.#threads.answer({ agent: agent.name, payload, eventName, mayAsk, limitMs }),
    );
  }

  async #status(): Promise<Response> {
    return Response.json({
      pid: Deno.pid,
      upMs: Date.now() - this.#started,
      answered: this.#answered,
      ...await this.#threads.state(),
    });
  }
}

/**
 * Who has no token learns nothing. For an agent that would run the tool after any other status, no
 * is said in its own form.
 */
function refuseStranger(agent: Agent | undefined, url: URL): Response {
  const row = agent?.events[url.searchParams.get("event") ?? ""];
  if (agent === undefined || row === undefined) return textResponse(401, "A token is needed");
  const fault = "pi-hooks was asked without its token: run pi-hooks doctor";
  return answerResponse(refusal(agent, row, fault));
}

/** What is no in form of an exit code is a status that is no success. */
function answerResponse({ output, exitCode, complaints }: AgentAnswer): Response {
  const headers = { "x-pi-hooks-exit": String(exitCode) };
  if (exitCode !== 0) return textResponse(400, complaints.join("\n"), headers);
  if (output === undefined) return new Response(null, { status: 204, headers });
  return Response.json(output, { headers });
}

function textResponse(status: number, text: string, headers: HeadersInit = {}): Response {
  return new Response(`${text}\n`, { status, headers });
}

/**
 * The process of an isolated hook: started with just the permissions that it has, heard over a
 * socket, and gone when the host is, however the host ends.
 *
 * A small shell stands between the two. It holds the other end of a pipe of the host; when the pipe
 * closes, because the host says so or because it is no more, the shell kills the whole group, also a
 * hook that is stuck in a loop and hears nothing. It also limits the memory that is not on the heap.
 *
 * @module
 */

import { type ByteLink, linkOf } from "./isolation_link.ts";
import { readLines } from "./isolation_lines.ts";
import { missingPermission } from "./permissions.ts";

/** What a process is started with. */
export interface IsolatedProcessOptions {
  /** Permission flags. */
  flags: readonly string[];
  /** Names of the variables it gets, with `*` at the end for all that begin so; `true` for all. */
  env: true | readonly string[];
  /** Limit of the heap in megabytes. */
  heapMb: number;
  /** Whether code from npm may be loaded. */
  npm: boolean;
  /** Whether code from the net may be fetched. */
  remote: boolean;
  /** Gets each line of its outputs. */
  onLine(level: "info" | "warn", line: string): void;
}

/** A running process. */
export interface IsolatedProcess {
  /** Its socket. */
  readonly link: ByteLink;
  /** Its number, for people; it is that of the shell and of the group. */
  readonly pid: number;
  /** How it ended, in words. */
  readonly ended: Promise<string>;
  /** Kills it and what it has started. */
  kill(): Promise<void>;
}

/** `$1` is the limit of memory in kilobytes; the rest is the command. */
const SHELL_SCRIPT = [
  "ulimit -c 0",
  'ulimit -d "$1" 2>/dev/null',
  "shift",
  "exec 3<&0 </dev/null",
  "(read -r never <&3; kill -KILL 0) &",
  '"$@" 3<&-',
].join("\n");

/** Beside the heap there are the program itself, its code and its buffers. */
const OTHER_MEMORY_MB = 1024;
const START_LIMIT_MS = 30_000;
const TOKEN_BYTES = 24;

const BOOTSTRAP = new URL("../isolation/child.ts", import.meta.url);
const CONFIG = new URL("../../deno.json", import.meta.url);

/** Why this host cannot isolate hooks, `undefined` if it can. */
export function isolationRefusal(): string | undefined {
  if (Deno.build.os === "windows") {
    return "hooks cannot be isolated on Windows yet: run Deno in WSL, or load them without isolate";
  }
  const flags = [
    missingPermission({ name: "run", command: denoPath() }),
    missingPermission({ name: "run", command: "/bin/sh" }),
    missingPermission({ name: "net" }),
    missingPermission({ name: "write" }),
    missingPermission({ name: "read" }),
  ].filter((flag) => flag !== undefined);
  if (flags.length === 0) return undefined;
  return `Deno may not start the process of an isolated hook: run with ${flags.join(" ")}`;
}

/** A program that was compiled is not `deno` itself. */
function denoPath(): string {
  return Deno.build.standalone ? "deno" : Deno.execPath();
}

/**
 * Starts a process.
 *
 * @param options What it may do.
 * @returns The process, and the word that it has to say first.
 * @throws {Error} If it does not connect.
 */
export async function startIsolatedProcess(
  options: IsolatedProcessOptions,
): Promise<{ process: IsolatedProcess; token: string }> {
  if (BOOTSTRAP.protocol !== "file:") await (fetched ??= fetchBootstrap());
  const folder = await Deno.makeTempDir({ prefix: "pi-hooks-" });
  const path = `${folder}/s`;
  const token = [...crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
  try {
    using listener = Deno.listen({ transport: "unix", path });
    const child = new Deno.Command("/bin/sh", {
      args: [
        "-c",
        SHELL_SCRIPT,
        "pi-hooks",
        String((options.heapMb + OTHER_MEMORY_MB) * 1024),
        denoPath(),
        ...denoArguments(options, path),
        BOOTSTRAP.href,
        path,
        token,
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      clearEnv: true,
      env: environment(options.env),
      detached: true,
    }).spawn();
    const state = watch(child, options.onLine);
    const timer = Promise.withResolvers<never>();
    const limit = setTimeout(
      () => timer.reject(new Error(`it did not start within ${START_LIMIT_MS} ms`)),
      START_LIMIT_MS,
    );
    try {
      const early = state.ended.then((end) => Promise.reject(new Error(`its process ${end}`)));
      const conn = await Promise.race([listener.accept(), early, timer.promise]);
      const link = linkOf(conn);
      link.keepAlive(false);
      child.unref();
      const kill = async (): Promise<void> => {
        link.close();
        await state.kill();
      };
      return { process: { link, pid: child.pid, ended: state.ended, kill }, token };
    } catch (thrown) {
      await state.kill();
      throw thrown;
    } finally {
      clearTimeout(limit);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

let fetched: Promise<void> | undefined;

/** A hook may load nothing from the net, so what its program consists of must be in the cache. */
async function fetchBootstrap(): Promise<void> {
  const { success, stderr } = await new Deno.Command(denoPath(), {
    args: ["cache", "--quiet", "--no-config", "--no-lock", BOOTSTRAP.href],
    clearEnv: true,
    env: environment([]),
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success) return;
  fetched = undefined;
  throw new Error(`its program cannot be fetched: ${new TextDecoder().decode(stderr).trim()}`);
}

function denoArguments(
  { flags, heapMb, npm, remote }: IsolatedProcessOptions,
  socket: string,
): string[] {
  const isLocal = BOOTSTRAP.protocol === "file:";
  return [
    "run",
    "--quiet",
    "--no-prompt",
    "--no-lock",
    // Bare names in this package's own modules are explained there.
    ...isLocal ? [`--config=${decodeURIComponent(CONFIG.pathname)}`] : ["--no-config"],
    ...npm ? [] : ["--no-npm"],
    ...remote ? [] : ["--cached-only"],
    `--v8-flags=--max-old-space-size=${heapMb}`,
    ...withSocket(flags, socket),
  ];
}

/** Read, write and net for the socket, which is gone as soon as it was opened. */
function withSocket(flags: readonly string[], socket: string): string[] {
  if (flags.includes("--allow-all")) return [...flags];
  const needed = new Map([
    ["--allow-read", socket],
    ["--allow-write", socket],
    ["--allow-net", `unix:${socket}`],
  ]);
  const joined = flags.map((flag) => {
    const [name] = flag.split("=", 1);
    const more = needed.get(name);
    if (more === undefined) return flag;
    needed.delete(name);
    return flag === name ? flag : `${flag},${more}`;
  });
  return [...joined, ...[...needed].map(([name, value]) => `${name}=${value}`)];
}

/** `PATH` for the programs that it may start, the cache for Deno, and what is granted. */
function environment(granted: IsolatedProcessOptions["env"]): Record<string, string> {
  const own: Record<string, string> = { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" };
  if (missingPermission({ name: "env" }) === undefined) {
    const all = Deno.env.toObject();
    const cache = all.DENO_DIR ?? (all.XDG_CACHE_HOME && `${all.XDG_CACHE_HOME}/deno`) ??
      (Deno.build.os === "darwin" ? `${all.HOME}/Library/Caches/deno` : `${all.HOME}/.cache/deno`);
    own.DENO_DIR = cache;
    for (const name of ["PATH", "JSR_URL"]) if (all[name] !== undefined) own[name] = all[name];
    for (const [name, value] of Object.entries(all)) {
      if (granted === true || granted.some((one) => isNamed(one, name))) own[name] = value;
    }
  }
  return own;
}

function isNamed(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

interface WatchedChild {
  ended: Promise<string>;
  kill(): Promise<void>;
}

function watch(child: Deno.ChildProcess, onLine: IsolatedProcessOptions["onLine"]): WatchedChild {
  let isOutOfMemory = false;
  const outputs = [
    readLines(child.stdout, (line) => onLine("info", line)),
    readLines(child.stderr, (line) => {
      isOutOfMemory ||= /heap out of memory|heap limit|memory allocation of/i.test(line);
      onLine("warn", line);
    }),
  ];
  let isKilled = false;
  const stop = async (): Promise<void> => {
    if (isKilled) return;
    isKilled = true;
    // The shell kills the group when the pipe closes; if Deno may, it is killed at once.
    try {
      Deno.kill(-child.pid, "SIGKILL");
    } catch {
      // Gone already, or Deno may only start programs.
    }
    try {
      await child.stdin.close();
    } catch {
      // Closed already.
    }
  };
  const ended = child.status.then(async ({ code }) => {
    await stop();
    await Promise.all(outputs.map(({ done }) => done));
    if (isOutOfMemory) return "ran out of memory";
    if (code <= 128) return `exited with code ${code}`;
    return `was killed (signal ${code - 128})`;
  });
  return {
    ended,
    async kill(): Promise<void> {
      // From now on somebody waits for it.
      child.ref();
      await stop();
      await ended;
    },
  };
}

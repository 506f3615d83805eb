/**
 * A registry with the addresses of JSR, on this machine and for one test only. `deno publish` uploads
 * to it, so that what it serves is what would be published: with the files, and with the imports
 * rewritten, as Deno does it. `@std` comes from `vendor/`.
 *
 * @module
 */

import { join } from "@std/path/posix/join";

/** A published package: the files by their path, which begins with `/`. */
export type PublishedPackage = {
  /** `@scope/name`. */
  name: string;
  /** The version. */
  version: string;
  /** The exports of its `deno.json`. */
  exports: Record<string, string>;
  /** What was uploaded. */
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
};

/** A running registry; it stops at the end of an `await using` block. */
export type LoopbackRegistry = AsyncDisposable & {
  /** Where it listens; the value for `JSR_URL`. */
  url: string;
  /** What was uploaded so far. */
  published: PublishedPackage[];
  /** What was asked for and not found, apart from versions not published yet. */
  missing: string[];
};

/** Starts a registry; `vendor` is the folder with `jsr.io/@std` in it. */
export function startRegistry(vendor: string): LoopbackRegistry {
  const published: PublishedPackage[] = [];
  const missing: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.startsWith("/api/")) {
      return await answerApi(request, pathname, searchParams.get("config") ?? "/deno.json");
    }
    const body = pathname.startsWith("/@std/")
      ? await readVendored(vendor, pathname)
      : await readPublished(published, pathname);
    if (body !== undefined) {
      return new Response(body, { headers: { "content-type": typeOf(pathname) } });
    }
    missing.push(pathname);
    return new Response("not found", { status: 404 });
  }

  /** What `deno publish` asks: is the package there, is the version there, here it is, is it done? */
  async function answerApi(request: Request, path: string, config: string): Promise<Response> {
    const [, scope, name, , version] =
      /^\/api\/scopes\/([^/]+)\/packages\/([^/]+)(\/versions\/([^/]+))?$/.exec(path) ?? [];
    if (request.method === "POST") {
      const files = await readTarball(request.body);
      const settings: unknown = JSON.parse(decode(files.get(config)));
      published.push({ name: `@${scope}/${name}`, version, exports: readExports(settings), files });
    } else if (version !== undefined) {
      const nothing = { code: "packageVersionNotFound", message: "not published yet" };
      return Response.json(nothing, { status: 404 });
    }
    return Response.json({ id: "1", status: "success", error: null });
  }

  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    published,
    missing,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function typeOf(path: string): string {
  return path.endsWith(".ts") ? "text/typescript" : "application/json";
}

async function readVendored(
  vendor: string,
  path: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await Deno.readFile(join(vendor, "jsr.io", path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function readPublished(
  published: PublishedPackage[],
  path: string,
): Promise<BodyInit | undefined> {
  const found = published.find(({ name }) => path.startsWith(`/${name}/`));
  if (found === undefined) return undefined;
  const { name, version, exports, files } = found;
  const [scope, short] = name.slice(1).split("/");
  const rest = path.slice(`/${name}/`.length);
  if (rest === "meta.json") {
    return JSON.stringify({ scope, name: short, latest: version, versions: { [version]: {} } });
  }
  if (rest === `${version}_meta.json`) {
    const manifest: Record<string, { size: number; checksum: string }> = {};
    for (const [file, bytes] of files) {
      const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
      manifest[file] = { size: bytes.length, checksum: `sha256-${hash.toHex()}` };
    }
    return JSON.stringify({ manifest, exports });
  }
  return rest.startsWith(`${version}/`) ? files.get(rest.slice(version.length)) : undefined;
}

function readExports(settings: unknown): Record<string, string> {
  if (typeof settings !== "object" || settings === null || !("exports" in settings)) {
    throw new Error("the uploaded deno.json has no exports");
  }
  const entries = Object.entries(settings.exports ?? {});
  return Object.fromEntries(entries.map(([name, file]) => [name, String(file)]));
}

function decode(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) throw new Error("the upload holds no deno.json");
  return new TextDecoder().decode(bytes);
}

/** Unpacks what `deno publish` sends: a tar file, compressed, of plain files with short names. */
async function readTarball(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  if (body === null) throw new Error("an upload without a body");
  const bytes = await new Response(body.pipeThrough(new DecompressionStream("gzip"))).bytes();
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const field = (start: number, length: number): string =>
    new TextDecoder().decode(bytes.subarray(start, start + length)).replace(/\0.*$/s, "");
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0;) {
    const name = field(at, 100);
    const size = parseInt(field(at + 124, 12), 8);
    const kind = field(at + 156, 1);
    if (kind !== "" && kind !== "0") throw new Error(`${name}: no plain file (${kind})`);
    files.set(name.replace(/^\.?\/*/, "/"), bytes.slice(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

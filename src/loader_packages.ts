/**
 * Lets hooks import what they would find inside the agents that they were written for: the host
 * packages, local files by `./x.js` that is really `x.ts`, packages in a `node_modules` beside
 * them; and lets a reload see changes in every file that a hook imports.
 *
 * The machinery of `node:module` costs as much as starting Deno, so it is only fetched when an
 * import has failed without it, or for a reload.
 *
 * @module
 */

/** The packages that hooks import the API of an agent from. */
export const HOST_PACKAGES: readonly string[] = [
  "@f5-sales-demo/xcsh",
  "@oh-my-pi/pi-coding-agent",
  "@mariozechner/pi-coding-agent",
  "@earendil-works/pi-coding-agent",
  "@pi-hooks/core",
].flatMap((name) => [name, `${name}/hooks`]);

/** What a local import may mean when there is no file of exactly that name. */
const SUFFIX_GUESSES: readonly [RegExp, readonly string[]][] = [
  [/\.js$/, [".ts", ".tsx"]],
  [/\.jsx$/, [".tsx"]],
  [/\.mjs$/, [".mts"]],
  [/\.cjs$/, [".cts"]],
  [/$/, [".ts", ".tsx", ".mts", ".js", ".mjs", "/index.ts", "/index.js", "/mod.ts"]],
];

/** Asks whether a `file:` URL leads to a file. */
export type IsFile = (url: string) => boolean;

/** What is installed in this process. */
export interface PackageHooks {
  /** From now on the imports of this module, at any depth, are looked after. */
  addRoot(url: string): void;
  /**
   * From now on the host packages export this name too. Types that were imported without the word
   * `type` are asked for like values; a class that cannot be made stands for them.
   */
  addTypeName(name: string): void;
}

/** The scheme of the modules that are made here. */
const SURFACE_SCHEME = "pi-hooks-surface:";

let installed: Promise<PackageHooks> | undefined;

/** The mapping, if it is installed already: then every hook has to be looked after from the start. */
export function installedPackageHooks(): Promise<PackageHooks> | undefined {
  return installed;
}

/**
 * Installs the mapping, once a process. It only touches imports that come from hook files.
 *
 * @param surfaceUrl The module that stands for the host packages.
 * @param isFile Asks the file system.
 */
export function installPackageHooks(surfaceUrl: string, isFile: IsFile): Promise<PackageHooks> {
  return installed ??= install(surfaceUrl, isFile);
}

async function install(surfaceUrl: string, isFile: IsFile): Promise<PackageHooks> {
  const { createRequire, isBuiltin, registerHooks } = await import("node:module");
  const hookModules = new Set<string>();
  const typeNames: string[] = [];
  const ownModules = new URL("./", import.meta.url).href;

  registerHooks({
    resolve(specifier, context, next) {
      const parent = context.parentURL;
      if (parent === undefined || !hookModules.has(parent)) return next(specifier, context);
      if (isBuiltin(specifier)) {
        const url = specifier.startsWith("node:") ? specifier : `node:${specifier}`;
        return { url, shortCircuit: true };
      }
      if (HOST_PACKAGES.includes(specifier)) {
        // A module is what it is once it was loaded, so more names mean another module.
        const url = typeNames.length === 0 ? surfaceUrl : `${SURFACE_SCHEME}${typeNames.length}`;
        return { url, format: "module", shortCircuit: true };
      }
      const url = isLocal(specifier)
        ? localUrl(specifier, parent, isFile)
        : packageUrl(specifier, parent, () => next(specifier, context), createRequire);
      if (typeof url !== "string") return url;
      const isOwn = url === surfaceUrl || url.startsWith(ownModules);
      if (isOwn || !url.startsWith("file:")) return { url, shortCircuit: true };
      const versioned = withVersionOf(parent, url);
      hookModules.add(versioned);
      return { url: versioned, shortCircuit: true };
    },
    // Deno never calls `resolve` without a `load` beside it, even one that only passes on.
    load: (url, context, next) =>
      url.startsWith(SURFACE_SCHEME)
        ? { format: "module", shortCircuit: true, source: surfaceSource(surfaceUrl, typeNames) }
        : next(url, context),
  });
  return {
    addRoot: (url) => void hookModules.add(url),
    addTypeName: (name) => void typeNames.push(name),
  };
}

function surfaceSource(surfaceUrl: string, typeNames: readonly string[]): string {
  const classes = typeNames.map((name) =>
    `export class ${name} { constructor() { throw new Error("${name} is not offered by pi-hooks"); } }`
  );
  return [`export * from ${JSON.stringify(surfaceUrl)};`, ...classes].join("\n");
}

function isLocal(specifier: string): boolean {
  return /^(\.\.?\/|\/|file:)/.test(specifier);
}

function localUrl(specifier: string, parent: string, isFile: IsFile): string {
  const url = new URL(specifier, parent);
  if (isFile(url.href)) return url.href;
  for (const [suffix, replacements] of SUFFIX_GUESSES) {
    if (!suffix.test(url.pathname)) continue;
    for (const replacement of replacements) {
      const guess = new URL(url);
      guess.pathname = url.pathname.replace(suffix, replacement);
      if (isFile(guess.href)) return guess.href;
    }
  }
  throw new Error(
    `Cannot find "${specifier}", imported from ${readable(parent)}: there is no such file, ` +
      "and none with .ts, .tsx, .js or /index.ts behind it",
  );
}

type Resolved = { url: string };

/** A bare name: an import map, `npm:` and the like, or a package beside the hook. */
function packageUrl(
  specifier: string,
  parent: string,
  next: () => Resolved,
  createRequire: (from: string) => { resolve(specifier: string): string },
): string | Resolved {
  const unmapped = URL.canParse(specifier) ? undefined : new URL(specifier, parent).href;
  const resolved = next();
  if (resolved.url !== unmapped) return resolved;
  try {
    const from = new URL(parent);
    from.search = "";
    return new URL(`file://${createRequire(from.href).resolve(specifier)}`).href;
  } catch {
    const name = specifier.startsWith("@")
      ? specifier.split("/").slice(0, 2).join("/")
      : specifier.split("/")[0];
    throw new Error(
      `Cannot find package "${specifier}", imported from ${readable(parent)}: ` +
        `write "npm:${name}@<version>${specifier.slice(name.length)}", ` +
        `or put the package into a node_modules folder beside the hook`,
    );
  }
}

/** Files that a reloaded hook imports are loaded anew with it. */
function withVersionOf(parent: string, url: string): string {
  const version = new URL(parent).searchParams.get("v");
  if (version === null) return url;
  const versioned = new URL(url);
  versioned.searchParams.set("v", version);
  return versioned.href;
}

function readable(url: string): string {
  const { pathname, protocol, href } = new URL(url);
  return protocol === "file:" ? decodeURIComponent(pathname) : href;
}

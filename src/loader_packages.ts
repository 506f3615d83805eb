/**
 * Lets hooks import what they would find inside the agents that they were written for: the host
 * packages, local files by `./x.js` that is really `x.ts`, packages in a `node_modules` beside
 * them; and lets a reload see changes in every file that a hook imports.
 *
 * The machinery of `node:module` costs as much as starting Deno, so it is only fetched when an
 * import has failed without it, or when a file is loaded once more.
 *
 * @module
 */

import { importRefusal, lookForFile, readIfThere } from "./deno/module_files.ts";
import type { MissingExport } from "./import_fault.ts";
import { findInNodeModules, isCommonJs, packageName } from "./loader_node_modules.ts";

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
  [/\/?$/, [".ts", ".tsx", ".mts", ".js", ".mjs", "/index.ts", "/index.js", "/mod.ts"]],
];

/** What is installed in this process. */
export interface PackageHooks {
  /** From now on the imports of this module, at any depth, are looked after. */
  addRoot(url: string): void;
  /**
   * Lets a module export a name that only exists as a type. Whoever imports a type without the word
   * `type` asks for it like for a value; gets something that throws as soon as it is used.
   *
   * @returns Whether that can help.
   */
  standInFor(missing: MissingExport): boolean;
}

/** Modules of these schemes are made here. */
const SURFACE_SCHEME = "pi-hooks-surface:";
const COMMON_JS_SCHEME = "pi-hooks-commonjs:";

const OWN_MODULES = new URL("./", import.meta.url).href;
const DOOR_URL = new URL("../mod.ts", import.meta.url).href;

/**
 * Installs the mapping. It only touches imports that come from hook files.
 *
 * @param surfaceUrl The module that stands for the host packages; it has to be loaded already, so
 * that nobody needs a permission for it.
 */
export async function installPackageHooks(surfaceUrl: string): Promise<PackageHooks> {
  const { createRequire, isBuiltin, registerHooks } = await import("node:module");
  const hookModules = new Set<string>();
  const standIns = new Map<string, Set<string>>();

  registerHooks({
    resolve(specifier, context, next) {
      const parent = context.parentURL;
      if (parent === undefined || !hookModules.has(parent)) return next(specifier, context);
      const shortCircuit = true;
      if (isBuiltin(specifier)) {
        const url = specifier.startsWith("node:") ? specifier : `node:${specifier}`;
        return { url, shortCircuit };
      }
      if (HOST_PACKAGES.includes(specifier)) {
        // A module is what it is once it was loaded, so more names mean another module.
        const count = standIns.get(surfaceUrl)?.size ?? 0;
        const url = count === 0 ? surfaceUrl : `${SURFACE_SCHEME}${count}`;
        return { url, format: "module", shortCircuit };
      }
      if (isLocal(specifier)) {
        const url = withVersionOf(parent, localUrl(specifier, parent));
        hookModules.add(url);
        return { url, shortCircuit };
      }
      const unmapped = URL.canParse(specifier) ? undefined : new URL(specifier, parent).href;
      const resolved = next(specifier, context);
      if (resolved.url !== unmapped) {
        assertImportable(resolved.url);
        return resolved;
      }
      const file = packageUrl(specifier, parent);
      const names = standIns.get(file);
      const url = names === undefined ? file : `${file}?types=${names.size}`;
      if (isCommonJs(file, readIfThere)) return { url: `${COMMON_JS_SCHEME}${url}`, shortCircuit };
      hookModules.add(url);
      return { url, shortCircuit };
    },
    // Deno never calls `resolve` without a `load` beside it, even one that only passes on.
    load(url, context, next) {
      const asModule = (source: string) =>
        ({ format: "module", shortCircuit: true, source }) as const;
      if (url.startsWith(SURFACE_SCHEME)) {
        return asModule(surfaceSource(surfaceUrl, standIns.get(surfaceUrl) ?? []));
      }
      const isCommon = url.startsWith(COMMON_JS_SCHEME);
      const file = withoutVersion(isCommon ? url.slice(COMMON_JS_SCHEME.length) : url);
      const names = standIns.get(file);
      if (isCommon) {
        const exported = createRequire(file)(besideItself(file));
        return asModule(commonJsSource(file, exported) + standInSource(names ?? []));
      }
      const loaded = next(url, context);
      return names === undefined ? loaded : asModule(textOf(loaded.source) + standInSource(names));
    },
  });
  return {
    addRoot: (url) => void hookModules.add(url),
    standInFor({ specifier, name, importer }: MissingExport): boolean {
      let target: string;
      try {
        if (HOST_PACKAGES.includes(specifier)) target = surfaceUrl;
        else if (isLocal(specifier)) target = withoutVersion(localUrl(specifier, importer));
        else target = packageUrl(specifier, importer);
      } catch {
        return false;
      }
      const names = standIns.get(target) ?? new Set();
      standIns.set(target, names.add(name));
      return true;
    },
  };
}

function isLocal(specifier: string): boolean {
  return /^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier);
}

function localUrl(specifier: string, parent: string): string {
  const url = new URL(specifier, parent);
  if (lookForFile(url.href) === "file") return url.href;
  for (const [suffix, replacements] of SUFFIX_GUESSES) {
    if (!suffix.test(url.pathname)) continue;
    for (const replacement of replacements) {
      const guess = new URL(url);
      guess.pathname = url.pathname.replace(suffix, replacement);
      if (lookForFile(guess.href) === "file") return guess.href;
    }
  }
  assertImportable(url.href);
  throw new Error(
    `Cannot find "${specifier}", imported from ${withoutVersion(parent)}: there is no such file, ` +
      "and none with .ts, .tsx, .js or /index.ts behind it",
  );
}

/** Says exactly what to grant, which Deno does not. */
function assertImportable(url: string): void {
  const refusal = importRefusal(url);
  if (refusal !== undefined) throw new Error(refusal);
}

/** A package beside the hook. */
function packageUrl(specifier: string, parent: string): string {
  const found = findInNodeModules(specifier, withoutVersion(parent), readIfThere);
  if (found !== undefined) return found;
  if (specifier.startsWith("#")) {
    throw new Error(
      `Cannot find "${specifier}", imported from ${withoutVersion(parent)}: ` +
        'there is no such name under "imports" in the package.json above that file',
    );
  }
  const name = packageName(specifier);
  throw new Error(
    `Cannot find package "${specifier}", imported from ${withoutVersion(parent)}: ` +
      `write "npm:${name}@<version>${specifier.slice(name.length)}", or put the package into ` +
      "a node_modules folder beside the hook, where Deno may read it",
  );
}

/** Files that a reloaded hook imports are loaded anew with it. */
function withVersionOf(parent: string, url: string): string {
  const version = new URL(parent).searchParams.get("v");
  // One copy of what the hooks and the host share.
  if (version === null || url === DOOR_URL || url.startsWith(OWN_MODULES)) return url;
  const versioned = new URL(url);
  versioned.searchParams.set("v", version);
  return versioned.href;
}

/** The file itself; its path has no `?`, which would be encoded. */
function withoutVersion(url: string): string {
  return url.replace(/\?.*$/s, "");
}

function surfaceSource(surfaceUrl: string, typeNames: Iterable<string>): string {
  return `export * from ${JSON.stringify(surfaceUrl)};${standInSource(typeNames)}`;
}

/** To be passed on it is enough; to look into it, to call it or to extend it is a mistake. */
function standInSource(typeNames: Iterable<string>): string {
  const names = [...typeNames].map((name, index) => {
    const text = `"${name}" is only a type here: import it with "import type", or mend its name`;
    const use = `() => { throw new TypeError(${JSON.stringify(text)}); }`;
    return `
const standIn${index} = new Proxy(class {}, {
  get: ${use}, has: ${use}, apply: ${use}, construct: ${use},
});
export { standIn${index} as ${name} };`;
  });
  return names.join("");
}

/** A module around what `require` gives, with names for its parts. */
function commonJsSource(url: string, exported: unknown): string {
  const file = besideItself(url);
  const names = exported !== null && ["object", "function"].includes(typeof exported)
    ? Object.keys(Object(exported)).filter((name) => name !== "default")
    : [];
  return [
    'import { createRequire } from "node:module";',
    `const exported = createRequire(${JSON.stringify(url)})(${JSON.stringify(file)});`,
    "export default exported;",
    ...names.map((name, index) =>
      `const part${index} = exported[${JSON.stringify(name)}];` +
      `export { part${index} as ${JSON.stringify(name)} };`
    ),
  ].join("\n");
}

/** How a file is required from a file in the same folder. */
function besideItself(url: string): string {
  return `./${decodeURIComponent(url.slice(url.lastIndexOf("/") + 1))}`;
}

function textOf(source: unknown): string {
  return typeof source === "string" ? source : new TextDecoder().decode(source as Uint8Array);
}

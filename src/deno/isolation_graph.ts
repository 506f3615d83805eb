/**
 * The files that a hook consists of: what its process must be able to read, and no more.
 *
 * The imports are found by their look, not by a compiler, so one that is written in an odd way is
 * missed; the hook then does not load, and the error names the file. A file that only looks like
 * imported does no harm: only code is counted, and JSON inside of the hook's own folder.
 *
 * @module
 */

/** The files of a hook. */
export interface ModuleGraph {
  /** Files and folders to read. */
  readonly paths: readonly string[];
  /** The text of the hook's own file. */
  readonly head: string;
  /** All texts, for a look at what they name. */
  readonly text: string;
  /** Whether there is code that was not looked at: packages, code from the net. */
  readonly hasUnseen: boolean;
}

const CODE = /\.(?:[cm]?[tj]s|[tj]sx)$/;
const IMPORT = /\b(?:from|import)\s*\(?\s*(["'])((?:\.{0,2}\/|\.{1,2}\1|file:|[@#\w])[^"'\n]*?)\1/g;
const GUESSES = [
  "",
  ".ts",
  ".tsx",
  ".mts",
  ".js",
  ".mjs",
  "/index.ts",
  "/index.js",
  "/mod.ts",
];
const MAX_FILES = 2000;

/**
 * Follows the imports of a hook file.
 *
 * @param entry The real path of the hook's file.
 */
export function readModuleGraph(entry: string): ModuleGraph {
  const folder = folderOf(entry);
  const paths = new Set<string>([entry]);
  const texts: string[] = [];
  let hasUnseen = false;
  const queue = [entry];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    if (paths.size > MAX_FILES) break;
    const text = readText(file);
    texts.push(text);
    for (const [, , specifier] of text.matchAll(IMPORT)) {
      const target = localTarget(specifier, file);
      if (target === undefined) {
        if (/^[a-z]+:/.test(specifier)) {
          hasUnseen ||= !specifier.startsWith("node:");
          continue;
        }
        const found = packageFolder(specifier, file);
        if (found !== undefined) paths.add(found);
        hasUnseen ||= found !== undefined;
        continue;
      }
      const modules = modulesAt(target, folder);
      // Deno then says that it is not there, in place of asking for the permission to look.
      if (modules.length === 0 && CODE.test(target) && isNothing(target)) paths.add(target);
      for (const path of modules) {
        if (paths.has(path)) continue;
        paths.add(path);
        if (CODE.test(path)) queue.push(path);
      }
    }
  }
  return { paths: [...paths], head: texts[0], text: texts.join("\n"), hasUnseen };
}

function localTarget(specifier: string, file: string): string | undefined {
  if (!/^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier)) return undefined;
  try {
    return decodeURIComponent(new URL(specifier, `file://${encodePath(file)}`).pathname);
  } catch {
    return undefined;
  }
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** The files that an import may mean, with their real paths if they are links. */
function modulesAt(target: string, hookFolder: string): string[] {
  const names = GUESSES.map((guess) => target + guess);
  const written = /\.([cm]?)js(x?)$/.exec(target);
  if (written !== null) {
    const stem = target.slice(0, written.index);
    names.push(`${stem}.${written[1]}ts${written[2]}`, `${stem}.tsx`);
  }
  return names.flatMap((name) => {
    const real = realFile(name);
    if (real === undefined) return [];
    const isCode = CODE.test(name) && CODE.test(real);
    const isData = real.endsWith(".json") && real.startsWith(`${hookFolder}/`);
    return isCode || isData ? [...new Set([name, real])] : [];
  });
}

/** Whether there is nothing of that name, also no link that leads nowhere. */
function isNothing(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return false;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound;
  }
}

function realFile(path: string): string | undefined {
  try {
    const real = Deno.realPathSync(path);
    return Deno.statSync(real).isFile ? real : undefined;
  } catch {
    return undefined;
  }
}

function packageFolder(specifier: string, file: string): string | undefined {
  const name = specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  for (let folder = folderOf(file); folder !== ""; folder = folderOf(folder)) {
    try {
      const path = `${folder}/node_modules/${name}`;
      if (Deno.statSync(path).isDirectory) return Deno.realPathSync(path);
    } catch {
      // Not here; perhaps further up.
    }
  }
  return undefined;
}

function readText(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/**
 * The folder of a file.
 *
 * @param path An absolute path.
 */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/**
 * Where a path really is, as far as it exists.
 *
 * @param path An absolute path.
 */
export function realPlace(path: string): string {
  let rest = "";
  for (let place = path; place !== ""; place = folderOf(place)) {
    try {
      return Deno.realPathSync(place) + rest;
    } catch {
      rest = place.slice(place.lastIndexOf("/")) + rest;
    }
  }
  return path;
}

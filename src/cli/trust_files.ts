/**
 * The files that a trusted project consists of: its hooks, and what they import.
 *
 * They are found by their look, without running anything: every text in quotes that leads to a file
 * of code or JSON counts, however it is used, and so does every package in a `node_modules` folder.
 * What cannot be seen: specifiers that are put together at run time, and code from the net. The
 * first is said; the second cannot change if it names a version, and is said too.
 *
 * @module
 */

import { discoverHooks } from "../../mod.ts";

/** The files of a project's hooks. */
export interface TrustedFiles {
  /** The hook files, in the order in which they are loaded. */
  hooks: string[];
  /** The SHA-256 of each file as hexadecimal digits, by its path. */
  hashes: Record<string, string>;
  /** What the hashes do not cover, in words. */
  unseen: string[];
}

const CODE = /\.(?:[cm]?[tj]s|[tj]sx)$/;
const COVERED = /\.(?:[cm]?[tj]s|[tj]sx|json|wasm)$/;
const QUOTED = /(["'`])((?:\.{0,2}\/|\.{1,2}\1|file:)[^"'`\n]*?)\1/g;
const IMPORT = /\b(?:from|import|require)\s*\(?\s*(["'`])([^"'`\n]+)\1/g;
const COMPUTED_IMPORT = /\bimport\s*\(\s*(?!\s|["'`]|\/[/*])|\bimport\s*\(\s*`[^`]*\$\{/;
const GUESSES = ["", ".ts", ".tsx", ".mts", ".js", ".mjs", "/index.ts", "/index.js", "/mod.ts"];
const MAX_FILES = 5000;

/**
 * Finds the hooks that a folder ships and the files behind them. Nothing is imported.
 *
 * @param folder The project folder.
 */
export async function trustedFiles(folder: string): Promise<TrustedFiles> {
  const { items, shadowed } = await discoverHooks(folder, { trustProject: true });
  const hooks = [...items, ...shadowed].filter(({ level }) => level === "project")
    .map(({ path }) => path);
  const scan = new Scan();
  for (const path of hooks) scan.add(path);
  scan.run();
  const hashes: Record<string, string> = {};
  for (const path of [...scan.paths].sort()) hashes[path] = await hashOf(path);
  return { hooks, hashes, unseen: [...scan.unseen] };
}

class Scan {
  readonly paths = new Set<string>();
  readonly unseen = new Set<string>();
  readonly #packages = new Set<string>();
  readonly #queue: string[] = [];

  /** Takes a file in, under its own name and under that of the file it is a link to. */
  add(path: string): void {
    if (this.paths.has(path)) return;
    if (this.paths.size >= MAX_FILES) {
      this.unseen.add(`more than ${MAX_FILES} files: the rest is not covered`);
      return;
    }
    this.paths.add(path);
    if (CODE.test(path)) this.#queue.push(path);
  }

  run(): void {
    for (let path = this.#queue.shift(); path !== undefined; path = this.#queue.shift()) {
      const text = readText(path);
      for (const [, , specifier] of text.matchAll(QUOTED)) {
        for (const file of filesOf(specifier, path)) this.add(file);
      }
      for (const [, , specifier] of text.matchAll(IMPORT)) this.#addImport(specifier, path);
      if (COMPUTED_IMPORT.test(text)) {
        this.unseen.add(`${path} imports something that it names at run time`);
      }
    }
  }

  #addImport(specifier: string, importer: string): void {
    if (/^(?:\.{0,2}\/|\.{1,2}$|file:|node:)/.test(specifier)) return;
    if (/^[a-z]+:/.test(specifier)) {
      this.unseen.add(`${importer} imports ${specifier}`);
      return;
    }
    const name = specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
    for (let folder = folderOf(importer); folder !== ""; folder = folderOf(folder)) {
      const root = `${folder}/node_modules/${name}`;
      if (!isKind(root, "isDirectory")) continue;
      if (this.#packages.has(root)) return;
      this.#packages.add(root);
      for (const file of filesBelow(root)) this.add(file);
      return;
    }
  }
}

/** The files that a specifier may mean. */
function filesOf(specifier: string, importer: string): string[] {
  let target: string;
  try {
    const base = `file://${importer.split("/").map(encodeURIComponent).join("/")}`;
    const url = new URL(specifier, base);
    if (url.protocol !== "file:") return [];
    target = decodeURIComponent(url.pathname);
  } catch {
    return [];
  }
  const names = GUESSES.map((guess) => target + guess);
  const written = /\.([cm]?)js(x?)$/.exec(target);
  if (written !== null) {
    const stem = target.slice(0, written.index);
    names.push(`${stem}.${written[1]}ts${written[2]}`, `${stem}.tsx`);
  }
  return names.filter((name) => COVERED.test(name) && isKind(name, "isFile"));
}

function filesBelow(folder: string): string[] {
  const files: string[] = [];
  try {
    for (const { name, isDirectory, isFile } of Deno.readDirSync(folder)) {
      const path = `${folder}/${name}`;
      if (isDirectory) files.push(...filesBelow(path));
      else if (isFile && COVERED.test(name)) files.push(path);
    }
  } catch {
    // A folder that cannot be read cannot be imported from either.
  }
  return files;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function isKind(path: string, kind: "isFile" | "isDirectory"): boolean {
  try {
    return Deno.statSync(path)[kind];
  } catch {
    return false;
  }
}

function readText(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/** What cannot be read has a hash that no file has. */
async function hashOf(path: string): Promise<string> {
  try {
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join(
      "",
    );
  } catch {
    return "unreadable";
  }
}

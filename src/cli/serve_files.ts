/**
 * The files that a hook is made of, and whether one of them has changed.
 *
 * @module
 */

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/**
 * Files, and those that they import by a relative path, to any depth.
 *
 * @param files Paths of files; one that is not there is kept, since it may come.
 */
export function filesBehind(files: readonly string[]): string[] {
  const found = new Set<string>();
  const left = [...files];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    let text: string;
    try {
      text = Deno.readTextFileSync(file);
    } catch {
      continue;
    }
    for (const [, specifier] of text.matchAll(IMPORT)) {
      const url = new URL(specifier, `file://${file.split("/").map(encodeURIComponent).join("/")}`);
      const path = decodeURIComponent(url.pathname);
      // The loader finds x.ts for ./x.js and ./x too.
      left.push(path);
      for (const other of [path.replace(/\.js$/, ".ts"), `${path}.ts`]) {
        if (other !== path && isThere(other)) left.push(other);
      }
    }
  }
  return [...found];
}

/**
 * A text that is another one as soon as one of the files is.
 *
 * @param files Paths of files.
 */
export function stampOf(files: readonly string[]): string {
  return files.map((file) => {
    try {
      const { mtime, size, ino } = Deno.statSync(file);
      return `${mtime?.getTime()} ${size} ${ino}`;
    } catch {
      return "none";
    }
  }).join("\n");
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

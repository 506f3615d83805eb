/**
 * An import map for a program that has no configuration file.
 *
 * @module
 */

const PARTS = [
  "basename",
  "dirname",
  "extname",
  "from-file-url",
  "is-absolute",
  "join",
  "normalize",
  "relative",
  "resolve",
  "to-file-url",
];

/** Maps the parts of `@std/path` to the files in `vendor/`, so that no registry is asked; nothing else. */
export function importMapOfStd(): string {
  const vendor = new URL("../vendor/jsr.io/@std/path/", import.meta.url);
  const [version] = [...Deno.readDirSync(vendor)].filter(({ isDirectory }) => isDirectory);
  const imports = Object.fromEntries(
    ["posix", "windows"].flatMap((system) =>
      PARTS.map((part) => {
        const file = `${part.replaceAll("-", "_")}.ts`;
        const names = [`${part}.ts`, file].map((name) =>
          new URL(`${version.name}/${system}/${name}`, vendor)
        );
        return [`@std/path/${system}/${part}`, names.find(exists)?.href ?? names[0].href];
      })
    ),
  );
  return JSON.stringify({ imports });
}

function exists(file: URL): boolean {
  try {
    return Deno.statSync(file).isFile;
  } catch {
    return false;
  }
}

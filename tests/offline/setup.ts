/**
 * Makes `@std` available on a machine that cannot reach JSR.
 *
 * Where JSR answers, Deno itself fills `vendor/` with the real `@std`, and this script only takes
 * away what it may have laid there before. Where JSR does not answer, it lays the small stand-ins
 * of `std/` into `vendor/`, in the form in which Deno keeps packages there. A real package that is
 * already in `vendor/` is never touched.
 *
 * It imports nothing, since it runs when there is nothing yet to import.
 *
 * @module
 */

/** Satisfies `^1`, and is higher than a real version is likely to be soon, so that it is told apart. */
const VERSION = "1.1.999";

/** How long JSR may take to answer, in milliseconds. */
const ASK_LIMIT_MS = 3000;

/** The functions that `@std/path` also offers one by one, below `posix/` and `windows/`. */
const PATH_FUNCTIONS = {
  "basename": "basename",
  "dirname": "dirname",
  "extname": "extname",
  "from-file-url": "fromFileUrl",
  "is-absolute": "isAbsolute",
  "join": "join",
  "normalize": "normalize",
  "relative": "relative",
  "resolve": "resolve",
  "to-file-url": "toFileUrl",
};

/** A package: which file stands behind which name, and files that exist only in `vendor/`. */
type StandIn = {
  files: string[];
  exports: Record<string, string>;
  generated?: Record<string, string>;
};

const STAND_INS: Record<string, StandIn> = {
  assert: {
    files: ["mod.ts", "equal.ts", "difference.ts"],
    exports: { ".": "./mod.ts", "./equal": "./equal.ts" },
  },
  fs: {
    files: [
      "mod.ts",
      "copy.ts",
      "ensure_dir.ts",
      "exists.ts",
      "walk.ts",
    ],
    exports: {
      ".": "./mod.ts",
      "./copy": "./copy.ts",
      "./ensure-dir": "./ensure_dir.ts",
      "./exists": "./exists.ts",
      "./walk": "./walk.ts",
    },
  },
  path: pathStandIn(),
  testing: {
    files: ["mock.ts", "time.ts", "types.ts"],
    exports: { "./mock": "./mock.ts", "./time": "./time.ts", "./types": "./types.ts" },
  },
};

function pathStandIn(): StandIn {
  const exports: Record<string, string> = {
    ".": "./mod.ts",
    "./posix": "./posix.ts",
    "./windows": "./windows.ts",
  };
  const generated: Record<string, string> = {};
  for (const family of ["posix", "windows"]) {
    for (const [name, symbol] of Object.entries(PATH_FUNCTIONS)) {
      exports[`./${family}/${name}`] = `./${family}/${name}.ts`;
      generated[`${family}/${name}.ts`] = `export { ${symbol} } from "../${family}.ts";\n`;
    }
  }
  exports["./posix/glob-to-regexp"] = "./glob_to_regexp.ts";
  const files = ["mod.ts", "posix.ts", "windows.ts", "glob_to_regexp.ts"];
  return { files, exports, generated };
}

const SOURCES = new URL("./std/", import.meta.url);

/** What `setUp` did, in one sentence. */
export type Outcome = { text: string };

/** Where things are, and how JSR is asked; the command line uses the defaults. */
export type SetUpOptions = {
  /** The folder of the project, as a URL that ends with `/`. */
  root?: URL;
  /** Whether JSR answers. */
  isReachable?: () => Promise<boolean>;
};

/** Does the whole work of this file; see the top. */
export async function setUp(options: SetUpOptions = {}): Promise<Outcome> {
  const root = options.root ?? new URL("../../", import.meta.url);
  const isReachable = options.isReachable ?? askJsr;
  const scope = new URL("vendor/jsr.io/@std/", root);

  const names = Object.keys(STAND_INS);
  const states = await Promise.all(names.map((name) => stateOf(new URL(`${name}/`, scope))));
  const notReal = names.filter((_, index) => states[index] !== "real");
  if (notReal.length === 0) return { text: "setup: vendor/ holds the real @std, nothing to do" };

  if (await isReachable()) {
    const standIns = names.filter((_, index) => states[index] === "stand-in");
    for (const name of standIns) await Deno.remove(new URL(`${name}/`, scope), { recursive: true });
    if (standIns.length === 0) return { text: "setup: JSR answers, Deno fetches @std itself" };
    return { text: `setup: JSR answers, stand-ins removed from vendor/ (${standIns.join(", ")})` };
  }

  let written = 0;
  for (const name of notReal) written += await lay(name, new URL(`${name}/`, scope));
  const list = notReal.map((name) => `@std/${name}`).join(", ");
  const done = written === 0 ? "are up to date" : `laid (${written} files)`;
  return { text: `setup: JSR does not answer, stand-ins in vendor/ for ${list} ${done}` };
}

async function stateOf(folder: URL): Promise<"absent" | "stand-in" | "real"> {
  const text = await readOrNothing(new URL("meta.json", folder));
  if (text === undefined) return "absent";
  return text.includes(`"standIn":true`) ? "stand-in" : "real";
}

/** Asks once, and looks at the answer: many networks answer everything with a page of their own. */
async function askJsr(): Promise<boolean> {
  const registry = Deno.env.get("JSR_URL") || "https://jsr.io/";
  try {
    const response = await fetch(new URL("@std/assert/meta.json", registry), {
      signal: AbortSignal.timeout(ASK_LIMIT_MS),
    });
    return response.ok && JSON.stringify(await response.json()).includes('"versions"');
  } catch {
    return false;
  }
}

/** Writes one package, the index last; returns how many files were not as they should be. */
async function lay(name: string, folder: URL): Promise<number> {
  const standIn = STAND_INS[name];
  const files = new Map<string, string>();
  for (const file of standIn.files) {
    files.set(file, await Deno.readTextFile(new URL(`${name}/${file}`, SOURCES)));
  }
  for (const [file, text] of Object.entries(standIn.generated ?? {})) files.set(file, text);

  const manifest: Record<string, { size: number; checksum: string }> = {};
  const output = new Map<string, string>();
  // A package in vendor/ has no import map: names are written out, as publishing does it.
  for (const [file, source] of files) {
    const text =
      `// A stand-in for @std/${name}, see tests/offline/setup.ts. Not the real package.\n` +
      source.replaceAll(/"@std\/([a-z]+)/g, '"jsr:@std/$1@^1');
    output.set(`${VERSION}/${file}`, text);
    manifest[`/${file}`] = await describeBytes(text);
  }
  const index = { scope: "std", name, latest: VERSION, versions: { [VERSION]: {} }, standIn: true };
  output.set(`${VERSION}_meta.json`, JSON.stringify({ manifest, exports: standIn.exports }));
  output.set("meta.json", JSON.stringify(index));

  let written = 0;
  for (const [file, text] of output) {
    if (await writeIfChanged(new URL(file, folder), text)) written++;
  }
  return written;
}

async function describeBytes(text: string): Promise<{ size: number; checksum: string }> {
  const bytes = new TextEncoder().encode(text);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return { size: bytes.length, checksum: `sha256-${hash.toHex()}` };
}

/** Never leaves half a file behind: other programs may be reading it. */
async function writeIfChanged(file: URL, text: string): Promise<boolean> {
  if (await readOrNothing(file) === text) return false;
  await Deno.mkdir(new URL("./", file), { recursive: true });
  const temporary = new URL(`${file.href}.${Deno.pid}.tmp`);
  await Deno.writeTextFile(temporary, text);
  await Deno.rename(temporary, file);
  return true;
}

async function readOrNothing(file: URL): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

if (import.meta.main) {
  console.error((await setUp()).text);
}

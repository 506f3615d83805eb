/**
 * Checks the types of hook files in a child process, with the packages of the agents standing for
 * this module, as they do when a hook is run.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import { execCommand, type LoadedHook } from "../../mod.ts";
import { HOST_PACKAGES } from "../loader_packages.ts";

/** What became of one hook. */
export interface TypeReport {
  /** The hook. */
  path: string;
  /** Whether its types are right. */
  isFine: boolean;
  /** What the compiler said. */
  output: string;
}

const ROOT = new URL("../../", import.meta.url);

/**
 * Checks hooks that were loaded. Nothing is run.
 *
 * @param hooks The hooks.
 * @param cwd The working directory.
 */
export async function checkTypes(
  hooks: readonly LoadedHook[],
  cwd: string,
): Promise<TypeReport[]> {
  if (hooks.length === 0) return [];
  const folder = await Deno.makeTempDir({ prefix: "pi-hooks-types-" });
  try {
    const map = `${folder}/imports.json`;
    await Deno.writeTextFile(map, JSON.stringify({ imports: importMap() }));
    const check = async (files: string[]) => {
      const options = ["--quiet", "--no-lock", "--unstable-sloppy-imports", "--import-map", map];
      // Without a checkout the module's own imports need no mapping.
      if (ROOT.protocol === "file:") {
        options.push("--config", decodeURIComponent(new URL("deno.json", ROOT).pathname));
      }
      const args = ["check", ...options, ...files];
      const env = { NO_COLOR: "1" };
      const { code, stderr } = await execCommand(Deno.execPath(), args, cwd, { env });
      return { isFine: code === 0, output: withoutTail(stderr) };
    };
    // One run is quick. Only if it fails it matters whose fault it is.
    const all = await check(hooks.map(({ resolvedPath }) => resolvedPath));
    const reports: TypeReport[] = [];
    for (const { path, resolvedPath } of hooks) {
      const isAlone = hooks.length === 1 || all.isFine;
      reports.push({ path, ...isAlone ? all : await check([resolvedPath]) });
    }
    return reports;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function importMap(): Record<string, string> {
  const door = new URL("mod.ts", ROOT).href;
  const own = Object.entries(config.imports).filter(([, target]) => !target.startsWith("."));
  return Object.fromEntries([
    ...own.flatMap(([name, target]) => [
      [name, target],
      ...target.startsWith("jsr:") ? [[`${name}/`, `${target.replace("jsr:", "jsr:/")}/`]] : [],
    ]),
    ...HOST_PACKAGES.map((name) => [name, door]),
  ]);
}

/** Without what Deno says about itself. */
function withoutTail(output: string): string {
  return output.replace(/\n+(?:Found \d+ errors?\.\n+)?error: Type checking failed\.[^]*$/, "\n")
    .trimEnd();
}

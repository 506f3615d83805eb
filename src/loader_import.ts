/**
 * Imports hook modules. The only `import()` of a computed specifier in this package.
 *
 * @module
 */

import { importFault, LoadFault, type MissingExport } from "./import_fault.ts";
import { HOST_PACKAGES, installPackageHooks, type PackageHooks } from "./loader_packages.ts";

/** What `mod.ts` exports, as an object. */
export type DoorNamespace = Readonly<Record<string, unknown>>;

/** How each file looked when it was imported; `undefined` if the import failed. */
const imported = new Map<string, string | undefined>();
let versions = 0;
let door: Promise<DoorNamespace> | undefined;
let installing: Promise<PackageHooks> | undefined;

/** Everything that `mod.ts` exports. Needs no permission, since the specifier is not computed. */
export function doorNamespace(): Promise<DoorNamespace> {
  return door ??= import("../mod.ts");
}

/** A module to import. */
export interface HookModule {
  /** A `file:` URL, or an `https:`, `jsr:` or `npm:` specifier. */
  readonly url: string;
  /** A text that changes when the file does; absent for what comes from the net. */
  readonly stamp?: string;
}

/**
 * Imports a module: as it stands; if an import in it cannot be resolved, once more with the
 * mappings of `loader_packages.ts`; if it asks for a type without saying `type`, once more with a
 * stand-in for that type.
 *
 * A file that has changed since it was imported, or could not be, is read again with all files that
 * it imports. What comes from the net is not.
 *
 * @param module The module.
 * @param isReload Read a file again in any case: what it imports may have changed.
 * @throws {LoadFault} If it cannot be imported.
 */
export async function importHookModule(
  { url, stamp }: HookModule,
  isReload: boolean,
): Promise<DoorNamespace> {
  if (stamp === undefined) return await importRemote(url);
  const isAgain = imported.has(url) && (isReload || imported.get(url) !== stamp);
  imported.set(url, undefined);
  const namespace = await importFile(url, isAgain);
  imported.set(url, stamp);
  return namespace;
}

async function importRemote(specifier: string): Promise<DoorNamespace> {
  try {
    return await import(specifier);
  } catch (thrown) {
    const { kind, text } = importFault(thrown);
    throw new LoadFault(kind, text, thrown);
  }
}

async function importFile(url: string, isAgain: boolean): Promise<DoorNamespace> {
  let specifier = isAgain ? nextVersion(url) : url;
  let packages = isAgain || installing !== undefined ? await packageHooks() : undefined;
  const tried = new Set<string>();
  for (;;) {
    packages?.addRoot(specifier);
    try {
      return await import(specifier);
    } catch (thrown) {
      const { kind, text, isResolution, missingExport } = importFault(thrown);
      const isNews = packages === undefined;
      const fault = new LoadFault(kind, text, thrown);
      if (missingExport === undefined && !(isNews && isResolution)) throw fault;
      packages ??= await packageHooks();
      if (missingExport === undefined) continue;
      if (tried.has(text) || !mayBeOffered(missingExport, packages, isNews)) throw fault;
      tried.add(text);
      // Deno keeps what could not be linked.
      specifier = nextVersion(url);
    }
  }
}

/** Whether a name that was missing may be there the next time. */
function mayBeOffered(missing: MissingExport, packages: PackageHooks, isNews: boolean): boolean {
  // Classes and types begin with a capital; a missing function stays an error.
  if (/^[A-Z]/.test(missing.name) && packages.standInFor(missing)) return true;
  return isNews && HOST_PACKAGES.includes(missing.specifier);
}

/** A specifier that was not imported yet: Deno keeps what it has imported, also failures. */
function nextVersion(url: string): string {
  const versioned = new URL(url);
  versioned.searchParams.set("v", String(++versions));
  return versioned.href;
}

function packageHooks(): Promise<PackageHooks> {
  return installing ??= install();
}

async function install(): Promise<PackageHooks> {
  // Before the mapping leads there, so that no hook needs a permission for it.
  await import("./host_surface.ts");
  return await installPackageHooks(new URL("./host_surface.ts", import.meta.url).href);
}

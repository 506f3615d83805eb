/**
 * What Deno would refuse, found out without asking anybody.
 *
 * Every question here is `querySync`, never `request`: a question on the terminal in the middle of
 * a tool call would stop the whole process.
 *
 * @module
 */

/**
 * Tells whether a permission is missing, and what to add to the `deno` command if it is.
 *
 * The flag can be pasted into a shell: a value with blanks or other special characters is quoted.
 * Deno separates values by commas and has no way to write one, so for a path with a comma the flag
 * grants the last folder before it.
 *
 * @param descriptor The permission that is needed.
 * @returns `undefined` if it is granted, otherwise the flag that grants it. A descriptor that Deno
 * does not understand (an empty path, for instance) counts as not granted.
 *
 * @example
 * ```ts
 * import { missingPermission } from "./permissions.ts";
 *
 * const flag = missingPermission({ name: "env", variable: "HOME" });
 * if (flag !== undefined) console.error(`add ${flag}`); // add --allow-env=HOME
 * ```
 */
export function missingPermission(descriptor: Deno.PermissionDescriptor): string | undefined {
  try {
    if (Deno.permissions.querySync(descriptor).state === "granted") return undefined;
  } catch {
    // Falls through: what cannot be asked about is not granted.
  }
  return permissionFlag(descriptor.name, scopeOf(descriptor));
}

/** Whether every file may be read, so that nobody has to ask for each. */
export function mayReadAllFiles(): boolean {
  const { state, partial } = Deno.permissions.querySync({ name: "read" });
  return state === "granted" && !partial;
}

/**
 * The flag that grants a permission.
 *
 * @param name The permission, such as `read`.
 * @param value A path, a host, the name of a variable or a program; without one, for everything.
 */
export function permissionFlag(name: string, value: string | undefined): string {
  const isPath = name === "read" || name === "write" || name === "ffi";
  const writable = value?.includes(",") ? isPath ? foldersBeforeComma(value) : undefined : value;
  return `--allow-${name}${writable === undefined ? "" : `=${quoteForShell(writable)}`}`;
}

function foldersBeforeComma(path: string): string | undefined {
  const [before] = path.split(",", 1);
  const root = /^(?:[A-Za-z]:)?[/\\]/.exec(before)?.[0];
  if (root === undefined) return undefined;
  const folder = before.replace(/[/\\][^/\\]*$/, "");
  return folder.length < root.length ? root : folder;
}

/** The part after `=` in the flag, `undefined` if the permission is wanted for everything. */
function scopeOf(descriptor: Deno.PermissionDescriptor): string | undefined {
  switch (descriptor.name) {
    case "read":
    case "write":
    case "ffi":
      return pathText(descriptor.path);
    case "run":
      return pathText(descriptor.command);
    case "env":
      return descriptor.variable;
    case "sys":
      return descriptor.kind;
    case "net":
    case "import":
      return descriptor.host;
  }
}

function pathText(path: string | URL | undefined): string | undefined {
  if (!(path instanceof URL)) return path;
  let text = path.pathname;
  try {
    text = decodeURIComponent(text);
  } catch {
    // A lone `%` is allowed in a URL and means itself.
  }
  return Deno.build.os === "windows" ? text.replace(/^\//, "") : text;
}

/** Leaves plain words as they are and quotes the rest the way the shell of this system wants it. */
function quoteForShell(text: string): string {
  if (Deno.build.os === "windows") {
    return /[\s"&|<>()^%!']/.test(text) ? `"${text.replaceAll('"', '\\"')}"` : text;
  }
  return /[\s"'`$\\&|;<>()*?[\]{}!#~]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : text;
}

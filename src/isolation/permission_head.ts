/**
 * What a hook asks for in the comment at the head of its file, one or more permissions a line:
 *
 * ```ts
 * // @permission run=git,gh
 * // @permission read=$CWD write=$CWD/.cache net=api.example.com env=GITHUB_TOKEN
 * ```
 *
 * Asking is not getting: who loads the hook decides, see `permission_grant.ts`.
 *
 * @module
 */

import { nearest } from "../nearest.ts";

/** The permissions that can be asked for by name. */
export const PERMISSION_NAMES: readonly PermissionName[] = [
  "read",
  "write",
  "net",
  "env",
  "run",
  "sys",
  "ffi",
  "import",
  "keys",
];

/**
 * A permission. All but two are those of Deno: `import` is for code from the net (a host, or `npm`),
 * `keys` lets a hook read the keys of the models (`ctx.modelRegistry.getApiKey`).
 */
export type PermissionName =
  | "read"
  | "write"
  | "net"
  | "env"
  | "run"
  | "sys"
  | "ffi"
  | "import"
  | "keys";

/**
 * What an isolated hook may do beside reading its own modules. A list names what is allowed, `true`
 * allows all of that kind. Paths may begin with `$CWD` (the folder the hooks are loaded for), `~`
 * or `./` (the folder of the hook).
 */
export interface HookPermissions extends Partial<Record<PermissionName, true | readonly string[]>> {
  /** Everything, as if the hook were not isolated from the system at all. */
  all?: boolean;
}

/** What stands in a head. */
export interface PermissionHead {
  /** What is asked for. */
  asked: HookPermissions;
  /** What is not understood, one sentence each. A hook with a fault must not be loaded. */
  faults: string[];
}

/** The beginning of a file: shebang, blank lines and comments. */
const HEAD = /^\uFEFF?(?:#![^\n]*\n)?(?:\s+|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/;
const LINE = /^\s*(?:\/\/+|\/?\*+)?\s*@permission\b(.*?)(?:\*\/)?\s*$/;
/** Permissions that mean nothing without a name, or that have none. */
const WITHOUT_VALUES: readonly PermissionName[] = ["keys"];

const VALUE_SHAPES: Partial<Record<PermissionName, RegExp>> = {
  net: /^(?:[\w.*-]+|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/,
  import: /^[\w.*-]+(?::\d{1,5})?$/,
  env: /^[A-Za-z_]\w*\*?$/,
  sys: /^[A-Za-z]+$/,
};

/**
 * Reads the head of a hook file.
 *
 * @param text The file.
 */
export function readPermissionHead(text: string): PermissionHead {
  const head: PermissionHead = { asked: {}, faults: [] };
  const comment = HEAD.exec(text)?.[0] ?? "";
  for (const line of comment.split("\n")) {
    const words = LINE.exec(line)?.[1].trim();
    if (words === undefined) continue;
    if (words === "") head.faults.push("@permission names nothing: write @permission run=git");
    for (const word of words.split(/\s+/).filter((one) => one !== "")) readWord(word, head);
  }
  return head;
}

function readWord(word: string, { asked, faults }: PermissionHead): void {
  if (word === "-A" || word === "--allow-all" || word === "all") {
    asked.all = true;
    return;
  }
  const [name, ...rest] = word.split("=");
  if (!isPermissionName(name)) {
    const guess = nearest(name, PERMISSION_NAMES);
    const hint = guess === undefined ? `known are ${PERMISSION_NAMES.join(", ")}` : `"${guess}"?`;
    faults.push(`@permission ${word}: there is no permission "${name}", ${hint}`);
    return;
  }
  if (rest.length === 0) {
    asked[name] = true;
    return;
  }
  const values = rest.join("=").split(",");
  const fault = values.map((value) => valueFault(name, value)).find((one) => one !== undefined);
  if (fault !== undefined) {
    faults.push(`@permission ${word}: ${fault}`);
    return;
  }
  const before = asked[name];
  if (before !== true) asked[name] = [...new Set([...before ?? [], ...values])];
}

/** Why a value cannot be granted as it is written, `undefined` if it can. */
export function valueFault(name: PermissionName, value: string): string | undefined {
  if (WITHOUT_VALUES.includes(name)) return `"${name}" takes no value`;
  if (value === "") return "a value is empty";
  // deno-lint-ignore no-control-regex -- a NUL byte would end the path early
  if (/[\x00-\x1f\x7f]/.test(value)) return "a value holds a control character";
  const shape = VALUE_SHAPES[name];
  if (shape !== undefined && !shape.test(value)) return `"${value}" is none of ${name}`;
  if (value.startsWith("$") && !/^\$CWD(?:\/|$)/.test(value)) {
    return `"${value}": only $CWD can stand at the beginning of a path`;
  }
  return undefined;
}

/** Whether a word is the name of a permission. */
export function isPermissionName(name: string): name is PermissionName {
  return (PERMISSION_NAMES as readonly string[]).includes(name);
}

/**
 * Permissions as they stand in a head, for people: `run=git,gh read`; empty for none.
 *
 * @param permissions The permissions.
 */
export function permissionText(permissions: HookPermissions): string {
  const words = permissions.all === true ? ["-A"] : [];
  for (const name of PERMISSION_NAMES) {
    const value = permissions[name];
    if (value === true) words.push(name);
    else if (value !== undefined && value.length > 0) words.push(`${name}=${value.join(",")}`);
  }
  return words.join(" ");
}

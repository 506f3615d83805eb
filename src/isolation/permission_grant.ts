/**
 * What becomes of permissions: places made absolute, dangers named, flags for `deno run`.
 *
 * @module
 */

import {
  isPermissionName,
  PERMISSION_NAMES,
  permissionText,
  valueFault,
} from "./permission_head.ts";
import type { HookPermissions, PermissionName } from "./permission_head.ts";

/** Where the words of a head lead. */
export interface PermissionPlace {
  /** What `$CWD` is: an absolute path. */
  cwd: string;
  /** What `~` is, `undefined` if nobody may know. */
  home: string | undefined;
  /** The folder of the hook's file. */
  hookFolder: string;
}

const PATH_PERMISSIONS: readonly PermissionName[] = ["read", "write", "ffi"];

/** Programs that start whatever they are told to. */
const STARTS_ANYTHING = new Set(
  ("sh bash zsh dash ksh csh tcsh fish ash busybox cmd powershell pwsh env xargs find sudo su doas " +
    "ssh deno node bun python python2 python3 perl ruby php lua awk gawk make npm npx osascript " +
    "nohup timeout setsid script expect docker")
    .split(" "),
);

/**
 * Replaces `$CWD`, `~` and relative paths.
 *
 * @param permissions As they are asked for or granted.
 * @param place Where they lead.
 * @throws {TypeError} If a value cannot be granted: the text says which and why.
 */
export function placePermissions(
  permissions: HookPermissions,
  place: PermissionPlace,
): HookPermissions {
  const placed: HookPermissions = {};
  if (permissions.all === true) placed.all = true;
  for (const [name, value] of Object.entries(permissions)) {
    if (name === "all" || value === undefined) continue;
    if (!isPermissionName(name)) throw new TypeError(`there is no permission "${name}"`);
    if (value === true) placed[name] = true;
    if (!Array.isArray(value)) continue;
    placed[name] = value.map((one: string) => {
      const fault = valueFault(name, one);
      if (fault !== undefined) throw new TypeError(`${name}=${one}: ${fault}`);
      if (PATH_PERMISSIONS.includes(name)) return placePath(one, place);
      return name === "run" && /[/~$]/.test(one) ? placePath(one, place) : one;
    });
  }
  return placed;
}

function placePath(path: string, { cwd, home, hookFolder }: PermissionPlace): string {
  if (/^~(?:\/|$)/.test(path)) {
    if (home === undefined) throw new TypeError(`${path}: the home folder is not known`);
    return tidy(`${home}/${path.slice(1)}`);
  }
  if (path.startsWith("$CWD")) return tidy(`${cwd}/${path.slice("$CWD".length)}`);
  return tidy(path.startsWith("/") ? path : `${hookFolder}/${path}`);
}

/** Without `.`, `..` and doubled slashes, as Deno compares paths. */
function tidy(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/**
 * What is dangerous about permissions, one sentence each: a hook that has them can get at the rest.
 *
 * @param permissions As {@linkcode placePermissions} gives them.
 * @param place Where they lead.
 */
export function permissionDangers(permissions: HookPermissions, place: PermissionPlace): string[] {
  const dangers: string[] = [];
  if (permissions.all === true) dangers.push("-A: it may do everything that you may");
  if (permissions.ffi !== undefined) {
    dangers.push("ffi: it runs machine code, which no permission holds back");
  }
  const { run } = permissions;
  if (run === true) dangers.push("run: it may start any program, with all your rights");
  for (const program of run === true ? [] : run ?? []) {
    const name = program.slice(program.lastIndexOf("/") + 1).replace(/\.exe$/i, "");
    if (STARTS_ANYTHING.has(name)) {
      dangers.push(`run=${program}: it starts any program, with all your rights`);
    }
  }
  const { write } = permissions;
  if (write === true) dangers.push("write: it may change every file, also programs and itself");
  for (const path of write === true ? [] : write ?? []) {
    if (isWithin(place.hookFolder, path) || path === place.hookFolder) {
      dangers.push(`write=${path}: it may change its own file, and ask for more the next time`);
    } else if (isWithin(path, place.hookFolder)) {
      dangers.push(`write=${path}: it may change files of its own folder`);
    }
  }
  if (permissions.read === true || permissions.read?.includes("/")) {
    dangers.push("read: it may read every file, also keys and passwords");
  }
  if (permissions.env === true) dangers.push("env: it gets every variable, also secrets");
  if (permissions.import !== undefined) {
    dangers.push("import: it runs code from the net that nobody has looked at");
  }
  return dangers;
}

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/**
 * The flags of `deno run` that give just these permissions. A path with a comma in it cannot be
 * granted, because Deno has no way to write it.
 *
 * @param permissions As {@linkcode placePermissions} gives them.
 */
export function permissionFlags(permissions: HookPermissions): string[] {
  if (permissions.all === true) return ["--allow-all"];
  const flags: string[] = [];
  for (const name of PERMISSION_NAMES) {
    const value = permissions[name];
    if (value === undefined || name === "keys") continue;
    // Deno has no way to write a comma within one item: such an item would grant two others.
    const list = value === true
      ? []
      : value.filter((one) => !one.includes(",") && (name !== "import" || one !== "npm"));
    if (value !== true && list.length === 0) continue;
    flags.push(value === true ? `--allow-${name}` : `--allow-${name}=${list.join(",")}`);
  }
  return flags;
}

/**
 * Whether code may come from a place on the net.
 *
 * @param permissions The permissions.
 * @param place `npm`, or `remote` for all hosts.
 */
export function mayImport(permissions: HookPermissions, place: "npm" | "remote"): boolean {
  if (permissions.all === true || permissions.import === true) return true;
  const { import: hosts = [] } = permissions;
  return place === "npm" ? hosts.includes("npm") : hosts.some((host) => host !== "npm");
}

/**
 * Adds what a second list allows to a first one.
 *
 * @param first The one.
 * @param second The other.
 */
export function joinPermissions(first: HookPermissions, second: HookPermissions): HookPermissions {
  const joined: HookPermissions = { ...first };
  if (second.all === true) joined.all = true;
  for (const name of PERMISSION_NAMES) {
    const [a, b] = [first[name], second[name]];
    if (b === undefined) continue;
    joined[name] = a === true || b === true ? true : [...new Set([...a ?? [], ...b])];
  }
  return joined;
}

/**
 * What is asked for and not granted, as text; empty if everything is granted.
 *
 * @param asked What the head asks for.
 * @param granted What the host grants.
 */
export function notGranted(asked: HookPermissions, granted: HookPermissions): string {
  if (granted.all === true) return "";
  const missing: HookPermissions = {};
  if (asked.all === true) missing.all = true;
  for (const name of PERMISSION_NAMES) {
    const [wanted, given] = [asked[name], granted[name]];
    if (wanted === undefined || given === true) continue;
    if (wanted === true) missing[name] = true;
    else missing[name] = wanted.filter((one) => !given?.includes(one));
  }
  return permissionText(missing);
}

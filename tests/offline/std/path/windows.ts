/**
 * Stand-in for `@std/path/windows`: paths with drives, shares, `\` and `/`. Imports nothing, so
 * that it costs a program no time at its start.
 *
 * @module
 */

/** The character between the parts of a path. */
export const SEPARATOR = "\\";

/**
 * A path cut in three: `device` is `C:` or `\\server\share`, `absolute` says whether a separator
 * follows it, `rest` is what comes after.
 */
type Cut = { device: string; absolute: boolean; rest: string };

function cut(path: string): Cut {
  const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path);
  if (share !== null) {
    const rest = path.slice(share[0].length).replace(/^[\\/]+/, "");
    return { device: `\\\\${share[1]}\\${share[2]}`, absolute: true, rest };
  }
  const device = /^[A-Za-z]:/.exec(path)?.[0] ?? "";
  const after = path.slice(device.length);
  const absolute = /^[\\/]/.test(after);
  return { device, absolute, rest: after.replace(/^[\\/]+/, "") };
}

function isShare(device: string): boolean {
  return device.startsWith("\\\\");
}

/** Whether the path begins at the root of a drive or a share. */
export function isAbsolute(path: string): boolean {
  return cut(path).absolute;
}

/** Takes `.`, `..` and doubled separators out of a path; a separator at its end stays. */
export function normalize(path: string): string {
  if (path === "") return ".";
  const { device, absolute, rest } = cut(path);
  const inside = walkParts(rest.split(/[\\/]/), !absolute).join("\\");
  const end = inside !== "" && /[\\/]$/.test(rest) ? "\\" : "";
  if (absolute) return `${device}\\${inside}${end}`;
  if (inside === "") return `${device}.${/[\\/]$/.test(rest) ? "\\" : ""}`;
  return `${device}${inside}${end}`;
}

/** The parts without `.`, and with each `..` taken together with the part before it. */
function walkParts(parts: string[], mayClimb: boolean): string[] {
  const kept: string[] = [];
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length > 0 && kept[kept.length - 1] !== "..") kept.pop();
    else if (mayClimb) kept.push(part);
  }
  return kept;
}

/** Puts paths one after another and normalises the whole. */
export function join(path?: string | URL, ...paths: string[]): string {
  const first = path instanceof URL ? fromFileUrl(path) : path ?? "";
  const parts = [first, ...paths].filter((part) => part !== "");
  if (parts.length === 0) return ".";
  // Only a first part that already names a server may make the whole a path on a share.
  const joined = /^[\\/]{2}[^\\/]/.test(parts[0])
    ? parts.join("\\")
    : parts.join("\\").replace(/^[\\/]{2,}/, "\\");
  return normalize(joined);
}

/** The absolute path that the last absolute one and all after it name, from the current folder. */
export function resolve(...pathSegments: string[]): string {
  let device = "";
  let rest = "";
  let absolute = false;
  for (let index = pathSegments.length - 1; index >= -1; index--) {
    if (absolute && device !== "") break;
    const segment = index >= 0 ? pathSegments[index] : currentFolder(device);
    if (segment === "") continue;
    const part = cut(segment);
    if (part.device !== "") {
      if (device === "") device = part.device;
      else if (device.toLowerCase() !== part.device.toLowerCase()) continue;
    }
    if (absolute) continue;
    rest = rest === "" ? part.rest : `${part.rest}\\${rest}`;
    absolute = part.absolute;
  }
  const inside = walkParts(rest.split(/[\\/]/), !absolute).join("\\");
  return `${device}${absolute ? "\\" : ""}${inside}` || ".";
}

/** The current folder, or the root of the drive that is asked for when it lies on another one. */
function currentFolder(device: string): string {
  const current = Deno.cwd();
  if (device === "" || cut(current).device.toLowerCase() === device.toLowerCase()) return current;
  return `${device}\\`;
}

/** The path to `to` as seen from the folder `from`; names are compared without regard to case. */
export function relative(from: string, to: string): string {
  const start = cut(resolve(from));
  const goal = cut(resolve(to));
  if (start.device.toLowerCase() !== goal.device.toLowerCase()) return resolve(to);
  const left = start.rest.split("\\").filter((part) => part !== "");
  const right = goal.rest.split("\\").filter((part) => part !== "");
  let shared = 0;
  while (
    shared < Math.min(left.length, right.length) &&
    left[shared].toLowerCase() === right[shared].toLowerCase()
  ) shared++;
  return [...left.slice(shared).map(() => ".."), ...right.slice(shared)].join("\\");
}

/** The folder part of a path, `.` if there is none. */
export function dirname(path: string | URL): string {
  const text = path instanceof URL ? fromFileUrl(path) : path;
  const { device, absolute, rest } = cut(text);
  const before = text.length - rest.length;
  const start = text.slice(0, isShare(device) ? before : device.length + (absolute ? 1 : 0));
  const trimmed = rest.replace(/[\\/]+$/, "");
  const slash = trimmed.replace(/[^\\/]+$/, "").length - 1;
  let folder = start;
  if (slash > 0) folder = text.slice(0, before + slash);
  else if (!absolute) folder = device || ".";
  // The real function drops `/` at the end, and leaves `\` there.
  return folder.length > 1 ? folder.replace(/(?!^)\/+$/, "") : folder;
}

/** The last part of a path, without `suffix` if it ends so. */
export function basename(path: string | URL, suffix = ""): string {
  const text = path instanceof URL ? fromFileUrl(path) : path;
  const trimmed = text.replace(/^[A-Za-z]:/, "").replace(/[\\/]+$/, "");
  // A path that is nothing but a root is called by its first separator.
  if (trimmed === "") return text.replace(/^[A-Za-z]:/, "").slice(0, 1);
  const name = trimmed.slice(Math.max(trimmed.lastIndexOf("\\"), trimmed.lastIndexOf("/")) + 1);
  if (suffix === "" || name === suffix || !name.endsWith(suffix)) return name;
  return name.slice(0, -suffix.length);
}

/** The part of a file's name from its last dot on, or an empty string. */
export function extname(path: string | URL): string {
  const name = basename(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 || name === ".." ? "" : name.slice(dot);
}

/** The `file:` URL of an absolute path. Throws a `TypeError` for a relative one. */
export function toFileUrl(path: string): URL {
  if (!isAbsolute(path)) {
    throw new TypeError(`Path must be absolute: received "${path}"`);
  }
  const share = /^[\\/]{2}([^\\/]+)([\\/][^]*)$/.exec(path);
  const url = new URL("file:///");
  if (share !== null) url.hostname = share[1];
  const pathname = share === null ? path : share[2];
  url.pathname = pathname.replaceAll("%", "%25").replaceAll("\n", "%0A").replaceAll("\r", "%0D")
    .replaceAll("\t", "%09").replaceAll("\\", "/");
  return url;
}

/** The path of a `file:` URL. Throws a `TypeError` for any other URL. */
export function fromFileUrl(url: string | URL): string {
  const parsed = new URL(url);
  if (parsed.protocol !== "file:") {
    throw new TypeError(`URL must be a file URL: received "${parsed.protocol}"`);
  }
  const path = decodeURIComponent(
    parsed.pathname.replaceAll("/", "\\").replaceAll(/%(?![0-9A-Fa-f]{2})/g, "%25"),
  ).replace(/^\\*([A-Za-z]:)(\\|$)/, "$1\\");
  return parsed.hostname === "" ? path : `\\\\${parsed.hostname}${path}`;
}

/**
 * Stand-in for `@std/path/posix`: paths with `/`, as Linux and macOS spell them. Imports nothing,
 * so that it costs a program no time at its start.
 *
 * @module
 */

/** The character between the parts of a path. */
export const SEPARATOR = "/";

/** Whether the path begins at the root. */
export function isAbsolute(path: string): boolean {
  return path.startsWith("/");
}

/** Takes `.`, `..` and doubled slashes out of a path; a slash at its end stays. */
export function normalize(path: string): string {
  if (path === "") return ".";
  const root = isAbsolute(path) ? "/" : "";
  const inside = walkParts(path.split("/"), root === "").join("/");
  const end = path.endsWith("/") && inside !== "" ? "/" : "";
  if (inside === "" && root === "") return path.endsWith("/") ? "./" : ".";
  return root + inside + end;
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
  return normalize([first, ...paths].filter((part) => part !== "").join("/"));
}

/** The absolute path that the last absolute one and all after it name, from the current folder. */
export function resolve(...pathSegments: string[]): string {
  let path = "";
  for (let index = pathSegments.length - 1; index >= 0 && !isAbsolute(path); index--) {
    const segment = pathSegments[index];
    if (segment !== "") path = path === "" ? segment : `${segment}/${path}`;
  }
  if (!isAbsolute(path)) path = path === "" ? Deno.cwd() : `${Deno.cwd()}/${path}`;
  const resolved = normalize(path);
  return resolved.length > 1 && resolved.endsWith("/") ? resolved.slice(0, -1) : resolved;
}

/** The path to `to` as seen from the folder `from`. */
export function relative(from: string, to: string): string {
  const start = resolve(from).split("/").filter((part) => part !== "");
  const goal = resolve(to).split("/").filter((part) => part !== "");
  let shared = 0;
  while (shared < start.length && shared < goal.length && start[shared] === goal[shared]) shared++;
  return [...start.slice(shared).map(() => ".."), ...goal.slice(shared)].join("/");
}

/** The folder part of a path, `.` if there is none. */
export function dirname(path: string | URL): string {
  const text = withoutEnd(path instanceof URL ? fromFileUrl(path) : path);
  const slash = text.lastIndexOf("/");
  return slash < 0 ? "." : withoutEnd(text.slice(0, slash + 1));
}

/** The last part of a path, without `suffix` if it ends so. */
export function basename(path: string | URL, suffix = ""): string {
  const text = withoutEnd(path instanceof URL ? fromFileUrl(path) : path);
  const name = text === "/" ? text : text.slice(text.lastIndexOf("/") + 1);
  if (suffix === "" || name === suffix || !name.endsWith(suffix)) return name;
  return name.slice(0, -suffix.length);
}

/** The path without the slashes at its end, but never an empty one for the root. */
function withoutEnd(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end--;
  return path.slice(0, end);
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
  const url = new URL("file:///");
  url.pathname = encodeForUrl(path.replaceAll("%", "%25").replaceAll("\\", "%5C"));
  return url;
}

/** What the `pathname` setter of a URL would drop or misread. */
function encodeForUrl(path: string): string {
  return path.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll("\t", "%09");
}

/** The path of a `file:` URL. Throws a `TypeError` for any other URL. */
export function fromFileUrl(url: string | URL): string {
  const parsed = new URL(url);
  if (parsed.protocol !== "file:") {
    throw new TypeError(`URL must be a file URL: received "${parsed.protocol}"`);
  }
  return decodeURIComponent(parsed.pathname.replaceAll(/%(?![0-9A-Fa-f]{2})/g, "%25"));
}

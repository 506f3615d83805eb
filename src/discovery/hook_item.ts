/**
 * The capability `hooks`: what is known about a hook file before it is imported.
 *
 * @module
 */

import type { Capability } from "./capability.ts";

/** A hook file that was found. */
export interface HookItem {
  /** The file name, with its suffix. */
  name: string;
  /** The file; absolute. */
  path: string;
  /** The folder it was found in. It does not filter which events the hook's handlers get. */
  type: "pre" | "post";
  /** The tool in its name, `*` for every tool. It filters as little as `type`. */
  tool: string;
  /** Whether it belongs to the person or to the project. */
  level: "user" | "project";
}

/** The capability `hooks`. Two hooks are the same if type, tool and file name are. */
export const hookCapability: Capability<HookItem> = {
  id: "hooks",
  displayName: "Hooks",
  description: "Modules that watch, block and change what an agent does",
  key: ({ type, tool, name }) => `${type}:${tool}:${name}`,
  path: ({ path }) => path,
  validate: ({ name, path, type, tool, level }) => {
    if (!isText(name)) return "Missing name";
    if (!isText(path)) return "Missing path";
    if (type !== "pre" && type !== "post") return "Invalid type (must be 'pre' or 'post')";
    if (!isText(tool)) return "Missing tool";
    if (level !== "user" && level !== "project") {
      return "Invalid level (must be 'user' or 'project')";
    }
    return undefined;
  },
};

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

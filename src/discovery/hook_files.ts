/**
 * Finds hook files in folders: the one place that knows which files count, what their names mean,
 * and in which order they come.
 *
 * @module
 */

import { fileKind, joinPath, readFolder } from "../deno/files.ts";
import type { HookLoadWarning } from "../errors.ts";
import type { HookItem } from "./hook_item.ts";
import type { LoadResult } from "./capability.ts";

/** A folder with hook files. */
export interface HookFolder {
  /** The folder; absolute. */
  path: string;
  /** Whom it belongs to. */
  level: "user" | "project";
  /** What its files are; `in-name` if their names begin with `pre-` or `post-`. */
  type: "pre" | "post" | "in-name";
}

/** What the name of a hook file says. */
export interface HookName {
  /** The tool, `*` for every tool. */
  tool: string;
  /** Before or after the tool. */
  type: "pre" | "post";
}

/**
 * Reads what a file name says. The tool is the name up to its last dot; `*` and `_all` mean every
 * tool.
 *
 * @param fileName The name, without a folder.
 * @param type What the folder says; with `in-name` a leading `pre-` or `post-` does, and without
 * either it is `pre`.
 */
export function parseHookName(fileName: string, type: HookFolder["type"]): HookName {
  const dot = fileName.lastIndexOf(".");
  let base = dot > 0 ? fileName.slice(0, dot) : fileName;
  if (type === "in-name") {
    const match = base.match(/^(pre|post)-(.+)$/s);
    if (match !== null) base = match[2];
    type = match?.[1] === "post" ? "post" : "pre";
  }
  return { tool: base === "_all" ? "*" : base, type };
}

/**
 * The folders `pre` and `post` in a folder.
 *
 * @param folder The folder that holds both.
 * @param level Whom it belongs to.
 */
export function preAndPost(folder: string, level: HookFolder["level"]): HookFolder[] {
  return (["pre", "post"] as const).map((type) => ({ path: joinPath(folder, type), level, type }));
}

/**
 * Finds the hook files in some folders: folder by folder, in the order in which the file system
 * lists them. A folder that does not exist holds nothing; a folder that is named twice counts once.
 *
 * Hidden files, editor backups, `.d.ts` files, folders, pipes and sockets are skipped, each with a
 * warning. A link to a file is a file. Everything else is a hook file, also a shell script: the
 * loader says what it cannot import.
 *
 * @param folders The folders.
 */
export function findHookFiles(folders: readonly HookFolder[]): LoadResult<HookItem> {
  const items: HookItem[] = [];
  const warnings: HookLoadWarning[] = [];
  const seen = new Set<string>();
  for (const folder of folders) {
    if (seen.has(folder.path)) continue;
    seen.add(folder.path);

    const look = readFolder(folder.path);
    if (look.outcome === "missing") continue;
    if (look.outcome === "refused") {
      const warning = `Hooks in this folder are not found: ${look.reason}`;
      warnings.push({ path: folder.path, warning, kind: "provider" });
      continue;
    }
    for (const { name, kind } of look.value) {
      const path = joinPath(folder.path, name);
      const reason = nameToSkip(name) ?? kindToSkip(kind === "link" ? targetKind(path) : kind);
      if (reason === undefined) {
        items.push({ name, path, level: folder.level, ...parseHookName(name, folder.type) });
      } else {
        warnings.push({ path, warning: `Skipped: ${reason}.`, kind: "skipped" });
      }
    }
  }
  return { items, warnings };
}

function nameToSkip(name: string): string | undefined {
  if (name.startsWith(".")) return "its name begins with a dot, it is a hidden file";
  if (/~$|\.(bak|swp)$/i.test(name)) return "it is a backup of an editor";
  if (/\.d\.[mc]?ts$/i.test(name)) return "a .d.ts file only declares types";
  return undefined;
}

function kindToSkip(kind: "file" | "folder" | "other"): string | undefined {
  if (kind === "folder") return "it is a folder, and hooks are files";
  if (kind === "other") return "it is a pipe, a socket or a device, and hooks are files";
  return undefined;
}

/** A link that leads nowhere, or where Deno may not look, is kept: the loader says what is wrong. */
function targetKind(path: string): "file" | "folder" | "other" {
  const look = fileKind(path);
  return look.outcome === "found" && look.value !== "link" ? look.value : "file";
}

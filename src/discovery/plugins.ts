/**
 * Hooks in installed plugins.
 *
 * @module
 */

import { joinPath, readText } from "../deno/files.ts";
import { IS_WINDOWS } from "../deno/hook_file.ts";
import { describeValue, type HookLoadWarning } from "../errors.ts";
import { locateHook } from "../path.ts";
import { findHookFiles, type HookFolder, preAndPost } from "./hook_files.ts";
import type { HookItem } from "./hook_item.ts";
import type { LoadResult, Provider } from "./capability.ts";

/** Looks in the folder `hooks` of each plugin that `~/.xcsh/plugins/installed_plugins.json` names. */
export const pluginsProvider: Provider<HookItem> = {
  id: "plugins",
  displayName: "Plugins",
  description: "The hooks folder of each plugin in ~/.xcsh/plugins/installed_plugins.json",
  priority: 70,
  load: ({ home }) =>
    home === undefined ? { items: [] } : loadPlugins(joinPath(home, ".xcsh", "plugins"), home),
};

function loadPlugins(pluginsFolder: string, home: string): LoadResult<HookItem> {
  const registryFile = joinPath(pluginsFolder, "installed_plugins.json");
  const look = readText(registryFile);
  if (look.outcome === "missing") return { items: [] };
  const warnings: HookLoadWarning[] = [];
  const warn = (problem: string): void => {
    const warning = `${problem}. Its hooks are not found.`;
    warnings.push({ path: registryFile, warning, kind: "provider" });
  };
  if (look.outcome === "refused") {
    warn(`The list of plugins cannot be read: ${look.reason}`);
    return { items: [], warnings };
  }

  const folders: HookFolder[] = [];
  for (const [id, installations] of Object.entries(pluginTable(look.value, warn))) {
    if (!Array.isArray(installations)) {
      warn(`Plugin "${id}" has no list of installations but ${describeValue(installations)}`);
      continue;
    }
    for (const installation of installations) {
      if (installation?.enabled === false) continue;
      const around = { cwd: pluginsFolder, home, isWindows: IS_WINDOWS };
      const root = locateHook(installation?.installPath, around);
      if (root.kind !== "file") {
        const shown = describeValue(installation?.installPath);
        warn(`Plugin "${id}" has no installPath that is a folder, but ${shown}`);
        continue;
      }
      const level = installation.scope === "project" ? "project" : "user";
      folders.push(...preAndPost(joinPath(root.path, "hooks"), level));
    }
  }
  const found = findHookFiles(folders);
  return { items: found.items, warnings: [...warnings, ...found.warnings ?? []] };
}

/** The installations by plugin; a list that makes no sense is a warning. */
function pluginTable(text: string, warn: (problem: string) => void): Record<string, unknown> {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    warn(`The list of plugins is not JSON: ${(error as Error).message}`);
    return {};
  }
  const plugins = isRecord(list) ? list.plugins : undefined;
  if (isRecord(plugins)) return plugins;
  warn("The list of plugins has no object `plugins`");
  return {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

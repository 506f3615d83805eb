/**
 * Shows what was loaded: hooks with their events, commands and renderers, and what was not loaded.
 *
 * @module
 */

import type { LoadedHook, LoadHooksResult } from "../../mod.ts";
import { type AskedPermissions, askedPermissions } from "./hook_permissions.ts";
import type { Style, Terminal } from "./terminal.ts";

/** A hook, for programs. */
export interface ListedHook {
  /** The path as it was given. */
  path: string;
  /** The file, or the specifier. */
  resolvedPath: string;
  /** Where it was found. */
  source: LoadedHook["source"] | null;
  /** Its events, with the number of handlers. */
  events: Record<string, number>;
  /** Its slash commands. */
  commands: { name: string; description: string | null }[];
  /** The message types that it draws. */
  renderers: string[];
  /** What it asks for in a process of its own; absent if that is nothing. */
  permissions?: AskedPermissions;
}

/**
 * What there is to say about a hook.
 *
 * @param hook The hook.
 */
export function listedHook(hook: LoadedHook): ListedHook {
  const permissions = askedPermissions(hook);
  return {
    path: hook.path,
    resolvedPath: hook.resolvedPath,
    source: hook.source ?? null,
    events: Object.fromEntries(
      [...hook.handlers].map(([event, handlers]) => [event, handlers.length]),
    ),
    commands: [...hook.commands.values()].map(({ name, description }) => ({
      name,
      description: description ?? null,
    })),
    renderers: [...hook.messageRenderers.keys()],
    ...permissions && { permissions },
  };
}

/**
 * Writes the list.
 *
 * @param loaded What the loader says.
 * @param asJson Whether a program reads it.
 * @param terminal Where it goes.
 */
export async function writeList(
  loaded: LoadHooksResult,
  asJson: boolean,
  terminal: Terminal,
): Promise<void> {
  if (asJson) {
    const hooks = loaded.hooks.map(listedHook);
    const errors = loaded.errors.map(({ path, kind, error }) => ({ path, kind, error }));
    const { warnings } = loaded;
    return await terminal.write(`${JSON.stringify({ hooks, errors, warnings })}\n`);
  }
  await terminal.write(`${listText(loaded, terminal.style.out)}\n`);
}

/**
 * The list as people read it, without a line feed at the end.
 *
 * @param loaded What the loader says.
 * @param style Marks for the text.
 */
export function listText(loaded: LoadHooksResult, style: Style): string {
  const hooks = loaded.hooks.map(listedHook);
  const { bold, dim, red, yellow, cyan } = style;
  const lines: string[] = [];
  for (const [position, hook] of hooks.entries()) {
    const from = !hook.source || hook.source.provider === "configured"
      ? ""
      : dim(`  (${[hook.source.provider, hook.source.level].filter(Boolean).join(", ")})`);
    lines.push(`${bold(`${position + 1}. ${hook.path}`)}${from}`);
    const events = Object.entries(hook.events).map(([event, count]) =>
      count === 1 ? cyan(event) : `${cyan(event)} ×${count}`
    );
    if (events.length > 0) lines.push(`   events     ${events.join(", ")}`);
    for (const { name, description } of hook.commands) {
      lines.push(`   command    ${cyan(`/${name}`)}${description ? `  ${description}` : ""}`);
    }
    if (hook.renderers.length > 0) lines.push(`   renderers  ${hook.renderers.join(", ")}`);
    if (hook.permissions !== undefined) lines.push(`   asks for   ${hook.permissions.asked}`);
    for (const danger of hook.permissions?.dangers ?? []) {
      lines.push(`   ${yellow("dangerous")}  ${danger}`);
    }
  }
  if (hooks.length === 0) lines.push("No hook is loaded. Name one with --hook PATH.");
  for (const { path, kind, error } of loaded.errors) {
    lines.push(`${red("✗")} ${bold(path)} was not loaded ${dim(`(${kind})`)}`, `   ${error}`);
  }
  for (const { path, warning } of loaded.warnings) {
    lines.push(`${yellow("!")} ${bold(path)}`, `   ${warning}`);
  }
  return lines.join("\n");
}

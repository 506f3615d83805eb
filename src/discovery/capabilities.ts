/**
 * The registry that discovery uses, with the capability `hooks` and its four providers.
 *
 * All providers are asked unless they are disabled. Others can be added from outside.
 *
 * @module
 */

import { homeFolder } from "../deno/environment.ts";
import { processCwd } from "../deno/hook_file.ts";
import type {
  Capability,
  CapabilityInfo,
  CapabilityResult,
  LoadCapabilityOptions,
  Provider,
} from "./capability.ts";
import { claudeProvider } from "./claude.ts";
import { codexProvider } from "./codex.ts";
import { hookCapability } from "./hook_item.ts";
import { nativeProvider } from "./native.ts";
import { pluginsProvider } from "./plugins.ts";
import { CapabilityRegistry } from "./registry.ts";

const registry = new CapabilityRegistry();
registry.defineCapability(hookCapability);
for (const provider of [nativeProvider, claudeProvider, pluginsProvider, codexProvider]) {
  registry.registerProvider(hookCapability.id, provider);
}

/**
 * Adds a kind of thing that providers can look for.
 *
 * @throws {Error} If there is one of that name.
 */
export function defineCapability<T>(capability: Capability<T>): void {
  registry.defineCapability(capability);
}

/**
 * Adds a place to look in.
 *
 * @param capabilityId What is looked for there, such as `hooks`.
 * @param provider The place.
 * @throws {Error} If there is no such capability, or it has a provider of that name.
 *
 * @example Hooks from one more folder
 * ```ts
 * import { type HookItem, registerProvider } from "@pi-hooks/core";
 *
 * registerProvider<HookItem>("hooks", {
 *   id: "company",
 *   displayName: "Company",
 *   description: "Hooks that everybody here uses",
 *   priority: 200,
 *   load: () => ({
 *     items: [
 *       { name: "bash.ts", path: "/opt/hooks/bash.ts", type: "pre", tool: "bash", level: "user" },
 *     ],
 *   }),
 * });
 * ```
 */
export function registerProvider<T>(capabilityId: string, provider: Provider<T>): void {
  registry.registerProvider(capabilityId, provider);
}

/**
 * Looks for things in all places: asks every enabled provider, merges by priority, leaves out what
 * is not valid, and lists what is shadowed. Reads the disk anew each time.
 *
 * @typeParam T The things; for `hooks`, `HookItem`.
 * @param capabilityId What to look for, such as `hooks`.
 * @param options Where to look. Default: the working directory of the process, and the home folder
 * if Deno may know it.
 * @throws {Error} If there is no such capability.
 */
export async function loadCapability<T>(
  capabilityId: string,
  options: Partial<LoadCapabilityOptions<T>> = {},
): Promise<CapabilityResult<T>> {
  return await registry.loadCapability<T>(capabilityId, {
    ...options,
    cwd: options.cwd ?? processCwd(),
    home: options.home ?? homeFolder(),
  });
}

/** Asks a provider again from now on. */
export function enableProvider(id: string): void {
  registry.enableProvider(id);
}

/** Asks a provider no more, whatever it looks for. */
export function disableProvider(id: string): void {
  registry.disableProvider(id);
}

/** Disables these providers and enables all others. */
export function setDisabledProviders(ids: Iterable<string>): void {
  registry.setDisabledProviders(ids);
}

/** Whether a provider of this name is asked. */
export function isProviderEnabled(id: string): boolean {
  return registry.isProviderEnabled(id);
}

/** The disabled providers, in the order in which they were disabled. */
export function getDisabledProviders(): string[] {
  return registry.getDisabledProviders();
}

/** All capabilities with their providers. */
export function listCapabilities(): CapabilityInfo[] {
  return registry.listCapabilities();
}

/** One capability with its providers, `undefined` if there is none of that name. */
export function getCapabilityInfo(id: string): CapabilityInfo | undefined {
  return registry.getCapabilityInfo(id);
}

/**
 * Finds things of one kind in many places, by asking the providers of a capability.
 *
 * The registry knows nothing about hooks. It puts what the providers found in order, and decides
 * which of two things with the same key counts.
 *
 * @module
 */

import { describeValue, type HookLoadWarning, thrownText } from "../errors.ts";
import type {
  Capability,
  CapabilityInfo,
  CapabilityResult,
  FoundMark,
  LoadCapabilityOptions,
  LoadContext,
  Provider,
} from "./capability.ts";

interface Registration {
  capability: Capability<unknown>;
  /** In the order in which they count. */
  providers: Provider<unknown>[];
}

/**
 * Capabilities, their providers, and which of these are disabled. Nothing is remembered from one
 * search to the next.
 *
 * @example
 * ```ts
 * import { CapabilityRegistry } from "./registry.ts";
 *
 * interface Prompt {
 *   path: string;
 * }
 * const registry = new CapabilityRegistry();
 * registry.defineCapability<Prompt>({
 *   id: "prompts",
 *   displayName: "Prompts",
 *   description: "Texts to start from",
 *   key: (prompt) => prompt.path,
 *   path: (prompt) => prompt.path,
 * });
 * registry.registerProvider<Prompt>("prompts", {
 *   id: "mine",
 *   displayName: "Mine",
 *   description: "One prompt",
 *   priority: 10,
 *   load: () => ({ items: [{ path: "/prompts/a.md" }] }),
 * });
 * const { items } = await registry.loadCapability<Prompt>("prompts", { cwd: "/", home: undefined });
 * if (items[0].provider !== "mine") throw new Error("unexpected");
 * ```
 */
export class CapabilityRegistry {
  readonly #registrations = new Map<string, Registration>();
  readonly #disabled = new Set<string>();

  /**
   * Adds a kind of thing.
   *
   * @throws {Error} If there is one of that name.
   */
  defineCapability<T>(capability: Capability<T>): void {
    if (this.#registrations.has(capability.id)) {
      throw new Error(`Capability "${capability.id}" is already defined`);
    }
    this.#registrations.set(capability.id, { capability, providers: [] });
  }

  /**
   * Adds a place to look in.
   *
   * @throws {Error} If there is no such capability, or it has a provider of that name.
   * @throws {TypeError} If the priority is not a number.
   */
  registerProvider<T>(capabilityId: string, provider: Provider<T>): void {
    const { providers } = this.#registration(capabilityId);
    if (providers.some(({ id }) => id === provider.id)) {
      throw new Error(`Capability "${capabilityId}" already has a provider "${provider.id}"`);
    }
    if (!Number.isFinite(provider.priority)) {
      throw new TypeError(`The priority of provider "${provider.id}" must be a number`);
    }
    const next = providers.findIndex(({ priority }) => priority < provider.priority);
    providers.splice(next < 0 ? providers.length : next, 0, provider);
  }

  /**
   * Asks all providers of a capability at the same time and merges what they found, in the order of
   * their priorities. Of several things with the same key the first one counts; the others are
   * listed as shadowed. Things that are not valid are left out before that, with a warning.
   *
   * @typeParam T The things; the caller knows what the capability holds.
   * @throws {Error} If there is no such capability.
   */
  async loadCapability<T>(
    capabilityId: string,
    options: LoadCapabilityOptions<T>,
  ): Promise<CapabilityResult<T>> {
    const { capability } = this.#registration(capabilityId);
    const context: LoadContext = { cwd: options.cwd, home: options.home };
    const providers = this.#selected(capabilityId, options);
    const results = await Promise.all(providers.map((provider) => ask(provider, context)));

    const result: CapabilityResult<T> = {
      items: [],
      all: [],
      refused: [],
      warnings: [],
      providers: [],
    };
    const firstPaths = new Map<string, string>();
    for (const [index, { items, warnings }] of results.entries()) {
      const provider = providers[index];
      result.warnings.push(...warnings);
      if (items.length > 0) result.providers.push(provider.id);
      for (const item of items) {
        const admission = admit<T>(item, provider, capability, options.includeInvalid ?? false);
        if ("fault" in admission) {
          const warning = `[${provider.displayName}] Skipped: ${admission.fault}`;
          result.warnings.push({ path: admission.path, warning, kind: "skipped" });
          continue;
        }
        const { found, key, path } = admission;
        if (options.accept !== undefined && !options.accept(found)) {
          result.refused.push(found);
          continue;
        }
        const shadowedBy = key === undefined ? undefined : firstPaths.get(key);
        if (shadowedBy !== undefined) {
          result.all.push({ ...found, shadowed: true, shadowedBy });
          continue;
        }
        if (key !== undefined) firstPaths.set(key, path);
        result.items.push(found);
        result.all.push(found);
      }
    }
    return result;
  }

  /** Asks a provider again from now on. */
  enableProvider(id: string): void {
    this.#disabled.delete(id);
  }

  /** Asks a provider no more. It may be registered later. */
  disableProvider(id: string): void {
    this.#disabled.add(id);
  }

  /** Disables these providers and enables all others. */
  setDisabledProviders(ids: Iterable<string>): void {
    this.#disabled.clear();
    for (const id of ids) this.#disabled.add(id);
  }

  /** Whether a provider of this name is asked. */
  isProviderEnabled(id: string): boolean {
    return !this.#disabled.has(id);
  }

  /** The disabled providers, in the order in which they were disabled. */
  getDisabledProviders(): string[] {
    return [...this.#disabled];
  }

  /** All capabilities with their providers, in the order in which they were defined. */
  listCapabilities(): CapabilityInfo[] {
    return Array.from(this.#registrations.values(), ({ capability, providers }) => ({
      id: capability.id,
      displayName: capability.displayName,
      description: capability.description,
      providers: providers.map(({ id, displayName, description, priority }) => ({
        id,
        displayName,
        description,
        priority,
        enabled: this.isProviderEnabled(id),
      })),
    }));
  }

  /** One capability with its providers, `undefined` if there is none of that name. */
  getCapabilityInfo(id: string): CapabilityInfo | undefined {
    return this.listCapabilities().find((capability) => capability.id === id);
  }

  #registration(capabilityId: string): Registration {
    const registration = this.#registrations.get(capabilityId);
    if (registration === undefined) {
      throw new Error(
        `Unknown capability "${capabilityId}": define it with defineCapability first`,
      );
    }
    return registration;
  }

  #selected<T>(capabilityId: string, options: LoadCapabilityOptions<T>): Provider<unknown>[] {
    const { providers: wanted, excludeProviders = [] } = options;
    return this.#registration(capabilityId).providers.filter(({ id }) =>
      (wanted?.includes(id) ?? this.isProviderEnabled(id)) && !excludeProviders.includes(id)
    );
  }
}

interface Answer {
  items: readonly unknown[];
  warnings: HookLoadWarning[];
}

/** Asks one provider; whatever it does, there is an answer. */
async function ask(provider: Provider<unknown>, context: LoadContext): Promise<Answer> {
  const warningOf = (text: string): HookLoadWarning => ({
    path: provider.id,
    warning: `[${provider.displayName}] ${text}`,
    kind: "provider",
  });
  try {
    const result = await provider.load(context);
    const items: unknown = result?.items;
    if (!Array.isArray(items)) {
      const text = `Failed to load: it answered ${describeValue(result)}, not { items: [] }`;
      return { items: [], warnings: [warningOf(text)] };
    }
    const warnings = Array.from(result.warnings ?? [], (warning: unknown) => {
      if (isWarning(warning)) return warning;
      return warningOf(typeof warning === "string" ? warning : describeValue(warning));
    });
    return { items, warnings };
  } catch (thrown) {
    return { items: [], warnings: [warningOf(`Failed to load: ${thrownText(thrown)}`)] };
  }
}

function isWarning(value: unknown): value is HookLoadWarning {
  return typeof value === "object" && value !== null && "warning" in value && "path" in value;
}

type Admission<T> =
  | { found: T & FoundMark; key: string | undefined; path: string }
  | { fault: string; path: string };

/** Checks and copies one thing. Nothing that a provider hands over may break the search. */
function admit<T>(
  item: unknown,
  provider: Provider<unknown>,
  capability: Capability<unknown>,
  includeInvalid: boolean,
): Admission<T> {
  let path = describeValue(item);
  try {
    if (typeof item !== "object" || item === null) return { fault: "it is not an item", path };
    path = capability.path(item) || path;
    const fault = includeInvalid ? undefined : capability.validate?.(item);
    if (fault !== undefined) return { fault, path };
    const mark: FoundMark = { provider: provider.id, providerName: provider.displayName };
    // What a capability holds is known to the caller only, as with every registry by name.
    return { found: { ...item as T, ...mark }, key: capability.key(item), path };
  } catch (thrown) {
    return { fault: thrownText(thrown), path };
  }
}

/**
 * What a capability, a provider and the outcome of a search look like.
 *
 * A capability is a kind of thing (such as `hooks`), a provider knows one place where such things
 * may be.
 *
 * @module
 */

import type { HookLoadWarning } from "../errors.ts";

/** Where providers look. */
export interface LoadContext {
  /** The project folder; absolute. */
  cwd: string;
  /** The person's home folder, `undefined` if it is not known. */
  home: string | undefined;
}

/**
 * What one provider found.
 *
 * @typeParam T The things.
 */
export interface LoadResult<T> {
  /** The things, first ones first. They are never changed. */
  items: readonly T[];
  /** What looked odd. A text is a warning about the provider itself. */
  warnings?: readonly (string | HookLoadWarning)[];
}

/**
 * A place where things of a kind are looked for.
 *
 * @typeParam T The things.
 */
export interface Provider<T> {
  /** Its name for programs. */
  id: string;
  /** Its name for people. */
  displayName: string;
  /** Where it looks, in a few words. */
  description: string;
  /** Higher ones come first; equal ones in the order of registration. */
  priority: number;
  /** Looks. Called anew each time; if it fails, that is a warning and the others count. */
  load(context: LoadContext): LoadResult<T> | Promise<LoadResult<T>>;
}

/**
 * A kind of thing.
 *
 * @typeParam T The things.
 */
export interface Capability<T> {
  /** Its name for programs. */
  id: string;
  /** Its name for people. */
  displayName: string;
  /** What these things are, in a few words. */
  description: string;
  /** What makes two things the same; things without a key are never the same. */
  key(item: T): string | undefined;
  /** The file that a thing is in, for messages. */
  path(item: T): string;
  /** What is wrong with a thing, `undefined` if nothing is. */
  validate?(item: T): string | undefined;
}

/** What the registry adds to the copy of a thing that it hands out. */
export interface FoundMark {
  /** The provider that found it. */
  provider: string;
  /** The name of that provider for people. */
  providerName: string;
  /** `true` if another thing with the same key comes first. */
  shadowed?: true;
  /** The file of the thing that comes first. */
  shadowedBy?: string;
}

/**
 * What all providers together found.
 *
 * @typeParam T The things.
 */
export interface CapabilityResult<T> {
  /** The things that count, in order. */
  items: (T & FoundMark)[];
  /** The same, and the shadowed ones at their places. */
  all: (T & FoundMark)[];
  /** What `accept` did not take, in order; it shadows nothing. */
  refused: (T & FoundMark)[];
  /** What looked odd: invalid things, failed providers, what providers said. */
  warnings: HookLoadWarning[];
  /** The providers that found something. */
  providers: string[];
}

/**
 * Options of looking for things.
 *
 * @typeParam T The things.
 */
export interface LoadCapabilityOptions<T> extends LoadContext {
  /** Ask these providers only, even if they are disabled. */
  providers?: readonly string[];
  /** Do not ask these providers. */
  excludeProviders?: readonly string[];
  /** Keep things that are not valid. Default: `false`. */
  includeInvalid?: boolean;
  /** Tells which things may be used. What it does not take cannot shadow what it takes. */
  accept?(item: T & FoundMark): boolean;
}

/** A capability, for listings. */
export interface CapabilityInfo {
  /** Its name for programs. */
  id: string;
  /** Its name for people. */
  displayName: string;
  /** What it is. */
  description: string;
  /** Its providers, in the order in which they count. */
  providers: ProviderInfo[];
}

/** A provider, for listings. */
export interface ProviderInfo {
  /** Its name for programs. */
  id: string;
  /** Its name for people. */
  displayName: string;
  /** Where it looks. */
  description: string;
  /** Its priority. */
  priority: number;
  /** Whether it is asked. */
  enabled: boolean;
}

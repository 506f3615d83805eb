/**
 * Values as JSON and back: what JSON cannot say stands in an object with a mark.
 *
 * Plain data is not copied on the way out: a value without anything special in it comes back as it
 * is. Dates, sets, maps, bytes, big integers, `undefined`, `NaN` and errors arrive as what they
 * were; instances of classes as plain objects of their fields.
 *
 * @module
 */

import { describeValue } from "../errors.ts";
import { packThrown, unpackThrown } from "./thrown.ts";

/** The key that marks what JSON cannot say. */
const MARK = "$pi-hooks";
const MAX_DEPTH = 500;

/** How a value is packed. */
export interface PackOptions {
  /** What to do with a function and the like: default a stand-in that throws when it is used. */
  refuse?: boolean;
  /** Gives a number to a signal; without it signals do not cross. */
  signal?: (signal: AbortSignal) => number;
}

/** How a value is unpacked. */
export interface UnpackOptions {
  /** The signal of a number. */
  signal?: (number: number, isAborted: boolean) => AbortSignal;
  /** What stands for something that did not cross. Default: an object whose every use throws. */
  lost?: (what: string) => unknown;
}

/** Something that cannot cross. */
export class CannotCross extends TypeError {}

/**
 * Makes a value fit for `JSON.stringify`.
 *
 * @param value Anything.
 * @param options See there.
 * @returns The same value if there is nothing special in it.
 * @throws {CannotCross} With `refuse`, if something cannot cross.
 */
export function pack(value: unknown, options: PackOptions = {}): unknown {
  return packAt(value, options, 0);
}

function packAt(value: unknown, options: PackOptions, depth: number): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value) && !Object.is(value, -0)) return value;
      return marked("number", Object.is(value, -0) ? "-0" : String(value));
    case "undefined":
      return marked("undefined");
    case "bigint":
      return marked("bigint", String(value));
    case "object":
      return value === null ? null : packObject(value, options, depth);
  }
  return lost(value, options);
}

function packObject(value: object, options: PackOptions, depth: number): unknown {
  if (depth > MAX_DEPTH) return lost(value, options, "something that is nested too deeply");
  if (Array.isArray(value)) return packList(value, options, depth);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    const special = packSpecial(value, options, depth);
    if (special !== undefined) return special;
  }
  try {
    return packRecord(value as Record<string, unknown>, options, depth);
  } catch (thrown) {
    if (thrown instanceof CannotCross) throw thrown;
    return lost(value, options);
  }
}

function packList(list: readonly unknown[], options: PackOptions, depth: number): unknown {
  let packed: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = packAt(list[i], options, depth + 1);
    if (item !== list[i]) packed ??= list.slice();
    if (packed !== undefined) packed[i] = item;
  }
  return packed ?? list;
}

function packRecord(
  value: Record<string, unknown>,
  options: PackOptions,
  depth: number,
): unknown {
  const prototype = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === null;
  let packed: Record<string, unknown> | undefined = isPlain ? undefined : { ...value };
  for (const key of Object.keys(value)) {
    const field = value[key];
    const item = packAt(field, options, depth + 1);
    if (item !== field) packed ??= { ...value };
    if (packed !== undefined) define(packed, key, item);
  }
  // `toJSON` would be called by JSON.stringify, and has been answered for by its fields.
  packed ??= value;
  return MARK in packed ? marked("record", Object.entries(packed)) : packed;
}

/** Also for a key named `__proto__`. */
function define(record: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(record, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function packSpecial(value: object, options: PackOptions, depth: number): unknown {
  const inner = (one: unknown): unknown => packAt(one, options, depth + 1);
  if (value instanceof Date) return marked("date", inner(value.getTime()));
  if (value instanceof Set) return marked("set", [...value].map(inner));
  if (value instanceof Map) {
    return marked("map", [...value].map(([key, item]) => [inner(key), inner(item)]));
  }
  if (value instanceof Error) return marked("error", packThrown(value, inner));
  if (value instanceof RegExp) return marked("regexp", [value.source, value.flags]);
  if (value instanceof URL) return marked("url", value.href);
  if (value instanceof Uint8Array) return marked("bytes", base64Of(value));
  if (value instanceof AbortSignal && options.signal !== undefined) {
    return marked("signal", [options.signal(value), value.aborted]);
  }
  const hasNoFields = value instanceof Promise || value instanceof AbortSignal ||
    ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof WeakMap;
  return hasNoFields ? lost(value, options) : undefined;
}

/** Whether a packed value stands for something that JSON cannot say. */
export function isMarked(packed: unknown): boolean {
  return typeof packed === "object" && packed !== null && Object.hasOwn(packed, MARK);
}

function marked(kind: string, value: unknown = null): unknown {
  return { [MARK]: kind, value };
}

function lost(value: unknown, options: PackOptions, what = describeKind(value)): unknown {
  if (options.refuse !== true) return marked("lost", what);
  throw new CannotCross(`${what} cannot cross between an isolated hook and its host`);
}

function describeKind(value: unknown): string {
  if (typeof value === "symbol") return String(value);
  if (typeof value === "function") return describeValue(value);
  try {
    return `an object of type ${(value as object).constructor.name}`;
  } catch {
    return "an object";
  }
}

/**
 * Makes of a parsed text what was packed.
 *
 * @param value What `JSON.parse` gave. It belongs to this function.
 * @param options See there.
 */
export function unpack(value: unknown, options: UnpackOptions = {}): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (typeof item !== "object" || item === null) continue;
      const whole = unpack(item, options);
      if (whole !== item) value[i] = whole;
    }
    return value;
  }
  if (Object.hasOwn(value, MARK)) return unpackMarked(value as Marked, options);
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    const field = record[key];
    if (typeof field !== "object" || field === null) continue;
    const item = unpack(field, options);
    if (item !== field) define(record, key, item);
  }
  return record;
}

type Marked = Record<string, unknown>;

function unpackMarked({ [MARK]: kind, value }: Marked, options: UnpackOptions): unknown {
  const inner = unpack(value, options);
  const list = Array.isArray(inner) ? inner : [];
  switch (kind) {
    case "undefined":
      return undefined;
    case "number":
      return Number(inner);
    case "bigint":
      return /^-?\d{1,400}$/.test(String(inner)) ? BigInt(String(inner)) : undefined;
    case "date":
      return new Date(typeof inner === "number" ? inner : NaN);
    case "set":
      return new Set(list);
    case "map":
      return new Map(list.filter((pair) => Array.isArray(pair)).map(([key, item]) => [key, item]));
    case "error":
      return unpackThrown(inner);
    case "regexp":
      return regexpOf(String(list[0]), String(list[1]));
    case "url":
      return URL.canParse(String(inner)) ? new URL(String(inner)) : String(inner);
    case "bytes":
      return bytesOf(String(inner));
    case "record":
      return recordOf(list);
    case "signal":
      if (options.signal === undefined || typeof list[0] !== "number") return undefined;
      return options.signal(list[0], list[1] === true);
  }
  return (options.lost ?? standIn)(String(inner));
}

function recordOf(entries: readonly unknown[]): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const entry of entries) {
    if (Array.isArray(entry)) define(record, String(entry[0]), entry[1]);
  }
  return record;
}

/** A pattern of a hook is not worth a thrown error. */
function regexpOf(source: string, flags: string): unknown {
  try {
    return new RegExp(source, flags);
  } catch {
    return `/${source}/${flags}`;
  }
}

/** Stands for what could not cross: any use of it throws, so that nothing is lost in silence. */
function standIn(what: string): unknown {
  const use = (): never => {
    throw new CannotCross(`${what} cannot cross between an isolated hook and its host`);
  };
  return new Proxy(use, { get: use, set: use, has: use, ownKeys: use, apply: use, construct: use });
}

function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  return btoa(text);
}

function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

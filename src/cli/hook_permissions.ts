/**
 * Hooks in processes of their own: what the options say, what a hook asks for, what is dangerous.
 *
 * @module
 */

import type { HookToIsolate, IsolateOptions, LoadedHook } from "../../mod.ts";
import {
  permissionDangers,
  type PermissionPlace,
  placePermissions,
} from "../isolation/permission_grant.ts";
import { permissionText, readPermissionHead } from "../isolation/permission_head.ts";
import type { ParsedOptions } from "./options.ts";

/** What a hook asks for. */
export interface AskedPermissions {
  /** As it stands in its head. */
  asked: string;
  /** What is dangerous about it, one sentence each. */
  dangers: string[];
}

/**
 * How hooks are isolated. Whoever names a hook, or trusts the folder that it comes with, grants what
 * its head asks for; trust ends when the head changes.
 *
 * @param options The options.
 */
export function isolationOf(options: ParsedOptions): IsolateOptions {
  if (!options.has("isolate")) return {};
  const isolatedTimeoutMs = options.wholeNumber("timeout");
  return {
    isolate: true,
    permissions: "asked",
    ...isolatedTimeoutMs !== undefined && { isolatedTimeoutMs },
  };
}

/**
 * What a hook asks for in its head, `undefined` if that is nothing.
 *
 * @param hook The hook.
 */
export function askedPermissions(
  hook: LoadedHook | HookToIsolate,
): AskedPermissions | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(hook.resolvedPath);
  } catch {
    // What comes from the net has no head that can be read here.
    return undefined;
  }
  const { asked, faults } = readPermissionHead(text);
  const shown = permissionText(asked);
  if (shown === "" && faults.length === 0) return undefined;
  const place: PermissionPlace = {
    cwd: Deno.cwd(),
    home: Deno.env.get(Deno.build.os === "windows" ? "USERPROFILE" : "HOME"),
    hookFolder: hook.resolvedPath.slice(0, hook.resolvedPath.lastIndexOf("/")),
  };
  const dangers = permissionDangers(placePermissions(asked, place), place);
  return { asked: shown, dangers: [...faults, ...dangers] };
}

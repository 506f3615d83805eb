/**
 * What the environment says.
 *
 * @module
 */

import { missingPermission } from "./permissions.ts";

const HOME_VARIABLE = Deno.build.os === "windows" ? "USERPROFILE" : "HOME";

/** The person's home folder, `undefined` if it is not set or Deno may not know it. */
export function homeFolder(): string | undefined {
  return mayReadHomeFolder() && Deno.env.get(HOME_VARIABLE) || undefined;
}

/** Whether Deno may know the home folder. */
export function mayReadHomeFolder(): boolean {
  return missingPermission({ name: "env", variable: HOME_VARIABLE }) === undefined;
}

/** Where `jsr:` modules come from. */
export function jsrHost(): string {
  const variable = "JSR_URL";
  const url = missingPermission({ name: "env", variable }) === undefined
    ? Deno.env.get(variable)
    : undefined;
  return url !== undefined && URL.canParse(url) ? new URL(url).host : "jsr.io";
}

/**
 * What the environment says.
 *
 * @module
 */

import { missingPermission } from "./permissions.ts";

/** The person's home folder, `undefined` if Deno may not know it. */
export function homeFolder(): string | undefined {
  const variable = Deno.build.os === "windows" ? "USERPROFILE" : "HOME";
  if (missingPermission({ name: "env", variable }) !== undefined) return undefined;
  return Deno.env.get(variable) || undefined;
}

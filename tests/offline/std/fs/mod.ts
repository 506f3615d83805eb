/**
 * Stand-in for `@std/fs`: the parts this project uses. Laid into `vendor/` by
 * `tests/offline/setup.ts` where JSR cannot be reached.
 *
 * @module
 */

export * from "./copy.ts";
export * from "./ensure_dir.ts";
export * from "./exists.ts";
export * from "./walk.ts";

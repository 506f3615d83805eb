/**
 * Hooks for coding agents: load hook files, run their handlers in a fixed order, put them before
 * and after tools.
 *
 * @module
 */

export * from "./src/errors.ts";
export type * from "./src/messages.ts";
export type * from "./src/entries.ts";
export * from "./src/events/tool.ts";
export type * from "./src/events/session.ts";
export type * from "./src/events/agent.ts";
export type * from "./src/events/map.ts";
export type * from "./src/ports.ts";
export type * from "./src/types.ts";
export * from "./src/hook.ts";

/**
 * The agents whose dialect is spoken.
 *
 * @module
 */

import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import type { Agent } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

/** All of them. */
export const AGENTS: readonly Agent[] = [claude, gemini, codex, copilot, cursor, opencode];

/**
 * One by its name.
 *
 * @param name The name.
 */
export function agentNamed(name: string): Agent | undefined {
  return AGENTS.find((agent) => agent.name === name);
}

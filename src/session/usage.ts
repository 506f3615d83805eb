/**
 * Adds up what the answers of models have cost.
 *
 * @module
 */

import type { SessionEntry, UsageStatistics } from "../entries.ts";

/** Totals of nothing. */
export function noUsage(): UsageStatistics {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, premiumRequests: 0, cost: 0 };
}

/**
 * Adds the usage of an entry, if it is an answer of a model.
 *
 * @param total Is added to.
 * @param entry Any entry.
 */
export function addUsage(total: UsageStatistics, entry: SessionEntry): void {
  if (entry.type !== "message" || entry.message?.role !== "assistant") return;
  // Files of other programs may lack any of these numbers.
  const usage: Partial<typeof entry.message.usage> = entry.message.usage ?? {};
  total.input += numberOr0(usage.input);
  total.output += numberOr0(usage.output);
  total.cacheRead += numberOr0(usage.cacheRead);
  total.cacheWrite += numberOr0(usage.cacheWrite);
  total.premiumRequests += numberOr0(usage.premiumRequests);
  total.cost += numberOr0(usage.cost?.total);
}

function numberOr0(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

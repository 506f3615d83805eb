/**
 * What goes wrong with the process of an isolated hook, as errors of the host.
 *
 * @module
 */

import { LoadFault } from "../import_fault.ts";

/** The process of a hook has failed; the message names the hook and what happened. */
export class IsolationFault extends Error {
  /** Always `"IsolationFault"`. */
  override readonly name = "IsolationFault";
}

const LOAD_KINDS = [
  "permission",
  "syntax",
  "import",
  "no-default-export",
  "factory",
  "timeout",
] as const;

/**
 * Why a hook did not load, as its process says it.
 *
 * @param said The kind and the text.
 */
export function loadFaultOf({ kind, text }: { kind: string; text: string }): LoadFault {
  return new LoadFault(LOAD_KINDS.find((one) => one === kind) ?? "import", text);
}

/**
 * A person who gives the same answer to every question.
 *
 * @module
 */

import { createNoOpUIContext, type HookUIContext } from "../../mod.ts";

const YES = /^\W*(?:yes|y|allow|ok|approve|accept|continue|proceed|run)\b/i;
const NO = /^\W*(?:no|n|deny|block|reject|refuse|cancel|stop|abort|skip)\b/i;

/**
 * Makes the person.
 *
 * @param answer `yes` confirms, and chooses the first option that reads like a yes, or the first of
 * all. `no` refuses, and chooses the first option that reads like a no, or none. Texts are answered
 * with what they begin with, or not at all.
 */
export function answeringUI(answer: "yes" | "no"): HookUIContext {
  const isYes = answer === "yes";
  return {
    ...createNoOpUIContext(),
    confirm: () => Promise.resolve(isYes),
    select: (_title, options) =>
      Promise.resolve(
        isYes
          ? options.find((option) => YES.test(option)) ?? options[0]
          : options.find((option) => NO.test(option)),
      ),
    input: () => Promise.resolve(isYes ? "" : undefined),
    editor: (_title, prefill) => Promise.resolve(isYes ? prefill ?? "" : undefined),
  };
}

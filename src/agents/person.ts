/**
 * A person who is asked by the agent later, not now.
 *
 * A hook that asks inside a gate gets the answer that would let the call go on, and what it asked is
 * kept. If the hooks then have no objection, the agent asks the person; if one has, the answer is no
 * and nobody is asked. So the tool runs only after every hook and the person have agreed.
 *
 * @module
 */

import type { HookUIContext } from "../ports.ts";
import { createNoOpUIContext } from "../ui/no_ui.ts";

/** Options of a choice that mean "go on, this time". */
const YES = /^\W*(yes|y|ok|okay|allow|approve|accept|continue|proceed|run|confirm)\b/i;

/** Options that would also settle later calls, which the person has not been asked about. */
const FOR_LATER = /always|session|remember|all\b|don't ask|never/i;

/** Keeps questions. */
export class AskedPerson {
  /** What was asked, in order. */
  readonly questions: string[] = [];
  /** Asks. */
  readonly ui: HookUIContext;

  constructor() {
    this.ui = {
      ...createNoOpUIContext(),
      confirm: (title, message) => {
        this.questions.push([title, message].filter(Boolean).join("\n"));
        return Promise.resolve(true);
      },
      select: (title, options) => {
        const yes = options.find((option) => YES.test(option) && !FOR_LATER.test(option));
        if (yes !== undefined) this.questions.push(title);
        return Promise.resolve(yes);
      },
    };
  }
}

/**
 * Rules that watch what the model writes, and interrupt it.
 *
 * @module
 */

import { thrownText } from "../errors.ts";
import type { Rule } from "../events/agent.ts";
import type { CustomMessage } from "../messages.ts";

/**
 * How much of a growing text is looked at, in UTF-16 code units: patterns are short, and to look
 * at everything with every piece would take longer and longer.
 */
const WATCHED_LENGTH = 8192;

/** The model wrote something that rules are about. */
export class RuleMatch extends Error {
  /** Always `"RuleMatch"`. */
  override readonly name = "RuleMatch";
  /** The rules. */
  readonly rules: Rule[];

  /** @param rules The rules. */
  constructor(rules: Rule[]) {
    super(`The model wrote what these rules are about: ${rules.map(({ name }) => name)}`);
    this.rules = rules;
  }
}

/** A rule that has not been needed yet. */
interface WatchingRule {
  rule: Rule;
  patterns: RegExp[];
}

/** The rules of a host. Each of them is used once a session. */
export class StreamRules {
  readonly #rules: readonly WatchingRule[];
  #watching: readonly WatchingRule[];

  /**
   * @param rules The rules. Those without a `condition`, and those that watch tools only, match
   * nothing: what the model says is all that is watched.
   * @throws {TypeError} If a condition is no regular expression.
   */
  constructor(rules: readonly Rule[]) {
    this.#rules = rules.filter(({ interruptMode }) => interruptMode !== "tool-only")
      .map((rule) => ({ rule, patterns: (rule.condition ?? []).map((one) => compile(rule, one)) }));
    this.#watching = this.#rules;
  }

  /** Watches with all rules again, in another session. */
  reset(): void {
    this.#watching = this.#rules;
  }

  /**
   * Looks at what the model has written so far.
   *
   * @param text All of it; the end is looked at.
   * @throws {RuleMatch} If rules match that interrupt.
   */
  watch(text: string): void {
    if (this.#watching.length === 0) return;
    const rules = this.#take(text.slice(-WATCHED_LENGTH), (rule) => rule.interruptMode !== "never");
    if (rules.length > 0) throw new RuleMatch(rules);
  }

  /**
   * Looks at a whole answer.
   *
   * @param text The text of the answer.
   * @returns The rules that match and do not interrupt.
   * @throws {RuleMatch} If rules match that interrupt.
   */
  check(text: string): Rule[] {
    if (this.#watching.length === 0) return [];
    const rules = this.#take(text, (rule) => rule.interruptMode !== "never");
    if (rules.length > 0) throw new RuleMatch(rules);
    return this.#take(text, () => true);
  }

  #take(text: string, concerns: (rule: Rule) => boolean): Rule[] {
    const matching = this.#watching.filter(({ rule, patterns }) =>
      concerns(rule) && patterns.some((pattern) => pattern.test(text))
    );
    if (matching.length > 0) {
      this.#watching = this.#watching.filter((one) => !matching.includes(one));
    }
    return matching.map(({ rule }) => rule);
  }
}

function compile(rule: Rule, condition: string): RegExp {
  try {
    return new RegExp(condition);
  } catch (thrown) {
    throw new TypeError(
      `The rule ${JSON.stringify(rule.name)} (${rule.path}) has a condition that is no regular ` +
        `expression: ${thrownText(thrown)}`,
    );
  }
}

/**
 * What the model is told when rules match.
 *
 * @param rules The rules.
 * @param timestamp When, in milliseconds since 1970.
 */
export function ruleMessage(rules: readonly Rule[], timestamp: number): CustomMessage {
  const parts = rules.map(({ name, content }) =>
    `<rule name=${JSON.stringify(name)}>\n${content}\n</rule>`
  );
  return {
    role: "custom",
    customType: "stream-rule",
    content: "What you were writing is the subject of rules of this project. Heed them:\n\n" +
      parts.join("\n\n"),
    display: false,
    details: { rules: rules.map(({ name }) => name) },
    attribution: "agent",
    timestamp,
  };
}

/**
 * A model that plays a script: for tests, demos and replays.
 *
 * @module
 */

import type { AssistantMessage } from "../messages.ts";
import {
  assistantText,
  ModelError,
  type ModelPort,
  type ModelRequest,
} from "../session/model_port.ts";

/**
 * One answer of a script: a message; a text, which becomes one; an error, which is thrown; or a
 * function of the request that gives one of these.
 */
export type ScriptedAnswer =
  | AssistantMessage
  | string
  | Error
  | ((
    request: ModelRequest,
  ) => AssistantMessage | string | Error | Promise<AssistantMessage | string | Error>);

/** A model that plays a script. */
export type ScriptedModel = ModelPort & {
  /** What it was asked, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** How many answers are left. */
  readonly remaining: number;
};

/**
 * Makes a model that gives one answer after the other. When there is none left it throws a
 * {@linkcode ModelError} that says how often it was asked.
 *
 * @param answers The answers.
 *
 * @example
 * ```ts
 * import { HookHost, scriptedModel } from "@pi-hooks/core";
 *
 * const model = scriptedModel(["Hello!"]);
 * const host = new HookHost({ model });
 * await host.prompt("Hi");
 * await host.shutdown();
 * if (model.remaining !== 0) throw new Error("the model was not asked");
 * ```
 */
export function scriptedModel(answers: readonly ScriptedAnswer[]): ScriptedModel {
  const script = [...answers];
  const requests: ModelRequest[] = [];
  const model = async (request: ModelRequest): Promise<AssistantMessage> => {
    requests.push(request);
    const next = script.shift();
    if (next === undefined) {
      throw new ModelError(
        `The script has ${answers.length} answers, and this is request ${requests.length}`,
      );
    }
    const answer = typeof next === "function" ? await next(request) : next;
    if (answer instanceof Error) throw answer;
    return typeof answer === "string" ? assistantText(answer, "stop", Date.now()) : answer;
  };
  return Object.defineProperties(model, {
    requests: { get: () => [...requests] },
    remaining: { get: () => script.length },
  }) as ScriptedModel;
}

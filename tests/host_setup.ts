/**
 * A host whose events are written down, and whose clock does not wait.
 *
 * @module
 */

import type { HookError } from "../src/errors.ts";
import type { HookEvent } from "../src/events/map.ts";
import { HOOK_EVENT_NAMES } from "../src/events/policy.ts";
import type { HostClock } from "../src/host/clock.ts";
import { HookHost } from "../src/host/host.ts";
import type { HookHostOptions } from "../src/host/host_options.ts";
import {
  type ScriptedAnswer,
  type ScriptedModel,
  scriptedModel,
} from "../src/host/scripted_model.ts";
import type { LoadedHook } from "../src/hook.ts";
import type { AgentMessage } from "../src/messages.ts";
import type { ModelPort } from "../src/session/model_port.ts";
import { textIn } from "./conversation.ts";
import { hook } from "./helpers.ts";

/** A clock that stands still at 1000 and tells how long somebody wanted to wait. */
export interface StillClock extends HostClock {
  /** The waits, in milliseconds. */
  readonly waits: number[];
}

/** Makes a clock that stands still. */
export function stillClock(): StillClock {
  const waits: number[] = [];
  return {
    waits,
    now: () => 1000,
    sleep(ms, signal) {
      waits.push(ms);
      return signal.aborted ? Promise.reject(signal.reason) : Promise.resolve();
    },
  };
}

/** A hook that writes down every event. */
export function recorder(events: HookEvent[]): LoadedHook {
  const record = (event: HookEvent): void => void events.push(event);
  return hook("/recorder.ts", Object.fromEntries(HOOK_EVENT_NAMES.map((name) => [name, record])));
}

/** A host, and what it did. Shuts down at the end of the block. */
export interface TestHost extends AsyncDisposable {
  /** The host. */
  readonly host: HookHost;
  /** Its model. */
  readonly model: ScriptedModel;
  /** All events, as the last hook saw them. */
  readonly events: HookEvent[];
  /** What its error listeners were told. */
  readonly errors: HookError[];
  /** Its clock. */
  readonly clock: StillClock;
  /** The names of the events since this was asked last. */
  newEvents(): string[];
}

/** Options of a host, and what its model answers. */
export interface TestHostOptions extends Omit<HookHostOptions, "model"> {
  /** What the model answers. */
  answers?: readonly ScriptedAnswer[];
  /** A model in the place of the scripted one. */
  port?: ModelPort;
}

/**
 * Makes a host with a hook that writes down all events.
 *
 * @param options Its options, and the answers of its model.
 */
export function makeHost(setup: TestHostOptions = {}): TestHost {
  const { answers = [], port, hooks = [], ...options } = setup;
  const events: HookEvent[] = [];
  const errors: HookError[] = [];
  const clock = stillClock();
  const model = scriptedModel(answers);
  const host = new HookHost({
    clock,
    ...options,
    model: port ?? model,
    hooks: [...hooks, recorder(events)],
  });
  host.runner.onError((error) => errors.push(error));
  let told = 0;
  return {
    host,
    model,
    events,
    errors,
    clock,
    newEvents() {
      const names = events.slice(told).map(({ type }) => type);
      told = events.length;
      return names;
    },
    [Symbol.asyncDispose]: () => host.shutdown(),
  };
}

/** Who says what, a line each: `user: go`, `toolResult: {"a":1}`, `assistant: calls echo`. */
export function linesOf(messages: readonly AgentMessage[]): string[] {
  return messages.map((message) => {
    const calls = message.role === "assistant"
      ? message.content.flatMap((block) => block.type === "toolCall" ? [`calls ${block.name}`] : [])
      : [];
    const ending = message.role === "assistant" && message.errorMessage !== undefined
      ? [`(${message.stopReason}: ${message.errorMessage})`]
      : [];
    const isError = message.role === "toolResult" && message.isError;
    const words = [textIn(message), ...calls, ...ending].filter((word) => word !== "");
    return `${message.role}${isError ? " error" : ""}: ${words.join(" ")}`;
  });
}

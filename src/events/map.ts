/**
 * The one list of events. Everything that is typed by event is derived from it: `HookAPI.on`, the
 * runner, the fold table, the documentation tests.
 *
 * @module
 */

import type * as agent from "./agent.ts";
import type * as session from "./session.ts";
import type * as tool from "./tool.ts";

/** From the name of an event to what a handler gets and what it may answer. */
export interface HookEventMap {
  /** The program has started. */
  session_start: { event: session.SessionStartEvent; result: undefined };
  /** Before another session becomes current. */
  session_before_switch: {
    event: session.SessionBeforeSwitchEvent;
    result: session.SessionBeforeSwitchResult;
  };
  /** After another session became current. */
  session_switch: { event: session.SessionSwitchEvent; result: undefined };
  /** Before a new session is made from a place in this one. */
  session_before_branch: {
    event: session.SessionBeforeBranchEvent;
    result: session.SessionBeforeBranchResult;
  };
  /** After a new session was made from a place in the former one. */
  session_branch: { event: session.SessionBranchEvent; result: undefined };
  /** Before the conversation is compacted. */
  session_before_compact: {
    event: session.SessionBeforeCompactEvent;
    result: session.SessionBeforeCompactResult;
  };
  /** Before the default summary is made. */
  "session.compacting": {
    event: session.SessionCompactingEvent;
    result: session.SessionCompactingResult;
  };
  /** After the conversation was compacted. */
  session_compact: { event: session.SessionCompactEvent; result: undefined };
  /** Before a walk to another place in the tree. */
  session_before_tree: {
    event: session.SessionBeforeTreeEvent;
    result: session.SessionBeforeTreeResult;
  };
  /** After a walk to another place in the tree. */
  session_tree: { event: session.SessionTreeEvent; result: undefined };
  /** The program is about to end. */
  session_shutdown: { event: session.SessionShutdownEvent; result: undefined };
  /** Before each call of the model. */
  context: { event: agent.ContextEvent; result: agent.ContextEventResult };
  /** Before a prompt starts the agent. */
  before_agent_start: {
    event: agent.BeforeAgentStartEvent;
    result: agent.BeforeAgentStartEventResult;
  };
  /** The agent begins. */
  agent_start: { event: agent.AgentStartEvent; result: undefined };
  /** The agent has finished. */
  agent_end: { event: agent.AgentEndEvent; result: undefined };
  /** A turn begins. */
  turn_start: { event: agent.TurnStartEvent; result: undefined };
  /** A turn has ended. */
  turn_end: { event: agent.TurnEndEvent; result: undefined };
  /** An automatic compaction begins. */
  auto_compaction_start: { event: agent.AutoCompactionStartEvent; result: undefined };
  /** An automatic compaction is over. */
  auto_compaction_end: { event: agent.AutoCompactionEndEvent; result: undefined };
  /** A call of the model will be tried again. */
  auto_retry_start: { event: agent.AutoRetryStartEvent; result: undefined };
  /** The retries are over. */
  auto_retry_end: { event: agent.AutoRetryEndEvent; result: undefined };
  /** Stream rules interrupted the model. */
  ttsr_triggered: { event: agent.TtsrTriggeredEvent; result: undefined };
  /** The agent is about to be reminded of open tasks. */
  todo_reminder: { event: agent.TodoReminderEvent; result: undefined };
  /** Before a tool runs. */
  tool_call: { event: tool.ToolCallEvent; result: tool.ToolCallEventResult };
  /** After a tool ran. */
  tool_result: { event: tool.ToolResultEvent; result: tool.ToolResultEventResult };
}

/** The name of an event. */
export type HookEventName = keyof HookEventMap;

/** What the handlers of an event get. */
export type HookEventOf<N extends HookEventName> = HookEventMap[N]["event"];

/** What the handlers of an event may answer, `undefined` where answers are ignored. */
export type HookResultOf<N extends HookEventName> = HookEventMap[N]["result"];

/** Any event. */
export type HookEvent = HookEventOf<HookEventName>;

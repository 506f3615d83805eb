/**
 * What hooks are asked for each kind of event, and what is made of their answers.
 *
 * @module
 */

import type { CompactionPreparation } from "../entries.ts";
import type { HookMessageInput } from "../events/agent.ts";
import type { ToolCallEvent } from "../events/tool.ts";
import type { AgentMessage } from "../messages.ts";
import type { SendMessageOptions } from "../types.ts";
import type { AgentEvent, EventRow, Replacement } from "./dialect.ts";
import type { Judgement, Outcome } from "./judge.ts";
import { type PiToolCall, toPiToolCall, toPiToolCalls } from "./names.ts";
import { AskedPerson } from "./person.ts";
import { toPiToolResult } from "./results.ts";
import { foreignSession } from "./session.ts";

/** A message that a hook sent while it was asked. */
interface SentMessage {
  text: string;
  startsTurn: boolean;
}

/**
 * Asks the hooks about an event.
 *
 * @param judgement The event, and who is asked.
 * @param signal Fires when the time is over.
 * @throws What the runner throws.
 */
export async function askHooks(judgement: Judgement, signal: AbortSignal): Promise<Outcome> {
  const { row, event, runner } = judgement;
  const sent: SentMessage[] = [];
  const isGate = row.event === "tool_call";
  const canAsk = judgement.mayAsk && isGate && row.ask !== undefined && !event.asksNobody;
  const person = canAsk ? new AskedPerson() : undefined;
  runner.initialize({
    cwd: judgement.place.cwd,
    sessionManager: foreignSession(judgement.place),
    uiContext: person?.ui,
    sendMessageHandler: (message, options) => void sent.push(sentMessage(message, options)),
  });
  const outcome = await askMatter(judgement, signal);
  if (person !== undefined && outcome.denial === undefined && person.questions.length > 0) {
    outcome.question = person.questions.join("\n\n");
  }
  deliver(sent, judgement, outcome);
  return outcome;
}

async function askMatter(judgement: Judgement, signal: AbortSignal): Promise<Outcome> {
  const { row, event, runner } = judgement;
  const outcome: Outcome = { losses: [] };
  switch (row.event) {
    case "tool_call":
      return await askAboutCall(judgement, signal);
    case "tool_result":
      return await askAboutResult(judgement, signal);
    case "before_agent_start": {
      const answer = await runner.emitBeforeAgentStart(event.prompt ?? "", undefined, { signal });
      if (answer?.message !== undefined) outcome.context = textOf(answer.message.content);
      return outcome;
    }
    case "session_before_compact": {
      const answer = await runner.emit({
        type: "session_before_compact",
        preparation: unknownPreparation(),
        branchEntries: [],
        customInstructions: event.customInstructions,
        signal,
      }, { signal });
      if (answer?.cancel === true) outcome.denial = "A hook cancelled the compaction";
      if (answer?.compaction !== undefined) {
        outcome.losses.push(
          `${judgement.agent.title} takes no summary from a hook; it was dropped`,
        );
      }
      return outcome;
    }
    case "agent_end":
      await runner.emit({ type: "agent_end", messages: lastMessages(event) }, { signal });
      return outcome;
    case "session_start":
      await runner.emit({ type: "session_start" }, { signal });
      return outcome;
    case "session_shutdown":
      await runner.emit({ type: "session_shutdown" }, { signal });
      return outcome;
    case undefined:
      return outcome;
  }
}

/** A call over several files is allowed if it is for each of them. */
async function askAboutCall(judgement: Judgement, signal: AbortSignal): Promise<Outcome> {
  const { agent, event, runner } = judgement;
  for (const call of toPiToolCalls(agent.name, event.toolName ?? "", event.toolInput)) {
    const decision = await runner.decideToolCall(toolCallEvent(call, event), { signal });
    if (decision.blocked) return { denial: decision.reason, losses: [] };
  }
  return { losses: [] };
}

function toolCallEvent(call: PiToolCall, event: AgentEvent): ToolCallEvent {
  return { type: "tool_call", toolCallId: event.toolCallId ?? "unknown", ...call };
}

async function askAboutResult(judgement: Judgement, signal: AbortSignal): Promise<Outcome> {
  const { agent, row, event, runner } = judgement;
  const raw = event.toolResult;
  const call = toPiToolCall(agent.name, event.toolName ?? "", event.toolInput);
  const result = toPiToolResult(agent.name, raw, row.isFailure);
  const answer = await runner.emit({
    ...toolCallEvent(call, event),
    ...result,
    type: "tool_result",
  }, { signal });
  const hasContent = answer?.content !== undefined;
  const hasDetails = answer?.details !== undefined;
  if (!hasContent && !hasDetails) return { losses: [] };
  const replacement: Replacement = {
    ...result,
    ...(hasContent && { content: [...answer.content ?? []] }),
    ...(hasDetails && { details: answer.details }),
    raw,
    toolName: event.toolName ?? "",
    hasContent,
    hasDetails,
  };
  const part = canReplace(row, replacement) ? row.replace?.(replacement) : undefined;
  if (part !== undefined) return { replacement: part, losses: [] };
  const loss = `${agent.title} cannot replace this result of ${event.toolName}: ` +
    "the model reads it as it was, although a hook wanted to change it";
  return { losses: [loss] };
}

/** Details alone change nothing for agents that take a text only. */
function canReplace(row: EventRow, { hasContent, raw }: Replacement): boolean {
  return row.replace !== undefined && (hasContent || (typeof raw === "object" && raw !== null));
}

/** What hooks sent becomes context, or, at a stop, the text to go on with. */
function deliver(sent: SentMessage[], { row, event, agent }: Judgement, outcome: Outcome): void {
  const goOn = sent.filter(({ startsTurn }) => startsTurn && row.event === "agent_end");
  const rest = sent.filter((message) => !goOn.includes(message));
  if (rest.length > 0) {
    const texts = rest.map(({ text }) => text);
    outcome.context = [outcome.context, ...texts].filter((text) => text !== undefined).join("\n\n");
  }
  if (goOn.length === 0) return;
  if (event.isContinued) {
    outcome.losses.push("a hook wants to go on again; the agent is left to stop this time");
  } else if (row.goOn === undefined) {
    outcome.losses.push(`${agent.title} cannot be made to go on at this event`);
  } else {
    outcome.goOn = goOn.map(({ text }) => text).join("\n\n");
  }
}

function sentMessage(message: HookMessageInput, options?: SendMessageOptions): SentMessage {
  return { text: textOf(message.content), startsTurn: options?.triggerTurn === true };
}

function textOf(content: HookMessageInput["content"]): string {
  if (typeof content === "string") return content;
  return content.map((block) => block.type === "text" ? block.text : "[a picture]").join("\n");
}

function lastMessages({ lastMessage }: AgentEvent): AgentMessage[] {
  if (lastMessage === undefined) return [];
  return [{
    role: "assistant",
    content: [{ type: "text", text: lastMessage }],
    api: "unknown",
    provider: "unknown",
    model: "unknown",
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: "stop",
    timestamp: Date.now(),
  }];
}

/** The agent does not say what it would keep. */
function unknownPreparation(): CompactionPreparation {
  return {
    firstKeptEntryId: "",
    messagesToSummarize: [],
    turnPrefixMessages: [],
    recentMessages: [],
    isSplitTurn: false,
    tokensBefore: 0,
    fileOps: { read: new Set(), written: new Set(), edited: new Set() },
    settings: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
  };
}

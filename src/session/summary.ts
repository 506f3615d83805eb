/**
 * Summaries by a model: of the older part of a conversation, and of a branch that was left.
 *
 * @module
 */

import type { CompactionPreparation, CompactionResult } from "../entries.ts";
import type { SessionCompactingResult } from "../events/session.ts";
import type { AgentMessage, Message } from "../messages.ts";
import type { FileLists } from "./compaction.ts";
import { convertToLlm } from "./llm_messages.ts";
import { askModel, ModelError, type ModelPort, textOfAnswer } from "./model_port.ts";
import { serializeConversation } from "./serialize.ts";

const HISTORY_PROMPT = `Write a summary of the conversation above. Another model will read it in
its place and go on with the work, so it needs everything that still matters:

## Goal
What the user wants.

## Rules
What the user asked to be done or left alone, word for word where it matters.

## Done
What was finished, with names of files and functions.

## In progress
What was begun, and in which state it is.

## Decisions
What was decided, and why.

## Next steps
What is to be done next, in order.

## Facts
Errors, values and findings that will be needed again.

Leave out a heading that has nothing under it. Do not go on with the conversation.`;

const UPDATE_PROMPT = `The text in <previous-summary> stands for an even earlier part of the
conversation. Bring it up to date: keep what still matters, add what is new, move what was finished.`;

const TURN_PROMPT = `The text above is the first part of one long turn; its last part is kept as
it is. Write down, in a few lines, what the user asked for, what was done, and what is needed to
understand the last part. Do not go on with the conversation.`;

const BRANCH_PROMPT = `The text above is a way that the conversation went and that was left. Write
down, in a few lines, what was tried there, what came of it, which files were changed, and what is
worth knowing for another try. Do not go on with the conversation.`;

/** What the summary of a compaction has to heed. */
export interface SummaryRequest extends SessionCompactingResult {
  /** What the person asked the summary to look at. */
  customInstructions?: string;
  /** Fires when the summary is given up. */
  signal: AbortSignal;
}

/**
 * Lets a model write the summary of a compaction. If a turn is split, its first part gets a summary
 * of its own, always with the default prompt.
 *
 * @param model The model.
 * @param preparation What to summarise.
 * @param request What hooks and the person want of it.
 * @returns The result; `details` are {@linkcode FileLists}, `preserveData` is what the compaction
 * before had, then what hooks add.
 * @throws {ModelError} If the model fails or says nothing.
 * @throws {HookAbortError} When the signal fires.
 */
export async function summarizeConversation(
  model: ModelPort,
  preparation: CompactionPreparation,
  request: SummaryRequest,
): Promise<CompactionResult<FileLists>> {
  const { firstKeptEntryId, tokensBefore, turnPrefixMessages } = preparation;
  const parts = [await summarizeHistory(model, preparation, request)];
  if (turnPrefixMessages.length > 0) {
    const text = await ask(model, turnPrefixMessages, [TURN_PROMPT], request.signal);
    parts.push(`## The turn that goes on below\n\n${text}`);
  }
  const files = filesOf(preparation);
  parts.push(fileText("Files read", files.readFiles));
  parts.push(fileText("Files changed", files.modifiedFiles));
  const preserveData = { ...preparation.previousPreserveData, ...request.preserveData };
  return {
    summary: parts.filter((part) => part !== "").join("\n\n"),
    firstKeptEntryId,
    tokensBefore,
    details: files,
    ...(Object.keys(preserveData).length > 0 && { preserveData }),
  };
}

async function summarizeHistory(
  model: ModelPort,
  { messagesToSummarize, previousSummary }: CompactionPreparation,
  { prompt, context = [], customInstructions, signal }: SummaryRequest,
): Promise<string> {
  if (messagesToSummarize.length === 0) return previousSummary ?? "";
  const instructions = [prompt ?? HISTORY_PROMPT];
  if (previousSummary !== undefined) {
    instructions.unshift(`<previous-summary>\n${previousSummary}\n</previous-summary>`);
    if (prompt === undefined) instructions.push(UPDATE_PROMPT);
  }
  if (customInstructions !== undefined && customInstructions.trim() !== "") {
    instructions.push(`Additional focus: ${customInstructions.trim()}`);
  }
  if (context.length > 0) {
    const lines = context.map((line) => `- ${line}`).join("\n");
    instructions.push(`<additional-context>\n${lines}\n</additional-context>`);
  }
  return await ask(model, messagesToSummarize, instructions, signal);
}

/**
 * Lets a model write the summary of a branch that was left.
 *
 * @param model The model.
 * @param messages What was said there.
 * @param signal Fires when the summary is given up.
 * @throws {ModelError} If the model fails or says nothing.
 * @throws {HookAbortError} When the signal fires.
 */
export async function summarizeBranch(
  model: ModelPort,
  messages: readonly AgentMessage[],
  signal: AbortSignal,
): Promise<string> {
  return await ask(model, messages, [BRANCH_PROMPT], signal);
}

async function ask(
  model: ModelPort,
  messages: readonly AgentMessage[],
  instructions: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const conversation = serializeConversation(convertToLlm(messages));
  const text = [`<conversation>\n${conversation}\n</conversation>`, ...instructions].join("\n\n");
  const question: Message = {
    role: "user",
    content: [{ type: "text", text }],
    synthetic: true,
    attribution: "agent",
    timestamp: Date.now(),
  };
  const answer = await askModel(model, { messages: [question], tools: [], signal });
  const summary = textOfAnswer(answer).trim();
  if (answer.stopReason === "error" || answer.stopReason === "aborted" || summary === "") {
    const why = answer.errorMessage ?? "the model said nothing";
    throw new ModelError(`The summary could not be written: ${why}`);
  }
  return summary;
}

function filesOf({ fileOps }: CompactionPreparation): FileLists {
  const changed = new Set([...fileOps.written, ...fileOps.edited]);
  return {
    readFiles: [...fileOps.read].filter((path) => !changed.has(path)).sort(),
    modifiedFiles: [...changed].sort(),
  };
}

function fileText(heading: string, paths: readonly string[]): string {
  return paths.length === 0
    ? ""
    : `## ${heading}\n\n${paths.map((path) => `- ${path}`).join("\n")}`;
}

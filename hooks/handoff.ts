/**
 * A hook with the slash command `/handoff`: goes on in a new session that knows where the old one
 * stopped.
 *
 * `/handoff fix the failing test` waits until the agent has finished, starts a new session with the
 * current one as its parent, and puts one message of the person into it. The message holds, from
 * the current branch of the old session:
 *
 * - what to do next: the text after the command;
 * - where the old session is stored, if it is stored;
 * - the summary that stands for the oldest part, if the conversation was compacted;
 * - the last requests of the person and the last answer of the agent;
 * - the files that were written or edited.
 *
 * Nothing of it is made up: no model is asked, and each part has a limit. Failed writes, messages
 * that the agent wrote in the person's place, thoughts and pictures are left out. The agent does not
 * start by itself; the message is in its first request.
 *
 * If another hook or the person stops the change of sessions, nothing has changed, and the person is
 * told so. A session that is not stored has no path; then the new one has no parent.
 *
 * @example By its path
 * ```sh
 * deno run -A cli.ts --hook hooks/handoff.ts
 * ```
 *
 * @example A hook file of your own, with another name and a shorter message
 * ```ts
 * import { createHandoff } from "@pi-hooks/core/hooks/handoff";
 *
 * export default createHandoff({ name: "continue", prompts: 1, maxLength: 4000 });
 * ```
 *
 * @module
 */

import type {
  AssistantMessage,
  HookAPI,
  HookCommandContext,
  ReadonlySessionManager,
  SessionEntry,
} from "../mod.ts";

/** Settings of {@linkcode createHandoff}. */
export interface HandoffOptions {
  /** Name of the command, without the slash. Default `handoff`. */
  name?: string;
  /** How many of the last requests of the person to hand over. Default 3. */
  prompts?: number;
  /** How many files to list, the last ones. Default 50. */
  files?: number;
  /** Longest message, in UTF-16 code units. Default 16 000, at least 500. */
  maxLength?: number;
  /** Names of the tools whose successful calls change files. Default: `write`, `edit` and their kin. */
  writingTools?: readonly string[];
}

/** What the message is made of. */
interface Findings {
  /** The summary of the oldest part. */
  summary: string;
  /** Requests of the person, oldest first. */
  prompts: string[];
  /** The last answer of the agent with a text in it. */
  answer: string;
  /** Changed files, those changed last at the end. */
  files: string[];
}

const WRITING_TOOLS = ["write", "edit", "multi_edit", "multiedit", "notebook_edit"];
const PATH_FIELDS = ["path", "file_path", "filePath", "notebook_path"];
const MIN_LENGTH = 500;

/** Cuts a text, never through a character, and says so. */
function cut(text: string, length: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= length) return trimmed;
  const mark = `\n[… cut, ${trimmed.length} characters in all]`;
  const kept = trimmed.slice(0, Math.max(0, length - mark.length));
  return kept.replace(/[\uD800-\uDBFF]$/, "") + mark;
}

/** The texts of a message; pictures, thoughts and tool calls have none. */
function textOf(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === "string") return content.trim();
  return content.flatMap((block) => block.type === "text" ? [block.text ?? ""] : []).join("\n")
    .trim();
}

/** The files that a call of a writing tool names. */
function pathsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(pathsIn);
  const fields: Record<string, unknown> = { ...value };
  const own = PATH_FIELDS.map((name) => fields[name]).filter((path) => typeof path === "string");
  return [...own, ...pathsIn(fields.edits), ...pathsIn(fields.files)];
}

function findIn(branch: readonly SessionEntry[], writingTools: ReadonlySet<string>): Findings {
  const findings: Findings = { summary: "", prompts: [], answer: "", files: [] };
  const failedCalls = new Set<string>();
  const calls: { id: string; paths: string[] }[] = [];
  for (const entry of branch) {
    if (entry.type === "compaction" || entry.type === "branch_summary") {
      findings.summary = entry.summary;
    }
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "user" && message.synthetic !== true) {
      const text = textOf(message.content);
      if (text !== "") findings.prompts.push(text);
    } else if (message.role === "assistant") {
      findings.answer = textOf(message.content) || findings.answer;
      calls.push(...writingCalls(message, writingTools));
    } else if (message.role === "toolResult" && message.isError) {
      failedCalls.add(message.toolCallId);
    }
  }
  const paths = calls.flatMap(({ id, paths }) => failedCalls.has(id) ? [] : paths);
  // A file that was changed twice stands where it was changed last.
  findings.files = [...new Set(paths.reverse())].reverse();
  return findings;
}

function writingCalls(
  message: AssistantMessage,
  writingTools: ReadonlySet<string>,
): { id: string; paths: string[] }[] {
  return message.content.flatMap((block) =>
    block.type === "toolCall" && writingTools.has(block.name.toLowerCase())
      ? [{ id: block.id, paths: pathsIn(block.arguments) }]
      : []
  );
}

/** Puts a list under a heading; nothing if the list is empty. */
function section(heading: string, lines: readonly string[]): string[] {
  const body = lines.filter((line) => line !== "").join("\n");
  return body === "" ? [] : [`## ${heading}\n\n${body}`];
}

/**
 * Makes the message that a new session begins with.
 *
 * @param session The session that is left.
 * @param task What to do next; may be empty.
 * @param options Limits, as for {@linkcode createHandoff}.
 * @returns The message in Markdown, never longer than `maxLength`.
 */
export function handoffMessage(
  session: Pick<ReadonlySessionManager, "getBranch" | "getSessionFile">,
  task: string,
  options: HandoffOptions = {},
): string {
  const { prompts = 3, files = 50, writingTools = WRITING_TOOLS } = options;
  const length = Math.max(MIN_LENGTH, options.maxLength ?? 16_000);
  const found = findIn(
    session.getBranch(),
    new Set(writingTools.map((name) => name.toLowerCase())),
  );
  const part = Math.floor(length / 4);
  const lastPrompts = prompts > 0 ? found.prompts.slice(-prompts) : [];
  const lastFiles = files > 0 ? found.files.slice(-files) : [];
  const hidden = found.files.length - lastFiles.length;
  const file = session.getSessionFile();
  const sections = [
    "Continue the work of an earlier session. What follows was taken from it.",
    ...section("What to do next", [
      cut(task, part) || "Go on where the earlier session stopped.",
    ]),
    ...section("Earlier session", [file === undefined ? "" : `Stored in \`${file}\`.`]),
    ...section("Last requests of the person", [
      lastPrompts.map((prompt, index) =>
        `${index + 1}. ${
          cut(prompt, Math.floor(part / lastPrompts.length)).replaceAll("\n", "\n   ")
        }`
      ).join("\n"),
    ]),
    ...section("Last answer of the agent", [cut(found.answer, part)]),
    ...section("Files written or edited", [
      cut(lastFiles.map((path) => `- ${path}`).join("\n"), Math.floor(part / 2)),
      hidden > 0 && lastFiles.length > 0 ? `- and ${hidden} more, changed before these` : "",
    ]),
    ...section("Summary of what came before", [cut(found.summary, part)]),
  ];
  return cut(sections.join("\n\n"), length);
}

async function handOff(
  args: string,
  ctx: HookCommandContext,
  options: HandoffOptions,
): Promise<boolean> {
  await ctx.waitForIdle();
  const text = handoffMessage(ctx.sessionManager, args, options);
  const { cancelled } = await ctx.newSession({
    parentSession: ctx.sessionManager.getSessionFile(),
    setup: (session) => {
      session.appendMessage({
        role: "user",
        content: [{ type: "text", text }],
        timestamp: Date.now(),
      });
    },
  });
  return !cancelled;
}

/**
 * Makes the hook with settings of your own.
 *
 * @param options Name of the command, limits, tools that change files.
 * @returns The factory, to be exported as the default of a hook file.
 *
 * @example
 * ```ts
 * import { createHandoff } from "@pi-hooks/core/hooks/handoff";
 *
 * export default createHandoff({ name: "continue" });
 * ```
 */
export function createHandoff(options: HandoffOptions = {}): (pi: HookAPI) => void {
  const { name = "handoff" } = options;
  return (pi: HookAPI): void => {
    pi.registerCommand(name, {
      description: "Continue in a new session that knows what this one did: /" + name +
        " [what to do next]",
      handler: async (args, ctx) => {
        if (await handOff(args, ctx, options)) {
          ctx.ui.notify("A new session has begun; it knows where the last one stopped.", "info");
          return;
        }
        const text = "Handoff cancelled: you are still in the same session.";
        ctx.ui.notify(text, "warning");
        // Where nobody sees notices the log says it; older hosts have no log.
        if (!ctx.hasUI) pi.logger?.warn(text);
      },
    });
  };
}

/**
 * The hook with its default settings.
 *
 * @param pi The API that the loader hands in.
 */
export default function handoff(pi: HookAPI): void {
  createHandoff()(pi);
}

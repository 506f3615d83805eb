/**
 * What tools of foreign agents gave back, in the form that hooks know.
 *
 * @module
 */

import type { ImageContent, TextContent } from "../messages.ts";
import { isRecord } from "./arguments.ts";
import type { AgentName } from "./names.ts";

/** A result as hooks see it. */
export interface PiToolResult {
  /** What the model reads, as far as the agent says. */
  content: (TextContent | ImageContent)[];
  /** What the agent sent, untouched. */
  details: unknown;
  /** Whether the tool failed; absent unless the agent says so. */
  isError?: boolean;
}

/** The fields that hold the text of a result, by shape, and how the text is found in them. */
const TEXT_FIELDS = [
  "llmContent",
  "textResultForLlm",
  "text_result_for_llm",
  "content",
  "output",
  "result",
  "text",
] as const;

/**
 * Translates a result. Whatever it is, `content` is a list of valid blocks and `details` is what
 * came; a result that does not say whether the tool failed does not say so afterwards either.
 *
 * @param _agent The agent. All shapes are told apart by themselves.
 * @param raw What the agent sent.
 * @param failed Whether the event itself says that the tool failed.
 */
export function toPiToolResult(_agent: AgentName, raw: unknown, failed?: boolean): PiToolResult {
  const result: PiToolResult = { content: blocksOf(raw), details: raw };
  const isError = failed ?? failureOf(raw);
  if (isError !== undefined) result.isError = isError;
  return result;
}

/** Whether a result says that the tool failed. */
function failureOf(raw: unknown): boolean | undefined {
  if (!isRecord(raw)) return undefined;
  for (const name of ["isError", "is_error"]) {
    if (typeof raw[name] === "boolean") return raw[name];
  }
  if (typeof raw.success === "boolean") return !raw.success;
  const type = raw.resultType ?? raw.result_type;
  if (typeof type === "string") return type !== "success";
  return raw.error === undefined || raw.error === null || raw.error === false ? undefined : true;
}

function textBlock(text: string): TextContent {
  return { type: "text", text };
}

/** The blocks of any value. */
function blocksOf(raw: unknown): PiToolResult["content"] {
  if (raw === undefined || raw === null) return [];
  if (typeof raw === "string") return [textBlock(raw)];
  if (Array.isArray(raw)) return raw.map(blockOf);
  if (!isRecord(raw)) return [textBlock(String(raw))];
  const image = imageOf(raw);
  if (image !== undefined) return [image];
  if (typeof raw.stdout === "string") return [textBlock(shellText(raw.stdout, raw.stderr))];
  if (isRecord(raw.file)) {
    const { content, base64, type } = raw.file;
    if (typeof content === "string") return [textBlock(content)];
    if (typeof base64 === "string" && typeof type === "string") {
      return [{ type: "image", data: base64, mimeType: type }];
    }
  }
  // A written or edited file: what it holds is data, the model has read a sentence.
  const isFileChange = typeof raw.filePath === "string" && "structuredPatch" in raw;
  if (!isFileChange) {
    for (const name of TEXT_FIELDS) {
      const value = raw[name];
      if (typeof value === "string" || Array.isArray(value)) return blocksOf(value);
      if (name === "llmContent" && isRecord(value)) return [blockOf(value)];
    }
    if (Array.isArray(raw.filenames)) return [textBlock(raw.filenames.map(String).join("\n"))];
  }
  return [textBlock(JSON.stringify(raw))];
}

/** One entry of a list of blocks or parts. */
function blockOf(entry: unknown): TextContent | ImageContent {
  if (typeof entry === "string") return textBlock(entry);
  if (!isRecord(entry)) return textBlock(JSON.stringify(entry) ?? String(entry));
  return imageOf(entry) ??
    textBlock(typeof entry.text === "string" ? entry.text : JSON.stringify(entry));
}

/** A picture, in the four ways in which agents write one. */
function imageOf(entry: Record<string, unknown>): ImageContent | undefined {
  for (const holder of [entry, entry.source, entry.inlineData, entry.inline_data]) {
    if (!isRecord(holder)) continue;
    const mimeType = holder.mimeType ?? holder.media_type ?? holder.mime_type;
    if (typeof holder.data === "string" && typeof mimeType === "string") {
      return { type: "image", data: holder.data, mimeType };
    }
  }
  return undefined;
}

/** Both outputs of a command, as a terminal would show them. */
function shellText(stdout: string, stderr: unknown): string {
  if (typeof stderr !== "string" || stderr === "") return stdout;
  return stdout === "" || stdout.endsWith("\n") ? stdout + stderr : `${stdout}\n${stderr}`;
}

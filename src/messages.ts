/**
 * The shapes of messages: what a person, a model, a tool and a hook say in a conversation.
 *
 * All times are milliseconds since 1970 unless a field says otherwise. Other agents store
 * messages in the same shapes; see the README for where they come from.
 *
 * @module
 */

/** A piece of text. */
export interface TextContent {
  /** Marks a text block. */
  type: "text";
  /** The text. */
  text: string;
  /** Opaque signature of the model provider, kept as it is. */
  textSignature?: string;
}

/** A picture. */
export interface ImageContent {
  /** Marks an image block. */
  type: "image";
  /** The picture, base64. */
  data: string;
  /** Its media type, such as `image/png`. */
  mimeType: string;
}

/** What a model thought before it answered. */
export interface ThinkingContent {
  /** Marks a thinking block. */
  type: "thinking";
  /** The thought. */
  thinking: string;
  /** Opaque signature of the model provider, kept as it is. */
  thinkingSignature?: string;
}

/** A thought that the model provider hands out only encrypted. */
export interface RedactedThinkingContent {
  /** Marks a redacted thinking block. */
  type: "redactedThinking";
  /** The encrypted thought. */
  data: string;
}

/** The wish of a model to run a tool. */
export interface ToolCall {
  /** Marks a tool call block. */
  type: "toolCall";
  /** Name of this call; its result carries the same. */
  id: string;
  /** The tool. */
  name: string;
  /** The arguments, as the model gave them. */
  arguments: Record<string, unknown>;
  /** Opaque signature of the model provider, kept as it is. */
  thoughtSignature?: string;
  /** What the model says it wants to reach with this call. */
  intent?: string;
}

/** Who caused a message: the person, or the agent on its own. */
export type Attribution = "user" | "agent";

/** What a person said. */
export interface UserMessage {
  /** Marks a user message. */
  role: "user";
  /** Text, or text and image blocks. */
  content: string | (TextContent | ImageContent)[];
  /** `true` if the agent wrote it in the person's place. */
  synthetic?: boolean;
  /** Who caused it. */
  attribution?: Attribution;
  /** Opaque data of the model provider. */
  providerPayload?: unknown;
  /** When. */
  timestamp: number;
}

/** What the program around the model tells it. */
export interface DeveloperMessage {
  /** Marks a developer message. */
  role: "developer";
  /** Text, or text and image blocks. */
  content: string | (TextContent | ImageContent)[];
  /** Who caused it. */
  attribution?: Attribution;
  /** Opaque data of the model provider. */
  providerPayload?: unknown;
  /** When. */
  timestamp: number;
}

/** Tokens used by one answer of a model, and what they cost. */
export interface Usage {
  /** Tokens read. */
  input: number;
  /** Tokens written. */
  output: number;
  /** Tokens read from the provider's cache. */
  cacheRead: number;
  /** Tokens written into the provider's cache. */
  cacheWrite: number;
  /** All of them together. */
  totalTokens: number;
  /** Requests of a dearer class, where the provider counts them. */
  premiumRequests?: number;
  /** The cost of each, in US dollars. */
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

/** Why a model stopped. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

/** What a model answered. */
export interface AssistantMessage {
  /** Marks an assistant message. */
  role: "assistant";
  /** Text, thoughts and tool calls, in order. */
  content: (TextContent | ThinkingContent | RedactedThinkingContent | ToolCall)[];
  /** The dialect that was spoken to the provider. */
  api: string;
  /** The provider. */
  provider: string;
  /** The model. */
  model: string;
  /** The provider's name for this answer. */
  responseId?: string;
  /** Tokens and cost. */
  usage: Usage;
  /** Why the model stopped. */
  stopReason: StopReason;
  /** What went wrong, with `stopReason` `error` or `aborted`. */
  errorMessage?: string;
  /** Opaque data of the model provider. */
  providerPayload?: unknown;
  /** When. */
  timestamp: number;
  /** How long the answer took, in milliseconds. */
  duration?: number;
  /** Time to the first token, in milliseconds. */
  ttft?: number;
}

/** What a tool gave back. */
export interface ToolResultMessage {
  /** Marks a tool result. */
  role: "toolResult";
  /** The call that this answers. */
  toolCallId: string;
  /** The tool. */
  toolName: string;
  /** What the model reads. */
  content: (TextContent | ImageContent)[];
  /** Structured data for people and programs, by tool. */
  details?: unknown;
  /** Whether the tool failed. */
  isError: boolean;
  /** Whether the tool worked but wants attention. */
  isWarning?: boolean;
  /** Who caused it. */
  attribution?: Attribution;
  /** When the content was thrown away to save room. */
  prunedAt?: number;
  /** When. */
  timestamp: number;
}

/** The messages that a model provider understands. */
export type Message = UserMessage | DeveloperMessage | AssistantMessage | ToolResultMessage;

/** A shell command that the person ran without the model. */
export interface BashExecutionMessage {
  /** Marks a shell command. */
  role: "bashExecution";
  /** The command. */
  command: string;
  /** What it printed. */
  output: string;
  /** Its exit code, `undefined` if it was killed. */
  exitCode: number | undefined;
  /** Whether the person stopped it. */
  cancelled: boolean;
  /** Whether `output` was cut. */
  truncated: boolean;
  /** How the output was cut. */
  meta?: unknown;
  /** When. */
  timestamp: number;
  /** `true`: the model does not see it. */
  excludeFromContext?: boolean;
}

/** Python code that the person ran without the model. */
export interface PythonExecutionMessage {
  /** Marks Python code. */
  role: "pythonExecution";
  /** The code. */
  code: string;
  /** What it printed. */
  output: string;
  /** Its exit code, `undefined` if it was killed. */
  exitCode: number | undefined;
  /** Whether the person stopped it. */
  cancelled: boolean;
  /** Whether `output` was cut. */
  truncated: boolean;
  /** How the output was cut. */
  meta?: unknown;
  /** When. */
  timestamp: number;
  /** `true`: the model does not see it. */
  excludeFromContext?: boolean;
}

/**
 * What a hook said, with `pi.sendMessage` or as the answer to `before_agent_start`.
 *
 * @typeParam T The type of `details`, known to the hook that sent it.
 */
export interface CustomMessage<T = unknown> {
  /** Marks a message of a hook. */
  role: "custom";
  /** The hook's own name for this kind of message; renderers are looked up by it. */
  customType: string;
  /** What the model reads: text, or text and image blocks. */
  content: string | (TextContent | ImageContent)[];
  /** Whether a person sees it. */
  display: boolean;
  /** Data for the hook's renderer. */
  details?: T;
  /** Who caused it. */
  attribution?: Attribution;
  /** When. */
  timestamp: number;
}

/** The message type that hooks send and renderers get; stored with the role `custom`. */
export type HookMessage<T = unknown> = CustomMessage<T>;

/** A hook's message as old session files (version 2) hold it. */
export interface LegacyHookMessage<T = unknown> extends Omit<CustomMessage<T>, "role"> {
  /** The former role of hook messages. */
  role: "hookMessage";
}

/** A summary of a branch that the person has left. */
export interface BranchSummaryMessage {
  /** Marks a branch summary. */
  role: "branchSummary";
  /** The summary. */
  summary: string;
  /** The entry that was left. */
  fromId: string;
  /** When. */
  timestamp: number;
}

/** A summary that stands for the older part of a conversation. */
export interface CompactionSummaryMessage {
  /** Marks a compaction summary. */
  role: "compactionSummary";
  /** The summary. */
  summary: string;
  /** One line for listings. */
  shortSummary?: string;
  /** Tokens of the conversation before it was compacted. */
  tokensBefore: number;
  /** Opaque data of the model provider. */
  providerPayload?: unknown;
  /** When. */
  timestamp: number;
}

/** Files that the person named in a prompt. */
export interface FileMentionMessage {
  /** Marks mentioned files. */
  role: "fileMention";
  /** The files. */
  files: {
    path: string;
    content: string;
    lineCount?: number;
    byteSize?: number;
    skippedReason?: "tooLarge";
    image?: ImageContent;
  }[];
  /** When. */
  timestamp: number;
}

/** Every message of a conversation, those for the model and those that only the agent knows. */
export type AgentMessage =
  | Message
  | BashExecutionMessage
  | PythonExecutionMessage
  | CustomMessage
  | LegacyHookMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage
  | FileMentionMessage;

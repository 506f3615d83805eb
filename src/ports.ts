/**
 * What a host fills in: a user interface, a session, models, tools.
 *
 * @module
 */

import type {
  CompactionEntry,
  SessionEntry,
  SessionHeader,
  SessionTreeNode,
  UsageStatistics,
} from "./entries.ts";
import type { AgentMessage, Attribution, ImageContent, TextContent } from "./messages.ts";

/** The colours of a theme that hooks use. */
export type ThemeColor =
  | "accent"
  | "border"
  | "borderAccent"
  | "borderMuted"
  | "customMessageLabel"
  | "customMessageText"
  | "dim"
  | "error"
  | "muted"
  | "success"
  | "text"
  | "toolOutput"
  | "toolTitle"
  | "warning";

/** The background colours of a theme that hooks use. */
export type ThemeBackground =
  | "customMessageBg"
  | "selectedBg"
  | "toolErrorBg"
  | "toolPendingBg"
  | "toolSuccessBg"
  | "userMessageBg";

/** Colours and weights for text on a terminal. Without one, every function returns its text. */
export interface Theme {
  /** Text in a colour. */
  fg(color: ThemeColor, text: string): string;
  /** Text on a background. */
  bg(color: ThemeBackground, text: string): string;
  /** Bold text. */
  bold(text: string): string;
  /** Italic text. */
  italic(text: string): string;
  /** Underlined text. */
  underline(text: string): string;
  /** Text that is struck through. */
  strikethrough(text: string): string;
  /** Text with its colours exchanged. */
  inverse(text: string): string;
}

/** Something that draws itself on a terminal. */
export interface Component {
  /** The lines to show, none wider than `width` cells. */
  render(width: number): string[];
  /** Gets the keys that are pressed, as the terminal sends them. */
  handleInput?(data: string): void;
  /** The theme or the size has changed: forget what was computed. */
  invalidate(): void;
}

/** The part of a terminal interface that a custom component may use. */
export interface TUI {
  /** Draws again soon. */
  requestRender(): void;
}

/** A component that is told when it goes away. */
export type DisposableComponent = Component & {
  /** Called once, after the component was closed. */
  dispose?(): void;
};

/**
 * Makes a component that stays on screen until it calls `done`.
 *
 * @typeParam T What the component answers.
 */
export type CustomComponentFactory<T> = (
  tui: TUI,
  theme: Theme,
  done: (result: T) => void,
) => DisposableComponent | Promise<DisposableComponent>;

/** How a question may be taken back. */
export interface DialogOptions {
  /** Closes this one question; it then answers as if it had been cancelled. */
  signal?: AbortSignal;
}

/** How loud a notice is. */
export type NotifyType = "info" | "warning" | "error";

/**
 * Questions and notices. Questions queue: one is on screen at a time, and each gets its answer.
 * A question that nobody can answer answers itself at once: `undefined`, or `false`.
 */
export interface HookUIContext {
  /** Lets the person choose. The chosen text, or `undefined` if cancelled. */
  select(title: string, options: string[], dialog?: DialogOptions): Promise<string | undefined>;
  /** Asks yes or no. `false` if cancelled. */
  confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean>;
  /** Asks for a line of text, which may be empty; `undefined` if cancelled. */
  input(title: string, placeholder?: string, dialog?: DialogOptions): Promise<string | undefined>;
  /** Asks for a longer text; `undefined` if cancelled. */
  editor(title: string, prefill?: string, dialog?: DialogOptions): Promise<string | undefined>;
  /** Tells the person something, without waiting. */
  notify(message: string, type?: NotifyType): void;
  /** Shows a text in the status line; `undefined` takes it away. Colours are kept. */
  setStatus(key: string, text: string | undefined): void;
  /** Shows a component until it calls `done`; `undefined` where nothing can be shown. */
  custom<T>(factory: CustomComponentFactory<T>): Promise<T | undefined>;
  /** Puts text into the prompt that the person is writing. */
  setEditorText(text: string): void;
  /** What the person has written so far. */
  getEditorText(): string;
  /** Colours and weights. */
  readonly theme: Theme;
}

/** A model. */
export interface Model {
  /** Its name at the provider. */
  id: string;
  /** Its name for people. */
  name: string;
  /** The dialect that its provider speaks. */
  api: string;
  /** The provider. */
  provider: string;
  /** Where the provider is reached. */
  baseUrl: string;
  /** Whether it can think before it answers. */
  reasoning: boolean;
  /** What it can read. */
  input: ("text" | "image")[];
  /** Cost in US dollars for a million tokens. */
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number };
  /** How many tokens it can read. */
  contextWindow: number;
  /** How many tokens it can write. */
  maxTokens: number;
  /** Headers for its provider. */
  headers?: Record<string, string>;
}

/** The models that a host knows. */
export interface ModelRegistry {
  /** All of them. */
  getAll(): Model[];
  /** Those that have a key. */
  getAvailable(): Model[] | Promise<Model[]>;
  /** One by name. */
  find(provider: string, modelId: string): Model | undefined;
  /** The key of a model's provider. */
  getApiKey(model: Model): Promise<string | undefined>;
}

/** A session, for reading. What it hands out is frozen or a copy. */
export interface ReadonlySessionManager {
  /** Working directory of the session. */
  getCwd(): string;
  /** Folder of the session files, `""` if sessions are not stored. */
  getSessionDir(): string;
  /** Name of the session. */
  getSessionId(): string;
  /** File of the session, `undefined` if it is not stored. */
  getSessionFile(): string | undefined;
  /** The name that a person gave to it. */
  getSessionName(): string | undefined;
  /** The entry that the next one is put after, `null` in an empty session. */
  getLeafId(): string | null;
  /** The entry that the next one is put after. */
  getLeafEntry(): SessionEntry | undefined;
  /** One entry. */
  getEntry(id: string): SessionEntry | undefined;
  /** The name that a person gave to an entry. */
  getLabel(id: string): string | undefined;
  /** The entries from the root to `fromId`, or to the leaf. Empty for an unknown entry. */
  getBranch(fromId?: string): SessionEntry[];
  /** The first line of the session's file. */
  getHeader(): SessionHeader | null;
  /** All entries, in the order in which they were made. */
  getEntries(): SessionEntry[];
  /** All entries as a tree; more than one root is possible. */
  getTree(): SessionTreeNode[];
  /** Tokens and cost, over all branches. */
  getUsageStatistics(): UsageStatistics;
}

/** A session, for writing. Every `append…` returns the id of the new entry, which is the leaf then. */
export interface WritableSession extends ReadonlySessionManager {
  /** Appends a message. */
  appendMessage(message: AgentMessage): string;
  /** Appends data that the model does not see. */
  appendCustomEntry(customType: string, data?: unknown): string;
  /** Appends a message of a hook. */
  appendCustomMessageEntry(
    customType: string,
    content: string | (TextContent | ImageContent)[],
    display: boolean,
    details?: unknown,
    attribution?: Attribution,
  ): string;
  /** Appends a summary of what came before. */
  appendCompaction(
    summary: string,
    shortSummary: string | undefined,
    firstKeptEntryId: string,
    tokensBefore: number,
    details?: unknown,
    fromExtension?: boolean,
    preserveData?: CompactionEntry["preserveData"],
  ): string;
  /**
   * Names an entry; an empty or absent name takes the name away.
   *
   * @throws {Error} If there is no such entry.
   */
  appendLabelChange(targetId: string, label: string | undefined): string;
  /** Appends a change of the model, as `provider/id`. */
  appendModelChange(model: string, role?: string): string;
  /** Appends a change of the thinking level. */
  appendThinkingLevelChange(level?: string): string;
  /**
   * Moves the leaf, so that the next entry is put after `entryId`; `null` starts a new root.
   *
   * @throws {Error} If there is no such entry.
   */
  branch(entryId: string | null): void;
  /**
   * Moves the leaf and appends a summary of what was left there.
   *
   * @throws {Error} If there is no such entry.
   */
  branchWithSummary(
    entryId: string | null,
    summary: string,
    details?: unknown,
    fromExtension?: boolean,
  ): string;
  /**
   * Copies the entries up to `leafId` into a new session, goes on there, and tells its file.
   *
   * @throws {Error} If there is no such entry; nothing has changed then.
   */
  createBranchedSession(leafId: string): string | undefined;
  /** Goes on with an empty session; `parentSession` is the file that it came from. */
  newSession(options?: { parentSession?: string }): void;
  /** Copies the whole session into a new file, goes on there, and tells both files. */
  fork(): { oldSessionFile: string; newSessionFile: string } | undefined;
  /**
   * Goes on with the session of another file, at its last entry.
   *
   * @throws {Error} If the file cannot be read or is no session; nothing has changed then.
   */
  setSessionFile(path: string): void;
  /** Waits until everything that was appended is safe on the disk. */
  flush(): Promise<void>;
  /** Flushes, and lets others write to the file. Using the session afterwards throws. */
  close(): Promise<void>;
}

/** What a tool gives back. */
export interface AgentToolResult<D = unknown> {
  /** What the model reads. */
  content: (TextContent | ImageContent)[];
  /** Structured data for people and programs. */
  details?: D;
  /** Whether the tool worked but wants attention. */
  isWarning?: boolean;
}

/** Gets what a tool has so far. */
export type AgentToolUpdate<D = unknown> = (partial: AgentToolResult<D>) => void;

/**
 * A tool of an agent.
 *
 * @typeParam P Its arguments.
 * @typeParam D Its details.
 */
export interface AgentTool<P = Record<string, unknown>, D = unknown> {
  /** Its name; hooks see it as `toolName`. */
  name: string;
  /** Its name for people. */
  label?: string;
  /** What the model is told about it. */
  description: string;
  /** JSON schema of the arguments. */
  parameters: unknown;
  /**
   * Runs it.
   *
   * @param toolCallId Name of the call.
   * @param params The arguments.
   * @param signal Fires when the call is given up.
   * @param onUpdate Gets what the tool has so far.
   * @param context Whatever the host hands to its tools.
   * @throws {Error} If it fails; the message is what the model reads.
   */
  execute(
    toolCallId: string,
    params: P,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdate<D>,
    context?: unknown,
  ): Promise<AgentToolResult<D>>;
}

/**
 * Hooks for coding agents: load hook files, run their handlers in a fixed order, and put them
 * before and after tools.
 *
 * The names are listed in the order in which an agent uses them: load, run, wrap.
 *
 * @example Load two hooks and guard a tool with them
 * ```ts
 * import { type AgentTool, HookRunner, loadHooks, wrapTools } from "@pi-hooks/core";
 *
 * const { hooks, errors } = await loadHooks(["./hooks/permission-gate.ts"], ".");
 * for (const { path, error } of errors) console.error(`${path}: ${error}`);
 *
 * const runner = new HookRunner(hooks, ".");
 * runner.onError((error) => console.error(`${error.hookPath}: ${error.error}`));
 *
 * const bash: AgentTool = {
 *   name: "bash",
 *   description: "Runs a shell command",
 *   parameters: {},
 *   execute: () => Promise.resolve({ content: [{ type: "text", text: "done" }] }),
 * };
 * const [guarded] = wrapTools([bash], runner);
 * await guarded.execute("call-1", { command: "ls" });
 * ```
 *
 * @module
 */

// Load
export { loadHooks, reloadHook } from "./src/loader.ts";
export type { HookEntry, LoadHooksOptions, LoadHooksResult } from "./src/loader.ts";
export type { HookToIsolate, IsolateOptions, PermissionGrant } from "./src/isolation/isolate.ts";
export type { HookPermissions, PermissionName } from "./src/isolation/permission_head.ts";
export { registrationsChanged } from "./src/hook.ts";
export type {
  AppendEntryHandler,
  HookSource,
  LoadedHook,
  SendMessageHandler,
  StoredHandler,
} from "./src/hook.ts";

// Discover
export { discoverAndLoadHooks, discoverHooks } from "./src/discovery/discover.ts";
export type { DiscoveredHooks, DiscoverOptions, FoundHook } from "./src/discovery/discover.ts";
export type { HookItem } from "./src/discovery/hook_item.ts";
export {
  defineCapability,
  disableProvider,
  enableProvider,
  getCapabilityInfo,
  getDisabledProviders,
  isProviderEnabled,
  listCapabilities,
  loadCapability,
  registerProvider,
  setDisabledProviders,
} from "./src/discovery/capabilities.ts";
export type {
  Capability,
  CapabilityInfo,
  CapabilityResult,
  FoundMark,
  LoadCapabilityOptions,
  LoadContext,
  LoadResult,
  Provider,
  ProviderInfo,
} from "./src/discovery/capability.ts";

// Run
export { HookRunner } from "./src/runner.ts";
export type { GeneralEventName } from "./src/runner.ts";
export type { EmitOptions, HookRunnerBinding, HookRunnerOptions } from "./src/runner_options.ts";
export type { ToolCallDecision } from "./src/tool_decision.ts";
export type { HookWarning } from "./src/listeners.ts";
export type { HandlerObserver, HandlerOutcome, HandlerRecord } from "./src/handler_record.ts";

// Wrap
export { HookToolWrapper, wrapTools } from "./src/tool_wrapper.ts";

// Host
export { HookHost } from "./src/host/host.ts";
export type {
  AutoCompactionSettings,
  HookHostOptions,
  HostProgress,
  HostTool,
  RetrySettings,
} from "./src/host/host_options.ts";
export type { CompactResult } from "./src/host/session_flows.ts";
export type { TodoSettings } from "./src/host/todo_reminder.ts";
export type { HostClock } from "./src/host/clock.ts";
export { scriptedModel } from "./src/host/scripted_model.ts";
export type { ScriptedAnswer, ScriptedModel } from "./src/host/scripted_model.ts";
export { ModelError } from "./src/session/model_port.ts";
export type {
  AssistantMessageEvent,
  ModelErrorKind,
  ModelPort,
  ModelRequest,
} from "./src/session/model_port.ts";
export { guardProcess } from "./src/guard_process.ts";
export type { ProcessGuard } from "./src/guard_process.ts";
export { execCommand } from "./src/deno/exec.ts";
export { createTools } from "./src/deno/tools/mod.ts";
export type { CreateToolsOptions } from "./src/deno/tools/mod.ts";
export { checkArguments } from "./src/tool_arguments.ts";
export type { ArgumentCheck } from "./src/tool_arguments.ts";
export { createNoOpUIContext, plainTheme } from "./src/ui/no_ui.ts";
export { queueDialogs } from "./src/ui/dialog_queue.ts";
export { formatStatusLine } from "./src/ui/status_line.ts";
export { visibleText } from "./src/ui/text.ts";
export { emptyModelRegistry, emptySessionManager } from "./src/no_host.ts";

// Session
export { SessionManager } from "./src/session/session.ts";
export { SessionReader } from "./src/session/session_reader.ts";
export { SessionWriter } from "./src/session/session_writer.ts";
export type { SessionOptions } from "./src/session/session_opening.ts";
export type { SessionInfo } from "./src/session/listing.ts";
export type { SessionWarning, SessionWarningKind } from "./src/session/warnings.ts";
export { buildSessionContext } from "./src/session/session_context.ts";
export type { SessionContext } from "./src/session/session_context.ts";
export { readonlyView } from "./src/session/readonly_view.ts";
export { DEFAULT_COMPACTION_SETTINGS, prepareCompaction } from "./src/session/compaction.ts";
export type { FileLists } from "./src/session/compaction.ts";
export { convertToLlm, openToolCalls } from "./src/session/llm_messages.ts";
export { serializeConversation } from "./src/session/serialize.ts";
export { conversationTokens, estimateTokens } from "./src/session/tokens.ts";
export type { BranchResult } from "./src/session/flows.ts";
export type { NavigateResult } from "./src/session/tree_flow.ts";
export type { SessionFile, SessionFiles, SessionStorage } from "./src/session_storage.ts";

// Errors
export {
  DEFAULT_BLOCK_REASON,
  HookAbortError,
  HookBlockedError,
  HookTimeoutError,
  UNKNOWN_HOOK,
} from "./src/errors.ts";
export type {
  HookBlockKind,
  HookError,
  HookLoadError,
  HookLoadErrorKind,
  HookLoadWarning,
} from "./src/errors.ts";

// Events
export { EVENT_POLICIES, HOOK_EVENT_NAMES, isHookEventName } from "./src/events/policy.ts";
export type { AnswerPolicy, EventPolicy, FoldKind, NoticePolicy } from "./src/events/policy.ts";
export { EVENT_FIELDS, eventFault } from "./src/events/fields.ts";
export type { EventField, FieldsOf } from "./src/events/fields.ts";
export type { FieldCheck } from "./src/events/checks.ts";
export type {
  HookEvent,
  HookEventMap,
  HookEventName,
  HookEventOf,
  HookResultOf,
} from "./src/events/map.ts";
export { isToolCall, isToolResult } from "./src/events/tool.ts";
export type * from "./src/events/tool.ts";
export type * from "./src/events/tool_details.ts";
export type * from "./src/events/session.ts";
export type * from "./src/events/agent.ts";

// Shapes
export type * from "./src/types.ts";
export type * from "./src/ports.ts";
export type * from "./src/messages.ts";
export type * from "./src/entries.ts";

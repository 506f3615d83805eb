/**
 * What entries look like, in files of this program and of others, now and in former versions.
 *
 * @module
 */

import type { SessionEntry, SessionHeader } from "../entries.ts";

/** The version that is written. */
export const SESSION_VERSION = 3;

/**
 * The kind of a `custom` entry that keeps where the session was left: the entry itself is only a
 * mark, the session goes on at its parent. Other programs see a `custom` entry and pass over it.
 */
export const LEAF_MARK = "pi-hooks.leaf";

/** Parsed JSON that is an object. */
export type JsonObject = Record<string, unknown>;

/** The entry types of the agents that share this format. A file without a header needs one. */
const KNOWN_TYPES: ReadonlySet<string> = new Set([
  "branch_summary",
  "compaction",
  "context_change",
  "context_edit",
  "credential_pin",
  "custom",
  "custom_message",
  "label",
  "mcp_tool_selection",
  "message",
  "mode_change",
  "model_change",
  "reset_boundary",
  "service_tier_change",
  "session_info",
  "session_init",
  "thinking_level_change",
  "title_change",
  "ttsr_injection",
  "usage",
]);

/** Whether an agent that shares this format writes entries of a type. */
export function isKnownType(type: string): boolean {
  return KNOWN_TYPES.has(type);
}

/** Whether parsed JSON is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A header as it is handed out: what the line says, in the words of version 3.
 *
 * @param raw The parsed line.
 * @param title A title that stood on a line of its own.
 */
export function headerFrom(raw: JsonObject, title: string): SessionHeader {
  const header: JsonObject = { ...raw };
  header.version = versionOf(raw) > SESSION_VERSION ? versionOf(raw) : SESSION_VERSION;
  header.id = textOr(raw.id, "");
  header.timestamp = textOr(raw.timestamp, new Date(0).toISOString());
  header.cwd = textOr(raw.cwd, "");
  // Version 1 had another word for where a session came from.
  if (typeof header.parentSession !== "string" && typeof raw.branchedFrom === "string") {
    header.parentSession = raw.branchedFrom;
  }
  if (typeof header.title !== "string" && title !== "") header.title = title;
  return freezeJson(header) as unknown as SessionHeader;
}

/** The version of a header line; files of version 1 do not tell. */
export function versionOf(header: JsonObject): number {
  return typeof header.version === "number" && header.version >= 1 ? header.version : 1;
}

/** Where an entry stands, as the index knows it. */
export interface EntryPlace {
  /** Its name. */
  id: string;
  /** The entry before it, after all mending. */
  parentId: string | null;
  /** The name of the entry that version 1 counts as `index`, its header being 0. */
  idOfLine(index: number): string | undefined;
}

/**
 * An entry as it is handed out: what the line says, in the words of version 3. Fields and types
 * that nobody here knows stay as they are.
 *
 * @param raw The parsed line; it is changed and kept.
 * @param place Where it stands.
 */
export function entryFrom(raw: JsonObject, place: EntryPlace): SessionEntry {
  raw.id = place.id;
  raw.parentId = place.parentId;
  if (typeof raw.timestamp !== "string") raw.timestamp = new Date(0).toISOString();
  switch (raw.type) {
    case "message":
      if (isJsonObject(raw.message)) mendMessage(raw.message);
      break;
    case "model_change":
      if (typeof raw.model !== "string" && typeof raw.modelId === "string") {
        raw.model = typeof raw.provider === "string"
          ? `${raw.provider}/${raw.modelId}`
          : raw.modelId;
      }
      break;
    case "compaction":
      if (typeof raw.firstKeptEntryId !== "string") {
        const index = raw.firstKeptEntryIndex;
        raw.firstKeptEntryId = typeof index === "number" ? place.idOfLine(index) ?? "" : "";
      }
      takeFromHook(raw);
      break;
    case "branch_summary":
      takeFromHook(raw);
      break;
  }
  return freezeJson(raw) as unknown as SessionEntry;
}

/** Other agents call `fromExtension` by its older name. */
function takeFromHook(raw: JsonObject): void {
  if (raw.fromExtension === undefined && typeof raw.fromHook === "boolean") {
    raw.fromExtension = raw.fromHook;
  }
}

function mendMessage(message: JsonObject): void {
  // Version 2 called what hooks say by another name.
  if (message.role === "hookMessage") message.role = "custom";
  if (message.role === "toolResult" || message.role === "assistant") {
    if (typeof message.content === "string") {
      message.content = [{ type: "text", text: message.content }];
    } else if (!Array.isArray(message.content)) {
      message.content = [];
    }
  }
  if (message.role !== "assistant" || !Array.isArray(message.content)) return;
  for (const block of message.content) {
    if (isJsonObject(block) && block.type === "toolCall" && !isJsonObject(block.arguments)) {
      block.arguments = {};
    }
  }
}

/** Freezes parsed JSON, which has no cycles but may be nested deeper than calls can be. */
export function freezeJson<T extends object>(value: T): T {
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    Object.freeze(next);
    for (const field of Object.values(next)) {
      if (typeof field === "object" && field !== null) open.push(field);
    }
  }
  return value;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

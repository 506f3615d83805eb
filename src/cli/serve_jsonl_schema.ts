/**
 * The lines of `serve --jsonl` as a JSON Schema, made from the list of events.
 *
 * @module
 */

import { EVENT_FIELDS, HOOK_EVENT_NAMES } from "../../mod.ts";
import { PROTOCOL_VERSION } from "./serve_jsonl.ts";

type Schema = Record<string, unknown>;

const TEXT: Schema = { type: "string" };
const ID: Schema = { type: ["string", "number"] };
const ANY: Schema = {};

/** A line: which type it has, and its fields; those with `?` may be missing. */
function line(type: string, description: string, fields: Record<string, Schema>): Schema {
  const names = Object.keys(fields);
  return {
    description,
    type: "object",
    properties: {
      type: { const: type },
      ...Object.fromEntries(names.map((name) => [name.replace("?", ""), fields[name]])),
    },
    required: ["type", ...names.filter((name) => !name.endsWith("?"))],
  };
}

function eventLines(): Schema[] {
  return HOOK_EVENT_NAMES.map((name) => {
    const fields = Object.entries(EVENT_FIELDS[name]).map(([field, { about, isRequired }]) => [
      isRequired ? field : `${field}?`,
      { description: about },
    ]);
    return line(name, "A request", { "id?": ID, ...Object.fromEntries(fields) });
  });
}

/** The schema: `definitions.toServer` and `definitions.fromServer` are one line each. */
export function jsonlSchema(): Schema {
  const exec: Schema = { enum: ["allow", "deny", "ask"] };
  const question = { id: TEXT, "for?": ID };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: `pi-hooks serve --jsonl, protocol ${PROTOCOL_VERSION}`,
    definitions: {
      toServer: {
        oneOf: [
          line("hello", "First, and best: says what the client can do", {
            "id?": ID,
            "protocol?": { const: PROTOCOL_VERSION },
            "ui?": { type: "boolean", description: "Whether a person can be asked" },
            "exec?": { ...exec, description: "Whether hooks may run programs. Default: allow" },
          }),
          line("cancel", "Gives a request up", { id: ID }),
          line("ui_response", "Answers ui_request; without a value it was cancelled", {
            id: TEXT,
            "value?": { type: ["string", "boolean", "null"] },
          }),
          line("exec_response", "Answers exec_request", { id: TEXT, allow: { type: "boolean" } }),
          ...eventLines(),
        ],
      },
      fromServer: {
        oneOf: [
          line("hello", "Answers hello", {
            "id?": ID,
            protocol: { type: "integer" },
            "name?": TEXT,
            "version?": TEXT,
            "events?": { type: "array", items: TEXT },
            "hooks?": { type: "array" },
            "errors?": { type: "array" },
            "warnings?": { type: "array" },
            "error?": TEXT,
          }),
          line("ui_request", "A hook asks the person", {
            ...question,
            method: { enum: ["select", "confirm", "input", "editor"] },
            title: TEXT,
            "message?": TEXT,
            "options?": { type: "array", items: TEXT },
            "placeholder?": TEXT,
            "prefill?": TEXT,
          }),
          line("ui_cancel", "A question is taken back", { id: TEXT }),
          line("ui_notice", "A hook tells the person something", {
            "for?": ID,
            method: { enum: ["notify", "setStatus", "setEditorText"] },
          }),
          line("exec_request", "A hook wants to run a program", {
            ...question,
            command: TEXT,
            "args?": { type: "array", items: TEXT },
            cwd: TEXT,
          }),
          line("send_message", "A hook sends a message", { message: ANY, options: ANY }),
          line("append_entry", "A hook keeps data in the session", { customType: TEXT, data: ANY }),
          line("warning", "Something about a hook is odd", {
            "for?": ID,
            hookPath: TEXT,
            event: TEXT,
            warning: TEXT,
          }),
          ...HOOK_EVENT_NAMES.map((name) =>
            line(name, "The answer to a request; null means that no hook had one", {
              id: ID,
              result: name === "tool_call" ? TOOL_CALL_RESULT : { type: ["object", "null"] },
              errors: { type: "array" },
              "trace?": { type: "array" },
              "error?": TEXT,
            })
          ),
          {
            description: "The line was not understood",
            type: "object",
            properties: { id: ID, error: TEXT, type: false },
            required: ["id", "error"],
          },
        ],
      },
    },
  };
}

const TOOL_CALL_RESULT: Schema = {
  description: "The tool must not run if block is true",
  type: ["object", "null"],
  properties: {
    block: { type: "boolean" },
    reason: TEXT,
    hookPath: TEXT,
    kind: { enum: ["policy", "fault", "timeout"] },
  },
};

/**
 * Checks for the fields of answers. A hook is a stranger's code: what it returns is looked at
 * before it reaches a session, a model or a tool.
 *
 * @module
 */

import { describeValue } from "../errors.ts";

/** Says what is wrong with a value, or `undefined` if nothing is. */
export type FieldCheck = (value: unknown) => string | undefined;

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isRecord = (value: unknown): value is Fields => isObject(value) && !Array.isArray(value);
const expected = (what: string, value: unknown) => `must be ${what}, not ${describeValue(value)}`;

/** `true` or `false`. */
export const checkBoolean: FieldCheck = (value) =>
  typeof value === "boolean" ? undefined : expected("true or false", value);

/** A text. */
export const checkString: FieldCheck = (value) =>
  typeof value === "string" ? undefined : expected("a text", value);

/** A list of texts. */
export const checkStrings: FieldCheck = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === "string")
    ? undefined
    : expected("a list of texts", value);

/** Something that JSON can hold: no functions, symbols, bigints or cycles, at any depth. */
export const checkJson: FieldCheck = (value) => jsonFault(value, []);

function jsonFault(value: unknown, above: unknown[]): string | undefined {
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
    return `must be something that JSON can hold, but holds ${describeValue(value)}`;
  }
  if (!isObject(value)) return undefined;
  if (above.includes(value)) return "must be something that JSON can hold, but contains itself";
  if (above.length > 200) return "must be something that JSON can hold, but is nested too deeply";
  above.push(value);
  for (const key of Object.keys(value)) {
    const fault = jsonFault(value[key], above);
    if (fault !== undefined) return fault;
  }
  above.pop();
  return undefined;
}

/** An object of named values that JSON can hold. */
export const checkRecord: FieldCheck = (value) =>
  isRecord(value) ? checkJson(value) : expected("an object", value);

/** A list of text and image blocks that JSON can hold. */
export const checkContent: FieldCheck = (value) => {
  if (!Array.isArray(value)) return expected("a list of text and image blocks", value);
  for (let i = 0; i < value.length; i++) {
    const fault = blockFault(value[i]);
    if (fault !== undefined) return `block ${i} ${fault}`;
  }
  return undefined;
};

function blockFault(block: unknown): string | undefined {
  if (!isRecord(block)) return expected("a text or image block", block);
  if (block.type === "text") {
    return typeof block.text === "string" ? checkJson(block) : "is a text block without a text";
  }
  if (block.type === "image") {
    return typeof block.data === "string" && typeof block.mimeType === "string"
      ? checkJson(block)
      : "is an image block without data and mimeType";
  }
  return expected("a text or image block", block);
}

/** A list of messages: objects with a `role`. */
export const checkMessages: FieldCheck = (value) => {
  if (!Array.isArray(value)) return expected("a list of messages", value);
  for (let i = 0; i < value.length; i++) {
    if (!isRecord(value[i]) || typeof value[i].role !== "string") {
      return `message ${i} ${expected("an object with a role", value[i])}`;
    }
  }
  return undefined;
};

/** A message as a hook hands it in. */
export const checkHookMessage: FieldCheck = (value) => {
  if (!isRecord(value)) return expected("an object with customType, content and display", value);
  if (typeof value.customType !== "string" || value.customType === "") {
    return `needs a customType, not ${describeValue(value.customType)}`;
  }
  if (typeof value.content !== "string") {
    const fault = checkContent(value.content);
    if (fault !== undefined) return `has a content that ${fault}`;
  }
  if (value.display !== undefined && typeof value.display !== "boolean") {
    return `has a display that ${expected("true or false", value.display)}`;
  }
  const fault = checkJson(value.details);
  return fault === undefined ? undefined : `has details that ${fault}`;
};

/** A compaction with a summary, the first entry to keep and a number of tokens. */
export const checkCompaction: FieldCheck = (value) => {
  if (!isRecord(value)) return expected("an object", value);
  if (typeof value.summary !== "string" || value.summary.trim() === "") {
    return `needs a summary, not ${describeValue(value.summary)}`;
  }
  if (typeof value.firstKeptEntryId !== "string") {
    return `needs a firstKeptEntryId, not ${describeValue(value.firstKeptEntryId)}`;
  }
  if (!Number.isFinite(value.tokensBefore) || (value.tokensBefore as number) < 0) {
    return `needs a finite tokensBefore of zero or more, not ${describeNumber(value.tokensBefore)}`;
  }
  if (value.preserveData !== undefined) {
    const fault = checkRecord(value.preserveData);
    if (fault !== undefined) return `has a preserveData that ${fault}`;
  }
  const fault = checkJson(value.details);
  return fault === undefined ? undefined : `has details that ${fault}`;
};

/** JSON writes `NaN` as `null`, which would hide what is wrong. */
function describeNumber(value: unknown): string {
  return typeof value === "number" ? String(value) : describeValue(value);
}

/** The summary of a branch. */
export const checkTreeSummary: FieldCheck = (value) => {
  if (!isRecord(value) || typeof value.summary !== "string") {
    return expected("an object with a summary", value);
  }
  const fault = checkJson(value.details);
  return fault === undefined ? undefined : `has details that ${fault}`;
};

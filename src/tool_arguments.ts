/**
 * Checks the arguments of a tool call against the tool's JSON schema.
 *
 * @module
 */

import { describeValue } from "./errors.ts";
import { nearest } from "./nearest.ts";
import type { AgentTool } from "./ports.ts";

/** What came of the check: the very arguments, or what is wrong with them. */
export type ArgumentCheck =
  | { ok: true; args: Record<string, unknown> }
  | { ok: false; fault: string };

/** How many faults a message names. */
const MAX_FAULTS = 5;

type Schema = Record<string, unknown>;

/** A value, and how a message calls it: `path`, `edits[0].newText`. */
type Place = { value: unknown; name: string };

/**
 * Checks arguments before hooks and tools see them.
 *
 * It knows the part of JSON Schema that tools use: `type` (also a list of types), `properties`,
 * `required`, `additionalProperties`, `items`, `enum`, `const`, `minimum`, `maximum`, `anyOf` and
 * `oneOf` (both: at least one fits). Other keywords, such as `pattern` or `format`, are not looked
 * at. A field that is `undefined` counts as absent. Nothing is converted and nothing is changed:
 * the arguments that come back are the same object.
 *
 * @param tool The tool, or its name and schema.
 * @param args What came from the model.
 * @returns The arguments, or a text for the model that names each wrong field, what it should be
 * and what came instead.
 *
 * @example
 * ```ts
 * import { checkArguments } from "@pi-hooks/core";
 *
 * const parameters = {
 *   type: "object",
 *   properties: { path: { type: "string" } },
 *   required: ["path"],
 * };
 * const check = checkArguments({ name: "read", parameters }, { path: 7 });
 * // check.fault: The arguments of "read" do not fit: path must be a text, not 7
 * if (check.ok) throw new Error("unexpected");
 * ```
 */
export function checkArguments(
  tool: Pick<AgentTool, "name" | "parameters">,
  args: unknown,
): ArgumentCheck {
  const subject = `The arguments of ${JSON.stringify(tool.name)} do not fit: `;
  if (!isObject(args)) {
    return { ok: false, fault: `${subject}they must be an object, not ${describeValue(args)}` };
  }
  const schema = tool.parameters;
  if (schema !== undefined && typeof schema !== "boolean" && !isObject(schema)) {
    const fault = `${subject}the tool has no schema to check them with, only ` +
      describeValue(schema);
    return { ok: false, fault };
  }
  const faults = findFaults(schema, { value: args, name: "" });
  if (faults.length === 0) return { ok: true, args };
  const rest = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : "";
  return { ok: false, fault: subject + faults.slice(0, MAX_FAULTS).join("; ") + rest };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One sentence for each thing that does not fit; none if the value is right. */
function findFaults(schema: unknown, place: Place): string[] {
  if (schema === false) return [`${place.name} must not be there`];
  if (!isObject(schema)) return [];
  const misfit = findMisfit(schema, place.value);
  // What is inside of a value of the wrong type is of no interest.
  if (misfit !== undefined) {
    return [`${named(place)} must be ${misfit}, not ${describeValue(place.value)}`];
  }
  return [
    ...findFaultsOfFields(schema, place),
    ...findFaultsOfItems(schema, place),
    ...findFaultsOfChoices(schema.anyOf, place),
    ...findFaultsOfChoices(schema.oneOf, place),
  ];
}

function named({ name }: Place): string {
  return name === "" ? "the arguments" : name;
}

/** What the value itself should be; `undefined` if it is that. */
function findMisfit(schema: Schema, value: unknown): string | undefined {
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  if (Array.isArray(types) && !types.some((type) => hasType(value, type))) {
    return types.map(typeName).join(" or ");
  }
  if ("const" in schema && !isSame(schema.const, value)) return describeValue(schema.const);
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => isSame(one, value))) {
    return `one of ${schema.enum.map(describeValue).join(", ")}`;
  }
  if (typeof value !== "number") return undefined;
  const { minimum, maximum } = schema;
  if (typeof minimum === "number" && value < minimum) return `at least ${minimum}`;
  if (typeof maximum === "number" && value > maximum) return `at most ${maximum}`;
  return undefined;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

function typeName(type: unknown): string {
  const name = String(type);
  return Object.hasOwn(TYPE_NAMES, name) ? TYPE_NAMES[name] : `of the type ${describeValue(type)}`;
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return Number.isFinite(value);
    case "integer":
      return Number.isInteger(value);
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    default:
      return false;
  }
}

function isSame(wanted: unknown, value: unknown): boolean {
  if (wanted === value) return true;
  const areBothObjects = typeof wanted === "object" && typeof value === "object";
  return areBothObjects && JSON.stringify(wanted) === JSON.stringify(value);
}

function findFaultsOfFields(schema: Schema, { value, name }: Place): string[] {
  if (!isObject(value)) return [];
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const nameOf = (field: string): string => name === "" ? field : `${name}.${field}`;
  const isGiven = (field: string): boolean =>
    Object.hasOwn(value, field) && value[field] !== undefined;

  const faults = required.map(String).filter((field) => !isGiven(field)).map((field) => {
    const wanted = Object.hasOwn(properties, field) ? expectationOf(properties[field]) : "";
    return `${nameOf(field)} is missing${wanted && ` (${wanted})`}`;
  });
  for (const field of Object.keys(value).filter(isGiven)) {
    const inner = { value: value[field], name: nameOf(field) };
    if (Object.hasOwn(properties, field)) faults.push(...findFaults(properties[field], inner));
    else if (schema.additionalProperties === false) {
      faults.push(explainUnknownField(inner.name, field, Object.keys(properties)));
    } else faults.push(...findFaults(schema.additionalProperties, inner));
  }
  return faults;
}

/** The type that a schema asks for, in words; empty if it asks for none. */
function expectationOf(schema: unknown): string {
  if (!isObject(schema) || schema.type === undefined) return "";
  return [schema.type].flat().map(typeName).join(" or ");
}

function explainUnknownField(name: string, field: string, known: string[]): string {
  const meant = nearest(field, known);
  const hint = meant === undefined
    ? `the fields are ${known.join(", ") || "none"}`
    : `did you mean ${meant}?`;
  return `${name} is not a known field, ${hint}`;
}

function findFaultsOfItems(schema: Schema, { value, name }: Place): string[] {
  if (!Array.isArray(value) || schema.items === undefined) return [];
  return value.flatMap((item, index) =>
    findFaults(schema.items, { value: item, name: `${name}[${index}]` })
  );
}

/** The value must fit at least one of the schemas; if not, the one that comes nearest is explained. */
function findFaultsOfChoices(choices: unknown, place: Place): string[] {
  if (!Array.isArray(choices) || choices.length === 0) return [];
  const attempts = choices.map((choice) => findFaults(choice, place));
  if (attempts.some((faults) => faults.length === 0)) return [];
  const misfits = choices.map((choice) =>
    isObject(choice) ? findMisfit(choice, place.value) : undefined
  );
  if (misfits.every((misfit) => misfit !== undefined)) {
    const wanted = [...new Set(misfits)].join(" or ");
    return [`${named(place)} must be ${wanted}, not ${describeValue(place.value)}`];
  }
  // A choice whose own type fits is what was meant, whatever is wrong inside of it.
  const candidates = attempts.filter((_, index) => misfits[index] === undefined);
  return candidates.reduce((best, faults) => faults.length < best.length ? faults : best);
}

import { assertEquals, assertStrictEquals } from "@std/assert";
import { checkArguments } from "../src/tool_arguments.ts";

/** The fault without its beginning, `undefined` if the arguments fit. */
function faultOf(parameters: unknown, args: unknown): string | undefined {
  const check = checkArguments({ name: "t", parameters }, args);
  if (check.ok) return undefined;
  const beginning = 'The arguments of "t" do not fit: ';
  assertEquals(check.fault.slice(0, beginning.length), beginning);
  return check.fault.slice(beginning.length);
}

/** A schema with one field. */
function field(schema: unknown): unknown {
  return { type: "object", properties: { x: schema } };
}

type Row = [name: string, schema: unknown, args: unknown, fault: string | undefined];

const CIRCLE: Record<string, unknown> = {};
CIRCLE.self = CIRCLE;

const ROWS: Row[] = [
  ["a text is a text", field({ type: "string" }), { x: "" }, undefined],
  ["a number is no text", field({ type: "string" }), { x: 7 }, "x must be a text, not 7"],
  ["a text is no number", field({ type: "number" }), { x: "7" }, 'x must be a number, not "7"'],
  ["a fraction is a number", field({ type: "number" }), { x: -0.5 }, undefined],
  ["NaN is no number", field({ type: "number" }), { x: NaN }, "x must be a number, not NaN"],
  [
    "Infinity is no number",
    field({ type: "number" }),
    { x: Infinity },
    "x must be a number, not Infinity",
  ],
  ["a whole number is one", field({ type: "integer" }), { x: 3 }, undefined],
  [
    "a fraction is no whole number",
    field({ type: "integer" }),
    { x: 1.5 },
    "x must be a whole number, not 1.5",
  ],
  [
    "a text is no truth",
    field({ type: "boolean" }),
    { x: "true" },
    'x must be true or false, not "true"',
  ],
  ["null is null", field({ type: "null" }), { x: null }, undefined],
  ["null is no object", field({ type: "object" }), { x: null }, "x must be an object, not null"],
  ["a list is no object", field({ type: "object" }), { x: [] }, "x must be an object, not []"],
  [
    "an object is no list",
    field({ type: "array" }),
    { x: { length: 0 } },
    'x must be a list, not {"length":0}',
  ],
  ["one of several types is enough", field({ type: ["string", "null"] }), { x: null }, undefined],
  [
    "none of several types is a fault that names them all",
    field({ type: ["string", "null"] }),
    { x: 1 },
    "x must be a text or null, not 1",
  ],
  [
    "a type that does not exist fits nothing",
    field({ type: "text" }),
    { x: "a" },
    'x must be of the type "text", not "a"',
  ],
  [
    "a name of the language is no type",
    field({ type: "toString" }),
    { x: "a" },
    'x must be of the type "toString", not "a"',
  ],
  [
    "a field that is required is missing",
    { type: "object", properties: { x: { type: "string" } }, required: ["x"] },
    {},
    "x is missing (a text)",
  ],
  ["a required field without schema", { required: ["x"] }, {}, "x is missing"],
  ["undefined counts as absent", { required: ["x"] }, { x: undefined }, "x is missing"],
  ["an inherited field counts as absent", { required: ["toString"] }, {}, "toString is missing"],
  ["undefined where nothing is required", field({ type: "string" }), { x: undefined }, undefined],
  [
    "an unknown field is allowed where the schema does not forbid it",
    field({ type: "string" }),
    { y: 1 },
    undefined,
  ],
  [
    "an unknown field is a fault where the schema forbids it, with the nearest known one",
    { properties: { path: {} }, additionalProperties: false },
    { paht: "a" },
    "paht is not a known field, did you mean path?",
  ],
  [
    "an unknown field that is near to nothing lists the known ones",
    { properties: { path: {}, limit: {} }, additionalProperties: false },
    { command: "a" },
    "command is not a known field, the fields are path, limit",
  ],
  [
    "an unknown field where there is none",
    { additionalProperties: false },
    { x: 1 },
    "x is not a known field, the fields are none",
  ],
  [
    "a field called __proto__ is a field like any other",
    { properties: {}, additionalProperties: false },
    JSON.parse('{"__proto__":1}'),
    "__proto__ is not a known field, the fields are none",
  ],
  [
    "other fields have a schema of their own",
    { additionalProperties: { type: "number" } },
    { a: 1, b: "2" },
    'b must be a number, not "2"',
  ],
  ["one of the values", field({ enum: ["a", 1, null] }), { x: 1 }, undefined],
  [
    "none of the values",
    field({ enum: ["a", 1, null] }),
    { x: "1" },
    'x must be one of "a", 1, null, not "1"',
  ],
  ["a value that is an object", field({ enum: [{ a: 1 }] }), { x: { a: 1 } }, undefined],
  ["the one value", field({ const: "on" }), { x: "off" }, 'x must be "on", not "off"'],
  ["the smallest number", field({ type: "integer", minimum: 1 }), { x: 1 }, undefined],
  ["below the smallest", field({ minimum: 1 }), { x: 0 }, "x must be at least 1, not 0"],
  ["above the largest", field({ maximum: 9 }), { x: 10 }, "x must be at most 9, not 10"],
  ["a text has no smallest number", field({ minimum: 1 }), { x: "" }, undefined],
  ["items that fit", field({ items: { type: "string" } }), { x: ["a", "b"] }, undefined],
  [
    "an item that does not fit is named by its position",
    field({ items: { type: "string" } }),
    { x: ["a", 2] },
    "x[1] must be a text, not 2",
  ],
  [
    "a field within an item is named by the way to it",
    field({ items: { properties: { y: { type: "string" } }, required: ["y"] } }),
    { x: [{ y: "a" }, {}, { y: 1 }] },
    "x[1].y is missing (a text); x[2].y must be a text, not 1",
  ],
  [
    "one of several schemas is enough",
    field({ anyOf: [{ type: "string" }, { type: "number" }] }),
    { x: 1 },
    undefined,
  ],
  [
    "none of several schemas",
    field({ anyOf: [{ type: "string" }, { const: 5 }, { type: "string", enum: ["a"] }] }),
    { x: true },
    "x must be a text or 5, not true",
  ],
  [
    "of several schemas the one whose type fits is explained",
    field({ anyOf: [{ type: "string" }, { type: "object", required: ["y"] }] }),
    { x: {} },
    "x.y is missing",
  ],
  [
    "oneOf is read like anyOf",
    field({ oneOf: [{ type: "string" }, { minLength: 1 }] }),
    { x: "a" },
    undefined,
  ],
  [
    "several faults are all named",
    {
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["c"],
    },
    { a: 1, b: "b" },
    'c is missing; a must be a text, not 1; b must be a number, not "b"',
  ],
  [
    "very many faults are counted",
    field({ items: { type: "string" } }),
    { x: [1, 2, 3, 4, 5, 6, 7] },
    "x[0] must be a text, not 1; x[1] must be a text, not 2; x[2] must be a text, not 3; " +
    "x[3] must be a text, not 4; x[4] must be a text, not 5; and 2 more",
  ],
  ["a keyword that is not known is not looked at", field({ pattern: "^b" }), { x: "a" }, undefined],
  ["an empty schema fits everything", {}, { x: 1 }, undefined],
  ["no schema fits everything", undefined, { x: 1 }, undefined],
  ["the schema true fits everything", true, { x: 1 }, undefined],
  ["a field whose schema is false", field(false), { x: 1 }, "x must not be there"],
  [
    "a schema that is none is a fault",
    null,
    { x: 1 },
    "the tool has no schema to check them with, only null",
  ],
  ["a text is no arguments", {}, "ls", 'they must be an object, not "ls"'],
  ["null is no arguments", {}, null, "they must be an object, not null"],
  ["a list is no arguments", {}, [], "they must be an object, not []"],
  [
    "a circle can be named",
    field({ type: "string" }),
    { x: CIRCLE },
    "x must be a text, not an object of type Object",
  ],
];

for (const [name, schema, args, fault] of ROWS) {
  Deno.test(`arguments: ${name}`, () => {
    assertEquals(faultOf(schema, args), fault);
  });
}

Deno.test("arguments: what fits comes back as the same object, unchanged", () => {
  const args = Object.freeze({ path: "a", edits: Object.freeze([]) });
  const parameters = {
    type: "object",
    properties: { path: { type: "string" }, edits: { type: "array" }, limit: { default: 3 } },
  };
  const check = checkArguments({ name: "edit", parameters }, args);
  assertStrictEquals(check.ok ? check.args : undefined, args);
  assertEquals(args, { path: "a", edits: [] });
});

Deno.test("arguments: a very long value is cut in the message", () => {
  const fault = faultOf(field({ type: "number" }), { x: "a".repeat(10_000) }) ?? "";
  assertEquals(fault.length < 300, true, fault);
});

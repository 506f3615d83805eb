/**
 * What is thrown on one side, for the other: name, message, stack, code and cause.
 *
 * @module
 */

import { describeValue, isThrown, stackOf, thrownText } from "../errors.ts";

/** The classes that an error keeps; of any other only the name is kept. */
const CLASSES: Readonly<Record<string, new (message: string) => Error>> = {
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  URIError,
  EvalError,
};

const MAX_TEXT = 64 * 1024;
const MAX_CAUSES = 5;

/**
 * Makes something thrown fit for JSON.
 *
 * @param thrown Anything.
 * @param packValue Packs what is no error.
 */
export function packThrown(
  thrown: unknown,
  packValue: (value: unknown) => unknown,
  depth = 0,
): unknown {
  if (!isThrown(thrown, Error)) {
    return { value: safely(() => packValue(thrown), describeValue(thrown)) };
  }
  const packed: Record<string, unknown> = {
    name: cut(safely(() => String(thrown.name), "Error")),
    message: cut(safely(() => String(thrown.message), thrownText(thrown))),
  };
  const stack = stackOf(thrown);
  if (stack !== undefined) packed.stack = cut(stack);
  const code = safely(() => (thrown as { code?: unknown }).code, undefined);
  if (typeof code === "string" || typeof code === "number") packed.code = code;
  const cause = safely(() => thrown.cause, undefined);
  if (cause !== undefined && depth < MAX_CAUSES) {
    packed.cause = packThrown(cause, packValue, depth + 1);
  }
  return packed;
}

/**
 * Makes of a packed error what was thrown.
 *
 * @param packed What {@linkcode packThrown} gave, or anything.
 */
export function unpackThrown(packed: unknown): unknown {
  if (typeof packed !== "object" || packed === null) return packed;
  const { name, message, stack, code, cause, value } = packed as Record<string, unknown>;
  if (typeof message !== "string") return value;
  const type = typeof name === "string" && Object.hasOwn(CLASSES, name) ? CLASSES[name] : Error;
  const error = new type(message);
  if (typeof name === "string" && error.name !== name) hide(error, "name", name);
  if (typeof stack === "string") hide(error, "stack", stack);
  if (cause !== undefined) hide(error, "cause", unpackThrown(cause));
  if (typeof code === "string" || typeof code === "number") Object.assign(error, { code });
  return error;
}

function hide(error: Error, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, writable: true, configurable: true });
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** An error may be made so that looking at it throws. */
function safely<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

/**
 * What kind of file bytes are, and the text of a whole file.
 *
 * @module
 */

import { explainFileError, requireFile } from "./tool_path.ts";

/** How many bytes are looked at to find out what a file is. */
export const SNIFF_BYTES = 8192;

/** Says that a file is not text, in the words that the model reads. */
export const BINARY_FAULT = "it holds NUL bytes, so it is a binary file or UTF-16 text";

/**
 * Whether bytes are no text that tools work with: there is a NUL among the first of them.
 *
 * @param bytes The beginning of a file.
 */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFF_BYTES).includes(0);
}

/** How the formats begin: characters for bytes, where a dot stands for any byte. */
const IMAGE_BEGINNINGS: readonly { mimeType: string; begins: string }[] = [
  { mimeType: "image/png", begins: "\x89PNG\r\n\x1a\n" },
  { mimeType: "image/jpeg", begins: "\xff\xd8\xff" },
  { mimeType: "image/gif", begins: "GIF87a" },
  { mimeType: "image/gif", begins: "GIF89a" },
  { mimeType: "image/webp", begins: "RIFF....WEBP" },
];

/**
 * The media type of a picture that models can see, `undefined` for everything else. The bytes
 * decide, not the name.
 *
 * @param bytes The beginning of a file.
 */
export function imageType(bytes: Uint8Array): string | undefined {
  const fits = (begins: string): boolean =>
    Array.from(begins).every((letter, at) => letter === "." || bytes[at] === letter.charCodeAt(0));
  return IMAGE_BEGINNINGS.find(({ begins }) => fits(begins))?.mimeType;
}

/** Above this, a file is not edited or searched. */
const MAX_EDIT_BYTES = 32 * 1024 * 1024;

/**
 * The whole text of a file, with its byte order mark if it has one.
 *
 * @param path An absolute path.
 * @param signal Stops the reading.
 * @throws {Error} If it is missing, too large, or not UTF-8 through and through, since writing it
 * back would destroy what could not be read.
 */
export async function readWholeText(
  path: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { size } = await requireFile(path);
  const subject = JSON.stringify(path);
  if (size > MAX_EDIT_BYTES) {
    throw new Error(`${subject} has ${size} bytes, more than the ${MAX_EDIT_BYTES} of this tool`);
  }
  let bytes: Uint8Array;
  try {
    bytes = await Deno.readFile(path, { signal });
  } catch (error) {
    throw explainFileError(error, "read", path);
  }
  if (isBinary(bytes)) throw new Error(`${subject} cannot be changed as text: ${BINARY_FAULT}`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const problem = `${subject} cannot be changed as text: it is not valid UTF-8`;
    throw new Error(problem, { cause: error });
  }
}

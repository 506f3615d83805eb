/**
 * The tool `read`.
 *
 * @module
 */

import type { OutputMeta, ReadToolDetails } from "../../events/tool_details.ts";
import { checkSignal, type ToolAnswer, type ToolSettings } from "./define_tool.ts";
import { MAX_BYTES, MAX_LINES } from "./output_limit.ts";
import { BINARY_FAULT, imageType, isBinary, SNIFF_BYTES } from "./text_file.ts";
import { explainFileError, placeOf, requireFile, resolvePath } from "./tool_path.ts";

/** Larger pictures are refused by most providers of models. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

const CHUNK_BYTES = 64 * 1024;
const LINE_FEED = 10;

/**
 * Reads a file.
 *
 * @param params Which lines of which file.
 * @param settings Where relative paths start.
 * @param signal Stops the reading.
 * @throws {Error} If there is nothing that could be shown.
 */
export async function runRead(
  { path, offset = 1, limit }: { path: string; offset?: number; limit?: number },
  settings: ToolSettings,
  signal: AbortSignal | undefined,
): Promise<ToolAnswer<"read">> {
  const resolved = resolvePath(path, placeOf(settings));
  const { size } = await requireFile(resolved);
  try {
    using file = await Deno.open(resolved);
    const start = await readChunk(file, new Uint8Array(SNIFF_BYTES));
    await file.seek(0, Deno.SeekMode.Start);
    const mimeType = imageType(start);
    if (mimeType !== undefined) return await readImage(resolved, size, mimeType, signal);
    if (isBinary(start)) {
      throw new RefusedFile(
        `${JSON.stringify(resolved)} (${size} bytes) cannot be read as text: ${BINARY_FAULT}. ` +
          "Look at it with bash, for example with file or xxd",
      );
    }
    return await readText(file, resolved, { offset, limit, signal });
  } catch (error) {
    throw error instanceof RefusedFile ? error : explainFileError(error, "read", resolved);
  }
}

/** A file that could be read and is not what was asked for; the message says everything. */
class RefusedFile extends Error {}

/** Fills the buffer as far as the file goes. */
async function readChunk(file: Deno.FsFile, buffer: Uint8Array): Promise<Uint8Array> {
  let length = 0;
  while (length < buffer.length) {
    const count = await file.read(buffer.subarray(length));
    if (count === null) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

async function readImage(
  path: string,
  size: number,
  mimeType: string,
  signal: AbortSignal | undefined,
): Promise<ToolAnswer<"read">> {
  if (size > MAX_IMAGE_BYTES) {
    throw new RefusedFile(
      `${JSON.stringify(path)} is a picture of ${size} bytes, more than the ${MAX_IMAGE_BYTES} ` +
        "that a model takes: make it smaller first",
    );
  }
  const bytes = await Deno.readFile(path, { signal });
  return {
    content: [
      { type: "text", text: `Picture ${path} (${mimeType}, ${bytes.length} bytes)` },
      { type: "image", data: bytes.toBase64(), mimeType },
    ],
    details: { kind: "file", resolvedPath: path, contentType: mimeType },
  };
}

/** Which lines are wanted. */
interface LineRange {
  offset: number;
  limit: number | undefined;
  signal: AbortSignal | undefined;
}

async function readText(
  file: Deno.FsFile,
  path: string,
  range: LineRange,
): Promise<ToolAnswer<"read">> {
  const lines = await collectLines(file, range);
  const details: ReadToolDetails = { kind: "file", resolvedPath: path };
  const { offset } = range;
  const { text, shownLines, totalLines, isLineCut } = lines;
  if (totalLines === 0 && offset === 1) {
    return { content: [{ type: "text", text: "(the file is empty)" }], details };
  }
  if (offset > totalLines) {
    throw new RefusedFile(
      `${JSON.stringify(path)} has ${totalLines} lines, so there is none at offset ${offset}`,
    );
  }
  const end = offset + shownLines - 1;
  const isComplete = end === totalLines && !isLineCut;
  if (!isComplete) details.meta = { truncation: describeCut(lines, offset) };
  const note = isComplete ? "" : explainCut(lines, offset);
  const gap = text.endsWith("\n") ? "\n" : "\n\n";
  return { content: [{ type: "text", text: note === "" ? text : text + gap + note }], details };
}

/** What was collected, and what there was. */
interface CollectedLines {
  text: string;
  /** Lines in `text`. */
  shownLines: number;
  totalLines: number;
  totalBytes: number;
  outputBytes: number;
  /** Whether the limit of bytes ended the collection, rather than the number of lines. */
  isFull: boolean;
  /** Whether a line alone was too long, and only its beginning is there. */
  isLineCut: boolean;
}

/** Goes through the file once, keeps the lines that are wanted, and counts the others. */
async function collectLines(file: Deno.FsFile, range: LineRange): Promise<CollectedLines> {
  const { offset, limit = MAX_LINES, signal } = range;
  const wanted = Math.min(limit, MAX_LINES);
  const kept = new Uint8Array(MAX_BYTES);
  let keptLength = 0;
  let shownLines = 0;
  let isFull = false;
  let isLineCut = false;
  let line = 1;
  let lineStart = 0;
  let totalBytes = 0;
  let lastByte = LINE_FEED;

  const buffer = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    checkSignal(signal, "read");
    const chunk = await readChunk(file, buffer);
    if (chunk.length === 0) break;
    totalBytes += chunk.length;
    lastByte = chunk[chunk.length - 1];
    for (let from = 0; from < chunk.length;) {
      const feed = chunk.indexOf(LINE_FEED, from);
      const end = feed < 0 ? chunk.length : feed + 1;
      const isWanted = line >= offset && line < offset + wanted && !isFull;
      if (isWanted) {
        const part = chunk.subarray(from, end);
        const room = kept.length - keptLength;
        kept.set(part.subarray(0, room), keptLength);
        keptLength += Math.min(part.length, room);
        if (part.length > room) {
          isFull = true;
          // A line that does not fit goes as a whole, unless it is the only one.
          isLineCut = line === offset;
          if (!isLineCut) keptLength = lineStart;
        }
        shownLines = line - offset + (isFull && !isLineCut ? 0 : 1);
      }
      if (feed >= 0) {
        line++;
        if (!isFull) lineStart = keptLength;
      }
      from = end;
    }
  }
  return {
    text: decodeKept(kept.subarray(0, keptLength), isLineCut, offset === 1),
    shownLines,
    totalLines: lastByte === LINE_FEED ? line - 1 : line,
    totalBytes,
    outputBytes: keptLength,
    isFull,
    isLineCut,
  };
}

/** Decodes as UTF-8; of a line that was cut, only whole characters. */
function decodeKept(bytes: Uint8Array, isCut: boolean, isStart: boolean): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: !isStart });
  return decoder.decode(bytes, { stream: isCut });
}

function describeCut(lines: CollectedLines, offset: number): OutputMeta["truncation"] {
  const end = offset + lines.shownLines - 1;
  const truncation: OutputMeta["truncation"] = {
    direction: "head",
    truncatedBy: lines.isFull ? "bytes" : "lines",
    totalLines: lines.totalLines,
    totalBytes: lines.totalBytes,
    outputLines: lines.shownLines,
    outputBytes: lines.outputBytes,
    maxBytes: MAX_BYTES,
    shownRange: { start: offset, end },
  };
  if (end < lines.totalLines) truncation.nextOffset = end + 1;
  return truncation;
}

function explainCut(lines: CollectedLines, offset: number): string {
  const end = offset + lines.shownLines - 1;
  const next = end < lines.totalLines ? `read on with offset=${end + 1}` : "it is the last one";
  if (lines.isLineCut) {
    return `[Line ${offset} is longer than ${MAX_BYTES / 1024} kB, only its beginning is shown: ` +
      `cut it up with bash for the rest; ${next}]`;
  }
  return `[Lines ${offset} to ${end} of ${lines.totalLines}: ${next}]`;
}

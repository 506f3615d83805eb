/**
 * Cuts a stream of bytes into lines.
 *
 * @module
 */

/**
 * The lines of a stream. A line ends at LF only, never at U+2028 or a lone CR; a CR before the LF
 * and a byte order mark at the start are dropped. A last line without an end counts too.
 *
 * @param stream Bytes, as UTF-8; invalid ones become U+FFFD.
 */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const lines of lineBatchesOf(stream)) yield* lines;
}

/**
 * The same lines as {@linkcode linesOf}, all those at once that end in one piece of the stream.
 *
 * @param stream Bytes, as UTF-8; invalid ones become U+FFFD.
 * @param onPiece Gets the length of each piece, in bytes.
 * @param onInvalid Gets the numbers of lines, from 1, that may hold invalid bytes.
 */
export async function* lineBatchesOf(
  stream: AsyncIterable<Uint8Array>,
  onPiece?: (bytes: number) => void,
  onInvalid?: (line: number) => void,
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let open: string[] = [];
  let line = 1;
  let tail = new Uint8Array();
  for await (const piece of stream) {
    onPiece?.(piece.length);
    const text = decoder.decode(piece, { stream: true });
    const lines = text.split("\n");
    if (onInvalid !== undefined) {
      // Where the mark was in the file already, nothing is wrong.
      if (text.includes(REPLACED) && text.split(REPLACED).length - 1 > marksIn(tail, piece)) {
        for (const [index, one] of lines.entries()) {
          if (one.includes(REPLACED)) onInvalid(line + index);
        }
      }
      tail = piece.length > 1 ? piece.slice(-2) : new Uint8Array([...tail.slice(-1), ...piece]);
      line += lines.length - 1;
    }
    const rest = lines.pop()!;
    if (lines.length > 0) {
      lines[0] = open.join("") + lines[0];
      open = [];
      yield lines.map(withoutReturn);
    }
    if (rest !== "") open.push(rest);
  }
  const rest = open.join("") + decoder.decode();
  if (rest !== "") yield [withoutReturn(rest)];
}

/** Stands for bytes that are no text. */
const REPLACED = "\ufffd";

/** How often the mark itself ends in a piece, which may begin with the end of one. */
function marksIn(tail: Uint8Array, piece: Uint8Array): number {
  const bytes = new Uint8Array(tail.length + piece.length);
  bytes.set(tail);
  bytes.set(piece, tail.length);
  let count = 0;
  for (let at = bytes.indexOf(0xef); at >= 0; at = bytes.indexOf(0xef, at + 1)) {
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) count++;
  }
  return count;
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

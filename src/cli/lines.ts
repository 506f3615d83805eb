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
 */
export async function* lineBatchesOf(
  stream: AsyncIterable<Uint8Array>,
  onPiece?: (bytes: number) => void,
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let open: string[] = [];
  for await (const piece of stream) {
    onPiece?.(piece.length);
    const lines = decoder.decode(piece, { stream: true }).split("\n");
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

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

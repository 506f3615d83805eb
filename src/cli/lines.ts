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
  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const chunk of stream) {
    let text = decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      parts.push(text.slice(0, end));
      yield withoutReturn(parts.join(""));
      parts = [];
      text = text.slice(end + 1);
    }
    if (text !== "") parts.push(text);
  }
  const rest = parts.join("") + decoder.decode();
  if (rest !== "") yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

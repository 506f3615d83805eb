/**
 * Copies entries of a session into the storage of a new one.
 *
 * @module
 */

import type { SessionHeader } from "../entries.ts";
import type { SessionStorage } from "../session_storage.ts";
import { LineBuffer } from "./line_buffer.ts";
import type { OpenSession } from "./open_session.ts";

/** So many bytes are collected before they are written. */
const PIECE = 1 << 20;

/**
 * Writes a header and entries. Lines go over byte for byte, also those of types that nobody here
 * knows; only what had to be mended or is of an older version is written anew.
 *
 * @param source The session.
 * @param leafId Copies the entries from the root to this one; without it, all of them.
 * @param header The header of the copy.
 * @param target Empty storage, claimed.
 */
export function copyRecords(
  source: OpenSession,
  leafId: string | undefined,
  header: SessionHeader,
  target: SessionStorage,
): void {
  source.use((records) => {
    // All lines are looked at before the first one is written: doing this twice would write twice.
    const isWhole = leafId === undefined;
    const selected = isWhole ? [...records.index.ids.keys()] : source.path(leafId);
    const isVerbatim = selected.map((record) => records.isVerbatim(record));
    const out = new LineBuffer();
    const flush = (): void => {
      if (out.length > 0) target.append(out.bytes);
      out.clear();
    };
    const write = (line: string | Uint8Array): void => {
      if (typeof line === "string") out.add(line);
      else out.addBytes(line);
      out.add("\n");
      if (out.length > PIECE) flush();
    };
    write(JSON.stringify(header));
    const others = records.index.others.toSorted((a, b) => a.start - b.start);
    let nextOther = 0;
    selected.forEach((record, step) => {
      const start = records.index.starts[record];
      while (nextOther < others.length && others[nextOther].start < start) {
        write(records.spanBytes(others[nextOther++]));
      }
      if (isVerbatim[step]) write(records.bytesAt(record));
      else write(JSON.stringify(records.readEntry(record)));
    });
    if (isWhole) {
      for (const other of others.slice(nextOther)) write(records.spanBytes(other));
    }
    flush();
  });
}

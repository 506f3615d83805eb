/**
 * The socket between the host and the process of an isolated hook, and what that process needs of
 * Deno beside it.
 *
 * @module
 */

/** Bytes in both directions. */
export interface ByteLink {
  /** What arrives, until the other side closes or fails. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Sends bytes, in order. Nothing is thrown: what cannot be sent shows at the end of `bytes`. */
  send(bytes: Uint8Array): void;
  /** Whether waiting for bytes keeps the program from ending. */
  keepAlive(isWanted: boolean): void;
  /** Ends both directions. */
  close(): void;
}

const PIECE_BYTES = 64 * 1024;

/**
 * A link over a connection.
 *
 * @param conn The connection; it belongs to the link from now on.
 */
export function linkOf(conn: Deno.UnixConn): ByteLink {
  const waiting: Uint8Array[] = [];
  let isWriting = false;
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    conn.close();
  };
  const write = async (): Promise<void> => {
    isWriting = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        for (let sent = 0; sent < next.length;) sent += await conn.write(next.subarray(sent));
      }
    } catch {
      // The other side is gone, which whoever reads finds out.
      waiting.length = 0;
    }
    isWriting = false;
  };
  return {
    bytes: pieces(conn),
    send(bytes): void {
      if (isClosed) return;
      waiting.push(bytes);
      if (!isWriting) void write();
    },
    keepAlive(isWanted): void {
      if (isClosed) return;
      if (isWanted) conn.ref();
      else conn.unref();
    },
    close,
  };
}

async function* pieces(conn: Deno.UnixConn): AsyncGenerator<Uint8Array> {
  let piece = new Uint8Array(PIECE_BYTES);
  let used = 0;
  for (;;) {
    if (PIECE_BYTES - used < 1024) [piece, used] = [new Uint8Array(PIECE_BYTES), 0];
    let count: number | null;
    try {
      count = await conn.read(piece.subarray(used));
    } catch {
      return;
    }
    if (count === null) return;
    yield piece.subarray(used, used + count);
    used += count;
  }
}

/**
 * Connects to the host, from inside of the process of a hook.
 *
 * @param path The socket.
 */
export async function connectLink(path: string): Promise<ByteLink> {
  return linkOf(await Deno.connect({ transport: "unix", path }));
}

/** The arguments of this program. */
export function programArguments(): readonly string[] {
  return Deno.args;
}

/** Ends this process, whatever a hook has made of `Deno.exit`. */
export const exitProcess: (code?: number) => never = Deno.exit;

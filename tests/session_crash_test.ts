/**
 * A process that is killed at any moment never takes an acknowledged record with it.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { SessionManager } from "../src/session/session.ts";
import { tempDir } from "./helpers.ts";
import { seededRandom } from "./random.ts";
import { headerLine, idsOf, textOfEntry } from "./session_lines.ts";

/** What a writer says of an entry, after it was appended. */
interface Acknowledged {
  id: string;
  parentId: string | null;
  text: string;
}

/** A program that appends and branches at random and tells each entry when it is written. */
function writerSource(): string {
  const session = new URL("../src/session/session.ts", import.meta.url).href;
  const random = new URL("./random.ts", import.meta.url).href;
  return `
    import { SessionManager } from ${JSON.stringify(session)};
    import { pick, seededRandom } from ${JSON.stringify(random)};
    const [path, seed] = Deno.args;
    const random = seededRandom(Number(seed));
    const session = await SessionManager.open(path);
    const encoder = new TextEncoder();
    while (true) {
      if (random() < 0.2) session.branch(pick(random, [null, ...session.getBranchIds()]));
      const parentId = session.getLeafId();
      const text = seed + " " + pick(random, ["é", "\\n", "\\u2028", "\\ud83d", "x"])
        .repeat(Math.floor(random() ** 4 * 50000));
      const id = session.appendMessage({ role: "user", content: text, timestamp: 1 });
      Deno.stdout.writeSync(encoder.encode(JSON.stringify({ id, parentId, text }) + "\\n"));
    }`;
}

/** Lets a writer work until it has told so many entries, and kills it. */
async function writeAndKill(
  script: string,
  path: string,
  seed: number,
  count: number,
): Promise<Acknowledged[]> {
  const config = decodeURIComponent(new URL("../deno.json", import.meta.url).pathname);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--config", config, script, path, String(seed)],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  let told = "";
  let lines = 0;
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    told += decoder.decode(bytes, { stream: true });
    lines = told.split("\n").length - 1;
    // What it has told until the kill arrives is read too.
    if (lines >= count) {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has gone already.
      }
    }
  }
  await child.status;
  assert(lines >= count, `the writer ended by itself after ${lines} entries`);
  return told.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

Deno.test("random appends, branches and kills never lose an acknowledged record", async () => {
  await using dir = await tempDir();
  const script = await dir.write("writer.ts", writerSource());
  const path = await dir.write("s.jsonl", `${headerLine()}\n`);
  const random = seededRandom(7);
  const acknowledged: Acknowledged[] = [];
  for (let round = 0; round < 8; round++) {
    const count = 1 + Math.floor(random() * 40);
    const told = await writeAndKill(script, path, round, count);
    acknowledged.push(...told);

    await using session = await SessionManager.open(path);
    const entries = session.getEntries();
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    for (const { id, parentId, text } of acknowledged) {
      const entry = byId.get(id);
      assertEquals(
        [entry?.parentId, textOfEntry(entry)],
        [parentId, text],
        `round ${round}: ${id}`,
      );
    }
    // At most the record of each kill was written without having been told.
    assert(entries.length - acknowledged.length <= round + 1);
    assertEquals(session.getLeafId(), entries.at(-1)?.id);
    assertEquals(idsOf(session.getBranch()).at(-1), session.getLeafId());

    // A kill in the middle of a write leaves a torn record, which takes nothing with it.
    if (random() < 0.5) {
      const torn = '{"type":"message","id":"torn","parentId":null,"message":{"role":"us';
      await Deno.writeTextFile(path, torn.slice(0, 1 + random() * torn.length), { append: true });
    }
  }
  assert(acknowledged.length > 50);
});

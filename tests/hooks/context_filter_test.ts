/**
 * The hook `context-filter`, through loader and runner.
 *
 * @module
 */

import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { createContextFilter } from "../../hooks/context-filter.ts";
import type { AgentMessage } from "../../src/messages.ts";
import { hook, hookFrom, makeRunner } from "../helpers.ts";
import { loadFiles, readyMadePath } from "./ready_made.ts";

const user: AgentMessage = { role: "user", content: "debug-only", timestamp: 1 };
const debug: AgentMessage = {
  role: "custom",
  customType: "debug-only",
  content: "noise",
  display: true,
  timestamp: 2,
};
const legacy: AgentMessage = { ...debug, role: "hookMessage", timestamp: 3 };
const note: AgentMessage = { ...debug, customType: "note", timestamp: 4 };
const alike: AgentMessage = { ...debug, customType: "Debug-Only", timestamp: 5 };

Deno.test("context-filter drops debug-only messages, also those of old sessions", async () => {
  const { runner, errors, warnings } = makeRunner(await loadFiles(readyMadePath("context-filter")));
  const messages = [user, debug, note, legacy, alike];
  assertEquals(await runner.emitContext(messages), [user, note, alike]);
  assertEquals(messages, [user, debug, note, legacy, alike]);
  assertEquals({ errors, warnings }, { errors: [], warnings: [] });
});

Deno.test("context-filter does not answer when there is nothing to drop", async () => {
  const { runner, records } = makeRunner(await loadFiles(readyMadePath("context-filter")), {
    observed: true,
  });
  for (const messages of [[], [user, note]]) {
    assertStrictEquals(await runner.emitContext(messages), messages);
  }
  assertEquals(records.map(({ outcome }) => outcome), ["passed", "passed"]);
});

Deno.test("context-filter may drop everything", async () => {
  const { runner } = makeRunner(await loadFiles(readyMadePath("context-filter")));
  assertEquals(await runner.emitContext([debug, legacy]), []);
});

Deno.test("context-filter drops the kinds that it was made for and no others", async () => {
  const { runner } = makeRunner([hookFrom(createContextFilter({ customTypes: ["note", "x"] }))]);
  assertEquals(await runner.emitContext([user, debug, note]), [user, debug]);
  const { runner: keepsAll } = makeRunner([hookFrom(createContextFilter({ customTypes: [] }))]);
  assertEquals(await keepsAll.emitContext([user, debug, note]), [user, debug, note]);
});

Deno.test("context-filter sees what hooks before it have added", async () => {
  const adds = hook("/adds.ts", {
    context: ({ messages }) => ({ messages: [...messages, debug] }),
  });
  const { runner } = makeRunner([adds, ...await loadFiles(readyMadePath("context-filter"))]);
  assertEquals(await runner.emitContext([user]), [user]);
});

Deno.test("context-filter refuses kinds that are no list of texts", () => {
  for (const customTypes of ["debug-only", [1], null]) {
    const options: unknown = { customTypes };
    assertThrows(
      () => createContextFilter(options as Parameters<typeof createContextFilter>[0]),
      TypeError,
      "customTypes must be a list",
    );
  }
});

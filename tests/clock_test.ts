/**
 * The clock of a host, and waiting that can be given up.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { endedInTime, systemClock } from "../src/host/clock.ts";

Deno.test("the system's clock waits, and a signal ends the wait", async () => {
  const controller = new AbortController();
  await systemClock.sleep(1, controller.signal);
  const waiting = systemClock.sleep(60_000, controller.signal);
  const why = new Error("enough");
  controller.abort(why);
  assertEquals(await assertRejects(() => waiting), why);
  assertEquals(await assertRejects(() => systemClock.sleep(60_000, controller.signal)), why);
});

Deno.test("work is waited for; after the signal only as long as the grace", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const { promise: never } = Promise.withResolvers<void>();
  assertEquals(await endedInTime(Promise.resolve(), signal, 60_000), true);
  await assertRejects(
    () => endedInTime(Promise.reject(new Error("boom")), signal, 1),
    Error,
    "boom",
  );
  const given = endedInTime(never, signal, 1);
  controller.abort();
  assertEquals(await given, false);
  assertEquals(await endedInTime(never, signal, 1), false);
  assertEquals(await endedInTime(Promise.resolve(), signal, 60_000), true);
});

import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import {
  defineCapability,
  disableProvider,
  enableProvider,
  getCapabilityInfo,
  getDisabledProviders,
  isProviderEnabled,
  listCapabilities,
  loadCapability,
  registerProvider,
  setDisabledProviders,
} from "../src/discovery/capabilities.ts";
import type { Capability, LoadContext, LoadResult, Provider } from "../src/discovery/capability.ts";
import { CapabilityRegistry } from "../src/discovery/registry.ts";

interface Note {
  path: string;
  title?: string;
}

const CONTEXT: LoadContext = { cwd: "/project", home: "/home/me" };

function noteCapability(changes: Partial<Capability<Note>> = {}): Capability<Note> {
  return {
    id: "notes",
    displayName: "Notes",
    description: "Short texts",
    key: (note) => note.title,
    path: (note) => note.path,
    ...changes,
  };
}

function provider(
  id: string,
  priority: number,
  load: (context: LoadContext) => unknown,
): Provider<Note> {
  return {
    id,
    displayName: id.toUpperCase(),
    description: `The notes of ${id}`,
    priority,
    load: (context) => load(context) as LoadResult<Note>,
  };
}

function notes(...paths: string[]): LoadResult<Note> {
  return { items: paths.map((path) => ({ path, title: path.split("/").at(-1) })) };
}

function registryWith(...providers: Provider<Note>[]): CapabilityRegistry {
  const registry = new CapabilityRegistry();
  registry.defineCapability(noteCapability());
  for (const one of providers) registry.registerProvider("notes", one);
  return registry;
}

async function pathsOf(registry: CapabilityRegistry, options = {}): Promise<string[]> {
  const { items } = await registry.loadCapability<Note>("notes", { ...CONTEXT, ...options });
  return items.map((item) => item.path);
}

Deno.test("a capability is defined once, and providers need one", async () => {
  const registry = registryWith();
  assertThrows(
    () => registry.defineCapability(noteCapability()),
    Error,
    '"notes" is already defined',
  );
  const lost = provider("a", 1, () => notes());
  assertThrows(() => registry.registerProvider("other", lost), Error, 'Unknown capability "other"');
  await assertRejects(() => registry.loadCapability("other", CONTEXT), Error, "Unknown capability");
});

Deno.test("the same provider id twice under one capability is an error", () => {
  const registry = registryWith(provider("a", 1, () => notes("/1")));
  const twin = provider("a", 2, () => notes("/2"));
  assertThrows(() => registry.registerProvider("notes", twin), Error, 'already has a provider "a"');
  registry.defineCapability(noteCapability({ id: "others" }));
  registry.registerProvider("others", twin);
});

Deno.test("a provider needs a priority that can be compared", () => {
  const odd = provider("a", NaN, () => notes());
  assertThrows(() => registryWith(odd), TypeError, 'priority of provider "a"');
});

Deno.test("higher priorities come first, equal ones in the order of registration", async () => {
  const registry = registryWith(
    provider("low", 1, () => notes("/low")),
    provider("first", 5, () => notes("/first/a", "/first/b")),
    provider("high", 9, () => notes("/high")),
    provider("second", 5, () => notes("/second")),
  );
  assertEquals(await pathsOf(registry), ["/high", "/first/a", "/first/b", "/second", "/low"]);
});

Deno.test("providers run side by side, and who is ready first does not matter", async () => {
  const slow = Promise.withResolvers<LoadResult<Note>>();
  const registry = registryWith(
    provider("slow", 9, () => slow.promise),
    provider("quick", 1, () => {
      slow.resolve(notes("/slow"));
      return notes("/quick");
    }),
  );
  assertEquals(await pathsOf(registry), ["/slow", "/quick"]);
});

Deno.test("each search asks anew, with where to look", async () => {
  const contexts: LoadContext[] = [];
  const registry = registryWith(provider("a", 1, (context) => {
    contexts.push(context);
    return notes(`/${contexts.length}`);
  }));
  assertEquals(await pathsOf(registry), ["/1"]);
  assertEquals(await pathsOf(registry), ["/2"]);
  assertEquals(contexts, [CONTEXT, CONTEXT]);
});

Deno.test("of several with one key the first counts, the others are listed as shadowed", async () => {
  const registry = registryWith(
    provider("high", 9, () => notes("/high/x", "/high/y")),
    provider("low", 1, () => notes("/low/x", "/low/z", "/low2/x")),
  );
  const { items, all, providers } = await registry.loadCapability<Note>("notes", CONTEXT);
  const high = { provider: "high", providerName: "HIGH" };
  const low = { provider: "low", providerName: "LOW" };
  const shadowed = { shadowed: true, shadowedBy: "/high/x" } as const;
  assertEquals(items, [
    { path: "/high/x", title: "x", ...high },
    { path: "/high/y", title: "y", ...high },
    { path: "/low/z", title: "z", ...low },
  ]);
  assertEquals(all, [
    items[0],
    items[1],
    { path: "/low/x", title: "x", ...low, ...shadowed },
    items[2],
    { path: "/low2/x", title: "x", ...low, ...shadowed },
  ]);
  assertEquals(providers, ["high", "low"]);
});

Deno.test("items without a key are never the same", async () => {
  const registry = registryWith(
    provider("a", 1, () => ({ items: [{ path: "/1" }, { path: "/2" }] })),
  );
  assertEquals(await pathsOf(registry), ["/1", "/2"]);
});

Deno.test("items of a provider are never changed, so it may keep them", async () => {
  const kept = Object.freeze({ path: "/low/x", title: "x" });
  const registry = registryWith(
    provider("high", 9, () => notes("/high/x")),
    provider("low", 1, () => ({ items: Object.freeze([kept]) })),
  );
  const first = await registry.loadCapability<Note>("notes", CONTEXT);
  assertEquals(first.all[1].shadowed, true);
  assertEquals(kept, { path: "/low/x", title: "x" });
  registry.disableProvider("high");
  const second = await registry.loadCapability<Note>("notes", CONTEXT);
  assertEquals([second.items[0].path, second.items[0].shadowed], ["/low/x", undefined]);
});

Deno.test("an invalid item is left out before it can shadow a valid one", async () => {
  const registry = new CapabilityRegistry();
  registry.defineCapability(noteCapability({
    validate: (note) => note.path.startsWith("/bad") ? "Bad path" : undefined,
  }));
  registry.registerProvider("notes", provider("high", 9, () => notes("/bad/x")));
  registry.registerProvider("notes", provider("low", 1, () => notes("/good/x")));
  const { items, all, warnings } = await registry.loadCapability<Note>("notes", CONTEXT);
  assertEquals([items.map(({ path }) => path), all.length], [["/good/x"], 1]);
  assertEquals(warnings, [{
    path: "/bad/x",
    warning: "[HIGH] Skipped: Bad path",
    kind: "skipped",
  }]);
  assertEquals(await pathsOf(registry, { includeInvalid: true }), ["/bad/x"]);
});

Deno.test("nonsense among the items is a warning each, the others count", async () => {
  const getter = {
    get path(): string {
      throw new Error("no path today");
    },
  };
  const registry = registryWith(
    provider("a", 1, () => ({ items: [null, 42, "text", undefined, getter, { path: "/good" }] })),
  );
  const { items, warnings } = await registry.loadCapability<Note>("notes", CONTEXT);
  assertEquals(items.map((item) => item.path), ["/good"]);
  assertEquals(warnings.map(({ path }) => path).slice(0, 4), ["null", "42", '"text"', "undefined"]);
  assertEquals(warnings.length, 5);
  assertStringIncludes(warnings[4].warning, "no path today");
});

Deno.test("a provider that fails or answers nonsense is a warning, the others count", async () => {
  const failures: [string, () => unknown, string][] = [
    ["throws", () => {
      throw new Error("disk on fire");
    }, "Failed to load: disk on fire"],
    ["rejects", () => Promise.reject(new Error("too late")), "Failed to load: too late"],
    ["throws-null", () => {
      throw null;
    }, "Failed to load: threw null"],
    ["nothing", () => undefined, "it answered undefined"],
    ["number", () => 7, "it answered 7"],
    ["no-items", () => ({ items: undefined }), "it answered {}"],
    ["wrong-items", () => ({ items: "abc" }), 'it answered {"items":"abc"}'],
  ];
  const registry = registryWith(
    ...failures.map(([id, load]) => provider(id, 5, load)),
    provider("good", 1, () => notes("/good")),
  );
  const { items, warnings, providers } = await registry.loadCapability<Note>("notes", CONTEXT);
  assertEquals(items.map((item) => item.path), ["/good"]);
  assertEquals(providers, ["good"]);
  assertEquals(warnings.length, failures.length);
  for (const [index, [id, , text]] of failures.entries()) {
    assertEquals([warnings[index].path, warnings[index].kind], [id, "provider"]);
    assertStringIncludes(warnings[index].warning, `[${id.toUpperCase()}] `);
    assertStringIncludes(warnings[index].warning, text);
  }
});

Deno.test("what a provider warns of is handed on, texts with its name", async () => {
  const warning = { path: "/x", warning: "Skipped: odd.", kind: "skipped" };
  const registry = registryWith(
    provider("a", 1, () => ({ items: [], warnings: ["slow today", warning, 7] })),
  );
  const { warnings } = await registry.loadCapability<Note>("notes", CONTEXT);
  assertEquals(warnings, [
    { path: "a", warning: "[A] slow today", kind: "provider" },
    warning as typeof warnings[0],
    { path: "a", warning: "[A] 7", kind: "provider" },
  ]);
});

Deno.test("what is not accepted is listed apart and shadows nothing", async () => {
  const registry = registryWith(
    provider("high", 9, () => notes("/strange/x")),
    provider("low", 1, () => notes("/mine/x")),
  );
  const { items, all, refused } = await registry.loadCapability<Note>("notes", {
    ...CONTEXT,
    accept: ({ provider }) => provider !== "high",
  });
  assertEquals([items, all].map((list) => list.map(({ path }) => path)), [["/mine/x"], [
    "/mine/x",
  ]]);
  assertEquals(refused.map(({ path }) => path), ["/strange/x"]);
});

Deno.test("providers are disabled and enabled by id", async () => {
  const registry = registryWith(
    provider("a", 2, () => notes("/a")),
    provider("b", 1, () => notes("/b")),
  );
  registry.disableProvider("a");
  registry.disableProvider("not-there-yet");
  assertEquals(await pathsOf(registry), ["/b"]);
  assertEquals([registry.isProviderEnabled("a"), registry.isProviderEnabled("b")], [false, true]);
  assertEquals(registry.getDisabledProviders(), ["a", "not-there-yet"]);
  registry.enableProvider("a");
  assertEquals(await pathsOf(registry), ["/a", "/b"]);
  registry.setDisabledProviders(["b"]);
  assertEquals(registry.getDisabledProviders(), ["b"]);
  assertEquals(await pathsOf(registry), ["/a"]);
});

Deno.test("one search may name the providers to ask, even disabled ones, and leave some out", async () => {
  const registry = registryWith(
    provider("a", 3, () => notes("/a")),
    provider("b", 2, () => notes("/b")),
    provider("c", 1, () => notes("/c")),
  );
  registry.disableProvider("a");
  assertEquals(await pathsOf(registry, { providers: ["c", "a"] }), ["/a", "/c"]);
  assertEquals(await pathsOf(registry, { excludeProviders: ["b"] }), ["/c"]);
  assertEquals(await pathsOf(registry, { providers: ["a", "b"], excludeProviders: ["b"] }), ["/a"]);
  assertEquals(await pathsOf(registry, { providers: [] }), []);
});

Deno.test("capabilities and providers can be listed", () => {
  const registry = registryWith(provider("b", 1, () => notes()), provider("a", 2, () => notes()));
  registry.disableProvider("b");
  const info = registry.getCapabilityInfo("notes");
  assertEquals(registry.listCapabilities(), [info!]);
  assertEquals(info, {
    id: "notes",
    displayName: "Notes",
    description: "Short texts",
    providers: [
      { id: "a", displayName: "A", description: "The notes of a", priority: 2, enabled: true },
      { id: "b", displayName: "B", description: "The notes of b", priority: 1, enabled: false },
    ],
  });
  assertEquals(registry.getCapabilityInfo("other"), undefined);
});

Deno.test("the registry of the module knows hooks, takes more, and is steered by id", async () => {
  assertEquals(getCapabilityInfo("hooks")?.providers.map(({ id, priority }) => [id, priority]), [
    ["native", 100],
    ["claude", 80],
    ["plugins", 70],
    ["codex", 70],
  ]);
  defineCapability(noteCapability());
  registerProvider("notes", provider("outside", 1, ({ cwd }) => notes(`${cwd}/note`)));
  assertEquals(listCapabilities().map(({ id }) => id), ["hooks", "notes"]);
  const paths = async (): Promise<string[]> =>
    (await loadCapability<Note>("notes", CONTEXT)).items.map((item) => item.path);
  try {
    assertEquals(await paths(), ["/project/note"]);
    disableProvider("outside");
    assertEquals([await paths(), isProviderEnabled("outside")], [[], false]);
    enableProvider("outside");
    assertEquals((await paths()).length, 1);
    setDisabledProviders(["outside"]);
    assertEquals(getDisabledProviders(), ["outside"]);
  } finally {
    setDisabledProviders([]);
  }
});

import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import type { CustomComponentFactory, DisposableComponent, HookUIContext } from "../src/ports.ts";
import { queueDialogs } from "../src/ui/dialog_queue.ts";
import { createNoOpUIContext, plainTheme } from "../src/ui/no_ui.ts";

/** A dialog on the screen of the test, which the test answers as the person would. */
interface OpenDialog {
  title: string;
  answer(value: unknown): void;
  fail(error: unknown): void;
}

/** A host whose dialogs stay open until the test answers them, and which ignores signals. */
function makeHost(): { ui: HookUIContext; screen: OpenDialog[]; calls: unknown[][] } {
  const screen: OpenDialog[] = [];
  const calls: unknown[][] = [];
  let editorText = "draft";
  function show<T>(title: string): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const remove = () => void screen.splice(screen.indexOf(dialog), 1);
      const dialog: OpenDialog = {
        title,
        answer: (value) => (remove(), resolve(value as T)),
        fail: (error) => (remove(), reject(error)),
      };
      screen.push(dialog);
    });
  }
  const ui: HookUIContext = {
    select: (...args) => (calls.push(["select", ...args]), show(args[0])),
    confirm: (...args) => (calls.push(["confirm", ...args]), show(args[0])),
    input: (...args) => (calls.push(["input", ...args]), show(args[0])),
    editor: (...args) => (calls.push(["editor", ...args]), show(args[0])),
    custom: async <T>(factory: CustomComponentFactory<T>) => {
      const result = Promise.withResolvers<T>();
      const component = await factory({ requestRender: () => {} }, plainTheme, result.resolve);
      const answer = await result.promise;
      component.dispose?.();
      return answer;
    },
    notify: (...args) => void calls.push(["notify", ...args]),
    setStatus: (...args) => void calls.push(["setStatus", ...args]),
    setEditorText: (text) => void (editorText = text),
    getEditorText: () => editorText,
    theme: plainTheme,
  };
  return { ui, screen, calls };
}

function component(parts: Partial<DisposableComponent> = {}): DisposableComponent {
  return { render: () => ["x"], invalidate: () => {}, ...parts };
}

/** Lets everything run that is ready to run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

const titles = (screen: OpenDialog[]): string[] => screen.map((dialog) => dialog.title);

Deno.test("one dialog is on screen at a time, in the order of asking", async () => {
  const { ui, screen } = makeHost();
  const queued = queueDialogs(ui);
  const answers = [
    queued.select("first", ["a"]),
    queued.confirm("second", "sure?"),
    queued.input("third"),
    queued.editor("fourth"),
  ];
  const expected: [string, unknown][] = [
    ["first", "a"],
    ["second", true],
    ["third", ""],
    ["fourth", undefined],
  ];
  for (const [title, answer] of expected) {
    assertEquals(titles(screen), [title]);
    screen[0].answer(answer);
    await settle();
  }
  assertEquals(titles(screen), []);
  assertEquals(await Promise.all(answers), ["a", true, "", undefined]);
});

Deno.test("what is asked reaches the host unchanged", async () => {
  const { ui, screen, calls } = makeHost();
  const queued = queueDialogs(ui);
  const dialog = { signal: new AbortController().signal };
  const asked = [
    queued.select("a", ["x", "y"], dialog),
    queued.confirm("b", "message", dialog),
    queued.input("c", "placeholder", dialog),
    queued.editor("d", "prefill", dialog),
  ];
  for (let count = 0; count < asked.length; count++) {
    screen[0].answer(undefined);
    await settle();
  }
  assertEquals(calls, [
    ["select", "a", ["x", "y"], dialog],
    ["confirm", "b", "message", dialog],
    ["input", "c", "placeholder", dialog],
    ["editor", "d", "prefill", dialog],
  ]);
});

Deno.test("a custom component waits its turn and holds the screen until it is done", async () => {
  const { ui, screen } = makeHost();
  const queued = queueDialogs(ui);
  const first = queued.confirm("first", "");
  let finish: (value: string) => void = () => {};
  let disposed = 0;
  const custom = queued.custom<string>((_tui, _theme, done) => {
    finish = done;
    return component({ dispose: () => void disposed++ });
  });
  const last = queued.confirm("last", "");
  await settle();
  assertEquals(titles(screen), ["first"]);
  screen[0].answer(true);
  await settle();
  assertEquals(titles(screen), []);
  finish("drawn");
  await settle();
  assertEquals(titles(screen), ["last"]);
  screen[0].answer(true);
  assertEquals([await first, await custom, await last, disposed], [true, "drawn", true, 1]);
});

Deno.test("a dialog that fails rejects its own promise and frees the queue", async () => {
  const { ui, screen } = makeHost();
  const throwing: HookUIContext = {
    ...ui,
    select: () => {
      throw new Error("no screen");
    },
  };
  const queued = queueDialogs(throwing);
  const rejected = queued.input("rejects");
  const thrown = queued.select("throws", []);
  const next = queued.confirm("next", "");
  screen[0].fail(new Error("broken"));
  await assertRejects(() => rejected, Error, "broken");
  await assertRejects(() => thrown, Error, "no screen");
  assertEquals(titles(screen), ["next"]);
  screen[0].answer(true);
  assertEquals(await next, true);
});

Deno.test("a custom factory that throws or rejects frees the queue, whatever the host does", async () => {
  const { ui, screen } = makeHost();
  const deaf: HookUIContext = {
    ...ui,
    // Calls the factory, does not look at what comes back, and never answers.
    custom: (factory) => {
      factory({ requestRender: () => {} }, plainTheme, () => {});
      return new Promise<never>(() => {});
    },
  };
  for (const host of [ui, deaf]) {
    const queued = queueDialogs(host);
    const throws = queued.custom(() => {
      throw new Error("bad component");
    });
    const rejects = queued.custom(() => Promise.reject(new Error("late component")));
    const next = queued.confirm("next", "");
    await assertRejects(() => throws, Error, "bad component");
    await assertRejects(() => rejects, Error, "late component");
    await settle();
    assertEquals(titles(screen), ["next"]);
    screen[0].answer(true);
    assertEquals(await next, true);
  }
});

Deno.test("aborting a waiting dialog removes only that one and answers at once", async () => {
  const { ui, screen } = makeHost();
  const queued = queueDialogs(ui);
  const controller = new AbortController();
  const dialog = { signal: controller.signal };
  const first = queued.confirm("first", "");
  const waiting = [
    queued.confirm("a", "", dialog),
    queued.select("b", ["x"], dialog),
    queued.input("c", "", dialog),
    queued.editor("d", "", dialog),
  ];
  const last = queued.confirm("last", "");
  controller.abort();
  assertEquals(await Promise.all(waiting), [false, undefined, undefined, undefined]);
  assertEquals(titles(screen), ["first"]);
  screen[0].answer(true);
  assertEquals(await first, true);
  await settle();
  assertEquals(titles(screen), ["last"]);
  screen[0].answer(true);
  assertEquals(await last, true);
});

Deno.test("aborting the open dialog answers at once, even if the host ignores the signal", async () => {
  const { ui, screen } = makeHost();
  const queued = queueDialogs(ui);
  const controller = new AbortController();
  const open = queued.confirm("open", "", { signal: controller.signal });
  const next = queued.confirm("next", "");
  controller.abort();
  assertEquals(await open, false);
  assertEquals(titles(screen), ["open", "next"]);
  screen[0].answer(true);
  await settle();
  const third = queued.confirm("third", "");
  await settle();
  assertEquals(titles(screen), ["next"]);
  screen[0].answer(true);
  assertEquals(await next, true);
  await settle();
  screen[0].answer(true);
  assertEquals(await third, true);
});

Deno.test("an answer after the abort is dropped, also when it is an error", async () => {
  const { ui, screen } = makeHost();
  const queued = queueDialogs(ui);
  const controller = new AbortController();
  const open = queued.input("open", "", { signal: controller.signal });
  controller.abort();
  assertEquals(await open, undefined);
  screen[0].fail(new Error("closed by the signal"));
  await settle();
});

Deno.test("a signal that has fired already shows nothing", async () => {
  const { ui, calls } = makeHost();
  const queued = queueDialogs(ui);
  assertEquals(await queued.confirm("never", "", { signal: AbortSignal.abort() }), false);
  assertEquals(calls, []);
});

Deno.test("notices, status, editor text and theme pass through while a dialog is open", async () => {
  const { ui, screen, calls } = makeHost();
  const host = { ...ui };
  const queued = queueDialogs(host);
  const open = queued.confirm("open", "");
  calls.length = 0;
  queued.notify("note", "warning");
  queued.setStatus("key", "text");
  queued.setEditorText("new");
  assertEquals(calls, [["notify", "note", "warning"], ["setStatus", "key", "text"]]);
  assertEquals(queued.getEditorText(), "new");
  host.theme = { ...plainTheme, bold: (text) => `*${text}*` };
  assertEquals(queued.theme.bold("x"), "*x*");
  screen[0].answer(true);
  await open;
});

Deno.test("an interface in which nobody answers needs no queue and stays what it is", () => {
  const ui = createNoOpUIContext();
  assertStrictEquals(queueDialogs(ui), ui);
});

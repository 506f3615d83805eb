import { assertEquals } from "@std/assert";
import { createNoOpUIContext, isNoOpUIContext, plainTheme } from "../src/ui/no_ui.ts";

Deno.test("without a user interface every question answers itself", async () => {
  const ui = createNoOpUIContext();
  assertEquals(await ui.select("Which?", ["a", "b"]), undefined);
  assertEquals(await ui.confirm("Sure?", "Really?"), false);
  assertEquals(await ui.input("Name?", "nobody"), undefined);
  assertEquals(await ui.editor("Text?", "prefilled"), undefined);
});

Deno.test("without a user interface a custom component is never made", async () => {
  let made = 0;
  const answer = await createNoOpUIContext().custom(() => {
    made++;
    return { render: () => [], invalidate: () => {} };
  });
  assertEquals([answer, made], [undefined, 0]);
});

Deno.test("without a user interface notices and texts go nowhere", () => {
  const ui = createNoOpUIContext();
  assertEquals(ui.notify("text", "error"), undefined);
  assertEquals(ui.setStatus("key", "text"), undefined);
  assertEquals(ui.setEditorText("text"), undefined);
  assertEquals(ui.getEditorText(), "");
});

Deno.test("without a user interface the theme gives plain text", () => {
  const { theme } = createNoOpUIContext();
  assertEquals(theme, plainTheme);
  assertEquals(theme.fg("error", "text"), "text");
  assertEquals(theme.bg("selectedBg", "text"), "text");
  for (const style of ["bold", "italic", "underline", "strikethrough", "inverse"] as const) {
    assertEquals(theme[style]("text"), "text");
  }
});

Deno.test("an interface in which nobody answers can be told from others, even from a copy", () => {
  const ui = createNoOpUIContext();
  assertEquals(isNoOpUIContext(ui), true);
  assertEquals(isNoOpUIContext({ ...ui, confirm: () => Promise.resolve(true) }), false);
});

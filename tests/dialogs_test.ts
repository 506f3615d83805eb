import { assert, assertEquals } from "@std/assert";
import { confirmDialog, type Dialog, selectDialog, textDialog } from "../src/ui/dialogs.ts";
import { KeyDecoder } from "../src/ui/keys.ts";
import { TextEditor } from "../src/ui/text_editor.ts";
import { textWidth } from "../src/ui/text_width.ts";
import { cutText, wrapText } from "../src/ui/wrap.ts";

/** Sends what a terminal would send; gives the answer, in a list, once there is one. */
function type<T>(dialog: Dialog<T>, ...inputs: string[]): [T] | undefined {
  const decoder = new KeyDecoder();
  for (const key of inputs.flatMap((input) => decoder.decode(input))) {
    const answer = dialog.onKey(key);
    if (answer !== undefined) return answer;
  }
}

const UP = "\x1b[A";
const DOWN = "\x1b[B";
const LEFT = "\x1b[D";

Deno.test("keys are told apart as terminals send them", () => {
  const names = (input: string) => new KeyDecoder().decode(input).map(({ name }) => name);
  assertEquals(names("\r\n\t\x1b"), ["enter", "newline", "tab", "escape"]);
  assertEquals(names(`${UP}${DOWN}\x1bOC${LEFT}\x1b[H\x1bOF\x1b[3~\x7f\b`), [
    "up",
    "down",
    "right",
    "left",
    "home",
    "end",
    "delete",
    "backspace",
    "backspace",
  ]);
  assertEquals(names("\x03\x04\x07\x1b\r\x1b[1;5C"), [
    "ctrl+c",
    "ctrl+d",
    "ctrl+g",
    "newline",
    "unknown",
  ]);
  assertEquals(new KeyDecoder().decode("aß日\x03b"), [
    { name: "text", text: "aß日" },
    { name: "ctrl+c", text: "", raw: "\x03" },
    { name: "text", text: "b" },
  ]);
});

Deno.test("a paste is one key, in however many pieces it comes, and runs nothing", () => {
  const decoder = new KeyDecoder();
  const keys = ["\x1b[200~rm -rf x\r", "ls\x03", "\x1b[201~b"].flatMap((one) =>
    decoder.decode(one)
  );
  assertEquals(keys, [
    { name: "paste", text: "rm -rf x\nls\x03" },
    { name: "text", text: "b" },
  ]);
});

Deno.test("confirm begins with No, and neither Enter nor a letter alone allows", () => {
  assertEquals(type(confirmDialog(), "\r"), [false]);
  assertEquals(type(confirmDialog(), "y"), undefined);
  assertEquals(type(confirmDialog(), "yes\r"), [false], "pasted words are no choice");
  assertEquals(type(confirmDialog(), "y", "\r"), [true]);
  assertEquals(type(confirmDialog(), DOWN, "\r"), [true]);
  assertEquals(type(confirmDialog(), DOWN, UP, "\r"), [false]);
  assertEquals(type(confirmDialog(), "y", "n", "\r"), [false]);
  for (const cancel of ["\x1b", "\x03"]) {
    assertEquals(type(confirmDialog(), DOWN, cancel), [false]);
  }
});

Deno.test("select begins with nothing, and Enter alone chooses nothing", () => {
  const dialog = () => selectDialog(["a", "b", "c"]);
  assertEquals(type(dialog(), "\r"), undefined);
  assertEquals(type(dialog(), DOWN, "\r"), ["a"]);
  assertEquals(type(dialog(), UP, "\r"), ["c"]);
  assertEquals(type(dialog(), DOWN, DOWN, DOWN, DOWN, "\r"), ["a"]);
  assertEquals(type(dialog(), "2", "\r"), ["b"]);
  assertEquals(type(dialog(), "9", "\r"), undefined);
  assertEquals(type(dialog(), DOWN, "\x1b"), [undefined]);
  assertEquals(type(selectDialog([]), DOWN, "\r"), undefined);
  assertEquals(type(selectDialog([]), "\x03"), [undefined]);
});

Deno.test("a long list scrolls with the choice", () => {
  const options = Array.from({ length: 30 }, (_, index) => `option ${index + 1}`);
  const dialog = selectDialog(options);
  for (let i = 0; i < 20; i++) type(dialog, DOWN);
  const { lines } = dialog.render(40);
  assert(lines.length <= 12);
  assert(lines.some((line) => line.startsWith("❯ 20. option 20")), lines.join("\n"));
  assertEquals(type(dialog, "\r"), ["option 20"]);
});

Deno.test("input takes a line, editor several; Escape cancels both", () => {
  assertEquals(type(textDialog({}), "abc", "\r"), ["abc"]);
  assertEquals(type(textDialog({}), "\r"), [""]);
  assertEquals(type(textDialog({}), "abc", "\x1b"), [undefined]);
  assertEquals(type(textDialog({}), "\x1b[200~a\rb\x1b[201~", "\r"), ["a b"]);
  assertEquals(type(textDialog({ isLong: true, prefill: "x" }), "y", "\n", "z", "\r"), ["xy\nz"]);
  assertEquals(type(textDialog({ isLong: true }), "\x1b[200~a\rb\x1b[201~", "\r"), ["a\nb"]);
  assertEquals(textDialog({ placeholder: "a hint" }).render(40).lines[0], "> a hint");
});

Deno.test("the cursor moves by what people see as characters", () => {
  const editor = new TextEditor("a👩‍👩‍👧日");
  const press = (...names: string[]) => names.forEach((name) => editor.onKey({ name, text: "" }));
  press("left", "backspace");
  assertEquals(editor.text, "a日");
  press("home", "delete");
  editor.insert("é");
  assertEquals([editor.text, editor.beforeCursor], ["é日", "é"]);
  press("end", "ctrl+u");
  assertEquals(editor.text, "");
  editor.set("one two ");
  press("ctrl+w");
  assertEquals(editor.text, "one ");
});

Deno.test("nothing is drawn wider than the screen, at 1 to 80 cells, and nothing acts on it", () => {
  const dialogs = [
    confirmDialog(),
    selectDialog(["日本語 option", "x\x1b[2Jy", "a\nb"]),
    textDialog({ placeholder: "日本語\x07" }),
    textDialog({ prefill: "wide 日本語 and \x1b[31m pasted\nsecond", isLong: true }),
  ];
  for (const dialog of dialogs) {
    for (let width = 1; width <= 80; width++) {
      const { lines, cursor } = dialog.render(width);
      for (const line of lines) {
        assert(textWidth(line) <= Math.max(width, 2), `${width}: ${line}`);
        // deno-lint-ignore no-control-regex -- control characters are what must not be there
        assert(!/[\x00-\x1f\x7f]/.test(line), JSON.stringify(line));
      }
      if (cursor !== undefined) {
        assert(cursor.row < lines.length && cursor.column <= width, `${width}`);
      }
    }
  }
});

Deno.test("text is broken at blanks, or between characters if there is none", () => {
  for (
    const [text, width, lines] of [
      ["one two three", 8, ["one two", "three"]],
      ["abcdefgh", 3, ["abc", "def", "gh"]],
      ["日本語", 4, ["日本", "語"]],
      ["日", 1, ["日"]],
      ["a\n\nb", 5, ["a", "", "b"]],
      ["", 5, [""]],
      ["one two", 3, ["one", "two"]],
    ] as const
  ) {
    assertEquals(wrapText(text, width), [...lines], text);
  }
  assertEquals([cutText("abc", 3), cutText("abcd", 3), cutText("日本語", 4)], [
    "abc",
    "ab…",
    "日…",
  ]);
});

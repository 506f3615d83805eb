import { assert, assertEquals } from "@std/assert";
import { Screen, type ScreenPort } from "../src/cli/screen.ts";

/** A terminal whose size the test sets, and which keeps what was written. */
function fakePort(
  columns: number,
): ScreenPort & { columns: number; raw: boolean; text: string; resize(): void } {
  let listener = () => {};
  const port = {
    columns,
    raw: false,
    text: "",
    write: (text: string) => void (port.text += text),
    flush: () => Promise.resolve(),
    size: () => ({ columns: port.columns, rows: 24 }),
    async *read() {
      yield "a\x1b[A";
      yield "\r";
    },
    setRaw: (isRaw: boolean) => void (port.raw = isRaw),
    onResize(given: () => void) {
      listener = given;
      return () => {
        listener = () => {};
      };
    },
    resize: () => listener(),
  };
  return port;
}

/** What was written since the last look. */
function take(port: { text: string }): string {
  const { text } = port;
  port.text = "";
  return text;
}

Deno.test("text that stays is written above the lines that change", () => {
  const port = fakePort(20);
  const screen = new Screen(
    port,
    () => ({ lines: ["> ", "status"], cursor: { row: 0, column: 2 } }),
  );
  screen.redraw();
  take(port);
  screen.print("one\ntwo");
  // From the line of the cursor, which is the first one, everything below is taken away.
  assertEquals(
    take(port),
    "\r\x1b[Jone\r\ntwo\r\n\x1b[?25l\r\x1b[J> \r\nstatus\r\x1b[1A\x1b[2C\x1b[?25h",
  );
});

Deno.test("after a resize the lines are taken away as the terminal has broken them", () => {
  const port = fakePort(40);
  const lines = ["x".repeat(30), "日本語".repeat(4), "y".repeat(25)];
  const screen = new Screen(port, () => ({ lines }));
  screen.redraw();
  take(port);
  port.columns = 10;
  port.resize();
  // 3 rows of x, 3 of the wide letters, and the cursor is in the third row of y.
  assert(take(port).includes("\r\x1b[8A\x1b[J"));
});

Deno.test("a closed screen is restored and draws nothing any more", async () => {
  const port = fakePort(20);
  const screen = new Screen(port, () => ({ lines: ["> "] }));
  assertEquals(port.raw, true);
  screen.redraw();
  await screen.close();
  assert(take(port).endsWith("\x1b[?2004l\x1b[?25h"));
  assertEquals(port.raw, false);
  screen.redraw();
  port.resize();
  assertEquals(take(port), "");
});

Deno.test("what is written while the screen is lent comes afterwards", async () => {
  const port = fakePort(20);
  const screen = new Screen(port, () => ({ lines: ["> "] }));
  await screen.lend(() => {
    assertEquals(port.raw, false);
    take(port);
    screen.print("late");
    assertEquals(take(port), "");
    return Promise.resolve();
  });
  assertEquals(port.raw, true);
  assert(take(port).includes("late\r\n"));
});

Deno.test("keys come one by one until the terminal ends", async () => {
  const screen = new Screen(fakePort(20), () => ({ lines: [] }));
  const names = (await Array.fromAsync(screen.keys())).map(({ name }) => name);
  assertEquals(names, ["text", "up", "enter"]);
  await screen.close();
});

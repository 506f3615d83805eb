/**
 * Asking a model, and reading what it answers.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { HookAbortError } from "../src/errors.ts";
import { askModel, ModelError, type ModelPort } from "../src/session/model_port.ts";
import { answered, call, textIn } from "./conversation.ts";

function ask(port: ModelPort, signal = new AbortController().signal): Promise<unknown> {
  return askModel(port, { messages: [], tools: [], signal });
}

Deno.test("a model answers with a message, at once or later", async () => {
  const message = answered("hello");
  assertEquals(await ask(() => message), message);
  assertEquals(await ask(() => Promise.resolve(message)), message);
});

Deno.test("a stream of texts is an answer of all of them, told as they come", async () => {
  const heard: string[] = [];
  const request = { messages: [], tools: [], signal: new AbortController().signal };
  const message = await askModel(
    async function* () {
      yield "Hel";
      await Promise.resolve();
      yield "";
      yield { type: "thinking_delta", delta: "hm" };
      yield { type: "text_delta", delta: "lo" };
    },
    request,
    (text) => heard.push(text),
  );
  assertEquals(textIn(message), "Hello");
  assertEquals(message.stopReason, "stop");
  assertEquals(heard, ["Hel", "Hello"]);
});

Deno.test("the last event of a stream holds the message, and ends it", async () => {
  let isClosed = false;
  const done = answered("all of it");
  const stream: ModelPort = async function* () {
    try {
      yield { type: "start" };
      yield { type: "text_delta", delta: "all" };
      yield { type: "done", message: done };
      throw new Error("nobody shall come here");
    } finally {
      isClosed = true;
    }
  };
  assertEquals(await ask(stream), done);
  assertEquals(isClosed, true);
  const error = { ...answered(), stopReason: "error" as const, errorMessage: "no" };
  assertEquals(
    await ask(async function* () {
      yield { type: "error", error };
    }),
    error,
  );
});

const WRONG: { name: string; port: ModelPort; error: string }[] = [
  {
    name: "nothing",
    port: () => undefined as never,
    error: "The model port gave undefined",
  },
  {
    name: "a message of a person",
    port: () => ({ role: "user", content: [] }) as never,
    error: 'The model port gave {"role":"user","content":[]}, which is no assistant message with ' +
      "a list of blocks",
  },
  {
    name: "a tool call without arguments",
    port: () => answered({ type: "toolCall", id: "c1", name: "ls" } as never),
    error: "The model port gave a tool call without id, name or arguments: " +
      '{"type":"toolCall","id":"c1","name":"ls"}',
  },
  {
    name: "a stream without a word",
    port: async function* () {},
    error: "The model ended its answer without saying anything",
  },
];

for (const { name, port, error } of WRONG) {
  Deno.test(`a model port that gives ${name} is an error that says so`, async () => {
    await assertRejects(() => ask(port), ModelError, error);
  });
}

Deno.test("what a model port throws comes out as it is, at once or from a stream", async () => {
  const boom = new ModelError("busy", "retryable", { retryAfterMs: 5 });
  const throwing: ModelPort[] = [
    () => {
      throw boom;
    },
    () => Promise.reject(boom),
    async function* () {
      yield "a";
      throw boom;
    },
  ];
  for (const port of throwing) {
    const error = await assertRejects(() => ask(port), ModelError, "busy");
    assertEquals([error === boom, error.kind, error.retryAfterMs], [true, "retryable", 5]);
  }
});

Deno.test("a signal ends the wait for a model that does not heed it", async () => {
  const never: ModelPort[] = [
    () => new Promise(() => {}),
    async function* () {
      yield "a";
      await new Promise(() => {});
    },
  ];
  for (const port of never) {
    const controller = new AbortController();
    const asking = ask(port, controller.signal);
    controller.abort();
    await assertRejects(() => asking, HookAbortError);
  }
  let asked = 0;
  await assertRejects(
    () => ask(() => answered(`${asked++}`), AbortSignal.abort()),
    HookAbortError,
  );
  assertEquals(asked, 0);
});

Deno.test("a listener that throws ends the answer", async () => {
  const request = { messages: [], tools: [], signal: new AbortController().signal };
  const port: ModelPort = async function* () {
    yield "stop here";
    throw new Error("nobody shall come here");
  };
  await assertRejects(
    () =>
      askModel(port, request, () => {
        throw new RangeError("enough");
      }),
    RangeError,
    "enough",
  );
});

Deno.test("a call with arguments is taken as it is", async () => {
  const message = answered("I look.", call("c1", "read", { path: "a.ts" }));
  assertEquals(await ask(() => message), message);
});

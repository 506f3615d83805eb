/**
 * A model on this machine that says what it is told to: enough of four interfaces for real agents
 * to talk to it. It is asked by one agent at a time.
 *
 * @module
 */

/** What the model says in one turn: a text, or a call of a tool. */
export type Turn = { text: string } | { tool: string; input: Record<string, unknown> };

/** A running model. */
export interface ModelServer extends AsyncDisposable {
  /** Where it listens, without a path. */
  url: string;
  /** What agents sent, as text, for turns that could call tools. */
  requests: string[];
  /** Says what comes next; forgets what came before. */
  play(turns: readonly Turn[]): void;
}

type Body = Record<string, unknown>;

/** One interface: how a turn is written. */
interface Dialect {
  path: RegExp;
  hasTools(body: Body): boolean;
  write(turn: Turn, body: Body, id: string): { json: unknown } | { events: [string, unknown][] };
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const CHAT: Dialect = {
  path: /\/chat\/completions$/,
  hasTools: ({ tools }) => Array.isArray(tools) && tools.length > 0,
  write(turn, { model, stream }, id) {
    const call = "tool" in turn
      ? {
        id: `call_${id}`,
        type: "function",
        function: { name: turn.tool, arguments: JSON.stringify(turn.input) },
      }
      : undefined;
    const message = {
      role: "assistant",
      content: "text" in turn ? turn.text : null,
      ...(call && { tool_calls: [stream ? { index: 0, ...call } : call] }),
    };
    const finish_reason = call ? "tool_calls" : "stop";
    const base = { id: `chat_${id}`, created: 1, model };
    if (!stream) {
      const choices = [{ index: 0, message, finish_reason }];
      return { json: { ...base, object: "chat.completion", choices, usage: USAGE } };
    }
    const chunk = (delta: unknown, finish: string | null) => ({
      ...base,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const last = { ...chunk({}, finish_reason), usage: USAGE };
    return { events: [["", chunk(message, null)], ["", last], ["", "[DONE]"]] };
  },
};

const RESPONSES: Dialect = {
  path: /\/responses$/,
  hasTools: ({ tools }) => Array.isArray(tools) && tools.length > 0,
  write(turn, { model, stream }, id) {
    const item = "tool" in turn
      ? {
        type: "function_call",
        id: `fc_${id}`,
        call_id: `call_${id}`,
        name: turn.tool,
        arguments: JSON.stringify(turn.input),
        status: "completed",
      }
      : {
        type: "message",
        id: `msg_${id}`,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: turn.text, annotations: [] }],
      };
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    };
    const base = { id: `resp_${id}`, object: "response", created_at: 1, model };
    const response = { ...base, status: "completed", output: [item], usage };
    if (!stream) return { json: response };
    const events: [string, Body][] = [
      ["response.created", { response: { ...base, status: "in_progress", output: [] } }],
      ["response.output_item.added", { output_index: 0, item }],
      ["response.output_item.done", { output_index: 0, item }],
      ["response.completed", { response }],
    ];
    return { events: events.map(([type, data]) => [type, { type, ...data }]) };
  },
};

const ANTHROPIC: Dialect = {
  path: /\/v1\/messages$/,
  hasTools: ({ tools }) => Array.isArray(tools) && tools.length > 0,
  write(turn, { model, stream }, id) {
    const isCall = "tool" in turn;
    const block = isCall
      ? { type: "tool_use", id: `toolu_${id}`, name: turn.tool, input: turn.input }
      : { type: "text", text: turn.text };
    const stop_reason = isCall ? "tool_use" : "end_turn";
    const usage = { input_tokens: 10, output_tokens: 5 };
    const base = { id: `msg_${id}`, type: "message", role: "assistant", model };
    if (!stream) return { json: { ...base, content: [block], stop_reason, usage } };
    const start = isCall ? { ...block, input: {} } : { type: "text", text: "" };
    const delta = isCall
      ? { type: "input_json_delta", partial_json: JSON.stringify(turn.input) }
      : { type: "text_delta", text: turn.text };
    const events: [string, Body][] = [
      ["message_start", { message: { ...base, content: [], stop_reason: null, usage } }],
      ["content_block_start", { index: 0, content_block: start }],
      ["content_block_delta", { index: 0, delta }],
      ["content_block_stop", { index: 0 }],
      ["message_delta", { delta: { stop_reason, stop_sequence: null }, usage }],
      ["message_stop", {}],
    ];
    return { events: events.map(([type, data]) => [type, { type, ...data }]) };
  },
};

const GEMINI: Dialect = {
  path: /:(stream)?[gG]enerateContent$/,
  hasTools: ({ tools }) => Array.isArray(tools) && tools.length > 0,
  write(turn, _body, _id) {
    const part = "tool" in turn
      ? { functionCall: { name: turn.tool, args: turn.input } }
      : { text: turn.text };
    const candidate = { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 };
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    return { events: [["", { candidates: [candidate], usageMetadata }]] };
  },
};

const DIALECTS = [CHAT, RESPONSES, ANTHROPIC, GEMINI];

/** Starts a model. */
export function startModel(): ModelServer {
  let turns: Turn[] = [];
  let number = 0;
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const text = await request.text();
    if (/count_?tokens$/i.test(pathname)) {
      return Response.json({ input_tokens: 10, totalTokens: 10 });
    }
    if (/\/models$/.test(pathname)) return Response.json({ object: "list", data: [], models: [] });
    const dialect = DIALECTS.find(({ path }) => path.test(pathname));
    if (dialect === undefined) return new Response("{}", { status: 404 });
    const body: Body = JSON.parse(text);
    let turn: Turn = { text: "a title" };
    if (dialect.hasTools(body)) {
      requests.push(text);
      turn = turns.shift() ?? { text: "done" };
    }
    const written = dialect.write(turn, body, String(++number));
    if ("json" in written) return Response.json(written.json);
    if (dialect === GEMINI && !searchParams.has("alt")) {
      return Response.json(written.events[0][1]);
    }
    const lines = written.events.map(([event, data]) =>
      `${event === "" ? "" : `event: ${event}\n`}data: ${
        typeof data === "string" ? data : JSON.stringify(data)
      }\n\n`
    );
    return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    play: (next) => {
      turns = [...next];
      requests.length = 0;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

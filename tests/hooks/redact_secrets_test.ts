/**
 * The hook `redact-secrets`: what it takes out, what it leaves, and how it answers.
 *
 * All secrets here are made up.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { createRedactSecrets, redactText } from "../../hooks/redact-secrets.ts";
import type { ImageContent, TextContent } from "../../src/messages.ts";
import type { AgentToolResult } from "../../src/ports.ts";
import type { ToolResultEvent, ToolResultEventResult } from "../../src/events/tool.ts";
import type { HookFactory } from "../../src/types.ts";
import { hook, hookFrom, makeRunner, runDeno, tempDir, textOf } from "../helpers.ts";
import { IS_ISOLATED, loadFiles, readyMadePath, runWrapped, toolGiving } from "./ready_made.ts";

const R = "[REDACTED]";

/** Sixty characters of every kind that tokens are made of. */
const RANDOM = "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8".repeat(3).slice(0, 60);
const HEX = "0123456789abcdef";

/** A text and what is left of it. `§` stands for the replacement. */
const REDACTED: readonly (readonly [text: string, left: string])[] = [
  // Environment files and shells: everything after the sign is the value.
  ["API_KEY=abc123", "API_KEY=§"],
  ["API_KEY=abc123 rest", "API_KEY=§ rest"],
  ["a\nAPI_KEY=x\nb", "a\nAPI_KEY=§\nb"],
  ["API_KEY=secret", "API_KEY=§"],
  ["API_KEY=12345", "API_KEY=§"],
  ["export API_KEY=abc", "export API_KEY=§"],
  ["export API_KEY='abc def' ok", "export API_KEY='§' ok"],
  ["DB_PASS=a&b;c)d", "DB_PASS=§"],
  ["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPx", "AWS_SECRET_ACCESS_KEY=§"],
  ["PGPASSWORD=x psql", "PGPASSWORD=§ psql"],
  ["password=letmein\n", "password=§\n"],
  ["API_KEY_PROD=abc\r\nB=1", "API_KEY_PROD=§\r\nB=1"],
  ["PASSWORD=${DB_PASSWORD:-hunter2}", "PASSWORD=§"],
  // Settings files of other kinds.
  ["aws_secret_access_key = wJalrXUtnFEMI/K7", "aws_secret_access_key = §"],
  ['API_KEY = "abc"', 'API_KEY = "§"'],
  ["api_key: hunter2", "api_key: §"],
  ["password: letmein # dev", "password: § # dev"],
  ["password: secret", "password: §"],
  ["password: |\n  line one\n  line two\nnext: 1", "password: |\n  §\nnext: 1"],
  ["- name: DB_PASSWORD\n  value: hunter2\n", "- name: DB_PASSWORD\n  value: §\n"],
  ["spring.datasource.password=abc.def", "spring.datasource.password=§"],
  ["Server=x;Password=abc1;Database=y", "Server=x;Password=§;Database=y"],
  ["host=x password=secret dbname=y", "host=x password=§ dbname=y"],
  ["AccountKey=abcd1234==;EndpointSuffix=core", "AccountKey=§;EndpointSuffix=core"],
  ["<password>hunter2</password>", "<password>§</password>"],
  ["//registry.example/:_authToken=abcd-1234", "//registry.example/:_authToken=§"],
  ["machine x login bob password hunter2", "machine x login bob password §"],
  ["**Password:** hunter2", "**Password:** §"],
  ["API key: abcdef12", "API key: §"],
  // Programs.
  ["const apiKey = 'abc123';", "const apiKey = '§';"],
  ['password: str = "hunter2"', 'password: str = "§"'],
  ['$password = "hunter2";', '$password = "§";'],
  ["config['api_key'] = \"abc\"", "config['api_key'] = \"§\""],
  ["'password' => 'hunter2',", "'password' => '§',"],
  ["define('DB_PASSWORD', 'hunter2');", "define('DB_PASSWORD', '§');"],
  ["clientSecret: `abc123`,", "clientSecret: `§`,"],
  ['accessToken := "abc123"', 'accessToken := "§"'],
  // JSON, and JSON inside JSON.
  ['{"api_key":"abc123","user":"bob"}', '{"api_key":"§","user":"bob"}'],
  ['{"private_key" : "a\\"1\\\\", "x": 1}', '{"private_key" : "§", "x": 1}'],
  ['{"password": 12345678}', '{"password": "§"}'],
  ['"{\\"api_key\\":\\"abc\\",\\"u\\":1}"', '"{\\"api_key\\":\\"§\\",\\"u\\":1}"'],
  ['{\\\\\\"token\\\\\\":\\\\\\"abc1\\\\\\"}', '{\\\\\\"token\\\\\\":\\\\\\"§\\\\\\"}'],
  ['"A=1\\nAPI_KEY=abc\\nB=2"', '"A=1\\nAPI_KEY=§\\nB=2"'],
  ['"x\\npassword=abc1\\nB=2"', '"x\\npassword=§\\nB=2"'],
  ['["API_KEY=abc","A=b"]', '["API_KEY=§","A=b"]'],
  ['{"name":"DB_PASSWORD","value":"hunter2"}', '{"name":"DB_PASSWORD","value":"§"}'],
  ['"auth": "dXNlcjpwYXNzd29yZDE="', '"auth": "§"'],
  // Command lines.
  ["tool --token abc123 --x", "tool --token § --x"],
  ["tool --token=abc123 --x", "tool --token=§ --x"],
  ["mysql --password 'a b c' db", "mysql --password '§' db"],
  ["curl -u admin:hunter2 https://x", "curl -u admin:§ https://x"],
  // Addresses.
  ["postgres://user:pass@host/db", "postgres://user:§@host/db"],
  ["redis://:p4ss@host", "redis://:§@host"],
  ["https://bob:p%40ss@x.example/a?b=c", "https://bob:§@x.example/a?b=c"],
  ['"postgres:\\/\\/u:p4ss@h"', '"postgres:\\/\\/u:§@h"'],
  ["https://x.example/?api_key=abc123&q=1", "https://x.example/?api_key=§&q=1"],
  ["grant=x&client_secret=abc1&scope=y", "grant=x&client_secret=§&scope=y"],
  // Headers.
  ["Authorization: Bearer abc.def-123", "Authorization: Bearer §"],
  ["Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic §"],
  ["curl -H 'Authorization: token abcdef1' x", "curl -H 'Authorization: token §' x"],
  ['"Authorization": "Bearer abcdef123"', '"Authorization": "Bearer §"'],
  ["authorization: abcdefgh12345", "authorization: §"],
  ["x-api-key: abcdef", "x-api-key: §"],
  ["used Bearer abcdefgh12345678 ok", "used Bearer § ok"],
  ["Set-Cookie: sid=abcdefghijklmnop1; Path=/", "Set-Cookie: sid=§; Path=/"],
  // Cut off by a tool.
  ['token="abc (cut', 'token="§'],
  [`token ghp_${RANDOM.slice(0, 20)}... [truncated]`, "token §... [truncated]"],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi", "§"],
];

/** Texts that look a little like secrets and are none. */
const HARMLESS: readonly string[] = [
  // Nothing, or a place for something.
  "API_KEY=",
  'API_KEY=""',
  "API_KEY=<your-key>",
  "API_KEY=xxxx",
  "api_key: your-api-key-here",
  "API_KEY=***",
  "password: [REDACTED]",
  "Authorization: Bearer [REDACTED]",
  "--token <token>",
  "--token TOKEN",
  "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
  "postgres://user:***@host",
  // Where a secret can be found, not the secret.
  "API_KEY=$API_KEY",
  "API_KEY=${API_KEY}",
  'API_KEY="$(pass show api)"',
  "const key = process.env.API_KEY",
  "apiKey: process.env.API_KEY,",
  "password: ${{ secrets.DB_PASSWORD }}",
  "password: {{ db_password }}",
  "postgres://user:${PASS}@host",
  "Authorization: Bearer $TOKEN",
  'token: "GITHUB_TOKEN"',
  "password_file: /run/secrets/db",
  "privateKey: ~/.ssh/id_ed25519",
  "--secret id=npm,src=x",
  "secretKeyRef:\n  name: x",
  // Types.
  "token: string",
  "token?: string;",
  "password: str",
  "password: Optional[str] = None",
  "password: &str,",
  "token: CancellationToken",
  "token: vscode.CancellationToken,",
  "secret: Uint8Array,",
  "(token: Foo): void",
  // Code.
  "password = getPassword()",
  "const token = await getToken();",
  "const token = req.headers.token;",
  "{ token: value, x }",
  "this.token = token",
  "password: hashedPassword",
  "if (token === other) {",
  "token => token.value",
  "def f(password=None, token=token):",
  'url = base + "?token=" + token + "&x=1"',
  'headers.set("Authorization", `Bearer ${token}`)',
  '"Authorization": "Bearer " + token',
  "let token = tokens[i];",
  "pem.startsWith('-----BEGIN PRIVATE KEY-----')",
  // Sentences.
  "Password: must be at least 8 characters",
  "error: invalid token: unexpected end of input",
  "Unexpected token: }",
  '"forgot_password": "Forgot your password?"',
  "use --token and --user",
  "--password string   the password",
  "Bearer authentication is required",
  "authorization: the process of granting",
  // Other things with such names.
  "max_tokens: 4096",
  "MAX_TOKENS=4096",
  '"tokenizer": "bert-base"',
  '"token": 512',
  "nextPageToken: abc123",
  'eos_token: "</s>"',
  "token_type: Bearer",
  "token_url=https://x.example/t",
  "public_key: abcdef12",
  "primary_key: id123",
  "PWD=/home/bob",
  "show_password: true",
  "credentials: 'include'",
  "# pass 1024",
  '{"pass": 1024, "fail": 0}',
  // Other things that look random.
  "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
  "id: 123e4567-e89b-12d3-a456-426614174000",
  "sk-folding-cube-container-wrapper",
  "http://localhost:8080/@scope/x",
  "git@github.com:org/repo.git",
  "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
  "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
];

/** Tokens that are known by their beginning. */
const TOKENS: readonly string[] = [
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((start) => start + RANDOM.slice(0, 36)),
  `github_pat_11ABCDEFG0_${RANDOM}`,
  `glpat-${RANDOM.slice(0, 20)}`,
  `sk-${RANDOM.slice(0, 48)}`,
  `sk-proj-${RANDOM}`,
  `sk-ant-api03-${RANDOM}`,
  "AKIAIOSFODNN7EXAMPLE",
  "ASIAIOSFODNN7EXAMPLE",
  `AIzaSyD-${RANDOM.slice(0, 31)}`,
  ...["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-"].map((start) => `${start}123-456-${RANDOM}`),
  "xapp-1-A0123-4567-abcdef123456",
  `sk_live_${RANDOM.slice(0, 24)}`,
  `rk_live_${RANDOM.slice(0, 24)}`,
  `npm_${RANDOM.slice(0, 36)}`,
  `pypi-AgEIcHlwaS5vcmc${RANDOM}`,
  `SG.${RANDOM.slice(0, 22)}.${RANDOM.slice(0, 43)}`,
  `SK${HEX}${HEX}`,
  `hf_${RANDOM.slice(0, 34)}`,
  `dop_v1_${HEX.repeat(4)}`,
  `123456789:${RANDOM.slice(0, 35)}`,
  `AGE-SECRET-KEY-1${"QPZRY9X8GF2TVDW0S3JN".repeat(3).slice(0, 58)}`,
  `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${RANDOM}`,
];

const KEY_LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
const KEY_LINES = [KEY_LINE, `${KEY_LINE.slice(0, 60)}+/9A`, KEY_LINE, "nMxQ=="];

function pem(kind: string): string {
  return `-----BEGIN ${kind}-----\n${KEY_LINES.join("\n")}\n-----END ${kind}-----`;
}

Deno.test("redact-secrets takes the value of a secret name out and leaves the rest", () => {
  for (const [text, left] of REDACTED) {
    assertEquals(redactText(text), left.replaceAll("§", R), `in ${text}`);
  }
});

Deno.test("redact-secrets leaves harmless text as it is", () => {
  for (const text of HARMLESS) assertEquals(redactText(text), text);
});

Deno.test("the tables of redact-secrets hold at least 80 texts, half of them harmless", () => {
  assert(REDACTED.length + HARMLESS.length >= 80);
  assert(Math.min(REDACTED.length, HARMLESS.length) >= 40);
});

Deno.test("redact-secrets leaves its own output as it is", () => {
  for (const [text] of REDACTED) assertEquals(redactText(redactText(text)), redactText(text));
});

Deno.test("redact-secrets knows tokens by their beginning, whatever stands around them", () => {
  const places = ["§", '"§"', "see §.", "a, §, b", "(§)", "\\n§\\nb", "x=§", "[§](https://x)"];
  for (const token of TOKENS) {
    for (const place of places) {
      const text = redactText(place.replace("§", token));
      assert(text.includes(R), `${token} in ${place} gave ${text}`);
      assert(!text.includes(token.slice(-10)), `${token} in ${place} left ${text}`);
      assert(text.startsWith(place.slice(0, place.indexOf("§"))), `the beginning of ${place}`);
    }
  }
});

Deno.test("redact-secrets knows long tokens also when something is glued to them", () => {
  for (
    const token of TOKENS.filter((token) =>
      /^(?:gh|github|glpat|sk-ant|sk-proj|[sr]k_)/.test(token)
    )
  ) {
    assertEquals(redactText(`u0022${token}`).slice(0, 6), "u0022[", token);
  }
});

Deno.test("redact-secrets sees through the colours of a terminal and keeps them", () => {
  const [green, off] = ["\u001b[32m", "\u001b[0m"];
  const cases: [string, string][] = [
    [`${green}API_KEY${off}=${green}abc${off} ok`, `${green}API_KEY${off}=${green}§${off} ok`],
    [`a ${green}token${off}: ${green}abc${off}123 b`, `a ${green}token${off}: ${green}§ b`],
    [`${green}ghp_${RANDOM.slice(0, 16)}${off}`, `${green}§${off}`],
    [`${green}+password: string${off}`, `${green}+password: string${off}`],
  ];
  for (const [text, left] of cases) assertEquals(redactText(text), left.replaceAll("§", R));
});

Deno.test("redact-secrets takes private keys of all kinds out", () => {
  const kinds = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "ANY "];
  for (const kind of kinds) {
    assertEquals(redactText(`a\n${pem(`${kind}PRIVATE KEY`)}\nb`), `a\n${R}\nb`, kind);
  }
  assertEquals(redactText(`a\n${pem("PGP PRIVATE KEY BLOCK")}\nb`), `a\n${R}\nb`);
  const two = `${pem("PRIVATE KEY")}\nbetween\n${pem("EC PRIVATE KEY")}`;
  assertEquals(redactText(two), `${R}\nbetween\n${R}`);
  const putty = `PuTTY-User-Key-File-3: x\nPrivate-Lines: 1\n${KEY_LINE}\nPrivate-MAC: 12ab`;
  assertEquals(
    redactText(putty),
    `PuTTY-User-Key-File-3: x\nPrivate-Lines: 1\n${R}\nPrivate-MAC: 12ab`,
  );
});

Deno.test("redact-secrets takes private keys out of JSON, code, diffs and numbered lines", () => {
  const key = pem("RSA PRIVATE KEY");
  const json = JSON.stringify({ private_key: `${key}\n`, x: 1 });
  assertEquals(redactText(json), `{"private_key":"${R}","x":1}`);
  const nested = redactText(JSON.stringify(JSON.stringify({ data: key, x: 1 })));
  assertEquals(JSON.parse(JSON.parse(nested)), { data: R, x: 1 });
  const lines = key.split("\n");
  assertEquals(redactText(lines.map((line) => `+${line}`).join("\n") + "\n+ok"), `+${R}\n+ok`);
  const numbered = lines.map((line, index) => `    ${index + 1}→${line}`).join("\n");
  assertEquals(redactText(`${numbered}\n    7→ok`), `    1→${R}\n    7→ok`);
  const code = lines.map((line) => `"${line}\\n"`).join(" +\n  ");
  assertEquals(redactText(`const k = ${code};`), `const k = "${R}\\n";`);
  const header = key.replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: A,B\n\n");
  assertEquals(redactText(header), R);
});

Deno.test("redact-secrets takes the rest of a private key out when a part was cut off", () => {
  const begin = "-----BEGIN PRIVATE KEY-----";
  const end = "-----END PRIVATE KEY-----";
  const mark = "[... 12 lines truncated ...]";
  const cases: [string, string][] = [
    [`a\n${begin}\n${KEY_LINE}\n${KEY_LINE}\n\nsome other text`, `a\n${R}\n\nsome other text`],
    [`a\n${begin}\n${KEY_LINE}\nMIIab`, `a\n${R}`],
    [`a\n${begin}\\n${KEY_LINE}\\n${KEY_LINE}`, `a\n${R}`],
    [`a\n${begin}\n${KEY_LINE}\n${mark}\n${KEY_LINE}\n${end}\nb`, `a\n${R}\nb`],
    [`a\n${begin}\n${KEY_LINE}\nMII... ${mark}\n${KEY_LINE}\n\nb b`, `a\n${R}\n\nb b`],
    [`...\n${KEY_LINE}\nnMxQ==\n${end}\nb`, `...\n${R}\nb`],
    [`...\n${KEY_LINE}\nnMxQ\n${end}\nb`, `...\n${R}\nb`],
  ];
  for (const [text, left] of cases) assertEquals(redactText(text), left, text);
});

Deno.test("redact-secrets works through texts of 5 MB that are built to be slow", async () => {
  // Quadratic work on one of these would take hours; the limit of the child process ends it.
  const units = [
    "a ",
    "token",
    'token="',
    "token: ",
    "token=$a ",
    "password=>",
    "name=token ",
    '"token\\\\\\":\\\\\\"',
    "eyJaaaaaaaa.eyJ",
    "://a:b@",
    "curl -u ",
    "login a password ",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAAAAAA\n",
    "AAAAAAAAAAAAAAAA-----END PRIVATE KEY-----",
    "sk-a-",
    "Authorization: Bearer ",
    "authorization=a(",
    "password: |\n  a\n",
    "<password>a",
    "\\n",
    "\u001b[32mtoken=a ",
  ];
  await using dir = await tempDir();
  const script = await dir.write(
    "slow.ts",
    `import { redactText } from ${
      JSON.stringify(new URL("../../hooks/redact-secrets.ts", import.meta.url).href)
    };
for (const unit of ${JSON.stringify(units)}) {
  const repeated = unit.repeat(Math.ceil(5e6 / unit.length));
  console.log(redactText(repeated).length > 0);
}
const runs = ["eyJaaaaaaaa.", "ghp_", "Bearer ", "{{", "password={", "curl -u a:"].join("a".repeat(1e6));
console.log(redactText(runs).length > 0);
`,
  );
  const { code, stdout, stderr } = await runDeno(["run", "--no-check", script], {
    limitMs: 300_000,
  });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertEquals(stdout, "true\n".repeat(units.length + 1));
});

Deno.test("redact-secrets redacts every text block of every tool and keeps images in place", async () => {
  const { runner, errors, warnings } = makeRunner(await loadFiles(readyMadePath("redact-secrets")));
  const image: ImageContent = { type: "image", data: "QUJD", mimeType: "image/png" };
  const content: AgentToolResult["content"] = [
    { type: "text", text: "API_KEY=abc" },
    image,
    { type: "text", text: "nothing here" },
    { type: "text", text: '{"password":"hunter2"}', textSignature: "sig" },
  ];
  for (const name of ["read", "bash", "some_mcp_tool"]) {
    const result = await runWrapped(toolGiving(name, { content }), runner);
    assertEquals(result.content, [
      { type: "text", text: "API_KEY=[REDACTED]" },
      image,
      { type: "text", text: "nothing here" },
      { type: "text", text: '{"password":"[REDACTED]"}', textSignature: "sig" },
    ]);
  }
  assertEquals((content[0] as TextContent).text, "API_KEY=abc");
  assertEquals({ errors, warnings }, { errors: [], warnings: [] });
});

Deno.test("redact-secrets redacts texts in details at any depth and keeps their keys", async () => {
  const { runner, errors } = makeRunner(await loadFiles(readyMadePath("redact-secrets")));
  const details = {
    diff: "+API_KEY=abc",
    env: [{ name: "DB_PASSWORD", value: "hunter2" }, { name: "HOME", value: "/root" }],
    deep: { headers: { Authorization: "Bearer abcdef123" }, apiKey: "abc123", count: 3 },
    when: null,
    image: { type: "image", data: "password=abcdef", mimeType: "image/png" },
  };
  const before = structuredClone(details);
  const content: TextContent[] = [{ type: "text", text: "ok" }];
  const tool = toolGiving("edit", { content, details, isWarning: true });
  const result = await runWrapped(tool, runner);
  assertEquals(result, {
    content: [{ type: "text", text: "ok" }],
    details: {
      diff: "+API_KEY=[REDACTED]",
      env: [{ name: "DB_PASSWORD", value: R }, { name: "HOME", value: "/root" }],
      deep: { headers: { Authorization: "Bearer [REDACTED]" }, apiKey: R, count: 3 },
      when: null,
      image: { type: "image", data: "password=abcdef", mimeType: "image/png" },
    },
    isWarning: true,
  });
  assertEquals(details, before);
  assertEquals(errors, []);
});

// Functions do not cross into a process of its own, and what it cannot search it withholds.
const NEEDS_FUNCTIONS = { ignore: IS_ISOLATED };

Deno.test(
  "redact-secrets answers even if details hold what JSON cannot",
  NEEDS_FUNCTIONS,
  async () => {
    const { runner, errors } = makeRunner(await loadFiles(readyMadePath("redact-secrets")));
    const circle: Record<string, unknown> = { text: "API_KEY=abc" };
    circle.self = circle;
    let deep: unknown = "API_KEY=abc";
    for (let i = 0; i < 300; i++) deep = { deep };
    const details = {
      circle,
      deep,
      big: 7n,
      run: () => "API_KEY=abc",
      seen: new Map([["token", "abc1"]]),
      set: new Set(["password=abc1"]),
      url: new URL("https://bob:hunter2@x.example/"),
      error: new Error("password=hunter2"),
    };
    const content: TextContent[] = [{ type: "text", text: "password: hunter2" }];
    const result = await runWrapped(toolGiving("bash", { content, details }), runner);
    assertEquals(errors, []);
    assertEquals(textOf(result), `password: ${R}`);
    const shown = Deno.inspect(result.details, { depth: 400 });
    for (const secret of ["abc", "hunter2"]) assert(!shown.includes(secret), shown);
  },
);

Deno.test("redact-secrets does not answer when there is nothing to take out", async () => {
  const { runner, records } = makeRunner(await loadFiles(readyMadePath("redact-secrets")), {
    observed: true,
  });
  const given: AgentToolResult = {
    content: [{ type: "text", text: "token: string" }],
    details: { a: [1, "b"] },
  };
  assertStrictEquals(await runWrapped(toolGiving("read", given), runner), given);
  assertEquals(records.map(({ event, outcome }) => [event, outcome]), [["tool_result", "passed"]]);
});

Deno.test("redact-secrets answers with the changed field only", async () => {
  const { runner } = makeRunner(await loadFiles(readyMadePath("redact-secrets")));
  const event: ToolResultEvent = {
    type: "tool_result",
    toolName: "bash",
    toolCallId: "c1",
    input: { command: "env API_KEY=abc" },
    content: [{ type: "text", text: "fine" }],
    details: { out: "API_KEY=abc" },
    isError: false,
  };
  assertEquals(await runner.emit(event), { details: { out: "API_KEY=[REDACTED]" } });
  const turned = {
    ...event,
    content: [{ type: "text" as const, text: "API_KEY=abc" }],
    details: 1,
  };
  assertEquals(await runner.emit(turned), {
    content: [{ type: "text", text: "API_KEY=[REDACTED]" }],
  });
});

Deno.test("redact-secrets answers for a failed tool, and the wrapper rethrows its error", async () => {
  const { runner, errors, records } = makeRunner(
    await loadFiles(readyMadePath("redact-secrets")),
    { observed: true },
  );
  const failure = new Error("refused: password=hunter2");
  const tool = toolGiving("bash", () => {
    throw failure;
  });
  assertStrictEquals(await assertRejects(() => runWrapped(tool, runner)), failure);
  assertEquals(records.map(({ outcome }) => outcome), ["answered"]);
  const answer = await runner.emit({
    type: "tool_result",
    toolName: "bash",
    toolCallId: "c1",
    input: {},
    content: [{ type: "text", text: failure.message }],
    details: undefined,
    isError: true,
  });
  assertEquals(answer, { content: [{ type: "text", text: `refused: password=${R}` }] });
  assertEquals(errors, []);
});

Deno.test("redact-secrets holds against a later hook that changes another field", async () => {
  const [redact] = await loadFiles(readyMadePath("redact-secrets"));
  const later = hook("/later.ts", { tool_result: () => ({ details: { note: 1 } }) });
  const { runner } = makeRunner([redact, later]);
  const content: TextContent[] = [{ type: "text", text: "API_KEY=abc" }];
  const result = await runWrapped(toolGiving("read", { content, details: {} }), runner);
  assertEquals(result, {
    content: [{ type: "text", text: "API_KEY=[REDACTED]" }],
    details: { note: 1 },
  });
});

Deno.test("redact-secrets takes patterns, a replacement and values to leave alone", async () => {
  await using dir = await tempDir();
  const own = await dir.write(
    "own.ts",
    `import { createRedactSecrets } from ${JSON.stringify(readyMadePath("redact-secrets"))};
export default createRedactSecrets({
  patterns: [/ACME-\\d+/g, /employee (?<secret>\\d+)/i],
  replacement: "<$1gone>",
  allow: ["hunter2", /^test-/],
});
`,
  );
  const { runner } = makeRunner(await loadFiles(own));
  const text = "ACME-1 Employee 77 ACME-2 password=hunter2; token=test-1 API_KEY=abc";
  const result = await runWrapped(
    toolGiving("read", {
      content: [{ type: "text", text }],
      details: { password: "hunter2", token: "hunter3" },
    }),
    runner,
  );
  assertEquals(
    textOf(result),
    "<$1gone> Employee <$1gone> <$1gone> password=hunter2; token=test-1 API_KEY=<$1gone>",
  );
  assertEquals(result.details, { password: "hunter2", token: "<$1gone>" });
});

Deno.test("redact-secrets does not remember a text: each call gives the same", () => {
  const options = { patterns: [/ACME-\d+/g], allow: [/^test-/g] };
  for (let i = 0; i < 3; i++) {
    assertEquals(redactText("ACME-1 token=test-1", options), "[REDACTED] token=test-1");
  }
});

Deno.test("redact-secrets withholds the output when it cannot search it", async () => {
  const [answer] = await answersOf(createRedactSecrets(), {
    type: "tool_result",
    toolName: "read",
    toolCallId: "c1",
    input: {},
    content: [{ type: "text", text: "API_KEY=abc" }, { type: "image", data: "", mimeType: "" }],
    get details(): unknown {
      throw new Error("cannot be read");
    },
  });
  assertEquals(answer?.details, null);
  assertEquals(answer?.content?.map(({ type }) => type), ["text", "image"]);
  assert(!JSON.stringify(answer).includes("abc"));
});

/** Calls the handlers of a hook with an event that the runner would not let through. */
async function answersOf(
  factory: HookFactory,
  event: ToolResultEvent,
): Promise<(ToolResultEventResult | undefined)[]> {
  const handlers = hookFrom(factory).handlers.get("tool_result") ?? [];
  assertEquals(handlers.length, 1);
  const call = (handler: unknown): unknown =>
    (handler as (event: ToolResultEvent, ctx: unknown) => unknown)(event, {});
  return await Promise.all(handlers.map(call)) as (ToolResultEventResult | undefined)[];
}

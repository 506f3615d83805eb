/**
 * Runs real coding agents with hooks of this project installed, against a model on this machine, and
 * shows what came of it: `deno task test:agents [AGENT …]`. The agents come from npm into
 * `AGENTS_HOME`, or a folder in the temporary one. Nothing else leaves this machine.
 *
 * @module
 */

import { type ModelServer, startModel, type Turn } from "./model_server.ts";

const PROJECT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const RUN_LIMIT_MS = 180_000;
const SECRET = "sk-live-abcdef0123456789abcdef";

const GUARD = `export default (pi) => {
  pi.on("tool_call", ({ toolName, input }) => {
    if (toolName !== "bash") return;
    if (/rm -rf/.test(input.command)) return { block: true, reason: "GUARD-SAYS-NO" };
    if (/crash/.test(input.command)) throw new Error("GUARD-CRASHED");
    if (/hang/.test(input.command)) return new Promise(() => {});
    if (/spin/.test(input.command)) for (;;);
  });
  pi.on("before_agent_start", () => ({
    message: { customType: "note", content: "ADDED-CONTEXT", display: true },
  }));
};`;

/** Where an agent runs. */
interface Surroundings {
  home: string;
  project: string;
  model: string;
}

/** How a real agent is run. */
interface RealAgent {
  name: string;
  npm: string;
  program: string;
  /** Its tool for shell commands, and the field of the command. */
  tool: string;
  field: string;
  env(place: Surroundings): Record<string, string>;
  args(prompt: string): string[];
  /** Writes the settings that are not about hooks. */
  prepare?(place: Surroundings): void;
}

function writeJson(path: string, value: unknown): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeTextFileSync(path, JSON.stringify(value));
}

const AGENTS: readonly RealAgent[] = [
  {
    name: "claude",
    npm: "@anthropic-ai/claude-code@2.1.197",
    program: "claude",
    tool: "Bash",
    field: "command",
    env: ({ model }) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "dummy",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    args: (prompt) => ["-p", prompt, "--allowedTools", "Bash"],
  },
  {
    name: "gemini",
    npm: "@google/gemini-cli@0.61.0",
    program: "gemini",
    tool: "run_shell_command",
    field: "command",
    env: ({ model }) => ({
      GEMINI_API_KEY: "dummy",
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_NO_RELAUNCH: "true",
    }),
    args: (prompt) => [
      ...["-m", "gemini-2.5-flash", "--approval-mode", "yolo", "--skip-trust", "-p", prompt],
    ],
    prepare: ({ home }) =>
      writeJson(`${home}/.gemini/settings.json`, {
        security: { auth: { selectedType: "gemini-api-key" } },
      }),
  },
  {
    name: "codex",
    npm: "@openai/codex@0.171.0",
    program: "codex",
    tool: "exec_command",
    field: "cmd",
    env: () => ({ MODEL_KEY: "dummy" }),
    args: (prompt) => [
      ...["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
      ...["--dangerously-bypass-hook-trust", prompt],
    ],
    prepare: ({ home, model }) => {
      Deno.mkdirSync(`${home}/.codex`, { recursive: true });
      Deno.writeTextFileSync(
        `${home}/.codex/config.toml`,
        [
          'model_provider = "local"',
          'model = "local-model"',
          "[model_providers.local]",
          'name = "local"',
          `base_url = "${model}/v1"`,
          'env_key = "MODEL_KEY"',
          'wire_api = "responses"',
          "request_max_retries = 0",
          "",
        ].join("\n"),
      );
    },
  },
  {
    name: "copilot",
    npm: "@github/copilot@1.0.102",
    program: "copilot",
    tool: "bash",
    field: "command",
    env: ({ model }) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: "dummy",
      COPILOT_MODEL: "local-model",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_ALLOW_ALL: "true",
    }),
    args: (prompt) => ["-p", prompt, "--allow-all-tools"],
  },
  {
    name: "opencode",
    npm: "opencode-ai@1.18.33",
    program: "opencode",
    tool: "bash",
    field: "command",
    env: () => ({}),
    args: (prompt) => ["run", "-m", "local/local-model", prompt],
    prepare: ({ project, model }) =>
      writeJson(`${project}/opencode.json`, {
        autoupdate: false,
        share: "disabled",
        provider: {
          local: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${model}/v1`, apiKey: "dummy" },
            models: {
              "local-model": { limit: { context: 100_000, output: 8_000 }, tool_call: true },
            },
          },
        },
      }),
  },
];

/** What has to be seen, in the order of the columns. */
const COLUMNS = ["blocked", "redacted", "context", "crash", "hang", "endless loop", "allowed"];

interface Row {
  agent: string;
  version: string;
  cells: string[];
}

async function run(
  program: string,
  args: string[],
  options: { cwd: string; env: Record<string, string>; clearEnv?: boolean },
): Promise<{ success: boolean; text: string }> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    ...options,
    args,
    stdin: "null",
    signal: AbortSignal.timeout(RUN_LIMIT_MS),
  }).output();
  const decoder = new TextDecoder();
  return { success, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** The program of an agent; it is fetched from npm if it is not there. */
async function install(agent: RealAgent, folder: string): Promise<string> {
  const own = `${folder}/${agent.name}`;
  const program = `${own}/node_modules/.bin/${agent.program}`;
  try {
    Deno.statSync(program);
    return program;
  } catch {
    // Not there yet.
  }
  Deno.mkdirSync(own, { recursive: true });
  const { success, text } = await run(
    "npm",
    ["install", "--prefix", own, "--no-audit", "--no-fund", "--loglevel=error", agent.npm],
    { cwd: own, env: {} },
  );
  if (!success) throw new Error(`npm could not install ${agent.npm}: ${text}`);
  return program;
}

async function tryAgent(agent: RealAgent, program: string, model: ModelServer): Promise<string[]> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "real-agent-" }));
  const place = { home: `${root}/home`, project: `${root}/project`, model: model.url };
  for (const folder of [place.home, `${place.project}/victim`]) {
    Deno.mkdirSync(folder, { recursive: true });
  }
  Deno.writeTextFileSync(`${root}/guard.ts`, GUARD);
  const own = {
    HOME: place.home,
    PI_HOOKS_HOME: `${root}/own`,
    DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
  };
  const cli = [...["run", "-A", `${PROJECT}cli.ts`]];
  const socket = `${root}/own/stubs/${agent.name}.sock`;
  try {
    agent.prepare?.(place);
    const hooks = ["--hook", `${root}/guard.ts`, "--hook", `${PROJECT}hooks/redact-secrets.ts`];
    const installing = await run(
      Deno.execPath(),
      [...cli, "install", agent.name, ...hooks, "--timeout", "5000"],
      { cwd: place.project, env: own },
    );
    if (!installing.success) throw new Error(installing.text);
    const call = (command: string): Turn => ({
      tool: agent.tool,
      input: { [agent.field]: command, description: "a step" },
    });
    model.play([
      call("rm -rf victim"),
      call(`echo API_KEY=${SECRET}`),
      call("touch crash"),
      call("touch hang"),
      call("touch spin"),
      call("touch allowed"),
    ]);
    const { success, text } = await run(program, agent.args("go"), {
      cwd: place.project,
      clearEnv: true,
      env: {
        ...own,
        PATH: Deno.env.get("PATH") ?? "",
        TERM: "dumb",
        LANG: "C.UTF-8",
        ...agent.env(place),
      },
    });
    if (Deno.args.includes("--verbose")) console.error(text);
    if (!success) console.error(`${agent.name} failed, or took too long: ${text.slice(-500)}`);
    const said = model.requests.join("\n");
    const there = (name: string) => {
      try {
        Deno.statSync(`${place.project}/${name}`);
        return true;
      } catch {
        return false;
      }
    };
    const isGone = (name: string, reason: string) => !there(name) && said.includes(reason);
    // The secret stands in the model's own call too, and only there.
    const outputs = said.replaceAll(`echo API_KEY=${SECRET}`, "");
    const seen = [
      there("victim") && said.includes("GUARD-SAYS-NO"),
      said.includes("API_KEY=[REDACTED]") && !outputs.includes(SECRET),
      said.includes("ADDED-CONTEXT"),
      isGone("crash", "GUARD-CRASHED"),
      isGone("hang", "did not answer in time"),
      isGone("spin", "busy for over"),
      there("allowed"),
    ];
    return seen.map((isSeen) => isSeen ? "yes" : "NO");
  } finally {
    await run(Deno.execPath(), [...cli, "serve", "--socket", socket, "--stop"], {
      cwd: root,
      env: own,
    });
    await Deno.remove(root, { recursive: true });
  }
}

function table(rows: Row[]): string {
  const head = ["Agent", "Version", ...COLUMNS];
  const lines = [
    head,
    head.map(() => "---"),
    ...rows.map((row) => [row.agent, row.version, ...row.cells]),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

const wanted = Deno.args.filter((arg) => !arg.startsWith("-"));
const folder = Deno.env.get("AGENTS_HOME") ?? `${Deno.env.get("TMPDIR") ?? "/tmp"}/pi-hooks-agents`;
const rows: Row[] = [];
for (const agent of AGENTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const version = agent.npm.slice(agent.npm.lastIndexOf("@") + 1);
  console.error(`${agent.name} ${version} …`);
  let cells: string[];
  // One for each, so that a straggler of the one before takes no turn of this one.
  await using model = startModel();
  try {
    cells = await tryAgent(agent, await install(agent, folder), model);
  } catch (error) {
    console.error((error as Error).message);
    cells = COLUMNS.map(() => "not run");
  }
  rows.push({ agent: agent.name, version, cells });
}
console.log(`${new Date().toISOString().slice(0, 10)}\n\n${table(rows)}`);
Deno.exitCode = rows.every(({ cells }) => cells.every((cell) => cell === "yes")) ? 0 : 1;

/**
 * How agents read answers: a small model of each, as seen by running them. Tests use it to tell
 * what an answer really does, whatever it was meant to do.
 *
 * @module
 */

/** What a hook process has left behind. */
export interface Left {
  /** Its standard output. */
  stdout: string;
  /** Its error output. */
  stderr: string;
  /** Its exit code. */
  code: number;
}

/** What becomes of the tool. */
export type Reading = "runs" | "does not run" | "person is asked";

type Fields = Record<string, unknown>;

function fields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Fields
    : undefined;
}

function json(text: string): Fields | undefined {
  try {
    return fields(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** Whether an object has other keys than these. */
function hasOthers(value: Fields, ...known: string[]): boolean {
  return Object.keys(value).some((key) => !known.includes(key));
}

/** Where the agent is about to ask anyway, it does so unless an answer settles the matter. */
function isPermission(event: string): boolean {
  return event.toLowerCase() === "permissionrequest";
}

function readClaude(event: string, left: Left): Reading {
  if (isPermission(event)) {
    const output = fields(json(left.stdout)?.hookSpecificOutput);
    if (left.code === 2 || output?.hookEventName !== event) return "person is asked";
    return decisionIn(output);
  }
  if (left.code === 2) return "does not run";
  const answer = json(left.stdout);
  if (answer === undefined) return "runs";
  const output = answer.hookSpecificOutput;
  if (output !== undefined && fields(output)?.hookEventName !== event) return "runs";
  const own = fields(output) ?? {};
  if (own.permissionDecision === "deny") return "does not run";
  if (own.permissionDecision === "ask") return "person is asked";
  return answer.decision === "block" ? "does not run" : "runs";
}

function decisionIn({ decision }: Fields): Reading {
  switch (fields(decision)?.behavior) {
    case "allow":
      return "runs";
    case "deny":
      return "does not run";
    default:
      return "person is asked";
  }
}

function readCodex(event: string, left: Left): Reading {
  const reading = readCodexAnswer(event, left);
  return isPermission(event) && reading === "runs" ? "person is asked" : reading;
}

function readCodexAnswer(event: string, left: Left): Reading {
  if (left.code === 2) return text(left.stderr) === "" ? "runs" : "does not run";
  const answer = json(left.stdout);
  if (left.code !== 0 || answer === undefined) return "runs";
  const top = ["continue", "decision", "hookSpecificOutput", "reason", "stopReason"];
  if (hasOthers(answer, ...top, "suppressOutput", "systemMessage")) return "runs";
  if (answer.suppressOutput !== undefined || answer.continue === false) return "runs";
  const output = fields(answer.hookSpecificOutput);
  if (output !== undefined && output.hookEventName !== event) return "runs";
  if (event === "PermissionRequest") {
    if (output === undefined || hasOthers(output, "hookEventName", "decision")) return "runs";
    const decision = fields(output.decision);
    if (decision === undefined || hasOthers(decision, "behavior", "message")) return "runs";
    return decisionIn(output);
  }
  if (output !== undefined) {
    const own = ["hookEventName", "permissionDecision", "permissionDecisionReason"];
    if (hasOthers(output, ...own, "additionalContext", "updatedInput")) return "runs";
    const isNo = output.permissionDecision === "deny";
    if (isNo && text(output.permissionDecisionReason) !== "") return "does not run";
  }
  return answer.decision === "block" && text(answer.reason) !== "" ? "does not run" : "runs";
}

function readGemini(_event: string, left: Left): Reading {
  if (left.code === 2) return "does not run";
  const decision = json(left.stdout)?.decision;
  return decision === "deny" || decision === "block" ? "does not run" : "runs";
}

function readCopilot(event: string, left: Left): Reading {
  if (left.code !== 0) return "does not run";
  const answer = json(left.stdout) ?? {};
  const own = event === "PreToolUse" ? fields(answer.hookSpecificOutput) ?? {} : answer;
  if (isPermission(event)) return decisionIn({ decision: answer });
  if (own.permissionDecision === "deny") return "does not run";
  return own.permissionDecision === "ask" ? "person is asked" : "runs";
}

function readCursor(event: string, left: Left): Reading {
  if (left.code === 2) return "does not run";
  if (left.code !== 0) return "runs";
  switch (json(left.stdout)?.permission) {
    case "allow":
      return "runs";
    case "ask":
      return event === "preToolUse" ? "runs" : "person is asked";
    default:
      return "does not run";
  }
}

const READERS: Readonly<Record<string, (event: string, left: Left) => Reading>> = {
  claude: readClaude,
  codex: readCodex,
  gemini: readGemini,
  copilot: readCopilot,
  cursor: readCursor,
};

/**
 * What becomes of the tool.
 *
 * @param agent The agent.
 * @param event Its name of the event, one before a tool.
 * @param left What the hook process has left behind.
 */
export function readingOf(agent: string, event: string, left: Left): Reading {
  return READERS[agent](event, left);
}

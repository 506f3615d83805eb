/**
 * A hook that takes secrets out of what tools print, before the model reads it.
 *
 * It looks at every text block of every tool result, and at every text in `details`, at any depth.
 * What it takes for a secret becomes `[REDACTED]`; the name in front of it and everything else stay
 * as they were, and so do images, the number of blocks and their order. If there is nothing to
 * take out, it does not answer.
 *
 * What it knows:
 *
 * - values that a name calls secret: `API_KEY=…`, `password: …`, `"client_secret": "…"`, also in
 *   JSON inside JSON, `--token …`, `<password>…`, `{ name: "DB_PASSWORD", value: "…" }`, `define("KEY", "…")`;
 * - the password in `scheme://user:password@host`, and in `curl -u user:password`;
 * - `Authorization` headers, bearer tokens, cookies of 16 characters and more, JSON web tokens;
 * - private keys in PEM, OpenSSH, PGP and PuTTY form, with real or escaped line ends, and also when
 *   the beginning, the middle or the end was cut off;
 * - tokens with a known beginning: GitHub, GitLab, OpenAI, Anthropic, AWS, Google, Slack, Stripe, npm,
 *   PyPI, SendGrid, Twilio, Hugging Face, DigitalOcean, Telegram, age and others.
 *
 * Names, types, calls and references are left alone: `token: string`, `password = getPassword()`,
 * `API_KEY=$API_KEY`, `<your-key>`, `xxxx`.
 *
 * Colours of a terminal between the characters do not matter, and stay.
 *
 * What it cannot see: a secret without a telling name or beginning (a password in prose, `mysql -pX`),
 * a passphrase of several plain words without quotes, secrets that are encoded or compressed, secrets
 * in pictures, a secret that is split over two text blocks, and what a tool has printed before its
 * result is there. It makes accidents rare; it does not stop somebody who wants to get a secret out.
 *
 * It answers for failed tools too. This project's tool wrapper rethrows the error of a failed tool
 * and ignores answers to it, so there the text of the error stays as it is; hosts that apply such
 * answers get the text without the secrets.
 *
 * The time it takes grows with the length of the text and not faster, whatever the text is.
 *
 * @example By its path, with the default settings
 * ```sh
 * deno run -A cli.ts --hook hooks/redact-secrets.ts
 * ```
 *
 * @example A hook file of your own, with one more pattern
 * ```ts
 * import { createRedactSecrets } from "@pi-hooks/core/hooks/redact-secrets";
 *
 * export default createRedactSecrets({
 *   patterns: [/ACME-[0-9]{8}/],
 *   allow: ["the-password-of-the-test-database"],
 * });
 * ```
 *
 * @module
 */

import type { HookAPI, ToolResultEvent, ToolResultEventResult } from "../mod.ts";

/** Settings of {@linkcode createRedactSecrets}. */
export interface RedactSecretsOptions {
  /**
   * More patterns. What one of them matches is replaced; if it has a group named `secret`, only what
   * that group matches. Their speed is up to you.
   */
  patterns?: readonly RegExp[];
  /** What is put in place of a secret. Default `[REDACTED]`. */
  replacement?: string;
  /** Values that are no secrets: the exact text, or a pattern that matches somewhere in it. */
  allow?: readonly (string | RegExp)[];
}

/** A part of a text that has to go. */
interface Span {
  start: number;
  end: number;
  /** What comes in its place, if not the usual replacement. */
  text?: string;
}

/** The settings in the form in which they are used. */
interface Settings {
  patterns: RegExp[];
  replacement: string;
  isAllowed(value: string): boolean;
}

/** How sure a name is that its value is secret, and how the value is written. */
type NameKind = "password" | "secret" | "weak" | "authorization" | "cookie";

/** A value and what stands around it. */
interface FoundValue {
  start: number;
  end: number;
  /** Whether it stands in quotes. */
  quoted: boolean;
  /** Whether it is written as in an environment file, where everything after `=` is the value. */
  literal: boolean;
  /** The separator without its blanks. */
  separator: string;
  /** Up to 40 characters that come after it. */
  after: string;
}

// ---------------------------------------------------------------------------------------------
// Names
// ---------------------------------------------------------------------------------------------

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}

/** Longer names are judged by their end, so that the work for a name is bounded. */
const MAX_NAME_LENGTH = 80;

const NAME_HINT = /pass|pwd|secret|token|key|cred|auth|signature|sig$|cookie/i;

/** Words behind the telling word that do not change what it tells: `API_KEY_PROD`, `password2`. */
const QUALIFIERS = wordSet(`
  value prod production dev development staging stage test testing live sandbox old new current
  previous primary secondary confirmation confirm again repeat base base64 b64 hex raw plain
  plaintext cleartext data hash`);

/** Words before `token` that make it something else than a credential. */
const HARMLESS_TOKENS = wordSet(`
  page next previous prev continuation cursor sync pad eos bos unk mask sep cls stop end start eot
  special image audio video text first last per max min cancellation cancel abort lexer syntax
  separator delimiter design color`);

/** Words before `credentials` that make it a choice instead of a value. */
const HARMLESS_CREDENTIALS = wordSet("with use include allow no require");

/** Words before `key` that make it a credential; other keys name things. */
const KEY_OWNERS =
  "(?:api|access|secret|private|encryption|decryption|signing|auth|master|account|shared|session|" +
  "subscription|ssh|deploy|app|application|consumer|admin|aes|hmac|jwt|service|storage|webhook|client)";

const PASSWORD_WORD =
  /(?:password|passwd|passphrase|passcode)$|^(?:db|user|ssh|root|admin|my|pg|mysql|ftp|smtp)(?:pass|pwd)$/;
const SECRET_WORD = new RegExp(
  `(?:secret|credentials?|(?:access|auth|refresh|session|bearer|api|id|user|bot|oauth|csrf|xsrf|jwt)` +
    `token)$|^${KEY_OWNERS}key$`,
);
const SECRET_PAIR = new RegExp(`^(?:${KEY_OWNERS} key|(?:amz|access) signature)$`);
/** What comes before `key` where a name is written with a blank: `API key: …`. */
const SPACED_OWNER = new RegExp(`(?:^|[^A-Za-z])${KEY_OWNERS}[ ]$`, "i");

/** The words of a name, in lower case: `--api-key`, `apiKey` and `API_KEY` are all `api`, `key`. */
function wordsOf(name: string): string[] {
  return name.slice(-MAX_NAME_LENGTH)
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "");
}

/** What a name says about its value; `undefined` if nothing. */
function kindOfName(name: string): NameKind | undefined {
  if (!NAME_HINT.test(name.slice(-MAX_NAME_LENGTH))) return undefined;
  // The shell keeps the working directory in these two.
  if (/^\$?(?:OLD)?PWD$/.test(name)) return undefined;
  const words = wordsOf(name);
  let count = words.length;
  while (count > 1 && (QUALIFIERS.has(words[count - 1]) || /^\d+$/.test(words[count - 1]))) count--;
  const last = (words[count - 1] ?? "").replace(/\d+$/, "");
  const before = words[count - 2] ?? "";
  if (last === "pass" || last === "pwd") return "secret";
  if (PASSWORD_WORD.test(last)) return "password";
  if (last.startsWith("credential") && HARMLESS_CREDENTIALS.has(before)) return undefined;
  if (SECRET_WORD.test(last) || SECRET_PAIR.test(`${before} ${last}`)) return "secret";
  if (last === "token") return HARMLESS_TOKENS.has(before) ? undefined : "secret";
  if (last === "authorization") return "authorization";
  if (last === "cookie") return "cookie";
  return last === "auth" || last === "sig" ? "weak" : undefined;
}

// ---------------------------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------------------------

/** Nothing longer is taken for a type, a call or a placeholder. Also bounds the work for a value. */
const MAX_HARMLESS_LENGTH = 256;

/** Not a value but a place for one, or the name of a place that holds one. */
const PLACEHOLDERS: readonly RegExp[] = [
  /^[^\p{L}\d]*$/u, // nothing, or nothing but signs: `***`, `...`
  /^(?:[A-Za-z\d]{1,8}[-_]){0,3}[xX*.•…_-]{3,}$/, // xxxx, sk-xxxx
  /^\[?redacted\]?(?!\w)/i,
  /^\$[A-Z_][A-Z\d_]*$|^\$[a-z_][A-Za-z_]*$|^\$\d$|^\$env:\w+$/, // $API_KEY
  /^\$\{\w+(?::?\?[^}]*)?\}$|^\$\{\{|^\$\(|^`/, // ${API_KEY}, ${{ secrets.KEY }}, $(command)
  /^\$\{[A-Za-z_][\w.]*(?:[.(].*)?$/, // ${config.token}
  /^%\w+%$|^%[sdv]$|^%\(\w+\)s$|^#\{|^\{\{|^\{[\w.$!:()[\]-]*\}$|^!secret$/, // templates
  /^(?:%[sdr]|\{\d*\}|[:;,.@/ -])+$/, // %s:%s
  /^(?:~|\.{1,2})\/|^\/(?:etc|home|root|usr|var|run|tmp|opt|mnt|srv|Users|secrets)\//, // ~/.ssh/id
  /^&lt;/, // <your-key> in HTML
  /^(?:\\[SsWwdDb]|\[\^?\\|\[\^|\(\?|\.[*+])/, // a regular expression
  /^<[A-Za-z][\w .:|-]*>?$|^\[[A-Za-z][\w .-]*\]$|^\[your\b/, // <your-key>, [password]
  /^<?(?:(?:insert|replace|enter|put|add|paste|use)[-_ ](?:with[-_ ])?)?your(?:[-_ A-Z]\D*)?$/i,
  /^(?:change|replace)[-_]?(?:me|this)$|^(?:todo|tbd|fixme|placeholder|dummy|none|null|nil|undefined)$/i,
  /^(?:process\.env|import\.meta\.env|Deno\.env|os\.environ|os\.getenv|ENV\[|env\.|System\.getenv|getenv\()/,
];

/** Words that stand for a kind of value, a state of it, or for code that makes one. */
const HARMLESS_WORDS = wordSet(`
  string str number boolean bool int integer float double any unknown void never object bytes byte
  text char varchar buffer uuid null none nil undefined true false yes no on off required optional
  await async new yield typeof function class lambda return self this super not if let const var
  expired invalid missing unauthorized empty unset valid wrong incorrect denied disabled enabled
  hidden present absent rejected accepted revoked and or to is are was for flag flags option options
  argument arguments parameter parameters include omit same-origin use-credentials bearer basic read
  write value the a an in with from of as must when will can requires which that`);

/** Values without quotes that are code: types, calls, references. */
const CODE: readonly RegExp[] = [
  /^!{0,2}[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$#][\w$]*)+[!:;,)}\]]*$/, // config.token
  /^[A-Za-z_$][\w$.:?!>-]*[([{]/, // getPassword(), tokens[0]
  /^[({[]|^\d?\*|^:[a-z]|^\/[\^([\\]/, // (a, b) =>, 1*tchar, :py:data:, /^a/
  /^[A-Z]{2,}[A-Z\d]*(?:_[A-Z\d]+)+[;,)]*$/, // DEFAULT_TOKEN
  /^#[\da-f]{3,8}$|^https?:\/\/[\w.\/#-]+$/i, // a colour, an address
  /^(?:[A-Z][A-Za-z\d]*|[\w.]+)<[\w.,<>[\] |&']*>?[;,)}=]*$/, // Option<String>
  /^[A-Z][A-Za-z\d]*(?:\[\])?[;,)]+$|^[A-Z][A-Za-z\d]*\[\]$/, // Uint8Array;
  /^(?:string|number|boolean|str|bytes|u8|any|unknown|char)(?:\[\]|[?|;,)}])+$/, // string[];
  /^[&*!][A-Za-z_]*[;,)]*$/, // &str, *string
  /^(?:id|type|src|source|env)=/, // --secret id=npm
];

const SECRET_NOUNS = wordSet(
  "password passwd passphrase pass pwd secret token key credential credentials auth",
);
const TYPE_NAME = /^(?:[A-Z][a-z]+\d*){2,}$/;
const PROSE_FOLLOWS = /^[ \t]+(?:[a-z]|[A-Z][a-z]*[ \t]+[A-Za-z])/;
const CALL = /^[a-z_$][\w$.]*\(.*\)[;,]?$/;
const BARE_NAME = /^[A-Za-z_$]+$/;
/** `"token=" + repr(token) + "…"`: what looks like an opening quote was a closing one. */
const CLOSED_QUOTE = /^(?:\s+[+%.|&]|\s*[,);](?:\s|$)|\.\w+\(|\s*\+\s)/;
const PROSE_WORD = /^[A-Za-z][A-Za-z'’-]*[,.:;!?]?$/;

function isPlaceholder(value: string, settings: Settings): boolean {
  if (value === settings.replacement) return true;
  return value.length <= MAX_HARMLESS_LENGTH && PLACEHOLDERS.some((form) => form.test(value));
}

/** Whether a value looks as if a machine had made it. */
function looksRandom(value: string): boolean {
  return value.length >= 12 && !/\s/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** Whether words in quotes are a sentence about a secret rather than a passphrase. */
function isProse(value: string): boolean {
  if (!/\s/.test(value) || /\d/.test(value)) return false;
  return /[.?!:…]$/.test(value) ||
    /\b(?:your|the|an?|is|are|must|not|please|this|for|to|password|passphrase|token|secret|key)\b/i
      .test(value);
}

/** Decides whether the value of a secret name is harmless after all. */
function isHarmless(
  value: string,
  kind: NameKind,
  found: Omit<FoundValue, "start" | "end">,
  settings: Settings,
): boolean {
  if (isPlaceholder(value.replace(/^(?:bearer|basic|token) +/i, ""), settings)) return true;
  if (value.length > MAX_HARMLESS_LENGTH) return false;
  if (kind === "weak") return !looksRandom(value) || CODE.some((form) => form.test(value));
  if (found.literal) return !found.quoted && CALL.test(value);
  if (value.length < 3 || HARMLESS_WORDS.has(value.toLowerCase())) return true;
  if (found.quoted) {
    // The name of an environment variable, or a sentence for a person.
    if (CLOSED_QUOTE.test(value) || /^#[\da-f]{3,8}$/i.test(value)) return true;
    return (/^[A-Z]+(?:_[A-Z]+)+$/.test(value) && kindOfName(value) !== undefined) ||
      (found.separator !== " " && isProse(value));
  }
  const bare = value.replace(/[;,)}\]>.!?:]+$/, "");
  if (bare.length < 3 || HARMLESS_WORDS.has(bare.toLowerCase())) return true;
  if (/^[\d._]+$/.test(bare)) {
    return kind === "password" ? bare.length < 4 : bare.length < 16;
  }
  if (CODE.some((form) => form.test(value))) return true;
  if (found.separator === " ") return BARE_NAME.test(bare) && kindOfName(bare) !== undefined;
  const behind = value.slice(bare.length) + found.after;
  if (kind === "secret" && found.separator === ":=" && /^[A-Z][a-z]+$/.test(bare)) return true;
  if (TYPE_NAME.test(bare) && /^[ \t]*[;,)=]/.test(behind)) return true;
  if (PROSE_WORD.test(value) && found.separator === ":" && PROSE_FOLLOWS.test(found.after)) {
    return true;
  }
  if (!BARE_NAME.test(bare)) return false;
  // A bare name is code where it is followed by the signs of code, or where it repeats the secret.
  return /^[.!?:]*[ \t]*(?:[;,)}\]+|&?*<>]|[=!]=|=[^=])/.test(behind) ||
    (found.separator !== "=" && repeatsName(bare, found.separator));
}

/** Whether a text that is known to be a whole value is secret because of its name. */
function isSecretText(name: string, value: string, settings: Settings): boolean {
  const kind = kindOfName(name);
  if (kind === undefined || kind === "authorization" || kind === "cookie") return false;
  const around = { quoted: true, literal: false, separator: ":", after: "" };
  return !isHarmless(value, kind, around, settings);
}

/** `password: hashedPassword`, `this.token = token`; a lone `password: secret` is a weak password. */
function repeatsName(value: string, separator: string): boolean {
  const words = wordsOf(value);
  if (!words.some((word) => SECRET_NOUNS.has(word))) return false;
  return words.length > 1 || separator === ":=" || /^[A-Z][a-z]/.test(value);
}

// ---------------------------------------------------------------------------------------------
// Where a value begins and ends
// ---------------------------------------------------------------------------------------------

const isQuote = (char: string): boolean => char === '"' || char === "'" || char === "`";
const isWordChar = (char: string): boolean => /\w/.test(char);
const isBlank = (char: string): boolean => char === " " || char === "\t";

/**
 * The place of the quote that closes a value. In JSON inside JSON quotes carry backslashes, so the
 * closing quote is the first one with no more backslashes than the opening one.
 */
function closingQuote(text: string, from: number, quote: string, depth: number): number {
  let slashes = 0;
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (char === "\\") {
      slashes++;
      continue;
    }
    if (char === "\n" && quote !== "`") return i;
    if (char === quote) {
      const closes = depth === 0 ? slashes % 2 === 0 : slashes <= depth;
      if (closes && quote === "'" && depth === 0 && text[i + 1] === "'") i++;
      else if (closes) return i - (depth === 0 ? 0 : slashes);
    }
    slashes = 0;
  }
  return text.length;
}

/** The end of a value without quotes. */
function unquotedEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (char <= " " || char === "\u00a0") return i;
    const next = text[i + 1] ?? "";
    if (isQuote(char) && !isWordChar(next)) return i;
    if (char === "\\" && (isQuote(next) || "nrt\\".includes(next))) return i;
    if (char === "<" && next === "/") return i;
    if (char === "&" || char === ";" || char === ",") {
      if (/^(?:$|\s|[\w.-]{1,64}=)/.test(text.slice(i + 1, i + 67))) return i;
    }
  }
  return text.length;
}

/** The lines below a YAML key that ends in `|` or `>`: those that are indented more than the key. */
function blockScalar(text: string, keyStart: number, from: number): FoundValue | undefined {
  const header = stickyMatch(/[|>][+\-\d]{0,2}[ \t]*\r?\n/y, text, from);
  if (header === undefined) return undefined;
  const lineStart = text.lastIndexOf("\n", keyStart) + 1;
  const keyIndent = keyStart - lineStart > 200 ? 0 : indentOf(text, lineStart);
  const start = from + header.length;
  let end = start;
  for (let line = start; line < text.length;) {
    const next = text.indexOf("\n", line);
    const lineEnd = next === -1 ? text.length : next;
    const indent = indentOf(text, line);
    if (line + indent < lineEnd) {
      if (indent <= keyIndent) break;
      end = lineEnd;
    }
    line = lineEnd + 1;
  }
  const first = start + indentOf(text, start);
  if (end <= first) return undefined;
  return { start: first, end, quoted: true, literal: true, separator: ":", after: "" };
}

function indentOf(text: string, lineStart: number): number {
  let i = lineStart;
  while (i < text.length && isBlank(text[i])) i++;
  return i - lineStart;
}

function stickyMatch(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** A quote, with backslashes in escaped text, and with the letters that languages put before it. */
const OPENING_QUOTE = /(?:[fbruFBRU@$]{1,2})?(\\*)(["'`])/y;

/** Finds the value that begins at `from`, behind a separator. */
function valueAt(
  text: string,
  from: number,
  separator: string,
  literal: boolean,
): FoundValue | undefined {
  OPENING_QUOTE.lastIndex = from;
  const match = OPENING_QUOTE.exec(text);
  if (match !== null) {
    const quote = match[2];
    let start = OPENING_QUOTE.lastIndex;
    let end: number;
    if (match[1] === "" && text.startsWith(quote + quote, start)) {
      start += 2;
      const close = text.indexOf(quote.repeat(3), start);
      end = close === -1 ? text.length : close;
    } else {
      end = closingQuote(text, start, quote, match[1].length);
    }
    const after = text.slice(end, end + 40);
    return { start, end, quoted: true, literal, separator, after };
  }
  const end = unquotedEnd(text, from);
  if (end === from) return undefined;
  return {
    start: from,
    end,
    quoted: false,
    literal,
    separator,
    after: text.slice(end, end + 40),
  };
}

// ---------------------------------------------------------------------------------------------
// Finders: each looks for one kind of secret and reports the parts that have to go
// ---------------------------------------------------------------------------------------------

type Report = (start: number, end: number, text?: string) => void;

/** A name, perhaps in quotes, and a separator. Names cannot begin inside names: linear time. */
const ASSIGNMENT =
  /(?<![\w$.-])([\w$.-]+)(\\*["'`])?(\]?)\*{0,2}[?!]?([ \t]*)(=>|:=|[=:])(?![=~:>])\*{0,2}([ \t]*)/g;
/** A type between name and value: `password: str = "…"`. */
const TYPED = /[A-Za-z_&][\w.<>[\]|&' ?]{0,60} = ?(?=[fbruFBRU@$]{0,2}["'`])/y;
/** Beginnings of lines on which `name=value` is an environment file's, whatever the case. */
const LINE_START = /(?:^|[\n\r]|\\[nr])(?:[ \t]*(?:export|set|declare -x|ENV|ARG|-e|--env) )?$/;
/** What stands before a name that is declared, or that takes a part of a tuple. */
const DECLARATION = /(?:^|[^\w])(?:const|let|var|val|auto|mut) $|, $/;
/** The value of `name` in `{ "name": "DB_PASSWORD", "value": "…" }`. */
const LABEL = /\\*["'`]?([\w.-]{1,100})(?=\\*["'`]?(?:[\s,}]|$))/y;

function findAssignments(text: string, report: Report, settings: Settings): void {
  ASSIGNMENT.lastIndex = 0;
  let labelKind: NameKind | undefined;
  let labelReach = 0;
  for (let match = ASSIGNMENT.exec(text); match !== null; match = ASSIGNMENT.exec(text)) {
    const [, rawName, keyQuote, bracket, blankBefore, separator, blankAfter] = match;
    const nameStart = match.index;
    // In escaped text the `n` of a line end sticks to the name that follows it.
    const name = text[nameStart - 1] === "\\" ? rawName.replace(/^[nrt]/, "") : rawName;
    let kind = kindOfName(name) ?? spacedKind(text, nameStart, name);
    if (kind === undefined && nameStart <= labelReach && /^value$/i.test(name)) kind = labelKind;
    if (kind === undefined) {
      if (/^(?:name|key|variable)$/i.test(name)) {
        LABEL.lastIndex = ASSIGNMENT.lastIndex;
        labelKind = kindOfName(LABEL.exec(text)?.[1] ?? "");
        if (labelKind !== undefined) labelReach = LABEL.lastIndex + 60;
      }
      continue;
    }
    const from = skipToValue(text, ASSIGNMENT.lastIndex, separator, keyQuote);
    const isQuoted = stickyMatch(OPENING_QUOTE, text, from) !== undefined;
    // `=>` before anything but a text is a function; `a :b:` is no assignment.
    if (separator === "=>" && !isQuoted) continue;
    if (separator === ":" && blankBefore !== "" && blankAfter === "" && !isQuoted) continue;
    const isTight = separator === "=" && blankBefore === "" && blankAfter === "";
    const before = nameStart < 24
      ? text.slice(0, nameStart)
      : `.${text.slice(nameStart - 24, nameStart)}`;
    const literal = isTight && keyQuote === undefined && bracket === "" &&
      (/^[A-Z][A-Z\d_]*$/.test(name) || LINE_START.test(before));
    const found = (separator === ":" && blockScalar(text, nameStart, from)) ||
      valueAt(text, from, separator, literal);
    if (found === undefined) continue;
    // `a = b` is code or an old settings file, `a=b` is a setting.
    if (separator === "=" && !isTight) found.separator = ":=";
    const isInCode = /^(?:this|self)\./.test(name) || DECLARATION.test(before) || bracket !== "";
    if (isInCode && !literal && !found.quoted && BARE_NAME.test(valueOf(text, found))) continue;
    const end = reportValue(text, found, kind, keyQuote, settings, report);
    ASSIGNMENT.lastIndex = end ?? from;
  }
}

/** Skips the type of a declared name, and the line end between a name in quotes and its value. */
function skipToValue(
  text: string,
  from: number,
  separator: string,
  keyQuote: string | undefined,
): number {
  const typed = separator === ":" ? stickyMatch(TYPED, text, from) : undefined;
  if (typed !== undefined) return from + typed.length;
  if (keyQuote === undefined) return from;
  return from + (stickyMatch(/\s{1,200}(?=\\*["'])/y, text, from) ?? "").length;
}

function valueOf(text: string, found: FoundValue): string {
  return text.slice(found.start, found.end);
}

/** `API key: …`: the telling word stands before the name. */
function spacedKind(text: string, nameStart: number, name: string): NameKind | undefined {
  if (!/^key$/i.test(name)) return undefined;
  const before = text.slice(Math.max(0, nameStart - 16), nameStart);
  return SPACED_OWNER.test(before) ? "secret" : undefined;
}

/** Reports a value unless it is harmless; returns where to go on behind a reported one. */
function reportValue(
  text: string,
  found: FoundValue,
  kind: NameKind,
  keyQuote: string | undefined,
  settings: Settings,
  report: Report,
): number | undefined {
  if (kind === "authorization") return reportAuthorization(text, found, settings, report);
  if (kind === "cookie") return reportCookies(text, found, report);
  const value = valueOf(text, found);
  if (isHarmless(value, kind, found, settings)) return undefined;
  if (found.quoted) {
    report(found.start, found.end);
    return found.end;
  }
  // Signs at the end belong to the text around the value, unless they close what it has opened.
  const signs = /[([{]/.test(value) ? undefined : /[;,)\]}>.:]{1,20}$/.exec(value.slice(-20))?.[0];
  const end = found.end - (signs?.length ?? 0);
  if (end <= found.start) return undefined;
  if (keyQuote === undefined) report(found.start, end);
  else report(found.start, end, keyQuote + settings.replacement + keyQuote);
  return found.end;
}

/** The rest of the line, or of the text in quotes: headers may hold blanks. */
function headerEnd(text: string, found: FoundValue): number {
  if (found.quoted) return found.end;
  const rest = stickyMatch(/[^\r\n"'`\\]*/y, text, found.start) ?? "";
  return found.start + rest.trimEnd().length;
}

/** `Authorization: Bearer …`: the scheme stays. */
function reportAuthorization(
  text: string,
  found: FoundValue,
  settings: Settings,
  report: Report,
): number | undefined {
  const end = headerEnd(text, found);
  const scheme = stickyMatch(/[A-Za-z][\w-]{0,30}[ \t]+(?=\S)/y, text, found.start) ?? "";
  const start = found.start + scheme.length;
  const value = text.slice(start, end);
  if (start >= end || isHarmlessCredential(value, scheme, found, settings)) return undefined;
  report(start, end);
  return end;
}

function isHarmlessCredential(
  value: string,
  scheme: string,
  found: FoundValue,
  settings: Settings,
): boolean {
  if (value.length < 4 || isPlaceholder(value, settings)) return true;
  if (value.length > MAX_HARMLESS_LENGTH) return false;
  if (!found.quoted && /^!?[A-Za-z_$]*[\w$.]*[([]/.test(value)) return true;
  if (found.quoted && CLOSED_QUOTE.test(value)) return true;
  if (scheme === "") {
    if (value.length < 8 || CODE.some((form) => form.test(value))) return true;
    if (found.separator !== ":" && !found.quoted && BARE_NAME.test(value)) return true;
  }
  if (!/^[A-Za-z ,.;'=-]{0,39}$/.test(value)) return false;
  // Words: a sentence, unless they stand behind one of the usual schemes.
  if (!/^(?:basic|bearer|token)\s/i.test(scheme)) return true;
  return value.length < 20 && (/\s/.test(value) || kindOfName(value) !== undefined);
}

/** `Cookie: a=…; b=…`: the values that are long enough to be a session. */
function reportCookies(text: string, found: FoundValue, report: Report): number | undefined {
  const end = headerEnd(text, found);
  const line = text.slice(found.start, end);
  for (const match of line.matchAll(/(?<![^;\s])([^=;\s]+)=([^;\s]{16,})/g)) {
    const start = found.start + match.index + match[1].length + 1;
    if (!/^[${<]/.test(match[2])) report(start, start + match[2].length);
  }
  return end;
}

/** `--token VALUE`. Two blanks are the columns of a help text. */
const FLAG = /(?<![\w$.-])--?([A-Za-z][\w.-]*) (?=[^\s-])/g;

function findFlags(text: string, report: Report, settings: Settings): void {
  FLAG.lastIndex = 0;
  for (let match = FLAG.exec(text); match !== null; match = FLAG.exec(text)) {
    const kind = kindOfName(match[1]);
    const found = kind && valueAt(text, FLAG.lastIndex, " ", false);
    if (!kind || !found) continue;
    const end = reportValue(text, found, kind, undefined, settings, report);
    if (end !== undefined) FLAG.lastIndex = end;
  }
}

/** A form of text with the secret in the group `secret`, and the name of it in `name` if it has one. */
interface Shape {
  pattern: RegExp;
  isSecret?: (value: string) => boolean;
}

const SHAPES: readonly Shape[] = [
  // The password in an address; slashes may be escaped.
  { pattern: /:(?:\\?\/){2}[^\s\/?#:@"'<>[\\]*:(?<secret>[^\s\/?"'<>\\]+)@/dg },
  // A token in place of user and password.
  { pattern: /:\/\/(?<secret>[\w-]{20,})@/dg, isSecret: looksRandom },
  // `<password>…</password>`
  {
    pattern: /<(?<name>[\w.:-]{1,100})(?:\s[^<>]{0,200})?>(?<secret>[^<]+)<\//dg,
    isSecret: (value) => !/\s/.test(value) && !CODE.some((form) => form.test(value)),
  },
  // `define("DB_PASSWORD", "…")`, `headers.set("X-Api-Key", "…")`
  {
    pattern:
      /(?:define|setenv|putenv|setdefault|setProperty|set|append|header|Header)\(\s{0,8}["'](?<name>[\w.-]{1,100})["']\s{0,8},\s{0,8}["'](?<secret>[^"'\r\n]+)/dg,
  },
  // Lines of a `.netrc` file.
  { pattern: /\blogin\s{1,20}\S{1,200}\s{1,20}password[ \t]{1,20}(?<secret>\S+)/dg },
  // `curl -u user:password`
  {
    pattern:
      /\bcurl\b[^\n]{0,300}?\s(?:-u|--user|--proxy-user)[ =]?["']?[^\s:"']{1,100}:(?<secret>[^\s"']+)/dg,
  },
  // Bearer tokens anywhere.
  {
    pattern: /(?<![A-Za-z\d])bearer[ \t]{1,8}(?<secret>[\w.~+\/=-]{8,})/dgi,
    isSecret: (value) =>
      value.length >= 20 || (/\d/.test(value) && !CODE.some((form) => form.test(value))),
  },
  // JSON web tokens, also with a cut end.
  {
    pattern:
      /(?<=^|[^A-Za-z\d_-]|\\[nrt])(?<secret>eyJ[\w-]{8,}\.(?:eyJ[\w-]*|[\w-]{4,}(?=\.))(?:\.[\w-]*){0,4})/dg,
  },
  // A web hook's address is its password.
  { pattern: /hooks\.slack\.com\/services\/(?<secret>[A-Za-z\d]{6,}\/[A-Za-z\d\/]{10,})/dg },
  { pattern: /discord(?:app)?\.com\/api\/webhooks\/(?<secret>\d{10,}\/[\w-]{20,})/dg },
];

function findShapes(text: string, report: Report, settings: Settings): void {
  for (const { pattern, isSecret } of SHAPES) {
    for (const match of text.matchAll(pattern)) {
      const place = match.indices?.groups?.secret;
      const { name, secret = "" } = match.groups ?? {};
      if (place === undefined || isPlaceholder(secret, settings)) continue;
      if (name !== undefined && !isSecretText(name, secret, settings)) continue;
      if (isSecret === undefined || isSecret(secret)) report(place[0], place[1]);
    }
  }
}

/**
 * Tokens with a known beginning. Each is a beginning and then one run of characters, so that a text
 * that only looks like one is given up after a bounded number of steps.
 */
const TOKENS = new RegExp(
  "(?<=^|[^A-Za-z\\d]|\\\\[nrt])(?:" + [
    "gh[pousr]_[A-Za-z\\d]{12,}", // GitHub
    "github_pat_\\w{16,}",
    "gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct|rtr)-[\\w.-]{12,}", // GitLab
    "sk-(?:ant|proj|svcacct|admin|or-v1|lf)-[\\w-]{10,}", // Anthropic, OpenAI and others
    "(?:A3T[A-Z\\d]|AKIA|ASIA|ABIA|ACCA)[A-Z\\d]{16}(?![A-Za-z\\d])", // AWS
    "AIza[\\w-]{20,}", // Google
    "ya29\\.[\\w-]{20,}",
    "GOCSPX-[\\w-]{20,}",
    "xox[abeoprs](?:\\.xox[bp])?-[A-Za-z\\d-]{10,}", // Slack
    "xapp-[A-Za-z\\d-]{10,}",
    "[sr]k_(?:live|test)_[A-Za-z\\d]{10,}", // Stripe
    "whsec_[A-Za-z\\d+/=]{16,}",
    "npm_[A-Za-z\\d]{16,}",
    "pypi-AgE[\\w-]{16,}",
    "SG\\.[\\w-]{16,}(?:\\.[\\w-]+)?", // SendGrid
    "SK[\\da-f]{32}(?![A-Za-z\\d])", // Twilio
    "hf_[A-Za-z\\d]{16,}", // Hugging Face
    "do[opr]_v1_[\\da-f]{16,}", // DigitalOcean
    "\\d{8,10}:[\\w-]{35}(?![\\w-])", // Telegram
    "AGE-SECRET-KEY-[A-Z\\d-]{20,}",
    "shp(?:at|ss|ca|pa)_[\\da-fA-F]{16,}", // Shopify
    "sq0(?:atp|csp|idp)-[\\w-]{16,}", // Square
    "dckr_(?:pat|oat)_[\\w-]{16,}", // Docker
    "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{16,}", // Doppler
    "hv[sbr]\\.[\\w-]{20,}", // Vault
    "ATATT3[\\w=-]{20,}", // Atlassian
    "ATBB[A-Za-z\\d]{20,}",
    "lin_(?:api|oauth)_[A-Za-z\\d]{16,}", // Linear
    "pul-[\\da-f]{32,}", // Pulumi
    "gl(?:sa|c)_[\\w+/=]{20,}", // Grafana
    "rubygems_[\\da-f]{16,}",
    "sntry[su]_[\\w+/=-]{20,}", // Sentry
    "xkeysib-[\\da-f]{32,}[\\w-]*", // Brevo
    "key-[\\da-f]{32}(?![A-Za-z\\d])", // Mailgun
    "NRAK-[A-Z\\d]{20,}", // New Relic
    "PMAK-[\\da-f-]{24,}", // Postman
    "fig[du]_[\\w-]{20,}", // Figma
    "ntn_[A-Za-z\\d]{20,}", // Notion
    "secret_[A-Za-z\\d]{43}(?![A-Za-z\\d])",
    "tskey-[\\w-]{16,}", // Tailscale
    "fm[12]_[\\w+/=]{20,}", // Fly
    "sbp_[\\da-f]{20,}", // Supabase
    "r8_[A-Za-z\\d]{30,}", // Replicate
    "gsk_[A-Za-z\\d]{30,}", // Groq
    "xai-[A-Za-z\\d]{30,}",
    "pplx-[A-Za-z\\d]{30,}", // Perplexity
    "sk-[\\w-]{14,}", // OpenAI and others; looked at more closely below
  ].join("|") + ")|" + [
    // These are long enough to be known even when something is glued to them.
    "gh[pousr]_[A-Za-z\\d]{30,}",
    "github_pat_\\w{22,}",
    "glpat-[\\w-]{20,}",
    "sk-(?:ant|proj)-[\\w-]{20,}",
    "xox[abeoprs]-\\d[A-Za-z\\d-]{10,}",
    "[sr]k_live_[A-Za-z\\d]{16,}",
    "dop_v1_[\\da-f]{32,}",
    "AGE-SECRET-KEY-1[A-Z\\d]{20,}",
  ].join("|"),
  "g",
);

function findTokens(text: string, report: Report, settings: Settings): void {
  for (const match of text.matchAll(TOKENS)) {
    const token = match[0];
    if (isPlaceholder(token, settings) || /[-_]your[-_]/i.test(token.slice(0, 40))) continue;
    // Names with hyphens begin with `sk-` too: a token has one long piece.
    const pieces = token.startsWith("sk-") ? token.split(/[-_]/) : [];
    const isName = pieces.length > 0 &&
      !pieces.some((piece) => piece.length >= 16 || (piece.length >= 10 && /\d/.test(piece)));
    if (!isName) report(match.index, match.index + token.length);
  }
}

function findPatterns(text: string, report: Report, settings: Settings): void {
  for (const pattern of settings.patterns) {
    for (const match of text.matchAll(pattern)) {
      const place = match.indices?.groups?.secret ?? match.indices?.[0];
      if (place !== undefined) report(place[0], place[1]);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Private keys
// ---------------------------------------------------------------------------------------------

const KEY_MARK =
  /-{4,5} ?(?<edge>BEGIN|END) (?:[A-Z\d]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: \d{1,4}/g;
/** What stands between the lines of a key: line ends, quotes, line numbers, marks of a diff. */
const KEY_FILLER = /[\s"'`+,|>#*]+|\\+[nrt]|\d{1,6}[→:|]/y;
const KEY_HEADER = /(?:[A-Z][A-Za-z]*-[A-Za-z-]{1,30}|Version|Comment|Hash): ?[^\r\n\\]{0,200}/y;
const KEY_LINE = /[A-Za-z\d+\/=]+/y;
const CUT_MARK = /[^\r\n]{0,120}?(?:truncated|omitted|skipped|cut|…|\.\.\.)[^\r\n]{0,120}/iy;
/** A shorter run of letters and digits is no line of a key, unless it is the last one. */
const MIN_KEY_LINE = 16;
const FULL_KEY_LINE = 40;
/** How far a key that was cut in the middle may be from its end. */
const MAX_CUT = 2000;

function skipFiller(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit) {
    const filler = stickyMatch(KEY_FILLER, text, at);
    if (filler === undefined) break;
    at += filler.length;
  }
  return at;
}

/** The end of the lines of a key that begin at `from`, or -1 if there are none. */
function keyLinesEnd(text: string, from: number, limit: number): number {
  let end = -1;
  let at = skipFiller(text, from, limit);
  while (at < limit) {
    const header = stickyMatch(KEY_HEADER, text, at);
    const line = header ?? stickyMatch(KEY_LINE, text, at);
    if (header === undefined) {
      const length = line?.length ?? 0;
      const isLast = end >= 0 && length > 0 &&
        (line?.endsWith("=") || at + length >= limit || at + length === text.length);
      if (length >= MIN_KEY_LINE || isLast) {
        end = at + length;
      } else {
        const cut = stickyMatch(CUT_MARK, text, at);
        if (cut === undefined) break;
        const resumed = skipFiller(text, at + cut.length, limit);
        if ((stickyMatch(KEY_LINE, text, resumed)?.length ?? 0) < FULL_KEY_LINE) break;
        at = resumed;
        continue;
      }
    }
    at = skipFiller(text, at + (line?.length ?? 0), limit);
  }
  return Math.min(end, limit);
}

/** The beginning of the lines of a key that end at `end`; `end` itself if there are none. */
function keyLinesStart(text: string, from: number, end: number): number {
  const floor = Math.max(from, end - 20_000);
  const lines = text.slice(floor, end).split(/(\r?\n|\\+[nr])/);
  let start = end;
  let isLast = true;
  for (let i = lines.length - 1, at = end; i >= 0; i--) {
    at -= lines[i].length;
    if (i % 2 === 1) continue; // a line end
    const line = lines[i].replace(/^[\s"'`|>#*]*(?:\d{1,6}[→:|\t] ?)?/, "").trimEnd();
    if (line === "") continue;
    if (!/^[A-Za-z\d+\/=]+$/.test(line) || (!isLast && line.length < FULL_KEY_LINE)) break;
    // The last line of a key may be short; then it counts only if there is a full one before it.
    if (!isLast || line.length >= MIN_KEY_LINE) start = at + lines[i].length - line.length;
    isLast = false;
  }
  return start;
}

function findPrivateKeys(text: string, report: Report): void {
  const marks = [...text.matchAll(KEY_MARK)];
  let done = 0;
  for (let i = 0; i < marks.length; i++) {
    const mark = marks[i];
    const markEnd = mark.index + mark[0].length;
    if (mark.groups?.edge === "END") {
      const start = keyLinesStart(text, done, mark.index);
      if (start < mark.index) report(start, markEnd);
      done = markEnd;
      continue;
    }
    const next = marks[i + 1];
    const limit = next?.index ?? text.length;
    const end = keyLinesEnd(text, markEnd, limit);
    done = markEnd;
    if (end === -1) continue;
    const isClosed = next?.groups?.edge === "END" && limit - end <= MAX_CUT;
    done = isClosed ? limit + next[0].length : end;
    const start = mark.groups?.edge === undefined ? skipFiller(text, markEnd, limit) : mark.index;
    report(start, done);
    if (isClosed) i++;
  }
}

// ---------------------------------------------------------------------------------------------
// Putting it together
// ---------------------------------------------------------------------------------------------

const FINDERS: readonly ((text: string, report: Report, settings: Settings) => void)[] = [
  findPrivateKeys,
  findAssignments,
  findFlags,
  findShapes,
  findTokens,
  findPatterns,
];

function settingsFrom(options: RedactSecretsOptions): Settings {
  const exact = new Set<string>();
  const forms: RegExp[] = [];
  for (const value of options.allow ?? []) {
    if (typeof value === "string") exact.add(value);
    // Without `g` and `y`, which make a pattern remember where it stopped.
    else forms.push(new RegExp(value.source, value.flags.replace(/[gy]/g, "")));
  }
  return {
    patterns: (options.patterns ?? []).map((pattern) =>
      new RegExp(pattern.source, pattern.flags.replace(/[gyd]/g, "") + "dg")
    ),
    replacement: options.replacement ?? "[REDACTED]",
    isAllowed: (value) => exact.has(value) || forms.some((form) => form.test(value)),
  };
}

/** What a terminal takes as colours and moves of the cursor. */
const TERMINAL_CODE = new RegExp(String.fromCharCode(27) + "\\[[\\d;:?]*[A-Za-z]", "g");

/** A text without terminal codes, and where its characters came from. */
function withoutCodes(text: string): { plain: string; placeOf: (index: number) => number } {
  const parts: string[] = [];
  // For each part its first index in the plain text, and what to add to come back.
  const firsts: number[] = [];
  const shifts: number[] = [];
  let at = 0;
  let length = 0;
  for (const match of text.matchAll(TERMINAL_CODE)) {
    firsts.push(length);
    shifts.push(at - length);
    parts.push(text.slice(at, match.index));
    length += match.index - at;
    at = match.index + match[0].length;
  }
  firsts.push(length);
  shifts.push(at - length);
  parts.push(text.slice(at));
  const placeOf = (index: number): number => {
    let low = 0;
    let high = firsts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (firsts[middle] <= index) low = middle;
      else high = middle - 1;
    }
    return index + shifts[low];
  };
  return { plain: parts.join(""), placeOf };
}

function redact(text: string, settings: Settings): string {
  const { plain, placeOf } = withoutCodes(text);
  const spans: Span[] = [];
  const report: Report = (start, end, replacement) => {
    if (end <= start || settings.isAllowed(plain.slice(start, end))) return;
    spans.push({ start: placeOf(start), end: placeOf(end - 1) + 1, text: replacement });
  };
  for (const find of FINDERS) find(plain, report, settings);
  if (spans.length === 0) return text;
  // Where two finders saw the same secret, the one that began first and reached further wins.
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let done = 0;
  for (const span of spans) {
    if (span.start >= done) {
      parts.push(text.slice(done, span.start), span.text ?? settings.replacement);
    }
    done = Math.max(done, span.end);
  }
  parts.push(text.slice(done));
  return parts.join("");
}

/**
 * Takes the secrets out of a text.
 *
 * @param text Any text.
 * @param options As for {@linkcode createRedactSecrets}.
 * @returns The text with `[REDACTED]` in place of each secret; the same text if there is none.
 *
 * @example
 * ```ts
 * import { redactText } from "@pi-hooks/core/hooks/redact-secrets";
 *
 * if (redactText("API_KEY=abc123 ok") !== "API_KEY=[REDACTED] ok") throw new Error("unexpected");
 * ```
 */
export function redactText(text: string, options: RedactSecretsOptions = {}): string {
  return redact(text, settingsFrom(options));
}

/** What lies deeper than this is taken out unseen. */
const MAX_DETAILS_DEPTH = 200;

/** Copies `details` without its secrets, as something that JSON can hold; counts what it took out. */
class DetailsCopy {
  readonly #settings: Settings;
  readonly #above: unknown[] = [];
  /** How many texts were changed. */
  changes = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  copy(value: unknown, name: string | undefined): unknown {
    if (typeof value === "string") return this.#copyText(value, name);
    if (typeof value === "bigint") return String(value);
    if (typeof value === "function" || typeof value === "symbol") return undefined;
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
    if (this.#above.includes(value)) return null;
    if (this.#above.length >= MAX_DETAILS_DEPTH) {
      this.changes++;
      return this.#settings.replacement;
    }
    this.#above.push(value);
    const copied = this.#copyObject(value, name);
    this.#above.pop();
    return copied;
  }

  #copyText(value: string, name = ""): string {
    const isSecret = isSecretText(name, value, this.#settings) && !this.#settings.isAllowed(value);
    const changed = isSecret ? this.#settings.replacement : this.#redactBehind(name, value);
    if (changed !== value) this.changes++;
    return changed;
  }

  /** A header is read as it would be behind its name. */
  #redactBehind(name: string, value: string): string {
    const kind = kindOfName(name);
    const label = kind === "authorization" || kind === "cookie" ? `${name}: ` : "";
    return redact(label + value, this.#settings).slice(label.length);
  }

  #copyObject(value: object, name: string | undefined): unknown {
    if (Array.isArray(value)) return value.map((item) => this.copy(item, name));
    if (value instanceof Map) {
      const nameOf = (key: unknown): string | undefined => typeof key === "string" ? key : name;
      return new Map([...value].map(([key, item]) => [key, this.copy(item, nameOf(key))]));
    }
    if (value instanceof Set) return new Set([...value].map((item) => this.copy(item, name)));
    if ("toJSON" in value && typeof value.toJSON === "function") {
      return this.copy(value.toJSON(), name);
    }
    const record = value as Record<string, unknown>;
    if (record.type === "image" && typeof record.data === "string") return value;
    const entries = Object.entries(record);
    if (value instanceof Error) {
      entries.unshift(["name", value.name], ["message", value.message], ["stack", value.stack]);
    }
    // `{ name: "DB_PASSWORD", value: "…" }`
    const label = record.name ?? record.key;
    return Object.fromEntries(entries.map(([key, item]) => {
      const called = /^value$/i.test(key) && typeof label === "string" ? label : key;
      return [key, this.copy(item, called)];
    }));
  }
}

/** What is put in place of a text that could not be searched: not knowing is no reason to show it. */
const WITHHELD = "[output withheld: the redact-secrets hook could not search it for secrets]";

function answerTo(event: ToolResultEvent, settings: Settings): ToolResultEventResult | undefined {
  const answer: ToolResultEventResult = {};
  let isChanged = false;
  const content = event.content.map((block) => {
    if (block.type !== "text" || typeof block.text !== "string") return block;
    const text = redact(block.text, settings);
    if (text === block.text) return block;
    isChanged = true;
    return { ...block, text };
  });
  if (isChanged) answer.content = content;
  const details = new DetailsCopy(settings);
  const copied = details.copy(event.details, undefined);
  if (details.changes > 0) {
    answer.details = copied;
    isChanged = true;
  }
  return isChanged ? answer : undefined;
}

/**
 * Makes the hook with settings of your own.
 *
 * The handler answers `tool_result` with the fields that it changed, `content` or `details` or both,
 * and with nothing if it changed nothing. If it cannot do its work it withholds every text and the
 * details rather than let them pass.
 *
 * @param options More patterns, another replacement, values to leave alone.
 * @returns The factory, to be exported as the default of a hook file.
 *
 * @example
 * ```ts
 * import { createRedactSecrets } from "@pi-hooks/core/hooks/redact-secrets";
 *
 * export default createRedactSecrets({ replacement: "***", patterns: [/ACME-[0-9]{8}/] });
 * ```
 */
export function createRedactSecrets(options: RedactSecretsOptions = {}): (pi: HookAPI) => void {
  const settings = settingsFrom(options);
  return (pi: HookAPI): void => {
    pi.on("tool_result", (event): ToolResultEventResult | undefined => {
      try {
        return answerTo(event, settings);
      } catch {
        return {
          content: event.content.map((block) =>
            block.type === "text" ? { type: "text" as const, text: WITHHELD } : block
          ),
          details: null,
        };
      }
    });
  };
}

/**
 * The hook with its default settings.
 *
 * @param pi The API that the loader hands in.
 */
export default function redactSecrets(pi: HookAPI): void {
  createRedactSecrets()(pi);
}

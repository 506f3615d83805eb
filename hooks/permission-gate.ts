/**
 * A ready-made hook that stands before the shell: it reads each command as a shell would, and asks
 * a person before one that destroys something. Where no person can be asked, it blocks.
 *
 * It goes by what a command means, not by how it is spelt: `rm -rf x`, `r""m -Rvf x`,
 * `sudo env A=1 rm --recur x`, `find . -delete` and `bash -c "rm -rf x"` are one thing to it, and
 * `echo "rm -rf x"` is harmless. What it asks about:
 *
 * | rule | for example |
 * |---|---|
 * | `recursive-removal` | `rm -r`, `rm -f`, `rm *`, `find -delete`, `rimraf`, `rsync --delete`, `rd /s`, `Remove-Item -Recurse` |
 * | `bulk-removal` | a plain `rm` for each name that `xargs`, `find -exec` or `parallel` hands to it |
 * | `content-loss` | `shred`, `truncate -s 0`, `mv x /dev/null` |
 * | `disk-write` | `dd of=/dev/sda`, `mkfs`, `wipefs -a`, `fdisk`, `> /dev/sda`, `cp x /dev/sda` |
 * | `root-permissions` | `chmod -R`, `chown -R`, `chgrp -R` on `/`, `~`, `..`, `/etc`, `/usr`; `chmod 777 /` |
 * | `git-discard` | `git clean -f`, `git reset --hard`, `git checkout .`, `git restore .`, `git stash drop` |
 * | `git-history` | `git push --force`, `--mirror`, `--delete`, `+ref`, `git branch -D`, `git filter-branch` |
 * | `fork-bomb` | `:(){ :\|:& };:` |
 * | `download-into-shell` | `curl … \| sh`, `bash <(curl …)`, `sh -c "$(wget …)"`, `curl -o x … && sh x` |
 * | `system-control` | `shutdown`, `reboot`, `kill -9 -1`, `crontab -r` |
 * | `inline-code` | `python -c "shutil.rmtree(…)"`, `node -e "fs.rmSync(…)"` |
 * | `unseen-script` | `base64 -d x \| sh`, `eval "$x"`: a script that stands nowhere in the command |
 * | `unseen-command` | `$X -rf y`: a name that stands nowhere, with flags that suit a removal |
 * | `unreadable` | a quote that is not closed, nesting without end, a command that is not text |
 * | `requested` | what the option `ask` names |
 *
 * A plain `rm file` passes, also in a loop, and so do `unlink` and `rmdir`: they take away what is
 * named, and nothing beneath it.
 *
 * What it cannot see: what a script on disk does (`sh build.sh`, `make clean`, `npm run clean`),
 * what a program does by itself (`python x.py`), the values of variables that are not set in the
 * same command, aliases and functions of the person's shell, what the other side does with `ssh
 * host` and no command. Inline code of other languages is searched for well-known calls, not
 * understood. Containers, clouds and databases (`docker volume rm`, `kubectl delete`, `DROP TABLE`)
 * are not in the table, because which of them are precious is a matter of the place: name them with
 * the option `ask`. It is a seat belt against mistakes, not a sandbox against malice.
 *
 * The file stands alone, so a copy of it runs in every agent that has these hooks.
 *
 * @example With rules of one's own
 * ```ts
 * import { createPermissionGate } from "@pi-hooks/core/hooks/permission-gate";
 *
 * export default createPermissionGate({
 *   allow: ["rm -rf dist", /rm -rf build\/[\w-]+/],
 *   deny: [/\bnpm publish\b/],
 *   ask: ["terraform destroy", "kubectl delete"],
 * });
 * ```
 *
 * @module
 */

import type { HookAPI, HookContext, ToolCallEventResult } from "../mod.ts";

// ---------------------------------------------------------------------------------------------
// What comes out

/** The names of the rules; the table at the head of this module says what each is about. */
export type RuleName =
  | "recursive-removal"
  | "bulk-removal"
  | "content-loss"
  | "disk-write"
  | "root-permissions"
  | "git-discard"
  | "git-history"
  | "fork-bomb"
  | "download-into-shell"
  | "system-control"
  | "inline-code"
  | "unseen-script"
  | "unseen-command"
  | "unreadable"
  | "requested";

/** One thing in a command that a person should be asked about. */
export interface Finding {
  /** The rule. */
  rule: RuleName;
  /** What the rule is about, for people. */
  reason: string;
  /** The part of the command that was found, as it is written there. */
  part: string;
}

/**
 * Says which commands are meant.
 *
 * A function gets the command, or a part of it, and answers whether it is meant. How a text or a
 * regular expression is compared, see {@linkcode PermissionGateOptions}.
 */
export type CommandPattern = string | RegExp | ((command: string) => boolean);

/** What {@linkcode createPermissionGate} can be told. */
export interface PermissionGateOptions {
  /**
   * Commands that pass without a question. A text or a regular expression must cover **all** of the
   * command, or all of the part that was found: `"rm -rf dist"` lets `rm -rf dist && npm run build`
   * pass, and not `rm -rf dist; rm -rf /`.
   */
  allow?: readonly CommandPattern[];
  /** Commands that are blocked without a question. It is enough that a part of them fits. */
  deny?: readonly CommandPattern[];
  /** Commands to ask about beside those of the table. It is enough that a part of them fits. */
  ask?: readonly CommandPattern[];
}

const REASONS: Readonly<Record<RuleName, string>> = {
  "recursive-removal": "recursive or forced removal",
  "bulk-removal": "removal of every file that another program names",
  "content-loss": "destroys the content of a file",
  "disk-write": "writes to a disk or makes a file system",
  "root-permissions": "changes permissions of a whole system, home or parent folder",
  "git-discard": "throws away work that git has not stored",
  "git-history": "rewrites or deletes what git has stored",
  "fork-bomb": "starts itself without end",
  "download-into-shell": "runs what it downloads",
  "system-control": "stops the machine, all processes or all scheduled jobs",
  "inline-code": "inline code that removes files",
  "unseen-script": "runs a script that cannot be seen",
  "unseen-command": "runs a command that cannot be seen, with the flags of a removal",
  "unreadable": "cannot be read with certainty",
  "requested": "a command that this gate was told to ask about",
};

// ---------------------------------------------------------------------------------------------
// From text to words

/** A word of a command. */
interface Word {
  /** Its value, without quotes. What the shell would put in stays as it is written. */
  text: string;
  /** Whether the shell puts in something that is not known here. */
  dynamic: boolean;
  /** Whether it holds an unquoted pattern, such as `*`. */
  pattern: boolean;
  /** Whether a part of it stands in double quotes. */
  quoted: boolean;
  /** The commands inside: `$(…)`, backquotes, `<(…)`. */
  scripts: Script[];
}

/** `> file`, `<<END` and their kin. */
interface Redirect {
  operator: string;
  target: Word;
  /** The text between the lines of a here-document. */
  body?: string;
}

/** A here-document whose body has not been reached yet. */
interface HereDocument {
  redirect: Redirect;
  delimiter: string;
  stripTabs: boolean;
  /** Whether nothing is put into the body. */
  literal: boolean;
}

/** A command: either words, or (`if`, `( … )`, a function) bodies. */
interface Command {
  words: Word[];
  assignments: Word[];
  redirects: Redirect[];
  bodies: Script[];
  /** Words that are looked into, and are no command: those of `for`, `case`, `[[`. */
  others: Word[];
  functionName?: string;
  /** Whether it gets something from another machine, once that has been asked. */
  isDownload?: boolean;
  source: string;
  start: number;
  end: number;
}

interface Pipeline {
  commands: Command[];
  background: boolean;
}

type Script = Pipeline[];

/** How deep brackets may nest, and how often a text may be read that stood inside another. */
const MAX_NESTING = 64;
const MAX_REREADING = 8;

const BLANK = /[ \t]+|\\\r?\n|\r(?=\n)/y;
const PLAIN = /[^\s\\'"`$;&|<>(){},*?[]+/y;
const PLAIN_IN_QUOTES = /[^\\"`$]+/y;
const PLAIN_IN_BRACES = /[^\\"'`$}]+/y;
const PLAIN_IN_BODY = /[^\\`$]+/y;
const OPENING =
  /(?:if|while|until|for|select|case|function|time|coproc|\{|\[\[)(?=[\s;&|()<>]|$)|!(?=[\s(]|$)/y;
const CLOSING = /(?:then|elif|else|fi|do|done|esac|\})(?=[\s;&|()<>]|$)/y;
const REDIRECT = /(?:\d+|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<>|<&|>&|>>|>\||<(?!\()|>(?!\())/y;
const VARIABLE = /\$(?:[A-Za-z_]\w*|[0-9@*#?!$-])/y;
const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/;
const ARRAY_START = /[A-Za-z_\]]\w*\+?=$/;

// Unquoted braces, commas and blanks that come from expansions are marked while a word is read.
const OPEN = "\uE000";
const COMMA = "\uE001";
const CLOSE = "\uE002";
const BREAK = "\uE003";
const MARKS: Readonly<Record<string, string>> = { "{": OPEN, ",": COMMA, "}": CLOSE };

/** Reads shell text. It never throws: what it cannot read, `problem` tells. */
class Reader {
  problem: string | undefined;
  readonly #source: string;
  readonly #rereading: number;
  readonly #comments: boolean;
  #at = 0;
  /** Where the last token ended: a comment behind it does not belong to a command. */
  #end = 0;
  #nesting = 0;
  #waiting: HereDocument[] = [];
  /** How far brackets may be looked ahead for, in all: keeps the reading linear. */
  #lookAhead: number;

  constructor(source: string, rereading = 0, comments = true) {
    this.#source = source.includes("\0") ? source.replaceAll("\0", "") : source;
    this.#rereading = rereading;
    this.#comments = comments;
    this.#lookAhead = 4 * source.length + 1000;
    if (rereading > MAX_REREADING) this.#giveUp();
  }

  read(): Script {
    const script: Script = [];
    for (;;) {
      for (const pipeline of this.#list()) script.push(pipeline);
      if (this.#at >= this.#source.length) return script;
      const stray = this.#match(CLOSING) || this.#take(";;") || this.#source[this.#at++];
      this.#report(`"${stray}" does not belong here`);
    }
  }

  /** Reads text in which only `$` and backquotes are special: the body of a here-document. */
  readBody(): Word {
    const word = newWord("");
    while (this.#at < this.#source.length) {
      word.text += this.#match(PLAIN_IN_BODY) || this.#special(word, "$`\\\n");
    }
    return word;
  }

  #report(problem: string): void {
    this.problem ??= problem;
  }

  #giveUp(): void {
    this.#report("it is nested too deeply");
    this.#at = this.#source.length;
  }

  #match(pattern: RegExp): string {
    const start = this.#at;
    pattern.lastIndex = start;
    if (!pattern.test(this.#source)) return "";
    this.#at = pattern.lastIndex;
    return this.#source.slice(start, this.#at);
  }

  #sees(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #take(text: string): string {
    if (!this.#sees(text)) return "";
    this.#at += text.length;
    return text;
  }

  #expect(token: string): void {
    const found = /^[a-z}]/.test(token)
      ? this.#keyword(CLOSING) === token && this.#take(token)
      : this.#take(token);
    if (!found) this.#report(`"${token}" is missing`);
    this.#end = this.#at;
  }

  #keyword(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#source) ? this.#source.slice(this.#at, pattern.lastIndex) : "";
  }

  #skipBlanks(): void {
    while (this.#match(BLANK));
    if (this.#comments && this.#source[this.#at] === "#") {
      const end = this.#source.indexOf("\n", this.#at);
      this.#at = end < 0 ? this.#source.length : end;
    }
  }

  /** Skips blanks, comments and ends of lines; the bodies of here-documents begin at the latter. */
  #skipLines(): void {
    for (;;) {
      this.#skipBlanks();
      if (!this.#take("\n")) return;
      for (const waiting of this.#waiting.splice(0)) this.#hereDocument(waiting);
    }
  }

  #hereDocument(waiting: HereDocument): void {
    const start = this.#at;
    let end = this.#source.length;
    for (let line = start; line < this.#source.length;) {
      let next = this.#source.indexOf("\n", line);
      if (next < 0) next = this.#source.length;
      let from = line;
      if (waiting.stripTabs) { while (this.#source[from] === "\t") from++; }
      const to = this.#source[next - 1] === "\r" ? next - 1 : next;
      const fits = to - from === waiting.delimiter.length &&
        this.#source.startsWith(waiting.delimiter, from);
      this.#at = Math.min(next + 1, this.#source.length);
      if (fits) {
        end = line;
        break;
      }
      line = next + 1;
    }
    const body = this.#source.slice(start, end);
    waiting.redirect.body = body;
    if (waiting.literal) return;
    const reader = new Reader(body, this.#rereading + 1);
    const word = reader.readBody();
    waiting.redirect.body = word.text;
    for (const script of word.scripts) waiting.redirect.target.scripts.push(script);
    if (reader.problem) this.#report(reader.problem);
  }

  /** Reads commands up to something that ends a list: `)`, `;;`, a word such as `done`. */
  #list(): Script {
    const script: Script = [];
    for (;;) {
      this.#skipSeparators();
      const start = this.#at;
      if (start >= this.#source.length || this.#sees(")")) return script;
      if (this.#sees(";") || this.#keyword(CLOSING)) return script;
      script.push(this.#pipeline());
      if (this.#at === start) {
        this.#report(`"${this.#source[start]}" does not belong here`);
        this.#at++;
      }
    }
  }

  #skipSeparators(): void {
    do {
      this.#skipLines();
      if (this.#sees(";;") || this.#sees(";&") || this.#sees("&>")) return;
    } while (this.#take("||") || this.#take("&") || this.#take(";"));
  }

  #pipeline(): Pipeline {
    const commands = [this.#command()];
    for (;;) {
      this.#skipBlanks();
      if (this.#sees("||") || !this.#take("|")) break;
      this.#take("&");
      this.#skipLines();
      commands.push(this.#command());
    }
    return { commands, background: this.#sees("&") && !this.#sees("&&") && !this.#sees("&>") };
  }

  #command(): Command {
    this.#skipBlanks();
    const command = newCommand(this.#source, this.#at);
    if (++this.#nesting > MAX_NESTING) this.#giveUp();
    else if (!this.#compound(command)) this.#simple(command);
    this.#nesting--;
    command.end = Math.max(command.start, this.#end);
    return command;
  }

  #simple(command: Command): void {
    const start = this.#at;
    for (;;) {
      this.#skipBlanks();
      if (this.#redirect(command)) continue;
      const character = this.#source[this.#at];
      if (character === undefined || "\n;&|)".includes(character)) break;
      if (character === "(") {
        if (this.#functionBody(command)) return;
        this.#report('"(" does not belong here');
        this.#at++;
        command.bodies.push(this.#list());
        this.#expect(")");
        continue;
      }
      const from = this.#at;
      const words = this.#word();
      const isAssignment = command.words.length === 0 && ASSIGNMENT.test(this.#head(from));
      for (const word of words) (isAssignment ? command.assignments : command.words).push(word);
    }
    if (this.#at === start) this.#report("a command is missing");
  }

  /** The beginning of what was read since `from`, enough to tell an assignment. */
  #head(from: number): string {
    return this.#source.slice(from, Math.min(this.#at, from + 200));
  }

  #functionBody(command: Command): boolean {
    if (command.words.length !== 1 || command.assignments.length > 0) return false;
    if (!this.#match(/\([ \t]*\)/y)) return false;
    command.functionName = command.words.pop()?.text ?? "";
    this.#skipLines();
    command.bodies.push([{ commands: [this.#command()], background: false }]);
    return true;
  }

  #redirect(command: Command): boolean {
    REDIRECT.lastIndex = this.#at;
    const match = REDIRECT.exec(this.#source);
    if (match === null) return false;
    this.#at += match[0].length;
    this.#skipBlanks();
    const start = this.#at;
    const [target = newWord("")] = this.#word();
    if (this.#at === start) this.#report(`"${match[1]}" leads nowhere`);
    const redirect: Redirect = { operator: match[1], target };
    command.redirects.push(redirect);
    if (redirect.operator === "<<" || redirect.operator === "<<-") {
      this.#waiting.push({
        redirect,
        delimiter: target.text,
        stripTabs: redirect.operator === "<<-",
        literal: /['"\\]/.test(this.#source.slice(start, this.#at)),
      });
    }
    return true;
  }

  /** Reads what begins with a keyword or a bracket, if there is one. */
  #compound(command: Command): boolean {
    let keyword = this.#keyword(OPENING);
    for (; keyword === "!" || keyword === "time"; keyword = this.#keyword(OPENING)) {
      this.#at += keyword.length;
      this.#skipBlanks();
      if (keyword === "time" && this.#sees("-")) {
        command.words.push(newWord("time"));
        return false;
      }
    }
    if (this.#take("(")) {
      if (!this.#arithmetic(command.bodies)) {
        command.bodies.push(this.#list());
        this.#expect(")");
      }
      return this.#redirects(command);
    }
    if (keyword === "") return false;
    this.#at += keyword.length;
    const body = (end: string): void => {
      command.bodies.push(this.#list());
      if (end) this.#expect(end);
    };
    switch (keyword) {
      case "coproc":
        this.#skipBlanks();
        this.#match(/[A-Za-z_]\w*(?=[ \t]+[{(])/y);
        command.bodies.push([{ commands: [this.#command()], background: true }]);
        return true;
      case "{":
        body("}");
        break;
      case "if":
        body("then");
        body("");
        while (this.#keyword(CLOSING) === "elif") {
          this.#take("elif");
          body("then");
          body("");
        }
        if (this.#keyword(CLOSING) === "else" && this.#take("else")) body("");
        this.#expect("fi");
        break;
      case "while":
      case "until":
        body("do");
        body("done");
        break;
      case "for":
      case "select":
        this.#loopHead(command);
        if (this.#take("{")) body("}");
        else {
          this.#expect("do");
          body("done");
        }
        break;
      case "case":
        this.#case(command);
        break;
      case "[[":
        this.#condition(command);
        break;
      case "function":
        this.#skipBlanks();
        command.functionName = this.#word()[0]?.text ?? "";
        this.#match(/[ \t]*\([ \t]*\)/y);
        this.#skipLines();
        command.bodies.push([{ commands: [this.#command()], background: false }]);
        return true;
    }
    return this.#redirects(command);
  }

  #redirects(command: Command): true {
    do this.#skipBlanks(); while (this.#redirect(command));
    return true;
  }

  #loopHead(command: Command): void {
    this.#skipBlanks();
    if (this.#take("(")) {
      if (!this.#arithmetic(command.bodies)) this.#report('"))" is missing');
    } else {
      this.#word();
      this.#skipLines();
      if (this.#match(/in(?=[\s;]|$)/y)) this.#words(command.others);
    }
    this.#skipSeparators();
  }

  /** Reads words up to the end of the command. */
  #words(words: Word[]): void {
    for (;;) {
      this.#skipBlanks();
      const start = this.#at;
      for (const word of this.#word()) words.push(word);
      if (this.#at === start) return;
    }
  }

  #case(command: Command): void {
    this.#skipBlanks();
    for (const word of this.#word()) command.others.push(word);
    this.#skipLines();
    if (!this.#match(/in(?=\s|$)/y)) this.#report('"in" is missing');
    for (;;) {
      this.#skipLines();
      if (this.#at >= this.#source.length || this.#keyword(CLOSING) === "esac") break;
      this.#take("(");
      do this.#words(command.others); while (this.#take("|"));
      if (!this.#take(")")) {
        this.#report('")" is missing');
        break;
      }
      command.bodies.push(this.#list());
      if (!this.#match(/;;&|;;|;&/y) && this.#keyword(CLOSING) !== "esac") break;
    }
    this.#expect("esac");
  }

  /** Reads `[[ … ]]`, where brackets, `<` and `|` are no operators of the shell. */
  #condition(command: Command): void {
    for (;;) {
      this.#match(/\s+/y);
      if (this.#match(/\]\](?=[\s;&|()<>]|$)/y)) {
        this.#end = this.#at;
        return;
      }
      if (this.#at >= this.#source.length) return this.#report('"]]" is missing');
      const start = this.#at;
      for (const word of this.#word()) command.others.push(word);
      if (this.#at === start) this.#at++;
    }
  }

  /**
   * Reads the rest of `((…))` after its first bracket; `false`: it is something else. Arithmetic
   * runs no commands but those in `$(…)`, but a shell without it sees commands in two pairs of
   * brackets. So it is looked into as commands, and whatever is odd about them does not matter.
   */
  #arithmetic(scripts: Script[]): boolean {
    if (!this.#sees("(")) return false;
    const start = this.#at + 1;
    const end = this.#arithmeticEnd(start);
    if (end < 0) return false;
    scripts.push(new Reader(this.#source.slice(start, end), this.#rereading + 1, false).read());
    this.#at = this.#end = end + 2;
    return true;
  }

  /** Where the `))` is that ends the arithmetic beginning at `start`; -1: it is no arithmetic. */
  #arithmeticEnd(start: number): number {
    let open = 2;
    for (let at = start; at < this.#source.length; at++) {
      if (--this.#lookAhead < 0) {
        this.#report("it has too many open brackets");
        return -1;
      }
      const character = this.#source[at];
      if (character === "\\") at++;
      else if (character === "(") open++;
      else if (character === ")" && --open === 1) return this.#source[at + 1] === ")" ? at : -1;
    }
    return -1;
  }

  /** Reads one word; more than one come out if it holds `{a,b}`, none if there is none. */
  #word(): Word[] {
    const word = newWord("");
    const start = this.#at;
    let marked = false;
    reading: while (this.#at < this.#source.length) {
      const plain = this.#match(PLAIN);
      if (plain) {
        word.text += plain;
        continue;
      }
      const character = this.#source[this.#at];
      switch (character) {
        case "'":
          word.text += this.#quoted();
          break;
        case '"':
          word.text += this.#doubleQuoted(word);
          break;
        case "\\":
          if (this.#match(/\\\r?\n/y)) break;
          word.text += this.#source[this.#at + 1] ?? "";
          this.#at += 2;
          break;
        case "$":
        case "`": {
          const text = this.#expansion(word, false);
          marked ||= text.includes(BREAK);
          word.text += text;
          break;
        }
        case "<":
        case ">":
          if (this.#source[this.#at + 1] !== "(") break reading;
          this.#at += 2;
          word.scripts.push(this.#commandsUpTo(")"));
          word.text += `${character}(…)`;
          word.dynamic = true;
          break;
        case "(": {
          const before = this.#source[this.#at - 1];
          const isArray = before === "=" && ARRAY_START.test(this.#head(start));
          if (this.#at === start || !(isArray || "?*+@!".includes(before))) break reading;
          this.#at++;
          this.#group(word);
          word.pattern ||= !isArray;
          word.dynamic ||= isArray;
          break;
        }
        case "{":
        case ",":
        case "}":
          this.#at++;
          marked ||= character === "{";
          word.text += marked ? MARKS[character] : character;
          break;
        default:
          if (" \t\n;&|)".includes(character)) break reading;
          if ("*?[".includes(character)) word.pattern = true;
          else if (character === "\r" && this.#source[this.#at + 1] === "\n") break reading;
          word.text += character;
          this.#at++;
      }
    }
    if (this.#at === start) return [];
    this.#end = this.#at;
    return marked ? expand(word) : [word];
  }

  /** Reads the words in the brackets of `a=(…)` or of a pattern such as `@(a|b)`. */
  #group(word: Word): void {
    if (++this.#nesting > MAX_NESTING) return this.#giveUp();
    do {
      this.#skipLines();
      const inner: Word[] = [];
      this.#words(inner);
      for (const { scripts } of inner) for (const script of scripts) word.scripts.push(script);
    } while (this.#take("|") || this.#sees("\n"));
    this.#nesting--;
    this.#expect(")");
  }

  /** Text between single quotes. */
  #quoted(): string {
    const start = this.#at + 1;
    const end = this.#source.indexOf("'", start);
    if (end < 0) this.#report("a quote is not closed");
    this.#at = end < 0 ? this.#source.length : end + 1;
    return this.#source.slice(start, end < 0 ? undefined : end);
  }

  /** Text up to a quote that has no backslash before it. */
  #escaped(quote: string): string {
    const start = this.#at;
    const end = closingQuote(this.#source, start, quote);
    if (end < 0) this.#report("a quote is not closed");
    this.#at = end < 0 ? this.#source.length : end + 1;
    return this.#source.slice(start, end < 0 ? undefined : end);
  }

  #doubleQuoted(word: Word): string {
    let text = "";
    word.quoted = true;
    this.#at++;
    while (this.#at < this.#source.length) {
      if (this.#take('"')) return text;
      text += this.#match(PLAIN_IN_QUOTES) || this.#special(word, '$`"\\\n');
    }
    this.#report("a quote is not closed");
    return text;
  }

  /** Reads a `\`, `$` or backquote inside quotes; the backslash only hides what is `escapable`. */
  #special(word: Word, escapable: string): string {
    if (!this.#take("\\")) return this.#expansion(word, true);
    const next = this.#source[this.#at] ?? "";
    if (next === "" || !escapable.includes(next)) return "\\";
    this.#at++;
    return next === "\n" ? "" : next;
  }

  /** Reads what begins with `$` or a backquote. Gives its text as it is written, or its value. */
  #expansion(word: Word, quoted: boolean): string {
    const start = this.#at;
    if (this.#sees("`")) return this.#backquoted(word, quoted);
    if (!quoted && this.#take("$'")) {
      return unescape(this.#escaped("'"));
    }
    if (!quoted && this.#sees('$"')) {
      this.#at++;
      return this.#doubleQuoted(word);
    }
    if (this.#take("$(")) {
      if (this.#arithmetic(word.scripts)) {
        word.dynamic = true;
        return this.#source.slice(start, this.#at);
      }
      return this.#substitution(word, start, this.#commandsUpTo(")"), quoted);
    }
    if (this.#match(/\$\{(?=[\s|])\|?/y)) {
      return this.#substitution(word, start, this.#commandsUpTo("}"), quoted);
    }
    if (this.#take("${")) {
      this.#parameter(word, quoted);
    } else if (!this.#match(VARIABLE)) {
      this.#at++;
      return "$";
    }
    const text = this.#source.slice(start, this.#at);
    if (/^\$\{?IFS\b/.test(text)) return quoted ? " " : BREAK;
    word.dynamic = true;
    return text;
  }

  /** Reads the inside of `${…}`. */
  #parameter(word: Word, quoted: boolean): void {
    if (++this.#nesting > MAX_NESTING) this.#giveUp();
    for (;;) {
      if (this.#at >= this.#source.length) {
        this.#report('"}" is missing');
        break;
      }
      if (this.#take("}")) break;
      if (this.#match(PLAIN_IN_BRACES)) continue;
      if (this.#sees('"')) this.#doubleQuoted(word);
      else if (this.#sees("'")) quoted ? this.#at++ : this.#quoted();
      else if (this.#take("\\")) this.#at++;
      else this.#expansion(word, quoted);
    }
    this.#nesting--;
  }

  #commandsUpTo(bracket: string): Script {
    let script: Script = [];
    if (++this.#nesting > MAX_NESTING) this.#giveUp();
    else script = this.#list();
    this.#nesting--;
    this.#expect(bracket);
    return script;
  }

  /** What stands for a substitution in a word: its source, or its output if that is known. */
  #substitution(word: Word, start: number, script: Script, quoted: boolean): string {
    const known = outputOf(script);
    if (known !== undefined) return quoted ? known : known.replace(/\s+/g, BREAK);
    word.scripts.push(script);
    word.dynamic = true;
    return this.#source.slice(start, this.#at);
  }

  #backquoted(word: Word, quoted: boolean): string {
    const start = this.#at++;
    const text = this.#escaped("`").replace(quoted ? /\\([\\`$"])/g : /\\([\\`$])/g, "$1");
    const reader = new Reader(text, this.#rereading + 1);
    const script = reader.read();
    if (reader.problem) this.#report(reader.problem);
    return this.#substitution(word, start, script, quoted);
  }
}

/** Where the quote is that ends the text beginning at `start`; -1: nowhere. */
function closingQuote(text: string, start: number, quote: string): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}

function newWord(text: string): Word {
  return { text, dynamic: false, pattern: false, quoted: false, scripts: [] };
}

function newCommand(source: string, start: number): Command {
  const lists = { words: [], assignments: [], redirects: [], bodies: [], others: [] };
  return { ...lists, source, start, end: start };
}

const MAX_EXPANDED_LENGTH = 1000;
const MAX_ALTERNATIVES = 64;

/** Makes words of a word with marks: `{a,b}` gives two, and blanks that came from outside divide. */
function expand(word: Word): Word[] {
  const texts: string[] = [];
  const waiting = [word.text];
  let isOpen = false;
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    const fits = text.length <= MAX_EXPANDED_LENGTH &&
      texts.length + waiting.length < MAX_ALTERNATIVES;
    const group = fits ? findGroup(text) : undefined;
    isOpen ||= group === undefined && text.includes(OPEN) && (!fits || text.includes(".."));
    if (group !== undefined) waiting.push(...group.reverse());
    else for (const part of text.split(BREAK)) texts.push(part);
  }
  const words = texts.filter((text) => text !== "").map((text): Word => ({
    text: text.replaceAll(OPEN, "{").replaceAll(COMMA, ",").replaceAll(CLOSE, "}"),
    dynamic: word.dynamic,
    pattern: word.pattern || isOpen,
    quoted: word.quoted,
    scripts: [],
  }));
  if (words.length === 0) return [{ ...word, text: "" }];
  words[0].scripts = word.scripts;
  return words;
}

/** What the first `{a,b}` of a marked text stands for. */
function findGroup(text: string): string[] | undefined {
  for (let start = text.indexOf(OPEN); start >= 0; start = text.indexOf(OPEN, start + 1)) {
    const alternatives: string[] = [];
    let from = start + 1;
    let open = 1;
    for (let at = from; at < text.length; at++) {
      if (text[at] === OPEN) open++;
      else if (text[at] === COMMA && open === 1) {
        alternatives.push(text.slice(from, at));
        from = at + 1;
      } else if (text[at] === CLOSE && --open === 0) {
        if (alternatives.length === 0) break;
        alternatives.push(text.slice(from, at));
        return alternatives.map((middle) => text.slice(0, start) + middle + text.slice(at + 1));
      }
    }
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** The value of a text with escapes, as in `$'…'`, `printf` and `echo -e`. */
function unescape(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|[uU]([0-9a-fA-F]{1,8})|(0?[0-7]{1,3})|([^]))/g,
    (_all, hex?: string, unicode?: string, octal?: string, letter = "") => {
      const code = parseInt(hex ?? unicode ?? octal ?? "", hex ?? unicode ? 16 : 8);
      if (Number.isNaN(code)) return ESCAPES[letter] ?? letter;
      return code === 0 || code > 0x10ffff ? "" : String.fromCodePoint(code);
    },
  );
}

/** What a script writes, if it is one plain `echo` whose words are all known. */
function outputOf(script: Script): string | undefined {
  const command = script[0]?.commands[0];
  if (script.length !== 1 || script[0].commands.length !== 1) return undefined;
  if (command.redirects.length > 0 || command.bodies.length > 0) return undefined;
  if (command.words.some(({ dynamic, pattern }) => dynamic || pattern)) return undefined;
  return spoken(command.words);
}

/** What `echo` and `printf` write, as far as their words are known. */
function spoken(words: readonly Word[]): string | undefined {
  const name = words.length > 0 ? nameOf(words[0]) : "";
  if (name !== "echo" && name !== "printf") return undefined;
  let first = 1;
  while (first < words.length && /^-(?:[neE]+|-)$/.test(words[first].text)) first++;
  const texts = words.slice(first).map(({ text }) => text);
  if (name === "echo") return unescape(texts.join(" "));
  const [format = "", ...values] = texts;
  let used = 0;
  const filled = unescape(format).replace(
    /%[-+ 0#]*\d*(?:\.\d+)?[A-Za-z]/g,
    () => unescape(values[used++] ?? ""),
  );
  return values.length > used && used > 0 ? `${filled} ${values.slice(used).join(" ")}` : filled;
}

const MAX_NAME = 100;

/** The name of a command: without folders, case and `.exe`. */
function nameOf(word: Word): string {
  const { text } = word;
  const start = text.lastIndexOf("/") + 1;
  return text.slice(start, start + MAX_NAME).toLowerCase().replace(/\.exe$/, "");
}

// ---------------------------------------------------------------------------------------------
// Which programs run others

/** A set of words, written as one text. */
function names(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

/** How the options of a program are written that runs another program. */
interface Wrapper {
  /** Letters of the options that take a value. */
  values?: string;
  /** Long options that take a value in the next word. */
  longValues?: ReadonlySet<string>;
  /** Long options that take none; if this is given, all others do. */
  longFlags?: ReadonlySet<string>;
  /** Letters of options with which nothing is run. */
  stops?: string;
  /** The letter of an option whose value is a command as text. */
  text?: string;
  /** How many words stand between the options and the command. */
  operands?: number;
  /** Whether the rest is text for a shell, and not words. */
  joins?: boolean;
  /** Whether the rest runs once for each of a list of names. */
  bulk?: boolean;
  /** Whether the rest runs on another machine. */
  away?: boolean;
}

const CONTAINER_RUN: Wrapper = {
  values: "evpuwhlmac",
  longFlags: names(
    "rm init privileged read-only interactive tty detach publish-all no-healthcheck sig-proxy",
  ),
  operands: 1,
};
const CONTAINER_EXEC: Wrapper = {
  values: "euw",
  longValues: names("env env-file user workdir detach-keys"),
  operands: 1,
};
const BARE: Wrapper = {};

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["sudo", {
    values: "ugphCcrtTUDR",
    longValues: names("user group host prompt close-from chdir chroot role type other-user"),
    stops: "lvVe",
  }],
  ["doas", { values: "uC" }],
  ["pkexec", { longValues: names("user") }],
  ["env", { values: "uC", longValues: names("unset chdir"), text: "S" }],
  ["command", { stops: "vV" }],
  ["exec", { values: "a" }],
  ["nice", { values: "n", longValues: names("adjustment") }],
  ["ionice", { values: "cnpPu", longValues: names("class classdata") }],
  ["timeout", { values: "sk", longValues: names("signal kill-after"), operands: 1 }],
  ["time", { values: "fo", longValues: names("format output") }],
  ["stdbuf", { values: "ioe", longValues: names("input output error") }],
  ["chroot", { operands: 1 }],
  ["taskset", { stops: "p", operands: 1 }],
  ["chrt", { stops: "p", operands: 1 }],
  ["flock", { values: "wE", text: "c", operands: 1 }],
  ["strace", { values: "aebIEoOpPsSuUX" }],
  ["caffeinate", { values: "tw" }],
  ["sshpass", { values: "pfdP" }],
  ["gosu", { operands: 1 }],
  ["su-exec", { operands: 1 }],
  ["runuser", { values: "ugGswT", longValues: names("user group shell"), text: "c" }],
  ["su", { values: "gGswT", longValues: names("group shell"), text: "c", operands: Infinity }],
  ["script", { text: "c", operands: Infinity }],
  ["xargs", {
    values: "IJLnPsEdaRS",
    longValues: names("max-args max-procs max-lines max-chars delimiter arg-file"),
    bulk: true,
  }],
  ["parallel", {
    values: "jaIPNnLlSCd",
    longValues: names("jobs arg-file max-args max-procs delay retries joblog sshlogin colsep"),
    joins: true,
    bulk: true,
  }],
  ["watch", { values: "nq", longValues: names("interval equexit"), joins: true }],
  ["ssh", { values: "bcDEeFIiJLlmOopQRSWw", operands: 1, joins: true, away: true }],
  ["docker run", CONTAINER_RUN],
  ["docker exec", CONTAINER_EXEC],
  ["docker compose run", CONTAINER_RUN],
  ["docker compose exec", CONTAINER_EXEC],
  ["podman run", CONTAINER_RUN],
  ["podman exec", CONTAINER_EXEC],
  ["kubectl exec", {
    values: "cnf",
    longValues: names("container namespace context filename pod-running-timeout"),
    operands: 1,
  }],
  ["npx", { values: "p", longValues: names("package"), text: "c" }],
  ...("builtin nohup setsid unbuffer busybox toybox bunx proxychains torsocks " +
    "dbus-run-session").split(" ").map((name): [string, Wrapper] => [name, BARE]),
  ...["npm exec", "pnpm exec", "pnpm dlx", "yarn dlx", "uv run", "poetry run", "bundle exec"]
    .map((name): [string, Wrapper] => [name, BARE]),
]);

const SHELLS = names("sh bash dash zsh ksh mksh ash rbash fish csh tcsh");
const INTERPRETERS: ReadonlyMap<string, string> = new Map([
  // The letters of the options that take code, a module or a file of code.
  ["python", "cm"],
  ["node", "ep"],
  ["bun", "ep"],
  ["perl", "eEpn"],
  ["ruby", "e"],
  ["php", "rf"],
  ["lua", "e"],
  ["osascript", "e"],
  ["deno", ""],
]);
const DOWNLOADERS = names(
  "curl wget aria2c fetch http https lynx lwp-request axel iwr irm invoke-webrequest " +
    "invoke-restmethod start-bitstransfer",
);
/** Programs whose output is meant for the shell that starts them. */
const SHELL_SETUP = names(
  "ssh-agent direnv brew pyenv rbenv nodenv fnm mise asdf zoxide starship opam conda dircolors " +
    "luarocks keychain docker-machine minikube resize register-python-argcomplete",
);
const DECLARATIONS = names("export declare typeset local readonly");

/** Calls that remove, in the languages of the interpreters. */
const REMOVAL_CALL =
  /\b(?:rmtree|removedirs|rmSync|rmdirSync|rm_rf|rm_r|remove_tree|remove_entry_secure|removeSync|emptyDirSync|rimraf|del_tree)\b|\bDeno\.remove|\bfs(?:p|\.promises)?\.rm\(|fork\s+while\s+fork/;
/** Calls that run a shell command. */
const SHELL_CALL =
  /\b(?:system|popen|subprocess|exec\w*|spawn\w*|shell_exec|passthru|Deno\.Command|do shell script)\b/;

// ---------------------------------------------------------------------------------------------
// The table of what is dangerous

/** The words of a command after its name, told apart. */
class Arguments {
  /** The words that are no options; the values of options are among them. */
  readonly operands: string[] = [];
  readonly #letters = new Set<string>();
  readonly #longs: string[] = [];
  readonly words: readonly string[];
  /** Whether the command runs once for each of a list of names. */
  readonly bulk: boolean;

  constructor(words: readonly string[], bulk = false) {
    this.words = words;
    this.bulk = bulk;
    let options = true;
    for (const word of words) {
      if (options && word === "--") options = false;
      else if (options && word.startsWith("--")) this.#longs.push(word.slice(2).split("=", 1)[0]);
      else if (options && /^-[^-]/.test(word)) {
        for (const letter of word.slice(1)) this.#letters.add(letter);
      } else this.operands.push(word);
    }
  }

  /** Whether one of these letters is given, or one of these long options, abbreviated or not. */
  has(letters: string, ...longs: string[]): boolean {
    for (const letter of letters) if (this.#letters.has(letter)) return true;
    return this.#longs.some((given) => given && longs.some((long) => long.startsWith(given)));
  }

  /** Whether a long option begins like this. */
  begins(start: string): boolean {
    return this.#longs.some((given) => given.startsWith(start));
  }

  /**
   * Whether an option is surely given that makes the command harmless: spelt out, or as a letter
   * among letters that take no value (in `git clean -fen`, `n` is the value of `e`).
   */
  excused(letter: string, flags: string, ...longs: string[]): boolean {
    const end = this.words.indexOf("--");
    const words = end < 0 ? this.words : this.words.slice(0, end);
    return words.some((word) =>
      word.startsWith("--")
        ? longs.includes(word.slice(2))
        : word.startsWith("-") && word.includes(letter) &&
          [...word.slice(1)].every((other) => other === letter || flags.includes(other))
    );
  }

  /** The value of an option in any spelling. */
  value(letter: string, long: string): string | undefined {
    for (const [index, word] of this.words.entries()) {
      if (word.startsWith("--")) {
        const [name, value] = word.slice(2).split("=", 2);
        if (name && long.startsWith(name)) return value ?? this.words[index + 1];
      } else if (letter && word.startsWith("-") && word.includes(letter)) {
        return word.slice(word.indexOf(letter) + 1) || this.words[index + 1];
      }
    }
  }

  /** Whether a PowerShell option is given, abbreviated or not. */
  power(option: string): boolean {
    return this.words.some((word) => {
      const given = word.toLowerCase().split(":", 1)[0];
      return given.length > 1 && `-${option}`.startsWith(given);
    });
  }

  /** Whether an option of `cmd.exe` is given, such as `/s` in `/s/q`. */
  slash(letters: string): boolean {
    return this.words.some((word) =>
      /^(?:\/\w)+$/.test(word) && [...letters].some((letter) => word.toLowerCase().includes(letter))
    );
  }

  /** Whether an operand is like this. */
  some(test: RegExp | ((operand: string) => boolean)): boolean {
    return this.operands.some((operand) =>
      test instanceof RegExp ? test.test(operand) : test(operand)
    );
  }

  /** Whether the first operand is one of these. */
  first(...words: string[]): boolean {
    return words.includes(this.operands[0]);
  }
}

/** Takes `//`, `/./` and `x/..` out of a path, and the slash at its end. */
function normalise(path: string): string {
  const segments: string[] = [];
  for (const segment of path.replaceAll("\\", "/").split("/")) {
    if (segment === "" || segment === ".") continue;
    const last = segments.at(-1);
    if (segment !== "..") segments.push(segment);
    else if (last === undefined ? !path.startsWith("/") : last === "..") segments.push("..");
    else segments.pop();
  }
  return (path.startsWith("/") ? "/" : "") + segments.join("/");
}

/** Whether writing there writes to a disk, or to the switch that stops the machine. */
function isDevice(path: string): boolean {
  if (/^[\\/]{2}[.?][\\/]/.test(path)) return true;
  if (!path.startsWith("/")) return false;
  const normal = normalise(path);
  return normal === "/proc/sysrq-trigger" ||
    /^\/dev\/(?!(?:null|zero|full|u?random|console|ptmx|std(?:in|out|err)|tty.*|(?:pts|fd|shm|tcp|udp|mqueue)\/.*)$)/
      .test(normal);
}

/** Whether a path is a whole system, a home, a parent folder, or lies in a folder of the system. */
function isRoot(path: string): boolean {
  const normal = normalise(path.replace(/[\\/]\*+$/, "/"));
  return /^(?:\/|~[\w.-]*|\$HOME|\$\{HOME\}|\.\.(?:\/\.\.)*|[A-Za-z]:)$/.test(normal) ||
    /^\/(?:etc|usr|bin|sbin|lib\w*|boot|dev|proc|sys|System|Library)(?:\/|$)/.test(normal) ||
    /^\/(?:var|opt|root|home|Users|mnt|media|srv|run|private|tmp)$/.test(normal) ||
    /^\/(?:home|Users)\/[^/]+$/.test(normal) ||
    /^[A-Za-z]:\/(?:Windows|Users|Program Files)/i.test(normal);
}

/** Whether a path given to `rm` or `git` means all that is there. */
function isEverything(path: string): boolean {
  return /^(?:\.?\.?\/|~\/|\$HOME\/|\$\{HOME\}\/|[A-Za-z]:[\\/])?(?:\.|\.?\*+|\*\.\*)$/.test(path);
}

/** Whether `git checkout` or `git restore` puts back all files, not some. */
function discardsTree(a: Arguments): boolean {
  const isIndexOnly = a.has("S", "staged") && !a.has("W", "worktree");
  return a.some(/^(?:\.\.?\/?|:\/?|:\(top\)|\.?\/?\*+)$/) && !isIndexOnly && !a.has("p", "patch");
}

/** Whether `git push` takes away or replaces what the other side has. */
function rewritesRemote(a: Arguments): boolean {
  const isForced = a.has("fd", "force", "force-with-lease", "mirror", "delete", "prune");
  return (isForced || a.some(/^(?:\+|:.)/)) && !a.excused("n", "fdquv", "dry-run");
}

/** Whether a mode lets everyone write. */
function isOpenToAll(mode: string): boolean {
  return mode.length < 20 &&
    /^(?:[0-7]?[0-7][0-7][2367]|[ugo]*[ao][ugo]*[+=][rxXst]*w.*)$/.test(mode);
}

type Test = (given: Arguments) => boolean;
type Row = readonly [commands: string, test?: string | Test];

/**
 * The table: for each rule the commands that it is about, and when it speaks: always, if one of
 * these options is given (letters, then long ones), or if a function says so. Two words are a
 * subcommand of git. `--help` and `--version` alone never get here.
 */
const TABLE: readonly (readonly [rule: RuleName, ...rows: Row[]])[] = [
  [
    "recursive-removal",
    ["rm,grm", "rRf recursive force no-preserve-root"],
    ["rm,grm,remove-item", (a) => a.some(isEverything)],
    ["remove-item", (a) => a.power("recurse") || a.power("force")],
    ["srm,rimraf,deltree"],
    ["userdel,deluser", "r remove remove-home"],
    ["rsync", (a) => a.begins("del") && !a.excused("n", "avrztuhPlpgoDHAXSxcWi", "dry-run")],
    ["rd,rmdir", (a) => a.slash("s")],
    ["del,erase", (a) => a.slash("sf")],
    ["git rm", (a) => a.has("rf", "force") && !a.excused("n", "rfq", "cached", "dry-run")],
  ],
  ["bulk-removal", ["rm,grm,unlink,remove-item", (a) => a.bulk]],
  [
    "content-loss",
    ["shred,wipe"],
    ["truncate", (a) => /^(?:0+[A-Za-z]*$|[-<])/.test(a.value("s", "size") ?? "")],
    ["mv", (a) => a.some(/^\/dev\/null$/)],
  ],
  [
    "disk-write",
    ["dd", (a) => a.some((word) => word.startsWith("of=") && isDevice(word.slice(3)))],
    ["tee,sponge", (a) => a.some(isDevice)],
    ["cp,mv,install,ddrescue", (a) => isDevice(a.operands.at(-1) ?? "")],
    ["cp,mv,install", (a) => isDevice(a.value("t", "target-directory") ?? "")],
    ["mkfs,mke2fs,mkswap,mkntfs,mkdosfs,newfs,blkdiscard,zerofree"],
    ["lvremove,vgremove,pvremove,pvcreate,cfdisk,gdisk,diskpart"],
    ["wipefs", (a) => a.has("ao", "all", "offset") && !a.excused("n", "afq", "no-act")],
    ["fdisk,sfdisk", (a) => !a.has("ldJ", "list", "dump", "json")],
    ["sgdisk", (a) => !a.has("pi", "print", "info")],
    ["parted", (a) => !a.has("l", "list") && !a.some(/^print$/)],
    ["diskutil", (a) => a.some(/^(?:erase|zero|random|partition|delete|reformat)/i)],
    ["hdparm", (a) => a.begins("security-") || a.begins("trim-")],
    ["nvme", (a) => a.first("format", "sanitize")],
    ["cryptsetup", (a) => a.first("luksFormat", "luksErase", "erase")],
    ["zpool,zfs", (a) => a.first("destroy", "labelclear")],
    ["mdadm", (a) => a.begins("zero-superblock")],
    ["format", (a) => a.some(/^[A-Za-z]:$/)],
    ["format-volume,clear-disk,initialize-disk,remove-partition"],
  ],
  [
    "root-permissions",
    ["chmod,chown,chgrp,chattr,setfacl,chflags", (a) => a.has("R", "recursive") && a.some(isRoot)],
    ["chmod", (a) => a.some(isOpenToAll) && a.operands.slice(1).some(isRoot)],
  ],
  [
    "system-control",
    ["shutdown", (a) => !a.has("ck", "cancel")],
    ["reboot,halt,poweroff,killall5,stop-computer,restart-computer"],
    ["init,telinit", (a) => a.first("0", "1", "6", "s", "S")],
    ["systemctl,loginctl", (a) => a.first("poweroff", "reboot", "halt", "kexec", "rescue")],
    ["kill", (a) => a.words.indexOf("-1", 1) > 0],
    ["crontab", "r"],
  ],
  [
    "git-discard",
    ["git clean", (a) => a.has("f", "force") && !a.excused("n", "dfxXq", "dry-run")],
    ["git reset", "- hard"],
    ["git checkout", "f force"],
    ["git checkout,git restore", discardsTree],
    ["git switch", "f force discard-changes"],
    ["git stash", (a) => a.first("drop", "clear")],
    ["git worktree", (a) => a.first("remove") && a.has("f", "force")],
    ["git submodule", (a) => a.first("deinit") && a.has("f", "force")],
  ],
  [
    "git-history",
    ["git push", rewritesRemote],
    ["git branch", (a) => a.has("D") || (a.has("d", "delete") && a.has("f", "force"))],
    ["git filter-branch,git filter-repo,bfg"],
    ["git reflog", (a) => a.first("expire", "delete")],
    ["git gc", (a) => /^(?:now|all)/.test(a.value("", "prune") ?? "")],
    ["git update-ref", "d"],
    ["gh", (a) => a.first("repo") && a.operands[1] === "delete"],
  ],
];

const RULES: ReadonlyMap<string, [RuleName, Test][]> = indexRules();

function indexRules(): Map<string, [RuleName, Test][]> {
  const rules = new Map<string, [RuleName, Test][]>();
  for (const [rule, ...rows] of TABLE) {
    for (const [commands, test = () => true] of rows) {
      for (const command of commands.split(",")) {
        const known = rules.get(command) ?? [];
        rules.set(command, [...known, [rule, typeof test === "string" ? given(test) : test]]);
      }
    }
  }
  return rules;
}

/** The test of a row whose options are written as text. */
function given(options: string): Test {
  const [letters, ...longs] = options.split(" ");
  return (a) => a.has(letters.replace("-", ""), ...longs);
}

/** What PowerShell calls `Remove-Item`, and what runs text there. */
const POWERSHELL_REMOVAL = names("rm ri rd rmdir del erase");
const POWERSHELL_EVALUATION = names("iex invoke-expression");

// ---------------------------------------------------------------------------------------------
// From words to findings

/** What a command gets on its standard input: a text, or the output of the commands before it. */
interface Feed {
  text?: string;
  command?: Command;
  before?: Feed;
  /** Whether something in it comes from another machine. */
  isDownload: boolean;
}

/** Where a command stands. */
interface Context {
  feed?: Feed;
  /** The pipeline that the feed comes from, as it is written. */
  pipeline?: string;
  /** Whether it runs once for each of a list of names. */
  bulk: boolean;
  /** How many texts it stands in. */
  rereading: number;
  /** The command to show instead of what is found within it. */
  within?: string;
  powershell?: boolean;
}

/** A command without the programs that only run it: `sudo`, `env`, `xargs` … */
interface Unwrapped {
  words: readonly Word[];
  /** The wrapper whose rest is text for a shell. */
  joining?: Wrapper;
  /** Values of options that are commands as text. */
  texts: Word[];
  bulk: boolean;
}

/** Takes the wrappers off a command. */
function unwrap(words: readonly Word[]): Unwrapped {
  const texts: Word[] = [];
  let bulk = false;
  let at = 0;
  for (;;) {
    const found = wrapperAt(words, at);
    if (found === undefined) return { words: words.slice(at), texts, bulk };
    const { wrapper } = found;
    bulk ||= wrapper.bulk ?? false;
    at = commandAfter(words, found.next, wrapper, texts);
    if (wrapper.joins) return { words: words.slice(at), joining: wrapper, texts, bulk };
  }
}

function wrapperAt(
  words: readonly Word[],
  at: number,
): { wrapper: Wrapper; next: number } | undefined {
  if (at >= words.length) return undefined;
  let key = nameOf(words[at]);
  for (let next = at + 1; next <= at + 3; next++) {
    const wrapper = WRAPPERS.get(key);
    if (wrapper !== undefined) return { wrapper, next };
    if (next >= words.length || key.length > 20) return undefined;
    key += ` ${words[next].text}`;
  }
}

/** Where the command begins that a wrapper runs. */
function commandAfter(
  words: readonly Word[],
  from: number,
  wrapper: Wrapper,
  texts: Word[],
): number {
  let operands = wrapper.operands ?? 0;
  let at = from;
  for (; at < words.length; at++) {
    const { text } = words[at];
    if (text === "--") {
      if (operands === 0) return at + 1;
    } else if (text.startsWith("--")) {
      const [name, value] = text.slice(2).split("=", 2);
      const isText = wrapper.text !== undefined && /^(?:command|split-string|call)$/.test(name);
      if (isText) texts.push(value === undefined ? words[++at] ?? newWord("") : newWord(value));
      else if (value === undefined && takesValue(wrapper, name)) at++;
    } else if (/^-[^-]/.test(text)) {
      const letters = text.slice(1, 40);
      const valueAt = [...letters].findIndex((letter) =>
        `${wrapper.values ?? ""}${wrapper.text ?? ""}`.includes(letter)
      );
      const flags = valueAt < 0 ? letters : letters.slice(0, valueAt);
      if ([...flags].some((letter) => wrapper.stops?.includes(letter))) return words.length;
      if (valueAt < 0) continue;
      const rest = text.slice(valueAt + 2);
      const value = rest === "" ? words[++at] ?? newWord("") : newWord(rest);
      if (letters[valueAt] === wrapper.text) texts.push(value);
    } else if (ASSIGNMENT.test(text.slice(0, 200)) && operands === 0) continue;
    else if (operands-- === 0) return at;
  }
  return at;
}

function takesValue(wrapper: Wrapper, name: string): boolean {
  if (wrapper.longFlags !== undefined) return !wrapper.longFlags.has(name);
  return wrapper.longValues?.has(name) ?? false;
}

/** Whether a command gets something from another machine, itself or in a part of it. */
function isDownload(command: Command): boolean {
  if (command.isDownload !== undefined) return command.isDownload;
  const { words } = unwrap(command.words);
  command.isDownload = (words.length > 0 && DOWNLOADERS.has(nameOf(words[0]))) ||
    command.bodies.some(hasDownload) ||
    command.words.some(({ scripts }) => scripts.some(hasDownload));
  return command.isDownload;
}

function hasDownload(script: Script): boolean {
  return script.some(({ commands }) => commands.some(isDownload));
}

/** Whether a program writes what is meant to be run by the shell that starts it. */
function writesSetup(words: readonly Word[]): boolean {
  return words.length > 0 &&
    (SHELL_SETUP.has(nameOf(words[0])) || words[1]?.text.startsWith("completion"));
}

/** What a list of commands writes, as the input of what follows. */
function feedFrom(commands: readonly Command[], feed?: Feed): Feed | undefined {
  for (const command of commands) {
    feed = {
      command,
      before: feed,
      isDownload: (feed?.isDownload ?? false) || isDownload(command),
    };
  }
  return feed;
}

/** Whether the commands of a function start the function itself, twice or in the background. */
function multiplies(script: Script, name: string): boolean {
  return script.some(({ commands, background }) => {
    const calls = commands.filter(({ words }) => words[0]?.text === name).length;
    return calls > 1 || (calls > 0 && background) ||
      commands.some(({ bodies }) => bodies.some((body) => multiplies(body, name)));
  });
}

const ANY_EXPANSION = /\$(?:\w+|[@*#?!$-]|\{[^}]{0,100}\})|\{\}/g;
const ONE_VARIABLE = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/;
const MAX_VALUE = 2000;

/** Walks through commands and collects what a person should be asked about. */
class Inspection {
  readonly findings: Finding[] = [];
  /** All commands, each with blanks between its words, for the patterns of the options. */
  readonly commands: string[] = [];
  readonly #seen = new Map<RuleName, Set<string>>();
  readonly #variables = new Map<string, Word>();
  /** Files that were downloaded in this command, and files that were written with a known text. */
  readonly #downloads = new Set<string>();
  readonly #written = new Map<string, string>();

  /** How many characters may be read, in all: a text may be run again and again. */
  #budget: number;

  constructor(length: number) {
    this.#budget = 20 * length + 10_000;
  }

  /** Looks into shell text. */
  text(source: string, context: Context): void {
    this.#budget -= source.length;
    if (this.#budget < 0) {
      return this.#add("unreadable", source.trim(), context, "it runs too much text");
    }
    if (context.powershell) return this.#powershell(source, context);
    const reader = new Reader(source, context.rereading);
    const script = reader.read();
    if (reader.problem !== undefined) {
      this.#add("unreadable", source.trim(), context, reader.problem);
    }
    this.#script(script, context);
  }

  /** Looks into a command that is a list of words already. */
  argv(texts: readonly string[], context: Context): void {
    if (texts.length === 0) return;
    this.#call(texts.map(newWord), texts.map(quote).join(" "), context);
  }

  #add(rule: RuleName, part: string, { within }: Context, detail?: string): void {
    const shown = within ?? part;
    const seen = this.#seen.get(rule) ?? new Set();
    if (seen.has(shown)) return;
    this.#seen.set(rule, seen.add(shown));
    const reason = detail === undefined ? REASONS[rule] : `${REASONS[rule]}: ${detail}`;
    this.findings.push({ rule, reason, part: shown });
  }

  #script(script: Script, context: Context): void {
    for (const { commands, background } of script) {
      const whole = commands[0].source.slice(commands[0].start, commands.at(-1)?.end);
      const pipeline = commands.length > 1 ? whole : context.pipeline;
      let feed = context.feed;
      for (const [index, command] of commands.entries()) {
        this.#command(command, { ...context, feed, pipeline });
        if (index < commands.length - 1) feed = feedFrom([command], feed);
      }
      const itself = commands.filter(({ words }) => words[0]?.text === "$0").length;
      if (itself > 1 || (itself > 0 && background)) this.#add("fork-bomb", whole, context);
    }
  }

  #command(command: Command, outer: Context): void {
    const part = command.source.slice(command.start, command.end);
    const feed = this.#feedOf(command.redirects, outer.feed);
    const context = feed === outer.feed ? outer : { ...outer, feed, pipeline: part };
    this.#scriptsIn(command.words, outer);
    this.#scriptsIn(command.assignments, outer);
    this.#scriptsIn(command.others, outer);
    for (const { operator, target } of command.redirects) {
      this.#scriptsIn([target], outer);
      if (!operator.includes(">")) continue;
      if (isDevice(target.text)) this.#add("disk-write", part, context);
      if (outer.feed?.isDownload || isDownload(command)) this.#remember(target.text);
      const text = command.words[0]?.text === "cat" ? feed?.text : spoken(command.words);
      if (text === undefined) continue;
      const file = normalise(target.text);
      const before = operator.includes(">>") ? this.#written.get(file) ?? "" : "";
      this.#written.set(file, `${before}${text}\n`);
    }
    for (const body of command.bodies) {
      this.#script(body, context);
      if (command.functionName !== undefined && multiplies(body, command.functionName)) {
        this.#add("fork-bomb", part, context);
      }
    }
    for (const word of command.assignments) this.#assign(word);
    if (command.words.length > 0) {
      this.#call(command.words.flatMap((word) => this.#resolve(word)), part, context);
    }
  }

  #scriptsIn(words: readonly Word[], context: Context): void {
    for (const { scripts } of words) {
      for (const script of scripts) {
        this.#script(script, { ...context, feed: undefined, pipeline: undefined });
      }
    }
  }

  #feedOf(redirects: readonly Redirect[], inherited: Feed | undefined): Feed | undefined {
    let feed = inherited;
    for (const { operator, target, body } of redirects) {
      const isDownload = target.scripts.some(hasDownload);
      if (operator === "<<<") feed = { text: target.text, isDownload };
      else if (operator.startsWith("<<")) feed = { text: body ?? "", isDownload };
      else if (operator === "<" || operator === "<>") {
        const source = target.scripts[0]?.at(-1)?.commands;
        feed = source !== undefined
          ? feedFrom(source)
          : this.#downloads.has(normalise(target.text))
          ? { text: "", isDownload: true }
          : undefined;
      }
    }
    return feed;
  }

  #remember(file: string): void {
    if (!file.startsWith("/dev/") && file !== "-") this.#downloads.add(normalise(file));
  }

  #assign(word: Word): void {
    const match = ASSIGNMENT.exec(word.text.slice(0, 200));
    if (match === null) return;
    const value = { ...word, text: word.text.slice(match[0].length) };
    const known = this.#variables.get(match[1]);
    // Which of two values it has when it is used, only the shell knows.
    if (known !== undefined && known.text !== value.text) {
      value.text = `$${match[1]}`;
      value.dynamic = true;
    }
    this.#variables.set(match[1], value);
  }

  /** The value of a variable that was set in the same command, if it is known and short. */
  #value(name: string): Word | undefined {
    const value = this.#variables.get(name);
    return value !== undefined && value.text.length <= MAX_VALUE ? value : undefined;
  }

  /** Puts in the values of variables. */
  #resolve(word: Word): Word[] {
    if (!word.dynamic || word.text.length > MAX_VALUE || this.#variables.size === 0) return [word];
    const match = ONE_VARIABLE.exec(word.text);
    if (match !== null) {
      const value = this.#value(match[1] ?? match[2]);
      if (value === undefined) return [word];
      if (value.dynamic || word.quoted) return [value];
      return value.text.split(/\s+/).filter((text) => text !== "").map(newWord);
    }
    let room = MAX_VALUE;
    const text = word.text.replace(/\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g, (all, a, b) => {
      const value = this.#value(a ?? b);
      if (value === undefined || value.dynamic || value.text.length > room) return all;
      room -= value.text.length;
      return value.text;
    });
    return [{ ...word, text, dynamic: text.includes("$") || text.includes("`") }];
  }

  /** Judges one command. */
  #call(given: readonly Word[], part: string, context: Context): void {
    this.commands.push(given.map(({ text }) => text).join(" "));
    const { words, joining, texts, bulk } = unwrap(given);
    let inner = context;
    if (bulk) inner = { ...context, feed: undefined, bulk };
    if (bulk || joining?.away) inner = { ...inner, within: context.within ?? part };
    const rest = words.map(({ text }) => text);
    for (const word of texts) this.#runText([word, ...words], part, inner);
    if (words.length === 0) {
      // Without a command these read commands.
      if (/^(?:sudo|su|doas|ssh|parallel)$/.test(nameOf(given[0])) && texts.length === 0) {
        this.#runInput(part, { ...inner, feed: context.feed });
      }
      return;
    }
    if (joining) {
      const end = joining.bulk ? rest.findIndex((text) => text.startsWith(":::")) : -1;
      if (end === 0) { for (const word of words.slice(1)) this.#runText([word], part, inner); }
      else this.#runText(end < 0 ? words : words.slice(0, end), part, inner);
      return;
    }
    this.#runProgram(words, rest, part, inner);
  }

  #runProgram(words: readonly Word[], texts: string[], part: string, context: Context): void {
    let name = nameOf(words[0]);
    if (words[0].dynamic || (words[0].pattern && texts[0] !== "[")) {
      if (words[0].scripts.some(hasDownload)) this.#add("download-into-shell", part, context);
      const visible = name.replace(ANY_EXPANSION, "");
      if (visible !== name && RULES.has(visible)) name = visible;
      else if (this.#looksLikeRemoval(texts.slice(1))) this.#add("unseen-command", part, context);
    }
    if (texts[0].includes("/")) this.#runFile(words[0], part, context);
    if (context.powershell && POWERSHELL_REMOVAL.has(name)) {
      this.#judge("remove-item", texts.slice(1), part, context);
    }
    const operand = words.slice(1).find(({ text }) => !/^-./.test(text));
    if (SHELLS.has(name)) this.#shell(words, part, context);
    else if (name === "eval") {
      this.#runText(words.slice(texts[1] === "--" ? 2 : 1), part, context, true);
    } else if (name === "source" || name === ".") this.#runFile(operand, part, context);
    else if (name === "trap" && operand) this.#runText([operand], part, context);
    else if (name === "find" || name === "fd") this.#find(words, part, context);
    else if (name === "git") this.#git(words, part, context);
    else if (name === "cmd") this.#windowsShell(texts, part, context);
    else if (name === "powershell" || name === "pwsh") this.#powershellCall(texts, part, context);
    else if (DECLARATIONS.has(name)) { for (const word of words.slice(1)) this.#assign(word); }
    else if (DOWNLOADERS.has(name)) this.#rememberDownload(name, texts.slice(1));
    else if (INTERPRETERS.has(name.replace(/[\d.]+$/, ""))) {
      this.#interpreter(name.replace(/[\d.]+$/, ""), words, part, context);
    } else if (name === "tee" && context.feed?.isDownload) {
      for (const file of texts.slice(1)) this.#remember(file);
    }
    this.#judge(name.replace(/^(mkfs|newfs)[._].*/, "$1"), texts.slice(1), part, context);
  }

  /** Asks the table. */
  #judge(name: string, texts: readonly string[], part: string, context: Context): void {
    const rules = RULES.get(name);
    if (rules === undefined) return;
    if (texts.length === 1 && /^(?:--help|--version|-h|-V|-\?|\/\?)$/.test(texts[0])) return;
    const given = new Arguments(texts, context.bulk);
    for (const [rule, test] of rules) if (test(given)) this.#add(rule, part, context);
  }

  #looksLikeRemoval(texts: readonly string[]): boolean {
    const given = new Arguments(texts.filter((text) => /^(?:-[dfiIrRv]+|--.*)$/.test(text)));
    return (given.has("rR", "recursive") && given.has("f", "force")) ||
      given.begins("no-preserve-root") || texts.includes("-delete");
  }

  /** Words that are joined and read again: `eval`, `sh -c`, `ssh host`. */
  #runText(words: readonly Word[], part: string, context: Context, isEval = false): void {
    const text = words.map((word) => word.text).join(" ").trim();
    const scripts = words.flatMap((word) => word.scripts);
    if (scripts.some(hasDownload)) return this.#add("download-into-shell", part, context);
    if (/^(?:\$\(|`)/.test(text) && words[0].scripts.length > 0) {
      if (this.#writesKnownScript(words[0].scripts[0])) return;
      if (isEval || /[)`]$/.test(text)) return this.#add("unseen-script", part, context);
    }
    const visible = text.replace(ANY_EXPANSION, (all) => {
      const match = ONE_VARIABLE.exec(all);
      return this.#value(match?.[1] ?? match?.[2] ?? "")?.dynamic === false ? "known" : "";
    });
    const isUnseen = /^["'\s]*$/.test(visible) || (isEval && /^["']?\$[\w{@*]/.test(text));
    if (isUnseen && !/^["'\s]*$/.test(text)) return this.#add("unseen-script", part, context);
    this.text(text, { ...context, rereading: context.rereading + 1 });
  }

  /** Whether a substitution shows a file, or what a program has for the shell that starts it. */
  #writesKnownScript(script: Script): boolean {
    return script.every(({ commands }) =>
      commands.every(({ words }) => {
        const name = words.length > 0 ? nameOf(words[0]) : "";
        return name === "cat" || writesSetup(words);
      })
    );
  }

  /** `sh`, `bash` and their kin. */
  #shell(words: readonly Word[], part: string, context: Context): void {
    let isText = false;
    for (let at = 1; at < words.length; at++) {
      const { text } = words[at];
      if (/^[-+]./.test(text) && text !== "--") {
        if (/^--(?:rcfile|init-file)$/.test(text)) at++;
        if (text.startsWith("--")) continue;
        if (text.startsWith("-")) isText ||= text.includes("c");
        if (text.startsWith("-") && text.includes("s")) return this.#runInput(part, context);
        if (/[oO]$/.test(text)) at++;
        continue;
      }
      if (text === "--") continue;
      if (isText) return this.#runText([words[at]], part, context);
      return this.#runFile(words[at], part, context);
    }
    this.#runInput(part, context);
  }

  /** A file that is run as a script: on disk it is not seen, unless it is no real file. */
  #runFile(file: Word | undefined, part: string, context: Context): void {
    if (file === undefined) return;
    if (/^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(file.text)) {
      this.#runInput(part, context);
    } else if (file.scripts.some(hasDownload) || this.#downloads.has(normalise(file.text))) {
      this.#add("download-into-shell", part, context);
    } else if (this.#written.has(normalise(file.text))) {
      const text = this.#written.get(normalise(file.text)) ?? "";
      // Once is enough, and a script may call itself.
      this.#written.delete(normalise(file.text));
      this.#runText([newWord(text)], part, context);
    } else if (file.text.startsWith("<(")) {
      this.#runFeed(feedFrom(file.scripts[0]?.at(-1)?.commands ?? []), part, context);
    }
  }

  #runInput(part: string, context: Context): void {
    this.#runFeed(context.feed, part, context);
  }

  /** A shell, or an interpreter with `run`, that reads what to do from its input. */
  #runFeed(
    feed: Feed | undefined,
    part: string,
    context: Context,
    run: (text: string) => void = (text) => this.#runText([newWord(text)], part, context),
  ): void {
    const inner = { ...context, feed: undefined };
    const whole = context.pipeline ?? part;
    if (feed?.isDownload) return this.#add("download-into-shell", whole, context);
    for (let source = feed; source !== undefined; source = source.before) {
      if (source.text !== undefined) return run(source.text);
      const command = source.command;
      if (command === undefined) return;
      for (const { commands } of command.bodies.flat()) {
        this.#runFeed(feedFrom(commands), part, inner, run);
      }
      if (command.bodies.length > 0) return;
      const own = this.#feedOf(command.redirects, undefined);
      const { words } = unwrap(command.words.flatMap((word) => this.#resolve(word)));
      const name = words.length > 0 ? nameOf(words[0]) : "";
      const text = spoken(words);
      if (text !== undefined) return run(text);
      if (name !== "cat" && name !== "tee" && !writesSetup(words)) {
        return this.#add("unseen-script", whole, context);
      }
      if (own !== undefined) return this.#runFeed(own, part, inner, run);
      if (name === "cat" && words.slice(1).some(({ text }) => !text.startsWith("-"))) return;
    }
  }

  #interpreter(name: string, words: readonly Word[], part: string, context: Context): void {
    const letters = INTERPRETERS.get(name) ?? "";
    const code = (text: string): void => this.#code(text, part, context);
    for (let at = 1; at < words.length; at++) {
      const { text } = words[at];
      const isCode = /^-[A-Za-z]/.test(text) && [...letters].some((l) => text.includes(l));
      if (isCode || /^--(?:eval|print)/.test(text) || (name === "deno" && text === "eval")) {
        const program = words[at + 1] ?? newWord("");
        if (program.scripts.some(hasDownload)) this.#add("download-into-shell", part, context);
        return code(`${text} ${program.text}`);
      }
      if (text === "-") break;
      if (!text.startsWith("-")) return this.#runFile(words[at], part, context);
    }
    if (!words.some(({ text }) => /^--?(?:V|v|version|h|help)$/.test(text))) {
      this.#runFeed(context.feed, part, context, code);
    }
  }

  /** Code of another language is not understood, only searched for well-known calls. */
  #code(code: string, part: string, context: Context): void {
    if (REMOVAL_CALL.test(code)) this.#add("inline-code", part, context);
    if (!SHELL_CALL.test(code)) return;
    const texts = quotedTexts(code);
    const inner = new Inspection(code.length);
    for (const [index, text] of texts.entries()) {
      const quoted = { bulk: false, rereading: context.rereading + 1 };
      inner.text(text, quoted);
      if (RULES.has(text)) inner.argv(texts.slice(index, index + 8), quoted);
    }
    const isRemoval = inner.findings.some(({ rule }) => rule !== "unreadable");
    if (isRemoval) this.#add("inline-code", part, context);
  }

  #find(words: readonly Word[], part: string, context: Context): void {
    for (let at = 1; at < words.length; at++) {
      const { text } = words[at];
      if (text === "-delete") this.#add("recursive-removal", part, context);
      if (!/^-(?:exec|execdir|ok|okdir|[xX]|-exec|-exec-batch)$/.test(text)) continue;
      const start = at + 1;
      while (at < words.length && !this.#endsExec(words, at)) at++;
      if (context.rereading >= MAX_REREADING) {
        return this.#add("unreadable", part, context, "it is nested too deeply");
      }
      const inner = { bulk: true, rereading: context.rereading + 1, within: part };
      if (start < at) this.#call(words.slice(start, at), part, { ...context, ...inner });
    }
  }

  #endsExec(words: readonly Word[], at: number): boolean {
    return words[at].text === ";" || (words[at].text === "+" && words[at - 1].text === "{}");
  }

  #git(words: readonly Word[], part: string, context: Context): void {
    const extra: string[] = [];
    let at = 1;
    for (; at < words.length && words[at].text.startsWith("-"); at++) {
      const { text } = words[at];
      if (text === "-c") {
        const setting = words[at + 1]?.text ?? "";
        const command = /^alias\.[^=]*=\s*!([^]*)$/i.exec(setting)?.[1];
        if (command !== undefined) this.#runText([newWord(command)], part, context);
        if (/^clean\.requireforce=(?:false|no|off|0)$/i.test(setting)) extra.push("--force");
      }
      if (/^(?:-C|-c|--git-dir|--work-tree|--namespace|--config-env|--attr-source)$/.test(text)) {
        at++;
      }
    }
    const subcommand = words[at]?.text ?? "";
    const rest = words.slice(at + 1);
    const texts = [...extra, ...rest.map(({ text }) => text)];
    const given = new Arguments(texts);
    const rereading = context.rereading + 1;
    if (subcommand === "submodule" && given.first("foreach")) {
      this.#runText(rest.filter(({ text }) => !/^(?:-.*|foreach)$/.test(text)), part, context);
    } else if (subcommand === "bisect" && given.first("run")) {
      if (rereading > MAX_REREADING) return;
      this.#call(rest.slice(1), part, { ...context, rereading });
    } else if (subcommand === "rebase") {
      const command = given.value("x", "exec");
      if (command !== undefined) this.#runText([newWord(command)], part, context);
    }
    this.#judge(`git ${subcommand}`, texts, part, context);
  }

  #rememberDownload(name: string, texts: readonly string[]): void {
    const given = new Arguments(texts);
    const isWget = name === "wget";
    const file = given.value(isWget ? "O" : "o", isWget ? "output-document" : "output");
    if (file !== undefined) this.#remember(file);
    if (!isWget && !given.has("O", "remote-name")) return;
    const address = given.operands.find((operand) => operand.includes("/")) ?? "";
    const path = address.split(/[?#]/, 1)[0];
    this.#remember(path.slice(path.lastIndexOf("/") + 1));
  }

  /** `cmd /c …`, whose words are not those of a shell of Unix. */
  #windowsShell(texts: readonly string[], part: string, context: Context): void {
    const at = texts.findIndex((text) => /^\/[ckr]$/i.test(text));
    if (at >= 0) this.#nestedPowershell(texts.slice(at + 1).join(" "), part, context);
  }

  #powershellCall(texts: readonly string[], part: string, context: Context): void {
    for (let at = 1; at < texts.length; at++) {
      const option = texts[at].toLowerCase();
      if (option.length > 1 && ("-encodedcommand".startsWith(option) || option === "-ec")) {
        return this.#add("unseen-script", part, context);
      }
      if (option === "-file" || option === "-f") return;
      const isCommand = option.length > 1 && "-command".startsWith(option);
      if (isCommand || !option.startsWith("-")) {
        const command = texts.slice(isCommand ? at + 1 : at).join(" ");
        return this.#nestedPowershell(command, part, context);
      }
      if (/^-(?:ex|ep|v|w|i|inp|o|conf)/.test(option) && !/^-(?:inter)/.test(option)) at++;
    }
    this.#runFeed(
      context.feed,
      part,
      context,
      (text) => this.#nestedPowershell(text, part, context),
    );
  }

  #nestedPowershell(text: string, part: string, context: Context): void {
    const rereading = context.rereading + 1;
    if (rereading > MAX_REREADING) {
      return this.#add("unreadable", part, context, "it is nested too deeply");
    }
    this.#powershell(text, { ...context, rereading, feed: undefined, powershell: true });
  }

  #powershell(source: string, context: Context): void {
    const commands = powershellCommands(source).filter((words) => words.length > 0);
    const called = commands.map((words) => nameOf(words[0]));
    const isFromAway = called.some((name) => DOWNLOADERS.has(name)) ||
      /\.Download(?:String|File|Data)\b/i.test(source);
    for (const [index, words] of commands.entries()) {
      this.#call(words, words.map(({ text }) => text).join(" "), context);
      if (!POWERSHELL_EVALUATION.has(called[index])) continue;
      if (isFromAway) this.#add("download-into-shell", source, context);
      else if (words.length === 1 || words[1].text.startsWith("$")) {
        this.#add("unseen-script", source, context);
      } else this.#nestedPowershell(words[1].text, source, context);
    }
  }
}

/** The texts in quotes of some code. */
function quotedTexts(code: string): string[] {
  const texts: string[] = [];
  for (let at = 0; at < code.length; at++) {
    if (!"\"'`".includes(code[at])) continue;
    const end = closingQuote(code, at + 1, code[at]);
    if (end < 0) return texts;
    texts.push(code.slice(at + 1, end));
    at = end;
  }
  return texts;
}

/** Divides PowerShell text into commands and words; simple forms only. */
function powershellCommands(text: string): Word[][] {
  const commands: Word[][] = [[]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)?.push(newWord(word));
    word = undefined;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "`") {
      at++;
      if (!/\r?\n/y.test(text.slice(at, at + 2))) word = (word ?? "") + (text[at] ?? "");
    } else if (character === "'" || character === '"') {
      let end = text.indexOf(character, at + 1);
      if (end < 0) end = text.length;
      word = (word ?? "") + text.slice(at + 1, end);
      at = end;
    } else if (character === "#" && word === undefined) {
      const end = text.indexOf("\n", at);
      at = (end < 0 ? text.length : end) - 1;
    } else if (";|&(){}\n".includes(character)) {
      endWord();
      commands.push([]);
    } else if (/[\s,]/.test(character)) endWord();
    else word = (word ?? "") + character;
  }
  endWord();
  return commands;
}

/** Writes a word so that a shell reads it as one word. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Reads a command and says what in it a person should be asked about. It runs nothing, never
 * throws, and takes time in proportion to the length of the command.
 *
 * @param command The text of a command, or its words.
 * @param shell Whose text it is. The simple forms of PowerShell are read; Unix shells in full.
 * @returns What was found, in the order in which it stands there; nothing for a harmless command.
 *
 * @example
 * ```ts
 * import { inspectCommand } from "@pi-hooks/core/hooks/permission-gate";
 *
 * const [finding] = inspectCommand('cd /tmp && sudo r""m -Rf build');
 * if (finding.rule !== "recursive-removal") throw new Error("not seen");
 * if (inspectCommand('git commit -m "no more rm -rf"').length > 0) throw new Error("no removal");
 * ```
 */
export function inspectCommand(
  command: string | readonly string[],
  shell: "unix" | "powershell" = "unix",
): Finding[] {
  return inspect(command, shell === "powershell").findings;
}

function inspect(command: string | readonly string[], powershell: boolean): Inspection {
  const length = typeof command === "string" ? command.length : command.join(" ").length;
  const inspection = new Inspection(length);
  const context: Context = { bulk: false, rereading: 0, powershell };
  if (typeof command === "string") inspection.text(command, context);
  else {
    inspection.argv(command, context);
    // Some agents put the whole text into a list of one.
    if (command.length === 1 && /\s/.test(command[0])) inspection.text(command[0], context);
  }
  return inspection;
}

// ---------------------------------------------------------------------------------------------
// The gate

const SHELL_TOOLS = names(
  "bash sh zsh fish shell terminal console exec execute run powershell pwsh cmd command commands",
);
const COMMAND_FIELDS = names("command cmd commands script commandline shellcommand");
const KEYBOARD_FIELDS = names("chars keys");
const MAX_SHOWN_COMMAND = 20_000;
const MAX_SHOWN_PART = 200;
const BLOCK = "Block it";
const ALLOW = "Allow it once";

/** What a tool call wants to run. */
interface Wanted {
  /** Texts of commands, or lists of words. */
  commands: (string | string[])[];
  powershell: boolean;
  /** Whether it is typed into a program that runs already, so that it may be no command at all. */
  isTyped: boolean;
  /** Why it cannot be judged. */
  problem?: string;
}

/** What a call wants to run; `undefined` if the tool is no shell, or has nothing to run. */
function commandsOf(toolName: unknown, input: unknown): Wanted | undefined {
  if (typeof toolName !== "string" || typeof input !== "object" || input === null) return undefined;
  const words = (toolName.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [])
    .map((word) => word.toLowerCase());
  const isTyped = words.includes("stdin") || words.includes("keys");
  if (!isTyped && !words.some((word) => SHELL_TOOLS.has(word))) return undefined;
  const fields = new Map(
    Object.entries(input).map(([name, value]) => [name.toLowerCase().replace(/[_-]/g, ""), value]),
  );
  const wanted: Wanted = {
    commands: [],
    powershell: /powershell|pwsh/i.test(`${toolName} ${String(fields.get("shell"))}`),
    isTyped,
  };
  for (const field of isTyped ? KEYBOARD_FIELDS : COMMAND_FIELDS) {
    const value: unknown = fields.get(field);
    if (value === undefined || value === null) continue;
    const texts = typeof value === "string" ? [value] : value;
    if (!Array.isArray(texts) || texts.some((text) => typeof text !== "string")) {
      wanted.problem = `"${field}" is neither text nor a list of texts`;
    } else if (typeof value !== "string" && field !== "commands") {
      wanted.commands.push(texts);
    } else {
      const words: unknown = field === "command" ? fields.get("args") : undefined;
      const hasWords = Array.isArray(words) && words.length > 0;
      if (hasWords) wanted.commands.push([...texts, ...words.map(String)]);
      else wanted.commands = wanted.commands.concat(texts);
    }
  }
  return wanted.commands.length > 0 || wanted.problem !== undefined ? wanted : undefined;
}

/** Makes every character visible that a terminal would hide, or take as an order. */
function visible(text: string): string {
  return text.replace(
    /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu,
    (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      return `<U+${code}>`;
    },
  );
}

function describe({ reason, part }: Finding): string {
  const end = part.length > MAX_SHOWN_PART ? "…" : "";
  const shown = visible(part.slice(0, MAX_SHOWN_PART)).replaceAll("\n", " ⏎ ") + end;
  return `${reason} ("${shown}")`;
}

function block(findings: readonly Finding[], why: string): ToolCallEventResult {
  const more = findings.length > 5 ? ` and ${findings.length - 5} more` : "";
  const reasons = findings.slice(0, 5).map(describe).join("; ");
  return { block: true, reason: `permission-gate: ${reasons}${more} — ${why}` };
}

async function askPerson(
  command: string,
  findings: readonly Finding[],
  ctx: HookContext,
): Promise<ToolCallEventResult | undefined> {
  if (command.length > MAX_SHOWN_COMMAND) {
    return block(
      findings,
      `the command has ${command.length} characters, too many to show to a person; divide it`,
    );
  }
  // Indented, the command stays as it is where questions are drawn as Markdown.
  const shown = visible(command).split("\n").map((line) => `    ${line}`).join("\n");
  const reasons = findings.map((finding) => `- ${describe(finding)}`).join("\n");
  const question = `Run this command?\n\n${shown}\n\n${reasons}\n`;
  const answer = await ctx.ui.select(question, [BLOCK, ALLOW]);
  if (answer === ALLOW) return undefined;
  return block(findings, answer === BLOCK ? "the person said no" : "the person gave no answer");
}

/** Compiles patterns; `whole`: they must cover all of a text. */
function matcher(
  option: string,
  patterns: readonly CommandPattern[] = [],
  whole: boolean,
): (text: string) => boolean {
  const tests = [...patterns].map((pattern): (text: string) => boolean => {
    if (typeof pattern === "function") return (text) => pattern(text) === true;
    if (typeof pattern === "string" && pattern.trim() !== "") {
      const wanted = pattern.trim();
      return (text) => whole ? text.trim() === wanted : text.includes(wanted);
    }
    if (pattern instanceof RegExp) {
      const source = whole ? `(?<![^])(?:${pattern.source})(?![^])` : pattern.source;
      const expression = new RegExp(source, pattern.flags.replace(/[gy]/g, ""));
      return (text) => expression.test(whole ? text.trim() : text);
    }
    throw new TypeError(
      `permission-gate: "${option}" takes texts that are not empty, regular expressions and ` +
        `functions, not ${String(pattern)}`,
    );
  });
  return (text) => tests.some((test) => test(text));
}

/**
 * Makes the hook with rules of one's own. The order is: `deny` blocks, `allow` passes, then come
 * the table and `ask`: with a person there it asks, without one it blocks.
 *
 * It looks at the calls of every tool with a shell in its name (`bash`, `exec_command`,
 * `run_shell_command`, `PowerShell`, `mcp__x__shell` …), at the fields `command`, `cmd`,
 * `commands`, `script`, as text or as a list of words. A call without any of them has nothing to
 * run and passes. A command that is no text is treated as dangerous.
 *
 * The question shows the whole command, with control characters and invisible ones written out.
 * "Block it" stands first; no answer blocks.
 *
 * @param options What passes, what never does, what else to ask about.
 * @returns The default export of a hook file.
 * @throws {TypeError} If a pattern is none.
 *
 * @example A gate that never asks about the build folder
 * ```ts
 * import { createPermissionGate } from "@pi-hooks/core/hooks/permission-gate";
 *
 * export default createPermissionGate({ allow: ["rm -rf dist"], ask: [/\bterraform destroy\b/] });
 * ```
 */
export function createPermissionGate(options: PermissionGateOptions = {}): (pi: HookAPI) => void {
  const isAllowed = matcher("allow", options.allow, true);
  const isDenied = matcher("deny", options.deny, false);
  const isAsked = matcher("ask", options.ask, false);

  return (pi: HookAPI): void => {
    pi.on("tool_call", (event, ctx) => {
      const wanted = commandsOf(event.toolName, event.input);
      if (wanted === undefined) return undefined;
      const findings: Finding[] = [];
      for (const command of wanted.commands) {
        const text = typeof command === "string" ? command : command.map(quote).join(" ");
        const inspection = inspect(command, wanted.powershell);
        const texts = [text, ...inspection.commands];
        const denied = texts.find(isDenied);
        if (denied !== undefined) {
          const finding = {
            rule: "requested",
            reason: "a forbidden command",
            part: denied,
          } as const;
          return block([finding], "it is never allowed here");
        }
        if (isAllowed(text)) continue;
        for (const finding of inspection.findings) {
          if (wanted.isTyped && finding.rule === "unreadable") continue;
          if (!isAllowed(finding.part)) findings.push(finding);
        }
        const asked = texts.find(isAsked);
        if (asked !== undefined && !isAllowed(asked)) {
          findings.push({ rule: "requested", reason: REASONS.requested, part: asked });
        }
      }
      const whole = wanted.commands
        .map((command) => typeof command === "string" ? command : command.map(quote).join(" "))
        .join("\n");
      if (wanted.problem !== undefined) {
        const reason = `${REASONS.unreadable}: ${wanted.problem}`;
        findings.push({ rule: "unreadable", reason, part: whole });
      }
      if (findings.length === 0) return undefined;
      if (!ctx.hasUI) return block(findings, "no one can be asked");
      return askPerson(whole, findings, ctx);
    });
  };
}

/**
 * The hook with its table of rules, and nothing allowed or denied beside it.
 *
 * @param pi The API of the agent.
 */
export default function permissionGate(pi: HookAPI): void {
  createPermissionGate()(pi);
}

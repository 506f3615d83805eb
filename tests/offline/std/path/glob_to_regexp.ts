/**
 * Stand-in for `@std/path/posix/glob-to-regexp`, without the extended patterns: `+(a|b)` and the
 * like stand for themselves, as with `extended: false`.
 *
 * @module
 */

/** How a glob is read. */
export interface GlobOptions {
  /** Whether `@(a|b)` and the like are known; here it must be `false`. */
  extended?: boolean;
  /** Whether `**` means any number of folders; `true` by default. */
  globstar?: boolean;
  /** Do not tell upper from lower case; `false` by default. */
  caseInsensitive?: boolean;
}

/** The content of a range for each named class. */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: "\\dA-Za-z",
  alpha: "A-Za-z",
  ascii: "\x00-\x7F",
  blank: "\t ",
  cntrl: "\x00-\x1F\x7F",
  digit: "\\d",
  graph: "\x21-\x7E",
  lower: "a-z",
  print: "\x20-\x7E",
  punct: "!\"#$%&'()*+,\\-./:;<=>?@[\\\\\\]^_‘{|}~",
  space: "\\s\v",
  upper: "A-Z",
  word: "\\w",
  xdigit: "\\dA-Fa-f",
};

/** The regular expression that matches the whole paths that a glob means. */
export function globToRegExp(glob: string, options: GlobOptions = {}): RegExp {
  if (options.extended !== false) {
    throw new Error("The stand-in for globToRegExp knows only globs with extended: false");
  }
  if (glob === "") return /(?!)/;
  const { globstar = true } = options;
  const source = glob.replace(/(?<=.)\/+$/s, "");
  let text = "";
  for (let at = 0; at < source.length;) {
    const segment = readSegment(source, at, globstar);
    text += segment.text;
    at = segment.end;
    if (!segment.isGlobstar) text += at < source.length ? "/+" : "/*";
    while (source[at] === "/") at++;
  }
  return new RegExp(`^${text}$`, options.caseInsensitive ? "i" : "");
}

type Segment = { text: string; end: number; isGlobstar: boolean };

/** Reads up to the next `/` that is not in braces. */
function readSegment(glob: string, start: number, globstar: boolean): Segment {
  let text = "";
  let braces = 0;
  let isGlobstar = false;
  let isBroken = false;
  let at = start;
  while (at < glob.length && !(glob[at] === "/" && braces === 0)) {
    const letter = glob[at];
    if (letter === "\\") {
      if (at + 1 === glob.length || (glob[at + 1] === "/" && braces === 0)) {
        isBroken = true;
        at++;
      } else {
        text += quote(glob[at + 1]);
        at += 2;
      }
    } else if (letter === "[") {
      const range = readRange(glob, at, braces > 0);
      isBroken ||= range.isBroken;
      text += range.text;
      at = range.end;
    } else if (letter === "*") {
      let end = at;
      while (glob[end] === "*") end++;
      const isAlone = [undefined, "/"].includes(glob[at - 1]) &&
        [undefined, "/"].includes(glob[end]);
      if (globstar && isAlone && end - at === 2) {
        text += "(?:[^/]*(?:/|$)+)*";
        isGlobstar = true;
      } else text += "[^/]*";
      at = end;
    } else {
      if (letter === "{") braces++;
      const closes = letter === "}" && braces > 0;
      if (letter === "?") text += ".";
      else if (letter === "{") text += "(?:";
      else if (closes) text += ")";
      else text += letter === "," && braces > 0 ? "|" : quote(letter);
      if (closes) braces--;
      at++;
    }
  }
  if (!isBroken && braces === 0) return { text, end: at, isGlobstar };
  // What cannot be understood means itself.
  const literal = Array.from(glob.slice(start, at), quote).join("");
  return { text: literal, end: at, isGlobstar: false };
}

function readRange(
  glob: string,
  start: number,
  isInBraces: boolean,
): { text: string; end: number; isBroken: boolean } {
  let text = "[";
  let at = start + 1;
  if (glob[at] === "!") {
    text += "^";
    at++;
  } else if (glob[at] === "^") {
    text += "\\^";
    at++;
  }
  while (at < glob.length && (isInBraces || glob[at] !== "/")) {
    const name = /^\[:([^:]*):\]/.exec(glob.slice(at));
    if (glob[at] === "]") return { text: `${text}]`, end: at + 1, isBroken: false };
    if (name !== null) {
      text += Object.hasOwn(CLASSES, name[1]) ? CLASSES[name[1]] : "";
      at += name[0].length;
    } else if (glob[at] === "\\") {
      // An escape does not reach into the next segment.
      if (at + 1 === glob.length || (glob[at + 1] === "/" && !isInBraces)) {
        return { text, end: at + 1, isBroken: true };
      }
      text += (/[-\\\]]/.test(glob[at + 1]) ? "\\" : "") + glob[at + 1];
      at += 2;
    } else text += glob[at++];
  }
  return { text, end: at, isBroken: true };
}

function quote(letter: string): string {
  return /[!$()*+.=?[\\^{|]/.test(letter) ? `\\${letter}` : letter;
}

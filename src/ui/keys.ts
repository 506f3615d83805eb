/**
 * What keys a terminal in raw mode has sent.
 *
 * @module
 */

/** A key, or several characters at once. */
export interface Key {
  /**
   * `text` and `paste` for characters; else `enter`, `newline`, `escape`, `tab`, `backspace`,
   * `delete`, `up`, `down`, `left`, `right`, `home`, `end`, `ctrl+c` and its kin, or `unknown`.
   */
  name: string;
  /** The characters; `""` for a key that has none. */
  text: string;
  /** What the terminal has sent, for a custom component. */
  raw?: string;
}

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
// deno-lint-ignore no-control-regex -- terminals send keys as control sequences
const SEQUENCE = /^\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[A-Z]|[\r\n\x7f-\uffff ])/;
const SEQUENCES: Readonly<Record<string, string>> = {
  "\x1b[A": "up",
  "\x1b[B": "down",
  "\x1b[C": "right",
  "\x1b[D": "left",
  "\x1bOA": "up",
  "\x1bOB": "down",
  "\x1bOC": "right",
  "\x1bOD": "left",
  "\x1b[H": "home",
  "\x1b[F": "end",
  "\x1bOH": "home",
  "\x1bOF": "end",
  "\x1b[1~": "home",
  "\x1b[4~": "end",
  "\x1b[3~": "delete",
  "\x1b\r": "newline",
  "\x1b\n": "newline",
};
const CONTROLS: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "newline",
  "\t": "tab",
  "\x1b": "escape",
  "\x7f": "backspace",
  "\b": "backspace",
};

/** Cuts what a terminal sends into keys. */
export class KeyDecoder {
  #pasted: string | undefined;

  /**
   * Reads some input. A lone escape character at its end is the key of that name.
   *
   * @param input What the terminal has sent.
   */
  decode(input: string): Key[] {
    const keys: Key[] = [];
    let rest = input;
    while (rest !== "") {
      if (this.#pasted !== undefined) {
        const end = rest.indexOf(PASTE_END);
        this.#pasted += end < 0 ? rest : rest.slice(0, end);
        if (end < 0) break;
        keys.push({ name: "paste", text: this.#pasted.replaceAll(/\r\n?/g, "\n") });
        this.#pasted = undefined;
        rest = rest.slice(end + PASTE_END.length);
        continue;
      }
      if (rest.startsWith(PASTE_START)) {
        this.#pasted = "";
        rest = rest.slice(PASTE_START.length);
        continue;
      }
      const sequence = SEQUENCE.exec(rest)?.[0];
      if (sequence !== undefined) {
        keys.push({ name: SEQUENCES[sequence] ?? "unknown", text: "", raw: sequence });
        rest = rest.slice(sequence.length);
        continue;
      }
      const first = rest[0];
      const code = first.charCodeAt(0);
      if (CONTROLS[first] !== undefined) {
        keys.push({ name: CONTROLS[first], text: "", raw: first });
        rest = rest.slice(1);
      } else if (code < 32) {
        const name = `ctrl+${String.fromCharCode(code + 96)}`;
        keys.push({ name, text: "", raw: first });
        rest = rest.slice(1);
      } else {
        // deno-lint-ignore no-control-regex -- characters up to the next key
        const text = /^[^\x00-\x1f\x7f]+/.exec(rest)![0];
        keys.push({ name: "text", text });
        rest = rest.slice(text.length);
      }
    }
    return keys;
  }
}

/**
 * A person who answers by script.
 *
 * @module
 */

import { type DialogOptions, type HookUIContext, type NotifyType, plainTheme } from "../../mod.ts";
import type { Unexpected } from "./script.ts";

/** A question of a hook. */
export interface TestDialog {
  /** Which kind. */
  kind: "select" | "confirm" | "input" | "editor" | "custom";
  /** Its title; `""` for `custom`. */
  title: string;
  /** What `confirm` asks. */
  message?: string;
  /** What `select` offers. */
  options?: string[];
  /** The hint of `input`. */
  placeholder?: string;
  /** What `editor` begins with. */
  prefill?: string;
  /** The signal that takes the question back. */
  signal?: AbortSignal;
}

/**
 * The answer to questions of one kind: a value for all of them; a list, one for each question in
 * this order, all of which have to be asked; or a function of the question.
 */
export type TestAnswer<T> = T | readonly T[] | ((dialog: TestDialog) => T | Promise<T>);

/** What the person answers. A question of a kind that is not here fails the test. */
export interface TestAnswers {
  /** Answers `select`: one of the options, or `undefined` to cancel. */
  select?: TestAnswer<string | undefined>;
  /** Answers `confirm`. */
  confirm?: TestAnswer<boolean>;
  /** Answers `input`; `undefined` cancels. */
  input?: TestAnswer<string | undefined>;
  /** Answers `editor`; `undefined` cancels. */
  editor?: TestAnswer<string | undefined>;
  /** What `custom` gives back. The component is not made. */
  custom?: TestAnswer<unknown>;
}

/** A notice of a hook. */
export interface TestNotice {
  /** The text. */
  message: string;
  /** Its kind, if the hook has given one. */
  type?: NotifyType;
}

/** What the person has seen. */
export interface TestScreen {
  /** The user interface for hooks. */
  readonly ui: HookUIContext;
  /** All questions, in the order in which they came up. */
  readonly dialogs: TestDialog[];
  /** All notices. */
  readonly notices: TestNotice[];
  /** The texts in the status line, by key. */
  readonly statuses: Map<string, string>;
  /** The answers of lists that nobody has asked for. */
  leftOver(): string[];
}

/**
 * Makes the person.
 *
 * @param answers The script.
 * @param unexpected Gets the questions that the script does not have.
 */
export function createTestScreen(answers: TestAnswers, unexpected: Unexpected): TestScreen {
  const dialogs: TestDialog[] = [];
  const notices: TestNotice[] = [];
  const statuses = new Map<string, string>();
  const lists = new Map<string, unknown[]>();
  for (const [kind, answer] of Object.entries(answers)) {
    if (Array.isArray(answer)) lists.set(kind, [...answer]);
  }
  let editorText = "";

  const answerTo = async (dialog: TestDialog): Promise<unknown> => {
    dialogs.push(dialog);
    const { kind, title, message, options } = dialog;
    const asked = [title, message, options?.join(" | ")].filter(Boolean).join(" / ");
    const question = `${kind}${asked && ` ${JSON.stringify(asked)}`}`;
    if (!(kind in answers)) throw unexpected.add(`Nobody has expected the question ${question}`);
    const script: unknown = answers[kind];
    let answer = typeof script === "function" ? await script(dialog) : script;
    const list = lists.get(kind);
    if (list !== undefined) {
      if (list.length === 0) {
        throw unexpected.add(`The list of answers has none for the question ${question}`);
      }
      answer = list.shift();
    }
    if (options !== undefined && answer !== undefined && !options.includes(String(answer))) {
      throw unexpected.add(`"${answer}" is no option of the question ${question}`);
    }
    return answer;
  };
  const ask = <T>(dialog: TestDialog, how?: DialogOptions): Promise<T> => {
    if (how?.signal !== undefined) dialog.signal = how.signal;
    // The script has the types of the answers, by kind.
    return answerTo(dialog) as Promise<T>;
  };
  return {
    dialogs,
    notices,
    statuses,
    leftOver: () =>
      [...lists].flatMap(([kind, list]) => list.map((one) => `${kind}: ${JSON.stringify(one)}`)),
    ui: {
      select: (title, options, how) => ask({ kind: "select", title, options: [...options] }, how),
      confirm: (title, message, how) => ask({ kind: "confirm", title, message }, how),
      input: (title, placeholder, how) => ask({ kind: "input", title, placeholder }, how),
      editor: (title, prefill, how) => ask({ kind: "editor", title, prefill }, how),
      custom: () => ask({ kind: "custom", title: "" }),
      notify: (message, type) => void notices.push({ message, ...type && { type } }),
      setStatus: (key, text) => {
        if (text === undefined) statuses.delete(key);
        else statuses.set(key, text);
      },
      setEditorText: (text) => {
        editorText = text;
      },
      getEditorText: () => editorText,
      theme: plainTheme,
    },
  };
}

/**
 * What models are told about the tools, and the schemas of their arguments.
 *
 * @module
 */

import type { KnownToolName } from "../../events/tool.ts";

/** A tool without what it does. */
export interface ToolDescription {
  /** Its name for people. */
  label: string;
  /** What the model is told. */
  description: string;
  /** JSON schema of each argument. */
  properties: Record<string, Record<string, unknown>>;
  /** The arguments that must be there. */
  required: string[];
}

const FILE = {
  type: "string",
  description: "The file: absolute, from the working directory, or with ~",
};
const OLD_TEXT = {
  type: "string",
  description: "What stands in the file, exactly once, with every blank",
};
const NEW_TEXT = { type: "string", description: "What shall stand there" };

/** The tools by name. */
export const TOOL_DESCRIPTIONS: Readonly<Record<KnownToolName, ToolDescription>> = {
  bash: {
    label: "Bash",
    description: "Run a command in bash, in the working directory, without input. Answers with " +
      "standard output, then standard error; the middle of a very long output is left out.",
    properties: {
      command: { type: "string", description: "The command" },
      timeout: {
        type: "number",
        minimum: 0,
        description: "After so many seconds the command is stopped; 0 is no limit",
      },
    },
    required: ["command"],
  },
  read: {
    label: "Read",
    description: "Read a file. At most 2000 lines or 50 kB at once: use offset and limit for the " +
      "rest. PNG, JPEG, GIF and WebP files are shown as pictures.",
    properties: {
      path: FILE,
      offset: { type: "integer", minimum: 1, description: "The first line to read, from 1" },
      limit: { type: "integer", minimum: 1, description: "How many lines to read at most" },
    },
    required: ["path"],
  },
  write: {
    label: "Write",
    description: "Write a file. Replaces the whole file if there is one, and makes the folders " +
      "that are missing. To change a part of a file, use edit.",
    properties: {
      path: FILE,
      content: { type: "string", description: "The whole new text of the file" },
    },
    required: ["path", "content"],
  },
  edit: {
    label: "Edit",
    description: "Replace parts of a file: oldText by newText, or several at once with edits. " +
      "Each old text has to stand in the file exactly once, letter for letter.",
    properties: {
      path: FILE,
      oldText: OLD_TEXT,
      newText: NEW_TEXT,
      edits: {
        type: "array",
        description: "Several replacements, in place of oldText and newText",
        items: {
          type: "object",
          properties: { oldText: OLD_TEXT, newText: NEW_TEXT },
          required: ["oldText", "newText"],
          additionalProperties: false,
        },
      },
    },
    required: ["path"],
  },
  grep: {
    label: "Grep",
    description: "Search files, line by line, for a regular expression of JavaScript. Leaves out " +
      ".git, node_modules, binary files and files over 5 MB.",
    properties: {
      pattern: { type: "string", description: "The regular expression, or text if literal is set" },
      path: {
        type: "string",
        description: "The folder or file to search. Default: the working directory",
      },
      glob: { type: "string", description: "Only files that match, such as *.ts or src/**/*.ts" },
      ignoreCase: { type: "boolean", description: "Do not tell upper from lower case" },
      literal: { type: "boolean", description: "Take the pattern as plain text" },
      context: { type: "integer", minimum: 0, description: "Lines to show before and after" },
      limit: {
        type: "integer",
        minimum: 1,
        description: "How many matches at most. Default: 100",
      },
    },
    required: ["pattern"],
  },
  find: {
    label: "Find",
    description: "Find files and folders by a glob: *.ts finds names in all folders, " +
      "src/**/*.ts paths below the folder. Leaves out .git and node_modules.",
    properties: {
      pattern: { type: "string", description: "The glob" },
      path: { type: "string", description: "The folder to search. Default: the working directory" },
      limit: {
        type: "integer",
        minimum: 1,
        description: "How many paths at most. Default: 1000",
      },
    },
    required: ["pattern"],
  },
};

/**
 * The files that a patch touches, in the form that `apply_patch` takes.
 *
 * @module
 */

/** A file that a patch touches. */
export interface TouchedFile {
  /** What becomes of it. A file that is moved is listed under both of its names. */
  change: "add" | "update" | "delete" | "move";
  /** Its path, as it stands in the patch. */
  path: string;
  /** The text of an added file. */
  content?: string;
}

const HEADER = /^\s*\*\*\* (Add File|Update File|Delete File|Move to):\s*(.+?)\s*$/;

const CHANGES: Readonly<Record<string, TouchedFile["change"]>> = {
  "Add File": "add",
  "Update File": "update",
  "Delete File": "delete",
  "Move to": "move",
};

/**
 * Lists the files that a patch touches, in its order. It is generous: what might be the name of a
 * file counts as one, since a guard that sees a file too many is safer than one too few.
 *
 * @param patch The text of the patch.
 */
export function touchedFiles(patch: string): TouchedFile[] {
  const files: TouchedFile[] = [];
  for (const line of patch.split(/\r?\n|\r/)) {
    const header = HEADER.exec(line);
    if (header !== null) {
      files.push({ change: CHANGES[header[1]], path: header[2] });
      continue;
    }
    const file = files.at(-1);
    if (file?.change === "add" && line.startsWith("+")) {
      file.content = `${file.content ?? ""}${line.slice(1)}\n`;
    }
  }
  return files;
}

/**
 * Whether a shell command holds a patch, as in `apply_patch <<'EOF'`.
 *
 * @param command The command.
 */
export function holdsPatch(command: string): boolean {
  return /\bapply_?patch\b/.test(command) && command.includes("*** Begin Patch");
}

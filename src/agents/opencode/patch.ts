/** The files that a patch of the form "*** Begin Patch" changes, each as one call of Write or Edit: OpenCode gives GPT models no other tool for files. */
import type { Fields } from "../../engine/event.ts";

export interface PatchedFile {
  tool: "Write" | "Edit";
  input: Fields;
}

const header = /^\*\*\* (Add|Update|Delete) File: (.+)$/;

/** Nothing where no file is named: then the whole patch has to be judged as it is. */
export function filesIn(patch: string): PatchedFile[] {
  const files: PatchedFile[] = [];
  const lines = patch.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const [, kind, path] = header.exec(line.trimEnd()) ?? [];
    if (path === undefined) continue;
    const rest = lines.slice(index + 1);
    const end = rest.findIndex((one) => /^\*\*\* (Add|Update|Delete) File: |^\*\*\* End Patch/.test(one));
    const body = end < 0 ? rest : rest.slice(0, end);
    files.push(kind === "Add" ? added(path.trim(), body) : edited(path.trim(), body));
    const moved = body.map((one) => /^\*\*\* Move to: (.+)$/.exec(one.trimEnd())?.[1]).find((one) => one !== undefined);
    if (moved !== undefined) files.push({ ...edited(moved.trim(), body), tool: "Write" });
  }
  return files;
}

const marked = (body: readonly string[], signs: string): string =>
  body.flatMap((line) => (signs.includes(line.charAt(0)) && line !== "" ? line.slice(1) : [])).join("\n");

const added = (path: string, body: readonly string[]): PatchedFile => ({
  tool: "Write",
  input: { file_path: path, content: `${marked(body, "+")}\n` },
});

/** What is deleted becomes nothing. */
const edited = (path: string, body: readonly string[]): PatchedFile => ({
  tool: "Edit",
  input: { file_path: path, old_string: marked(body, "- "), new_string: marked(body, "+ ") },
});

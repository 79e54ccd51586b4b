/** The read_file step of automations (specification 000, 4.2). Whatever lies at the path, it neither hangs nor floods. */
import type { Handler } from "../core/ports.ts";
import { integer, object, say, text } from "../core/schema.ts";
import { type FileHead, readFileHead } from "../files/regular-file.ts";
import { contextStep } from "./context-step.ts";
import { firstCharacters } from "./first-characters.ts";
import { placeFor } from "./step-folder.ts";

export interface ReadFileParams {
  path?: string;
  max_lines?: number;
}

const usualLines = 500;
const mostCharacters = 50_000;
/** A character of UTF-8 has at most four bytes, and line ends may have two. */
const keptInBytes = 4 * mostCharacters + 1;

export const readFile: Handler<ReadFileParams> = contextStep(
  {
    type: "read_file",
    summary: "Reads the beginning of a text file.",
    limit: 30,
    gives: { content: "its lines, without line breaks at the end; up to 50,000 characters" },
  },
  {
    params: object(
      {},
      {
        path: say(text(), "the file; a relative path starts at the project's workspace", ""),
        max_lines: say(integer(undefined, 1), "lines that are read, at most", usualLines),
      },
    ),
    async run({ path = "", max_lines: mostLines = usualLines }, context) {
      if (path === "") throw new Error("path is required");
      const text = textOf(await headOf(placeFor(path, context)), path);
      const lines = text.split(/\r\n|\n|\r/, mostLines);
      const { text: content, notes } = firstCharacters(lines.join("\n"), mostCharacters, "content");
      return { ok: true, output: { content: content.replace(/\n+$/, "") }, ...(notes.length > 0 ? { notes } : {}) };
    },
  },
);

async function headOf(place: string): Promise<FileHead> {
  try {
    return await readFileHead(place, keptInBytes);
  } catch (error) {
    throw new Error(sentences[codeOf(error)]?.(place) ?? String(error), { cause: error });
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");
const sentences: Readonly<Record<string, (place: string) => string>> = {
  ENOENT: (place) => `there is no file ${place}`,
  ENOTDIR: (place) => `there is no file ${place}`,
  EISDIR: (place) => `${place} is a folder`,
  EACCES: (place) => `${place} may not be read by this user`,
};

/** Throws a sentence where it is no text. */
function textOf(head: FileHead, path: string): string {
  if ("refused" in head) throw new Error(`${path}: ${head.refused}`);
  if (head.bytes.includes(0)) throw new Error(`${path} is no text file: it holds NUL bytes`);
  return new TextDecoder().decode(head.bytes); // leaves a byte order mark out
}

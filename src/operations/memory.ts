/** Operations on what projects remember. */
import type { Json } from "../engine/event.ts";
import { integer, isRecord, object, say, text } from "../engine/schema.ts";
import { boardOf, madeNote, projectFor, projectMeant, projectParam } from "./board.ts";
import type { Operation } from "./operation.ts";
import { madeLines, rowsOf } from "./views.ts";

const usualSource = "added";
const usualLimit = 5;

export const memoryAdd: Operation<{ content: string; heading?: string; source?: string; project?: string }> = {
  summary: "Adds something that a project is to remember. The same thing is remembered once.",
  params: object(
    { content: text("what is to be remembered") },
    {
      heading: say(text(), "what it is about, in a few words", ""),
      source: say(text(), "where it is from", usualSource),
      project: projectParam,
    },
  ),
  readOnly: false,
  words: ["content"],
  example: 'hookline memory add "Invoices are rounded up, by law" --heading rounding',
  show: (result) => [...madeLines(result), ...rowsOf([result]).map(({ id }) => `remembered as ${id}`)],
  async run({ content, heading = "", source = usualSource, project: written }, asked) {
    const placed = await projectFor(asked, written);
    const { memory } = await boardOf(asked);
    const { id } = await memory.add({ project: placed.project.id, source, heading, content });
    return { id, project_id: placed.project.id, ...madeNote(placed) };
  },
};

export const memorySearch: Operation<{ query: string; limit?: number; project?: string }> = {
  summary: "Finds what a project remembers: notes, results of tasks, and what was added; what fits best first.",
  params: object(
    { query: text("what to look for, in any words") },
    {
      limit: say(integer(undefined, 1), "at most so many, and never more than 100", usualLimit),
      project: text("the project's id; that of the folder unless said, or all where it has none"),
    },
  ),
  readOnly: true,
  words: ["query"],
  example: 'hookline memory search "how are amounts rounded?"',
  show: shown,
  async run({ query, limit = usualLimit, project: written }, asked) {
    const project = await projectMeant(asked, written);
    const wanted = { query, limit: Math.min(limit, 100), ...(project ? { project: project.id } : {}) };
    const { hits, note } = await (await boardOf(asked)).memory.search(wanted, asked.signal);
    const results = hits.map(({ project: project_id, ...hit }) => ({ ...hit, project_id }));
    return { results, count: results.length, note: note ?? null };
  },
};

function shown(found: Json): string[] {
  if (!isRecord(found)) return [];
  const { results = [], note } = found as { results?: Json; note?: Json }; // what run gives
  const lines = rowsOf(results).flatMap(({ source, heading, content, similarity }) => [
    `${source}${heading === "" ? "" : ` — ${heading}`}  (${Number(similarity).toFixed(2)})`,
    ...String(content)
      .split("\n")
      .map((line) => `  ${line}`),
  ]);
  const none = lines.length === 0 ? ["nothing was found"] : [];
  return [...lines, ...none, ...(typeof note === "string" ? [note] : [])];
}

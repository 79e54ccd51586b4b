/**
 * Operations on notes and on what projects remember. A change of a note is an event: note.created, note.updated,
 * note.deleted.
 */
import type { Json } from "../engine/event.ts";
import { integer, isRecord, object, say, text } from "../engine/schema.ts";
import type { Operation } from "./operation.ts";
import {
  causeOf,
  madeLines,
  madeNote,
  noteView,
  projectFor,
  projectMeant,
  projectNeeded,
  projectParam,
  projectServiceOf,
  rowsOf,
} from "./project-service.ts";

export const noteList: Operation<{ project?: string }> = {
  summary: "Lists the notes of a project, the newest change first.",
  params: object({}, { project: projectParam }),
  readOnly: true,
  example: "hookline note list",
  async run({ project: written }, asked) {
    const project = await projectMeant(asked, written);
    if (!project) return [];
    return (await (await projectServiceOf(asked)).notes.list(project.id)).map(noteView);
  },
};

export const noteShow: Operation<{ name: string; project?: string }> = {
  summary: "Shows one note with its text.",
  params: object({ name: text("the note's name") }, { project: projectParam }),
  readOnly: true,
  words: ["name"],
  example: "hookline note show release-plan",
  show: (result) => rowsOf([result]).flatMap(({ content }) => String(content).split("\n")),
  showsText: true,
  async run({ name, project: written }, asked) {
    const { id } = await projectNeeded(asked, written);
    const note = await (await projectServiceOf(asked)).notes.known(id, name);
    return { ...noteView(note), content: note.content };
  },
};

export const noteWrite: Operation<{ name: string; content: string; title?: string; project?: string }> = {
  summary: "Writes a note, or replaces it. In a folder without a project, it also creates the project.",
  params: object(
    { name: text("the note's name, which becomes small letters and dashes"), content: text("its text, in Markdown") },
    { title: text("its title; default: the name as written"), project: projectParam },
  ),
  readOnly: false,
  words: ["name", "content"],
  example: "hookline note write release-plan --content @plan.md",
  show: (result) => [...madeLines(result), ...rowsOf([result]).map((note) => `${note.operation} ${note.note_path}`)],
  async run({ project: written, ...given }, asked) {
    const placed = await projectFor(asked, written);
    const { notes } = await projectServiceOf(asked);
    const { note, isNew } = await notes.write({ ...given, project: placed.project.id }, causeOf(asked));
    return { ...noteView(note), operation: isNew ? "created" : "updated", ...madeNote(placed) };
  },
};

export const noteDelete: Operation<{ name: string; project?: string }> = {
  summary: "Deletes a note.",
  params: object({ name: text("the note's name") }, { project: projectParam }),
  readOnly: false,
  words: ["name"],
  example: "hookline note delete release-plan",
  show: (result) => rowsOf([result]).map(({ name }) => `deleted ${name}`),
  async run({ name, project: written }, asked) {
    const { id } = await projectNeeded(asked, written);
    const note = await (await projectServiceOf(asked)).notes.remove(id, name, causeOf(asked));
    return { ...noteView(note), operation: "deleted" };
  },
};

// Memory.

const usualSource = "added";
const usualLimit = 5;

export const memoryAdd: Operation<{ content: string; heading?: string; source?: string; project?: string }> = {
  summary: "Adds something that a project should remember. The same text is stored once.",
  params: object(
    { content: text("what to remember") },
    {
      heading: say(text(), "what it is about, in a few words", ""),
      source: say(text(), "where it comes from", usualSource),
      project: projectParam,
    },
  ),
  readOnly: false,
  words: ["content"],
  example: 'hookline memory add "Invoices are rounded up, by law" --heading rounding',
  show: (result) => [...madeLines(result), ...rowsOf([result]).map(({ id }) => `remembered as ${id}`)],
  async run({ content, heading = "", source = usualSource, project: written }, asked) {
    const placed = await projectFor(asked, written);
    const { memory } = await projectServiceOf(asked);
    const { id } = await memory.add({ project: placed.project.id, source, heading, content });
    return { id, project_id: placed.project.id, ...madeNote(placed) };
  },
};

export const memorySearch: Operation<{ query: string; limit?: number; project?: string }> = {
  summary: "Searches what a project remembers: notes, results of tasks, and what was added; the best match first.",
  params: object(
    { query: text("what to look for, in any words") },
    {
      limit: say(integer(undefined, 1), "how many at most; never more than 100", usualLimit),
      project: text("the project's id; default: the folder's project, or all where it has none"),
    },
  ),
  readOnly: true,
  words: ["query"],
  example: 'hookline memory search "how are amounts rounded?"',
  show: shown,
  async run({ query, limit = usualLimit, project: written }, asked) {
    const project = await projectMeant(asked, written);
    const wanted = { query, limit: Math.min(limit, 100), ...(project ? { project: project.id } : {}) };
    const { hits, note } = await (await projectServiceOf(asked)).memory.search(wanted, asked.signal);
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

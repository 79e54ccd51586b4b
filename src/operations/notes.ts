/** Operations on notes. Each that changes one tells so as an event: note.created, note.updated, note.deleted. */
import { object, text } from "../engine/schema.ts";
import { boardOf, causeOf, madeNote, projectFor, projectMeant, projectNeeded, projectParam } from "./board.ts";
import type { Operation } from "./operation.ts";
import { madeLines, noteView, rowsOf } from "./views.ts";

export const noteList: Operation<{ project?: string }> = {
  summary: "The notes of a project, those that changed last first.",
  params: object({}, { project: projectParam }),
  readOnly: true,
  example: "hookline note list",
  async run({ project: written }, asked) {
    const project = await projectMeant(asked, written);
    if (!project) return [];
    return (await (await boardOf(asked)).notes.list(project.id)).map(noteView);
  },
};

export const noteShow: Operation<{ name: string; project?: string }> = {
  summary: "One note with its text.",
  params: object({ name: text("the note's name") }, { project: projectParam }),
  readOnly: true,
  words: ["name"],
  example: "hookline note show release-plan",
  show: (result) => rowsOf([result]).flatMap(({ content }) => String(content).split("\n")),
  showsText: true,
  async run({ name, project: written }, asked) {
    const { id } = await projectNeeded(asked, written);
    const note = await (await boardOf(asked)).notes.known(id, name);
    return { ...noteView(note), content: note.content };
  },
};

export const noteWrite: Operation<{ name: string; content: string; title?: string; project?: string }> = {
  summary: "Writes a note, or writes it anew. In a folder without a project, the project is made as well.",
  params: object(
    { name: text("the note's name; small letters and dashes are made of it"), content: text("its text, in Markdown") },
    { title: text("what stands above it; the name as it is written unless said"), project: projectParam },
  ),
  readOnly: false,
  words: ["name", "content"],
  example: "hookline note write release-plan --content @plan.md",
  show: (result) => [...madeLines(result), ...rowsOf([result]).map((note) => `${note.operation} ${note.note_path}`)],
  async run({ project: written, ...given }, asked) {
    const placed = await projectFor(asked, written);
    const { notes } = await boardOf(asked);
    const { note, isNew } = await notes.write({ ...given, project: placed.project.id }, causeOf(asked));
    return { ...noteView(note), operation: isNew ? "created" : "updated", ...madeNote(placed) };
  },
};

export const noteDelete: Operation<{ name: string; project?: string }> = {
  summary: "Takes a note away.",
  params: object({ name: text("the note's name") }, { project: projectParam }),
  readOnly: false,
  words: ["name"],
  example: "hookline note delete release-plan",
  show: (result) => rowsOf([result]).map(({ name }) => `deleted ${name}`),
  async run({ name, project: written }, asked) {
    const { id } = await projectNeeded(asked, written);
    const note = await (await boardOf(asked)).notes.remove(id, name, causeOf(asked));
    return { ...noteView(note), operation: "deleted" };
  },
};

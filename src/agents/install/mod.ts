/** Our mod in an agent that runs functions inside itself: a folder of files that are ours, written, read and taken away with the settings that it belongs to. */
import { dirname, join } from "node:path";
import type { AgentAdapter, InstallLayer, Places } from "../adapter.ts";
import { type FileEdit, readText } from "./files.ts";
import { byMod } from "./own-call.ts";
import { modEditorOf, type OwnEntry, type Registration } from "./registration.ts";

/** beside: it asks first, and the lines of settings get its answer; alone: settings have no line for what it asks about. */
export type ModUse = "beside" | "alone";

interface Place {
  agent: AgentAdapter;
  layer: InstallLayer;
  places: Places;
}

const modAt = ({ agent: { settings }, layer }: Pick<Place, "agent" | "layer">) =>
  settings.mod?.layer === layer ? settings.mod : undefined;

/** Absent: this agent has none in this layer. */
export const modFile = ({ agent, layer, places }: Place): string | undefined => {
  const mod = modAt({ agent, layer });
  return mod && join(mod.folder(places), mod.code);
};

/** What the mod is to have, or with `use` undefined that it goes. Throws settings_unusable, where another program's files lie there. */
export function modEdits(place: Place, use: ModUse | undefined, registration: Omit<Registration, "by">): FileEdit[] {
  const { agent, places } = place;
  const [mod, editor, file] = [modAt(place), modEditorOf(agent), modFile(place)];
  if (!mod || !editor || file === undefined) return [];
  const before = readText(file);
  if (!use) return modRemoval(place);
  const events = use === "alone" ? mod.asksAlone : mod.asks;
  const after = editor.plan({ ...registration, by: byMod, text: before, events, file }).text;
  return [
    { file, before, after },
    ...Object.entries(mod.beside).map(([name, json]) => {
      const beside = join(mod.folder(places), name);
      return { file: beside, before: readText(beside), after: `${JSON.stringify(json, null, 2)}\n` };
    }),
  ];
}

/** Nothing where it is not ours. */
export function modRemoval(place: Place): FileEdit[] {
  const [mod, editor, file] = [modAt(place), modEditorOf(place.agent), modFile(place)];
  const before = file === undefined ? undefined : readText(file);
  if (!mod || !editor || file === undefined || before === undefined) return [];
  if (editor.undo({ text: before, file }).text !== undefined) return [];
  const beside = Object.keys(mod.beside).map((name) => join(mod.folder(place.places), name));
  return [file, ...beside].map((one) => ({ file: one, before: readText(one), after: undefined }));
}

/** Folders that hold nothing but what these edits take away, deepest first. */
export const modFolders = (place: Place, removed: readonly FileEdit[]): string[] => {
  const folder = modAt(place)?.folder(place.places);
  return folder === undefined || removed.length === 0
    ? []
    : [...new Set(removed.map(({ file }) => dirname(file))), folder];
};

/** What stands in it, as it stands in settings. Throws settings_unusable. */
export function modEntries(place: Place): OwnEntry[] {
  const [editor, file] = [modEditorOf(place.agent), modFile(place)];
  if (!editor || file === undefined) return [];
  return editor.read(readText(file), file).map((entry) => ({ ...entry, inMod: true }));
}

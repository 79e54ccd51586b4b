/** One more event in the settings that call us; all that stands there stays as it is. Apart from install, which writes all of its entries anew. */
import { setTimeout as wait } from "node:timers/promises";
import type { AgentEventName } from "../core/event.ts";
import { type AgentAdapter, type InstallLayer, installLayers, type Places } from "./adapter.ts";
import { httpTokenFile } from "./client-files.ts";
import { type Journal, journalEdit, readJournal } from "./journal.ts";
import { applyEdits } from "./json-edit.ts";
import { isHere } from "./own-here.ts";
import { groupOf, hashOf } from "./registration.ts";
import { entryLike, type StandingEntry, standingEntries } from "./registration-read.ts";
import { addGroups, emptyContainers } from "./settings-edit.ts";
import { type FileEdit, readText, writeAll } from "./settings-file.ts";

export interface LateEvent {
  agent: AgentAdapter;
  event: AgentEventName;
  places: Places;
  stateFolder: string;
  /** The layer whose registration told of the session's begin. */
  by: string | undefined;
  /** A guard is in force for it. */
  blocks: boolean;
}

interface Plan {
  /** What install noted, if it still holds, then the settings. */
  edits: readonly FileEdit[];
  notes: readonly string[];
}

/** In a layer that install has written for this user, first in the one that told of the session's begin. Gives what a person should know. Rejects with settings_unusable. */
export async function addLateEvent(late: LateEvent): Promise<readonly string[]> {
  let plan = planFor(late);
  for (let attempt = 1; plan.edits.length > 0; attempt++) {
    const { edits, notes } = plan;
    try {
      writeAll(edits);
      return notes;
    } catch (error) {
      if (attempt === attempts || edits.every(({ file, before }) => readText(file) === before)) throw error;
    }
    await wait(pause); // another session begins at the same time: it may be between its two files
    plan = planAgain(late, edits);
  }
  return plan.notes;
}
const attempts = 5;
const pause = 20; // milliseconds

function planFor({ agent, event, places, stateFolder, by, blocks }: LateEvent): Plan {
  const standing = installLayers
    .toSorted((a, b) => Number(b === by) - Number(a === by))
    .flatMap((layer) => standingIn(layer, { agent, places, stateFolder }));
  const here = standing.filter(({ entries }) => entries.length > 0);
  const [first] = here;
  if (!first) return { edits: [], notes: standing.slice(0, 1).map((one) => elsewhereNote(one, { agent, event })) };
  if (here.some(({ entries }) => entries.some((entry) => entry.event === event)))
    return { edits: [], notes: blocks ? openDoorNotes(here, { agent, event }) : [] };
  const { timeout } = agent.settings;
  const options = { overHttp: agent.overHttp?.(event) === true, blocks, timeout };
  for (const { file, before, entries, journal } of here) {
    const entry = journal && entryLike(entries, event, options);
    if (!entry) continue;
    const stage = addGroups(before, [groupOf(event, entry)], file);
    const after = applyEdits(before, stage);
    return {
      edits: [...noted({ agent, stateFolder, file, before, after, stage, journal }), { file, before, after }],
      notes: [],
    };
  }
  return {
    edits: [],
    notes: [
      `a hook wants ${event}, which ${agent.title} is not told to send, and nothing in ${first.file} calls Hookline as your install writes it, so nothing was added: add ${event} there as the others are, or run hookline install ${agent.name} --layer ${first.layer}, which replaces them`,
    ],
  };
}

interface Standing {
  layer: InstallLayer;
  file: string;
  before: string;
  /** Those of this machine; a file that is shared may hold others. */
  entries: readonly StandingEntry[];
  /** Without one it is not ours to edit. */
  journal: Journal | undefined;
}

/** None, where nothing calls us, on whatever machine. */
function standingIn(
  layer: InstallLayer,
  { agent, places, stateFolder }: Pick<LateEvent, "agent" | "places" | "stateFolder">,
): Standing[] {
  const file = agent.settings.file(layer, places);
  const before = readText(file);
  const all = standingEntries(before, agent, file);
  if (before === undefined || all.length === 0) return [];
  const journal = readJournal(stateFolder, agent.name, file);
  const machine = {
    ...places,
    token: readText(httpTokenFile(stateFolder))?.trim(),
    isInstalled: journal !== undefined,
  };
  return [{ layer, file, before, entries: all.filter((entry) => isHere(entry, machine)), journal }];
}

type Meant = Pick<LateEvent, "agent" | "event">;

/** The project's own file stays to whoever has shared it. */
const elsewhereNote = ({ layer, file }: Standing, { agent, event }: Meant): string =>
  `a hook wants ${event}, and what ${file} tells ${agent.title} to call is not on this machine, so nothing was added: run hookline install ${agent.name} --layer ${layer === "project" ? "local" : layer}`;

/** Whoever added it wanted to hear of the event and no more. */
function openDoorNotes(here: readonly Standing[], { agent, event }: Meant): string[] {
  const found = here.flatMap(({ entries, ...standing }) =>
    entries.filter((entry) => entry.event === event).map(({ handler }) => ({ ...standing, handler })),
  );
  const [first] = found;
  if (!first || found.some(({ handler }) => handler.type !== "http" || handler.onFailure === "block")) return [];
  return [
    `a guard is in force for ${event}, and ${agent.title} lets it pass where no daemon answers (${first.file}): run hookline install ${agent.name} --layer ${first.layer} --http`,
  ];
}

interface Joining {
  agent: AgentAdapter;
  stateFolder: string;
  file: string;
  before: string;
  after: string;
  stage: ReturnType<typeof addGroups>;
  journal: Journal;
}

/** Where somebody edited the file since install, uninstall goes by what it finds, and so finds this too. */
function noted({ agent, stateFolder, file, before, after, stage, journal }: Joining): FileEdit[] {
  if (journal.settings.after !== hashOf(before)) return [];
  const { stages, keep, joined = 0 } = journal.settings;
  const settings = {
    ...journal.settings,
    after: hashOf(after),
    stages: [...stages, stage],
    joined: joined + 1,
    keep: [...new Set([...keep, ...emptyContainers(before, file)])],
  };
  return [journalEdit(stateFolder, agent.name, file, { ...journal, settings })];
}

/** Another session that has written the very same may have found our note instead of install's, so it is written again. */
function planAgain(late: LateEvent, meant: readonly FileEdit[]): Plan {
  const plan = planFor(late);
  const settings = meant.at(-1);
  if (plan.edits.length > 0 || !settings || readText(settings.file) !== settings.after) return plan;
  return { edits: meant.map((edit) => ({ ...edit, before: readText(edit.file) })), notes: [] };
}

/** One more event in the settings that call us; all that stands there stays as it is. Apart from install, which writes all of its entries anew. */
import { setTimeout as wait } from "node:timers/promises";
import type { AgentEventName } from "../core/event.ts";
import { type AgentAdapter, installLayers, type Places } from "./adapter.ts";
import { journalEdit, readJournal } from "./journal.ts";
import { applyEdits } from "./json-edit.ts";
import { groupOf, hashOf } from "./registration.ts";
import { readRegistration } from "./registration-read.ts";
import { addGroups, emptyContainers } from "./settings-edit.ts";
import { type FileEdit, readText, writeAll } from "./settings-file.ts";

export interface LateEvent {
  agent: AgentAdapter;
  event: AgentEventName;
  places: Places;
  stateFolder: string;
  /** A guard is in force for it. */
  blocks: boolean;
}

interface Plan {
  /** What install noted, if it still holds, then the settings. */
  edits: readonly FileEdit[];
  notes: readonly string[];
}

/** In the first layer that has an entry to go by. Gives what a person should know. Rejects with settings_unusable. */
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

function planFor({ agent, event, places, stateFolder, blocks }: LateEvent): Plan {
  const standing = installLayers.flatMap((layer) => {
    const file = agent.settings.file(layer, places);
    const before = readText(file);
    const there = readRegistration(before, agent, file);
    return before !== undefined && there ? [{ layer, file, before, ...there }] : [];
  });
  const [first] = standing;
  if (!first || standing.some(({ events }) => events.includes(event))) return nothing;
  const overHttp = agent.overHttp?.(event) === true;
  for (const { file, before, entryFor } of standing) {
    const entry = entryFor(event, { overHttp, blocks });
    if (!entry) continue;
    const stage = addGroups(before, [groupOf(event, entry)], file);
    const after = applyEdits(before, stage);
    return {
      edits: [...noted({ agent, stateFolder, file, before, after, stage }), { file, before, after }],
      notes: [],
    };
  }
  return {
    edits: [],
    notes: [
      `a hook wants ${event}, which ${agent.title} is not told to send, and nothing in ${first.file} calls Hookline as install writes it, so nothing was added: add ${event} there as the others are, or run hookline install ${agent.name} --layer ${first.layer}, which replaces them`,
    ],
  };
}
const nothing: Plan = { edits: [], notes: [] };

interface Joining {
  agent: AgentAdapter;
  stateFolder: string;
  file: string;
  before: string;
  after: string;
  stage: ReturnType<typeof addGroups>;
}

/** Where somebody edited the file since install, or nothing was noted, uninstall goes by what it finds, and so finds this too. */
function noted({ agent, stateFolder, file, before, after, stage }: Joining): FileEdit[] {
  const journal = readJournal(stateFolder, agent.name, file);
  if (journal?.settings.after !== hashOf(before)) return [];
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

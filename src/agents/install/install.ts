/** Installing into an agent's settings and taking it out again: reads, plans, writes, and says what a person should know. */

import { relative } from "node:path";
import { HooklineError, messageOf } from "../../engine/error.ts";
import { counted } from "../../engine/words.ts";
import { type AgentAdapter, type InstallLayer, layersOf, type Places } from "../adapter.ts";
import { agents, hookFileOf } from "../index.ts";
import {
  type FileEdit,
  type Journal,
  journalEdit,
  journalFolder,
  makePrivateFolder,
  missingFolders,
  readJournal,
  readText,
  removeFolders,
  writeAll,
} from "./files.ts";
import { applyEdits, inverse } from "./json-edit.ts";
import { isLauncher, launcherOf, launcherText } from "./launch.ts";
import { type ModUse, modEdits, modFolders, modRemoval } from "./mod.ts";
import {
  type Editor,
  editorOf,
  type FileChange,
  type HttpRegistration,
  hashOf,
  type InstallPlan,
  isRegistered,
  type Try,
  type UninstallPlan,
} from "./registration.ts";
import { type MovePlan, planMove, planReturn, putBack } from "./take-over.ts";
import { findAgent } from "./version.ts";

interface UninstallOptions {
  agent: AgentAdapter;
  layer: InstallLayer;
  places: Places;
  /** Where install notes what it did. */
  stateFolder: string;
  dryRun?: boolean;
}
export interface InstallOptions extends UninstallOptions {
  /** What the agent's line tries, one after the other. */
  tries: readonly Try[];
  /** The events that are refused where none of it can be started, because a guard is active. */
  guarded?: readonly string[];
  /** The daemon's door, for an agent that speaks HTTP and the events that it takes there. */
  http?: HttpRegistration;
  /** Events that a loaded hook listens to; only those that are not always registered matter (R50). */
  wanted?: readonly string[];
  /** Moves the hooks of the agent's file into ours (R35). */
  takeOver?: boolean;
  /** Absent: a mod of ours goes. */
  mod?: ModUse;
}
export interface InstallResult extends FileEdit {
  changed: boolean;
  /** Sentences for the person. */
  notes: string[];
  /** Further files of a person that change with it: our hooks.json. */
  others: FileEdit[];
}

/** Can be run twice. Throws HooklineError (settings_unusable); nothing is written then. */
export function installAgent(options: InstallOptions): InstallResult {
  const { result, journal } = planned(options);
  if (!journal || options.dryRun) return result;
  makePrivateFolder(journalFolder(options.stateFolder));
  const notes = journalEdit(options.stateFolder, options.agent.name, result.file, journal);
  writeAll([notes, ...result.others, result]); // the notes first: a crash must not leave what cannot be undone
  if (!options.mod) removeModFolders(options, result.others);
  return result;
}

function removeModFolders(options: UninstallOptions, edits: readonly FileEdit[], journal?: Journal): void {
  const removed = edits.filter(({ before, after }) => before !== undefined && after === undefined);
  removeFolders([...modFolders(options, removed), ...(journal?.mod?.createdFolders ?? [])]);
}

/** Without a journal there is nothing to do. */
function planned(options: InstallOptions): { result: InstallResult; journal?: Journal } {
  const { agent, layer, places } = options;
  const file = agent.settings.file(layer, places);
  const before = readText(file);
  const earlier = readJournal(options.stateFolder, agent.name, file);
  const editor = editorOf(agent);
  const base = withoutOurs(before, file, editor, earlier?.settings);
  const move =
    options.takeOver && editor.holdsOthers ? planTakeOver(base.text, file, options, earlier?.takeOver) : undefined;
  const text = move ? move.text : base.text;
  const registration = {
    agent: agent.name,
    // What a team shares holds no path of one machine (R79).
    tries: layer === "project" ? [launcherTry(agent, file, places.root)] : options.tries,
    guards: (event: string) => options.guarded?.includes(event) === true,
    refuse: (reason: string, event: string) =>
      agent.refuse(
        reason,
        [...agent.sends].find((name) => name === event),
      ),
    by: layer,
    timeout: agent.settings.timeout,
    ...(options.http && { http: options.http }),
    events: eventsFor(options, move),
    file,
  };
  const notes = [...installNotes(options, file, text), ...(move ? movedNotes(move, file) : [])];
  const launcher = layer === "project" ? launcherEdit(places.root) : undefined;
  const mod = modEdits(options, options.mod, registration);
  const agentVersion = findAgent(agent, places.environment ?? {})?.version;
  const version = agentVersion === undefined ? {} : { agentVersion };
  if (
    !move &&
    editor.isCurrent({ ...registration, text: before }) &&
    [launcher, ...mod].every((edit) => edit?.before === edit?.after)
  ) {
    const result = { file, before, after: before, changed: false, notes, others: [] };
    return { result, ...(earlier && earlier.agentVersion !== agentVersion && { journal: { ...earlier, ...version } }) };
  }
  const plan = editor.plan({ ...registration, text });
  const others = [
    ...(move ? [{ file: move.target.change.file, before: move.targetBefore, after: move.target.after }] : []),
    ...(launcher ? [launcher] : []),
    ...mod,
  ];
  const takeOver = takeOverNow(earlier?.takeOver, move, base.exact);
  return {
    result: { file, before, after: plan.text, changed: true, notes, others, ...(options.http && { mode: 0o600 }) },
    journal: {
      version: 1,
      settings: changeBy(plan, base, move),
      ...version,
      ...(takeOver && { takeOver }),
      ...(launcher && {
        launcher: { createdFolders: [...missingFolders(launcher.file), ...(earlier?.launcher?.createdFolders ?? [])] },
      }),
      ...(options.mod && {
        mod: { createdFolders: [...missingFoldersOf(mod), ...(earlier?.mod?.createdFolders ?? [])] },
      }),
    },
  };
}

/** Deepest first. */
const missingFoldersOf = (edits: readonly FileEdit[]): string[] =>
  [...new Set(edits.flatMap(({ file }) => missingFolders(file)))].sort((one, other) => other.length - one.length);

/** @throws HooklineError settings_unusable, where a file of another program lies in its place */
function launcherEdit(root: string): FileEdit {
  const file = launcherOf(root);
  const before = readText(file);
  if (before === undefined || isLauncher(before)) return { file, before, after: launcherText() };
  throw new HooklineError("settings_unusable", {
    reason: "another program has written it",
    where: file,
    advice: "move it away; nothing was written",
  });
}

/** An agent that names no project may have been started below it. */
function launcherTry({ files: { variables } }: AgentAdapter, file: string, root: string): Try {
  const read = launcherOf("");
  return variables?.namesProject
    ? { read, below: `${variables.prefix}_PROJECT_DIR` }
    : { read, beside: relative(root, file) };
}

/** The first layer whose settings call us; undefined: none does. May throw what the file system says. */
export const registeredLayer = (agent: AgentAdapter, places: Places): InstallLayer | undefined =>
  layersOf(agent).find((layer) => isRegistered(agent, readText(agent.settings.file(layer, places))));

/** It goes with the last agent of the project that reads it. */
function launcherRemoval({ agent, layer, places }: UninstallOptions): FileEdit[] {
  if (layer !== "project") return [];
  const file = launcherOf(places.root);
  const before = readText(file);
  const isRead = (other: AgentAdapter): boolean =>
    other.name !== agent.name &&
    layersOf(other).includes(layer) &&
    isRegistered(other, readText(other.settings.file(layer, places)));
  const goes = before !== undefined && isLauncher(before) && !Object.values(agents).some(isRead);
  return goes ? [{ file, before, after: undefined }] : [];
}

const changeBy = (plan: InstallPlan, base: Base, move: MovePlan | undefined): FileChange => ({
  ...base.change,
  after: hashOf(plan.text),
  stages: [...base.change.stages, ...(move ? [move.stage] : []), plan.stage],
  keep: [...new Set([...base.change.keep, ...plan.keep])],
});

interface Base {
  text: string | undefined;
  change: FileChange;
  /** What was moved out earlier comes back by the stages. */
  exact: boolean;
}

/** The agent's text as it was before install's last stage and what joined it, or else without our entries. */
function withoutOurs(text: string | undefined, file: string, editor: Editor, change: FileChange | undefined): Base {
  const createdFolders = [...missingFolders(file), ...(change?.createdFolders ?? [])];
  const fresh = {
    file,
    created: text === undefined || (change?.created ?? false),
    createdFolders,
    after: "",
    stages: [],
    keep: change?.keep ?? [],
  };
  if (text === undefined) return { text, change: fresh, exact: false };
  if (change && change.stages.length > 0 && hashOf(text) === change.after) {
    const first = -1 - (change.joined ?? 0);
    const stages = change.stages.slice(0, first);
    const bare = change.stages.slice(first).reduceRight((now, stage) => applyEdits(now, inverse(stage)), text);
    return { text: change.created && bare === "" ? undefined : bare, change: { ...fresh, stages }, exact: true };
  }
  const bare = editor.undo({ text, file, ...(change && { change }) }).text;
  return { text: bare, change: fresh, exact: false };
}

type TakeOverPlan = MovePlan & { targetBefore: string | undefined };

function planTakeOver(
  text: string | undefined,
  file: string,
  { agent, layer, places }: InstallOptions,
  earlier: Journal["takeOver"],
): TakeOverPlan | undefined {
  const target = hookFileOf(layer, places);
  if (text === undefined) return undefined;
  const targetBefore = readText(target);
  const place = { file: target, text: targetBefore, change: earlier?.target, createdFolders: missingFolders(target) };
  const plan = planMove({ text, agent: agent.name, file, target: place });
  return plan && { ...plan, targetBefore };
}

/** What an earlier take-over moved has to be looked for once another program has edited either file. */
function takeOverNow(
  earlier: Journal["takeOver"],
  move: TakeOverPlan | undefined,
  exact: boolean,
): Journal["takeOver"] {
  if (!move) return earlier && (exact ? earlier : { ...earlier, moved: [], owed: [...earlier.owed, ...earlier.moved] });
  const moved = earlier?.moved ?? [];
  const covered = exact && (!earlier || move.target.change.stages.length > earlier.target.stages.length);
  return {
    target: move.target.change,
    moved: [...(covered ? moved : []), ...move.moved],
    owed: [...(earlier?.owed ?? []), ...(covered ? [] : moved)],
  };
}

function eventsFor({ agent: { settings }, wanted = [], mod }: InstallOptions, move: MovePlan | undefined): string[] {
  const asked = new Set([...wanted, ...(move?.moved ?? []).map((group) => group.event)]);
  const taken: ReadonlySet<string> = new Set(mod === "alone" ? settings.mod?.asksAlone : []);
  return [
    ...settings.events.filter((event) => !taken.has(event)),
    ...settings.onlyWanted.filter((event) => asked.has(event)),
  ];
}

/** Undoes install: to the same bytes unless the file was edited since. Can be run twice. Throws settings_unusable. */
export function uninstallAgent(options: UninstallOptions): InstallResult {
  const { agent, layer, places, stateFolder } = options;
  const file = agent.settings.file(layer, places);
  const before = readText(file);
  const journal = readJournal(stateFolder, agent.name, file);
  const back = journal?.takeOver && planReturn(journal.takeOver, readText(journal.takeOver.target.file));
  const editor = editorOf(agent);
  const exact = !back || (back.missing.length === 0 && journal?.takeOver?.owed.length === 0);
  const plan = planRemoval(before, { editor, file, change: journal?.settings, exact });
  const after = plan.exact || !back ? plan.text : putBack(plan.text, back.back, file);
  const modGone = modRemoval(options);
  const others: FileEdit[] = [
    ...(back && journal?.takeOver ? [{ file: journal.takeOver.target.file, ...back.target }] : []),
    ...launcherRemoval(options),
    ...modGone,
  ];
  const changed = before !== after || others.some((one) => one.before !== one.after);
  const result: InstallResult = {
    file,
    before,
    after,
    changed,
    notes: removalNotes(plan, { editor, missing: back?.missing.length ?? 0 }),
    others,
  };
  if (options.dryRun) return result;
  writeAll([result, ...others, journalEdit(stateFolder, agent.name, file, undefined)]);
  if (after === undefined) removeFolders(journal?.settings.createdFolders ?? []);
  removeModFolders(options, modGone, journal);
  if (others.some((one) => one.after === undefined))
    removeFolders([...(journal?.takeOver?.target.createdFolders ?? []), ...(journal?.launcher?.createdFolders ?? [])]);
  return result;
}

interface RemovalOptions {
  editor: Editor;
  file: string;
  change: FileChange | undefined;
  exact: boolean;
}

function planRemoval(text: string | undefined, { editor, file, change, exact }: RemovalOptions): UninstallPlan {
  if (text === undefined) return { text, removed: 0, exact: false };
  const usable = change && !exact ? { ...change, after: "" } : change; // an impossible hash: by structure then
  return editor.undo({ text, file, ...(usable && { change: usable }) });
}

interface AgentFile {
  layer: InstallLayer;
  file: string;
}
const agentFiles = (agent: AgentAdapter, places: Places): AgentFile[] =>
  layersOf(agent).map((layer) => ({ layer, file: agent.settings.file(layer, places) }));

export interface Install {
  agent: AgentAdapter;
  layer: InstallLayer;
  places: Places;
  wanted?: readonly string[];
}

/** About the file as it will be. */
function installNotes(
  { agent, layer, places, wanted = [], takeOver }: Install & Pick<InstallOptions, "takeOver">,
  file: string,
  text: string | undefined,
): string[] {
  const readers = agent.settings.alsoReadBy[layer] ?? [];
  const isKnown = (reader: string): boolean => Object.values(agents).some(({ title }) => title === reader);
  const others = readers.filter((reader) => !isKnown(reader));
  const editor = editorOf(agent);
  return [
    ...editor.notes(text, file),
    ...[agent.settings.layerNotes?.[layer], agent.settings.afterInstall].filter((note) => note !== undefined),
    ...(takeOver && !editor.holdsOthers ? [notTakenOver(agent, file)] : []),
    ...conflicts(agent, layer, places),
    ...readers
      .filter(isKnown)
      .map((reader) => `${reader} runs ${file} too: there, Hookline answers as ${reader} expects`),
    ...(others.length > 0
      ? [`${others.join(", ")} can read ${file} too: there, Hookline answers as for ${agent.title}`]
      : []),
    ...(layer === "project"
      ? [`commit ${launcherOf(places.root)} too: ${file} names it, and it finds Hookline on each machine`]
      : []),
    ...(wanted.includes("WorktreeCreate")
      ? [`a hook on WorktreeCreate has to give the worktree's path: ${agent.title} makes none itself then`]
      : []),
  ];
}

const notTakenOver = ({ title, settings: { editor } }: AgentAdapter, file: string): string =>
  editor.is === "owned file"
    ? `nothing is taken over: ${file} holds no hooks but Hookline's`
    : `nothing is taken over: ${title} has names of its own for events, tools and times, so its hooks stay in ${file}`;

/** Where else we are registered for the same agent: one event then reaches us twice. */
function conflicts(agent: AgentAdapter, layer: InstallLayer, places: Places): string[] {
  return agentFiles(agent, places).flatMap((other) => {
    if (other.layer === layer || other.file === agent.settings.file(layer, places)) return [];
    try {
      const there = editorOf(agent).read(readText(other.file), other.file).length;
      return there === 0
        ? []
        : [
            `Hookline is also installed in the ${other.layer} layer (${other.file}): events without an id, such as Stop, then fire twice; uninstall one of them`,
          ];
    } catch (error) {
      return [`${other.file} could not be looked at: ${messageOf(error)}`];
    }
  });
}

const movedNotes = (move: MovePlan, file: string): string[] => [
  `${counted(move.moved.length, "group")} of hooks moved to ${move.target.change.file}; uninstall moves them back`,
  ...(move.left.length > 0
    ? [`${counted(move.left.length, "group")} of hooks stayed in ${file}: they need the agent's own models or servers`]
    : []),
];

const removalNotes = (plan: UninstallPlan, { editor, missing }: { editor: Editor; missing: number }): string[] => [
  ...(plan.removed > 0 && !plan.exact ? [editor.editedNote] : []),
  ...(missing > 0
    ? [
        `${counted(missing, "group")} of hooks that had been taken over were edited or removed since: they stay as they are`,
      ]
    : []),
];

/** What to do in a folder of git hooks, so that ours is in place or gone and no other hook is lost (E46, E51). Pure. */
import { HooklineError } from "../../engine/error.ts";
import { hookName } from "./repository.ts";
import { isAsWritten, isStub, madeItsFolder, originalOf, printStub, type Stub } from "./stub.ts";

/** A file of the folder whose name begins as our hook's does. */
export interface HookFile {
  /** What it, or the file that it is a link to, says; absent where that cannot be read. */
  text?: string;
  /** Where the link leads; absent: it is none. */
  link?: string;
  mode: number;
}
export interface HooksFolder {
  exists: boolean;
  files: ReadonlyMap<string, HookFile>;
  /** Why nothing can be put there. */
  obstacle?: { reason: string; where: string; advice: string };
}

export type HookStep =
  | { do: "make folder" }
  /** Under another name too, before something takes its place. The name is free, or that of a file that it replaces. */
  | { do: "keep"; from: string; to: string; replaces?: true }
  | { do: "write"; name: string; text: string }
  | { do: "restore"; from: string; to: string }
  | { do: "remove"; name: string }
  /** As far as it is empty. */
  | { do: "remove folder" };

export interface HooksPlan {
  steps: HookStep[];
  /** What a person should know, in sentences. */
  notes: string[];
  /** Of them those that matter also to who has not asked for the change. */
  saved: string[];
  /** Where ours lies afterwards; absent: nowhere. */
  name?: string;
  /** The hook that is kept and runs first. */
  original?: string;
  /** There is something to write. */
  changed: boolean;
}

const originalName = `${hookName}.original`;
/** Where others put what they find: the pre-commit framework, which goes on calling it, and lefthook, which does not. */
const legacyName = `${hookName}.legacy`;
const oldName = `${hookName}.old`;

const isOurs = (file: HookFile | undefined): boolean => file?.text !== undefined && isStub(file.text);

/** The pre-commit framework calls what it found, so ours may stay where it was put. */
const placeOf = ({ files }: HooksFolder): string =>
  !isOurs(files.get(hookName)) && isOurs(files.get(legacyName)) && isOf("pre-commit", files.get(hookName))
    ? legacyName
    : hookName;

const canRun = (file: HookFile | undefined): boolean => file !== undefined && (file.mode & 0o111) !== 0;

/** The name under which git, or another hook that git runs, calls ours. */
export function calledName(folder: HooksFolder): string | undefined {
  const name = placeOf(folder);
  const file = folder.files.get(name);
  return isOurs(file) && canRun(file) && canRun(folder.files.get(hookName)) ? name : undefined;
}

export type Wanted = Omit<Stub, "original" | "shell" | "madeFolder">;

/** @throws HooklineError repository_unusable */
export function planInstall(folder: HooksFolder, wanted: Wanted): HooksPlan {
  const { files, obstacle } = folder;
  if (obstacle) throw new HooklineError("repository_unusable", obstacle);
  const name = placeOf(folder);
  const astray = astrayOf(files, name);
  const edited = saveEdited(files, [name, ...astray]);
  const kept = keep(folder, name);
  const original = kept.original;
  const text = printStub({
    ...wanted,
    ...(original === undefined ? {} : { original, ...shellOf(files.get(kept.from ?? original)) }),
    ...(!folder.exists || wasMade(files) ? { madeFolder: true } : {}),
  });
  const current = files.get(name);
  const isWritten = current?.text === text && current.link === undefined && (current.mode & 0o111) === 0o111;
  const steps: HookStep[] = [
    ...(folder.exists ? [] : [{ do: "make folder" } as const]),
    ...edited.steps,
    ...kept.steps,
    ...(isWritten ? [] : [{ do: "write", name, text } as const]),
    ...astray.map((one) => ({ do: "remove", name: one }) as const),
  ];
  return {
    steps,
    notes: [
      ...edited.notes,
      ...kept.notes,
      ...astray.map((one) => `${one} was our own, moved there by another tool: it is removed`),
    ],
    saved: edited.notes,
    name,
    ...(original === undefined ? {} : { original }),
    changed: steps.length > 0,
  };
}

interface Saved {
  steps: HookStep[];
  notes: string[];
}

/** Copies of ours that were edited: what was written there is kept. */
function saveEdited(files: HooksFolder["files"], names: readonly string[]): Saved {
  const taken = new Map(files);
  const saved: Saved = { steps: [], notes: [] };
  for (const name of names) {
    const file = files.get(name);
    if (!file || !isOurs(file) || isAsWritten(file.text ?? "")) continue;
    if ([...taken].some(([one, other]) => isEditedCopy(one) && other.text === file.text)) continue;
    const to = freeName(taken, editedName);
    taken.set(to, file);
    saved.steps.push({ do: "keep", from: name, to });
    saved.notes.push(
      `${name} was Hookline's own, but it had been edited: that form is kept as ${to}, which nothing runs`,
    );
  }
  return saved;
}
const editedName = `${hookName}.edited`;
const isEditedCopy = (name: string): boolean => name.startsWith(editedName);

/** Copies of ours that nothing calls. */
const astrayOf = (files: HooksFolder["files"], name: string): string[] =>
  [hookName, legacyName, oldName].filter((one) => one !== name && isOurs(files.get(one)));

const wasMade = (files: HooksFolder["files"]): boolean =>
  [hookName, legacyName, oldName].some((name) => isOurs(files.get(name)) && madeItsFolder(files.get(name)?.text ?? ""));

interface Kept {
  steps: HookStep[];
  notes: string[];
  original?: string;
  /** Where it still lies while we plan. */
  from?: string;
}

/** What ours has to run first, and how it is kept. */
function keep(folder: HooksFolder, name: string): Kept {
  const { files } = folder;
  const current = files.get(name);
  if (!current) return { steps: [], notes: orphanNotes(files) };
  if (isOurs(current)) return keepAsBefore(files, name, current);
  const notes = foreignNotes(current);
  const same = originals(files).find((one) => isSame(files.get(one), current));
  if (same !== undefined) {
    return {
      steps: [],
      original: same,
      notes: [`the hook that is there has been kept as ${same}${runsFirst(current)}`, ...notes],
    };
  }
  const manager = managerOf(current);
  const older = originals(files).find((one) => manager !== undefined && managerOf(files.get(one)) === manager);
  if (older !== undefined) {
    return {
      steps: [{ do: "keep", from: name, to: older, replaces: true }],
      original: older,
      from: name,
      notes: [`${manager} has written its hook anew: it takes the place of ${older} and runs first`, ...notes],
    };
  }
  const original = freeName(files, originalName);
  return {
    steps: [{ do: "keep", from: name, to: original }],
    original,
    from: name,
    notes: [`the hook that was there is kept as ${original}${runsFirst(current)}`, ...notes],
  };
}

const runsFirst = (file: HookFile): string =>
  canRun(file) ? " and runs first" : "; it is not executable, so git did not run it, and nor does Hookline";

/** Where it is gone, the stub goes on naming it: it reports that each time, and runs it when it is back. */
function keepAsBefore(files: HooksFolder["files"], name: string, current: HookFile): Kept {
  const original = originalOf(current.text ?? "");
  if (original === undefined) return { steps: [], notes: [] };
  const file = files.get(original);
  if (!file) return { steps: [], original, notes: [goneNote(original)] };
  // The framework calls us, and its own older copy would call the framework again.
  if (name === legacyName && isOf("pre-commit", file)) {
    return { steps: [], notes: [`${original} is the pre-commit framework's, which runs anyway: it is not run twice`] };
  }
  return { steps: [], original, notes: [] };
}

const goneNote = (original: string): string => `${original}, the hook that was kept, is no longer there`;

/** Names under which hooks have been kept, by us or others. */
const originals = (files: HooksFolder["files"]): string[] =>
  [...files.keys()].filter((name) => name === originalName || /^pre-commit\.original\.\d+$/.test(name)).sort();

function freeName(files: HooksFolder["files"], name: string): string {
  if (!files.has(name)) return name;
  let count = 2;
  while (files.has(`${name}.${count}`)) count++;
  return `${name}.${count}`;
}

const isSame = (left: HookFile | undefined, right: HookFile): boolean =>
  left !== undefined &&
  left.text !== undefined &&
  left.text === right.text &&
  left.link === right.link &&
  left.mode === right.mode;

const orphanNotes = (files: HooksFolder["files"]): string[] =>
  originals(files).map(
    (name) => `${name} lies there from earlier and is not run; move it to ${hookName} first if it should be`,
  );

/** Ours goes, and what it kept comes back, byte for byte. */
export function planRemoval({ files }: HooksFolder): HooksPlan {
  const ours = [hookName, legacyName, oldName].filter((name) => isOurs(files.get(name)));
  const edited = saveEdited(files, ours);
  const steps: HookStep[] = [...edited.steps];
  const notes: string[] = [...edited.notes];
  const gone = new Set<string>();
  for (const name of ours) {
    const original = originalOf(files.get(name)?.text ?? "");
    const isKept = original !== undefined && files.has(original) && !gone.has(original);
    const newer = files.get(hookName);
    if (isKept && name !== oldName) {
      steps.push({ do: "restore", from: original, to: name });
      gone.add(original);
      notes.push(`${original} is ${name} again`);
    } else {
      steps.push({ do: "remove", name });
      if (original !== undefined && !files.has(original)) notes.push(goneNote(original));
      if (!isKept || !newer || !isSame(files.get(original), newer)) continue;
      steps.push({ do: "remove", name: original });
      gone.add(original);
    }
  }
  if (steps.length > 0 && wasMade(files)) steps.push({ do: "remove folder" });
  const left = originals(files).filter((name) => !gone.has(name));
  return {
    steps,
    notes: [...notes, ...left.map((name) => `${name} lies there from earlier, and nothing runs it: it may be deleted`)],
    saved: edited.notes,
    changed: steps.length > 0,
  };
}

type Manager = "pre-commit" | "husky" | "discobot" | "lefthook" | "simple-git-hooks";

/** Signs of who wrote a hook: each stands in what that tool writes itself, and in nothing that a person writes. */
const managers: Readonly<Record<Manager, RegExp>> = {
  "pre-commit": /File generated by pre-commit/,
  husky: /\. "\$\(dirname -*\s*"?\$0"?\)\/h(usky\.sh)?"/,
  discobot: /^# discobot:managed$/m,
  lefthook: /^call_lefthook\(\)/m,
  "simple-git-hooks": /\[INFO\] SKIP_SIMPLE_GIT_HOOKS is set to 1/,
};
const isOf = (manager: Manager, file: HookFile | undefined): boolean => managers[manager].test(file?.text ?? "");
export const managerOf = (file: HookFile | undefined): string | undefined =>
  Object.entries(managers).find(([, sign]) => sign.test(file?.text ?? ""))?.[0];

/** What a person should know of a hook that is not ours. */
function foreignNotes(file: HookFile): string[] {
  const notes: string[] = [];
  if (isOf("husky", file)) {
    notes.push(
      'husky writes this folder anew when it is installed: "prepare": "husky && hookline git install" in package.json keeps Hookline in it',
    );
  }
  if (isOf("pre-commit", file))
    notes.push("it is the pre-commit framework's; pre-commit install later on keeps Hookline as well");
  if (isOf("discobot", file))
    notes.push("it is discobot's and runs the scripts of .discobot/hooks, too: they run twice");
  return notes;
}

/** Shells that, told to read a file, keep the name that they were started under. */
const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "ash", "ksh"]);

/**
 * A shell hook that asks for its own name or place (husky's does) is read in ours, so that it finds what it found before.
 * Every other program is started as it is.
 */
function shellOf(file: HookFile | undefined): { shell?: readonly string[] } {
  const { text = "" } = file ?? {};
  const [, program = "", words = ""] = /^#![ \t]*(\S+)[ \t]*(.*)/.exec(text) ?? [];
  const isByName = /(^|\/)env$/.test(program);
  const given = words.split(/[ \t]+/).filter((word) => word !== "" && !(isByName && word === "-S"));
  const [shell = "", ...flags] = isByName ? given : [program, ...given];
  const isKnown =
    shells.has(shell.slice(shell.lastIndexOf("/") + 1)) && flags.every((flag) => /^-[a-zA-Z]+$/.test(flag));
  return isKnown && /\$(0|\{0)/.test(text) ? { shell: [shell, ...flags] } : {};
}

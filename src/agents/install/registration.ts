/**
 * How an agent is registered: one editor for each format of the files that say what agents call, JSON with
 * comments of which a part is ours, or a file of our own. Each plans, undoes, recognises and reads. Pure: install writes.
 */

import { createHash } from "node:crypto";
import { HooklineError } from "../../engine/error.ts";
import type { AgentEventName, Fields, Seconds } from "../../engine/event.ts";
import { counted } from "../../engine/words.ts";
import type { AgentAdapter, JsonGroups, OwnedFile, Reply } from "../adapter.ts";
import {
  applyEdits,
  type Edit,
  inverse,
  type Printer,
  parseObject,
  printJson,
  printText,
  propertiesOf,
} from "./json-edit.ts";
import { type OwnCall, ownAddress, readOwnCall, readOwnDoor } from "./own-call.ts";
import { addGroups, emptyContainers, type Group, groupsIn, removeHandlers, topLevel } from "./settings-groups.ts";

export interface Registration {
  agent: string;
  /** What the line tries, one after the other. */
  tries: readonly Try[];
  /** It is to refuse the event where nothing can be started, because a guard is active for it. */
  guards?(event: string): boolean;
  /** How the agent reads that. */
  refuse(reason: string, event: string): Reply;
  /** The layer, so that two registrations of one event can be told apart (R49). */
  by: string;
  timeout: Seconds;
  /** The agent sends the daemon itself the events that can be answered so. */
  http?: HttpRegistration;
}

export interface HttpRegistration {
  port: number;
  token: string;
  takes(event: string): boolean;
  /** How long the agent is to wait: a daemon that is stopped answers nothing (R50). */
  timeoutOf(event: string): Seconds;
  /** The agent is to refuse it where the daemon does not answer, because a guard is active for it. */
  blocks(event: string): boolean;
}

const quoted = (word: string): string => `"${word.replaceAll(/\/{2,}/g, "/").replaceAll(/["\\$`]/g, "\\$&")}"`;

/**
 * A file that the agent's own shell reads, which starts something or ends the shell; or Node and our bin, which take its place. Absolute
 * paths, or one below a folder that the agent names in a variable, or below the nearest folder at or above the working folder that
 * has the file `beside`.
 */
export type Try = { read: string; below?: string; beside?: string } | { run: readonly [string, string] };

function tried(one: Try): string {
  if ("run" in one) {
    const [node, bin] = one.run.map(quoted);
    return `[ -x ${node} ] && [ -f ${bin} ] && exec ${node} ${bin} "$@"`;
  }
  if (one.beside !== undefined) {
    // Only that folder has a say: a file further up is another project's, or another person's.
    const [mark, read] = [one.beside, one.read].map((path) => quoted(`/${path}`).slice(1));
    return `hl_top=$PWD; while [ "$hl_top" ] && ! [ -e "$hl_top${mark} ]; do hl_top=\${hl_top%/*}; done; [ -r "$hl_top${read} ] && . "$hl_top${read}`;
  }
  const file = one.below === undefined ? quoted(one.read) : `"\${${one.below}:-.}/${quoted(one.read).slice(1)}`;
  return `[ -r ${file} ] && . ${file}`;
}

/**
 * The line that the agent runs, in POSIX sh. Its end is all that is left where the package and the state folder have gone: it goes by what
 * was active when it was written. It holds no "//": Cursor reads that as a remark.
 */
export const commandFor = (
  { tries, agent, by, guards, refuse }: Pick<Registration, "tries" | "agent" | "by" | "guards" | "refuse">,
  event: string,
): string => {
  const isGuarded = guards?.(event) === true;
  return [
    `set -- hook ${agent} --event ${event} --by ${by}${isGuarded ? " --guarded" : ""}`,
    ...tries.map(tried),
    ...(isGuarded
      ? said(
          refuse(
            `hookline: Hookline is gone, and a guard is active for this event, so it is blocked - install Hookline again; hookline uninstall ${agent} --layer ${by} takes this out`,
            event,
          ),
        )
      : said({
          exitCode: 0,
          stderr: "hookline: Hookline is gone, so its hooks do not run - install it again, or take this line out",
        })),
  ].join("; ");
};

/** What prints a reply and ends the shell; our texts hold nothing that a shell would read between these quotes. */
function said({ body, stderr, exitCode }: Reply): string[] {
  if (body !== undefined) return [`printf '%s\\n' '${JSON.stringify(body)}'`, `exit ${exitCode}`];
  return [`echo "${stderr ?? ""}" >&2`, `exit ${exitCode}`];
}

function handlerFor(registration: Registration, event: string, { timeoutIn }: JsonGroups): Fields {
  const { http } = registration;
  const timeout = timeoutIn === "milliseconds" ? registration.timeout * 1000 : registration.timeout;
  if (!http?.takes(event)) return { type: "command", command: commandFor(registration, event), timeout };
  return {
    type: "http",
    url: ownAddress(http.port, { ...registration, event }),
    headers: { authorization: `Bearer ${http.token}` },
    timeout: Math.min(timeout, http.timeoutOf(event)),
    ...(http.blocks(event) && { onFailure: "block" }),
  };
}

/** JSON may write a slash so, and Cursor reads two of them as a remark. */
const withoutRemarks =
  (print: Printer): Printer =>
  (indent, style) =>
    print(indent, style).replaceAll("//", "\\/\\/");

/** To be added for an event. */
export const groupOf = (event: string, handler: Fields): { event: string; print: Printer } => ({
  event,
  print: withoutRemarks(printJson({ hooks: [handler] })),
});

/** An entry of ours, as it stands in the settings. */
export interface OwnEntry extends Omit<OwnCall, "agent"> {
  /** The line; absent: the agent calls over HTTP. */
  command?: string;
  /** The agent sends the event to the daemon itself; blocks: and blocks it where no daemon answers. */
  overHttp?: true;
  blocks?: boolean;
  /** It stands in our mod. */
  inMod?: true;
}

export function ownEntry(handler: Record<string, unknown>, agent: string): OwnEntry | undefined {
  const call = readOwnCall(handler.command) ?? readOwnDoor(handler.url);
  if (call?.agent !== agent) return undefined;
  const { event, by } = call;
  return {
    ...{ event, ...(by !== undefined && { by }) },
    ...(typeof handler.command === "string" && { command: handler.command }),
    ...(handler.type === "http" && { overHttp: true, blocks: handler.onFailure === "block" }),
  };
}

export const ownEntries = (text: string | undefined, agent: string, file: string): OwnEntry[] =>
  groupsIn(text, file).flatMap((group) => group.handlers.flatMap((handler) => ownEntry(handler, agent) ?? []));

/** Groups with a handler that is not ours. */
export const foreignGroups = (text: string | undefined, agent: string, file: string): Group[] =>
  groupsIn(text, file).filter((group) => group.handlers.some((handler) => !ownEntry(handler, agent)));

/** A file as we left it, so that exactly that can be undone. */
export interface FileChange {
  file: string;
  /** It did not exist before. */
  created: boolean;
  createdFolders: string[];
  /** Hash of the text that we wrote. */
  after: string;
  /** What was done, one list of edits after the other. */
  stages: Edit[][];
  /** How many of the last stages came after install's own: an earlier build added events when a session began. */
  joined?: number;
  /** Containers that were there and empty. */
  keep: string[];
}

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The text before our stages, if it is still what we wrote. */
export const undone = (text: string, change: FileChange): string | undefined =>
  hashOf(text) === change.after
    ? change.stages.toReversed().reduce((now, stage) => applyEdits(now, inverse(stage)), text)
    : undefined;

export interface InstallPlan {
  text: string;
  /** From the text without our entries to the new one. */
  stage: Edit[];
  /** Containers that were there and empty. */
  keep: string[];
}

export interface PlanOptions extends Registration {
  text: string | undefined;
  events: readonly string[];
  /** For error messages. */
  file: string;
}

export interface UninstallPlan {
  /** Absent: the file did not exist before. */
  text: string | undefined;
  removed: number;
  /** The bytes are those before install, not only the meaning. */
  exact: boolean;
}

/** A file that we created goes when nothing is left in it. */
export function leftover(text: string, change: FileChange | undefined): string | undefined {
  if (!change?.created) return text;
  const root = parseObject(text, change.file);
  return root && (propertiesOf(root).length > 0 || /\/[/*]/.test(text)) ? text : undefined;
}

export const asItStands = ({ event, text }: Pick<Group, "event" | "text">): { event: string; print: Printer } => ({
  event,
  print: printText(text),
});

export interface Editor {
  /** Adds our entries to a text without any. Throws settings_unusable. */
  plan(options: PlanOptions): InstallPlan;
  /** Whether the text, as it stands, is what `plan` would make. */
  isCurrent(options: PlanOptions): boolean;
  /** With what install noted, back to the same bytes; without it, or after other edits, only what is ours goes. */
  undo(options: { text: string; file: string; change?: FileChange }): UninstallPlan;
  /** Our entries in it. Throws settings_unusable. */
  read(text: string | undefined, file: string): OwnEntry[];
  /** The switches in it by which the agent runs no hooks, each with its sentence. Throws settings_unusable. */
  switchesOff(text: string | undefined, file: string): string[];
  /** It is ours by its mark or its name, and holds no line of ours any more. */
  isDefaced(text: string | undefined): boolean;
  /** What a person should know of the rest of it. */
  notes(text: string | undefined, file: string): string[];
  /** Said where the file is not as install left it. */
  editedNote: string;
  /** It can hold hooks of others, which can be moved into ours, as they are written alike (R35). */
  holdsOthers: boolean;
}

export const editorOf = (agent: AgentAdapter): Editor => {
  const { editor } = agent.settings;
  return editor.is === "owned file" ? ownedFile(agent.name, editor) : jsonGroups(agent, editor);
};

/** Of the code of our mod in it, if it can have one. */
export const modEditorOf = ({ name, settings: { mod } }: AgentAdapter): Editor | undefined =>
  mod && ownedFile(name, mod);

/** Whether this text registers us. One that cannot be read does not: the agent cannot read it either. */
export function isRegistered(agent: AgentAdapter, text: string | undefined): boolean {
  try {
    return editorOf(agent).read(text, "").length > 0;
  } catch {
    return false;
  }
}

export function isReadable(agent: AgentAdapter, text: string | undefined): boolean {
  try {
    editorOf(agent).read(text, "");
    return true;
  } catch {
    return false;
  }
}

/** What the file calls our event. */
const nameIn = ({ names = {} }: JsonGroups, event: string): string => names[event as AgentEventName] ?? event; // a key of the table, or there is none

const switchesIn = (switches: Readonly<Record<string, string>>, text: string | undefined, file: string): string[] =>
  Object.keys(switches)
    .filter((key) => topLevel(text, key, file) === true)
    .map((key) => `${file} sets ${key}: ${switches[key]}`);

const jsonGroups = ({ name, title, settings: { switches } }: AgentAdapter, form: JsonGroups): Editor => ({
  plan({ text, events, file, ...registration }) {
    const groups = events.map((event) => groupOf(nameIn(form, event), handlerFor(registration, event, form)));
    const stage = addGroups(text, groups, file);
    return { text: applyEdits(text ?? "", stage), stage, keep: emptyContainers(text, file) };
  },
  isCurrent({ text, events, file, ...registration }) {
    const own = groupsIn(text, file).filter((group) => group.handlers.some((one) => ownEntry(one, name)));
    const wanted = events.map((event) =>
      JSON.stringify([nameIn(form, event), { hooks: [handlerFor(registration, event, form)] }]),
    );
    const there = own.map((group) => JSON.stringify([group.event, group.value]));
    return wanted.length === there.length && wanted.every((one) => there.includes(one));
  },
  undo({ text, file, change }) {
    const removed = ownEntries(text, name, file).length;
    const before = change && undone(text, change);
    if (change && before !== undefined) return { text: leftover(before, change), removed, exact: true };
    const keep = change?.keep ?? [];
    const edits = removeHandlers(text, (handler) => ownEntry(handler, name) !== undefined, { file, keep });
    return { text: leftover(applyEdits(text, edits), change), removed, exact: false };
  },
  read: (text, file) => ownEntries(text, name, file),
  switchesOff: (text, file) => switchesIn(switches, text, file),
  isDefaced: () => false,
  notes(text, file) {
    const remaining = foreignGroups(text, name, file).flatMap((group) => group.handlers).length;
    return [
      ...switchesIn(switches, text, file),
      ...(remaining > 0
        ? [
            `${title} runs ${counted(remaining, "hook")} of ${file} itself; Hookline does not run them again for it${form.names ? "" : " (--take-over moves them)"}`,
          ]
        : []),
    ];
  },
  editedNote: "the file is not as install left it: only Hookline's own entries were taken out",
  holdsOthers: form.names === undefined,
});

function unquoted(literal: string): unknown {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined; // it only looks like one
  }
}

/** A file that holds nothing but our registration, such as a plugin: it is written as a whole and removed as a whole. */
function ownedFile(name: string, { print }: Pick<OwnedFile, "print">): Editor {
  const mark = `hookline:managed ${name}`;
  const owns = (text: string | undefined): text is string => text?.includes(mark) === true;
  const textFor = ({ events, ...registration }: PlanOptions): string =>
    print({ mark, calls: events.map((event) => ({ event, command: commandFor(registration, event) })) });
  /** Its lines stand there as JSON writes texts. */
  const entriesIn = (text: string): OwnEntry[] =>
    [...text.matchAll(/"(?:[^"\\\n]|\\.)*"/g)].flatMap(
      ([literal]) => ownEntry({ command: unquoted(literal) }, name) ?? [],
    );
  const entriesOf = (text: string | undefined): OwnEntry[] => (owns(text) ? entriesIn(text) : []);
  return {
    plan(options) {
      const { text, file } = options;
      if (text && !owns(text)) {
        throw new HooklineError("settings_unusable", {
          reason: "another program has written it",
          where: file,
          advice: "move it away; nothing was written",
        });
      }
      const made = textFor(options);
      const stage: Edit[] = [{ offset: 0, removed: text ?? "", inserted: made }];
      return { text: made, stage, keep: [] };
    },
    isCurrent: (options) => options.text === textFor(options),
    undo({ text, change }) {
      if (!owns(text)) return { text, removed: 0, exact: false };
      return { text: undefined, removed: entriesIn(text).length, exact: !change || change.after === hashOf(text) };
    },
    read: entriesOf,
    switchesOff: () => [],
    isDefaced: (text) => text !== undefined && entriesOf(text).length === 0,
    notes: () => [],
    editedNote: "another program had changed the file, which is Hookline's own: it was removed as a whole",
    holdsOthers: false,
  };
}

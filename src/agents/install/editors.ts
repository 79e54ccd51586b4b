/**
 * How an agent is registered: one editor for each format of the files in which agents are told what to call. Each plans, undoes,
 * recognises and reads; install writes and notes. JSON with comments, of which a part is ours, is in registration.ts.
 */
import { HooklineError } from "../../engine/error.ts";
import type { AgentAdapter, OwnedFile } from "../adapter.ts";
import type { Edit } from "./json-edit.ts";
import {
  commandFor,
  type FileChange,
  foreignGroups,
  hashOf,
  type InstallPlan,
  isCurrent,
  isOurs,
  type OwnEntry,
  ownEntries,
  type PlanOptions,
  planInstall,
  planUninstall,
  type UninstallPlan,
} from "./registration.ts";
import { topLevel } from "./settings-groups.ts";

export interface Editor {
  /** From a text without our entries. Throws settings_unusable. */
  plan(options: PlanOptions): InstallPlan;
  /** Whether the text, as it stands, is what `plan` would make. */
  isCurrent(options: PlanOptions): boolean;
  /** With what install noted, back to the same bytes; without it only what is ours goes. */
  undo(options: { text: string; file: string; change?: FileChange }): UninstallPlan;
  /** Whether this text registers us. Never throws. */
  isOurs(text: string | undefined): boolean;
  /** Our entries in it. Throws settings_unusable. */
  read(text: string | undefined, file: string): OwnEntry[];
  /** What a person should know of the rest of it. */
  notes(text: string | undefined, file: string): string[];
  /** Said where the file is not as install left it. */
  editedNote: string;
  /** It can hold hooks of others, which can be moved into ours (R35). */
  holdsOthers: boolean;
}

export const editorOf = (agent: AgentAdapter): Editor => {
  const { editor } = agent.settings;
  return editor.is === "owned file" ? ownedFile(agent, editor) : jsonGroups(agent);
};

const jsonGroups = ({ name, title, settings: { switches } }: AgentAdapter): Editor => ({
  plan: planInstall,
  isCurrent: ({ text, events, file, ...registration }) => isCurrent(text, registration, events, file),
  undo: ({ text, file, change }) => planUninstall({ text, agent: name, file, ...(change && { change }) }),
  isOurs: (text) => isOurs(text, name),
  read: (text, file) => ownEntries(text, name, file),
  notes(text, file) {
    const remaining = foreignGroups(text, name, file).flatMap((group) => group.handlers).length;
    return [
      ...Object.keys(switches)
        .filter((key) => topLevel(text, key, file) === true)
        .map((key) => `${file} sets ${key}: ${switches[key]}`),
      ...(remaining > 0
        ? [
            `${title} runs ${remaining === 1 ? "1 hook" : `${remaining} hooks`} of ${file} itself; Hookline does not run them again for it (--take-over moves them)`,
          ]
        : []),
    ];
  },
  editedNote: "the file is not as install left it: only Hookline's own entries were taken out",
  holdsOthers: true,
});

/** A file that holds nothing but our registration, such as a plugin: it is written as a whole and removed as a whole. */
function ownedFile({ name }: AgentAdapter, { print }: OwnedFile): Editor {
  const mark = `hookline:managed ${name}`;
  const owns = (text: string | undefined): text is string => text?.includes(mark) === true;
  const textFor = ({ events, ...registration }: PlanOptions): string =>
    print({ mark, calls: events.map((event) => ({ event, command: commandFor(registration, event) })) });
  const entriesIn = (text: string): OwnEntry[] =>
    [...text.matchAll(/ hook ([\w-]+) --event (\w+)(?: --by (\w+))?/g)].flatMap(([, agent, event = "", by]) =>
      agent === name ? { event, ...(by !== undefined && { by }) } : [],
    );
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
      return { text: made, changed: true, stage, keep: [] };
    },
    isCurrent: (options) => options.text === textFor(options),
    undo({ text, change }) {
      if (!owns(text)) return { text, removed: 0, exact: false };
      return { text: undefined, removed: entriesIn(text).length, exact: !change || change.after === hashOf(text) };
    },
    isOurs: owns,
    read: (text) => (owns(text) ? entriesIn(text) : []),
    notes: () => [],
    editedNote: "somebody had changed the file, which is Hookline's own: it was removed as a whole",
    holdsOthers: false,
  };
}

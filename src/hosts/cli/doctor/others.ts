/** What else is in the agents' own files: hooks that are not Hookline's, and files that a second agent reads too. */
import type { AgentAdapter } from "../../../agents/adapter.ts";
import { layersOf } from "../../../agents/adapter.ts";
import { agents } from "../../../agents/index.ts";
import { codeInside, type Inside, insideWords } from "../../../agents/inside.ts";
import { readText } from "../../../agents/install/files.ts";
import { editorOf, foreignGroups } from "../../../agents/install/registration.ts";
import { word } from "../../../engine/program.ts";
import { counted, listed } from "../../../engine/words.ts";
import { type Area, row } from "./check.ts";
import type { Here, Registered } from "./here.ts";

interface Strangers {
  agent: AgentAdapter;
  file: string;
  events: readonly string[];
  count: number;
  isRegistered: boolean;
}

export const others: Area = {
  name: "others",
  checks: [
    row<{ one: Registered; reader: Registered }>("read-twice", {
      is: "note",
      find({ registrations: look }) {
        const { registered } = look();
        return registered.flatMap((one) => {
          const readers = one.agent.settings.alsoReadBy[one.layer] ?? [];
          return registered
            .filter(({ agent }) => agent !== one.agent && readers.some((title) => title === agent.title))
            .map((reader) => ({ one, reader }));
        });
      },
      says: ({ one, reader }, { show }) =>
        `${reader.agent.title} runs ${show(one.file)} too, and is registered in ${show(reader.file)}: its events reach Hookline twice`,
      run: ({ reader: { agent, layer } }) => `hookline uninstall ${agent.name} --layer ${layer}`,
      agent: ({ reader }) => reader.agent.name,
    }),
    row<Strangers>("hooks-of-others", {
      is: "note",
      find: strangers,
      says: ({ agent, file, events, count }, { show }) =>
        `${agent.title} itself runs ${counted(count, "hook")} of ${show(file)} on ${listed(events)}: Hookline does not record ${count === 1 ? "it" : "them"}`,
      run: ({ agent, file, isRegistered }) =>
        isRegistered && editorOf(agent).holdsOthers
          ? `hookline install ${agent.name} --take-over`
          : `hookline check ${word(file)}`,
      agent: ({ agent }) => agent.name,
    }),
    row<Inside>("code-inside", {
      is: "note",
      find: ({ places }) => codeInside(places),
      says: (one, { show }) => `${one.agent.title}: ${insideWords(one)} (${show(one.path)})`,
      run: ({ is, agent }, here) =>
        is === "mod" && agent.settings.mod && !hasMod(here, agent)
          ? `hookline install ${agent.name} --mod`
          : `hookline status`,
      agent: ({ agent }) => agent.name,
    }),
  ],
  good: () => "no other hooks stand in your agents' own files",
};

const hasMod = ({ registrations: look }: Here, agent: AgentAdapter): boolean =>
  look().registered.some((one) => one.agent === agent && one.entries.some(({ inMod }) => inMod));

/** Of the user's own layer: those of a project are listed as its hooks. A file that cannot be read is a finding of the agents' area. */
function strangers({ places, registrations: look }: Here): Strangers[] {
  return Object.values(agents).flatMap((agent): Strangers[] => {
    if (agent.settings.editor.is === "owned file" || !layersOf(agent).includes("user")) return [];
    const file = agent.settings.file("user", places);
    if (look().unreadable.some((one) => one.file === file)) return [];
    const groups = foreignGroups(readText(file), agent.name, file);
    if (groups.length === 0) return [];
    const isRegistered = look().registered.some((one) => one.agent === agent && one.layer === "user");
    const events = [...new Set(groups.map(({ event }) => event))];
    return [
      { agent, file, events, count: groups.reduce((sum, { handlers }) => sum + handlers.length, 0), isRegistered },
    ];
  });
}

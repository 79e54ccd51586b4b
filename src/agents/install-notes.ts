/** What a person should know when hooks are installed or taken out: sentences, read from all files of the agent. */
import { messageOf } from "../core/error.ts";
import { type AgentAdapter, type InstallLayer, installLayers, type Places } from "./adapter.ts";
import { foreignGroups, ownEntries, type UninstallPlan } from "./registration.ts";
import { topLevel } from "./settings-edit.ts";
import { readText } from "./settings-file.ts";
import type { MovePlan } from "./take-over.ts";

interface AgentFile {
  layer: InstallLayer;
  file: string;
}
const agentFiles = (agent: AgentAdapter, places: Places): AgentFile[] =>
  installLayers.map((layer) => ({ layer, file: agent.settings.file(layer, places) }));

export interface Install {
  agent: AgentAdapter;
  layer: InstallLayer;
  places: Places;
  wanted?: readonly string[];
}

/** About the file as it will be. */
export function installNotes(
  { agent, layer, places, wanted = [] }: Install,
  file: string,
  text: string | undefined,
): string[] {
  const { switches, alsoReadBy } = agent.settings;
  const remaining = foreignGroups(text, agent.name, file).flatMap((group) => group.handlers).length;
  const readers = alsoReadBy[layer] ?? [];
  return [
    ...Object.keys(switches)
      .filter((key) => topLevel(text, key, file) === true)
      .map((key) => `${file} sets ${key}: ${switches[key]}`),
    ...conflicts(agent, layer, places),
    ...(remaining > 0
      ? [
          `${agent.title} runs ${count(remaining, "hook")} of ${file} itself; Hookline does not run them again for it (--take-over moves them)`,
        ]
      : []),
    ...(readers.length > 0
      ? [`${readers.join(", ")} can read ${file} too: there, Hookline answers as for ${agent.title}`]
      : []),
    ...(wanted.includes("WorktreeCreate")
      ? [`a hook on WorktreeCreate has to give the worktree's path: ${agent.title} makes none itself then`]
      : []),
  ];
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** Where else we are registered for the same agent: one event then reaches us twice. */
function conflicts(agent: AgentAdapter, layer: InstallLayer, places: Places): string[] {
  return agentFiles(agent, places).flatMap((other) => {
    if (other.layer === layer || other.file === agent.settings.file(layer, places)) return [];
    try {
      const there = ownEntries(readText(other.file), agent.name, other.file).length;
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

export const movedNotes = (move: MovePlan, file: string): string[] => [
  `${count(move.moved.length, "group")} of hooks moved to ${move.target.change.file}; uninstall moves them back`,
  ...(move.left.length > 0
    ? [`${count(move.left.length, "group")} of hooks stayed in ${file}: they need the agent's own models or servers`]
    : []),
];

export const removalNotes = (plan: UninstallPlan, missing: number): string[] => [
  ...(plan.removed > 0 && !plan.exact
    ? ["the file is not as install left it: only Hookline's own entries were taken out"]
    : []),
  ...(missing > 0
    ? [
        `${count(missing, "group")} of hooks that had been taken over were edited or removed since: they stay as they are`,
      ]
    : []),
];

/**
 * Notes in the state folder which calls of agents a guard waits for, so that they are refused where Hookline cannot be started any
 * more (R78). A load that has read the hook files writes them; an event that finds them compiled writes nothing.
 */
import { existsSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { AgentEventName } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Hook } from "../../engine/hook.ts";
import { listensTo } from "../../engine/plan.ts";
import { readRegularTextSync } from "../../files/regular-file.ts";
import { makePrivateFolder, writePrivate } from "../../files/write.ts";
import type { AgentAdapter, Places } from "../adapter.ts";
import { agents, runByAgent } from "../index.ts";
import { goneFile, guardedFolder } from "./own-call.ts";

/**
 * The events of an agent on which one of these hooks must not fail open. Those where a refusal makes the agent go on are left out:
 * without Hookline nothing would ever end that.
 */
export function guardedEvents(agent: AgentAdapter, hooks: readonly Hook[], places: Places): AgentEventName[] {
  const guards = hooks.filter(
    (hook) =>
      hook.enabled &&
      hook.onFailure === "block" &&
      hook.untrusted === undefined &&
      !runByAgent(hook, agent.name, places),
  );
  const { events, onlyWanted } = agent.settings;
  return [...events, ...onlyWanted].filter((name) => isRefusable(name) && guards.some((hook) => listensTo(hook, name)));
}

const isRefusable = (name: AgentEventName): boolean =>
  rowOf(name).accepts.includes("verdict") && rowOf(name).costs === undefined;

interface Noted {
  stateFolder: string;
  /** Of the project, and all that are active there. */
  root: string;
  hooks: readonly Hook[];
  places: Omit<Places, "root">;
}

/** Where Hookline is registered: elsewhere nothing reads it. Never throws: what cannot be noted goes by what install registered. */
export function noteGuards({ stateFolder, root, hooks, places }: Noted): void {
  if (!existsSync(goneFile(stateFolder))) return;
  const here = { ...places, root };
  try {
    const isOfProject = ({ origin }: Hook): boolean => origin.root !== undefined;
    note(stateFolder, realpathSync(root), callsOn(hooks.filter(isOfProject), here));
    note(
      stateFolder,
      "/",
      callsOn(
        hooks.filter((hook) => !isOfProject(hook)),
        here,
      ),
    );
  } catch {
    // The folder is gone, or cannot be written.
  }
}

const callsOn = (hooks: readonly Hook[], places: Places): string[] =>
  Object.values(agents).flatMap((agent) => guardedEvents(agent, hooks, places).map((name) => `${agent.name}/${name}`));

function note(stateFolder: string, folder: string, calls: readonly string[]): void {
  const file = join(guardedFolder(stateFolder), fingerprint(folder));
  const before = existsSync(file) ? readRegularTextSync(file) : undefined;
  const after = calls.length === 0 ? undefined : `${coveringOf(folder)}\n${calls.join(" ")}\n`;
  if (before === after) return;
  if (after === undefined) rmSync(file, { force: true });
  else {
    makePrivateFolder(stateFolder, ["guarded"]);
    writePrivate(file, after);
  }
}

/**
 * The events of an agent for which guards are noted, in whatever folder that is there still. A person's own registration serves all
 * of their projects: from a project without guards nothing of it becomes weaker. Never throws.
 */
export function notedEvents({ name: agent }: AgentAdapter, stateFolder: string): AgentEventName[] {
  const folder = guardedFolder(stateFolder);
  try {
    return readdirSync(folder).flatMap((file) => {
      const [covered = "", calls = ""] = readRegularTextSync(join(folder, file)).split("\n");
      if (!existsSync(covered)) return [];
      return calls.split(" ").flatMap((call) => {
        const [of, event] = call.split("/");
        return of === agent && event !== undefined ? (event as AgentEventName) : []; // written above
      });
    });
  } catch {
    return []; // none is noted
  }
}

/** A name of two lines cannot stand in one: the nearest folder above it can, and covers it. */
const coveringOf = (folder: string): string =>
  folder.includes("\n") ? folder.slice(0, folder.slice(0, folder.indexOf("\n")).lastIndexOf("/") + 1) : folder;

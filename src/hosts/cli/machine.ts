/** What this machine tells `status` of itself: its store, its agents' settings, git's hook, and what `check` finds. */
import { statSync } from "node:fs";
import { layersOf } from "../../agents/adapter.ts";
import { agents } from "../../agents/index.ts";
import { codeInside, insideWords } from "../../agents/inside.ts";
import { readJournal } from "../../agents/install/files.ts";
import { isReadable, isRegistered } from "../../agents/install/registration.ts";
import { findAgent } from "../../agents/install/version.ts";
import type { Store } from "../../engine/record.ts";
import { textAt } from "../../files/regular-file.ts";
import type { Machine, MachineQuestion, Registered } from "../../operations/machine.ts";
import { isAlive } from "../../runtime/system.ts";
import { workCounts } from "../../storage/sqlite/journal-queues.ts";
import type { SqliteStore } from "../../storage/sqlite/sqlite.ts";
import { missingDoors } from "./daemon/port.ts";
import { gitHookHere } from "./git/hooks.ts";
import { findingsOf } from "./hooks/check.ts";
import { type Place, stateFolder } from "./place.ts";

interface MachineOptions {
  /** From where the store is found. */
  place: Place;
  store: Pick<SqliteStore, "database"> & { path: string; runs: Store["runs"] };
}

/** Whoever asks only looks: to close them is for who works. */
const interruptedIn = async ({ runs }: MachineOptions["store"]): Promise<number> =>
  (await runs({ status: "running" })).filter(({ owner }) => owner !== undefined && !isAlive(owner)).length;

/** May throw what the store throws. */
export async function machineAt(
  { place, store }: MachineOptions,
  { folder, root, problems, hooks, port }: MachineQuestion,
): Promise<Machine> {
  const here = { ...place, cwd: folder };
  const findings = findingsOf({ problems, hooks }, here);
  return {
    store: { path: store.path, bytes: statSync(store.path).size, interrupted: await interruptedIn(store) },
    queue: workCounts(store.database),
    errors: findings.filter(({ severity }) => severity === "error").length,
    agents: registrationsOf(here, root),
    inside: codeInside({ home: place.home, root, environment: place.environment }).map((one) => {
      const { stands: _saidIn, ...rest } = one;
      return { ...rest, agent: one.agent.name, says: insideWords(one) };
    }),
    missing: missingDoors(place, store.path, port),
    git: gitHookHere(here),
  };
}

function registrationsOf(place: Place, root: string): Registered[] {
  const { home, environment } = place;
  return Object.values(agents).flatMap((agent) =>
    layersOf(agent).map((layer) => {
      const file = agent.settings.file(layer, { home, root, environment });
      const text = textAt(file) ?? "";
      const one = { agent: agent.name, layer, file, registered: isRegistered(agent, text) };
      if (!one.registered) return isReadable(agent, text) ? one : { ...one, unreadable: true as const };
      const version = findAgent(agent, environment)?.version;
      const was = readJournal(stateFolder(place), agent.name, file)?.agentVersion;
      return { ...one, ...(version !== undefined && { version }), ...(was !== undefined && { was }) };
    }),
  );
}

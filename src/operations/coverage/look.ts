/** Looks at what the agents of a project have written of their sessions since the last look: of files that are as they were, no byte. */
import { statSync } from "node:fs";
import { type AgentAdapter, layersOf } from "../../agents/adapter.ts";
import { agents } from "../../agents/index.ts";
import { installedAt } from "../../agents/install/files.ts";
import { isRegistered } from "../../agents/install/registration.ts";
import { isOfStore } from "../../engine/error.ts";
import type { Instant, MaybePromise, SessionId } from "../../engine/event.ts";
import { ranByTranscript } from "../../engine/receipt.ts";
import type { Store, Transcript } from "../../engine/record.ts";
import { stateFolderOf } from "../../files/paths.ts";
import { textAt } from "../../files/regular-file.ts";
import { type Reached, reachedOf, readOn } from "./transcript.ts";

export interface Looking {
  store: Pick<Store, "transcripts" | "saveTranscript" | "deliveriesFrom" | "heard">;
  home: string;
  environment?: Readonly<Record<string, string>> | undefined;
  /** The project's root. */
  root: string;
  /** Absent: all agents that call Hookline there. */
  sender?: string;
  now: Instant;
  /** Milliseconds: what is left then is read at the next look. */
  within: number;
  /** Ends it where it is. */
  signal?: AbortSignal;
  /** Hears of each call that ran, in place of the store alone. */
  heard?: Store["heard"];
}

/** What an agent did before that is not looked at. */
const looksBack = 7 * 86_400_000;

/** All transcripts that are known, of other projects too. May throw what the store throws, but where it only cannot be written. */
export async function lookAtTranscripts(looking: Looking): Promise<Transcript[]> {
  const { store, now, within, signal, heard = store.heard } = looking;
  const known = new Map((await store.transcripts()).map((row) => [row.path, row]));
  const reached = new Map<SessionId, Promise<Reached>>();
  const until = performance.now() + within;
  const isOver = (): boolean => signal?.aborted === true || performance.now() >= until;
  for (const { agent, since } of registeredAgents(looking)) {
    if (isOver()) break;
    const recorded = await agent.recorded?.();
    const sources = recorded?.sources({
      ...homeOf(looking),
      folder: looking.root,
      since: Math.max(since, now - looksBack),
    });
    for (const source of (sources ?? []).toSorted((one, other) => other.modified - one.modified)) {
      if (!recorded || isOver()) break;
      const before = known.get(source.path);
      if (before && isAsItWas(before, source)) continue;
      const row = await readOn({
        ...{ recorded, source, known: before, sender: agent.name, since },
        isOver,
        async settled(session, call) {
          if (call.result === "ran" && !recorded.knownBy) await kept(() => heard(session, ranByTranscript(call)));
        },
        reached(session) {
          const own = reached.get(session) ?? reachedOf(session, store);
          reached.set(session, own);
          return own;
        },
      });
      known.set(row.path, row);
      await kept(() => store.saveTranscript(row));
    }
  }
  return asKept([...known.values()], store);
}

/** The store takes secrets out of what it keeps. */
async function asKept(rows: readonly Transcript[], store: Looking["store"]): Promise<Transcript[]> {
  const kept = new Map((await store.transcripts()).map((row) => [row.path, row]));
  return rows.map((row) => {
    const own = kept.get(row.path);
    return own?.read === row.read && own.modified === row.modified ? own : row;
  });
}

const isAsItWas = (before: Transcript, { modified, end }: Pick<Transcript, "modified" | "end">): boolean =>
  before.modified === modified && before.end === end && before.isUnfinished !== true;

const homeOf = ({
  home,
  environment = {},
}: Looking): Pick<Looking, "home"> & { environment: Record<string, string> } => ({
  home,
  environment,
});

/** A store that cannot be written is looked at all the same. */
async function kept(write: () => MaybePromise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isOfStore(error)) throw error;
  }
}

/** Those that call Hookline in this project, and since when: what they did before could not reach it. */
function registeredAgents(looking: Looking): { agent: AgentAdapter; since: Instant }[] {
  const places = { ...homeOf(looking), root: looking.root };
  const state = stateFolderOf(places.home, places.environment);
  const asked = Object.values(agents).filter(({ name }) => looking.sender === undefined || name === looking.sender);
  return asked.flatMap((agent) => {
    const since = layersOf(agent).flatMap((layer) => {
      const file = agent.settings.file(layer, places);
      if (!isRegistered(agent, textAt(file))) return [];
      return installedAt(state, agent.name, file) ?? statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? [];
    });
    return since.length === 0 ? [] : { agent, since: Math.min(...since) };
  });
}

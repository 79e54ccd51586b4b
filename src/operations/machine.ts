/** Facts about the machine beside its hooks and runs. A host that knows them gives them to the operations; `status` shows them. */
import type { CodeInside } from "../agents/adapter.ts";
import type { HttpDoor } from "../agents/install/client.ts";
import type { Hook, Problem } from "../engine/hook.ts";
import { pathFrom } from "./shown.ts";

/** A settings file of an agent. */
export interface Registered {
  agent: string;
  layer: string;
  file: string;
  registered: boolean;
  /** Its text cannot be read, by the agent neither. */
  unreadable?: true;
  /** Of the agent: today's, and that at install. */
  version?: string;
  was?: string;
}

/** An agent that sends its events to another port than the daemon's. */
export interface MissingDoor extends HttpDoor {
  /** The usual store, where the daemon that is asked about has another. */
  store?: string;
}

export interface GitHookHere {
  /** Where git looks for hooks. */
  hooks: string;
  /** The name of ours in it. */
  hook: string | null;
  /** A person has installed it here, and it has been there. */
  wasInstalled: boolean;
}

/** Runs of automations. */
export interface QueueCounts {
  waiting: number;
  running: number;
  /** Other machines perform them, or they wait there. */
  handedOver: number;
}

export interface Machine {
  /** `interrupted`: runs of a crashed process, which the next command that works marks so. */
  store: { path: string; bytes: number; interrupted: number };
  queue: QueueCounts;
  /** How many errors `check` finds. */
  errors: number;
  agents: readonly Registered[];
  missing: readonly MissingDoor[];
  /** What can come between an agent's calls and us. */
  inside: readonly (Omit<CodeInside, "stands"> & { agent: string; says: string })[];
  /** Null: no repository. */
  git: GitHookHere | null;
}

/** What it is asked about: a folder, its project, and what is active there. */
export interface MachineQuestion {
  folder: string;
  root: string;
  problems: readonly Problem[];
  hooks: readonly Hook[];
  /** Where the daemon of the store listens; undefined: nowhere. */
  port: number | undefined;
}

/** A sentence for the person, with what to do. */
export function missingDoorWords(
  { agent, by, port, file, store }: MissingDoor,
  { cwd, home }: { cwd: string; home: string },
): string {
  const path = (one: string): string => pathFrom(one, cwd, home);
  const sends = `${agent} sends its events to a daemon at port ${port} (${path(file)})`;
  const install = `hookline install ${agent} --layer ${by}`;
  return store === undefined
    ? `${sends}, but this daemon listens on another port: run \`${install} --http\``
    : `${sends}, the port of the daemon of ${path(store)}, which is not running: unset HOOKLINE_STORE, which names another store, or run \`${install}\` without --http`;
}

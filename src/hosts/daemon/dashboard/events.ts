/** Events as pages show them: what happened, what came of it, and which hook of which file said so. */
import { basename } from "node:path";
import { howToAllow } from "../../../engine/counting.ts";
import { messageOf } from "../../../engine/error.ts";
import { type Fields, type Json, textField } from "../../../engine/event.ts";
import { rowOf } from "../../../engine/events.ts";
import { type HookSet, isBuiltIn } from "../../../engine/hook.ts";
import type { Run, Store, StoredEvent } from "../../../engine/record.ts";
import { isRecord, type Schema, text } from "../../../engine/schema.ts";
import { findProject } from "../../../loading/project.ts";
import type { Appeal } from "../../../operations/appeals.ts";
import { subjectOf } from "../../../operations/call.ts";
import { receiptWords } from "../../../operations/runs/receipt-words.ts";
import type { Daemon } from "../daemon.ts";
import { deepestInLevels, jsonIn } from "../ingest.ts";
import type { Blocked, EventShown, HookPlace, Hooks, Now, ProjectShown, Session } from "./shown.ts";

export function eventShown({ event, outcome, ms, receipt }: StoredEvent, runs: readonly Run[]): EventShown {
  const { id, name, at, sender, data } = event;
  return {
    ...{ id, name, at, sender },
    tool: textField(data, "tool_name") ?? null,
    subject: subjectOf(data),
    verdict: outcome?.verdict?.is ?? (outcome?.stop ? "deny" : null),
    reason: outcome?.verdict?.reason ?? outcome?.stop?.reason ?? null,
    isRewritten: outcome?.updatedInput !== undefined || outcome?.updatedOutput !== undefined,
    hasContext: (outcome?.context?.length ?? 0) > 0,
    isAnswered: outcome !== undefined,
    receipt: receipt ? { is: receipt.is, says: receiptWords(receipt) } : null,
    ms: ms ?? null,
    runs: runs.map((run) => ({ id: run.id, name: run.hookName, status: run.status })),
  };
}

/** Where a hook is written, as the set says that decided; a hook that it does not hold has only its name. */
export function placeIn(set: HookSet | undefined, id: string, name: string = id): HookPlace {
  const hook = set?.hooks.find((one) => one.id === id);
  if (!hook) return { id, name, file: null, line: null, layer: null };
  const { file = null, line = null, layer } = hook.origin;
  return isBuiltIn(hook)
    ? { id, name: hook.name, file: null, line: null, layer: "built in" }
    : { id, name: hook.name, file, line, layer };
}

/** The run that refused says so. */
export const couldBeAllowed = (run: Run | undefined): boolean => run?.notes.includes(howToAllow) ?? false;

/** @param appeals that are open */
export async function blockedShown(
  stored: StoredEvent,
  appeals: readonly Appeal[],
  { store, projectAt }: Knowing,
): Promise<Blocked> {
  const { event, outcome } = stored;
  const runs = await store.runs({ eventId: event.id });
  const by = outcome?.verdict?.by;
  const refusing = runs.find(({ hook }) => hook === by) ?? runs.find((run) => run.outcome?.verdict?.is === "deny");
  const set = await store.hookSet(stored.set);
  const appeal = appeals.find(({ run }) => runs.some(({ id }) => id === run));
  return {
    ...eventShown(stored, runs),
    reason: refusing?.outcome?.verdict?.reason ?? outcome?.verdict?.reason ?? outcome?.stop?.reason ?? null, // without the label for models
    session: event.session ?? null,
    project: projectAt(event.cwd),
    hook: placeIn(set, by ?? refusing?.hook ?? "", refusing?.hookName),
    run: refusing?.id ?? null,
    couldBeAllowed: couldBeAllowed(refusing),
    appeal: appeal ? { id: appeal.id, why: appeal.why } : null,
  };
}

export interface Knowing {
  store: Store;
  projectAt(folder: string): ProjectShown;
}

/** Newest first. Of what has no session, a lane for each sender and project. */
export async function sessionsOf(events: readonly StoredEvent[], { store, projectAt }: Knowing): Promise<Session[]> {
  const sessions = new Map<string, Session>();
  for (const stored of events) {
    const { session, sender, at, cwd, name } = stored.event;
    const project = projectAt(cwd);
    const key = session ?? `${sender}\n${project.root}`;
    let lane = sessions.get(key);
    if (!lane) {
      if (sessions.size >= sessionsAtMost) continue;
      lane = {
        id: session ?? null,
        sender,
        project,
        last: at,
        hasEnded: rowOf(name).endsSession === true,
        events: [],
        coverage: null,
      };
      sessions.set(key, lane);
    }
    if (lane.events.length < eventsAtMost)
      lane.events.unshift(eventShown(stored, await store.runs({ eventId: stored.event.id })));
  }
  return [...sessions.values()];
}
const sessionsAtMost = 12;
const eventsAtMost = 60;

/** Of each page about what happens lately. */
export const eventsLooked = 400;

export const projectParam: Schema<string> = text("only of this project, by its folder");

/** Folders as pages name them, and what is active there. */
export interface Projects {
  projectAt(folder: string): ProjectShown;
  /** The hooks that are active in a project, as its events meet them. */
  hooksAt(root: string): Promise<HookSet>;
  /** Of the project that a page is about; undefined: the daemon's own. */
  rootOf(written: string | undefined): string;
}

export function createProjects({ home, cwd, context }: Pick<Daemon, "home" | "cwd" | "context">): Projects {
  const projectAt = createProjectFinder(home);
  return {
    projectAt,
    hooksAt: async (root) => (await context.active(root)).set,
    rootOf: (written) => written ?? projectAt(cwd).root,
  };
}

const foldersAtMost = 500;

/** Remembered: to find a project means to look into a dozen folders. */
function createProjectFinder(home: string): (folder: string) => ProjectShown {
  const known = new Map<string, ProjectShown>();
  return (folder) => {
    const before = known.get(folder);
    if (before) return before;
    const { root } = findProject(folder, home);
    const found = { root, name: basename(root) || root };
    if (known.size >= foldersAtMost) known.clear();
    known.set(folder, found);
    return found;
  };
}

/** As a person has typed it. @throws Error that says what is wrong */
export function payloadIn(written: string): Fields {
  let read: unknown;
  try {
    read = JSON.parse(written);
  } catch (error) {
    throw new Error(`the payload is no JSON: ${messageOf(error)}`);
  }
  if (!isRecord(read)) throw new Error("the payload is no JSON object: begin it with {");
  if (jsonIn(written) === undefined)
    throw new Error(`the payload has more than ${deepestInLevels} levels: nest it less`);
  return read as Fields; // it was JSON
}

/** What is asked often or is large, without the copy that `plain` makes. */
export const shownAs = <T extends Now | Hooks>(shown: T): Json => shown as object as Json; // these hold JSON values only

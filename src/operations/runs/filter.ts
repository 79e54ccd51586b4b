/** Which runs are meant: those of the caller's project, unless the question names others. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { HooklineError } from "../../engine/error.ts";
import type { EventName, Instant } from "../../engine/event.ts";
import { eventNames, resolveEvent } from "../../engine/events.ts";
import { nearest } from "../../engine/nearest.ts";
import type { RunFilter, RunStatus } from "../../engine/record.ts";
import { flag, integer, object, oneOf, type Schema, say, someText } from "../../engine/schema.ts";
import { delayOf, instantOf } from "../../formats/automations/moment.ts";
import { allNamesOf, hooksCalled } from "../hooks/named-hook.ts";
import { type Asked, folderOf } from "../operation.ts";
import { projectFolders } from "../project-folders.ts";
import { eventNamed, type RecordStore, runNamed } from "../record.ts";
import type { RunOutcome } from "./listed-run.ts";
import { runOutcomes } from "./run-row.ts";

export const runStatus: Schema<RunStatus> = oneOf(
  "queued",
  "running",
  "completed",
  "skipped",
  "failed",
  "timeout",
  "cancelled",
  "interrupted",
);

/** What each surface may say, by the same names. */
export interface RunsAsked {
  hook?: string;
  status?: RunStatus;
  since?: string;
  outcome?: RunOutcome | "disobeyed";
  text?: string;
  event?: string;
  eventId?: string;
  session?: string;
  project?: string;
  all?: boolean;
  before?: string;
  limit?: number;
  /** Set by Hookline alone, for a model that may read one project's automations. */
  among?: NonNullable<RunFilter["among"]>;
}

const usualLimit = 30;

export const runsParams: Schema<RunsAsked> = object(
  {},
  {
    hook: someText("only runs of this hook, by the name or the id that `list` shows"),
    status: say(runStatus, "only runs with this status"),
    outcome: say(
      oneOf(...runOutcomes, "disobeyed"),
      "only runs whose answer did this to the event; `disobeyed`: only those that the agent has not obeyed",
    ),
    since: moment("only runs that began in this time, such as `30m`, `2h` or `1d`, or after this date"),
    text: someText(
      "only runs that hold this text in the hook's name, the call, the reason or the answer, in capitals or not",
    ),
    event: someText("only runs of this event"),
    eventId: someText("only runs of the event with this id"),
    session: someText("only runs of this session"),
    project: someText("only runs of the project that this folder belongs to; default: the caller's folder"),
    all: say(flag, "runs of all projects", false),
    before: someText("only runs that were written down before the run with this id: the next page"),
    limit: say(integer(undefined, 1, 10_000), "how many at most", usualLimit),
  },
);

function moment(description: string): Schema<string> {
  return {
    json: { type: "string", minLength: 1, description },
    check: (value, path = []) =>
      typeof value === "string" && momentIn(value, 0) !== undefined
        ? []
        : [{ path, expected: "a time such as 30m, 2h or 1d, or a date", found: JSON.stringify(value) ?? "nothing" }],
  };
}

function momentIn(written: string, now: Instant): Instant | undefined {
  const seconds = /^\d+$/.test(written.trim()) ? undefined : delayOf(written); // a number alone may mean anything
  return seconds === undefined ? instantOf(written) : now - seconds * 1000;
}

/** What the store can tell; findRuns looks at the text and the outcome. @throws HooklineError usage, event_unknown, hook_unknown, run_unknown */
export async function filterOf(params: RunsAsked, asked: Asked, record: RecordStore): Promise<RunFilter> {
  const { hook, status, event, eventId, session, since, before, project, all, among, limit = usualLimit } = params;
  if (all && project !== undefined) throw wrong("all and project exclude each other", "leave one of them out");
  const folders = all ? undefined : projectMeant(project, asked);
  const from = since === undefined ? undefined : momentIn(since, asked.now());
  return {
    limit,
    ...(status ? { status } : {}),
    ...(session === undefined ? {} : { session }),
    ...(among ? { among } : {}),
    ...(event === undefined ? {} : { event: eventMeant(event) }),
    ...(eventId === undefined ? {} : { eventId: (await eventNamed(record, eventId)).stored.event.id }),
    ...(from === undefined ? {} : { since: from }),
    ...(before === undefined ? {} : { before: (await runNamed(record, before)).id }),
    ...(folders ? { folders } : {}),
    ...(hook === undefined ? {} : { hook: await hooksMeant(hook, asked, record) }),
  };
}

const wrong = (what: string, advice: string): HooklineError =>
  new HooklineError("usage", { what, where: "what was asked", advice });

/** By any of its names; what applications send is called as they like. */
function eventMeant(written: string): string {
  const [name, ...others] = eventsMeant(written);
  if (others.length > 0) throw wrong(`${written} means ${[name, ...others].join(" and ")}`, "name one of them");
  return name;
}

/** All that a name stands for. @throws HooklineError event_unknown */
export function eventsMeant(written: string): readonly [EventName, ...EventName[]] {
  const [name, ...others] = resolveEvent(written) ?? [];
  if (name !== undefined) return [name, ...others];
  throw new HooklineError("event_unknown", { name: written, where: "event", near: nearest(written, eventNames) });
}

function projectMeant(written: string | undefined, asked: Asked): readonly string[] {
  const folder = resolve(folderOf(asked), written ?? ".");
  if (written === undefined || statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    return projectFolders({ cwd: folder, home: asked.home });
  throw wrong(`project needs a folder, and ${folder} is none`, "name a folder of the project");
}

/** By the name or the id that `list` shows, or by that of a hook that is gone and has runs. */
async function hooksMeant(name: string, asked: Asked, record: RecordStore): Promise<readonly string[]> {
  const cwd = folderOf(asked);
  const { set } = await asked.active(cwd);
  const recorded = await record.hooksWithRuns();
  const ids = [
    ...hooksCalled(set.hooks, { name, cwd }).map(({ id }) => id),
    ...recorded.flatMap((one) => (one.hook === name || one.name === name ? [one.hook] : [])),
  ];
  if (ids.length > 0) return [...new Set(ids)];
  const names = new Set([...set.hooks, ...recorded].map((one) => one.name));
  const known = [...names, ...set.hooks.flatMap(allNamesOf), ...recorded.map(({ hook }) => hook)];
  const near = nearest(name, known) ?? known.find((one) => one.includes(name));
  throw new HooklineError("hook_unknown", { name, where: "hook", near });
}

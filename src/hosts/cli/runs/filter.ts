/** Which runs a person asks for: those of this project, unless they say otherwise. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { HooklineError } from "../../../engine/error.ts";
import type { Instant } from "../../../engine/event.ts";
import { eventNames, resolveEvent } from "../../../engine/events.ts";
import { nearest } from "../../../engine/nearest.ts";
import type { RunFilter, RunStatus } from "../../../engine/record.ts";
import { delayOf } from "../../../formats/automations/moment.ts";
import { allNamesOf, hooksCalled } from "../../../operations/hooks.ts";
import { type Flags, type Invocation, textFlag, usageError } from "../command.ts";
import { statusStyles } from "../hooks/emit.ts";
import { loadActive } from "../loaded.ts";
import { projectFolders } from "../project.ts";
import type { OpenedRecord } from "../shared-store/record.ts";

const usualLimit = 30;

/** @throws HooklineError usage, hook_unknown */
export async function filterOf(invocation: Invocation, store: OpenedRecord): Promise<RunFilter> {
  const { flags, usage } = invocation;
  const filter: RunFilter = { limit: limitIn(flags, usage) };
  for (const name of ["session", "text"] as const) {
    const value = textFlag(flags, name);
    if (value === "") throw usageError(`--${name} needs a text`, usage);
    if (value !== undefined) filter[name] = value;
  }
  const event = eventIn(flags, usage);
  if (event !== undefined) filter.event = event;
  const status = statusIn(flags, usage);
  const since = sinceIn(flags, usage);
  const hook = textFlag(flags, "hook");
  const folders = foldersIn(invocation);
  return {
    ...filter,
    ...(status === undefined ? {} : { status }),
    ...(since === undefined ? {} : { since }),
    ...(folders ? { folders } : {}),
    ...(hook === undefined ? {} : { hook: await hooksNamed(hook, invocation, store) }),
  };
}

function limitIn(flags: Flags, usage: string): number {
  const written = textFlag(flags, "limit") ?? String(usualLimit);
  const limit = Number(written);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw usageError(`--limit needs a whole number above 0, not "${written}"`, usage);
}

/** By any of its names; what applications send is called as they like. */
function eventIn(flags: Flags, usage: string): string | undefined {
  const written = textFlag(flags, "event");
  if (written === undefined) return undefined;
  const [name, ...others] = resolveEvent(written) ?? [];
  if (others.length > 0)
    throw usageError(`${written} means ${[name, ...others].join(" and ")}: name one of them`, usage);
  if (name !== undefined) return name;
  throw new HooklineError("event_unknown", { name: written, where: "--event", near: nearest(written, eventNames) });
}

function statusIn(flags: Flags, usage: string): RunStatus | undefined {
  const written = textFlag(flags, "status");
  const statuses = Object.keys(statusStyles) as RunStatus[]; // the keys of a record
  const status = statuses.find((one) => one === written);
  if (written === undefined || status) return status;
  throw usageError(`no status is called "${written}": use ${statuses.join(", ")}`, usage);
}

function sinceIn(flags: Flags, usage: string): Instant | undefined {
  const written = textFlag(flags, "since");
  if (written === undefined) return undefined;
  const seconds = delayOf(written);
  const moment = seconds === undefined ? Date.parse(written) : Date.now() - seconds * 1000;
  if (!Number.isNaN(moment)) return moment;
  throw usageError(`--since needs a time such as 30m, 2h or 1d, or a date, not "${written}"`, usage);
}

/** None: those of all projects. */
function foldersIn({ flags, usage, cwd, home }: Invocation): readonly string[] | undefined {
  const written = textFlag(flags, "project");
  if (flags.all === true && written !== undefined) throw usageError("--all and --project exclude each other", usage);
  if (flags.all === true) return undefined;
  const folder = resolve(cwd, written ?? ".");
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return projectFolders({ cwd: folder, home });
  throw usageError(`--project needs a folder, and ${folder} is none`, usage);
}

/** By the name or the id that `list` shows, or by that of a hook that is gone and has runs. */
async function hooksNamed(name: string, invocation: Invocation, store: OpenedRecord): Promise<readonly string[]> {
  const { set } = await loadActive({ ...invocation, withoutModules: true }, store);
  const recorded = await store.hooksWithRuns();
  const ids = [
    ...hooksCalled(set.hooks, { name, cwd: invocation.cwd }).map(({ id }) => id),
    ...recorded.flatMap((one) => (one.hook === name || one.name === name ? [one.hook] : [])),
  ];
  if (ids.length > 0) return [...new Set(ids)];
  const names = new Set([...set.hooks, ...recorded].map((one) => one.name));
  const known = [...names, ...set.hooks.flatMap(allNamesOf), ...recorded.map(({ hook }) => hook)];
  const near = nearest(name, known) ?? known.find((one) => one.includes(name));
  throw new HooklineError("hook_unknown", { name, where: "--hook", near });
}

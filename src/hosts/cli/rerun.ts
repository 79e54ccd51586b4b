/** hookline rerun: the event of a run once more, for its hook as it is today. */
import { statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { namesKept, workspaceOf } from "../../actions/script/places.ts";
import { HooklineError } from "../../engine/error.ts";
import type { HookEvent } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import { textsIn } from "../../engine/named-files.ts";
import type { Run, Store } from "../../engine/record.ts";
import { findHook } from "../../operations/find-hook.ts";
import { systemPorts } from "../../runtime/system.ts";
import { runByHand } from "./by-hand.ts";
import { type ExitCode, type Invocation, usageError } from "./command.ts";
import { openStore } from "./store.ts";

export async function rerun(invocation: Invocation): Promise<ExitCode> {
  const [id] = invocation.words;
  if (id === undefined) throw usageError("the run's id is missing", invocation.usage);
  const store = await openStore(invocation);
  let told: Told;
  try {
    told = await toldTo(id, store);
  } catch (error) {
    store.close();
    throw error;
  }
  const { run, event, redacted } = told;
  if (redacted) invocation.terminal.error("hookline: secrets in the event were replaced before it was stored");
  const cwd = isFolder(event.cwd) ? event.cwd : invocation.cwd;
  return runByHand({ ...invocation, cwd }, store, async ({ loaded }) => {
    const hook = findHook(loaded.set.hooks, { name: run.hook, cwd, where: `run ${id}` });
    return { hook, event: forItsFiles({ ...event, cwd }, run, hook) };
  });
}

/**
 * A script that was owed ran for files that had changed before that event, and once it has passed nobody remembers them but
 * the run. They count as changed now.
 */
function forItsFiles(event: HookEvent, run: Run, hook: Hook): HookEvent {
  const { changes } = event;
  const output = run.steps.find(({ uses }) => uses === "script")?.output ?? {};
  const lists = [textsIn(output.files) ?? [], textsIn(output.removed) ?? []];
  if (!changes || "unknown" in changes || lists.every((list) => list.length === 0)) return event;
  const folder = workspaceOf({ event, hook });
  const pathOf = (name: string): string => relative(changes.base, resolve(folder, name)).split(sep).join("/");
  // Of a list that was cut nobody knows the rest, so all that may have been in it counts.
  const own = lists.some((list) => list.length >= namesKept) ? changes.earlier : lists.flat().map(pathOf);
  const files = [...new Set([...changes.files, ...own])].sort();
  return { ...event, changes: { ...changes, files, earlier: changes.earlier.filter((name) => !own.includes(name)) } };
}

interface Told {
  run: Run;
  event: HookEvent;
  redacted: boolean;
}

/**
 * As it was recorded, turn and changed files included, but not as the happening that it was: its delivery would be given
 * the first verdict, and its sender's own hooks would be left to the sender.
 *
 * @throws HooklineError run_unknown, payload_cut
 */
async function toldTo(name: string, store: Store): Promise<Told> {
  const run = await store.run(name);
  const stored = run && (await store.event(run.eventId));
  if (!run || !stored) throw new HooklineError("run_unknown", { name, where: "the store" });
  if (stored.cut) {
    const reason = "its payload is not in the store as a whole";
    throw new HooklineError("payload_cut", { name, reason, where: `event ${run.eventId}` });
  }
  const { id, now } = systemPorts();
  const { delivery: _delivery, accepts: _accepts, ...event } = stored.event;
  return { run, event: { ...event, id: id(), at: now(), sender: "rerun" }, redacted: stored.redacted === true };
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

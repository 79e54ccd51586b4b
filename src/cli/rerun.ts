/** hookline rerun: the event of a run once more, for its hook as it is today. */
import { statSync } from "node:fs";
import { HooklineError } from "../core/error.ts";
import type { HookEvent } from "../core/event.ts";
import type { Run, Store } from "../core/record.ts";
import { findHook } from "../operations/find-hook.ts";
import { systemPorts } from "../system.ts";
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
  return runByHand({ ...invocation, cwd }, store, async ({ loaded }) => ({
    hook: findHook(loaded.set.hooks, { name: run.hook, cwd, where: `run ${id}` }),
    event: { ...event, cwd },
  }));
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

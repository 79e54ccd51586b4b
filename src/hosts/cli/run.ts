/** hookline run: one hook, now. */
import { HooklineError } from "../../engine/error.ts";
import type { EventName, HookEvent } from "../../engine/event.ts";
import type { Hook } from "../../engine/hook.ts";
import { findHook } from "../../operations/find-hook.ts";
import { systemPorts } from "../../runtime/system.ts";
import { looksAtFiles, runByHand } from "./by-hand.ts";
import { type ExitCode, type Invocation, usageError } from "./command.ts";
import { eventFrom } from "./event-input.ts";
import type { Line } from "./line.ts";
import { openStore } from "./store.ts";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const [name] = invocation.words;
  if (name === undefined) throw usageError("the hook is missing", invocation.usage);
  return runByHand(invocation, await openStore(invocation), async ({ loaded }) => {
    const hook = findHook(loaded.set.hooks, { name, cwd: invocation.cwd, where: "the command line" });
    const event = eventOf(invocation, hook);
    return {
      hook,
      event: invocation.flags.all === true ? await onAllFiles(invocation, hook, event, loaded.root) : event,
    };
  });
}

/** As if what the hook listens to had happened here. */
function eventOf(invocation: Invocation, hook: Hook): HookEvent {
  const { id, now } = systemPorts();
  return { ...eventFrom({ ...invocation, words: [firstEventOf(hook)] }, invocation.usage, id(), now()), sender: "run" };
}

function firstEventOf({ id, name, on, durable }: Hook): EventName {
  const [event] = "event" in on ? on.event : [];
  if (event) return event;
  if (durable) return "automation.fired";
  throw new HooklineError("hook_invalid", { name, reason: "it listens to no event", where: id });
}

async function onAllFiles(
  { usage, environment }: Invocation,
  hook: Hook,
  event: HookEvent,
  projectRoot: Line["loaded"]["root"],
): Promise<HookEvent> {
  if (!looksAtFiles(hook)) throw usageError(`--all: ${hook.name} does not look at changed files`, usage);
  const root = hook.origin.root ?? projectRoot;
  const { allFiles } = await import("./all-files.ts");
  return { ...event, cwd: root, data: { ...event.data, changed_files: await allFiles(root, environment) } };
}

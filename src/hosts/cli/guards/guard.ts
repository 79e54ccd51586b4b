/** hookline guard off and guard on: a person switches one guard off, for a time and in one project. What guards do, operations tell. */
import { minuteOf, switchedOff } from "../../../engine/admit.ts";
import type { Seconds } from "../../../engine/event.ts";
import type { Hook } from "../../../engine/hook.ts";
import type { Store } from "../../../engine/record.ts";
import { delayExamples, delayOf } from "../../../formats/automations/moment.ts";
import { isListedAsGuard } from "../../../operations/guards.ts";
import { findHook } from "../../../operations/hooks/named-hook.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { loadActive } from "../loaded.ts";
import { openStore } from "../store.ts";
import { oneLine, shortPath } from "../terminal.ts";
import { refuseWithoutPerson } from "./person.ts";

const hour: Seconds = 3_600;
const longestHours = 24;

export async function guardOff(invocation: Invocation): Promise<ExitCode> {
  const { terminal, json, cwd, home } = invocation;
  nameIn(invocation); // wrong use is said first
  const seconds = durationIn(invocation);
  if (refuseWithoutPerson("no guard was switched off", invocation)) return 1;
  return withGuard(invocation, async (hook, root, store) => {
    const refusal = whyNot(hook);
    if (refusal !== undefined) {
      terminal.error(`hookline: no guard was switched off — ${oneLine(hook.name)} ${refusal}`);
      return 1;
    }
    const until = Date.now() + seconds * 1000;
    await store.pause(switchedOff(hook.id, root), Date.now(), until);
    if (json)
      terminal.print(JSON.stringify({ guard: hook.id, project: root, off_until: new Date(until).toISOString() }));
    else {
      terminal.print(
        `${oneLine(hook.name)} is off in ${shortPath(root, cwd, home)} until ${minuteOf(until)}: what it would block can now happen`,
      );
      terminal.print(`to switch it on before, run \`hookline guard on ${oneLine(hook.id)}\``);
    }
    return 0;
  });
}

export const guardOn = (invocation: Invocation): Promise<ExitCode> =>
  withGuard(invocation, async (hook, root, store) => {
    const changed = await store.resume(switchedOff(hook.id, root));
    const { terminal, json } = invocation;
    if (json) terminal.print(JSON.stringify({ guard: hook.id, project: root, changed }));
    else terminal.print(`${oneLine(hook.name)} ${changed ? "is on again" : "was not switched off here"}`);
    return 0;
  });

function nameIn({ words, usage }: Invocation): string {
  const [name] = words;
  if (name === undefined) throw usageError("missing argument ID: `hookline guard list` shows the ids", usage);
  return name;
}

function durationIn({ flags, usage }: Invocation): Seconds {
  const written = textFlag(flags, "for");
  if (written === undefined) throw usageError("missing flag --for TIME, such as --for 1h", usage);
  const seconds = delayOf(written);
  if (seconds === undefined) throw usageError(`"${written}" is no time: write ${delayExamples}`, usage);
  if (seconds > longestHours * hour)
    throw usageError(`a guard is switched off for at most ${longestHours} hours, not ${written}`, usage);
  return seconds;
}

async function withGuard(
  invocation: Invocation,
  work: (hook: Hook, root: string, store: Store) => Promise<ExitCode>,
): Promise<ExitCode> {
  const store = openStore(invocation);
  try {
    const { set, root } = await loadActive(invocation, store);
    const hook = findHook(set.hooks, { name: nameIn(invocation), cwd: invocation.cwd, where: "the command line" });
    return await work(hook, root, store);
  } finally {
    store.close();
  }
}

const whyNot = (hook: Hook): string | undefined => {
  if (hook.origin.layer === "managed") return "is managed: who runs this machine decides about it";
  return isListedAsGuard(hook) ? undefined : `is no guard: \`hookline pause ${oneLine(hook.id)}\` pauses it`;
};

/** hookline allow-once: a person chooses one call that a guard has just refused, and lets it happen once. Nothing names a refusal but the screen (R92). */
import { allowedOnce, type RefusedJust, refusedIn } from "../../../engine/admit.ts";
import { refusedFor } from "../../../engine/counting.ts";
import type { Fields } from "../../../engine/event.ts";
import { decidingEvents } from "../../../engine/events.ts";
import type { Run, Store } from "../../../engine/record.ts";
import { isRecord } from "../../../engine/schema.ts";
import { inputOf } from "../../../operations/runs/run-words.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { loadActive } from "../loaded.ts";
import { openStore } from "../store.ts";
import { askForKey, oneLine } from "../terminal.ts";
import { refuseWithoutPerson } from "./person.ts";

/** As many as there are keys. */
const mostShown = 9;
const minute = 60_000;
const minutes = refusedFor / 60;

/** One call, and all that has refused it: who sees them all may lift them all. */
interface Refused {
  calls: string[];
  runs: Run[];
}

export async function allowOnce(invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  if (refuseWithoutPerson("nothing was allowed", invocation)) return 1;
  const store = openStore(invocation);
  try {
    const { root } = await loadActive(invocation, store);
    const refused = await refusedOf(refusedIn(root, await store.paused(), Date.now()), store);
    if (refused.length === 0) {
      terminal.print(`nothing was refused here in the last ${minutes} minutes that a person can allow`);
      return 1;
    }
    for (const [index, one] of refused.entries())
      for (const line of await linesAbout(one, index + 1, store)) terminal.print(line);
    terminal.print("");
    const keys = refused.length === 1 ? "1" : `1-${refused.length}`;
    const key = await askForKey(`Allow which one, once, for ${minutes} minutes? [${keys}, q leaves] `, invocation);
    const chosen = key === undefined || !/^\d$/.test(key) ? undefined : refused[Number(key) - 1];
    if (!chosen || invocation.signal.aborted) {
      terminal.print("nothing was allowed");
      return 1;
    }
    await allow(chosen, store);
    terminal.print(
      "allowed: exactly this call passes once, in the same session and folder; ask the agent to try again",
    );
    return 0;
  } finally {
    store.close();
  }
}

async function allow({ calls }: Refused, store: Store): Promise<void> {
  const now = Date.now();
  for (const call of calls)
    for (const event of decidingEvents) await store.pause(allowedOnce(call, event), now, now + refusedFor * 1000);
  await store.committed();
}

/** An agent that tries again is refused again: the newest of each counts. Refusals of one event stand together. */
async function refusedOf(kept: readonly RefusedJust[], store: Store): Promise<Refused[]> {
  const byEvent = new Map<string, Refused>();
  const seen = new Set<string>();
  for (const { call, run: id } of kept) {
    if (seen.has(call)) continue;
    seen.add(call);
    const run = await store.run(id);
    if (!run) continue;
    const one = byEvent.get(run.eventId) ?? { calls: [], runs: [] };
    one.calls.push(call);
    one.runs.push(run);
    byEvent.set(run.eventId, one);
  }
  return [...byEvent.values()].slice(0, mostShown);
}

async function linesAbout({ runs }: Refused, number: number, store: Store): Promise<string[]> {
  const [first] = runs;
  const data: Fields = (first && (await store.event(first.eventId))?.event.data) ?? {};
  const input = isRecord(data.tool_input) ? inputOf(data.tool_input as Fields) : "";
  const ago = first ? Math.floor((Date.now() - first.startedAt) / minute) : 0;
  const when = ago < 1 ? "just now" : `${ago} ${ago === 1 ? "minute" : "minutes"} ago`;
  return [
    `${number}  ${oneLine(`${String(data.tool_name ?? "the call")} ${input}`)}  (${when})`,
    ...runs.map(
      ({ hookName, outcome }) => `   ${oneLine(hookName)}: ${oneLine(outcome?.verdict?.reason ?? "(no reason)")}`,
    ),
  ];
}

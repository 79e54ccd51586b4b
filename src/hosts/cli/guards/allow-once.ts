/** hookline allow-once: a person lets one call happen that a guard has refused, once, within five minutes. */
import { allowedOnce } from "../../../engine/admit.ts";
import { howToAllow } from "../../../engine/counting.ts";
import type { Instant } from "../../../engine/event.ts";
import { decidingEvents } from "../../../engine/events.ts";
import type { Run, Store } from "../../../engine/record.ts";
import { isRecord } from "../../../engine/schema.ts";
import { inputOf } from "../../../operations/run-words.ts";
import { codeIn, isCode } from "../../../runtime/allow-once.ts";
import { type ExitCode, type Invocation, usageError } from "../command.ts";
import { openStore } from "../store.ts";
import { oneLine } from "../terminal.ts";
import { refuseWithoutPerson } from "./person.ts";

const holdsForMinutes = 5;
const minute = 60_000;
/** A code stays the same as long as its call does, so one that is older is shown again when the agent tries again. */
const refusedWithin = 24 * 60 * minute;

/** The newest: a day has hardly more, and a person answers sooner. */
const mostRuns = 20_000;

export async function allowOnce(invocation: Invocation): Promise<ExitCode> {
  const { words, usage, terminal, json } = invocation;
  const [written] = words;
  if (written === undefined) throw usageError("missing argument CODE", usage);
  if (refuseWithoutPerson("nothing was allowed", invocation)) return 1;
  const code = codeIn(written);
  if (!isCode(code)) throw usageError(`"${written}" is no code: a code has 8 letters and digits`, usage);
  const store = openStore(invocation);
  try {
    const now = Date.now();
    const refused = await refusalOf(code, now, store);
    if (!refused) {
      terminal.error(
        `hookline: nothing was allowed — no call that was refused in the last 24 hours has the code ${code} — the code stands beside the refusal, and in \`hookline why last\``,
      );
      return 1;
    }
    const until = now + holdsForMinutes * minute;
    for (const event of decidingEvents) await store.pause(allowedOnce(code, event), now, until);
    await store.committed();
    if (json) terminal.print(JSON.stringify({ code, hook: refused.hook, until: new Date(until).toISOString() }));
    else for (const line of await linesAbout(refused, store)) terminal.print(line);
    return 0;
  } finally {
    store.close();
  }
}

/** The run that was told its code. */
async function refusalOf(code: string, now: Instant, store: Store): Promise<Run | undefined> {
  const note = `${howToAllow} ${code}`;
  const runs = await store.runs({ since: now - refusedWithin, limit: mostRuns });
  return runs.find(({ notes }) => notes.includes(note));
}

async function linesAbout({ eventId, hookName }: Run, store: Store): Promise<string[]> {
  const data = (await store.event(eventId))?.event.data;
  const input = isRecord(data?.tool_input) ? inputOf(data.tool_input) : "";
  return [
    `allowed once, for ${holdsForMinutes} minutes: ${oneLine(`${String(data?.tool_name ?? "the call")} ${input}`)}`,
    `${oneLine(hookName)} lets exactly this call pass, in the same session and folder: ask the agent to try again`,
  ];
}

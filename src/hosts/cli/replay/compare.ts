/** What a replayed event is answered now and was answered then: only what differs. */
import type { Hook, HookSet } from "../../../engine/hook.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Run } from "../../../engine/record.ts";
import { resultOf } from "../../../operations/runs/run-words.ts";
import { hasRun, verdictOf } from "../testing/expected.ts";
import { ownWords } from "../testing/from-run.ts";
import type { Replayed } from "./judge.ts";

export interface RunChange {
  hook: string;
  /** How its run ended, in a few words; null: it has none. */
  old: string | null;
  new: string | null;
  /** Why it is not known what it would answer. */
  open?: string;
}
export interface Change {
  verdict?: { old: string; new: string };
  runs: RunChange[];
}
export interface Compared {
  change: Change;
  /** changed: something is answered otherwise. open: that depends on programs that did not run. */
  is: "same" | "changed" | "open";
}

/** Of the same hook today and then: names, because a hook in a copy has another id. */
type Key = string;

export function compare({ stored, before, outcome, runs, explained, open, recorded, set }: Replayed): Compared {
  const [keyThen, keyNow] = [keysOf(before.set), keysOf(set)];
  const then = byKey(before.runs, keyThen);
  const now = byKey(runs, keyNow);
  const openKeys = new Map([...open].map(([id, why]) => [keyNow.get(id) ?? id, why]));
  const because = new Map(explained.map((one) => [keyNow.get(one.hook) ?? one.hook, one.because]));
  const changes: RunChange[] = [];
  for (const key of new Set([...then.keys(), ...now.keys()])) {
    const [old, today] = [then.get(key), now.get(key)];
    const why = openKeys.get(key);
    const texts = { old: old ? endOf(old) : null, new: today ? endOf(today) : null };
    const hook = (today ?? old)?.hookName ?? key;
    if (why !== undefined) changes.push({ hook, ...texts, new: "would run", open: why });
    else if ((today && recorded.has(today.hook)) || sameRun(old, today)) continue;
    else
      changes.push({
        hook,
        ...texts,
        new: texts.new ?? `does not run: ${because.get(key) ?? "no hook here has its name"}`,
      });
  }
  const verdict = { old: answerOf(stored.outcome ?? {}, before.set), new: answerOf(outcome, set) };
  const isOpen = openKeys.size > 0 && outcome.verdict?.is !== "deny";
  const differs = verdict.old !== verdict.new && !isOpen;
  const isChanged = differs || changes.some((one) => one.open === undefined || one.old === null);
  return {
    change: { ...(differs ? { verdict } : {}), runs: changes },
    is: isChanged ? "changed" : changes.length > 0 ? "open" : "same",
  };
}

/** Files are those of the project in both. The second hook of a name in a file is another one than the first. */
function keysOf(set: HookSet | undefined): ReadonlyMap<string, Key> {
  const counts = new Map<string, number>();
  return new Map(
    (set?.hooks ?? []).map(({ id, name, origin: { file = "" } }: Hook) => {
      const base = `${file}\0${name}`;
      const count = (counts.get(base) ?? 0) + 1;
      counts.set(base, count);
      return [id, `${base}\0${count}`];
    }),
  );
}

const byKey = (runs: readonly Run[], keys: ReadonlyMap<string, Key>): ReadonlyMap<Key, Run> =>
  new Map(runs.map((run) => [keys.get(run.hook) ?? run.hook, run]));

/** What a hook answered, in its own words. */
const endOf = (run: Run): string =>
  hasRun(run) ? `${run.status}: ${ownWords(resultOf(run))}` : `${run.status}${run.reason ? `: ${run.reason}` : ""}`;

/** The reason of a run that was skipped may name a moment. */
const sameRun = (old: Run | undefined, today: Run | undefined): boolean =>
  old !== undefined &&
  today !== undefined &&
  hasRun(old) === hasRun(today) &&
  (hasRun(old) ? endOf(old) === endOf(today) : old.status === today.status);

/** All that the sender of the event obeys or passes on, but messages: they name codes and moments. */
function answerOf(outcome: Outcome, set: HookSet | undefined): string {
  const { verdict, context, updatedInput } = outcome;
  const by = set?.hooks.find(({ id }) => id === verdict?.by)?.name;
  return [
    `${verdictOf(outcome)}${verdict?.reason ? `: ${ownWords(verdict.reason)}` : ""}${by === undefined ? "" : ` (${by})`}`,
    ...(updatedInput ? [`input ${JSON.stringify(updatedInput)}`] : []),
    ...(context ?? []).map((text) => `context ${ownWords(text)}`),
  ].join("; ");
}

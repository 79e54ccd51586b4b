/** Operations on guards: which there are and how they stand, and what they have done. To loosen one is no operation: a person does that. */
import { minuteOf, pauseOf, switchedOff } from "../engine/admit.ts";
import type { Fields, HookId, Instant, Json } from "../engine/event.ts";
import { type Hook, isGuard, isWrittenAsGuard } from "../engine/hook.ts";
import { oneLine } from "../engine/one-line.ts";
import type { Outcome } from "../engine/outcome.ts";
import type { Run, Store } from "../engine/record.ts";
import { integer, isRecord, object, say } from "../engine/schema.ts";
import { plural } from "../engine/words.ts";
import { isUntrusted } from "../loading/trust/untrusted.ts";
import { type Appeal, appealsSince } from "./appeals.ts";
import { eachHook, type Pausing, standingOf } from "./hooks/hook-counts.ts";
import { type Asked, folderOf, type Operation } from "./operation.ts";
import { projectFolders } from "./project-folders.ts";
import { rowsOf } from "./project-service.ts";
import { kindOfCall } from "./runs/run-words.ts";
import type { ShownTable } from "./shown.ts";

/** Until when a guard is switched off here; undefined: it is not. */
export function offUntil({ id, origin }: Hook, { paused, now, root }: Pausing): Instant | undefined {
  if (root === undefined || origin.layer === "managed") return undefined;
  const until = paused.get(switchedOff(id, root));
  return until !== undefined && until > now ? until : undefined;
}

/** In a few words; "" where the hook runs as it is written. */
export function stateOf(hook: Hook, pausing: Pausing): string {
  const off = offUntil(hook, pausing);
  const states = [
    standingOf(hook) === "broken" && "broken",
    isUntrusted(hook) && "not trusted",
    !hook.enabled && "disabled",
    off !== undefined ? `off until ${minuteOf(off)}` : pauseOf(hook, pausing.paused, pausing) !== undefined && "paused",
    hook.report === true && "reports only",
  ];
  return states.filter((state) => state !== false).join(", ");
}

/** A guard without an end to its pause is soon a guard that is forgotten. */
export function whyNotPaused(hook: Hook): string | undefined {
  if (hook.origin.layer === "managed") return "is managed: who runs this machine decides about it";
  if (!isGuard(hook)) return undefined;
  return `is a guard — a person switches it off for a time: \`hookline guard off ${oneLine(hook.id)} --for 1h\``;
}

/** One that only reports is listed, as that is how a guard begins. */
export const isListedAsGuard = (hook: Hook): boolean => isWrittenAsGuard(hook) || hook.report === true;

/** The guards of the caller's folder, and what is paused there. */
async function guardsHere(asked: Asked): Promise<{ guards: Hook[]; pausing: Pausing }> {
  const { set, root } = await asked.active(folderOf(asked));
  const pausing = { paused: await asked.store.paused(), now: asked.now(), root };
  return { guards: eachHook(set.hooks).filter(isListedAsGuard), pausing };
}

export const guardList: Operation<object> = {
  summary: "Lists the active guards, and the hooks that only report: how each stands, and when it last ran.",
  params: object({}, {}),
  readOnly: true,
  example: "hookline guard list",
  show: (result) =>
    tableOf(
      result,
      ["name", "state", "layer", "last", "file"],
      "no guard is active here: docs/guards.md says how to get one",
    ),
  async run(_params, asked) {
    const [{ guards, pausing }, fired] = await Promise.all([guardsHere(asked), asked.store.lastFired()]);
    return guards.map((hook) => {
      const until = offUntil(hook, pausing);
      return {
        id: hook.id,
        name: hook.name,
        state: stateOf(hook, pausing) || "active",
        off_until: timeOf(until),
        report: hook.report === true,
        layer: hook.origin.layer,
        file: hook.origin.file ?? null,
        line: hook.origin.line ?? null,
        last: timeOf(fired.get(hook.id)),
      };
    });
  },
};

const timeOf = (at: Instant | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

// What they have done.

const usualDays = 7;
const day = 86_400_000;
/** So often one kind of call is allowed by hand before an exception is proposed. */
const often = 3;

/** How a run of a guard is counted, by what came of it. */
const counts: { readonly [name: string]: (run: Run) => boolean } = {
  fired: ({ asked }) => asked > 0,
  denied: ({ outcome }) => outcome?.verdict?.is === "deny",
  asked: ({ outcome }) => outcome?.verdict?.is === "ask",
  disobeyed: ({ receipt }) => receipt?.is === "disobeyed",
  overridden: ({ withheld }) => withheld?.because === "allowed once",
  would_have: ({ withheld }) => withheld?.because === "report" && stops(withheld.outcome),
};

const stops = ({ verdict, stop }: Outcome): boolean =>
  stop !== undefined || verdict?.is === "deny" || verdict?.is === "ask";

export const guardStats: Operation<{ days?: number }> = {
  summary:
    "Shows what each guard has done: how often it ran, denied, asked, was not obeyed and was overridden, what it would have done, and which exceptions are worth writing.",
  params: object({}, { days: say(integer(undefined, 1), "of so many days until now", usualDays) }),
  readOnly: true,
  example: "hookline guard stats --days 30",
  show: shown,
  async run({ days = usualDays }, asked) {
    const since = asked.now() - days * day;
    const { guards, pausing } = await guardsHere(asked);
    const folders = projectFolders({ cwd: folderOf(asked), home: asked.home });
    const appeals = await appealsSince(asked.store, since, folders);
    const rows: Fields[] = [];
    const candidates: Fields[] = [];
    for (const hook of guards) {
      const runs = await asked.store.runs({ hook: hook.id, since, folders });
      const appealed = appeals.filter((one) => one.hook === hook.id).length;
      rows.push({ ...rowOf(hook, runs, stateOf(hook, pausing)), appealed });
      candidates.push(...(await exceptionsFor(hook.id, runs, asked.store)));
    }
    return { days, guards: rows, candidates, appeals: appealedMost(appeals) };
  },
};

function rowOf(hook: Hook, runs: readonly Run[], state: string): Fields {
  const counted = Object.entries(counts).map(([name, counts]) => [name, runs.filter(counts).length]);
  const last = runs.find(({ asked }) => asked > 0)?.startedAt; // the newest comes first
  return { id: hook.id, name: hook.name, state, ...Object.fromEntries(counted), last: timeOf(last) };
}

/** What agents complain about, the most frequent first; of each kind of call the newest words. */
const appealedMost = (appeals: readonly Appeal[]): Fields[] =>
  [...Map.groupBy(appeals, ({ hook, call }) => `${hook}\n${call}`).values()]
    .map((same) => ({
      ...{ hook: same[0]?.hook ?? "", pattern: same[0]?.call ?? "", times: same.length },
      ...{ open: same.filter(({ isAnswered }) => !isAnswered).length, why: same[0]?.why ?? "" },
    }))
    .toSorted((one, other) => other.times - one.times);

/** Calls of one kind that a person has allowed again and again. */
async function exceptionsFor(hook: HookId, runs: readonly Run[], store: Store): Promise<Fields[]> {
  const kinds = new Map<string, number>();
  for (const run of runs.filter(({ withheld }) => withheld?.because === "allowed once")) {
    const stored = await store.event(run.eventId);
    const kind = stored && kindOfCall(stored.event.data);
    if (kind !== undefined) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].flatMap(([pattern, times]) => (times >= often ? [{ hook, pattern, times }] : []));
}

const columns = [
  "id",
  "fired",
  "denied",
  "asked",
  "disobeyed",
  "overridden",
  "would_have",
  "appealed",
  "state",
  "last",
];

function shown(result: Json): (string | ShownTable)[] {
  const { guards = [], candidates = [], appeals = [], days } = isRecord(result) ? (result as Fields) : {};
  const exceptions = rowsOf(candidates).map(
    ({ hook, pattern, times }) =>
      `  ${hook}: ${pattern} was allowed ${times} times: an exception in the hook ends that`,
  );
  const complaints = rowsOf(appeals).map(
    ({ hook, pattern, times, open, why }) =>
      `  ${hook}: ${pattern}, ${plural(Number(times), "once", `${times} times`)}${open === 0 ? ", answered" : ""}: ${why}`,
  );
  return [
    `the last ${days} days`,
    ...tableOf(guards, columns, "no guard is active here"),
    ...(exceptions.length > 0 ? ["", "candidates for exceptions", ...exceptions] : []),
    ...(complaints.length > 0
      ? ["", "appeals of agents, which a person answers with `hookline allow-once`", ...complaints]
      : []),
  ];
}

function tableOf(result: Json, columns: readonly string[], otherwise: string): (string | ShownTable)[] {
  const rows = rowsOf(result).map((row) => columns.map((name) => cellOf(name, row[name])));
  return rows.length === 0 ? [otherwise] : [{ titles: columns.map((name) => name.replaceAll("_", " ")), rows }];
}

const cellOf = (name: string, value: Json | undefined): string =>
  value === null || value === undefined ? (name === "last" ? "never" : "") : String(value);

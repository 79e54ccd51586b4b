/**
 * hookline follow-ups: the actions that hooks asked for. Hookline does none of them by itself: a person has each done,
 * once.
 */
import type { Fields } from "../../../engine/event.ts";
import type { Run, Store } from "../../../engine/record.ts";
import { findProject } from "../../../loading/project.ts";
import { type ExitCode, type Invocation, usageError } from "../command.ts";
import { projectFolders } from "../project.ts";
import { type OpenedStore, openStore } from "../store.ts";
import { table } from "../table.ts";
import { ago, oneLine } from "../terminal.ts";
import { claimOf, type FollowUpPlace, followUpsOf, type KeptFollowUp, kinds, subjectOf } from "./follow-up-kinds.ts";
import { runNamed } from "./named.ts";
import { hookOfRun, trustNow } from "./trust-of-run.ts";

export async function followUps(invocation: Invocation): Promise<ExitCode> {
  const [word, id] = invocation.words;
  const store = openStore(invocation);
  try {
    if (word === "list" && id === undefined) return await list(invocation, store);
    if (word === "run" && id) return await run(invocation, store, id);
    throw usageError(
      word === "run" ? "missing argument RUN" : word === undefined ? "missing action" : `unknown action "${word}"`,
      invocation.usage,
    );
  } finally {
    store.close();
  }
}

/** So many of the newest runs are looked through. */
const newest = 1000;

async function list(invocation: Invocation, store: Store): Promise<ExitCode> {
  const found: KeptFollowUp[] = [];
  const isAll = invocation.flags.all === true;
  const runs = await store.runs({ limit: newest, ...(isAll ? {} : { folders: projectFolders(invocation) }) });
  for (const one of runs) found.push(...(await followUpsOf(one, store)));
  const shown = isAll ? found : found.filter(({ done }) => !done);
  const { terminal } = invocation;
  const isCut = runs.length === newest;
  if (invocation.json) terminal.print(JSON.stringify(shown.map(rowOf)));
  else if (shown.length > 0) for (const line of lines(invocation, shown)) terminal.print(line);
  else terminal.print(`no follow-up is open${isCut ? ` in the newest ${newest} runs` : ""}`);
  if (isCut)
    terminal.error(
      `hookline: this list covers the newest ${newest} runs; \`hookline runs show RUN\` shows those of an older run`,
    );
  return 0;
}

const lines = ({ terminal }: Invocation, shown: readonly KeptFollowUp[]): string[] =>
  table(
    terminal,
    [
      { title: "when" },
      { title: "kind" },
      { title: "what", fills: true },
      { title: "asked for by", fills: true },
      { title: "state" },
      { title: "follow-up" },
    ],
    shown.map((one) => [
      ago(one.run.startedAt),
      one.kind,
      subjectOf(one),
      one.run.hookName,
      one.done ? "done" : "open",
      one.id,
    ]),
  );

/** A follow-up as JSON tells it. */
const rowOf = ({
  id,
  number,
  run: { id: runId, hook, hookName, eventName, session, startedAt },
  ...one
}: KeptFollowUp): Fields => ({
  id,
  run: runId,
  number,
  kind: one.kind,
  payload: one.payload,
  hook,
  hookName,
  event: eventName,
  session: session ?? null,
  at: new Date(startedAt).toISOString(),
  done: one.done,
});

async function run(invocation: Invocation, store: OpenedStore, written: string): Promise<ExitCode> {
  const wanted = await find(invocation, store, written);
  const { terminal, json } = invocation;
  const say = (line: string): void => (json ? terminal.error(line) : terminal.print(line));
  if (wanted.done) return refuse(invocation, wanted, "this follow-up is already done");
  const kind = Object.hasOwn(kinds, wanted.kind) ? kinds[wanted.kind] : undefined;
  if (!kind)
    return refuse(
      invocation,
      wanted,
      `this Hookline cannot do a follow-up of kind "${oneLine(wanted.kind)}"; it stays open`,
    );
  const place = await placeOf(wanted.run, invocation, store);
  const end = await kind(wanted, {
    ...place,
    invocation,
    say,
    claim: async () => (await store.claim([claimOf(wanted.run.id, wanted.number)], Date.now())) === undefined,
  });
  if ("refused" in end) return refuse(invocation, wanted, end.refused);
  if (json) terminal.print(JSON.stringify({ id: wanted.id, kind: wanted.kind, done: true, ...end.facts }));
  return end.ok ? 0 : 1;
}

function refuse({ terminal, json }: Invocation, { id, kind, done }: KeptFollowUp, reason: string): ExitCode {
  if (json) terminal.print(JSON.stringify({ id, kind, done, reason }));
  else terminal.error(`hookline: ${reason}`);
  return 1;
}

/** RUN.N, or RUN where it has but one. */
async function find({ usage }: Invocation, store: OpenedStore, written: string): Promise<KeptFollowUp> {
  const [, id = written, number] = /^(.+)\.(\d{1,6})$/.exec(written) ?? [];
  const found = await runNamed(store, id);
  const all = await followUpsOf(found, store);
  const one = number === undefined && all.length === 1 ? all[0] : all.find((each) => each.number === Number(number));
  if (one) return one;
  const which = all.length === 0 ? "has none" : `has ${all.map((each) => each.id).join(", ")}`;
  throw usageError(number === undefined && all.length > 1 ? `which one? The run ${which}` : `the run ${which}`, usage);
}

/** The repository of the hook that asks, where its file says so, and whether a person has trusted it as it is now. */
async function placeOf(
  run: Run,
  invocation: Invocation,
  store: Store,
): Promise<Pick<FollowUpPlace, "root" | "file" | "trust">> {
  const origin = (await hookOfRun(run, store))?.origin;
  const root =
    origin?.root ?? findProject((await store.event(run.eventId))?.event.cwd ?? invocation.cwd, invocation.home).root;
  const trust = await trustNow(run, root, invocation, store);
  return { root, trust, ...(origin?.file ? { file: `${origin.file}${origin.line ? `:${origin.line}` : ""}` } : {}) };
}

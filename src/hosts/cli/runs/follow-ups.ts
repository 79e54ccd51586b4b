/** hookline follow-ups run: a person has an action done that a hook asked for, once. Hookline does none by itself. */
import { existsSync } from "node:fs";
import type { Run, Store } from "../../../engine/record.ts";
import { findProject } from "../../../loading/project.ts";
import { isUntrusted } from "../../../loading/trust/untrusted.ts";
import { runNamed } from "../../../operations/record.ts";
import { claimOf, followUpsOf, type KeptFollowUp } from "../../../operations/runs/follow-ups.ts";
import { hookOfRun, trustWords } from "../../../operations/runs/runs.ts";
import { type ExitCode, type Invocation, usageError } from "../command.ts";
import { loadActive } from "../loaded.ts";
import { type OpenedStore, openStore } from "../store.ts";
import { oneLine } from "../terminal.ts";
import { type FollowUpPlace, kinds } from "./follow-up-kinds.ts";

export async function followUps(invocation: Invocation): Promise<ExitCode> {
  const [id] = invocation.words;
  if (id === undefined) throw usageError("missing argument RUN", invocation.usage);
  const store = openStore(invocation);
  try {
    return await run(invocation, store, id);
  } finally {
    store.close();
  }
}

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

/** @param root the folder whose hook it is */
async function trustNow({ hook: id }: Run, root: string, place: Invocation, store: Store): Promise<string> {
  const now = existsSync(root) ? (await loadActive({ ...place, cwd: root }, store)).set.hooks : [];
  const hook = now.find((one) => one.id === id);
  if (!hook) return "the hook is no longer there";
  return isUntrusted(hook) ? "not trusted as it is now: hookline trust shows what has changed" : trustWords(hook);
}

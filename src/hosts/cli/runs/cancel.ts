/** hookline runs cancel: ends a run of an automation that waits or is performed, on this machine or on one that shares a Postgres with it. */
import { setTimeout as wait } from "node:timers/promises";
import type { Run } from "../../../engine/record.ts";
import { runNamed } from "../../../operations/record.ts";
import { createJournal, lastingStore } from "../../../storage/sqlite/journal.ts";
import { daemonFilesOf, runningDaemon } from "../../daemon/state-file.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { sharedStore } from "../place.ts";
import { type OpenedRecord, openRecord } from "../shared-store/record.ts";
import { openStore } from "../store.ts";
import { safeText } from "../terminal.ts";

/** What a queue did: the run as it has ended, or it was told to end; or nobody who has it hears of that yet. Undefined: this queue does not have it. */
type Cancelled = { run: Run } | "told" | "unheard" | undefined;

/** @throws HooklineError run_unknown, store_unusable, store_locked */
export async function cancel(invocation: Invocation): Promise<ExitCode> {
  const [name] = invocation.words;
  if (name === undefined) throw usageError("missing argument RUN", invocation.usage);
  const record = await openRecord(invocation);
  try {
    const run = await runNamed(record, name);
    if (!isOpen(run))
      return refuse(invocation, run, `has ended already: ${run.status}`, `see \`hookline runs show ${run.id}\``);
    const both = [cancelHere(run, invocation), await cancelThere(run, invocation)];
    const ended = both.find((one) => typeof one === "object");
    if (ended) return tell(invocation, ended.run);
    if (both.includes("told")) return tell(invocation, await endOf(run, record, invocation.signal));
    if (both.includes("unheard"))
      return refuse(invocation, run, unheard, "run that, or name the store here by --store");
    const waitsElsewhere = run.status === "queued" && sharedStore(invocation, textFlag(invocation.flags, "store"));
    return waitsElsewhere
      ? refuse(
          invocation,
          run,
          "waits on the machine that took its event",
          "cancel it there, or once it is handed over",
        )
      : refuse(invocation, run, noQueue, "end the process that performs it");
  } finally {
    record.close();
  }
}

const unheard = "was handed over to other machines, which hear of this once `hookline up` runs with their store";
const noQueue = "cannot be cancelled: it waits in no queue, as runs of automations do";
const isOpen = ({ status }: Run): boolean => status === "queued" || status === "running";

/** The queue of this machine's store. A run that this machine has handed over is in it, too. */
function cancelHere({ id }: Run, invocation: Invocation): Cancelled {
  const opened = openStore(invocation);
  try {
    const store = lastingStore(opened);
    if (!store) return undefined;
    const journal = createJournal(store);
    const ended = journal.cancel(id, Date.now());
    if (ended) return ended;
    const isHeard = runningDaemon(daemonFilesOf(opened.path))?.shares === true;
    if (journal.unfinished([id], isHeard).has(id)) return "told";
    return journal.unfinished([id], true).has(id) ? "unheard" : undefined;
  } finally {
    opened.close();
  }
}

/** That of the Postgres which is named as the store. */
async function cancelThere(run: Run, invocation: Invocation): Promise<Cancelled> {
  const url = sharedStore(invocation, textFlag(invocation.flags, "store"));
  if (url === undefined) return undefined;
  const [{ openConnection }, { createSharedWork }] = await Promise.all([
    import("../../../storage/postgres/connection.ts"),
    import("../../../storage/postgres/shared-work/shared-work.ts"),
  ]);
  const connection = openConnection({ url, connections: 1, patience: 2_000 });
  try {
    const work = createSharedWork({ connection });
    const isThere = !(await work.left([run])).has(run.id);
    return (await work.cancel(run.id)) ?? (isThere ? "told" : undefined);
  } finally {
    await connection.close();
  }
}

const endsWithin = 5_000;
const pause = 100;

/** As it stands once it has ended; its worker may be away, or slow to end what it has started. */
async function endOf(run: Run, record: Pick<OpenedRecord, "run">, signal: AbortSignal): Promise<Run> {
  const until = performance.now() + endsWithin;
  for (let now: Run = run; ; now = (await record.run(run.id)) ?? now) {
    if (!isOpen(now) || signal.aborted || performance.now() > until) return now;
    await wait(pause, undefined, { signal }).catch(() => {}); // Ctrl-C ends it
  }
}

function tell({ terminal, json }: Invocation, run: Run): ExitCode {
  const { id, status, reason = null } = run;
  const ends = isOpen(run) ? "is told to end: `hookline runs show` says when it has" : `is ${status}`;
  if (json) terminal.print(JSON.stringify({ run: id, status, reason }));
  else
    terminal.print(
      safeText(`the run ${id} of ${run.hookName} ${ends}${reason === null || reason === status ? "" : `: ${reason}`}`),
    );
  return 0;
}

function refuse({ terminal }: Invocation, { id }: Run, why: string, advice: string): ExitCode {
  terminal.error(`hookline: the run ${id} ${why} — ${advice}`);
  return 1;
}

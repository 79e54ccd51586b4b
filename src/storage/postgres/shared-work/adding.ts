/** How a run comes into the shared queue of its hook: what overlap says of those that are there, over all machines (R23, R53). */
import { HooklineError } from "../../../engine/error.ts";
import type { Hook } from "../../../engine/hook.ts";
import type { Added, Ended } from "../../../engine/journal.ts";
import { fullQueue, type Item, overlapRefusals, overlaps, tookItsPlace, waitingAtMost } from "../../../engine/queue.ts";
import type { Run } from "../../../engine/record.ts";
import { shorten, usualPayloadLimitInBytes } from "../../sqlite/keep.ts";
import { orNull, written } from "../../sqlite/rows.ts";
import type { Query, Value } from "../connection.ts";

export interface Adding {
  item: Item;
  /** As itemText wrote it. */
  text: string;
  /** Of the run schema. */
  version: number;
}
type Displace = (item: Item, because: string) => Promise<Ended>;

/** Without secrets: a hook that needs one names the variable that holds it. What is large of the event is cut, as it is recorded. */
export function itemText({ run, hook, event }: Item, redact: (text: string) => string): string {
  const text = JSON.stringify(hook);
  if (redact(text) !== text) {
    const reason = "it holds a secret, which may not be written to the store";
    throw new HooklineError("hook_invalid", { name: hook.name, reason, where: hook.id });
  }
  const { data, turn, figures, changes, ...rest } = event;
  const large = shorten(redact(JSON.stringify({ data, turn, figures, changes })), usualPayloadLimitInBytes);
  return `[${redact(JSON.stringify(run))},${text},${redact(JSON.stringify(rest))},${large}]`;
}

export function itemIn(text: string): Item {
  const [run, hook, event, large]: [Run, Hook, Item["event"], Partial<Item["event"]>] = JSON.parse(text); // as itemText wrote it
  return { run, hook, event: { ...event, ...large } };
}

/** Inside a transaction. Of two who add at once for one hook, the index decides who is its head. */
export async function addTo(query: Query, adding: Adding, displace: Displace): Promise<Added> {
  for (;;) {
    if (await addFirst(query, adding)) return { is: "queued", ended: [] };
    const added = await addBeside(query, adding, displace);
    if (added) return added;
  }
}

/** The next of a hook comes to its head. A statement of its own, behind the one that removed the head: it sees what was added meanwhile. */
export const promote: string = `update hookline.work set status = 'waiting' where status = 'behind' and run =
    (select run from hookline.work where hook = $1 and status = 'behind' order by forced desc, seq limit 1)
  and not exists (select 1 from hookline.work where hook = $1 and status <> 'behind')`;

const columns = "run, hook, project, root, version, item, forced";
const valuesOf = ({ item: { run, hook, event }, text, version }: Adding): Value[] => [
  written(run.id),
  written(hook.id),
  orNull(hook.project),
  orNull(hook.origin.root),
  version,
  text,
  event.to?.force === true,
];

/** Where nothing of its hook waits or runs. */
async function addFirst(query: Query, adding: Adding): Promise<boolean> {
  const added = await query(
    `insert into hookline.work (${columns}, status) select $1, $2, $3, $4, $5::integer, $6, $7::boolean, 'waiting'
     where (select count(*) from hookline.work) < $8::integer and not exists (select 1 from hookline.work where hook = $2)
     on conflict do nothing returning run`,
    [...valuesOf(adding), waitingAtMost.inAll],
  );
  return added.length > 0;
}

/** Undefined: the one at the head of its hook has gone meanwhile. */
async function addBeside(query: Query, adding: Adding, displace: Displace): Promise<Added | undefined> {
  const { run, hook, event } = adding.item;
  const own = written(hook.id);
  if ((await query("select 1 from hookline.work where run = $1", [written(run.id)])).length > 0)
    return { is: "queued", ended: [] };
  const [head] = await query<{ run: string; status: "waiting" | "running"; forced: boolean }>(
    "select run, status, forced from hookline.work where hook = $1 and status <> 'behind' for update",
    [own],
  );
  const [{ ofHook, inAll } = { ofHook: 0, inAll: 0 }] = await query<{ ofHook: number; inAll: number }>(
    `select (select count(*) from hookline.work where hook = $1 and status <> 'running')::integer as "ofHook",
       (select count(*) from hookline.work)::integer as "inAll"`,
    [own],
  );
  const full = fullQueue({ ofHook, inAll });
  if (!head && ofHook > 0) await query(promote, [own]); // what has waited longer goes first
  if (!head) return full === undefined ? undefined : { is: "skipped", reason: full };
  const { refuses, displaces, cancels } = overlaps[hook.limits.overlap];
  if (refuses) return { is: "skipped", reason: overlapRefusals[head.status] };
  const forced = event.to?.force === true;
  const displaced = displaces ? await removeWaiting(query, own, forced) : [];
  if (displaced.length === 0 && full !== undefined) return { is: "skipped", reason: full };
  const ended: Ended[] = [];
  for (const { item } of displaced) ended.push(await displace(itemIn(item), tookItsPlace));
  if (cancels)
    await query("update hookline.work set cancelled = $2 where run = $1 and status = 'running'", [
      head.run,
      tookItsPlace,
    ]);
  const isHeadThere = displaced.every(({ run: gone }) => gone !== head.run);
  const goesFirst = isHeadThere && forced && head.status === "waiting" && !head.forced; // it may be paused: who asks does not wait for that
  if (goesFirst) await query("update hookline.work set status = 'behind' where run = $1", [head.run]);
  const status = isHeadThere && !goesFirst ? "behind" : "waiting";
  await query(
    `insert into hookline.work (${columns}, status, seq) values ($1, $2, $3, $4, $5, $6, $7, $8,
       coalesce($9::bigint, nextval('hookline.work_seq')))`,
    [...valuesOf(adding), status, displaced[0]?.seq ?? null],
  );
  return { is: "queued", ended };
}

/** Oldest first. What a person asked for makes room only for such. */
async function removeWaiting(
  query: Query,
  hook: string,
  forced: boolean,
): Promise<{ run: string; seq: number; item: string }[]> {
  const gone = await query<{ run: string; seq: number; item: string }>(
    `delete from hookline.work where hook = $1 and status <> 'running' and (not forced or $2::boolean) returning run, seq, item`,
    [hook, forced],
  );
  return gone.sort((left, right) => left.seq - right.seq);
}

/** The rows of shared runs, which people see: written only by whom the run is held by, in the statement that looks whether it is. */
import type { Kept } from "../../../engine/journal.ts";
import type { Run } from "../../../engine/record.ts";
import type { Hold } from "../../../engine/shared-work.ts";
import type { Keeper } from "../../sqlite/keep.ts";
import { changingFields, type RunRow, rowOfRun, runFields, runOf, written } from "../../sqlite/rows.ts";
import type { Query, Value } from "../connection.ts";
import { dayOfRun } from "../writing.ts";

export interface RunRows {
  /** The worker that has the run. */
  save(query: Query, run: Run): Promise<void>;
  /** False: the run is no longer held so. */
  saveHeld(query: Query, hold: Hold, run: Run, parts: ReadonlyMap<string, Kept>): Promise<boolean>;
  /** Writes its end, takes it out of the queue, and brings the next of its hook to the head. False: the run is no longer held so. */
  end(query: Query, hold: Hold, run: Run): Promise<boolean>;
  named(query: Query, runs: readonly Pick<Run, "id" | "eventId">[]): Promise<Run[]>;
}

const values = runFields.map((_field, index) => `$${index + 2}`);
const changes = changingFields.map((field) => `${field} = excluded.${field}`).join(", ");
const into = `insert into hookline.run as run (day, ${runFields.join(", ")})`;
const replacing = `on conflict (day, id) do update set ${changes}`; // whose record it is stays
const typed = ["$1::date", ...values.map((value, index) => `${value}::${typeOf(runFields[index])}`)];
/** Its reason is that of the cancellation. */
const ofWhoCancelled = typed.map((value, index) =>
  runFields[index - 1] === "reason"
    ? `case when ${statusValue()} = 'cancelled' then coalesce(gone.cancelled, ${value}) else ${value} end`
    : value,
);
const run = `$${runFields.length + 2}`;
const token = `$${runFields.length + 3}`;
const held = `run = ${run} and token = ${token} and status = 'running'`;

const save = `${into} select ${typed.join(", ")} ${replacing}`;
const [names, results] = [`$${runFields.length + 4}::text[]`, `$${runFields.length + 5}::text[]`];
const saveHeld = `with held as (select run from hookline.work where ${held} for update),
  kept as (insert into hookline.work_part (run, name, result) select held.run, part.* from held, unnest(${names}, ${results}) part
    on conflict do nothing)
  ${into} select ${typed.join(", ")} from held ${replacing} returning id`;
/** One that is added at this very moment is not seen: it comes to its head when a worker next looks for what is left. */
const end = `with gone as (delete from hookline.work where ${held} returning run, hook, cancelled),
  freed as (update hookline.work_place set run = null where run in (select run from gone)),
  ended as (${into} select ${ofWhoCancelled.join(", ")} from gone ${replacing}),
  promoted as (update hookline.work set status = 'waiting' from gone where work.status = 'behind' and work.run =
    (select run from hookline.work where hook = gone.hook and status = 'behind' order by forced desc, seq limit 1))
  select 1 from gone`;

function typeOf(field: string | undefined): string {
  if (field === "asked") return "integer";
  return field === "started" || field === "ms" ? "double precision" : "text";
}
function statusValue(): string {
  return `$${runFields.indexOf("status") + 2}::text`;
}

export function createRunRows(keeper: Keeper): RunRows {
  const made = new Set<string>();

  /** A partition is made before its first row: afterwards it would lie with the others. */
  async function valuesOf(query: Query, given: Run): Promise<Value[]> {
    const row = rowOfRun(given, keeper);
    const day = dayOfRun(row);
    if (!made.has(day)) await query("select hookline.make_days($1::date, $1::date)", [day]);
    made.add(day);
    return [day, ...runFields.map((field) => row[field] as Value)]; // as the table has them: text, number or null
  }

  return {
    async save(query, given) {
      await query(save, await valuesOf(query, given));
    },
    async saveHeld(query, hold, given, parts) {
      const found = await query(saveHeld, [
        ...(await valuesOf(query, given)),
        ...[written(hold.run), hold.token],
        [...parts.keys()].map(written),
        [...parts.values()].map((kept) => JSON.stringify(kept)),
      ]);
      return found.length > 0;
    },
    async end(query, hold, given) {
      const gone = await query(end, [...(await valuesOf(query, given)), written(hold.run), hold.token]);
      return gone.length > 0;
    },
    async named(query, runs) {
      if (runs.length === 0) return [];
      const keys = runs.map(({ id, eventId }) => ({ id: written(id), event: written(eventId) }));
      const found = await query<RunRow>(
        `select ${runFields.join(", ")} from hookline.run
         where (day, id) in (select * from unnest($1::date[], $2::text[]))`,
        [keys.map(dayOfRun), keys.map(({ id }) => id)],
      );
      return found.map(runOf);
    },
  };
}

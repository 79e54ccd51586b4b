/** The workers of shared runs: who has which name, which of them live, and the runs of those that do not. All by the database's clock. */
import type { Seconds } from "../../../engine/event.ts";
import type { SharedWork } from "../../../engine/shared-work.ts";
import type { Query } from "../connection.ts";

interface MembersOptions {
  ask: Query;
  /** Without a second try. */
  askOnce: Query;
  together<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Of the run schema. */
  version: number;
}

/** A worker that has not been heard of for so many seconds does not count. */
export const countedFor: Seconds = 10;
export const lives = (seconds: string): string =>
  `seen >= clock_timestamp() - make_interval(secs => ${seconds}::double precision)`;

/** Where a worker died between the two. */
const promoteLeft = `update hookline.work set status = 'waiting' where status = 'behind' and run in (
  select distinct on (hook) run from hookline.work behind where status = 'behind'
    and not exists (select 1 from hookline.work where hook = behind.hook and status <> 'behind')
  order by hook, forced desc, seq)`;

/** Who takes it up may need longer than the next look, which would take it away from that one. */
const shown =
  "update hookline.work set token = '', since = clock_timestamp() where run = any($1::text[]) and status = 'running' and worker is null";

export function createMembers({
  ask,
  askOnce,
  together,
  version,
}: MembersOptions): Pick<SharedWork, "join" | "leave" | "beat" | "adrift" | "counts"> {
  return {
    async join(member, lease) {
      const taken = await ask(
        `insert into hookline.worker as worker (id, token, place, version) values ($1, $2, $3, $4)
         on conflict (id) do update set token = $2, place = $3, version = $4, since = clock_timestamp(), seen = clock_timestamp()
         where worker.seen < clock_timestamp() - make_interval(secs => $5::double precision) or worker.token = $2
         returning id`,
        [member.id, member.token, member.where, version, lease],
      );
      if (taken.length > 0) return undefined;
      const [row] = await ask<{ place: string }>("select place from hookline.worker where id = $1", [member.id]);
      return { holder: row?.place ?? "another process" };
    },
    async leave(member) {
      await ask("delete from hookline.worker where id = $1 and token = $2", [member.id, member.token]);
    },
    async beat(member) {
      const found = await askOnce<{
        is: boolean;
        run: string | null;
        token: string | null;
        cancelled: string | null;
        workers: number;
        waits: boolean;
      }>(
        `with beat as (update hookline.worker set seen = clock_timestamp() where id = $1 and token = $2 returning id)
         select beat.id is not null as is, work.run, work.token, work.cancelled,
           (select count(*) from hookline.worker where version = $3 and ${lives("$4")})::integer as workers,
           exists (select 1 from hookline.work where status = 'waiting' and version = $3) as waits
         from (values (1)) one left join beat on true
         left join hookline.work on work.worker = $1 and work.status = 'running'`,
        [member.id, member.token, version, countedFor],
      );
      return {
        workers: found[0]?.workers ?? 0,
        waits: found[0]?.waits === true,
        isMember: found.some(({ is }) => is),
        held: new Map(
          found.flatMap(({ run, token, cancelled }) =>
            run === null || token === null ? [] : [[run, { token, ...(cancelled !== null && { cancelled }) }]],
          ),
        ),
      };
    },
    adrift: (lease, look) =>
      together(async (query) => {
        const [{ leads = false } = {}] = await query<{ leads: boolean }>(
          "select pg_try_advisory_xact_lock(7234017283807667301) as leads",
        );
        if (!leads) return;
        const living = await query<{ id: string }>(`select id from hookline.worker where ${lives("$1")}`, [lease]);
        const adrift = await query<{ run: string; worker: string | null }>(
          `select run, worker from hookline.work where status = 'running' and version = $2
           and case when worker is null then token is null or since < clock_timestamp() - make_interval(secs => $1::double precision)
             else not exists (select 1 from hookline.worker where id = work.worker and ${lives("$1")}) end`,
          [lease, version],
        );
        await query(promoteLeft);
        await look(
          adrift.map(({ run, worker }) => ({ run, ...(worker !== null && { worker }) })),
          new Set(living.map(({ id }) => id)),
        );
        const givenBack = adrift.filter(({ worker }) => worker === null).map(({ run }) => run);
        if (givenBack.length > 0) await query(shown, [givenBack]);
      }),
    async counts() {
      const [row] = await ask<Awaited<ReturnType<SharedWork["counts"]>>>(
        `select count(*) filter (where status <> 'running')::integer as waiting,
           count(*) filter (where status = 'running')::integer as running,
           count(*) filter (where version <> $1)::integer as stranded,
           (select count(*) from hookline.worker where ${lives("$2")})::integer as workers
         from hookline.work`,
        [version, countedFor],
      );
      return row ?? { waiting: 0, running: 0, stranded: 0, workers: 0 };
    },
  };
}

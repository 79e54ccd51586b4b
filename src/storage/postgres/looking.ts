/** How a Postgres store is, for who looks for what keeps it from working: all that is wrong, not only the first thing that opening it refuses. */
import type { Instant } from "../../engine/event.ts";
import type { Database } from "../sqlite/database.ts";
import { readBack } from "../sqlite/rows.ts";
import { refused } from "./address.ts";
import { openConnection, type Query } from "./connection.ts";
import { versionIn } from "./migrate.ts";
import { migrations } from "./schema.ts";
import { countedFor, lives } from "./shared-work/members.ts";
import { isFree, runSchema } from "./shared-work/shared-work.ts";

export interface PostgresLook {
  role: string;
  isSuperuser: boolean;
  /** It may alter the tables. */
  owns: boolean;
  /** It may read, and write to no table. */
  onlyReads: boolean;
  /** The server is one. */
  isStandby: boolean;
  /** Whose the tables are; where there are none, whose the database is. Of a superuser, who may not have them, as the documentation calls it. */
  owner: string;
  /** Of the tables; 0: there are none. Undefined: the role may not read it. */
  version: number | undefined;
  newest: number;
  /** The tables are there in which DBOS keeps the journal of shared runs. */
  hasJournal: boolean;
  /** What the role may not use, and a role that writes must. */
  lacks: readonly string[];
  /** Both absent where the tables are not those of this Hookline, or may not be read. */
  work?: WorkLook;
  behind?: Behind;
}
/** Rows of this machine's store that are not there yet. */
export interface Behind {
  rows: number;
  /** When the first of them was written. */
  since: Instant | undefined;
}
export interface WorkLook {
  workers: number;
  runs: number;
  /** Of run schemas that no living worker performs. */
  withoutWorker: readonly { version: number; isOurs: boolean; runs: number }[];
  /** Those that living workers have left, though there is room: they wait for a machine that has this folder. */
  left: readonly { folder: string; runs: number }[];
}

/**
 * One attempt, and no waiting. Rejects with HooklineError store_unusable: it cannot be asked.
 *
 * @param database this machine's; absent: it has none
 */
export async function lookAtPostgres(url: string, database: Pick<Database, "get"> | undefined): Promise<PostgresLook> {
  const connection = openConnection({
    url,
    connections: 1,
    patience: 0,
    connectTimeout: 3_000,
    statementTimeout: 5_000,
  });
  const { read } = connection;
  try {
    const [role] = await read<RoleRow>(roleFacts);
    if (!role) throw refused("the role is not in pg_roles", connection.address.shown, "check the role");
    const { lacks, hasTables, mayRead, ...facts } = role;
    const version = hasTables ? (mayRead ? await versionIn(read) : undefined) : 0;
    const newest = migrations.length;
    const isReadable = version === newest && lacks.length === 0;
    return {
      ...{ ...facts, lacks, version, newest },
      ...(isReadable && { work: await workIn(read), behind: database ? await behindIn(read, database) : nothing }),
    };
  } finally {
    await connection.close();
  }
}

interface RoleRow extends Omit<PostgresLook, "version" | "newest" | "work" | "behind"> {
  hasTables: boolean;
  mayRead: boolean;
}

/** The catalogue may be read by every role. A row of a day's table is reached through the table of all days: rights to that one count. */
const roleFacts = `
  with schemas as (
    select oid, nspname, nspowner, has_schema_privilege(oid, 'usage') as usable
    from pg_namespace where nspname in ('hookline', 'hookline_dbos')),
  tables as (
    select nspname || '.' || relname as name, has_table_privilege(pg_class.oid, 'select') as reads,
      has_table_privilege(pg_class.oid, 'insert') as writes, relname in ('meta', 'dbos_migrations') as is_fixed
    from pg_class join schemas on schemas.oid = relnamespace where relkind in ('r', 'p') and not relispartition),
  lacking as (
    select nspname as name from schemas where not usable
    union all select name from tables where not (reads and (writes or is_fixed)))
  select current_user::text as role, rolsuper as "isSuperuser", pg_is_in_recovery() as "isStandby",
    coalesce((select pg_has_role(nspowner, 'member') from schemas where nspname = 'hookline'), false) as owns,
    coalesce((select bool_or(reads) and not bool_or(writes) from tables), false) as "onlyReads",
    (select case when rolsuper then 'hookline_owner' else rolname::text end from pg_roles where oid =
      coalesce((select nspowner from schemas where nspname = 'hookline'),
        (select datdba from pg_database where datname = current_database()))) as owner,
    exists (select 1 from tables where name = 'hookline.meta') as "hasTables",
    coalesce((select usable from schemas where nspname = 'hookline')
      and (select reads from tables where name = 'hookline.meta'), false) as "mayRead",
    exists (select 1 from tables where name = 'hookline_dbos.dbos_migrations') as "hasJournal",
    array(select name::text from lacking order by name) as lacks
  from pg_roles where rolname = current_user`;

const isLiving = lives(String(countedFor));

async function workIn(query: Query): Promise<WorkLook> {
  const [counts = { workers: 0, runs: 0 }] = await query<{ workers: number; runs: number }>(
    `select (select count(*) from hookline.worker where ${isLiving})::integer as workers,
       (select count(*) from hookline.work)::integer as runs`,
  );
  const withoutWorker = await query<{ version: number; runs: number }>(
    `select version, count(*)::integer as runs from hookline.work
     where not exists (select 1 from hookline.worker where worker.version = work.version and ${isLiving})
     group by version order by version`,
  );
  const left = await query<{ folder: string; runs: number }>(
    `select root as folder, count(*)::integer as runs from hookline.work
     where status = 'waiting' and root is not null and since < clock_timestamp() - interval '1 minute'
       and exists (select 1 from hookline.worker where worker.version = work.version and ${isLiving})
       and exists (select 1 from hookline.work_place where run is null)
       and ${isFree}
     group by root order by root`,
  );
  return {
    ...counts,
    withoutWorker: withoutWorker.map((one) => ({ ...one, isOurs: one.version === runSchema })),
    left: left.map(({ folder, runs }) => ({ folder: readBack(folder), runs })),
  };
}

const nothing: Behind = { rows: 0, since: undefined };

async function behindIn(query: Query, database: Pick<Database, "get">): Promise<Behind> {
  const source = database.get<{ value: number }>("select value from meta where key = 'source'")?.value ?? null;
  const [cursor] = await query<{ event: number; run: number }>(
    "select event_seq as event, run_seq as run from hookline.source where id = $1",
    [source],
  );
  const behind = (table: "event" | "run", time: string): { rows: number; since: Instant | null } | undefined =>
    database.get(`select count(*) as rows, min(${time}) as since from ${table} where seq > ?`, cursor?.[table] ?? 0);
  const both = [behind("event", "at"), behind("run", "started")];
  const times = both.flatMap((one) => one?.since ?? []);
  return {
    rows: both.reduce((sum, one) => sum + (one?.rows ?? 0), 0),
    since: times.length > 0 ? Math.min(...times) : undefined,
  };
}

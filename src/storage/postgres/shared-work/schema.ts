/** The tables of durable runs that machines share. Apart from events and runs: they hold only what has not ended. */

/** A hook has one head, which waits or runs: the index keeps it so when several processes add at once. */
export const sharedWorkTables = `
  create sequence hookline.work_seq;
  create table hookline.work (
    run text primary key,
    seq bigint not null default nextval('hookline.work_seq'),
    hook text not null,
    project text,
    root text,
    version integer not null,
    item text not null,
    status text not null check (status in ('behind', 'waiting', 'running')),
    forced boolean not null,
    worker text,
    token text,
    attempts integer not null default 0,
    cancelled text,
    since timestamptz not null default clock_timestamp()
  );
  create unique index work_head on hookline.work (hook) where status <> 'behind';
  create index work_behind on hookline.work (hook, seq) where status = 'behind';
  create index work_waiting on hookline.work (seq) where status = 'waiting';
  create index work_running on hookline.work (worker) where status = 'running';
  create table hookline.work_place (number integer primary key, run text unique);
  create table hookline.work_part (
    run text not null references hookline.work (run) on delete cascade,
    name text not null,
    result text not null,
    primary key (run, name)
  );
  create table hookline.worker (
    id text primary key,
    token text not null,
    place text not null,
    version integer not null,
    since timestamptz not null default clock_timestamp(),
    seen timestamptz not null default clock_timestamp()
  );
`;

/** A place changes with each run: with no index on what changes, Postgres writes it where the old one stood, and few dead rows are passed. */
export const placesWithoutIndex = `
  alter table hookline.work_place drop constraint work_place_run_key;
  alter table hookline.work_place set (fillfactor = 50);
`;

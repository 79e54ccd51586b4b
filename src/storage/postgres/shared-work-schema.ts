/** The tables of shared durable runs. Apart from the events and runs of the store: they hold only what has not ended. */

/** The number of the form of a run's item and of the names of its steps. A worker performs runs of its own number only. */
export const runSchema = 1;

/** A hook has one head, which waits or runs; the index holds what overlap means, whoever adds. */
export const sharedWorkTables = `
create table work (
  run text primary key,
  seq bigint not null,
  hook text not null,
  project text,
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
create sequence work_seq owned by work.seq;
create unique index work_head on work (hook) where status <> 'behind';
create index work_behind on work (hook, seq) where status = 'behind';
create index work_waiting on work (seq) where status = 'waiting';
create index work_running on work (worker) where status = 'running';
create table work_place (number integer primary key, run text unique);
create table work_part (
  run text not null references work (run) on delete cascade,
  name text not null,
  result text not null,
  primary key (run, name)
);
create table worker (
  id text primary key,
  token text not null,
  place text not null,
  version integer not null,
  since timestamptz not null default clock_timestamp(),
  seen timestamptz not null default clock_timestamp()
);
`;

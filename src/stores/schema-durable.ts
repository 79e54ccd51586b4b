/**
 * Tables of durable runs: what waits or is being worked on, and what its steps gave (R56). The runs of one hook are a lane:
 * its head is "waiting" or "running", and the index lets no second one be either; the others are "behind".
 */
export const durableTables = `
  create table work (
    seq integer primary key,
    run text not null unique,
    hook text not null,
    project text,
    item text not null,
    status text not null,
    forced integer not null,
    created real not null,
    due real not null,
    owner text,
    lease real,
    recoveries integer not null default 0,
    cancelled text
  ) strict;
  create index work_lane on work (hook, status, due, seq);
  create unique index work_head on work (hook) where status in ('waiting', 'running');
  create index work_due on work (status, due, seq);

  create table step (
    run text not null,
    name text not null,
    result text not null,
    primary key (run, name)
  ) strict, without rowid;
`;

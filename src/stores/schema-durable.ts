/**
 * Tables of durable runs: what waits or is being worked on, and what its steps gave (R56). The runs of one hook are a lane:
 * its head is "waiting" or "running", and the index lets no second one be either; the others are "behind". They come in the
 * order of seq, which no clock has a say in. An event lies here once for all the runs that it set off, and goes with the last.
 */
export const durableTables = `
  create table work (
    seq integer primary key,
    run text not null unique,
    hook text not null,
    project text,
    item text not null,
    event integer not null,
    status text not null,
    forced integer not null,
    created real not null,
    owner text,
    lease real,
    recoveries integer not null default 0,
    cancelled text
  ) strict;
  create index work_lane on work (hook, status, seq);
  create unique index work_head on work (hook) where status in ('waiting', 'running');
  create index work_status on work (status, seq);
  create index work_of_event on work (event);

  create table work_event (seq integer primary key, id text not null, event text not null) strict;
  create index work_event_id on work_event (id);
  create trigger work_over after delete on work begin
    delete from work_event where seq = old.event and not exists (select 1 from work where event = old.event);
  end;

  create table step (
    run text not null,
    name text not null,
    result text not null,
    primary key (run, name)
  ) strict, without rowid;
`;

/** The tables in Postgres, as numbered migrations. A migration that was released is never edited: the next one changes what it made. */

import { placesWithoutIndex, sharedWorkTables } from "./shared-work/schema.ts";

/** @param of tables beside those of the first migration, each with the moment of a row in `at` */
const forgetting = (of: readonly string[]): string => `
  create or replace function hookline.forget(before double precision) returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
  declare
    last_day text := to_char(to_timestamp(before / 1000) at time zone 'utc' - interval '1 day', 'YYYYMMDD');
    one text;
    here bigint;
    forgotten bigint := 0;
    goes_on boolean;
  begin
    perform pg_advisory_xact_lock(7234017283807667300);
    for one in
      select substr(relname, 7) from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'hookline.event'::regclass and relname ~ '^event_[0-9]{8}$' and substr(relname, 7) <= last_day
    loop
      execute format('select exists (select 1 from hookline.%I where status in (''queued'', ''running''))', 'run_' || one) into goes_on;
      continue when goes_on;
      execute format('select count(*) from hookline.%I', 'event_' || one) into here;
      forgotten := forgotten + here;
      execute format('drop table hookline.%I, hookline.%I', 'event_' || one, 'run_' || one);
    end loop;
    delete from hookline.run where started < before and status not in ('queued', 'running');
    delete from hookline.inbox where at < before;
    delete from hookline.debt where at < before;
    delete from hookline.baseline where at < before;
    delete from hookline.session where at < before;
    ${of.map((table) => `delete from hookline.${table} where at < before;`).join("\n    ")}
    delete from hookline.hook_set where used < before;
    delete from hookline.event where at < before;
    get diagnostics here = row_count;
    return forgotten + here;
  end $$;
`;

/**
 * Events and runs lie in a partition for each day on which their event's id was made, so that to forget a day is to drop two tables. What
 * has no such id, or comes after its day was dropped, lies in the partition of the others, and is deleted row by row.
 *
 * Only these functions change tables at run time: they belong to the owner, and the role that writes may do no more than call them.
 * Of all who call `tidy`, one in a day forgets what is older than the owner wants it kept.
 */
const partitions = `
  create function hookline.make_days(first date, last date) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  declare
    one date;
    parent text;
  begin
    perform pg_advisory_xact_lock(7234017283807667300);
    for one in select generate_series(greatest(first, current_date - 400), least(last, current_date + 7), interval '1 day')::date loop
      continue when to_regclass(format('hookline.event_%s', to_char(one, 'YYYYMMDD'))) is not null;
      foreach parent in array array['event', 'run'] loop
        execute format('create table hookline.%I partition of hookline.%I for values from (%L) to (%L)',
          parent || '_' || to_char(one, 'YYYYMMDD'), parent, one, one + 1);
      end loop;
    end loop;
  exception when check_violation then null; -- some rows of that day lie with the others already
  end $$;

  ${forgetting([])}

  create function hookline.tidy() returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  declare
    at double precision := extract(epoch from now()) * 1000;
    kept_for double precision;
  begin
    update hookline.meta set value = at::text where key = 'purged' and value::double precision < at - 86400000;
    if not found then return null; end if;
    perform hookline.make_days(current_date, current_date + 2); -- before their first rows wait for it
    select value::double precision * 86400000 into kept_for from hookline.meta where key = 'retention_days';
    return hookline.forget(at - kept_for);
  end $$;
`;

/** By it machines know which database has what they have handed over; a copy of it has the same. */
export const identity = "database";

/** The schema's version is the number of migrations that were applied to it. */
export const migrations: readonly string[] = [
  `
  create table hookline.meta (key text primary key, value text not null);
  insert into hookline.meta values ('purged', '0'), ('retention_days', '30');

  create table hookline.hook_set (id text primary key, hooks text not null, used double precision not null);

  create sequence hookline.event_seq;
  create table hookline.event (
    day date not null,
    seq bigint not null default nextval('hookline.event_seq'),
    source bigint,
    id text not null,
    at double precision not null,
    name text not null,
    session text,
    cwd text not null,
    sender text not null,
    delivery text,
    delivered_by text,
    repeats text,
    hook_set text not null,
    payload text not null,
    turn text not null,
    outcome text,
    answered_at double precision,
    ms double precision,
    cut integer not null,
    redacted integer not null,
    primary key (day, id)
  ) partition by range (day);
  create index on hookline.event (seq);
  create index on hookline.event (delivery) where delivery is not null;
  create index on hookline.event (source) where outcome is null;
  create table hookline.event_others partition of hookline.event default;

  create sequence hookline.run_seq;
  create table hookline.run (
    day date not null,
    seq bigint not null default nextval('hookline.run_seq'),
    source bigint,
    id text not null,
    event text not null,
    event_name text not null,
    hook text not null,
    hook_name text not null,
    session text,
    status text not null,
    reason text,
    cause text not null,
    started double precision not null,
    ms double precision,
    outcome text,
    withheld text,
    steps text not null,
    notes text not null,
    asked integer not null,
    owner text,
    primary key (day, id)
  ) partition by range (day);
  create index on hookline.run (seq);
  create index on hookline.run (hook, seq);
  create index on hookline.run (event);
  create index on hookline.run (source) where status in ('queued', 'running');
  create table hookline.run_others partition of hookline.run default;

  create table hookline.session (
    id text primary key,
    turn text not null,
    at double precision not null,
    reprompts integer not null default 0,
    rewakes integer not null default 0,
    injected integer not null default 0
  );
  create table hookline.claim (key text primary key, count integer not null, last double precision not null);
  create table hookline.debt (
    session text not null,
    hook text not null,
    found text not null,
    at double precision not null,
    primary key (session, hook)
  );
  create table hookline.inbox (
    id text primary key,
    seq bigint generated always as identity,
    session text not null,
    outcome text not null,
    counter text,
    at double precision not null
  );
  create index on hookline.inbox (session);
  create table hookline.baseline (
    session text not null,
    folder text not null,
    baseline text not null,
    at double precision not null,
    primary key (session, folder)
  );
  create table hookline.pause (what text primary key, at double precision not null, until double precision);

  create table hookline.source (
    id bigint primary key,
    name text not null,
    event_seq bigint not null,
    event_id text not null,
    run_seq bigint not null,
    run_id text not null,
    seen double precision not null
  );
  ${partitions}
  revoke all on all functions in schema hookline from public;
  `,
  sharedWorkTables,
  placesWithoutIndex,
  `insert into hookline.meta values ('${identity}', gen_random_uuid()::text);`,
  `
  alter table hookline.event add column receipt text, add column receipt_key text, add column receipt_of text;
  create index on hookline.event (receipt, session, receipt_key) where receipt is not null;
  `,
  `create table hookline.transcript (path text primary key, at double precision not null, row text not null);
  ${forgetting(["transcript"])}`,
];

/** What the roles may do that do not own the schema, also with what later migrations make. No other role may do anything. */
export const rights: { readonly writer: readonly string[]; readonly reader: readonly string[] } = {
  writer: [
    "grant usage on schema hookline to %",
    "grant select, insert, update, delete on all tables in schema hookline to %",
    "revoke insert, update, delete on hookline.meta from %",
    "grant usage on all sequences in schema hookline to %",
    "grant execute on all functions in schema hookline to %",
    "alter default privileges in schema hookline grant select, insert, update, delete on tables to %",
    "alter default privileges in schema hookline grant usage on sequences to %",
    "alter default privileges in schema hookline grant execute on functions to %",
  ],
  reader: [
    "grant usage on schema hookline to %",
    "grant select on all tables in schema hookline to %",
    "alter default privileges in schema hookline grant select on tables to %",
  ],
};

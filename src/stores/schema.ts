/** The tables, as numbered migrations. A migration that was released is never edited: the next one changes what it made. */

import { automationTables } from "./schema-automations.ts";
import { durableTables } from "./schema-durable.ts";
import { projectTables } from "./schema-projects.ts";

/** The store's version is the number of migrations that were applied to it. */
export const migrations: readonly string[] = [
  `
  create table meta (key text primary key, value real not null) strict, without rowid;

  create table hook_set (id text primary key, hooks text not null, used real not null) strict;

  create table event (
    seq integer primary key,
    id text not null unique,
    at real not null,
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
    answered_at real,
    cut integer not null,
    redacted integer not null
  ) strict;
  create index event_delivery on event (delivery) where delivery is not null;

  create table run (
    seq integer primary key,
    id text not null unique,
    event text not null,
    event_name text not null,
    hook text not null,
    hook_name text not null,
    session text,
    status text not null,
    reason text,
    cause text not null,
    started real not null,
    ms real,
    outcome text,
    steps text not null,
    notes text not null,
    asked integer not null,
    owner text
  ) strict;
  create index run_event on run (event);
  create index run_hook on run (hook);
  create index run_open on run (seq) where status in ('queued', 'running');

  create table session (
    id text primary key,
    turn text not null,
    at real not null,
    reprompts integer not null default 0,
    rewakes integer not null default 0,
    injected integer not null default 0
  ) strict;

  create table claim (key text primary key, count integer not null, last real not null) strict, without rowid;

  create table debt (
    session text not null,
    hook text not null,
    found text not null,
    at real not null,
    primary key (session, hook)
  ) strict, without rowid;

  create table inbox (
    seq integer primary key,
    session text not null,
    outcome text not null,
    counter text,
    at real not null
  ) strict;
  create index inbox_session on inbox (session);
  `,
  `
  create table baseline (
    session text not null,
    folder text not null,
    baseline text not null,
    at real not null,
    primary key (session, folder)
  ) strict, without rowid;

  create table pause (what text primary key, at real not null) strict, without rowid;
  `,
  `alter table event add column ms real;
  ${durableTables}${automationTables}${projectTables}`,
];

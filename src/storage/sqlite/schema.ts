/** The tables, as numbered migrations. A migration that was released is never edited: the next one changes what it made. */

/**
 * Tables of durable runs: what waits or is being worked on, and what its steps gave (R56). The runs of one hook are a lane:
 * its head is "waiting" or "running", and the index lets no second one be either; the others are "behind". They come in the
 * order of seq, which no clock has a say in. An event lies here once for all the runs that it set off, and goes with the last.
 */
const durableTables = `
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

/** Tables of automations that are kept in the store (specification 000): one row each, as its author wrote it. */
const automationTables = `
  create table automation (
    project text not null,
    id text not null,
    name text not null,
    enabled integer not null,
    listens text,
    fields text not null,
    created real not null,
    updated real not null,
    key text unique,
    primary key (project, id)
  ) strict;
  create index automation_listens on automation (listens) where listens is not null;

  insert into meta (key, value) values ('automations', 0);
  create trigger automation_added after insert on automation begin
    update meta set value = value + 1 where key = 'automations';
  end;
  create trigger automation_changed after update on automation begin
    update meta set value = value + 1 where key = 'automations';
  end;
  create trigger automation_removed after delete on automation begin
    update meta set value = value + 1 where key = 'automations';
  end;
`;

/** Tables of what automations act on: projects, their tasks, notes and memory (specification 000). */
const projectTables = `
  create table project (
    id text primary key,
    name text not null,
    workspace text unique,
    repository text,
    branch text,
    notify text,
    created real not null,
    updated real not null
  ) strict;

  create table task (
    seq integer primary key,
    id text not null unique,
    key text unique,
    project text not null,
    title text not null,
    description text not null,
    status text not null,
    priority integer not null,
    parent text,
    profile text,
    workspace text,
    branch text,
    context text not null,
    depends_on text not null,
    result text,
    error text,
    moved_by text,
    untold text,
    created real not null,
    updated real not null,
    started real,
    ended real
  ) strict;
  create index task_project on task (project, status, priority, seq);
  create index task_ended on task (ended) where ended is not null;

  create table note (
    project text not null,
    name text not null,
    title text not null,
    content text not null,
    created real not null,
    updated real not null,
    primary key (project, name)
  ) strict;

  create table memory (
    seq integer primary key,
    id text not null unique,
    key text unique,
    project text not null,
    source text not null,
    heading text not null,
    content text not null,
    pieces text not null default '',
    vector blob,
    embedded_by text,
    created real not null
  ) strict;
  create index memory_project on memory (project, source);
  create virtual table memory_text using fts5 (
    heading, content, pieces, content='memory', content_rowid='seq', tokenize='porter unicode61'
  );
  create trigger memory_added after insert on memory begin
    insert into memory_text (rowid, heading, content, pieces) values (new.seq, new.heading, new.content, new.pieces);
  end;
  create trigger memory_removed after delete on memory begin
    insert into memory_text (memory_text, rowid, heading, content, pieces)
      values ('delete', old.seq, old.heading, old.content, old.pieces);
  end;
`;

/** What most runs have, so that an index of the others costs a run nothing. */
export const commonStatuses: readonly string[] = ["completed", "skipped"];
export const commonEvents: readonly string[] = ["PreToolUse", "PostToolUse"];
const quoted = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(", ");
/** The conditions of the two, which a query has to repeat word by word. */
export const isNotable: string = `status not in (${quoted(commonStatuses)})`;
export const isRare: string = `event_name not in (${quoted(commonEvents)})`;

/** The same of events that no agent sends, which are few. */
export const isOfApplication: string = "instr(name, '.') > 0";

/**
 * What people ask for of a million runs, with no further index of all of them: each costs every run a fifth of its writing. So
 * two are of the few runs with another status or event, and in the others stands what else is asked of a hook or a session.
 */
const runIndexes = `
  drop index run_open;
  drop index run_hook;
  drop index run_event;
  create index run_hook on run (hook, seq, asked);
  create index run_event on run (event, seq, session);
  create index run_notable on run (status) where ${isNotable};
  create index run_rare on run (event_name) where ${isRare};
`;

/** What became of the few events that are followed: their index holds no other. */
const receipts = `
  alter table event add column receipt text;
  alter table event add column receipt_key text;
  alter table event add column receipt_of text;
  create index event_receipt on event (receipt, session, receipt_key) where receipt is not null;
`;

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
  `alter table pause add column until real;
  alter table run add column withheld text;`,
  runIndexes,
  "create index event_cwd on event (cwd);",
  `create index event_of_application on event (name) where ${isOfApplication};`,
  receipts,
  "create table transcript (path text primary key, at real not null, row text not null) strict;",
];

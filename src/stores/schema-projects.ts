/** Tables of what automations act on: projects, their tasks, notes and memory (specification 000). */
export const projectTables = `
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

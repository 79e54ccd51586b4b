/** Tables of automations that are kept in the store (specification 000): one row each, as its author wrote it. */
export const automationTables = `
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

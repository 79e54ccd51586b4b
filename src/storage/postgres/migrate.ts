/** Brings the schema to this version, as its owner; and what a role must find before it works with it, and must not be. */
import { refused } from "./address.ts";
import { type Connection, openConnection, type Query } from "./connection.ts";
import { migrations, rights } from "./schema.ts";

export interface MigrateOptions {
  /** The address of the owner of the schema, or of who may create it. No superuser: the schema's functions have the rights of its owner. */
  url: string;
  /** Roles that are there, which get their rights. */
  writer?: string | undefined;
  reader?: string | undefined;
  /** Days after which events and runs are forgotten. Absent: as it was, at first 30. */
  retentionDays?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** One migration at a time, of whatever number of processes. */
const migrating = "select pg_advisory_xact_lock(7234017283807667299)";

/**
 * Safe to do again, and by several at once.
 *
 * @returns the versions before and after
 * @throws HooklineError store_unusable: not its owner, a role that is not there or may do too much, a newer schema
 */
export async function migrate(options: MigrateOptions): Promise<{ from: number; to: number }> {
  const { url, writer, reader, retentionDays, signal } = options;
  const connection = openConnection({ url, connections: 1, statementTimeout: 600_000 });
  try {
    return await connection.transaction({ again: true, signal }, async (query) => {
      await query(migrating);
      await checkOwner(query, connection);
      await query("create schema if not exists hookline");
      for (const role of [writer, reader]) if (role !== undefined) await checkRole(query, role, connection);
      const [made] = await query<{ made: boolean }>("select to_regclass('hookline.meta') is not null as made");
      const from = made?.made ? await versionIn(query) : 0;
      if (from > migrations.length) throw newer(from, connection);
      for (const sql of migrations.slice(from)) await query(sql);
      await query(setMeta, ["version", String(migrations.length)]);
      if (retentionDays !== undefined) await query(setMeta, ["retention_days", String(retentionDays)]);
      for (const [role, statements] of [
        [writer, rights.writer],
        [reader, rights.reader],
      ] as const)
        for (const statement of role === undefined ? [] : statements)
          await query(statement.replace("%", () => quoted(role ?? "")));
      return { from, to: migrations.length };
    });
  } finally {
    await connection.close();
  }
}

async function checkOwner(query: Query, { address: { shown, user, database } }: Connection): Promise<void> {
  const [found] = await query<{ is_super: boolean; owner: string | null; may_create: boolean }>(
    `select rolsuper as is_super, (select pg_get_userbyid(nspowner)::text from pg_namespace where nspname = 'hookline') as owner,
       has_database_privilege(current_database(), 'create') as may_create
     from pg_roles where rolname = current_user`,
  );
  if (found?.is_super) {
    const own = "hookline_owner";
    const statements = `${creating(own)}; alter database ${quoted(database)} owner to ${quoted(own)}`;
    const advice = `use a role that owns the database, such as one of \`${statements}\``;
    throw refused(`the role ${user} is a superuser, and what it makes would run with all rights`, shown, advice);
  }
  if (found && found.owner !== null && found.owner !== user)
    throw refused(`its tables belong to the role ${found.owner}, not to ${user}`, shown, `use the role ${found.owner}`);
  if (found?.owner === null && !found.may_create)
    throw refused(`the role ${user} may make no tables in it`, shown, "use the role that owns the database");
}

async function checkRole(query: Query, role: string, { address: { shown } }: Connection): Promise<void> {
  const [found] = await query<{ may_all: boolean }>(
    "select rolsuper or pg_has_role(oid, current_user, 'member') as may_all from pg_roles where rolname = $1",
    [role],
  );
  if (!found) {
    const advice = `make it first, as a role that may: \`${creating(role)}\``;
    throw refused(`there is no role ${role} to give rights to`, shown, advice);
  }
  if (found.may_all)
    throw refused(
      `the role ${role} may alter its tables already`,
      shown,
      "name a role of its own that only gets these rights",
    );
}

const creating = (role: string): string => `create role ${quoted(role)} login password '…'`;

const setMeta = "insert into hookline.meta values ($1, $2) on conflict (key) do update set value = excluded.value";

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const versionIn = async (query: Query): Promise<number> => {
  const [row] = await query<{ value: string }>("select value from hookline.meta where key = 'version'");
  return Number(row?.value ?? 0);
};

/** @throws HooklineError store_unusable: another version, or a role that may do more than write rows (SAFETY T30) */
export async function checkSchema(connection: Connection): Promise<void> {
  const where = connection.address.shown;
  const [role] = await connection.read<{ is_super: boolean; owns: boolean | null }>(
    `select rolsuper as is_super, (select pg_has_role(nspowner, 'member') from pg_namespace where nspname = 'hookline') as owns
     from pg_roles where rolname = current_user`,
  );
  const advice =
    "use a role of its own that only writes rows: `hookline store migrate --writer ROLE` gives it its rights";
  if (role?.is_super) throw refused(`the role ${connection.address.user} is a superuser`, where, advice);
  if (role?.owns) throw refused(`the role ${connection.address.user} may alter its tables`, where, advice);
  const version = await versionIn(connection.read);
  if (version > migrations.length) throw newer(version, connection);
  if (version < migrations.length) {
    const reason = `its schema is of version ${version}, and this Hookline needs ${migrations.length}`;
    throw refused(reason, where, "let its owner run `hookline store migrate`");
  }
}

const newer = (version: number, { address }: Connection): Error =>
  refused(`its schema is of version ${version}, which is newer than this Hookline`, address.shown, "update Hookline");

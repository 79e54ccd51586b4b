/** Brings the schema to this version, as its owner; and what a role must find before it works with it, and must not be. */
import { refused } from "./address.ts";
import { type Connection, openConnection, type Query } from "./connection.ts";
import { migrations, rights } from "./schema.ts";

export interface MigrateOptions {
  /** The address of the owner of the schema, or of who may create it. */
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
 * @throws HooklineError store_unusable: no rights, a role that is not there, a newer schema
 */
export async function migrate(options: MigrateOptions): Promise<{ from: number; to: number }> {
  const { url, writer, reader, retentionDays, signal } = options;
  const connection = openConnection({ url, connections: 1, statementTimeout: 600_000 });
  try {
    return await connection.transaction({ again: true, signal }, async (query) => {
      await query(migrating);
      await query("create schema if not exists hookline");
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
          await query(statement.replace("%", quoted(role ?? "")));
      return { from, to: migrations.length };
    });
  } finally {
    await connection.close();
  }
}

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

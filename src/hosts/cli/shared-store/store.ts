/** hookline store: makes the tables of a store in Postgres, and moves a record there or back. */

import { hostname } from "node:os";
import { resolve } from "node:path";
import { counted } from "../../../engine/words.ts";
import { type ExitCode, type Invocation, textFlag, usageError } from "../command.ts";
import { isPostgres, sharedStore, storeOptions, usualStore } from "../place.ts";

export async function store(invocation: Invocation): Promise<ExitCode> {
  const [word] = invocation.words;
  if (word === "migrate") return migrate(invocation);
  if (word === "move") return move(invocation);
  throw usageError(word === undefined ? "missing action" : `unknown action "${word}"`, invocation.usage);
}

async function migrate(invocation: Invocation): Promise<ExitCode> {
  const { flags, terminal, json, usage, signal } = invocation;
  const url = sharedStore(invocation, textFlag(flags, "store"));
  if (url === undefined) throw usageError("migrate needs --store postgres://OWNER@HOST/DATABASE", usage);
  const keep = textFlag(flags, "keep");
  const retentionDays = keep === undefined ? undefined : Number(keep);
  if (retentionDays !== undefined && !(retentionDays >= 1)) throw usageError(`--keep needs days, not "${keep}"`, usage);
  const [writer, reader] = [textFlag(flags, "writer"), textFlag(flags, "reader")];
  const { migrate: change } = await import("../../../storage/postgres/migrate.ts");
  const { from, to } = await change({ url, writer, reader, retentionDays, signal });
  const [{ migrateDurableEngine }, { wholeAddress }] = await Promise.all([
    import("../../../runtime/queues/shared/dbos.ts"),
    import("../../../storage/postgres/password.ts"),
  ]);
  await migrateDurableEngine(wholeAddress(url), writer);
  if (json) terminal.print(JSON.stringify({ from, to }));
  else
    terminal.print(
      from === to ? `the tables are of version ${to} already` : `the tables went from version ${from} to ${to}`,
    );
  if (from === 0 && writer === undefined)
    terminal.error("hookline: no role may write to them yet: run it again with --writer ROLE");
  return 0;
}

async function move(invocation: Invocation): Promise<ExitCode> {
  const { flags, terminal, json, usage, cwd, signal } = invocation;
  const to = textFlag(flags, "to");
  if (to === undefined) throw usageError("move needs --to postgres://ROLE@HOST/DATABASE or --to sqlite:FILE", usage);
  const here = sharedStore(invocation, textFlag(flags, "store"));
  const isThere = isPostgres(to);
  const [scheme] = /^\w[\w+.-]*:\/\//.exec(to) ?? [];
  if (!isThere && scheme !== undefined && scheme !== "sqlite://")
    throw usageError(`no record can be moved to ${scheme}, only to postgres:// or sqlite:FILE`, usage);
  if (isThere && here !== undefined)
    throw usageError(`both sides are Postgres: name the file by --store, such as ${usualStore(invocation)}`, usage);
  if (!isThere && here === undefined)
    throw usageError("both sides are files: copy the file, or name the Postgres by --store", usage);
  const url = isThere ? to : (here ?? "");
  const path = isThere ? undefined : resolve(cwd, to.replace(/^sqlite:/, ""));
  const [{ openSqliteStore }, { openConnection }, { checkSchema }, moving] = await Promise.all([
    import("../../../storage/sqlite/sqlite.ts"),
    import("../../../storage/postgres/connection.ts"),
    import("../../../storage/postgres/migrate.ts"),
    import("../../../storage/postgres/moving.ts"),
  ]);
  const complain = (reason: string): void => terminal.error(`hookline: ${reason}`);
  const connection = openConnection({ url, connections: 1 });
  const file = openSqliteStore({
    ...storeOptions(invocation, path ?? textFlag(flags, "store")),
    retentionDays: Number.MAX_SAFE_INTEGER, // what is moved is not forgotten on the way
    onNotice: complain,
  });
  try {
    await checkSchema(connection);
    const given = { database: file.database, connection, complain, signal };
    const moved = isThere
      ? await moving.moveToPostgres({ ...given, name: hostname() })
      : await moving.moveToSqlite(given);
    const { events, runs, hash } = moved;
    if (json) terminal.print(JSON.stringify(moved));
    else {
      const sameIs = `${counted(events, "event")} and ${counted(runs, "run")}, with the same hash on both sides: ${hash.slice(0, 16)}`;
      terminal.print(`moved ${sameIs}`);
      terminal.print(
        isThere
          ? "what is new goes there while `hookline up --store postgres://…` runs; projects and automations stay in this machine's store"
          : `use it with --store ${path}`,
      );
    }
    return 0;
  } finally {
    file.close();
    await connection.close();
  }
}

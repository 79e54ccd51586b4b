/** The Postgres store, where there is one: that this machine's record comes there, and that shared runs have a worker. */

import { counted, listed } from "../../../engine/words.ts";
import { ago } from "../../../operations/shown.ts";
import type { WorkLook } from "../../../storage/postgres/looking.ts";
import { type Area, type Row, row } from "./check.ts";
import type { PostgresHere } from "./postgres-look.ts";

type Look = Exclude<PostgresHere["look"], { unreachable: string }>;
type Seen = PostgresHere & { look: Look };
type With<Fact> = Seen & { fact: Fact };

/** A row about what was seen there. */
const seen = <Fact>(
  name: string,
  is: Row<never>["is"],
  {
    find,
    says,
    run,
  }: { find(seen: Seen): readonly Fact[]; says(one: With<Fact>): string; run(one: With<Fact>): string },
): ReturnType<typeof row> =>
  row<With<Fact>>(name, {
    is,
    async find(here) {
      const found = await here.postgres();
      if (!found || "unreachable" in found.look) return [];
      const whole = { ...found, look: found.look };
      return find(whole).map((fact) => ({ ...whole, fact }));
    },
    says,
    run,
  });

const migrateAs = ({ addressFor, look: { owner, role } }: Seen, writer = role): string =>
  `hookline store migrate --store ${addressFor(owner)} --writer ${writer}`;
const when = <Fact>(holds: boolean, fact: Fact): Fact[] => (holds ? [fact] : []);
const haveWaited = (runs: number): string => `${counted(runs, "run")} ${runs === 1 ? "waits" : "wait"}`;

export const postgres: Area = {
  name: "postgres",
  isHere: async (here) => (await here.postgres()) !== undefined,
  checks: [
    row<PostgresHere & { reason: string }>("postgres-unreachable", {
      is: "bad",
      find: async (here) => unreachable(await here.postgres()).filter((found) => !isReachedByDaemon(found)),
      says: ({ address, reason }) => `${address} cannot be used: ${reason}`,
      run: ({ addressFor }) => `psql ${addressFor()}`,
    }),
    row<PostgresHere & { reason: string }>("postgres-unseen", {
      is: "note",
      find: async (here) => unreachable(await here.postgres()).filter(isReachedByDaemon),
      says: ({ address, reason }) => `the daemon works with ${address}, which doctor cannot look into: ${reason}`,
      run: ({ naming }) => `hookline doctor${naming}`,
    }),
    seen("postgres-standby", "bad", {
      find: ({ look: { isStandby } }) => when(isStandby, true),
      says: ({ address }) => `${address} is a standby that only reads: name the primary`,
      run: () => "hookline doctor --store postgres://ROLE@PRIMARY/DATABASE",
    }),
    seen("postgres-role", "bad", {
      find: ({ look: { isSuperuser, owns, onlyReads } }) =>
        [
          ...when(isSuperuser, "is a superuser, so Hookline refuses it"),
          ...when(owns, "may alter the tables, so Hookline refuses it"),
          ...when(onlyReads, "may only read, so no record comes there"),
        ].slice(0, 1),
      says: ({ look: { role }, fact, address }) =>
        `the role ${role} ${fact} (${address}): name a role that may write rows, and no more`,
      run: (one) => migrateAs(one, "hookline_writer"),
    }),
    seen("postgres-tables", "bad", {
      find: ({ look: { version, newest, hasJournal, lacks } }): string[] => {
        if (version === 0) return ["it has no tables of Hookline"];
        if (version !== undefined && version < newest)
          return [`its tables are of version ${version}, and this Hookline needs ${newest}`];
        if (version !== undefined && version > newest) return [];
        return when(!hasJournal && lacks.length === 0, "it has no tables of DBOS, so no worker can start");
      },
      says: ({ address, fact }) => `${address}: ${fact}`,
      run: (one) => migrateAs(one, one.look.owns || one.look.isSuperuser ? "hookline_writer" : one.look.role),
    }),
    seen("postgres-newer", "bad", {
      find: ({ look: { version = 0, newest } }) => when(version > newest, version),
      says: ({ address, fact, look: { newest } }) =>
        `${address}: its tables are of version ${fact}, and this Hookline knows ${newest}`,
      run: () => "npm install --global hookline@latest",
    }),
    seen("postgres-rights", "bad", {
      find: ({ look: { lacks, onlyReads, version } }) => when(version !== 0 && lacks.length > 0 && !onlyReads, lacks),
      says: ({ address, look: { role }, fact }) => `the role ${role} may not use ${listed(fact)} (${address})`,
      run: (one) => migrateAs(one),
    }),
    row<PostgresHere>("daemon-without-postgres", {
      is: "note",
      async find(here) {
        const found = await here.postgres();
        return found?.daemon.is === "without" ? [found] : [];
      },
      says: ({ address }) =>
        `the daemon was started without ${address}: it neither brings its record there nor works for it`,
      run: startAnew,
    }),
    seen("rows-not-brought", "bad", {
      find: ({ look: { behind }, daemon }) =>
        behind && behind.rows > 0 && (daemon.is !== "following" || daemon.waits !== undefined) ? [behind] : [],
      says: ({ fact: { rows, since }, daemon, address }) =>
        `${counted(rows, "row")} of this machine ${rows === 1 ? "is" : "are"} not in ${address} yet, the first written ${ago(since)}${daemon.is === "following" ? `: ${daemon.waits}` : ""}`,
      run: (one) => bringing[one.daemon.is](one),
    }),
    seen("daemon-performs-nothing", "bad", {
      find: ({ daemon }) => (daemon.is === "following" && daemon.idle !== undefined ? [daemon.idle] : []),
      says: ({ address, fact }) => `the daemon performs no automations of ${address}: ${fact}`,
      run: startAnew,
    }),
    seen<WorkLook["withoutWorker"][number]>("runs-without-worker", "bad", {
      find: ({ look: { work } }) => (work?.withoutWorker ?? []).filter(({ isOurs }) => isOurs),
      says: ({ fact, address }) => `${haveWaited(fact.runs)} in ${address}, and no worker lives`,
      run: ({ naming }) => `hookline worker${naming}`,
    }),
    seen<WorkLook["withoutWorker"][number]>("runs-stranded", "bad", {
      find: ({ look: { work } }) => (work?.withoutWorker ?? []).filter(({ isOurs }) => !isOurs),
      says: ({ fact, address }) =>
        `${haveWaited(fact.runs)} in ${address} for a worker of run schema ${fact.version}, and none lives: start one of the Hookline that has queued them, or cancel them`,
      run: ({ naming }) => `hookline runs --all --status queued${naming}`,
    }),
    seen<WorkLook["left"][number]>("runs-without-folder", "note", {
      find: ({ look: { work } }) => work?.left ?? [],
      says: ({ fact: { folder, runs } }) =>
        `${haveWaited(runs)} for a worker on a machine that has the folder ${folder}: those that live have left ${runs === 1 ? "it" : "them"} for more than a minute`,
      run: ({ naming }) => `hookline worker${naming}`,
    }),
  ],
  async good(here) {
    const found = await here.postgres();
    if (!found || "unreachable" in found.look) return "";
    const { version, work } = found.look;
    const { workers = 0, runs = 0 } = work ?? {};
    return `${found.address} takes records: schema ${version}, ${counted(workers, "worker")}, ${counted(runs, "run")} to perform`;
  },
};

function unreachable(found: PostgresHere | undefined): (PostgresHere & { reason: string })[] {
  return found && "unreachable" in found.look ? [{ ...found, reason: found.look.unreachable }] : [];
}

/** Doctor lacks only what the daemon has, such as the password. */
function isReachedByDaemon({ onlyOfDaemon, daemon }: PostgresHere): boolean {
  return onlyOfDaemon && daemon.is === "following" && daemon.waits === undefined;
}

function startAnew({ naming }: PostgresHere): string {
  return `hookline down && hookline up --background${naming}`;
}

/** What brings this machine's rows there. One that follows tries by itself, and its status says how that goes. */
const bringing: Readonly<Record<PostgresHere["daemon"]["is"], (found: PostgresHere) => string>> = {
  none: ({ naming }) => `hookline up --background${naming}`,
  silent: startAnew,
  without: startAnew,
  following: () => "hookline status",
};

/** Where a command works: its folder, whose settings hold, and where the store and the log lie. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { HooklineError } from "../../engine/error.ts";
import type { Instant } from "../../engine/event.ts";
import { stateFolderOf } from "../../runtime/system.ts";
import { createRedaction } from "../../storage/redaction/redaction.ts";
import type { SqliteStoreOptions } from "../../storage/sqlite/sqlite.ts";
import { createLog } from "./log.ts";

export interface Place {
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string>>;
}
export const stateFolder = ({ home, environment }: Place): string => stateFolderOf(home || homedir(), environment);

/** Where the store lies: --store, then HOOKLINE_STORE, then the state folder. @throws HooklineError usage */
export function storePath(place: Place, flag: string | undefined): string {
  const named = flag ?? place.environment.HOOKLINE_STORE;
  if (named === undefined || isPostgres(named)) return usualStore(place);
  const [scheme] = /^\w[\w+.-]*:\/\//.exec(flag ?? "") ?? [];
  if (scheme === undefined) return resolve(place.cwd, named.replace(/^sqlite:/, "")); // as store move writes it
  const what = `no store can be reached by ${scheme}`;
  throw new HooklineError("usage", { what, where: "--store", advice: "name a file, or postgres://ROLE@HOST/DATABASE" });
}

/** The address of the Postgres that is named where a store is: the machine's own store is the usual one, and its record goes there. */
export function sharedStore({ environment }: Pick<Place, "environment">, flag: string | undefined): string | undefined {
  const named = flag ?? environment.HOOKLINE_STORE;
  return named !== undefined && isPostgres(named) ? named : undefined;
}

export const isPostgres = (named: string): boolean => /^postgres(ql)?:/i.test(named);

/** Where it lies by default. */
export const usualStore = (place: Place): string => resolve(place.cwd, stateFolder(place), "hookline.db");

/**
 * How the store keeps what it is given: --store, HOOKLINE_RECORD and HOOKLINE_RETENTION_DAYS.
 *
 * @param complain given: it gets a wrong setting, and the default holds, because an agent's hooks must go on
 * @throws HooklineError usage, without it
 */
export function storeOptions(
  place: Place,
  flag: string | undefined,
  complain?: (reason: string) => void,
): SqliteStoreOptions & { path: string } {
  const { HOOKLINE_RECORD: record, HOOKLINE_RETENTION_DAYS: days } = place.environment;
  const wrong = (name: string, found: string, advice: string): void => {
    const error = new HooklineError("usage", {
      what: `${name} is "${found}"`,
      where: "the environment",
      advice: `use ${advice}`,
    });
    if (!complain) throw error;
    complain(error.message);
  };
  const chosen = recordings.find((one) => one === record);
  if (record && !chosen) wrong("HOOKLINE_RECORD", record, recordings.join(", "));
  const areDays = Number(days) > 0;
  if (days && !areDays) wrong("HOOKLINE_RETENTION_DAYS", days, "a number of days above 0");
  return {
    path: storePath(place, flag),
    usualPath: usualStore(place),
    redact: createRedaction({ environment: place.environment }),
    ...(chosen ? { record: chosen } : {}),
    ...(areDays ? { retentionDays: Number(days) } : {}),
  };
}
const recordings = ["redacted", "full", "none"] as const;

export const logOf = (place: Place, now: () => Instant): ReturnType<typeof createLog> =>
  createLog({ file: join(stateFolder(place), "hookline.log"), now, environment: place.environment });

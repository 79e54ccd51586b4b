/** The Postgres store of this place, if there is one: named here or followed by the daemon that runs here. Loads what asks it only then. */
import { HooklineError, messageOf } from "../../../engine/error.ts";
import type { Fields } from "../../../engine/event.ts";
import { word } from "../../../engine/program.ts";
import { fieldsIn } from "../../../engine/schema.ts";
import type { PostgresLook } from "../../../storage/postgres/looking.ts";
import { type Invocation, textFlag } from "../command.ts";
import { sharedStore } from "../place.ts";
import type { StoreLook } from "./store-look.ts";

export interface PostgresHere {
  /** As a person may read it: without the password. */
  address: string;
  /** What a command must say besides, to work on it as doctor does: ` --store …`, or nothing where the environment names it. */
  naming: string;
  /** Doctor has it from the daemon alone, which works with it, and has a password that doctor may not know. */
  onlyOfDaemon: boolean;
  daemon: DaemonPart;
  /** As this role or another one reaches it, for a command. */
  addressFor(role?: string): string;
  look: PostgresLook | { unreachable: string };
}
/** What the daemon that runs here does with it. */
type DaemonPart =
  | { is: "none" | "silent" | "without" }
  /** Why rows wait in this machine's store, and why it performs no automations; undefined: neither is so. */
  | { is: "following"; waits: string | undefined; idle: string | undefined };

/** Undefined: no Postgres is a store here. Never rejects. */
export async function lookAtPostgresHere(
  invocation: Invocation,
  { daemon, storeLook }: { daemon(): Promise<Fields | undefined>; storeLook(): StoreLook },
): Promise<PostgresHere | undefined> {
  const status = await daemon();
  const shared = fieldsIn(status?.shared);
  const flag = textFlag(invocation.flags, "store");
  const named = sharedStore(invocation, flag);
  const url = named ?? textOf(shared.address);
  if (url === undefined) return undefined;
  const [{ addressFor, readAddress }, { lookAtPostgres }] = await Promise.all([
    import("../../../storage/postgres/address.ts"),
    import("../../../storage/postgres/looking.ts"),
  ]);
  const local = storeLook();
  const store = local.is === "good" ? local.open() : undefined;
  try {
    const known = orUndefined(() => readAddress(url));
    const own = known ? addressFor(url, known.user) : "postgres://ROLE@HOST/DATABASE";
    return {
      ...{ address: known?.shown ?? "the Postgres store", onlyOfDaemon: named === undefined },
      naming: flag === undefined && named !== undefined ? "" : ` --store ${word(own)}`,
      daemon: partOf(status, known?.shown),
      addressFor: (role) => word(known && role !== undefined ? addressFor(url, role) : own),
      look: await lookAtPostgres(url, store?.database).catch((error: unknown) => ({ unreachable: saidOf(error) })),
    };
  } finally {
    store?.close();
  }
}

function partOf(status: Fields | undefined, address: string | undefined): DaemonPart {
  if (status === undefined) return { is: "none" };
  if (status.unreachable !== undefined || typeof status.port !== "number") return { is: "silent" };
  const shared = fieldsIn(status.shared);
  if (address === undefined || shared.address !== address) return { is: "without" };
  return { is: "following", waits: textOf(shared.reason), idle: textOf(fieldsIn(status.sharing).reason) };
}

/** The reason, and what to do. */
function saidOf(error: unknown): string {
  const { reason, advice } = error instanceof HooklineError ? error.facts : {};
  return reason === undefined ? messageOf(error) : `${reason}: ${advice}`;
}

function orUndefined<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined; // what is wrong with the address is said by who asks there
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

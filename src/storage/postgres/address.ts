/** The address of a Postgres store: what `postgres://…` says, and what of it Hookline does not take. */
import { HooklineError, messageOf } from "../../engine/error.ts";
import { readRegularBytesSync } from "../../files/regular-file.ts";

export interface Address {
  host: string;
  port: number;
  user: string;
  password: string | undefined;
  database: string;
  /** Absent: the connection is in clear, which only this machine may have. */
  tls: { ca?: string } | undefined;
  /** As a person may read it: without the password. */
  shown: string;
}

/** Anything else is refused, so that a misspelt setting does not do nothing. */
const settings: readonly string[] = ["sslmode", "sslrootcert"];
const usualPort = 5432;

/**
 * Beyond this machine only TLS that names its server is taken (SAFETY T30): weaker modes hide who answers.
 *
 * @example postgres://hookline_writer:SECRET@db.example.com/hookline?sslmode=verify-full&sslrootcert=/etc/hookline/ca.pem
 * @throws HooklineError store_unusable
 */
export function readAddress(url: string): Address {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol))
    throw refused("it is no address of a Postgres", safely(url), "write postgres://ROLE@HOST/DATABASE");
  const database = decodeURIComponent(parsed.pathname.slice(1));
  const host = decodeURIComponent(parsed.hostname).replace(/^\[(.*)\]$/, "$1");
  const user = decodeURIComponent(parsed.username);
  const shown = `postgres://${user}${user && "@"}${parsed.host}/${database}`;
  if (!host || !user || !database)
    throw refused("its address names no role, host or database", shown, "write postgres://ROLE@HOST/DATABASE");
  const unknown = [...parsed.searchParams.keys()].find((name) => !settings.includes(name));
  if (unknown !== undefined)
    throw refused(`its address has the setting ${unknown}`, shown, `use ${settings.join(", ")}`);
  const port = parsed.port === "" ? usualPort : Number(parsed.port);
  const password = parsed.password === "" ? undefined : decodeURIComponent(parsed.password);
  return { host, port, user, password, database, tls: tlsOf(parsed, host, shown), shown };
}

/** Of all authorities that a system knows it is a thirtieth. */
const largestInBytes = 8 * 1024 * 1024;

function tlsOf({ searchParams }: URL, host: string, shown: string): Address["tls"] {
  const mode = searchParams.get("sslmode") ?? (isHere(host) ? "disable" : "verify-full");
  const file = searchParams.get("sslrootcert");
  if (mode === "disable" && isHere(host)) return undefined;
  if (mode !== "verify-full") {
    const reason =
      mode === "disable" ? "its rows would go over the network in clear" : `sslmode=${mode} does not say who answers`;
    throw refused(reason, shown, "use sslmode=verify-full, with sslrootcert=FILE where the authority is your own");
  }
  if (file === null) return {};
  try {
    return { ca: readRegularBytesSync(file, largestInBytes).toString() };
  } catch (error) {
    throw refused(`its sslrootcert cannot be read: ${messageOf(error)}`, shown, "name a readable file of certificates");
  }
}

const isHere = (host: string): boolean => host === "localhost" || host === "::1" || /^127\./.test(host);

/** The same place for another role, as a command takes it: without a password. Throws HooklineError store_unusable, as above. */
export function addressFor(url: string, role: string): string {
  readAddress(url);
  const address = new URL(url);
  address.username = role;
  address.password = "";
  return address.href;
}

/** The text without what may be a password. */
const safely = (url: string): string => url.replace(/:[^:@/]*@/, ":…@");

export const refused = (reason: string, where: string, advice: string, cause?: unknown): HooklineError =>
  new HooklineError("store_unusable", { reason, where, advice }, { cause });

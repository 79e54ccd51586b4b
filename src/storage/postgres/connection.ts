/**
 * Connections to a Postgres, the one place that loads the library `pg`: a pool that comes back by itself after the server was away,
 * limits of time on all that is asked, and failures in our words.
 */
import { createHash } from "node:crypto";
import type { Pool as PgPool, PoolClient } from "pg";
import pg from "pg";
import { HooklineError, messageOf } from "../../engine/error.ts";
import { type Address, readAddress, refused } from "./address.ts";
import { passwordOf } from "./password.ts";

export type Value = string | number | boolean | null | readonly (string | number | null)[];
export type Query = <Row extends object>(sql: string, values?: readonly Value[]) => Promise<Row[]>;

export interface ConnectionOptions {
  url: string;
  /** Connections at most. Who finds none waits for one. Default: 4. */
  connections?: number;
  /** Milliseconds that a failure that passes is tried again: a server that starts, or has no place. Default: 10,000. 0: never. */
  patience?: number;
  /** Milliseconds of one statement, and of a connection. Default: 10,000 and 5,000. */
  statementTimeout?: number;
  connectTimeout?: number;
  /**
   * For who works through a queue all day: the server plans a statement once for each connection, and reads the head of an index in its
   * order. What it believes of a table that is never the same would have it read all that waits, and all that has just gone. Where a pooler
   * stands between that does not keep such statements, they are sent as others send them.
   */
  prepares?: true;
}

export interface Work {
  /** Doing it twice is doing it once: it is done again where the connection was lost in the middle, even in the commit. */
  again: boolean;
  signal?: AbortSignal | undefined;
}

export interface Connection {
  readonly address: Address;
  /** One transaction. Rejects with HooklineError store_unusable, closed. */
  transaction<T>(how: Work, work: (query: Query) => Promise<T>): Promise<T>;
  /** One statement that only reads. */
  read: Query;
  /** The same, and nothing is tried again: who asks wants to know at once that the server is away. */
  readOnce: Query;
  /**
   * Calls back when another process has told of this channel, and once for each time that it may have been missed. It only wakes:
   * who waits looks by itself, too. Never throws. Returns the undo.
   */
  listen(channel: string, wake: () => void): () => void;
  /** Waits for what is under way. Safe to call twice. */
  close(): Promise<void>;
}

/** May throw what the address is refused for; connects when it is first asked. */
export function openConnection(options: ConnectionOptions): Connection {
  const { patience = 10_000, connectTimeout = 5_000 } = options;
  const address = readAddress(options.url);
  const { shown } = address;
  const settings = settingsOf(address, options);
  const closing = new AbortController();
  const pool = poolOf(settings, options);
  const names = new Map<string, string>();
  let prepares = options.prepares ?? false;
  let ending: Promise<void> | undefined;

  /** One name never means two statements: behind a pooler, processes meet what others have prepared. */
  function named(sql: string): { name?: string } {
    if (!prepares) return {};
    const name = names.get(sql) ?? `hookline_${createHash("sha256").update(sql).digest("hex").slice(0, 32)}`;
    names.set(sql, name);
    return { name };
  }

  async function once<T>(
    work: (query: Query) => Promise<T>,
    frame: { begin: string; end: string } | undefined,
  ): Promise<T> {
    const client: PoolClient = await pool.connect();
    let failure: Error | undefined;
    client.on("error", noteError);
    function noteError(error: Error): void {
      failure = error;
    }
    try {
      const query: Query = async <Row extends object>(sql: string, values: readonly Value[] = []) =>
        (await client.query<Row>({ ...named(sql), text: sql, values: [...values] })).rows;
      if (frame) await client.query(frame.begin);
      const result = await work(query);
      if (frame) await client.query(frame.end);
      return result;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      if (frame && isOfStatement(error)) {
        await client.query("rollback").then(
          () => {
            failure = undefined; // the connection is sound
          },
          () => {},
        );
      }
      throw error;
    } finally {
      client.off("error", noteError);
      client.release(failure);
    }
  }

  async function attempts<T>({ again, signal }: Work, work: () => Promise<T>, triedFor = patience): Promise<T> {
    for (const end = Date.now() + triedFor, waits = backOff(); ; ) {
      if (ending) throw new HooklineError("closed", { name: "the store", where: shown });
      signal?.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        if (prepares && isOfPooler(error)) {
          prepares = false;
          continue; // the server has refused it, so nothing was done
        }
        const mayBeDone = !isBeforeAnything(error);
        const wait = waits();
        if (!doesPass(error) || (mayBeDone && !again) || Date.now() + wait > end) throw inOurWords(error, address);
        await pause(wait, signal ? AbortSignal.any([signal, closing.signal]) : closing.signal);
      }
    }
  }

  return {
    address,
    transaction: (how, work) => attempts(how, () => once(work, { begin: "begin", end: "commit" })),
    read: (sql, values) => attempts({ again: true }, () => once((query) => query(sql, values), undefined)),
    readOnce: (sql, values) => attempts({ again: false }, () => once((query) => query(sql, values), undefined), 0),
    listen: (channel, wake) =>
      listenTo(channel, wake, { settings: { ...settings, query_timeout: connectTimeout }, closing: closing.signal }),
    close() {
      closing.abort();
      ending ??= pool.end();
      return ending;
    },
  };
}

/** One connection of its own, made anew whenever it was lost. */
function listenTo(
  channel: string,
  wake: () => void,
  { settings, closing }: { settings: pg.ClientConfig; closing: AbortSignal },
): () => void {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  const waits = backOff();
  let isOver = false;

  function lost(): void {
    const gone = client;
    client = undefined;
    void gone?.end().catch(() => {});
    if (!isOver && gone) timer = setTimeout(connect, waits()).unref();
  }
  function connect(): void {
    const made = new pg.Client({ ...settings, statement_timeout: 0 });
    client = made;
    made.on("error", lost).on("end", lost).on("notification", wake);
    made
      .connect()
      .then(() => made.query(`listen ${made.escapeIdentifier(channel)}`))
      .then(wake, lost);
  }
  const undo = (): void => {
    isOver = true;
    clearTimeout(timer);
    lost();
  };
  closing.addEventListener("abort", undo, { once: true });
  connect();
  return undo;
}

/** Of a library that asks by itself, with the same limits. Who opens it ends it. May throw what the address is refused for. */
export const openPool = (options: ConnectionOptions): PgPool =>
  poolOf(settingsOf(readAddress(options.url), options), options);

/** Milliseconds: of a hundred thousand machines few are connected at a time, and one that works stays. */
const leftAfter = 5_000;

function poolOf(settings: pg.ClientConfig, { connections = 4 }: ConnectionOptions): PgPool {
  const pool = new pg.Pool({ ...settings, max: connections, idleTimeoutMillis: leftAfter, allowExitOnIdle: true });
  pool.on("error", () => {}); // of a connection that nobody uses: the next one is made anew
  return pool;
}

function settingsOf(address: Address, options: ConnectionOptions) {
  const { statementTimeout = 10_000, connectTimeout = 5_000, prepares } = options;
  const { host, port, user, database, tls } = address;
  return {
    ...{ host, port, user, database, keepAlive: true, application_name: "hookline" },
    password: address.password ?? (() => passwordOf(address) ?? ""), // asked for a role that needs one
    ...(prepares ? { options: "-c enable_bitmapscan=off" } : {}),
    ssl: tls ? { ...tls, host, rejectUnauthorized: true } : false, // the host is what its certificate has to name
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: 2 * statementTimeout,
    query_timeout: statementTimeout + 1_000, // of a server that does not answer at all
    connectionTimeoutMillis: connectTimeout,
    types: { getTypeParser },
  };
}

/** Numbers as numbers: what a store counts is below 2^53. */
function getTypeParser(oid: number, format?: string): (text: string) => unknown {
  const isBig = oid === pg.types.builtins.INT8;
  return isBig ? Number : pg.types.getTypeParser(oid, format === "binary" ? "binary" : "text");
}

/** Doubles from 50 ms to 2 s, each somewhere between its half and its whole: many that lost the same server do not come back at once. */
function backOff(): () => number {
  let next = 50;
  return () => {
    const wait = next * (0.5 + Math.random() / 2);
    next = Math.min(2 * next, 2_000);
    return wait;
  };
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end, { once: true });
  });

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** The server has refused the statement; the connection goes on. */
const isOfStatement = (error: unknown): boolean => error instanceof pg.DatabaseError && !endsConnection(codeOf(error));
const endsConnection = (code: string): boolean => /^(57P0[1-5]|08|25P03)/.test(code);

/** A statement that was prepared on another connection, which a pooler has given to another client since. */
const isOfPooler = (error: unknown): boolean => ["26000", "42P05"].includes(codeOf(error));

/** No connection was made, so nothing was done. */
const noPlace = "53300";
const isBeforeAnything = (error: unknown): boolean =>
  [noPlace, "57P03", "ECONNREFUSED", "ENOENT", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"].includes(
    codeOf(error),
  ) || /^timeout exceeded when trying to connect|timeout expired$/.test(messageOf(error));

/** Another attempt may succeed: the connection was lost, the server starts, or another transaction was in the way. */
const doesPass = (error: unknown): boolean =>
  isBeforeAnything(error) ||
  (endsConnection(codeOf(error)) && !unknownSetting.test(messageOf(error))) ||
  /^(40001|40P01|55P03|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(codeOf(error)) ||
  /^(Connection terminated|Client has encountered a connection error|Query read timeout)/.test(messageOf(error));

/** A failure in our words that may pass by itself: the server is away, or busy. */
export const isAway = (error: unknown): boolean => error instanceof HooklineError && doesPass(error.cause);

interface Refusal {
  reason?: string;
  advice: string;
}
const reachable = "check that the server runs and can be reached";
const migrate = "let its owner run `hookline store migrate`";
const ownLog = "see the log of the server";
const authority = "check sslrootcert, the server's certificate and its name";
/** By SQLSTATE, or by the code of Node. */
const refusals: { readonly [code: string]: Refusal } = {
  "28P01": { reason: "the password or the role is wrong", advice: "check both" },
  "28000": { reason: "the server does not let this role in", advice: "check the role and pg_hba.conf" },
  "3D000": { reason: "there is no such database", advice: "create it, or check its name" },
  "42501": {
    reason: "the role has no rights to it",
    advice: "let its owner run `hookline store migrate --writer ROLE`",
  },
  "42P01": { reason: "it has no tables of Hookline", advice: migrate },
  "42703": { reason: "its tables are of another version", advice: migrate },
  "3F000": { reason: "it has no tables of Hookline", advice: migrate },
  "25006": { reason: "it is a standby that only reads", advice: "use the address of the primary" },
  "53100": { reason: "its disk is full", advice: "free some space there" },
  "57014": { reason: "a statement took too long", advice: "see what the server is busy with" },
  [noPlace]: { reason: "it has no place for another connection", advice: "raise max_connections, or use a pooler" },
  SELF_SIGNED_CERT_IN_CHAIN: { reason: "its certificate is of an unknown authority", advice: authority },
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: "its certificate is of no authority", advice: authority },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { reason: "its certificate is of an unknown authority", advice: authority },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { reason: "its certificate is of an unknown authority", advice: authority },
  ERR_TLS_CERT_ALTNAME_INVALID: { reason: "its certificate is of another server", advice: authority },
  CERT_HAS_EXPIRED: { reason: "its certificate has expired", advice: authority },
};

/** By a pooler. */
const unknownSetting = /^unsupported startup parameter/;

/** What the library says of a connection, in our words. */
const saidOfConnections: readonly [said: RegExp, refusal: Refusal][] = [
  [
    unknownSetting,
    {
      reason: "the pooler before it does not take limits of time",
      advice: "set ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,options there",
    },
  ],
  [
    /^Connection terminated unexpectedly|connection error and is not queryable/,
    { reason: "the connection was lost", advice: reachable },
  ],
  [
    /^Query read timeout|^Connection terminated due to|timeout/,
    { reason: "it did not answer in time (timeout)", advice: reachable },
  ],
  [
    /client password must be/i,
    { reason: "it asks for a password, and none is named", advice: "set PGPASSWORD, or put it into ~/.pgpass" },
  ],
  [/does not support SSL/, { reason: "the server speaks no TLS", advice: "switch it on there" }],
];

function inOurWords(error: unknown, { shown }: Address): unknown {
  if (error instanceof HooklineError) return error;
  const said = messageOf(error) || codeOf(error); // of several addresses that were tried, only the code says something
  const known = refusals[codeOf(error)] ?? saidOfConnections.find(([pattern]) => pattern.test(said))?.[1];
  if (!known && codeOf(error) === "") return error; // the mistake is ours
  const { reason = said, advice } = known ?? { advice: error instanceof pg.DatabaseError ? ownLog : reachable };
  return refused(reason, shown, advice, error);
}

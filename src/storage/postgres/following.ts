/** A process that stays copies its machine's record to Postgres as it grows, and says when that cannot be done and when it can again. */
import { hostname } from "node:os";
import { messageOf } from "../../engine/error.ts";
import type { Instant } from "../../engine/event.ts";
import type { Database } from "../sqlite/database.ts";
import { isAway, openConnection } from "./connection.ts";
import { checkSchema } from "./migrate.ts";
import { createShip } from "./shipping.ts";

export interface FollowingOptions {
  url: string;
  /** Of the machine's store. */
  database: Database;
  /** Gets what a person should know, in one sentence. */
  complain(reason: string): void;
}

export interface Following {
  /** The address without its password; since when rows wait, and why; null: none do. */
  facts(): { address: string; waitsSince: Instant | null; reason: string | null };
  /** Copies all that is there now, however long that takes; false: it cannot be done now, and waits. Never rejects. */
  bring(): Promise<boolean>;
  /** Tries once more to copy what is left, for at most so many milliseconds. Never rejects. */
  close(atMost?: number): Promise<void>;
}

/** Milliseconds between two looks at a store that others write to as well, and between two attempts where the server is away. */
const looksEvery = 1_000;
const triesEvery = { atFirst: 500, atMost: 15_000 } as const;
const tidiesEvery = 3_600_000;

/**
 * Waits for the server for two seconds at the start, and never again: what cannot be copied stays in the machine's store.
 *
 * @throws HooklineError store_unusable: what does not pass by itself, such as an address, a role or a schema that is not taken
 */
export async function followStore({ url, database, complain }: FollowingOptions): Promise<Following> {
  const connection = openConnection({ url, connections: 1, patience: 0, connectTimeout: 2_000 });
  try {
    await checkSchema(connection);
  } catch (error) {
    if (!isAway(error)) {
      await connection.close();
      throw error;
    }
  }
  const closing = new AbortController();
  const ship = createShip({ database, connection, name: hostname(), complain });
  let isChecked = false;
  let waiting: { since: Instant; reason: string } | undefined;
  let wait = triesEvery.atFirst as number;
  let seen: number | undefined;
  let isChanged = true;
  let tidied = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const unwatch = database.watch(() => {
    isChanged = true;
  });

  /** Whether this or another process has written since the last look. Throws what the store throws. */
  function look(): boolean {
    const version = database.get<{ data_version: number }>("pragma data_version")?.data_version;
    const has = isChanged || version !== seen;
    seen = version;
    isChanged = false;
    return has;
  }

  async function copy(): Promise<void> {
    try {
      if (!isChecked) await checkSchema(connection);
      isChecked = true;
      if (look() || waiting) await ship(closing.signal);
      if (performance.now() - tidied > tidiesEvery) {
        tidied = performance.now();
        await connection.transaction({ again: true }, (query) => query("select hookline.tidy()"));
      }
      if (waiting) complain(`Postgres has taken what happened since ${new Date(waiting.since).toISOString()}`);
      waiting = undefined;
      wait = triesEvery.atFirst;
    } catch (error) {
      isChanged = true;
      isChecked = false; // it may come back as another one
      const reason = messageOf(error);
      if (!waiting && !closing.signal.aborted) complain(`what happens waits in the machine's own store: ${reason}`);
      waiting = { since: waiting?.since ?? Date.now(), reason };
      wait = Math.min(2 * wait, triesEvery.atMost);
    }
  }

  function next(milliseconds: number): void {
    if (closing.signal.aborted) return;
    timer = setTimeout(() => {
      underWay = copy().finally(() => next(waiting ? wait * (0.5 + Math.random() / 2) : looksEvery));
    }, milliseconds).unref();
  }

  next(0);
  return {
    facts: () => ({
      address: connection.address.shown,
      waitsSince: waiting?.since ?? null,
      reason: waiting?.reason ?? null,
    }),
    async bring() {
      await underWay;
      clearTimeout(timer);
      isChanged = true;
      underWay = copy();
      await underWay;
      next(looksEvery);
      return waiting === undefined;
    },
    async close(atMost = 2_000) {
      clearTimeout(timer);
      unwatch();
      isChanged = true;
      const last = (underWay ?? Promise.resolve()).then(copy);
      await Promise.race([last, new Promise((resolve) => setTimeout(resolve, atMost).unref())]);
      closing.abort();
      clearTimeout(timer);
      void connection.close().catch(() => {});
    },
  };
}

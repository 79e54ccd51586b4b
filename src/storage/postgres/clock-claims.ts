/** What clocks of several machines claim. Apart, because each claim is a transaction of its own, and waits for no group. */
import type { Store } from "../../engine/record.ts";
import type { Connection } from "./connection.ts";
import { claimIn, peekIn } from "./postgres.ts";

export const clockClaims = (connection: Pick<Connection, "transaction" | "read">): Pick<Store, "claim" | "peek"> => ({
  claim: (claims, at) => connection.transaction({ again: false }, (query) => claimIn(query, claims, at)),
  peek: (claims, at) => peekIn(connection.read, claims, at),
});

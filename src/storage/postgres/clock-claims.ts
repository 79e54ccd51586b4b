/** What clocks of several machines claim: each moment has a key of its own, as their clocks may differ. */
import type { Claim, Store } from "../../engine/record.ts";
import type { Connection } from "./connection.ts";
import { claimIn, peekIn } from "./postgres.ts";

/** A machine whose clock is a day behind does nothing useful. */
const keptFor = 86_400_000;
/** As runtime/triggers names the moments of cron patterns. */
const isMoment = ({ key }: Claim): boolean => key.startsWith("slot:");
const inItsMoment = (claims: readonly Claim[], at: number): Claim[] =>
  claims.map((claim) => (isMoment(claim) ? { ...claim, key: `${claim.key}@${at}` } : claim));

export const clockClaims = (connection: Pick<Connection, "transaction" | "read">): Pick<Store, "claim" | "peek"> => ({
  claim: (claims, at) =>
    connection.transaction({ again: false }, async (query) => {
      for (const { key } of claims.filter(isMoment))
        await query("delete from hookline.claim where starts_with(key, $1) and last < $2", [`${key}@`, at - keptFor]);
      return claimIn(query, inItsMoment(claims, at), at);
    }),
  peek: (claims, at) => peekIn(connection.read, inItsMoment(claims, at), at),
});

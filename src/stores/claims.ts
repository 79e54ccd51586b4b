/** Claims that only hold for a while, and so need not be kept: those of webhooks. Others count for good. */
import type { Instant } from "../core/event.ts";
import type { Database } from "./database.ts";

/** Forgets claims whose key begins so and that were last taken before this moment; answers how many. */
export const forgetClaims = (database: Database, prefix: string, before: Instant): number =>
  database.run("delete from claim where substr(key, 1, ?) = ? and last < ?", prefix.length, prefix, before);

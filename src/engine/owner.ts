/** Names of those who look after a run: a process, or nobody yet, for a while, after it was handed over. */
import type { Instant } from "./event.ts";

const prefix = "until:";

/** Between two processes: the run counts as looked after until this moment. */
export const handedOver = (until: Instant): string => `${prefix}${until}`;

/** Until when a run that was handed over counts as looked after; undefined for the name of a process. */
export const handedOverUntil = (owner: string): Instant | undefined =>
  owner.startsWith(prefix) ? Number(owner.slice(prefix.length)) : undefined;

/** How many calls of a session reached Hookline, of all that its agent has written down of it; which did not, and why. */
import { basename } from "node:path";
import { agentNamed } from "../../agents/index.ts";
import type { Instant, SessionId } from "../../engine/event.ts";
import type { RecordedCall, Store, Transcript } from "../../engine/record.ts";
import { counted, joined, listed } from "../../engine/words.ts";
import { isInside } from "../../files/paths.ts";
import { reachedOf } from "./transcript.ts";

/** A session in JSON: of what its agent keeps, against what came. */
export interface SessionCoverage {
  session: SessionId | null;
  agent: string;
  cwd: string | null;
  /** When its agent last wrote something of it. */
  last: string;
  calls: number;
  reached: number;
  /** Those that did not, the oldest first, as far as they are kept. */
  missed: readonly RecordedCall[];
  /** Since when none reached, where some did before. */
  silentSince: string | null;
  /** Why the numbers say nothing. */
  unknown: string | null;
  /** Why the missed ones did not, as far as that can be told. */
  because: string | null;
}

/** The newest first; those without a call are none. */
export async function coverageOfSessions(
  rows: readonly Transcript[],
  store: Pick<Store, "deliveriesFrom" | "turn">,
  { folders, most, session }: { folders?: readonly string[]; most?: number; session?: string },
): Promise<SessionCoverage[]> {
  const all = Map.groupBy(rows, (row) => JSON.stringify([row.sender, row.session ?? row.path]));
  const wanted = [...all.values()]
    .filter((parts) => session === undefined || parts[0]?.session?.startsWith(session) === true)
    .filter((parts) => folders === undefined || parts.some(({ cwd }) => cwd !== undefined && isIn(folders, cwd)))
    .toSorted((one, other) => lastOf(other) - lastOf(one));
  const found: SessionCoverage[] = [];
  for (const parts of wanted) {
    if (found.length === most) break;
    const one = await coverageOf(parts, store);
    if (one.calls > 0 || one.unknown !== null) found.push(one);
  }
  return found;
}

const isIn = (folders: readonly string[], cwd: string): boolean => folders.some((folder) => isInside(folder, cwd));
const lastOf = (parts: readonly Transcript[]): Instant => Math.max(...parts.map(({ modified }) => modified));

async function coverageOf(
  parts: readonly Transcript[],
  store: Pick<Store, "deliveriesFrom" | "turn">,
): Promise<SessionCoverage> {
  const [first] = parts;
  const { session, sender = "" } = first ?? {};
  const sum = (of: (part: Transcript) => number): number => parts.reduce((all, part) => all + of(part), 0);
  const [calls, reached] = [sum((part) => part.calls), sum((part) => part.reached)];
  const missed = parts.flatMap((part) => part.missed).toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0));
  const came = new Set(parts.flatMap((part) => part.tools));
  const lastReached = Math.max(...parts.map((part) => part.lastReached ?? 0));
  const silent = Math.min(
    ...parts.map((part) => part.silentSince ?? Number.POSITIVE_INFINITY).filter((at) => at >= lastReached),
  );
  const one: SessionCoverage = {
    ...{ session: session ?? null, agent: sender, cwd: parts.find(({ cwd }) => cwd !== undefined)?.cwd ?? null },
    ...{ last: new Date(lastOf(parts)).toISOString(), calls, reached, missed },
    silentSince: reached > 0 && Number.isFinite(silent) ? new Date(silent).toISOString() : null,
    ...{ unknown: null, because: null },
  };
  if (calls > 0 && calls === reached && parts.every((part) => whyUnknown(part) === undefined)) return one;
  const heard = session === undefined ? undefined : await reachedOf(session, store);
  const isNamed = heard?.isHeardOf === true || session === undefined || (await store.turn(session)).number === 0;
  const unknown = parts.map((part) => whyUnknown(part)).find((why) => why !== undefined);
  if (unknown !== undefined) return { ...one, unknown };
  if (!isNamed)
    return {
      ...one,
      unknown: `its events came by a line that does not name itself: \`hookline install ${sender}\` writes one that does`,
    };
  if (calls === 0 && parts.every(({ open }) => open.length === 0) && (heard?.ids.size ?? 0) > 0)
    return {
      ...one,
      unknown: `${counted(heard?.ids.size ?? 0, "call")} came, and its agent's own record tells of none: its form is another one`,
    };
  return { ...one, because: calls === reached ? null : becauseOf(one, heard?.isHeardOf === true, came) };
}

function whyUnknown({ unknown, path, isUnderstood, isUnfinished, read, end, sender }: Transcript): string | undefined {
  const name = basename(path);
  if (unknown !== undefined) return `${name}: ${unknown}`;
  if (isUnfinished) return `${name} is read to ${megabytes(read)} of ${megabytes(end)} so far: ask again`;
  if (isUnderstood || end === 0) return undefined;
  const { title = sender, program } = agentNamed(sender) ?? {};
  return `nothing in ${name} is as ${title} ${program?.measured ?? ""} writes it`;
}
const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_048_576)} MB`;
/** @param isHeardOf some event of the session came @param came the tools of which calls came */
function becauseOf(one: SessionCoverage, isHeardOf: boolean, came: ReadonlySet<string>): string {
  const { agent, calls, reached, missed, silentSince } = one;
  const { title = agent, settings, startedWithout } = agentNamed(agent) ?? {};
  if (!isHeardOf) {
    const how = startedWithout ? ` (${joined([...startedWithout], "or")})` : "";
    const trust = settings?.afterInstall === undefined ? "" : `. ${settings.afterInstall}`;
    return `no event of this session came: ${title} was started without its hooks${how}, or they are switched off: \`hookline doctor\`${trust}`;
  }
  if (reached === 0)
    return "other events of this session came: a matcher was narrowed, or a mod or another registration took the place of this one: `hookline doctor`";
  const isAll = calls - reached === missed.length; // else not all of them are kept
  const kinds = new Set(missed.map(({ subagent }) => subagent));
  if (isAll && !kinds.has(undefined))
    return `they are calls of subagents${namesOf(kinds)}, of which ${title} did not report these`;
  const tools = new Set(missed.map(({ tool }) => tool));
  if (isAll && ![...tools].some((tool) => came.has(tool)))
    return `no call of ${joined([...tools])} came: a matcher leaves it out, or a mod answers for it: \`hookline doctor\``;
  return silentSince === null
    ? "others like them came: a mod answered in place of this registration, or hooks were switched off for a time: `hookline doctor`"
    : "others came before: hooks were switched off in the middle of the session, or a mod answers in place of this registration: `hookline doctor`";
}

const namesOf = (kinds: ReadonlySet<string | undefined>): string => {
  const names = [...kinds].filter((kind) => kind !== undefined && kind !== "");
  return names.length === 0 ? "" : ` (${listed(names.map(String))})`;
};

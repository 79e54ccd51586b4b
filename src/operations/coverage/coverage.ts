/** `hookline coverage`: of the calls that agents themselves have written down, which reached Hookline. */
import { HooklineError } from "../../engine/error.ts";
import type { Instant } from "../../engine/event.ts";
import { flag, object, say, someText } from "../../engine/schema.ts";
import { counted } from "../../engine/words.ts";
import { type Asked, folderOf, type Operation } from "../operation.ts";
import { projectFolders } from "../project-folders.ts";
import { ago, type Reader, type Shown, type ShownTable } from "../shown.ts";
import { lookAtTranscripts } from "./look.ts";
import { coverageOfSessions, type SessionCoverage } from "./sessions.ts";

interface Wanted {
  session?: string;
  all?: boolean;
}

/** So long, in milliseconds, a person waits for what is new in transcripts. */
const looksFor = 10_000;
const listedAtMost = 20;

export const coverage: Operation<Wanted, readonly SessionCoverage[]> = {
  summary: "show how many calls of each session reached Hookline, of all that its agent has written down",
  params: object(
    {},
    {
      session: someText("one session, by its id or the beginning of it: the calls that did not reach Hookline too"),
      all: say(flag, "sessions of other projects too", false),
    },
  ),
  words: ["session"],
  readOnly: true,
  example: "hookline coverage",
  async run({ session, all = false }, asked) {
    const found = await coverageHere(asked, {
      within: looksFor,
      ...(session === undefined ? { most: listedAtMost } : { session }),
      all: all || session !== undefined,
    });
    if (session === undefined || found.length > 0) return found;
    throw new HooklineError("usage", {
      what: `no session is called "${session}"`,
      where: "what agents that call Hookline here have written down",
      advice: "`hookline coverage` lists the sessions of this project, with --all those of others too",
    });
  },
  show: (found, reader) =>
    reader.asked.session === undefined ? listOf(found, reader) : found.flatMap((one) => linesOf(one, reader)),
};

/** What agents have written since the last look, and then the sessions of the project that is asked from. */
export async function coverageHere(
  asked: Asked,
  { within, all = false, ...wanted }: { within: number; all?: boolean; most?: number; session?: string },
): Promise<SessionCoverage[]> {
  const folder = folderOf(asked);
  const { root = folder } = await asked.active(folder);
  const { store, home, environment } = asked;
  const rows = await lookAtTranscripts({ store, home, environment, root, now: asked.now(), within });
  const folders = all ? {} : { folders: projectFolders({ cwd: folder, home }) };
  return coverageOfSessions(rows, store, { ...wanted, ...folders });
}

/** What was found out about a session at the last look. */
export async function knownCoverage(
  session: string | undefined,
  { store }: Pick<Asked, "store">,
): Promise<SessionCoverage | undefined> {
  if (session === undefined) return undefined;
  const rows = (await store.transcripts()).filter((row) => row.session === session);
  return (await coverageOfSessions(rows, store, { most: 1 }))[0];
}

/** The same, as a line below what is said of the session. */
export function coverageLine(one: SessionCoverage | undefined): Shown[] {
  if (!one) return [];
  const words = coverageWords(one, "this session");
  return [
    isWhole(one)
      ? { text: words, tone: "dim" }
      : { text: `${words}: \`hookline coverage ${shortSession(one)}\``, tone: "yellow" },
  ];
}

/** Of one session, in a sentence without its end. */
export function coverageWords({ calls, reached, unknown, silentSince }: SessionCoverage, of: string): string {
  if (unknown !== null) return `how many calls of ${of} reached Hookline is not known: ${unknown}`;
  const all = counted(calls, "call");
  if (reached === 0)
    return `${calls === 1 ? "the only call" : `none of the ${all}`} of ${of} ${calls === 1 ? "did not reach" : "reached"} Hookline`;
  const missed = calls === reached ? "" : `; ${calls - reached} did not`;
  const since = silentSince === null ? "" : `: since ${clockOf(silentSince)} no call reaches it`;
  return `${reached} of ${all} of ${of} reached Hookline${missed}${since}`;
}

export const isWhole = ({ calls, reached, unknown }: SessionCoverage): boolean => unknown === null && calls === reached;

/** In the person's own zone, as other clocks on the desk show it. */
const clockOf = (moment: string): string =>
  new Date(moment).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

function listOf(found: readonly SessionCoverage[], { at, path }: Reader<Wanted>): Shown[] {
  if (found.length === 0)
    return ["no session of an agent that calls Hookline here is written down yet, or none has called a tool"];
  const titles: ShownTable["titles"] = [
    "last",
    "agent",
    { title: "calls that reached Hookline", fills: true },
    { title: "folder", ifWide: true },
    "session",
  ];
  return [
    {
      titles,
      rows: found.map((one) => [
        ago(Date.parse(one.last), at.now()),
        one.agent,
        { text: numbersOf(one), tone: isWhole(one) ? "green" : "yellow" },
        path(one.cwd ?? ""),
        shortSession(one),
      ]),
    },
    ...(found.every(isWhole)
      ? []
      : [{ text: "`hookline coverage SESSION` shows the others, and why they did not", tone: "dim" } as const]),
  ];
}

const numbersOf = ({ unknown, reached, calls, silentSince }: SessionCoverage): string =>
  unknown !== null
    ? `not known: ${unknown}`
    : `${reached} of ${calls}${silentSince === null ? "" : `, none since ${clockOf(silentSince)}`}`;

/** As much of its id as tells it from others: some agents' ids begin with the time. */
export const shortSession = ({ session }: Pick<SessionCoverage, "session">): string => (session ?? "").slice(0, 13);

function linesOf(one: SessionCoverage, { at }: Reader<Wanted>): Shown[] {
  const { missed, because, calls, reached, session, agent, last } = one;
  const more = calls - reached - missed.length;
  return [
    { text: coverageWords(one, `session ${session ?? "?"}`), tone: isWhole(one) ? "green" : "yellow" },
    { text: `${agent}, last ${ago(Date.parse(last), at.now())}`, tone: "dim" },
    ...(because === null ? [] : [because]),
    ...(missed.length === 0 ? [] : ["", tableOf(missed, at.now())]),
    ...(more > 0 ? [{ text: `and ${more} more`, tone: "dim" } as const] : []),
  ];
}

const tableOf = (missed: SessionCoverage["missed"], now: Instant): ShownTable => ({
  titles: ["when", "tool", { title: "did not reach Hookline", fills: true }, { title: "subagent", ifAny: true }],
  rows: missed.map(({ at, tool, subject, subagent }) => [
    at === undefined ? "" : ago(at, now),
    tool,
    subject,
    subagent === undefined ? "" : subagent || "yes",
  ]),
});

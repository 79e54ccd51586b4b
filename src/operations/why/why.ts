/** `hookline why`: how an event was decided, hook by hook, in sentences; also for hooks that did not match (R37). */
import { canaryPrefix } from "../../agents/canary.ts";
import { HooklineError } from "../../engine/error.ts";
import type { HookEvent } from "../../engine/event.ts";
import type { Outcome } from "../../engine/outcome.ts";
import type { Receipt } from "../../engine/receipt.ts";
import type { StoredEvent } from "../../engine/record.ts";
import { flag, object, say, someText } from "../../engine/schema.ts";
import { isInside } from "../../files/paths.ts";
import { type Asked, folderOf, type Operation } from "../operation.ts";
import { projectFolders } from "../project-folders.ts";
import { eventIfNamed, type RecordStore, recordOf } from "../record.ts";
import { eventsMeant } from "../runs/filter.ts";
import type { Reason } from "./reasons.ts";

interface Wanted {
  id?: string;
  session?: string;
  event?: string;
  all?: boolean;
}

/** How one event was decided. */
export interface WhyRow {
  event: HookEvent;
  outcome: Outcome | null;
  /** What the agent then did; null: there was nothing to obey. */
  receipt: Pick<Receipt, "is" | "because"> | null;
  hooks: readonly Reason[];
}

export interface FoundWhy {
  stored: StoredEvent;
  reasons: readonly Reason[];
  /** The run that was named. */
  run?: string;
  /** What a person should know of the choice. */
  note?: string;
}

export const why: Operation<Wanted, FoundWhy> = {
  summary: "explain the decision on an event in sentences, hook by hook",
  params: object(
    {},
    {
      id: someText(
        "a run, an event or a session, by its id or the beginning that no other has; default: `last`, the newest event",
      ),
      session: someText("the newest event of the session whose id begins so"),
      event: someText("the newest event of this name"),
      all: say(
        flag,
        "the newest event of any project, and automations of other projects too; without it, an event of this project comes first",
        false,
      ),
    },
  ),
  words: ["id"],
  readOnly: true,
  example: "hookline why --event PreToolUse",
  async run(params, asked) {
    const record = await recordOf(asked);
    const { all = false } = params;
    const chosen = await eventMeant(record, params, asked);
    const { event } = chosen.stored;
    if (!asked.judging) throw new Error("nothing here can test conditions: ask `hookline why`");
    const [judging, { reasonsOf }] = await Promise.all([asked.judging(event), import("./reasons.ts")]);
    const reasons = await reasonsOf(record, chosen.stored, { ...judging, home: asked.home, isAll: all });
    return { ...chosen, reasons };
  },
  rows: ({ stored: { event, outcome = null, receipt }, reasons }): WhyRow => ({
    ...{ event, outcome, hooks: reasons },
    receipt: receipt ? { is: receipt.is, ...(receipt.because !== undefined && { because: receipt.because }) } : null,
  }),
  notes: ({ note }) => (note === undefined ? [] : [note]),
  show: async (found, reader) => (await import("./shown.ts")).shownWhy(found, reader),
};

type Chosen = Pick<FoundWhy, "stored" | "run" | "note">;

/** The event of a run, one by its id, or the newest that fits. @throws HooklineError run_unknown, event_unknown */
export async function eventMeant(
  record: RecordStore,
  wanted: Wanted,
  asked: Pick<Asked, "event" | "cwd" | "home" | "store">,
): Promise<Chosen> {
  const { id } = wanted;
  if (id === undefined || id === "last") return newest(record, wanted, asked);
  return (await eventIfNamed(record, id)) ?? (await newestOfSession(record, id, asked));
}

async function newestOfSession(record: RecordStore, id: string, { store }: Pick<Asked, "store">): Promise<Chosen> {
  const stored = (await record.events(lookedThrough)).find(({ event }) => event.session?.startsWith(id));
  if (stored) return { stored, note: `this is the newest event of session ${stored.event.session}` };
  const isWritten = (await store.transcripts()).some(({ session }) => session?.startsWith(id));
  const advice = `none of this session reached Hookline: \`hookline coverage ${id}\` shows its calls`;
  throw new HooklineError("run_unknown", { name: id, where: "the store", ...(isWritten && { advice }) });
}

/** It tells of a decision, and that decision is what a person asks about. */
const ofReceipts = "guard.disobeyed";

/** So many of the newest events are looked through. */
const lookedThrough = 1000;

async function newest(
  record: RecordStore,
  { session, event: written, all: isAll }: Wanted,
  asked: Pick<Asked, "event" | "cwd" | "home">,
): Promise<Chosen> {
  const names: readonly string[] | undefined = written === undefined ? undefined : eventsMeant(written);
  const all = (await record.events(lookedThrough)).filter(
    ({ event }) =>
      !event.session?.startsWith(canaryPrefix) &&
      (session === undefined || event.session?.startsWith(session) === true) &&
      (names === undefined ? event.name !== ofReceipts : names.includes(event.name)),
  );
  const ofHere = isAll === true || session !== undefined ? all[0] : await inProject();
  if (ofHere) return { stored: ofHere };

  /** Of any event the newest, however long ago; of one kind the newest among those that were looked through. */
  async function inProject(): Promise<StoredEvent | undefined> {
    const folders = projectFolders({ cwd: folderOf(asked), home: asked.home });
    const recent = all.find(({ event }) => folders.some((folder) => isInside(folder, event.cwd)));
    const id = recent || names ? undefined : await record.newestEventIn(folders);
    return recent ?? (id === undefined ? undefined : record.event(id));
  }

  const [first] = all;
  if (first)
    return { stored: first, note: `no such event of this project is recorded, so this is one of ${first.event.cwd}` };
  const what = [
    ...(written === undefined ? [] : [`of ${written}`]),
    ...(session === undefined ? [] : [`in session ${session}`]),
  ];
  throw new HooklineError("run_unknown", {
    name: session ?? "last",
    where: `the store, which holds no event${what.length > 0 ? ` ${what.join(" ")}` : " yet"}: \`hookline emit\` makes one, \`hookline doctor\` says whether your agents send any`,
  });
}

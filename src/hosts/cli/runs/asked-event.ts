/** Which event `why` is asked about: that of a run, one by its id or the beginning of it, or the newest one that fits. */

import { canaryPrefix } from "../../../agents/canary.ts";
import { HooklineError } from "../../../engine/error.ts";
import { eventNames, resolveEvent } from "../../../engine/events.ts";
import { nearest } from "../../../engine/nearest.ts";
import type { StoredEvent } from "../../../engine/record.ts";
import { isInside } from "../../../files/paths.ts";
import { type Invocation, textFlag } from "../command.ts";
import { projectFolders } from "../project.ts";
import type { OpenedRecord } from "../shared-store/record.ts";
import { eventNamed } from "./named.ts";

export interface AskedEvent {
  stored: StoredEvent;
  /** The run that was named. */
  run?: string;
  /** What a person should know of the choice. */
  note?: string;
}

/** @throws HooklineError run_unknown, event_unknown */
export async function askedEvent(store: OpenedRecord, invocation: Invocation): Promise<AskedEvent> {
  const [name = "last"] = invocation.words;
  return name === "last" ? newest(store, invocation) : eventNamed(store, name);
}

/** So many of the newest events are looked through. */
const lookedThrough = 1000;

async function newest(store: OpenedRecord, { flags, cwd, home }: Invocation): Promise<AskedEvent> {
  const [session, written] = [textFlag(flags, "session"), textFlag(flags, "event")];
  const names = written === undefined ? undefined : resolveEvent(written);
  if (written !== undefined && !names)
    throw new HooklineError("event_unknown", { name: written, where: "--event", near: nearest(written, eventNames) });
  const all = (await store.events(lookedThrough)).filter(
    ({ event }) =>
      !event.session?.startsWith(canaryPrefix) &&
      (session === undefined || event.session?.startsWith(session) === true) &&
      (names === undefined || names.some((name) => name === event.name)),
  );
  const ofHere = flags.all === true || session !== undefined ? all[0] : await inProject();
  if (ofHere) return { stored: ofHere };

  /** Of any event the newest, however long ago; of one kind the newest among those that were looked through. */
  async function inProject(): Promise<StoredEvent | undefined> {
    const folders = projectFolders({ cwd, home });
    const recent = all.find(({ event }) => folders.some((folder) => isInside(folder, event.cwd)));
    const id = recent || names ? undefined : await store.newestEventIn(folders);
    return recent ?? (id === undefined ? undefined : store.event(id));
  }

  const [first] = all;
  if (first && textFlag(flags, "store") !== undefined) return { stored: first };
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

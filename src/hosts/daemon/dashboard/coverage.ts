/** Which calls reached Hookline, for the page of what happens now: of each session, and of each settings file that calls it. */
import { layersOf } from "../../../agents/adapter.ts";
import { agents } from "../../../agents/index.ts";
import { isRegistered } from "../../../agents/install/registration.ts";
import type { Instant } from "../../../engine/event.ts";
import { textAt } from "../../../files/regular-file.ts";
import { coverageWords, isWhole } from "../../../operations/coverage/coverage.ts";
import { lookAtTranscripts } from "../../../operations/coverage/look.ts";
import { coverageOfSessions, type SessionCoverage } from "../../../operations/coverage/sessions.ts";
import type { Daemon } from "../daemon.ts";
import type { CoverageShown, Now, Registration, Session } from "./shown.ts";

interface Asked extends Pick<Daemon, "store" | "home" | "environment"> {
  /** Of the project that is shown, else the daemon's own. */
  root: string;
  /** Only of that project. */
  isOfOne: boolean;
  now: Instant;
  sessions: readonly Session[];
}

/** Milliseconds: the page is asked again and again. */
const looksFor = 200;
const sessionsAtMost = 20;
const missingAtMost = 4;
const day = 86_400_000;

export async function coverageShown(asked: Asked): Promise<Pick<Now, "sessions" | "missing" | "registrations">> {
  const { store, root, isOfOne, now } = asked;
  const rows = await lookAtTranscripts({ ...asked, within: looksFor });
  const most = { most: sessionsAtMost, ...(isOfOne && { folders: [root] }) };
  const found = (await coverageOfSessions(rows, store, most)).map((one) => shownAs(one));
  const bySession = new Map(found.map((one) => [one.session, one]));
  return {
    sessions: asked.sessions.map((one) => ({ ...one, coverage: (one.id !== null && bySession.get(one.id)) || null })),
    missing: found.filter((one) => !one.isWhole && now - one.last < day).slice(0, missingAtMost),
    registrations: await registrationsOf(asked),
  };
}

const shownAs = (one: SessionCoverage): CoverageShown => ({
  ...{ session: one.session, agent: one.agent, last: Date.parse(one.last), isWhole: isWhole(one) },
  isKnown: one.unknown === null,
  ...{ says: coverageWords(one, "this session"), because: one.because },
  missed: one.missed.map(({ tool, subject, at = null }) => ({ tool, subject, at })),
});

async function registrationsOf({ store, home, environment, root }: Asked): Promise<Registration[]> {
  const reports = await store.lastReports([root]);
  return Object.values(agents).flatMap((agent) =>
    layersOf(agent).flatMap((layer) => {
      const file = agent.settings.file(layer, { home, root, environment });
      return isRegistered(agent, textAt(file))
        ? [{ agent: agent.title, layer, file, last: reports.get(`${agent.name} ${layer}`) ?? null }]
        : [];
    }),
  );
}

/**
 * Sessions that began without a daemon: the command that answered leaves their environment for the daemon, because their agent
 * tells it over HTTP from then on, which sends none. Apart from what is kept in memory: both processes read or write here.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sessionsFolder } from "../agents/client-files.ts";
import type { SessionId } from "../core/event.ts";
import { isPrivate } from "./address.ts";
import type { Sender } from "./session-environments.ts";

/** Of a session that nobody asked about so long, nobody will. */
const keptFor = 86_400_000;

/** For its owner alone. May throw what the file system says. */
export function leaveSession(stateFolder: string, session: SessionId, { environment, umask }: Sender): void {
  const folder = sessionsFolder(stateFolder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > keptFor) rmSync(file, { force: true });
  }
  const file = join(folder, createHash("sha256").update(session).digest("hex").slice(0, 32)); // any text can be an id
  rmSync(file, { force: true });
  writeFileSync(file, JSON.stringify({ session, environment, umask }), { mode: 0o600, flag: "wx" });
}

export interface Begun extends Sender {
  session: SessionId;
}

/** A folder that was written to so lately may be written to once more without showing it. */
const settlesWithin = 100;

/** @returns gives what was left since it was last asked, and takes it away; never throws */
export function createBegunSessions(stateFolder: string): () => Begun[] {
  const folder = sessionsFolder(stateFolder);
  let seen = 0;
  return () => {
    const written = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (written === seen) return none;
    if (Date.now() - written > settlesWithin) seen = written;
    return namesIn(folder).flatMap((name) => takeOne(join(folder, name)));
  };
}
const none: Begun[] = [];

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // it has gone, and with it all that was left
  }
}

function takeOne(file: string): Begun[] {
  try {
    if (!isPrivate(file)) return none;
    const left = JSON.parse(readFileSync(file, "utf8")) as Begun; // nobody else can write there
    rmSync(file, { force: true });
    return [left];
  } catch {
    return none; // half of it is there: it is read the next time
  }
}

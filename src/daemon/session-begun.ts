/**
 * Sessions that began without a daemon: the command that answered leaves their environment for the daemon, because their agent
 * tells it over HTTP from then on, which sends none. Apart from what is kept in memory: both processes read or write here.
 */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { sessionsFolder } from "../agents/install/own-call.ts";
import type { SessionId } from "../core/event.ts";
import { isRecord } from "../core/schema.ts";
import { isPrivate, makePrivateFolder, writePrivate } from "../files/write.ts";
import type { Sender } from "./session-environments.ts";

/** Of a session that nobody asked about so long, nobody will. */
const keptFor = 86_400_000;

/** For its owner alone. May throw what the file system says. */
export function leaveSession(stateFolder: string, session: SessionId, { environment, umask }: Sender): void {
  const folder = sessionsFolder(stateFolder);
  makePrivateFolder(folder);
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > keptFor) rmSync(file, { force: true });
  }
  const file = join(folder, createHash("sha256").update(session).digest("hex").slice(0, 32)); // any text can be an id
  writePrivate(file, JSON.stringify({ session, environment, umask }));
}
const isWhole = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

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
    const written = changedAt(folder);
    if (written === seen) return none;
    if (Date.now() - written > settlesWithin) seen = written;
    return namesIn(folder)
      .filter(isWhole)
      .flatMap((name) => takeOne(join(folder, name)));
  };
}
const none: Begun[] = [];

/** 0: there is no such folder, or it is not ours to look at. */
function changedAt(folder: string): number {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}

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
    const text = readFileSync(file, "utf8");
    rmSync(file, { force: true });
    return begunIn(JSON.parse(text));
  } catch {
    return none; // another daemon has taken it, or another program has written it
  }
}

function begunIn(left: unknown): Begun[] {
  if (!isRecord(left)) return none;
  const { session, environment, umask } = left;
  if (typeof session !== "string" || !isRecord(environment)) return none;
  const texts = Object.entries(environment).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return [{ session, environment: Object.fromEntries(texts), ...(typeof umask === "number" && { umask }) }];
}

/**
 * The environments of senders: read from what our clients send, and kept for sessions whose agent reports over HTTP, which
 * sends none (R44). In memory only, but for sessions that began without a daemon: the command that answered
 * leaves their environment in a file, which the daemon reads and removes.
 */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { sessionsFolder } from "../../agents/install/own-call.ts";
import { dropOldest } from "../../engine/drop-oldest.ts";
import type { HookEvent, SessionId } from "../../engine/event.ts";
import { rowOf } from "../../engine/events.ts";
import { isRecord } from "../../engine/schema.ts";
import { readRegularTextSync } from "../../files/regular-file.ts";
import { isPrivate, makePrivateFolder, writePrivate } from "../../files/write.ts";

export type Environment = Readonly<Record<string, string>>;

/** What a hook's programs get of the sender of an event. */
export interface Sender {
  environment: Environment;
  /** Undefined: it was not said. */
  umask?: number | undefined;
}

export interface SessionEnvironments {
  /** Gets every event. @param sender absent: it came over HTTP, as a session's end may */
  note(event: HookEvent, sender: Sender | undefined): void;
  of(session: SessionId | undefined): Sender | undefined;
}

/** Those that began last; an earlier session goes on with what every program may have. */
const sessionsAtMost = 500;
/** Milliseconds between two looks for one session. */
const looksEvery = 250;

/** @param begun gives those that have begun without this daemon since it was last asked */
export function createSessionEnvironments(
  begun: () => readonly (Sender & { session: SessionId })[] = () => [],
  elapsed: () => number = () => performance.now(),
): SessionEnvironments {
  const known = new Map<SessionId, Sender>();
  const heardOf = new Map<SessionId, number>(); // when it was looked for last

  function keep(session: SessionId, sender: Sender): void {
    known.delete(session);
    known.set(session, sender);
    dropOldest(known, sessionsAtMost);
  }

  /** A session's start is its first event; one that goes on elsewhere and comes back is not lost for long. */
  function isDue(session: SessionId): boolean {
    const now = elapsed();
    if (now - (heardOf.get(session) ?? Number.NEGATIVE_INFINITY) < looksEvery) return false;
    heardOf.set(session, now);
    dropOldest(heardOf, sessionsAtMost);
    return true;
  }

  function hearBegun(): void {
    for (const { session, ...sender } of begun()) keep(session, sender);
  }

  return {
    note({ name, session }, sender) {
      const { beginsSession, endsSession } = rowOf(name);
      if (session === undefined || !(beginsSession || endsSession)) return;
      hearBegun(); // what it left before is older
      if (endsSession) known.delete(session);
      else if (sender) keep(session, sender);
    },
    of(session) {
      if (session === undefined) return undefined;
      if (isDue(session)) hearBegun();
      return known.get(session);
    },
  };
}

/** Set by our own bin; a hook has no use for it. */
const internal: ReadonlySet<string> = new Set(["HOOKLINE_BIN"]);

/**
 * Reads `NAME=VALUE` entries that each end with NUL. One session sends the same over and over: then the same object is given.
 */
export function createEnvironmentReader(): (bytes: Buffer) => Environment {
  let last = { bytes: Buffer.alloc(0), environment: {} as Environment }; // no bytes, no names
  return (bytes) => {
    if (!last.bytes.equals(bytes)) last = { bytes: Buffer.from(bytes), environment: environmentIn(bytes) };
    return last.environment;
  };
}

function environmentIn(bytes: Buffer): Environment {
  const environment: Record<string, string> = {};
  for (const entry of bytes.toString("utf8").split("\0")) {
    const end = entry.indexOf("=", 1); // some systems have names that begin with one
    if (end < 1) continue;
    const name = entry.slice(0, end);
    if (!internal.has(name)) environment[name] = entry.slice(end + 1);
  }
  return environment;
}

/** After so long without a request, none will come. */
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
    const text = readRegularTextSync(file);
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

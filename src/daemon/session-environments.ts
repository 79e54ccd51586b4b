/**
 * The environments of those who tell: read from what the clients send, and kept for sessions whose agent tells over HTTP, which
 * sends none (R44). In memory only.
 */
import type { HookEvent, SessionId } from "../core/event.ts";

export type Environment = Readonly<Record<string, string>>;

export interface SessionEnvironments {
  /** To be told of every event that a client has sent. */
  note(event: HookEvent, environment: Environment): void;
  of(session: SessionId | undefined): Environment | undefined;
}

/** Those that began last; an earlier session goes on with what every program may have. */
const sessionsAtMost = 500;

export function createSessionEnvironments(): SessionEnvironments {
  const known = new Map<SessionId, Environment>();
  return {
    note({ name, session }, environment) {
      if (session === undefined || (name !== "SessionStart" && name !== "SessionEnd")) return;
      known.delete(session);
      if (name === "SessionEnd") return;
      const [oldest] = known.size >= sessionsAtMost ? known.keys() : [];
      if (oldest !== undefined) known.delete(oldest);
      known.set(session, environment);
    },
    of: (session) => (session === undefined ? undefined : known.get(session)),
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

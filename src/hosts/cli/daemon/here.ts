/** The daemon that runs for a store, by its own status. */
import { messageOf } from "../../../engine/error.ts";
import type { Fields } from "../../../engine/event.ts";
import { isRecord } from "../../../engine/schema.ts";
import { patience } from "../../../runtime/system.ts";
import { type DaemonState, daemonFilesOf, runningDaemon } from "../../daemon/state-file.ts";

/** The daemon of this store, by its own status; undefined: none is running. */
export async function daemonHere(store: string): Promise<Fields | undefined> {
  const daemon = runningDaemon(daemonFilesOf(store));
  if (!daemon) return undefined;
  const { pid, phase, port, token, started, version, onDemand = false } = daemon;
  const known = { pid, phase, port: port ?? null, started: new Date(started).toISOString(), version, onDemand };
  if (port === undefined || token === undefined) return known;
  return { ...known, ...(await statusOf({ port, token })) };
}

/** What `GET /status` says, or why it says nothing. Never rejects. */
async function statusOf({ port, token }: Pick<DaemonState, "port" | "token">): Promise<Fields> {
  try {
    // biome-ignore lint/style/noRestrictedGlobals: it asks the daemon of this machine at the port that its state file names
    const response = await fetch(`http://127.0.0.1:${port}/status`, {
      headers: { authorization: `Bearer ${token}`, connection: "close" },
      signal: AbortSignal.timeout(patience(10_000)),
      redirect: "error",
    });
    const status: unknown = await response.json();
    if (response.ok && isRecord(status)) return status as Fields; // it came as JSON
    return { unreachable: `it answers ${response.status}` };
  } catch (error) {
    return { unreachable: error instanceof Error && error.cause ? messageOf(error.cause) : messageOf(error) };
  }
}

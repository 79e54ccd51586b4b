/** Ends a daemon and waits until it is gone: for whoever wants none, and for whoever takes its place. */
import { setTimeout as wait } from "node:timers/promises";
import { HooklineError } from "../../engine/error.ts";
import { isAlive } from "../../runtime/system.ts";
import { straysOf } from "../daemon/place.ts";
import { type DaemonState, daemonFilesOf, removeState } from "../daemon/state-file.ts";

/** Runs get ten seconds to end (A50), their programs and connections a little more. */
const usualPatience = 20_000;
const look = 50;

/**
 * @param file its state
 * @param patience milliseconds that it may take by itself
 * @throws HooklineError daemon_unreachable
 */
export async function endDaemon(daemon: DaemonState, file: string, patience: number = usualPatience): Promise<void> {
  const until = Date.now() + patience;
  signal(daemon, "SIGTERM");
  while (isAlive(daemon.owner) && Date.now() < until) await wait(look);
  if (!isAlive(daemon.owner)) return;
  const strays = straysOf(daemonFilesOf(daemon.store).mark); // whoever starts next has another mark
  signal(daemon, "SIGKILL"); // it hangs or was halted; what it had begun is taken up at the next start
  while (isAlive(daemon.owner) && Date.now() < until + 2_000) await wait(look);
  if (isAlive(daemon.owner))
    throw unreachable(daemon, "it does not end", "end the process yourself, then call hookline down again");
  await strays.end();
  removeState(file, daemon);
}

function signal(daemon: DaemonState, name: NodeJS.Signals): void {
  try {
    process.kill(daemon.pid, name);
  } catch (error) {
    if (isAlive(daemon.owner)) throw unreachable(daemon, "it cannot be told to end", "end it as its own user", error);
  }
}

const unreachable = ({ pid }: DaemonState, reason: string, advice: string, cause?: unknown): HooklineError =>
  new HooklineError("daemon_unreachable", { reason, where: `process ${pid}`, advice }, { cause });

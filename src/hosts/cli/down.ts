/** hookline down: asks the daemon of this store to end, and waits until it has. */
import { daemonFilesOf, runningDaemon } from "../daemon/state-file.ts";
import { type ExitCode, type Invocation, textFlag } from "./command.ts";
import { endDaemon } from "./end-daemon.ts";
import { storePath } from "./place.ts";

export async function down(invocation: Invocation): Promise<ExitCode> {
  const { terminal, json, flags } = invocation;
  const files = daemonFilesOf(storePath(invocation, textFlag(flags, "store")));
  const daemon = runningDaemon(files);
  const tell = (text: string, facts: object): void => terminal.print(json ? JSON.stringify(facts) : text);
  if (!daemon) {
    tell("no daemon is running", { stopped: null });
    return 0;
  }
  await endDaemon(daemon, files.state);
  tell(`the daemon has ended (process ${daemon.pid})`, { stopped: daemon.pid });
  return 0;
}

/** hookline open: a link to the dashboard of the daemon that is running. */
import { HooklineError, messageOf } from "../../../engine/error.ts";
import { isRecord } from "../../../engine/schema.ts";
import { patience } from "../../../runtime/system.ts";
import { type DaemonState, daemonFilesOf, runningDaemon } from "../../daemon/state-file.ts";
import { type ExitCode, type Invocation, textFlag } from "../command.ts";
import { storePath } from "../place.ts";
import { shortPath } from "../terminal.ts";

/** It is not given to a browser from here: on the command line of a program other users could read it. */
export async function open(invocation: Invocation): Promise<ExitCode> {
  const { terminal, json, cwd, flags } = invocation;
  const store = storePath(invocation, textFlag(flags, "store"));
  const daemon = runningDaemon(daemonFilesOf(store));
  if (daemon?.port === undefined)
    throw new HooklineError("daemon_unreachable", { reason: "none is running", where: "this store" });
  const url = await askForLink(daemon, cwd);
  if (json) terminal.print(JSON.stringify({ url }));
  else for (const line of linkLines(url, store, invocation)) terminal.print(line);
  return 0;
}

/** How a link is shown, also by `hookline up`. The next one is asked for in a terminal that may know nothing of another store. */
export const linkLines = (url: string, store: string, { flags, environment, home, cwd }: Invocation): string[] => {
  const isNamed = textFlag(flags, "store") !== undefined || environment.HOOKLINE_STORE !== undefined;
  const again = `hookline open${isNamed ? ` --store ${shortPath(store, cwd, home)}` : ""}`;
  return [`browser  ${url}`, `         the link works once, within an hour; for another, run \`${again}\``];
};

async function askForLink({ port, token }: DaemonState, folder: string): Promise<string> {
  const where = `127.0.0.1:${port}`;
  try {
    // biome-ignore lint/style/noRestrictedGlobals: it asks the daemon of this machine at the port that its state file names
    const response = await fetch(`http://${where}/links`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, connection: "close" },
      body: JSON.stringify({ folder }),
      signal: AbortSignal.timeout(patience(10_000)),
      redirect: "error",
    });
    const answer: unknown = await response.json();
    if (isRecord(answer) && typeof answer.url === "string") return answer.url;
    throw new Error(`it answers ${response.status}`);
  } catch (error) {
    throw new HooklineError("daemon_unreachable", { reason: messageOf(error), where, advice: "see hookline status" });
  }
}

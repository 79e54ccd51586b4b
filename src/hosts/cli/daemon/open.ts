/** hookline open: a link to the dashboard of the daemon that is running. */
import { HooklineError, messageOf } from "../../../engine/error.ts";
import { isRecord } from "../../../engine/schema.ts";
import { type DaemonState, daemonFilesOf, runningDaemon } from "../../daemon/state-file.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { storePath } from "../place.ts";

const answersWithin = 5_000;

/** It is not given to a browser from here: on the command line of a program other users could read it. */
export async function open(invocation: Invocation): Promise<ExitCode> {
  const { terminal, json, cwd } = invocation;
  const daemon = runningDaemon(daemonFilesOf(storePath(invocation, undefined)));
  if (daemon?.port === undefined)
    throw new HooklineError("daemon_unreachable", { reason: "none is running", where: "this store" });
  const url = await askForLink(daemon, cwd);
  if (json) terminal.print(JSON.stringify({ url }));
  else for (const line of linkLines(url)) terminal.print(line);
  return 0;
}

/** How a link is shown, also by `hookline up`. */
export const linkLines = (url: string): string[] => [
  `browser  ${url}`,
  "         the link works once, within an hour; for another, run `hookline open`",
];

async function askForLink({ port, token }: DaemonState, folder: string): Promise<string> {
  const where = `127.0.0.1:${port}`;
  try {
    // biome-ignore lint/style/noRestrictedGlobals: it asks the daemon of this machine at the port that its state file names
    const response = await fetch(`http://${where}/links`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, connection: "close" },
      body: JSON.stringify({ folder }),
      signal: AbortSignal.timeout(answersWithin),
      redirect: "error",
    });
    const answer: unknown = await response.json();
    if (isRecord(answer) && typeof answer.url === "string") return answer.url;
    throw new Error(`it answers ${response.status}`);
  } catch (error) {
    throw new HooklineError("daemon_unreachable", { reason: messageOf(error), where, advice: "see hookline status" });
  }
}

/** Runs a client of the daemon as an agent does: the registered line in a shell, a payload on its standard input. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";

export interface Said {
  code: number | null;
  stdout: string;
  stderr: string;
}
export interface Telling {
  cwd: string;
  environment: Readonly<Record<string, string>>;
  payload: string;
  /** Else /bin/sh, as agents do; some shells drop variables that are not named as theirs are. */
  shell?: string;
}

/** Starts it; it is killed with the test, if it still runs. */
export function tell(
  t: Pick<TestContext, "after">,
  line: string,
  { cwd, environment, payload, shell = "/bin/sh" }: Telling,
): Promise<Said> {
  const child = spawn(shell, ["-c", line], { cwd, env: { ...environment }, stdio: "pipe", detached: true });
  t.after(() => {
    if (child.exitCode === null && child.signalCode === null && child.pid) process.kill(-child.pid, "SIGKILL");
  });
  child.stdin.on("error", () => {}); // it may have ended before it had read all
  child.stdin.end(payload);
  return Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]).then(
    ([[code], stdout, stderr]) => ({
      code,
      stdout,
      stderr,
    }),
  );
}

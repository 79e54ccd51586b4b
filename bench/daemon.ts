/** The daemon that benchmarks ask: the package that people install, in a process of its own, with a home of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface Place {
  bin: string;
  /** The project. */
  cwd: string;
  /** With its home. */
  environment: Readonly<Record<string, string>>;
}
export interface Running {
  pid: number;
  port: number;
  token: string;
  close(): Promise<void>;
}

/** Resolves once it listens. Rejects if it ends before that, with what it said. */
export async function startDaemon({ bin, cwd, environment }: Place): Promise<Running> {
  const child = spawn(process.execPath, [bin, "up", "--port", "0", "--json"], {
    cwd,
    env: { ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    ended.then(() => undefined),
  ]);
  if (line === undefined || child.pid === undefined) throw new Error("the daemon ended before it listened");
  const { port } = JSON.parse(line[0]);
  const { token } = JSON.parse(readFileSync(join(stateOf(environment), "daemon.json"), "utf8"));
  return {
    ...{ pid: child.pid, port, token },
    async close() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ended;
    },
  };
}

export const stateOf = ({ HOME = "" }: Place["environment"]): string => join(HOME, ".local", "state", "hookline");

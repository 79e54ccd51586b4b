/** A server that stands still: it takes nothing, answers nothing, and keeps its connections. */
import type { Cluster } from "./cluster.ts";

/** Stops every process that may serve a connection. Gives the undo. */
export function halt(cluster: Cluster): () => void {
  const serving = "backend_type in ('client backend', 'walwriter') and pid <> pg_backend_pid()";
  const said = cluster.sql(`select pid from pg_stat_activity where ${serving}`);
  const pids = [cluster.pid(), ...said.split("\n").filter(Boolean).map(Number)];
  const tell = (signal: "SIGSTOP" | "SIGCONT"): void => {
    for (const pid of pids) process.kill(pid, signal);
  };
  tell("SIGSTOP");
  return () => tell("SIGCONT");
}

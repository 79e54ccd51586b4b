/** Looks after one background run, then ends: started detached by `hookline hook`, which may not wait (R61). */
import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import type { StepResult } from "../core/ports.ts";
import type { Assignment } from "../queues/detached.ts";
import { isAlive, ownerOf } from "../system.ts";
import type { ExitCode, Invocation } from "./command.ts";
import { openLine, storeOptions } from "./line.ts";

export async function supervise(invocation: Invocation): Promise<ExitCode> {
  const { item, store: path, adopted } = JSON.parse(readFileSync(0, "utf8")) as Assignment; // written by queues/detached.ts
  const { openSqliteStore } = await import("../stores/sqlite.ts");
  const store = openSqliteStore({ ...storeOptions(invocation, undefined), path });
  const set = { id: "supervised", hooks: [item.hook] };
  const loaded = { set, problems: [], files: [], watched: [], root: item.hook.origin.root ?? item.event.cwd };
  const line = await openLine({ place: invocation, store, loaded });
  if (adopted) {
    const run = { ...item.run, owner: ownerOf(process.pid) };
    await store.saveRun(run);
    await line.engine.finish(run, ended(adopted.pid, adopted.limit * 1000));
  } else await line.engine.perform(item, { environment: invocation.environment });
  await line.close();
  return 0;
}

const interval = 100;
const termBeforeKill = 2_000;

/** Waits until the program has gone. It is not our child, so its exit code cannot be known; its output is drained. */
async function ended(pid: number, limitInMilliseconds: number): Promise<StepResult> {
  const owner = ownerOf(pid);
  for (const fd of [3, 4]) new Socket({ fd }).on("error", () => {}).resume(); // a closed pipe is no news
  for (let waited = 0; isAlive(owner); waited += interval) {
    if (waited >= limitInMilliseconds) {
      endGroup(pid, "SIGTERM");
      await pause(termBeforeKill);
      endGroup(pid, "SIGKILL");
      return {
        ok: false,
        output: {},
        failure: "timeout",
        reason: `it did not end within ${limitInMilliseconds / 1000} s`,
      };
    }
    await pause(interval);
  }
  return { ok: true, output: {} };
}

function endGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // the group has gone by itself
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What a run of the tests has used: read from the system, as Node counts no processes of processes. */
import { readFileSync } from "node:fs";

export interface Usage {
  seconds: number;
  /** Processor time of all processes that were waited for; none where the system does not say. */
  processorSeconds?: number;
  /** Processes and threads that were started on this machine meanwhile, by others too. */
  started?: number;
}

/** Begins to measure; call what it returns for what was used since. */
export function measureUsage(): () => Usage {
  const began = performance.now();
  const before = { processor: processorSeconds(), started: startedTasks() };
  return () => {
    const now = { processor: processorSeconds(), started: startedTasks() };
    const since = (left: number | undefined, right: number | undefined): number | undefined =>
      left === undefined || right === undefined ? undefined : right - left;
    const processor = since(before.processor, now.processor);
    const started = since(before.started, now.started);
    return {
      seconds: (performance.now() - began) / 1000,
      ...(processor !== undefined && { processorSeconds: processor }),
      ...(started !== undefined && { started }),
    };
  };
}

/** Own and children's, in fields 14 to 17 behind the name, which may hold anything. */
function processorSeconds(): number | undefined {
  const line = readOrNothing("/proc/self/stat");
  if (line === undefined) return undefined;
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / 100; // USER_HZ, the same on every Linux that Node runs on
}

function startedTasks(): number | undefined {
  const [, count] = /^processes (\d+)$/m.exec(readOrNothing("/proc/stat") ?? "") ?? [];
  return count === undefined ? undefined : Number(count);
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // another system
  }
}

/** Supervises one background run: started detached by `hookline hook`, which may not wait (R61). */
import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import type { Seconds } from "../../../engine/event.ts";
import type { Hook } from "../../../engine/hook.ts";
import type { StepResult } from "../../../engine/ports.ts";
import { changedMeanwhile } from "../../../engine/verified.ts";
import { hookSetOf } from "../../../loading/order.ts";
import { changedOf } from "../../../loading/trust/item.ts";
import { createTree, endTree, pause } from "../../../runtime/processes/tree.ts";
import type { Assignment } from "../../../runtime/queues/inline.ts";
import { isAlive, ownerOf } from "../../../runtime/system.ts";
import type { ExitCode, Invocation } from "../command.ts";
import { openLine } from "../line.ts";
import { loadForOneEvent } from "../loaded.ts";
import { openDegradableStore } from "../store.ts";

export async function supervise(invocation: Invocation): Promise<ExitCode> {
  const { item, store: path, adopted } = JSON.parse(readFileSync(0, "utf8")) as Assignment; // written by runtime/queues/inline.ts
  const store = openDegradableStore(invocation, path, ignored); // its messages have no reader
  const found = await loadForOneEvent({ ...invocation, cwd: item.event.cwd });
  // The whole set: what the hook's actions emit is heard by the others.
  const isKnown = found.set.hooks.some(({ id }) => id === item.hook.id);
  const loaded = isKnown
    ? found
    : { ...found, set: hookSetOf([...found.set.hooks, item.hook], found.set.workspace, found.set.shell) };
  const line = await openLine({ place: invocation, store, loaded, handsOver: true });
  if (adopted) {
    const run = { ...item.run, owner: ownerOf(process.pid) };
    await store.saveRun(run);
    await line.engine.finish(
      run,
      ended(adopted).then((result) => asTrusted(result, item.hook)),
    );
  } else await line.engine.perform(item, { environment: invocation.environment });
  await line.close();
  return 0;
}

const ignored = (): void => {};

/** It began in another process, which looked at its files before; this one looks again at its end (R93). */
function asTrusted(result: StepResult, { bound }: Hook): StepResult {
  const path = changedOf(bound);
  if (!result.ok || path === undefined) return result;
  return { ok: false, output: {}, failure: "launch", reason: changedMeanwhile(path) };
}

const interval: Seconds = 0.1;
const grace: Seconds = 2;

/** Waits until the program has gone. It is not our child, so its exit code cannot be known; its output is drained. */
async function ended({ pid, tag, limit }: NonNullable<Assignment["adopted"]>): Promise<StepResult> {
  const owner = ownerOf(pid);
  const tree = createTree(pid, tag);
  for (const fd of [3, 4]) new Socket({ fd }).on("error", ignored).resume(); // a closed pipe is no news
  for (let waited = 0; isAlive(owner); waited += interval) {
    if (waited >= limit) {
      const survivors = await endTree(tree, grace);
      const escaped = survivors > 0 ? `; escaped ${survivors}: so many of its processes could not be ended` : "";
      return { ok: false, output: {}, failure: "timeout", reason: `it did not end within ${limit} s${escaped}` };
    }
    await pause(interval);
  }
  return { ok: true, output: {} };
}

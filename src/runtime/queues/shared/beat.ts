/** How a worker says that it lives, and hears what has become of its runs. */
import type { SharedWork } from "../../../engine/shared-work.ts";
import { look, trying, type Worker } from "./worker.ts";

/** Of all workers so many look each time for runs of dead ones, whichever they are: what it costs the database stays the same. */
const lookersAtOnce = 3;

/** Says that this process lives, and tells its attempts what has become of their runs. */
async function renew(worker: Worker): ReturnType<SharedWork["beat"]> {
  const { attempts, work, member } = worker;
  const before = [...attempts]; // of those that are begun meanwhile the answer may know nothing
  const answer = await work.beat(member);
  if (!answer.isMember) {
    expel(worker);
    return answer;
  }
  worker.workers = Math.max(1, answer.workers);
  for (const [run, attempt] of before) {
    const mine = answer.held.get(run);
    if (attempt.isEnding()) continue;
    if (mine?.token !== attempt.token) attempt.lose();
    else if (mine.cancelled !== undefined) attempt.cancel();
  }
  return answer;
}

async function beat(worker: Worker): Promise<void> {
  const { lease, rescue, working, fresh, work, member } = worker;
  const asked = performance.now();
  const isWell = await trying(worker, async () => {
    const { isMember, held, waits } = await renew(worker);
    if (!isMember) return;
    if (performance.now() - asked > (lease * 1000) / 2) rescue.restart(); // a server that stood still answers all at once
    const stray = [...held.keys()].filter((run) => !working.has(run) && !fresh.has(run));
    const twice = stray.filter((run) => worker.strays.has(run));
    worker.strays = new Set(stray);
    if (twice.length > 0) await work.release(member, twice);
    if (Math.random() * worker.workers < lookersAtOnce) await rescue.look();
    if (waits) look(worker);
  });
  if (!isWell) rescue.restart();
}

function expel(worker: Worker): void {
  const { complain, member, attempts } = worker;
  if (worker.state !== "open") return;
  complain(`another process works as ${member.id}: nothing more is begun here`);
  worker.state = "closing";
  for (const attempt of attempts.values()) attempt.lose();
  worker.expelled?.();
}

export function beatOn(worker: Worker): void {
  const { after, poll } = worker;
  worker.nextBeat = after(poll * 1000, () => {
    void beat(worker).then(() => {
      if (worker.state !== "closed") beatOn(worker);
    });
  });
}

/** A cancelled run is told so at once; else with the next beat. */
export async function hear(worker: Worker): Promise<void> {
  const { attempts } = worker;
  worker.isHearing = true;
  while (worker.hearsAgain && attempts.size > 0) {
    worker.hearsAgain = false;
    await trying(worker, async () => {
      await renew(worker);
    });
  }
  worker.isHearing = false;
}

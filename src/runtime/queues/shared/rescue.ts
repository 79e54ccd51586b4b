/** Finds the runs of workers that have died, and has them begun again; and wipes what has ended out of the journal. */
import type { Seconds } from "../../../engine/event.ts";
import type { Ended } from "../../../engine/journal.ts";
import type { SharedWork } from "../../../engine/shared-work.ts";
import type { DurableEngine } from "./dbos.ts";

export interface Rescue {
  /** Of all workers one looks at a time. Rejects as the database does. */
  look(): Promise<void>;
  /** After an outage all workers seem silent: who has been away itself waits before it takes another one for dead. */
  restart(): void;
}

interface RescueOptions {
  work: Pick<SharedWork, "adrift" | "putBack" | "fail">;
  engine: Pick<DurableEngine, "states" | "open" | "resume" | "tidy">;
  lease: Seconds;
  /** Hears of runs that end because they cannot be begun again. */
  ended(end: Ended): void;
}

const tidiesEvery: Seconds = 10;

export function createRescue({ work, engine, lease, ended }: RescueOptions): Rescue {
  let steadySince: number | undefined;
  let tidied = performance.now();

  async function settle(run: string, known: { is: string } | undefined): Promise<void> {
    if (!known) await work.putBack(run);
    else if (known.is === "over") {
      const over = await work.fail(run, "DBOS ended it, and its worker died");
      if (over) ended(over);
    }
  }

  return {
    async look() {
      const at = performance.now();
      steadySince ??= at;
      if (at - steadySince < lease * 1000) return;
      await work.adrift(lease, async (runs, living) => {
        const states = await engine.states(runs.map(({ run }) => run));
        const givenBack = new Set(runs.filter(({ worker }) => worker === undefined).map(({ run }) => run));
        const left = (await engine.open()).filter(({ run, executor }) => !living.has(executor) || givenBack.has(run));
        await engine.resume(left.map(({ run }) => run));
        for (const { run } of runs) if (states.get(run)?.is !== "queued") await settle(run, states.get(run));
        if (at - tidied < tidiesEvery * 1000) return;
        tidied = at;
        await engine.tidy();
      });
    },
    restart() {
      steadySince = undefined;
    },
  };
}

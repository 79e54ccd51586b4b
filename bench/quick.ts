/**
 * npm run bench -- --quick: every benchmark in its short form, also those that are taken only by name, to see whether each comes to
 * its end. It shows and keeps no figure, and judges no goal: a figure of so few readings is none.
 */
import { availableParallelism } from "node:os";
import { benchmarks, type Entry } from "./benchmarks.ts";
import { type Taken, take } from "./take.ts";

/** Seconds. The short form takes a few; this is for a busy machine. */
const limit = 300;

type TakeQuickly = (name: string) => Promise<Taken>;

/** The exit code: 1 where one of them did not end well. What cannot be taken on this machine is named, and is no failure. */
export async function runQuickly(
  chosen: readonly Pick<Entry, "name">[] = benchmarks,
  takeOne: TakeQuickly = (name) => take(name, { limit, quick: true }),
): Promise<number> {
  const skipped: string[] = [];
  const failed: string[] = [];
  const waiting = chosen.values();
  const work = async (): Promise<void> => {
    for (const { name } of waiting) await takeAndTell(name);
  };

  async function takeAndTell(name: string): Promise<void> {
    const began = performance.now();
    const taken = await takeOne(name);
    const took = `${((performance.now() - began) / 1000).toFixed(1)} s`;
    if ("failed" in taken) {
      console.log(`FAILED   ${name} (${took}): ${taken.failed}\n${taken.said}`);
      failed.push(`${name}: ${taken.failed}`);
    } else if ("skipped" in taken) {
      console.log(`skipped  ${name}: ${taken.skipped}`);
      skipped.push(name);
    } else
      console.log(
        [`ended    ${name} (${took})`, ...taken.leftOut.map((side) => `without ${side}`)].join("\n         "),
      );
  }

  await Promise.all(Array.from({ length: availableParallelism() }, work));
  for (const line of failed) console.log(`FAILED ${line}`);
  console.log(
    `${chosen.length - skipped.length - failed.length} ended, ${skipped.length} skipped, ${failed.length} failed`,
  );
  return failed.length === 0 ? 0 : 1;
}

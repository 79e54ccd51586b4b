/** What doctor's tables are made of: a row is one thing that can be wrong, with its sentence, the command that mends it, and how that is done safely. */
import { messageOf } from "../../../engine/error.ts";
import type { MaybePromise } from "../../../engine/event.ts";
import type { Here } from "./here.ts";

/** As JSON tells it. fixed: it was bad or doubtful, and `--fix` has mended it. */
export interface Finding {
  area: string;
  /** The row's name; "good" where an area has nothing to say. */
  finding: string;
  is: "good" | "note" | "bad" | "fixed";
  says: string;
  /** The command that mends it. */
  run?: string;
  /** What `--fix` did. */
  did?: string;
  /** Of which agent, where it is about one. */
  agent?: string;
}

/** One thing that may be wrong. */
export interface Row<Fact> {
  /** bad: something does not work, so doctor exits 1. note: a person should know. */
  is: "note" | "bad";
  /** Each fact is a finding. What it throws is one too. */
  find(here: Here): MaybePromise<readonly Fact[]>;
  says(fact: Fact, here: Here): string;
  /** Exactly one command. */
  run(fact: Fact, here: Here): string;
  agent?(fact: Fact): string;
  /** Only what is safe: it loses nothing of a person's. Gives what it did; undefined: this one is for a person. */
  fix?(fact: Fact, here: Here): MaybePromise<string | undefined>;
}

/** A finding, and how it is mended. */
export interface Found {
  finding: Finding;
  fix?(): MaybePromise<string | undefined>;
}
export interface Check {
  name: string;
  look(here: Here): Promise<readonly Found[]>;
}

export interface Area {
  name: string;
  checks: readonly Check[];
  /** False: there is nothing of it in this place, and nothing is said. Default: there is. Never rejects. */
  isHere?(here: Here): Promise<boolean>;
  /** What is said where no check has found anything. */
  good(here: Here): MaybePromise<string>;
}

/** A row of an area's table; what its facts are is its own business. */
export const row = <Fact>(name: string, { is, find, says, run, agent, fix }: Row<Fact>): Check => ({
  name,
  look: async (here) =>
    (await find(here)).map((fact) => ({
      finding: {
        ...{ area: "", finding: name, is, says: says(fact, here), run: run(fact, here) },
        ...(agent && { agent: agent(fact) }),
      },
      ...(fix && { fix: () => fix(fact, here) }),
    })),
});

/** Each check fails alone. */
export async function lookAt({ name, checks, isHere, good }: Area, here: Here): Promise<Found[]> {
  if (isHere && !(await isHere(here))) return [];
  const found: Found[] = [];
  for (const check of checks) found.push(...(await orFailure(check.name, () => check.look(here))));
  if (found.length === 0)
    found.push(
      ...(await orFailure(name, async () => [
        { finding: { area: name, finding: "good", is: "good", says: await good(here) } },
      ])),
    );
  return found.map((one) => ({ ...one, finding: { ...one.finding, area: name } }));
}

async function orFailure(name: string, look: () => Promise<readonly Found[]>): Promise<readonly Found[]> {
  try {
    return await look();
  } catch (error) {
    const says = `this could not be looked at: ${messageOf(error)}`;
    return [{ finding: { area: "", finding: `${name}-unknown`, is: "bad", says, run: "hookline status" } }];
  }
}

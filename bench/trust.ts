/**
 * Trust, by what the system was asked for: Hookline in more than 200 repositories of strangers under strace, with every command and
 * every recorded payload, by command and through a daemon. Nothing of a repository may start, and nothing may be contacted. And trusted
 * files, changed in every way, and exchanged while they are started: nothing but what was trusted may run.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageForTests } from "../scripts/package-for-tests.ts";
import { everyCommand } from "../test/hosts/cli/trust/every-command.ts";
import { type HostileRepository, hostileRepositories } from "../test/hosts/cli/trust/hostile-repositories.ts";
import { payloadNames, type Toll, visit, whyNoTrace } from "../test/hosts/cli/trust/traced.ts";
import { mutate } from "../test/loading/trust/mutations.ts";
import { race } from "../test/loading/trust/race.ts";
import { type Benchmark, boundOf, type Findings, inFolder, joined, rowOf, sized } from "./measure.ts";

export const trust: Benchmark = {
  name: "trust",
  about:
    "what runs in repositories of strangers, of what has changed since it was trusted, and in a race with its exchange",
  missing: whyNoTrace,
  async measure() {
    return joined([
      await inFolder((folder) => measureMutations(folder, sized(10_000, 10))),
      await inFolder((folder) => measureRaces(folder, sized(5_000, 5))),
      await measureStrangers(),
    ]);
  },
};

async function measureMutations(folder: string, times: number): Promise<Findings> {
  const { mutations, evil, sameMeaning } = await mutate(folder, times, randomFrom(Date.now()));
  for (const one of evil) console.log(`RAN ${one}`);
  const called = `${mutations} changes of trusted files`;
  return {
    rows: [rowOf(called, "after which the same hooks stood there, such as a blank in JSON", "times", sameMeaning)],
    ratios: [boundOf("changes of trusted files after which anything else ran", evil.length, 0, { unit: "times" })],
  };
}

/** The numbers of a seed that is printed, so that a failure can be had again. */
function randomFrom(seed: number): () => number {
  console.log(`seed ${seed}`);
  let state = seed % 2 ** 31;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

async function measureRaces(folder: string, times: number): Promise<Findings> {
  const { good, refused, failed, evil } = await race(folder, times);
  const called = `${times} starts of a script that is exchanged`;
  return {
    rows: [
      rowOf(called, "ran the trusted bytes", "times", good),
      rowOf(called, "not started", "times", refused),
      rowOf(called, "ran, and the answer did not count", "times", failed),
    ],
    ratios: [boundOf("answers of other bytes that counted", evil.length, 0, { unit: "times" })],
  };
}

const atOnce = 2;
/** With a build that trusts all, as many: to see that these repositories do run something where they may. */
const controlEvery = 5;
/** Of the repositories. */
const every = sized(1, 250);
/** At most so many commands and payloads in each repository. */
const eachAtMost = sized(Number.POSITIVE_INFINITY, 2);

async function measureStrangers(): Promise<Findings> {
  const chosen = hostileRepositories.filter((_one, index) => index % every === 0);
  const asked = await visitAll(chosen, packageForTests("asked"));
  for (const leak of asked.flatMap(({ leaks }) => leaks)) console.log(`LEAK ${leak}`);
  const control = chosen.filter((_one, index) => index % controlEvery === 0);
  const given = await visitAll(control, packageForTests("given"));
  const sum = (of: (toll: Toll) => number): number => asked.reduce((total, toll) => total + of(toll), 0);
  const count = (what: string, value: number): ReturnType<typeof rowOf> => rowOf(called, what, "times", value);
  const called = `${chosen.length} repositories of strangers`;
  const leaked = (call: string): number =>
    sum(({ leaks }) => leaks.filter((leak) => leak.includes(`: ${call}(`)).length);
  return {
    rows: [
      count(
        "commands",
        sum(({ commands }) => commands),
      ),
      count(
        "events of an agent",
        sum(({ events }) => events),
      ),
      count(
        "execve seen",
        sum(({ calls }) => calls.execve),
      ),
      count(
        "of these git, run safely",
        sum(({ calls }) => calls.git),
      ),
      count(
        "connect seen",
        sum(({ calls }) => calls.connect),
      ),
      count(
        "openat seen",
        sum(({ calls }) => calls.openat),
      ),
      rowOf(
        `${control.length} of them, all trusted`,
        "where the stranger's own ran or was contacted",
        "repositories",
        given.filter(({ leaks }) => leaks.length > 0).length,
      ),
    ],
    ratios: [
      boundOf("execve due to an untrusted repository", leaked("execve"), 0, { unit: "times" }),
      boundOf("connect due to an untrusted repository", leaked("connect"), 0, { unit: "times" }),
      boundOf("openat of what loading does not read", leaked("openat"), 0, { unit: "times" }),
    ],
  };
}

async function visitAll(repositories: readonly HostileRepository[], place: string): Promise<Toll[]> {
  const waiting = repositories.entries();
  const tolls: Toll[] = [];
  const work = async (): Promise<void> => {
    for (const [index, repository] of waiting) tolls.push(await visitOne(repository, index, place));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return tolls;
}

/** A process of its own for its own event, and for a few that are others for each repository. */
async function visitOne(repository: HostileRepository, index: number, place: string): Promise<Toll> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-stranger-"));
  const turn = (by: number): string => payloadNames[(index + by) % payloadNames.length] ?? "";
  const own = payloadNames.filter((name) => name === `${repository.event}.json`);
  try {
    return await visit(repository, folder, {
      bin: join(place, "bin", "hookline.js"),
      codeCache: join(place, "code"),
      commands: everyCommand(repository).slice(0, eachAtMost),
      payloads: {
        toDaemon: payloadNames.slice(0, eachAtMost),
        toCommand: [...new Set([...own, turn(0), turn(19)])].slice(0, eachAtMost),
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turnIsOver } from "node:timers/promises";
import type { Observation } from "../../../src/engine/ports.ts";
import { giveBackAtRest } from "../../../src/hosts/cli/daemon/up.ts";

/** What a busy time leaves behind: reached by nobody, and not yet collected. */
function litter(): { left: WeakRef<object>[] } {
  return { left: Array.from({ length: 100 }, (_, index) => new WeakRef({ text: "x".repeat(10_000) + index })) };
}

/** Looked at in another turn of the event loop than that in which it was made: until then the engine keeps it. */
async function isCollected({ left }: ReturnType<typeof litter>, after: () => void): Promise<boolean> {
  await turnIsOver();
  after();
  return left.every((one) => one.deref() === undefined);
}

interface Watched {
  hear(events: number): void;
  quiet: number;
  isDeaf: boolean;
  undo(): void;
}

/** At rest, on a clock that the test sets: what its start has left behind is collected. */
async function started(t: TestContext): Promise<Watched> {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let ear: (seen: Observation) => void = () => {};
  const watched: Watched = {
    hear(events) {
      for (let index = 0; index < events; index++) ear({ is: "event" } as Observation); // nothing else of it is looked at
    },
    quiet: 3_000,
    isDeaf: false,
    undo: () => {},
  };
  watched.undo = giveBackAtRest({
    listen(given) {
      ear = given;
      return () => {
        watched.isDeaf = true;
      };
    },
    quietFor: () => watched.quiet,
  });
  const wait = (): void => t.mock.timers.tick(3_000);
  assert.ok(await isCollected(litter(), wait), "starting is a busy time, too");
  return watched;
}

test("memory of a busy time is collected once no event has come for three seconds", async (t) => {
  const watched = await started(t);
  const wait = (): void => t.mock.timers.tick(3_000);
  const left = litter();
  watched.hear(1_000);
  watched.quiet = 0;
  assert.equal(await isCollected(left, wait), false, "somebody still tells of something");
  watched.quiet = 3_000;
  assert.ok(await isCollected(left, wait));
  assert.equal(await isCollected(litter(), wait), false, "once");
  watched.undo();
  assert.ok(watched.isDeaf);
});

test("where little has happened nothing is collected", async (t) => {
  const watched = await started(t);
  const left = litter();
  watched.hear(999);
  assert.equal(await isCollected(left, () => t.mock.timers.tick(60_000)), false);
});

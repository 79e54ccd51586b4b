/** Durable runs that wait while their hook is paused, switched off or gone, and what is told of runs that the journal itself ends. */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { pauseOfProject } from "../../../src/engine/admit.ts";
import type { Hook } from "../../../src/engine/hook.ts";
import type { Observation } from "../../../src/engine/ports.ts";
import { openDurableQueue } from "../../../src/hosts/compose/durable-queue.ts";
import { uptime } from "../../../src/runtime/system.ts";
import { beginnings } from "./start-worker.ts";
import { durableHook, engineOn, itemOf, marking, placeFor } from "./world.ts";

const workspace = "/home/me/shop";
const hook: Hook = {
  ...durableHook("h", [marking("a")]),
  origin: { dialect: "automation", layer: "user", root: workspace },
};
const other = durableHook("other", [marking("a")]);

for (const [what, paused] of Object.entries({
  automation: hook.id,
  project: pauseOfProject("p"),
  "project's folder": workspace,
}))
  test(`[R23] a run that waits when its ${what} is paused waits on, holds up no other's, and is begun once that is resumed`, async (context) => {
    const { store, journal } = placeFor(context);
    const claim = (): string | undefined => journal.claim("1:1:w", { cap: 9, until: uptime() + 30_000 })?.run.id;
    journal.add(itemOf(hook, "r1"), Date.now());
    journal.add(itemOf({ ...other, project: "q" }, "r2"), Date.now());
    await store.pause(paused, Date.now());
    assert.equal(claim(), "r2");
    assert.equal(claim(), undefined);
    assert.equal(journal.hasWaiting(), false, "nothing is left to wait for");
    await store.resume(paused);
    assert.equal(claim(), "r1");
  });

test("[A48] what a person asks for is begun before what waits for the end of a pause", async (context) => {
  const { store, journal } = placeFor(context);
  for (const run of ["r1", "r2"]) journal.add(itemOf(hook, run), Date.now());
  await store.pause(hook.id, Date.now());
  for (const run of ["by hand", "by hand again"])
    journal.add(itemOf(hook, run, { to: { hook: hook.id, force: true } }), Date.now());
  const perform = (): string | undefined => {
    const item = journal.claim("1:1:w", { cap: 9, until: uptime() + 30_000 });
    if (item) journal.save("1:1:w", { ...item.run, status: "completed" });
    return item?.run.id;
  };
  assert.deepEqual([perform(), perform(), perform()], ["by hand", "by hand again", undefined]);
  await store.resume(hook.id);
  assert.deepEqual([perform(), perform(), perform()], ["r1", "r2", undefined]);
});

test("[R48] a caller that performs only its own runs leaves runs that are paused in the meantime to others", async (context) => {
  const { folder, store } = placeFor(context);
  const told: string[] = [];
  const queue = openDurableQueue(store, { own: true, cap: () => 2, environment: {} });
  const engine = await engineOn(store, queue, folder, {
    observe: (seen) => void (seen.is === "run" && told.push(seen.run.status)),
  });
  await store.saveRun(itemOf(hook, "r1").run);
  await store.pause(hook.id, Date.now());
  await queue.add(itemOf(hook, "r1"), {});
  await engine.close();
  assert.deepEqual(told, ["queued"]);
  assert.equal((await store.run("r1"))?.status, "queued");
});

/** What becomes of a run that waited, where its hook stands so when it begins. */
async function begun(context: TestContext, now: readonly Hook[], event: object = {}): Promise<string> {
  const { folder, store } = placeFor(context);
  const queue = openDurableQueue(store, { own: true, cap: () => 2, environment: {} });
  const engine = await engineOn(store, queue, folder, {
    current: (hook) => now.find(({ id }) => id === hook.id),
  });
  const item = itemOf(hook, "r1", event);
  await store.saveRun(item.run);
  await queue.add(item, {});
  await engine.close();
  const run = await store.run("r1");
  return `${run?.status}: ${run?.reason ?? Object.keys(beginnings(folder)).join()}`;
}

test("[R23] a run that waited is skipped with the reason where its automation is disabled or gone by then", async (context) => {
  assert.equal(await begun(context, [hook]), "completed: r1 a");
  assert.equal(await begun(context, [{ ...hook, enabled: false }]), "skipped: disabled");
  assert.equal(await begun(context, [other]), "skipped: it is no longer active");
});

test("[A48] what a person asks for runs although its automation is disabled by then, and so does what fires once", async (context) => {
  const off = { ...hook, enabled: false };
  assert.equal(await begun(context, [off], { to: { hook: hook.id, force: true } }), "completed: r1 a");
  assert.equal(await begun(context, [{ ...off, on: { at: 1 } }], { name: "schedule.due" }), "completed: r1 a");
});

test("what a person asks for does not run once its automation is gone or no longer trusted", async (context) => {
  const asked = { to: { hook: hook.id, force: true } };
  assert.equal(await begun(context, [other], asked), "skipped: it is no longer active");
  const strange = { ...hook, enabled: false, untrusted: "its folder is not trusted" };
  assert.equal(await begun(context, [strange], asked), "skipped: its folder is not trusted");
});

test("[A52] a run that the journal ends is reported once, with its hook", async (context) => {
  const { folder, store, journal } = placeFor(context);
  const told: Observation[] = [];
  const item = itemOf(hook, "r1");
  await store.saveRun(item.run);
  journal.add(item, Date.now());
  for (let attempt = 1; attempt <= 4; attempt++) {
    const worker = `${2 ** 30}:${attempt}:gone`;
    const claimed = journal.claim(worker, { cap: 2, until: uptime() + 30_000 });
    if (claimed) journal.save(worker, { ...claimed.run, status: "running", asked: 1 });
    if (attempt < 4) journal.recover({ run: "r1", worker }, Date.now());
  }
  const queue = openDurableQueue(store, { cap: () => 2, environment: {} });
  const engine = await engineOn(store, queue, folder, { observe: (seen) => void told.push(seen) });
  await queue.idle();
  await engine.close();
  const ends = told.flatMap((seen) => (seen.is === "run" && seen.run.status === "interrupted" ? seen : []));
  assert.deepEqual(
    ends.map((seen) => [seen.run.id, seen.hook?.id, seen.hook?.durable]),
    [["r1", hook.id, true]],
  );
});

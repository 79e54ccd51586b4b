import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { claimFor } from "../../../src/engine/admit.ts";
import type { Fields, HookEvent, Instant } from "../../../src/engine/event.ts";
import { go } from "../../../src/engine/flow.ts";
import type { Hook, Trigger } from "../../../src/engine/hook.ts";
import type { Run, Store } from "../../../src/engine/record.ts";
import { createSchedule, type Schedule } from "../../../src/runtime/triggers/schedule.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/sqlite.ts";
import { createFakeClock, type FakeClock } from "../../../testing/clock.ts";
import { aCheck, temporaryFolder } from "./repository.ts";

const start = Date.UTC(2026, 0, 1, 12, 0, 0);
const second = 1_000;
const hour = 3_600 * second;

interface Scheduling {
  clock: FakeClock;
  store: Store;
  schedule: Schedule;
  fired: HookEvent[];
  ended: string[];
  complaints: string[];
  state: { enabled: boolean };
  /** Moves time on a second at a time, and lets what is due be fired. */
  pass(milliseconds: number): Promise<void>;
  /** The clock is set, or the machine slept: no timer has run meanwhile. */
  jump(milliseconds: number): Promise<void>;
  /** A run of the hook, as the engine writes it. */
  ran(hook: Hook, given?: Partial<Run>): void;
  /** Another process with the same store. */
  another(): Scheduling;
}

/** Each event becomes a run at once, as the line does it. */
function schedulingIn(
  context: TestContext,
  given: { store?: Store; at?: Instant; fails?: () => boolean } = {},
): Scheduling {
  const clock = createFakeClock(given.at ?? start);
  const store = given.store ?? openSqliteStore({ path: join(temporaryFolder(context), "store.db") });
  const fired: HookEvent[] = [];
  const ended: string[] = [];
  const complaints: string[] = [];
  const state = { enabled: true };
  let ids = 0;
  let shift = 0;
  const now = (): Instant => clock.now() + shift;

  function ran(hook: Pick<Hook, "id">, run: Partial<Run> = {}): void {
    ids += 1;
    store.saveRun({
      id: `run-${Math.random()}`,
      hook: hook.id,
      hookName: hook.id,
      eventId: `event-${ids}`,
      eventName: "schedule.due",
      status: "completed",
      cause: "periodic",
      startedAt: now(),
      steps: [],
      notes: [],
      asked: 1,
      ...run,
    });
  }

  const schedule = createSchedule({
    now,
    after: clock.after,
    id: () => `event-${++ids}`,
    store,
    isEnabled: () => state.enabled,
    home: "/home",
    complain: (reason) => complaints.push(reason),
    ended: (hook) => ended.push(hook.id),
    fire(event) {
      if (given.fails?.()) throw new Error("the store is locked");
      fired.push(event);
      assert.ok(event.to);
      ran({ id: event.to.hook }, { cause: event.to.because ?? "" });
    },
  });
  context.after(async () => {
    await schedule.close();
    if (!given.store) store.close();
  });

  return {
    clock,
    store,
    schedule,
    fired,
    ended,
    complaints,
    state,
    ran,
    async pass(milliseconds) {
      for (let left = milliseconds; left > 0; left -= second) {
        clock.advance(Math.min(second, left));
        await schedule.check();
      }
    },
    async jump(milliseconds) {
      shift += milliseconds;
      await schedule.check();
    },
    another: () => schedulingIn(context, { store, at: now() }),
  };
}

const aTimed = (on: Trigger, given: Partial<Hook> = {}): Hook =>
  aCheck({
    id: "automation:app/nightly",
    name: "nightly",
    on,
    mode: "async",
    project: "app",
    limits: { overlap: "coalesce" },
    origin: { dialect: "automation", layer: "user", root: "/app" },
    ...given,
  });
const causes = (events: readonly HookEvent[]): (string | undefined)[] => events.map(({ to }) => to?.because);
const dataOf = (event: HookEvent | undefined): Fields => event?.data ?? {};

test("[A16, A18, AT19] a periodic hook that never ran is due at once, and its event holds only the current time", async (context) => {
  const { schedule, fired } = schedulingIn(context);
  await schedule.sync([aTimed({ every: 3_600 })]);
  await schedule.check();
  assert.equal(fired.length, 1);
  const [{ name, cwd, sender, to, data } = aHookless] = fired;
  assert.deepEqual(
    { name, cwd, sender, to, data },
    {
      name: "schedule.due",
      cwd: "/app",
      sender: "schedule",
      to: { hook: "automation:app/nightly", because: "periodic", slot: start },
      data: { current_time: "2026-01-01T12:00:00.000Z", current_time_epoch: start / 1000 },
    },
  );
});
const aHookless: HookEvent = { id: "", name: "none.fired", at: 0, cwd: "", sender: "", data: {} };

test("[A18, AT19] with an earlier run the event holds its time, and how long ago it was", async (context) => {
  const { schedule, fired, pass } = schedulingIn(context);
  await schedule.sync([aTimed({ every: 90 })]);
  await pass(91 * second);
  assert.equal(fired.length, 2);
  const first = start + second;
  assert.deepEqual(dataOf(fired[1]), {
    current_time: new Date(first + 90 * second).toISOString(),
    current_time_epoch: first / 1000 + 90,
    last_run_time: new Date(first).toISOString(),
    last_run_time_epoch: first / 1000,
    seconds_since_last_run: 90,
  });
});

test("[A16] a timer looks within a second of a hook being due, and of a pause being over", async (context) => {
  const { schedule, clock, store, fired } = schedulingIn(context);
  const hook = aTimed({ every: 3_600 });
  store.pause(hook.id, start);
  await schedule.sync([hook]);
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  for (let looks = 0; looks < 3; looks += 1) {
    clock.advance(second);
    await settled();
  }
  assert.equal(fired.length, 0);
  store.resume(hook.id);
  clock.advance(second);
  await settled();
  assert.equal(fired.length, 1);
});

test("[A17, A22] the interval counts from the newest run, whatever caused it, also before a restart", async (context) => {
  const { schedule, fired, ran, pass } = schedulingIn(context);
  const hook = aTimed({ every: 60 });
  ran(hook, { startedAt: start - 50 * second, cause: "manual" });
  await schedule.sync([hook]);
  await pass(9 * second);
  assert.equal(fired.length, 0);
  await pass(second);
  assert.equal(fired.length, 1);
  await pass(30 * second);
  ran(hook, { cause: "manual" });
  await pass(59 * second);
  assert.equal(fired.length, 1);
  await pass(second);
  assert.equal(fired.length, 2);
});

test("[A22] a run that its own steps ended counts as one; a refused one, or one that waits, does not", async (context) => {
  const { schedule, fired, ran, pass } = schedulingIn(context);
  const ended = aTimed({ every: 60 }, { id: "automation:app/ended" });
  const refused = aTimed({ every: 60 }, { id: "automation:app/refused" });
  ran(ended, {
    status: "skipped",
    steps: [{ uses: "context_shell", ok: true, output: {}, ms: 1 }],
    startedAt: start - 10 * second,
  });
  ran(refused, { startedAt: start - 100 * second });
  ran(refused, { status: "skipped", asked: 0, reason: "paused", startedAt: start - 10 * second });
  ran(refused, { status: "queued", asked: 0, startedAt: start - 5 * second });
  await schedule.sync([ended, refused]);
  await pass(second);
  assert.deepEqual(
    fired.map(({ to }) => to?.hook),
    ["automation:app/refused"],
  );
  await pass(50 * second);
  assert.equal(fired.length, 2);
});

test("[A17, A17a] a periodic hook waits without a word while cooldown, pause or the switched off engine would refuse it", async (context) => {
  const { schedule, store, fired, ran, pass, state } = schedulingIn(context);
  const hook = aTimed({ every: 10 }, { limits: { cooldown: 60, overlap: "coalesce" } });
  store.claim([{ key: `cooldown:${hook.id}`, gap: 60, refusal: "" }], start);
  ran(hook, { startedAt: start });
  await schedule.sync([hook]);
  await pass(59 * second);
  assert.equal(fired.length, 0);
  store.pause("project:app", start);
  await pass(10 * second);
  assert.equal(fired.length, 0);
  assert.match(schedule.list()[0]?.waits ?? "", /^paused with its project/);
  store.resume("project:app");
  state.enabled = false;
  await pass(10 * second);
  assert.equal(schedule.list()[0]?.waits, "the hook engine is switched off");
  state.enabled = true;
  await pass(second);
  assert.equal(fired.length, 1);
});

test("a disabled hook is never due, and one that is enabled again continues from its last run", async (context) => {
  const { schedule, fired, pass } = schedulingIn(context);
  const hook = aTimed({ every: 30 });
  await schedule.sync([{ ...hook, enabled: false }]);
  await pass(5 * second);
  assert.deepEqual(schedule.list(), []);
  await schedule.sync([hook]);
  await pass(5 * second);
  await schedule.sync([]);
  await pass(40 * second);
  assert.equal(fired.length, 1);
  await schedule.sync([hook]);
  await pass(second);
  assert.equal(fired.length, 2);
});

test("[A16] a cron pattern fires at its moments in its zone, and says which one was meant", async (context) => {
  const { schedule, fired, pass } = schedulingIn(context);
  await schedule.sync([aTimed({ cron: "5,6 13 * * *", zone: "Europe/Berlin" })]);
  assert.deepEqual(schedule.list(), [{ hook: "automation:app/nightly", at: start + 300 * second }]);
  await pass(360 * second);
  assert.deepEqual(causes(fired), ["cron", "cron"]);
  assert.deepEqual(
    fired.map(({ data }) => data.scheduled_for),
    ["2026-01-01T12:05:00.000Z", "2026-01-01T12:06:00.000Z"],
  );
  assert.equal(dataOf(fired[1]).seconds_since_last_run, 60);
});

test("moments of a cron pattern that went by while nothing ran are not made up for, and one run says how many they were", async (context) => {
  const scheduling = schedulingIn(context);
  const { schedule, fired, ran, pass, another } = scheduling;
  const hook = aTimed({ cron: "0 * * * *", zone: "UTC" });
  ran(hook, { startedAt: start - 9.5 * hour });
  const other = another();
  await Promise.all([schedule.sync([hook]), other.schedule.sync([hook])]);
  await Promise.all([pass(5 * second), other.pass(5 * second)]);
  const last = "2026-01-01T12:00:00.000Z: no daemon served its folder then, or the hook was not active";
  assert.deepEqual([...fired, ...other.fired].map(missedOf), [`10 moments went by, the last at ${last}`]);
  await another().schedule.sync([hook]);
  assert.equal(fired.length + other.fired.length, 1, "it is said once");
});

test("a pattern that is new, or was changed while the daemon ran, has missed nothing", async (context) => {
  const { schedule, fired, ran, pass } = schedulingIn(context);
  await schedule.sync([aTimed({ cron: "0 3 * * *", zone: "UTC" })]);
  ran(aTimed({ every: 1 }), { startedAt: start - 10 * hour });
  await schedule.sync([aTimed({ cron: "0 * * * *", zone: "UTC" })]);
  await pass(5 * second);
  assert.deepEqual(fired, []);
});

const missedOf = ({ to }: HookEvent): string | undefined => to?.instead?.because;

/** For each pattern: how often it fires on the days on which clocks go forward and back, and on any other. */
const timesOfDays: readonly [pattern: string, forward: number, back: number, usual: number][] = [
  ["30 2 * * *", 1, 1, 1],
  ["0 2,14 * * *", 2, 2, 2],
  ["0 2 * * SUN,MON", 1, 1, 0],
  ["15 1-4 * * *", 4, 4, 4],
  ["45 0-4/2 * * *", 3, 3, 3],
  ["0 30 2,3 * * *", 2, 2, 2],
  ["0,30 2 * * *", 2, 2, 2],
  ["0 1,2,3 * * *", 3, 3, 3],
  ["10-50/20 2,3 * * *", 6, 6, 6],
  ["@daily", 1, 1, 1],
  ["30 * * * *", 23, 25, 24],
  ["*/30 2 * * *", 0, 4, 2],
];
test("where clocks are changed, each pattern fires as often a day as people expect", async (context) => {
  const days = ["2026-03-28T22:59:00Z", "2026-10-24T21:59:00Z", "2026-07-15T21:59:00Z"];
  const idOf = (pattern: string): string => `automation:app/${pattern}`;
  const zone = "Europe/Berlin";
  for (const [index, day] of days.entries()) {
    const { schedule, fired, jump } = schedulingIn(context, { at: Date.parse(day) });
    await schedule.sync(timesOfDays.map(([cron]) => aTimed({ cron, zone }, { id: idOf(cron) })));
    const hours = [23, 25, 24][index] ?? 0;
    for (let minutes = 0; minutes < hours * 60; minutes += 1) await jump(60 * second);
    for (const [pattern, ...times] of timesOfDays)
      assert.equal(fired.filter(({ to }) => to?.hook === idOf(pattern)).length, times[index], `${pattern} from ${day}`);
    await schedule.close();
  }
});

/** What admission says of each event that comes, when its run begins so late. */
async function admissionsOf(
  { schedule, store, fired, jump }: Scheduling,
  hook: Hook,
  { times, step }: { times: number; step: number },
): Promise<(string | undefined)[]> {
  const late = [900, 5, 700, 0, 40, 4_000, 3];
  const said: (string | undefined)[] = [];
  await schedule.sync([hook]);
  for (let time = 0; time < times; time += 1) {
    await jump(step);
    for (const event of fired.splice(0)) {
      const now = (): Instant => event.at + (late[said.length % late.length] ?? 0);
      said.push(await go(claimFor(hook, event, { store, now })));
    }
  }
  return said;
}

test("a cooldown as long as the period skips no moment of a pattern, however late each run begins", async (context) => {
  for (const [cron, step, cooldown] of [
    ["0 * * * *", hour, 3_600],
    ["0 9 * * *", hour, 86_400],
    ["30 2 * * *", hour / 2, 86_400],
  ] as const)
    for (const day of ["2026-03-27T11:00:00Z", "2026-10-23T10:00:00Z"]) {
      const scheduling = schedulingIn(context, { at: Date.parse(day) });
      const hook = aTimed({ cron, zone: "Europe/Berlin" }, { limits: { cooldown, overlap: "coalesce" } });
      const said = await admissionsOf(scheduling, hook, { times: (4 * 24 * hour) / step, step });
      assert.ok(said.length >= 4, `${cron}: ${said.length}`);
      assert.deepEqual([...new Set(said)], [undefined], `${cron} from ${day}`);
    }
});

test("a cooldown of two hours lets every second moment of an hourly pattern run, and a run by hand counts", async (context) => {
  const scheduling = schedulingIn(context);
  const hook = aTimed({ cron: "0 * * * *", zone: "UTC" }, { limits: { cooldown: 7_200, overlap: "coalesce" } });
  const said = await admissionsOf(scheduling, hook, { times: 6, step: hour });
  assert.deepEqual(
    said.map((one) => one === undefined),
    [true, false, true, false, true, false],
  );
  const { store } = scheduling;
  const byHand: HookEvent = { ...aHookless, to: { hook: hook.id, force: true } };
  assert.equal(await go(claimFor(hook, byHand, { store, now: () => start + 6.5 * hour })), undefined);
  assert.deepEqual(await admissionsOf(scheduling, hook, { times: 1, step: hour }), [
    "cooldown: 7200 s have not passed",
  ]);
});

test("a periodic hook whose cooldown is its interval runs each time that it is due", async (context) => {
  const scheduling = schedulingIn(context);
  const hook = aTimed({ every: 3_600 }, { limits: { cooldown: 3_600, overlap: "coalesce" } });
  const said = await admissionsOf(scheduling, hook, { times: 9 * 60, step: 60 * second });
  assert.deepEqual(
    said,
    Array.from({ length: 9 }, () => undefined),
  );
});

for (const [back, repeated] of [
  [20 * 60 * second, 0],
  [3 * hour, 0],
  [30 * hour, 1], // what ran on a day that was none is forgotten
] as const)
  test(`a clock that is set back by ${back / second} s loses no moment that has not run, and repeats ${repeated}`, async (context) => {
    const { schedule, fired, jump } = schedulingIn(context);
    await schedule.sync([aTimed({ cron: "0 * * * *", zone: "UTC" })]);
    await jump(hour + second);
    await jump(back); // it was set wrong, and is set right again
    await jump(-back);
    for (let minutes = 0; minutes < 40 * 60; minutes += 1) await jump(60 * second);
    const moments = fired
      .filter((event) => missedOf(event) === undefined)
      .map(({ data }) => Date.parse(String(data.scheduled_for)));
    const due = Array.from({ length: 41 }, (_none, index) => start + (index + 1) * hour);
    assert.deepEqual([...new Set(moments)].sort(), due);
    assert.equal(moments.length, due.length + repeated);
  });

test("a cron pattern whose hook is paused, or all of whose kind are switched off, fires all the same, so that its run says why", async (context) => {
  const { schedule, store, fired, pass, state } = schedulingIn(context);
  const hook = aTimed({ cron: "* * * * *", zone: "UTC" });
  await schedule.sync([hook]);
  store.pause(hook.id, start);
  await pass(60 * second);
  assert.equal(fired.length, 1);
  state.enabled = false;
  await pass(60 * second);
  state.enabled = true;
  await pass(60 * second);
  assert.equal(fired.length, 3);
});

test("of two processes with one store one fires: each moment, each interval, each one-shot", async (context) => {
  const one = schedulingIn(context);
  const other = one.another();
  const hooks = [
    aTimed({ cron: "* * * * *", zone: "UTC" }, { id: "automation:app/cron" }),
    aTimed({ every: 60 }, { id: "automation:app/every" }),
    aTimed({ at: start + 30 * second }, { id: "automation:app/at" }),
  ];
  for (const { schedule } of [one, other]) await schedule.sync(hooks);
  for (let seconds = 0; seconds < 125; seconds += 1) await Promise.all([one, other].map(({ pass }) => pass(second)));
  const all = [...one.fired, ...other.fired];
  const count = (because: string): number => causes(all).filter((one) => one === because).length;
  assert.deepEqual([count("cron"), count("periodic"), count("scheduled")], [2, 3, 1]);
});

test("[AT45] a one-shot fires once at its time, not before, and its event says for when it was meant", async (context) => {
  const { schedule, fired, ended, pass } = schedulingIn(context);
  const hook = aTimed({ at: start + 20 * second });
  await schedule.sync([hook]);
  await pass(19 * second);
  assert.equal(fired.length, 0);
  await pass(100 * second);
  assert.deepEqual(causes(fired), ["scheduled"]);
  assert.equal(dataOf(fired[0]).scheduled_for, "2026-01-01T12:00:20.000Z");
  assert.deepEqual(ended, [hook.id]);
  await schedule.sync([]);
  await schedule.sync([hook]);
  await pass(100 * second);
  assert.equal(fired.length, 1);
  assert.deepEqual(schedule.list(), []);
});

test("[AT45] a one-shot waits while it is paused, disabled, cooling down or the engine is off, and then fires late", async (context) => {
  const { schedule, store, fired, pass, state } = schedulingIn(context);
  const hook = aTimed({ at: start + 10 * second }, { limits: { cooldown: 50, overlap: "coalesce" } });
  store.pause(hook.id, start);
  await schedule.sync([hook]);
  await pass(20 * second);
  store.resume(hook.id);
  await schedule.sync([{ ...hook, enabled: false }]);
  await pass(10 * second);
  state.enabled = false;
  await schedule.sync([hook]);
  await pass(10 * second);
  store.claim([{ key: `cooldown:${hook.id}`, gap: 50, refusal: "" }], start);
  state.enabled = true;
  await pass(9 * second);
  assert.equal(fired.length, 0);
  await pass(2 * second);
  assert.equal(dataOf(fired[0]).scheduled_for, "2026-01-01T12:00:10.000Z");
});

test("a one-shot whose time came while nothing ran fires late, once", async (context) => {
  const one = schedulingIn(context);
  const hook = aTimed({ at: start - 5 * hour });
  await one.schedule.sync([hook]);
  await one.pass(2 * second);
  assert.equal(one.fired.length, 1);
  const other = one.another();
  await other.schedule.sync([hook]);
  await other.pass(2 * second);
  assert.equal(other.fired.length, 0);
  assert.deepEqual(other.ended, [hook.id], "whoever keeps the hook is told again");
});

test("a one-shot that was moved to a later time fires again", async (context) => {
  const { schedule, fired, pass } = schedulingIn(context);
  await schedule.sync([aTimed({ at: start + 5 * second })]);
  await pass(10 * second);
  await schedule.sync([aTimed({ at: start + 30 * second })]);
  await pass(30 * second);
  assert.equal(fired.length, 2);
});

test("a one-shot that the line refuses is tried again, until it is there", async (context) => {
  let failures = 0;
  const { schedule, fired, complaints, pass } = schedulingIn(context, { fails: () => ++failures <= 2 });
  await schedule.sync([aTimed({ at: start })]);
  await pass(180 * second);
  assert.equal(fired.length, 1);
  assert.deepEqual(complaints, ["nightly: the store is locked"], "what fails again and again is said once");
});

test("a clock that fails again after it has fired says so again", async (context) => {
  let firings = 0;
  const { schedule, complaints, pass } = schedulingIn(context, { fails: () => ++firings !== 3 });
  await schedule.sync([aTimed({ every: 60 })]);
  await pass(180 * second);
  assert.ok(firings > 4);
  assert.equal(complaints.length, 2);
});

test("a moment of a pattern and a turn of an interval that the engine refuses are tried again, and none is sent twice", async (context) => {
  for (const on of [{ cron: "0 13 * * *", zone: "UTC" }, { every: 3_600 }]) {
    let failures = 0;
    const { schedule, fired, complaints, pass } = schedulingIn(context, { fails: () => ++failures <= 2 });
    await schedule.sync([aTimed(on)]);
    await pass(hour + 10 * second);
    const expected = "cron" in on ? ["cron"] : ["periodic", "periodic"];
    assert.deepEqual([causes(fired), complaints.length], [expected, 1]);
  }
});

test("a moment of a pattern that the store could not be asked about is not gone by", async (context) => {
  const store = openSqliteStore({ path: join(temporaryFolder(context), "store.db") });
  context.after(() => store.close());
  const { schedule, fired, complaints, pass } = schedulingIn(context, { store });
  await schedule.sync([aTimed({ cron: "0 13 * * *", zone: "UTC" })]);
  const broken = "create trigger broken before insert on claim begin select raise(abort, 'no space is left'); end";
  store.database.run(broken);
  await pass(hour + 2 * second);
  assert.deepEqual([fired.length, complaints.length > 0], [0, true]);
  store.database.run("drop trigger broken");
  await pass(second);
  assert.deepEqual(causes(fired), ["cron"]);
});

test("a one-shot whose process died with its run written and nothing else does not fire again", async (context) => {
  const { schedule, fired, ended, ran, pass } = schedulingIn(context);
  const hook = aTimed({ at: start - 10 * second });
  ran(hook, { cause: "scheduled", status: "queued", startedAt: start - 9 * second });
  await schedule.sync([hook]);
  await pass(100 * second);
  assert.deepEqual([fired.length, ended], [0, [hook.id]]);
});

test("after a sleep of a day each hook fires once", async (context) => {
  const { schedule, fired, pass, jump } = schedulingIn(context);
  await schedule.sync([
    aTimed({ cron: "* * * * *", zone: "UTC" }, { id: "automation:app/cron" }),
    aTimed({ every: 60 }, { id: "automation:app/every" }),
  ]);
  await pass(61 * second);
  fired.length = 0;
  await jump(24 * hour);
  await pass(second);
  const gone = fired.filter((event) => missedOf(event) !== undefined);
  const why =
    "at least 100 moments went by, the last at 2026-01-02T12:00:00.000Z: the machine slept, or its clock was set forward";
  assert.deepEqual(gone.map(missedOf), [why]);
  const others = fired.filter((event) => !gone.includes(event));
  assert.deepEqual(causes(others).sort(), ["cron", "periodic"]);
  const cron = others.find(({ to }) => to?.because === "cron");
  assert.equal(dataOf(cron).scheduled_for, "2026-01-02T12:01:00.000Z", "the newest moment");
});

test("a clock that is set back by a year delays no schedule for longer than an interval, and starts no burst", async (context) => {
  const { schedule, fired, pass, jump } = schedulingIn(context);
  await schedule.sync([
    aTimed({ cron: "* * * * *", zone: "UTC" }, { id: "automation:app/cron" }),
    aTimed({ every: 60 }, { id: "automation:app/every" }),
  ]);
  await pass(61 * second);
  fired.length = 0;
  await jump(-365 * 24 * hour);
  assert.equal(fired.length, 0);
  await pass(130 * second);
  const count = (because: string): number => causes(fired).filter((one) => one === because).length;
  assert.ok(count("cron") >= 1 && count("cron") <= 3, String(count("cron")));
  assert.ok(count("periodic") >= 1 && count("periodic") <= 3, String(count("periodic")));
});

test("a pattern that cannot be read leaves its neighbours alone", async (context) => {
  const { schedule, fired, complaints } = schedulingIn(context);
  await schedule.sync([
    aTimed({ cron: "61 * * * *" }, { id: "automation:app/broken", name: "broken" }),
    aTimed({ cron: "* * * * *", zone: "Mars/Base" }, { id: "automation:app/nowhere", name: "nowhere" }),
    aTimed({ every: 60 }),
  ]);
  await schedule.check();
  assert.equal(fired.length, 1);
  assert.match(complaints.join("\n"), /^broken: .*\nnowhere: /);
});

test("a hook whose limits change keeps its place, and one whose trigger changes is reckoned anew", async (context) => {
  const { schedule, fired, pass } = schedulingIn(context);
  const hook = aTimed({ every: 60 });
  await schedule.sync([hook]);
  await pass(30 * second);
  await schedule.sync([{ ...hook, limits: { cooldown: 100, overlap: "queue" } }]);
  await pass(60 * second);
  assert.equal(fired.length, 1);
  await schedule.sync([aTimed({ every: 20 })]);
  await pass(second);
  assert.equal(fired.length, 2);
});

test("closing waits for what is being put on the line, and nothing fires afterwards", async (context) => {
  const { schedule, clock, fired } = schedulingIn(context);
  await schedule.sync([aTimed({ every: 1 })]);
  await schedule.close();
  await schedule.close();
  clock.advance(10 * second);
  await schedule.check();
  assert.equal(fired.length, 0);
});

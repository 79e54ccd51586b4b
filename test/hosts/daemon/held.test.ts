/** What becomes of runs that wait in a daemon when people pause, disable or delete. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Hosted, hosted } from "./hosted.ts";
import { automation, type Place, placeFor, until } from "./started.ts";

const file = "workspace/.hookline/automations/slow.yaml";
/** The first run goes on until somebody says so. */
const slow = (more = ""): string =>
  automation(
    "Slow",
    "type: event, event_type: a.b",
    "echo ran >> log; until test -e go; do sleep 0.2; done",
    `overlap: queue\n${more}`,
  );

/** One runs and three wait behind it, when this is done; then the first one ends, and another automation runs to its end. */
async function whileTheyWait(t: Parameters<typeof placeFor>[0], change: (place: Place, daemon: Hosted) => unknown) {
  const place = placeFor(t, {
    [file]: slow(),
    "home/.config/hookline/automations/other.yaml": automation("Other", "type: event, event_type: c.d", "true"),
  });
  assert.equal(place.hookline("project", "create", "workspace").status, 0);
  const daemon = await hosted(place);
  for (let number = 0; number < 4; number++) await daemon.emit("a.b");
  await until(() => place.has("workspace/log"), "the first run begins");
  await change(place, daemon);
  place.write("workspace/go", "");
  const statuses = (): string[] =>
    place
      .runs()
      .filter(({ hook }) => hook.endsWith("/slow"))
      .map(({ status, reason }) => (reason ? `${status}: ${reason}` : status));
  const ran = (): number => place.read("workspace/log").trim().split("\n").length;
  await until(() => statuses().includes("completed"), "the first run ends");
  await daemon.emit("c.d");
  await until(
    () => place.runs().some(({ hook, status }) => hook.endsWith("/other") && status === "completed"),
    "another runs meanwhile",
  );
  return { place, statuses, ran };
}

for (const [what, words] of Object.entries({
  "an automation": ["automation", "ID", "slow"],
  "a project": ["project", "ID", "workspace"],
}))
  test(`[R23] after the pause of ${what} none of its runs begins, and after its end all that waited do`, async (t) => {
    const said = (verb: string): string[] => words.map((word) => (word === "ID" ? verb : word));
    const { place, statuses, ran } = await whileTheyWait(t, (at) =>
      assert.equal(at.hookline(...said("pause")).status, 0),
    );
    assert.deepEqual(statuses(), ["queued", "queued", "queued", "completed"]);
    assert.equal(ran(), 1);
    assert.equal(place.hookline(...said("resume")).status, 0);
    await until(() => statuses().every((status) => status === "completed"), "all have run");
    assert.equal(ran(), 4);
  });

for (const [what, reason, change] of [
  ["disabled", "disabled", (place: Place) => place.write(file, slow("enabled: false\n"))],
  [
    "deleted",
    "it is no longer active",
    async (place: Place, daemon: Hosted) => {
      rmSync(join(place.folder, file));
      await until(async () => (await daemon.call("/status")).body.automations.active === 1, "it is gone");
    },
  ],
] as const)
  test(`[R23] what waits when its automation is ${what} is skipped with the reason`, async (t) => {
    const { statuses, ran } = await whileTheyWait(t, change);
    await until(() => !statuses().includes("queued"), "all are over");
    const skipped = `skipped: ${reason}`;
    assert.deepEqual(statuses(), [skipped, skipped, skipped, "completed"]);
    assert.equal(ran(), 1);
  });
